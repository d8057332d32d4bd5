// RBP-CSR: of row i, three pointers from 3i on: its run values, its run columns, its isolated entries. Of the columns, those
// of runs come first, first and last of each in turn.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sum(row: u32) -> Scalar {
    let at = 3u * row;
    let end = pointers[at + 3u];
    var k = pointers[at];
    var walk = walk_from(pointers[at + 1u], pointers[at + 4u], 1u);
    var sum = SCALAR_ZERO;
    for (; end - k >= UNROLL; k += UNROLL) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[k + e];
            factor[e] = x_of(next_column(&walk, 1u));
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    for (; k < end; k++) {
        sum = s_mul_add(load(values[k]), load(x_of(next_column(&walk, 1u))), sum);
    }
    return with_isolated(sum, pointers[at + 2u], pointers[at + 5u]);
}
