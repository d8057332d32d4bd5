// ELL-R, laid out as in ../ell_r.wgsl: it stops at the length of the row.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> lengths: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sums(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    add_padded(sums, row, params.rows, lengths[row], lane);
}
