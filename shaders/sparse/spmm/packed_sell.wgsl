// Packed SELL, laid out as in ../packed/sell.wgsl: two pointers a slice, and behind all of them, where rows were sorted
// (ORDERED), the rows of the positions.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return pointers[2u * ((params.rows + HEIGHT - 1u) / HEIGHT + 1u) + position];
    }
    return position;
}

fn row_sums(position: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    let slice = position / HEIGHT;
    let begin = vec2<u32>(pointers[2u * slice], pointers[2u * slice + 1u]);
    let end = vec2<u32>(pointers[2u * slice + 2u], pointers[2u * slice + 3u]);
    var walk = walk_from(begin.x + position % HEIGHT, end.x, HEIGHT);
    for (var slot = begin.y + position % HEIGHT; slot < end.y; slot += HEIGHT) {
        let column = next_column(&walk, HEIGHT);
        if (column == PADDING) {
            break;
        }
        add_entry(sums, load(values[slot]), column, lane);
    }
}
