// RBP-CSR, a row shared by `lanes` invocations: its runs in pieces (spmv/pieces.wgsl), then its isolated entries, each lane every
// `lanes`-th of them, UNROLL at once as in sparse/csr_entries.wgsl. Pointers as in rbp/csr.wgsl.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

fn row_part(row: u32, lane: u32, lanes: u32) -> Scalar {
    let at = 3u * row;
    var walk = walk_from(pointers[at + 1u], pointers[at + 4u], 1u);
    var sum = pieces_part(&walk, pointers[at], pointers[at + 3u], lane, lanes);
    let end = pointers[at + 5u];
    for (var k = pointers[at + 2u] + lane; k < end; k += UNROLL * lanes) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            let entry = min(k + e * lanes, end - 1u);
            value[e] = values[params.isolated_values + entry];
            factor[e] = x_of(columns[params.isolated_columns + entry]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            if (k + e * lanes < end) {
                sum = s_mul_add(load(value[e]), load(factor[e]), sum);
            }
        }
    }
    return sum;
}

// The next entries of a run, at most so many: none behind the last run, whose column is the one before theirs.
fn next_piece(walk: ptr<function, Walk>, most: u32) -> Piece {
    let ahead = (*walk).ahead;
    if ((*walk).column > (*walk).last && ahead.x != ahead.y) {
        (*walk).column = ahead.x;
        (*walk).last = ahead.y;
        (*walk).ahead = pair_at((*walk).next, (*walk).end, 1u);
        (*walk).next += 2u;
    }
    let piece = Piece((*walk).column, min((*walk).last + 1u - (*walk).column, most));
    (*walk).column += piece.length;
    return piece;
}
