// Runs of a row, shared by `lanes` invocations, which take them one after the other: the entries of a run side by side, so that
// neighbours read neighbouring values and neighbouring elements of x, and a run longer than `lanes` in pieces of so many. All of
// them read the same runs, each while the one before it is used. next_piece and Walk are the format's.

// Neighbouring entries of one run.
struct Piece {
    column: u32,
    length: u32,
}

// A lane's share of the entries from `begin` to `end`, as `walk` has their columns. UNROLL pieces are on their way at once; who has
// nothing in a piece loads its last entry, or behind the end the last of all, and does not add it.
fn pieces_part(walk: ptr<function, Walk>, begin: u32, end: u32, lane: u32, lanes: u32) -> Scalar {
    var k = begin;
    var sum = SCALAR_ZERO;
    while (k < end) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        var takes: array<bool, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            let piece = next_piece(walk, lanes);
            takes[e] = lane < piece.length;
            // Of no entries the last one is the one before them.
            let mine = select(piece.length - 1u, lane, takes[e]);
            value[e] = values[k + mine];
            factor[e] = x_of(piece.column + mine);
            k += piece.length;
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            if (takes[e]) {
                sum = s_mul_add(load(value[e]), load(factor[e]), sum);
            }
        }
    }
    return sum;
}
