// RBP-ELL-R, as ell_r.wgsl has it, by ROWS rows, of which the matrix has a multiple. Padding ends a row as its length does.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;
// Where the isolated entries of each row begin, and beside it its length; behind those of the end, where fours of rows were
// sorted (ORDERED), the four of each position.
@group(0) @binding(3) var<storage, read> rows: array<vec2<u32>>;

fn isolated_from(row: u32) -> u32 { return rows[row].x; }

fn four_at(place: u32) -> u32 { return rows[params.rows + 1u + place / 2u][place % 2u]; }
