// A pivot by which a column is divided: one reciprocal for all, as LAPACK does it, where that neither underflows nor overflows.
// Where there is no pivot, L's column is zero.
struct Divisor {
    pivot: Scalar,
    inverse: Scalar,
    // Whether the inverse is as good as the pivot.
    is_ordinary: bool,
}

fn divisor(pivot: Scalar) -> Divisor {
    let size = s_abs(pivot);
    let is_ordinary = s_less(SCALAR_TINY, size) && s_less(size, SCALAR_HUGE);
    return Divisor(pivot, s_reciprocal(pivot), is_ordinary);
}

fn divided(x: Scalar, by: Divisor) -> Scalar {
    if (by.is_ordinary) {
        return s_mul(x, by.inverse);
    }
    if (is_zero(by.pivot)) {
        return SCALAR_ZERO;
    }
    return s_div(x, by.pivot);
}

// As the device sees it: a subnormal is zero where those are flushed.
fn is_zero(x: Scalar) -> bool {
    return !s_less(x, SCALAR_ZERO) && !s_less(SCALAR_ZERO, x) && !s_is_nan(x);
}
