// z <- x y, element by element; alpha is not used.
fn apply(alpha: Scalar, x: Scalar, y: Scalar) -> Scalar { return s_mul(x, y); }
