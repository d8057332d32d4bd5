// RBP-ELL: value j of the runs of row i is at j rows + i, and so are the columns of its runs, first and last in turn; a pair
// of equal columns ends a row. Isolated entries lie behind, as CSR.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> row_ptr: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sum(row: u32) -> Scalar {
    var walk = walk_from(row, params.isolated_columns, params.rows);
    var sum = SCALAR_ZERO;
    for (var j = 0u; j < params.width; j += UNROLL) {
        let slot = row + j * params.rows;
        var column: array<u32, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            column[e] = next_column(&walk, params.rows);
        }
        if (column[UNROLL - 1u] == PADDING) {
            for (var e = 0u; e < UNROLL; e++) { // unrolled
                if (column[e] != PADDING) {
                    sum = s_mul_add(load(values[slot + e * params.rows]), load(x_of(column[e])), sum);
                }
            }
            break;
        }
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[slot + e * params.rows];
            factor[e] = x_of(column[e]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    return with_isolated(sum, row_ptr[row], row_ptr[row + 1u]);
}
