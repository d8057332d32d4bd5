// RBP-ELL, laid out as in ../rbp/ell.wgsl: a pair of equal columns ends a row.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> row_ptr: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sums(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    var walk = walk_from(row, params.isolated_columns, params.rows);
    for (var j = 0u; j < params.width; j++) {
        let column = next_column(&walk, params.rows);
        if (column == PADDING) {
            break;
        }
        add_entry(sums, load(values[row + j * params.rows]), column, lane);
    }
    add_isolated(sums, row_ptr[row], row_ptr[row + 1u], lane);
}
