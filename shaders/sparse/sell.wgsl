// SELL: entry k of the row at position p is at slice_ptr[p / HEIGHT] + k HEIGHT + p mod HEIGHT, so that neighbours in a slice
// read neighbours. Where rows were sorted (ORDERED), the rows of the positions lie behind slice_ptr.
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

fn row_sum(position: u32) -> Scalar {
    let slice = position / HEIGHT;
    let begin = slice_ptr[slice];
    return padded_sum(begin + position % HEIGHT, HEIGHT, (slice_ptr[slice + 1u] - begin) / HEIGHT);
}
