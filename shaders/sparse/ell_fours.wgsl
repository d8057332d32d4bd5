// ELL, as ell.wgsl has it, by ROWS rows, of which the matrix has a multiple.
const ARRAYS: u32 = 2u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;

fn row_of(position: u32) -> u32 { return position; }

fn add_rows(row: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    add_padded(sums, row, params.rows, params.width);
}
