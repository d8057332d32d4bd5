// The sum over every `step`-th entry from `begin` on, as far as `end`. UNROLL of them are on their way at once, the last
// ones too: past the end, the last entry is loaded once more, and not added. Compilers do not move a load above a branch.
fn entries_part(begin: u32, end: u32, step: u32) -> Scalar {
    var sum = SCALAR_ZERO;
    for (var k = begin; k < end; k += UNROLL * step) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            let at = min(k + e * step, end - 1u);
            value[e] = values[at];
            factor[e] = x_of(columns[at]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            if (k + e * step < end) {
                sum = s_mul_add(load(value[e]), load(factor[e]), sum);
            }
        }
    }
    return sum;
}
