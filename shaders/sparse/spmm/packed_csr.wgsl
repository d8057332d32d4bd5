// Packed CSR, laid out as in ../packed/csr.wgsl. Rows of more than LONGEST entries are summed elsewhere: packed_csr_chunks.wgsl.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<vec2<u32>>;

fn row_of(position: u32) -> u32 {
    return select(position, NO_ROW, pointers[position + 1u].y - pointers[position].y > LONGEST);
}

fn row_sums(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    let begin = pointers[row];
    let end = pointers[row + 1u];
    var walk = walk_from(begin.x, end.x, 1u);
    for (var k = begin.y; k < end.y; k++) {
        add_entry(sums, load(values[k]), next_column(&walk, 1u), lane);
    }
}
