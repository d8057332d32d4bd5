// ELL: entry k of row i is at k rows + i, so that neighbours read neighbours; PADDING is behind a row's entries, so that the
// last of UNROLL columns tells whether all of them are there.
const ARRAYS: u32 = 2u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sum(row: u32) -> Scalar { return padded_sum(row, params.rows, params.width); }
