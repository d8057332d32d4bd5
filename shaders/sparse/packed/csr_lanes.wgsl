// Packed CSR, a row shared by `lanes` invocations in pieces of runs (spmv/pieces.wgsl). Pointers as in packed/csr.wgsl.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<vec2<u32>>;

fn row_part(row: u32, lane: u32, lanes: u32) -> Scalar {
    let begin = pointers[row];
    let end = pointers[row + 1u];
    var walk = walk_from(begin.x, end.x, 1u);
    return pieces_part(&walk, begin.y, end.y, lane, lanes);
}

// The next entries of a run, at most so many: none behind the row's last one, whose column is the one before theirs. By
// `next_column`, which has the next entry, it would take a tenth longer.
fn next_piece(walk: ptr<function, Walk>, most: u32) -> Piece {
    let ahead = (*walk).ahead;
    if ((*walk).left == 0u && ahead != NO_RUN) {
        (*walk).column = extractBits(ahead, 0u, params.column_bits);
        (*walk).left = extractBits(ahead, params.column_bits, 32u - params.column_bits) + 1u;
        (*walk).ahead = NO_RUN;
        if ((*walk).next < (*walk).end) {
            (*walk).ahead = descriptors[(*walk).next];
        }
        (*walk).next += 1u;
    }
    let piece = Piece((*walk).column, min((*walk).left, most));
    (*walk).column += piece.length;
    (*walk).left -= piece.length;
    return piece;
}
