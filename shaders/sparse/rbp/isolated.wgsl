// The isolated entries of a row, as CSR, behind those of its runs in the order of its sum (Kawamura et al. 2020, algorithms 4
// and 5).

// `before` and the isolated entries from `begin` to `end`.
fn with_isolated(before: Scalar, begin: u32, end: u32) -> Scalar {
    var sum = before;
    var k = begin;
    for (; end - k >= UNROLL; k += UNROLL) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[params.isolated_values + k + e];
            factor[e] = x_of(columns[params.isolated_columns + k + e]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    for (; k < end; k++) {
        let column = columns[params.isolated_columns + k];
        sum = s_mul_add(load(values[params.isolated_values + k]), load(x_of(column)), sum);
    }
    return sum;
}
