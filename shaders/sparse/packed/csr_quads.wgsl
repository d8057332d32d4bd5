// Packed CSR, an invocation a row, with values and descriptors read by aligned quads, as ../csr_quads.wgsl reads values and
// columns, and for the same reason. Before each quad of values the descriptors behind the nearest four are read, too: four
// entries have four runs at most, so that no entry needs a load, which costs a driver on the CPU as much if nobody takes it.
// What is read of neighbours is passed over; so a row is summed in the host's order. Rows that others sum are NO_ROW.
// Traffic: the matrix once, the descriptors once a quad of values, out of a cache; x as the caches have it.
const ARRAYS: u32 = 3u;
const QUAD: u32 = 4u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> descriptors: array<vec4<u32>>;
// Of each row in turn, where its descriptors and where its values begin; behind those of the end, where rows were sorted
// (ORDERED), the rows of the positions.
@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return places[params.rows + 1u + position / 2u][position % 2u];
    }
    return position;
}

fn row_sum(row: u32) -> Scalar {
    place_x();
    let begin = places[row];
    let end = places[row + 1u];
    // extractBits, without what it does for fields that do not fit: a length of no bits is not shifted out.
    let column_mask = extractBits(0xffffffffu, 0u, params.column_bits);
    let length_shift = min(params.column_bits, 31u);
    var next = begin.x;
    // A row without entries may begin behind the last quad.
    var near = descriptors[min(next, max(end.x, 1u) - 1u) / QUAD];
    var column = 0u;
    var left = 0u;
    var sum = SCALAR_ZERO;
    for (var first = begin.y / QUAD * QUAD; first < end.y; first += QUAD) {
        let far = descriptors[min(next / QUAD + 1u, (end.x - 1u) / QUAD)];
        var value: array<Pack, QUAD / PACK>;
        for (var p = 0u; p < QUAD / PACK; p++) { // unrolled
            // Of the last quad, packs behind the last entry may not be there.
            value[p] = values[min(first / PACK + p, (end.y - 1u) / PACK)];
        }
        for (var e = 0u; e < QUAD; e++) { // unrolled
            if (first + e >= begin.y && first + e < end.y) {
                if (left == 0u) {
                    let descriptor = near[next % QUAD];
                    column = descriptor & column_mask;
                    left = ((descriptor & ~column_mask) >> length_shift) + 1u;
                    next += 1u;
                    if (next % QUAD == 0u) {
                        near = far;
                    }
                }
                sum = s_mul_add(unpack(value[e / PACK], e % PACK), load(x_at(column)), sum);
                column += 1u;
                left -= 1u;
            }
        }
    }
    return sum;
}
