// CSR, an invocation a row, which reads columns and values by aligned quads: 16 bytes at a time cost a driver that loads lane
// by lane half of what single words do. The first quad of a row and its last may have entries of its neighbours, which are
// passed over; so a row is summed in the host's order. Where rows were sorted by length (ORDERED), so that lanes of the driver
// do not wait for a long one, the rows of the positions lie behind row_ptr. Traffic: the matrix once, and up to 24 bytes and
// as many of values more a row; x as the caches have it.
const ARRAYS: u32 = 3u;
const QUAD: u32 = 4u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> row_ptr: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return row_ptr[params.rows + 1u + position];
    }
    return position;
}

fn row_sum(row: u32) -> Scalar {
    place_x();
    let begin = row_ptr[row];
    let end = row_ptr[row + 1u];
    var sum = SCALAR_ZERO;
    for (var first = begin / QUAD * QUAD; first < end; first += QUAD) {
        let column = columns[first / QUAD];
        var value: array<Pack, QUAD / PACK>;
        for (var p = 0u; p < QUAD / PACK; p++) { // unrolled
            // Of the last quad, packs behind the last entry may not be there.
            value[p] = values[min(first / PACK + p, (end - 1u) / PACK)];
        }
        for (var e = 0u; e < QUAD; e++) { // unrolled
            if (first + e >= begin && first + e < end) {
                sum = s_mul_add(unpack(value[e / PACK], e % PACK), load(x_at(column[e])), sum);
            }
        }
    }
    return sum;
}
