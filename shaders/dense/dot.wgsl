// The sum of x y.
alias Sum = Scalar;
alias Output = Scalar;

fn sum_zero() -> Sum { return SCALAR_ZERO; }
fn accumulate(sum: Sum, x: Scalar, y: Scalar, i: u32) -> Sum { return s_mul_add(x, y, sum); }
fn combine(a: Sum, b: Sum) -> Sum { return s_add(a, b); }
fn finish(sum: Sum) -> Output { return sum; }
