// The sum of a row whose entries are `step` apart from slot `first` on, `width` slots in all, PADDING behind its entries:
// a row of ELL, or of a slice of SELL. UNROLL entries are on their way at once, and padding reads no x.
fn padded_sum(first: u32, step: u32, width: u32) -> Scalar {
    var sum = SCALAR_ZERO;
    var j = 0u;
    for (; j + UNROLL <= width; j += UNROLL) {
        let slot = first + j * step;
        var column: array<u32, UNROLL>;
        var value: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            column[e] = columns[slot + e * step];
            value[e] = values[slot + e * step];
        }
        if (column[UNROLL - 1u] == PADDING) {
            break;
        }
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            factor[e] = x_of(column[e]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    for (; j < width; j++) {
        let slot = first + j * step;
        let column = columns[slot];
        if (column == PADDING) {
            break;
        }
        sum = s_mul_add(load(values[slot]), load(x_of(column)), sum);
    }
    return sum;
}
