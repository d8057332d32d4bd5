// y <- x + alpha y.
fn apply(alpha: Scalar, x: Scalar, y: Scalar) -> Scalar { return s_mul_add(alpha, y, x); }
