// z <- alpha x + y.
fn apply(alpha: Scalar, x: Scalar, y: Scalar) -> Scalar { return s_mul_add(alpha, x, y); }
