// A pivot by which a column is divided: one division for all, as LAPACK does it, where the reciprocal neither underflows nor
// overflows. Where there is no pivot, L's column is zero.
struct Divisor {
    pivot: Scalar,
    inverse: Scalar,
    is_zero: bool,
    // Whether the inverse is as good as the pivot.
    is_ordinary: bool,
}

fn divisor(pivot: Scalar) -> Divisor {
    let rank = s_rank(pivot);
    let size = s_abs(pivot);
    let is_ordinary = s_less(SCALAR_TINY, size) && s_less(size, SCALAR_HUGE);
    return Divisor(pivot, s_div(SCALAR_ONE, pivot), rank.x == 0u && rank.y == 0u, is_ordinary);
}

fn divided(x: Scalar, by: Divisor) -> Scalar {
    if (by.is_ordinary) {
        return s_mul(x, by.inverse);
    }
    if (by.is_zero) {
        return SCALAR_ZERO;
    }
    return s_div(x, by.pivot);
}
