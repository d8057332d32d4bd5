// ELL-R: ELL with the length of each row, at which it stops; padding is not read.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> lengths: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sum(row: u32) -> Scalar { return padded_sum(row, params.rows, lengths[row]); }
