// y <- alpha y.
fn apply(alpha: Scalar, x: Scalar, y: Scalar) -> Scalar { return s_mul(alpha, y); }
