// The exchanges of a block's rows, all at once: rows that become rows of U come to the top, and the rows that were there go where these
// came from. A workgroup has LANES columns to itself, and reads all that moves there before it writes. A kernel with this file has
// `a`, the rows of U that are finished, from the diagonal to column `limit`, the places of rows (from `places` on), the row of each pivot
// (pivot_row), and the order of rows.
const LINES: u32 = WORKGROUP / LANES;
const MOVES: u32 = SIZE / LINES;

// Those of column j of A, if they move.
fn move_rows(j: u32, line: u32, moves: bool) {
    // Large for a column left of the block.
    let column = j - params.first;
    var rising: array<Scalar, MOVES>;
    var sinking: array<Scalar, MOVES>;
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let i = line + s * LINES;
        if (i < params.size && moves) {
            if (column < params.limit && column >= i) {
                rising[s] = load(finished[i * params.limit + column]);
            } else {
                rising[s] = load(a[(params.first + pivot_row(i)) * params.leading + j]);
            }
            sinking[s] = load(a[(params.first + i) * params.leading + j]);
        }
    }
    storageBarrier();
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let i = line + s * LINES;
        if (i < params.size && moves) {
            a[(params.first + i) * params.leading + j] = store(rising[s]);
            let down = place[params.places + i];
            if (down >= params.size) {
                a[(params.first + down) * params.leading + j] = store(sinking[s]);
            }
        }
    }
}

// A workgroup moves all of it.
const ORDERED: u32 = (SIZE + WORKGROUP - 1u) / WORKGROUP;

fn move_order(local: u32) {
    var rising: array<u32, ORDERED>;
    var sinking: array<u32, ORDERED>;
    for (var s = 0u; s < ORDERED; s++) { // unrolled
        let i = local + s * WORKGROUP;
        if (i < params.size) {
            rising[s] = order[params.first + pivot_row(i)];
            sinking[s] = order[params.first + i];
        }
    }
    storageBarrier();
    for (var s = 0u; s < ORDERED; s++) { // unrolled
        let i = local + s * WORKGROUP;
        if (i < params.size) {
            order[params.first + i] = rising[s];
            let down = place[params.places + i];
            if (down >= params.size) {
                order[params.first + down] = sinking[s];
            }
        }
    }
}
