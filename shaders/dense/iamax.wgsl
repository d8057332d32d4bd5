// The first index of the largest |x|; a NaN counts as larger than every number. y is not used.
struct Sum {
    magnitude: Scalar,
    index: u32,
}
alias Output = u32;

const NO_INDEX: u32 = 0xffffffffu;

fn sum_zero() -> Sum { return Sum(SCALAR_ZERO, NO_INDEX); }
fn accumulate(sum: Sum, x: Scalar, y: Scalar, i: u32) -> Sum { return combine(sum, Sum(s_abs(x), i)); }

fn combine(a: Sum, b: Sum) -> Sum {
    if (a.index == NO_INDEX) {
        return b;
    }
    if (b.index == NO_INDEX) {
        return a;
    }
    let a_first = a.index < b.index;
    if (s_is_nan(a.magnitude) || s_is_nan(b.magnitude)) {
        if (s_is_nan(a.magnitude) && (a_first || !s_is_nan(b.magnitude))) {
            return a;
        }
        return b;
    }
    if (s_less(a.magnitude, b.magnitude) || (!a_first && !s_less(b.magnitude, a.magnitude))) {
        return b;
    }
    return a;
}

fn finish(sum: Sum) -> Output { return sum.index; }
