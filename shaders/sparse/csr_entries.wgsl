// The sum over every `step`-th entry from `begin` on, as far as `end`. UNROLL of them are on their way at once: compilers do
// not move a load above a branch.
fn entries_part(begin: u32, end: u32, step: u32) -> Scalar {
    var k = begin;
    var sum = SCALAR_ZERO;
    for (; k + (UNROLL - 1u) * step < end; k += UNROLL * step) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[k + e * step];
            factor[e] = x_of(columns[k + e * step]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    for (; k < end; k += step) {
        sum = s_mul_add(load(values[k]), load(x_of(columns[k])), sum);
    }
    return sum;
}
