// SELL, laid out as in ../sell.wgsl: where rows were sorted (ORDERED), the rows of the positions lie behind slice_ptr.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> slice_ptr: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return slice_ptr[(params.rows + HEIGHT - 1u) / HEIGHT + 1u + position];
    }
    return position;
}

fn row_sums(position: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    let slice = position / HEIGHT;
    let begin = slice_ptr[slice];
    add_padded(sums, begin + position % HEIGHT, HEIGHT, (slice_ptr[slice + 1u] - begin) / HEIGHT, lane);
}
