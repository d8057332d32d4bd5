// The square root of the sum of x x, with no overflow or underflow on the way (Blue 1978; LAPACK 3.10's la_xnrm2):
// squares go into three sums by the magnitude of x, so one reading is enough. y is not used.
struct Sum {
    small: Scalar,
    middle: Scalar,
    big: Scalar,
}
alias Output = Scalar;

fn sum_zero() -> Sum { return Sum(SCALAR_ZERO, SCALAR_ZERO, SCALAR_ZERO); }

fn accumulate(sum: Sum, x: Scalar, y: Scalar, i: u32) -> Sum {
    var next = sum;
    let magnitude = s_abs(x);
    // One test for what is common; a NaN passes it, and stays.
    if (!(s_less(SCALAR_HUGE, magnitude) || s_less(magnitude, SCALAR_TINY))) {
        next.middle = s_mul_add(x, x, sum.middle);
        return next;
    }
    if (s_less(SCALAR_ONE, magnitude)) {
        let scaled = s_mul(x, SCALAR_DOWN);
        next.big = s_mul_add(scaled, scaled, sum.big);
    } else {
        let scaled = s_mul(x, SCALAR_UP);
        next.small = s_mul_add(scaled, scaled, sum.small);
    }
    return next;
}

// The middling squares of more elements than one invocation has could overflow. Beyond the square of HUGE they count as big.
fn combine(a: Sum, b: Sum) -> Sum {
    var sum = Sum(s_add(a.small, b.small), s_add(a.middle, b.middle), s_add(a.big, b.big));
    if (s_less(s_mul(SCALAR_HUGE, SCALAR_HUGE), sum.middle)) {
        let scaled = s_mul(s_sqrt(sum.middle), SCALAR_DOWN);
        sum.big = s_mul_add(scaled, scaled, sum.big);
        sum.middle = SCALAR_ZERO;
    }
    return sum;
}

fn finish(sum: Sum) -> Output {
    if (s_is_nan(sum.middle)) {
        return sum.middle;
    }
    if (s_less(SCALAR_ZERO, sum.big) || s_is_nan(sum.big)) {
        // What is small cannot be seen beside what is big. Roots are scaled, not squares: compilers make one factor of DOWN and
        // DOWN, which is 0.
        return hypotenuse(s_mul(s_sqrt(sum.big), SCALAR_DOWN_INVERSE), s_sqrt(sum.middle));
    }
    if (s_less(SCALAR_ZERO, sum.small)) {
        return hypotenuse(s_mul(s_sqrt(sum.small), SCALAR_UP_INVERSE), s_sqrt(sum.middle));
    }
    return s_sqrt(sum.middle);
}

// The root of a a + b b, of which neither is negative and one is not 0.
fn hypotenuse(a: Scalar, b: Scalar) -> Scalar {
    if (s_less(a, b)) {
        return over_longer(b, a);
    }
    return over_longer(a, b);
}

fn over_longer(a: Scalar, b: Scalar) -> Scalar {
    let ratio = s_div(b, a);
    return s_mul(a, s_sqrt(s_mul_add(ratio, ratio, SCALAR_ONE)));
}
