// RBP-CSR, an invocation a row, with values and columns read by aligned quads, as ../csr_quads.wgsl does, and for the same
// reason. Before each quad of values the pairs of columns behind the nearest two are read, too: four entries have two new
// runs at most, since none is of one entry, so that no entry needs a load.
const ARRAYS: u32 = 3u;
const QUAD: u32 = 4u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> columns: array<vec4<u32>>;
// Of each row, three numbers from 3i on: where its run values begin, its run columns, its isolated entries; behind those of
// the end, where rows were sorted (ORDERED), the rows of the positions.
@group(0) @binding(3) var<storage, read> places: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return places[3u * params.rows + 3u + position];
    }
    return position;
}

fn row_sum(row: u32) -> Scalar {
    place_x();
    let at = 3u * row;
    let begin = places[at];
    var next = places[at + 1u];
    let end = places[at + 3u];
    let last = places[at + 4u];
    // A row without runs may begin behind the last quad.
    var near = columns[min(next, max(last, 1u) - 1u) / QUAD];
    var column = 1u;
    var past = 1u;
    var sum = SCALAR_ZERO;
    for (var first = begin / QUAD * QUAD; first < end; first += QUAD) {
        let far = columns[min(next / QUAD + 1u, (last - 1u) / QUAD)];
        var value: array<Pack, QUAD / PACK>;
        for (var p = 0u; p < QUAD / PACK; p++) { // unrolled
            // Of the last quad, packs behind the last entry may not be there.
            value[p] = values[min(first / PACK + p, (end - 1u) / PACK)];
        }
        for (var e = 0u; e < QUAD; e++) { // unrolled
            if (first + e >= begin && first + e < end) {
                if (column == past) {
                    let run = select(near.zw, near.xy, next % QUAD == 0u);
                    column = run.x;
                    past = run.y + 1u;
                    next += 2u;
                    if (next % QUAD == 0u) {
                        near = far;
                    }
                }
                sum = s_mul_add(unpack(value[e / PACK], e % PACK), load(x_at(column)), sum);
                column += 1u;
            }
        }
    }
    return with_isolated(sum, places[at + 2u], places[at + 5u]);
}
