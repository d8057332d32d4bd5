// y <- x + alpha y.
const READS_Y: bool = true;

fn apply(alpha: Scalar, x: Scalar, y: Scalar) -> Scalar { return s_mul_add(alpha, y, x); }
