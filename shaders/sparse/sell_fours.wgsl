// SELL, as sell.wgsl has it, by ROWS rows of a slice: HEIGHT is a multiple of ROWS, so that no four are of two slices.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> slice_ptr: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return slice_ptr[(params.rows + HEIGHT - 1u) / HEIGHT + 1u + position];
    }
    return position;
}

fn add_rows(position: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let slice = position / HEIGHT;
    let begin = slice_ptr[slice];
    add_padded(sums, begin + position % HEIGHT, HEIGHT, (slice_ptr[slice + 1u] - begin) / HEIGHT);
}
