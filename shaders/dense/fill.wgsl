// y <- alpha. y is not read.
const READS_Y: bool = false;

fn apply(alpha: Scalar, x: Scalar, y: Scalar) -> Scalar { return alpha; }
