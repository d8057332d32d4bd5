// ELL-R, as ell_r.wgsl has it, by ROWS rows, of which the matrix has a multiple: they stop at the longest of them.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> lengths: array<vec4<u32>>;

fn row_of(position: u32) -> u32 { return position; }

fn add_rows(row: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let length = lengths[row / ROWS];
    let longest = max(max(length.x, length.y), max(length.z, length.w));
    add_padded(sums, row, params.rows, longest);
}
