// RBP-ELL-R, laid out as in ../rbp/ell_r.wgsl: of each row, where its isolated entries begin, and its values in runs.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> rows: array<vec2<u32>>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sums(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    var walk = walk_from(row, params.isolated_columns, params.rows);
    let own = rows[row];
    for (var j = 0u; j < own.y; j++) {
        add_entry(sums, load(values[row + j * params.rows]), next_column(&walk, params.rows), lane);
    }
    add_isolated(sums, own.x, rows[row + 1u].x, lane);
}
