// The isolated entries of a row, as isolated.wgsl has them, by aligned quads: they begin at places among values and columns
// that are alike modulo QUAD.

// `before` and the isolated entries from `begin` to `end`.
fn with_isolated(before: Scalar, begin: u32, end: u32) -> Scalar {
    var sum = before;
    let entry = params.isolated_values + begin;
    let past = params.isolated_values + end;
    // Modulo 2^32: behind the values, columns may come first.
    let behind = params.isolated_columns / QUAD - params.isolated_values / QUAD;
    for (var first = entry / QUAD * QUAD; first < past; first += QUAD) {
        let column = columns[first / QUAD + behind];
        var value: array<Pack, QUAD / PACK>;
        for (var p = 0u; p < QUAD / PACK; p++) { // unrolled
            // Of the last quad, packs behind the last entry may not be there.
            value[p] = values[min(first / PACK + p, (past - 1u) / PACK)];
        }
        for (var e = 0u; e < QUAD; e++) { // unrolled
            if (first + e >= entry && first + e < past) {
                sum = s_mul_add(unpack(value[e / PACK], e % PACK), load(x_at(column[e])), sum);
            }
        }
    }
    return sum;
}
