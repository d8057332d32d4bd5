// RBP-ELL, as ell.wgsl has it, by ROWS rows, of which the matrix has a multiple.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;
// Where the isolated entries of each row begin; behind that of the end, where fours of rows were sorted (ORDERED), the four
// of each position.
@group(0) @binding(3) var<storage, read> row_ptr: array<u32>;

fn isolated_from(row: u32) -> u32 { return row_ptr[row]; }

fn four_at(place: u32) -> u32 { return row_ptr[params.rows + 1u + place]; }
