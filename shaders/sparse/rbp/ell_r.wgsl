// RBP-ELL-R: RBP-ELL with the number of values that each row has in runs, at which it stops. It lies beside the place
// where the row's isolated entries begin.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> rows: array<vec2<u32>>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sum(row: u32) -> Scalar {
    var walk = walk_from(row, params.isolated_columns, params.rows);
    let own = rows[row];
    let length = own.y;
    var sum = SCALAR_ZERO;
    var j = 0u;
    for (; j + UNROLL <= length; j += UNROLL) {
        let slot = row + j * params.rows;
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[slot + e * params.rows];
            factor[e] = x_of(next_column(&walk, params.rows));
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    for (; j < length; j++) {
        sum = s_mul_add(load(values[row + j * params.rows]), load(x_of(next_column(&walk, params.rows))), sum);
    }
    return with_isolated(sum, own.x, rows[row + 1u].x);
}
