// A strip beside a block on the diagonal (strip.wgsl) in the registers of a workgroup: of single words.
// An invocation has ABREAST neighbouring lanes of a strip, and of their unknowns every WIDTH-th, in order. In a step of WIDTH unknowns
// all show the first they have left; behind a barrier an invocation a lane solves for these, while the others bring the columns of
// the triangle below them; behind another all take products of ABREAST x GROUP off what is left, which moves to the front. Columns
// are asked for a step ahead, all together; unknowns are stored where they lie side by side for neighbours of a row too.
// Traffic: A is read once and written twice; the triangle is read by every strip; workgroup memory 1 / ABREAST + 1 / GROUP scalars
// a multiply-add.
// A kernel with this file has the block's elements: `Asked`, what ask(i, k) says of one; `complete`, behind which all that was asked for
// is there; and element(asked), the scalar. If they are all there before the strip begins, it is not AWAITED. What `owed` says is taken
// off a strip that waits. unknown(strip, i, j) is what is solved for in lane j; `settle` makes room for it, behind what was read.

// Invocations along the lanes; unknowns of a lane in each.
const ALONG: u32 = LANES / ABREAST;
const SLOTS: u32 = SIZE / WIDTH;
const LOADS: u32 = SIZE * WIDTH / WORKGROUP;
// Loads of which some are on the diagonal.
const FIRST: u32 = (WIDTH * WIDTH + WORKGROUP - 1u) / WORKGROUP;
const STORES: u32 = (LANES * WIDTH + WORKGROUP - 1u) / WORKGROUP;
// Unknowns of a lane that are multiplied together.
const GROUP: u32 = 4u;
// A run more keeps neighbours in different banks. Lines stay whole runs, which compilers read at once.
const LINE: u32 = LANES + RUN;
const SHORT: u32 = WIDTH + RUN;
const LONG: u32 = SIZE + RUN;

// Of the triangle (of L, or of U transposed) the part on the diagonal by columns, and the columns below it with what an invocation
// reads side by side; of the triangle negative.
var<workgroup> triangle: array<Scalar, WIDTH * SHORT>;
var<workgroup> columns: array<Scalar, WIDTH * LONG>;
// Of all pivots of U, and whether there are some that have none as good (divisor.wgsl).
var<workgroup> inverses: array<Scalar, SIZE>;
var<workgroup> unusual: atomic<u32>;
// The unknowns of a step by lanes, in turns.
var<workgroup> unknowns: array<Scalar, 2u * WIDTH * LINE>;

// What an invocation has of a strip, and the place in WIDTH columns of the triangle that it brings.
struct Part {
    of_rows: bool,
    down: u32,
    across: u32,
    row: array<u32, LOADS>,
    column: array<u32, LOADS>,
}

// Solves for the unknowns of a lane, which begin at `at`, without a branch.
fn substitute(at: u32, first: u32, divides: bool) {
    var x: array<Scalar, WIDTH>;
    for (var i = 0u; i < WIDTH; i++) { // unrolled
        x[i] = unknowns[at + i * LINE];
    }
    for (var k = 0u; k < WIDTH; k++) { // unrolled
        let quotient = s_mul(x[k], inverses[first + k]);
        if (divides) {
            x[k] = quotient;
        }
        for (var i = k + 1u; i < WIDTH; i++) { // unrolled
            x[i] = s_mul_add(triangle[k * SHORT + i], x[k], x[i]);
        }
    }
    for (var i = 0u; i < WIDTH; i++) { // unrolled
        unknowns[at + i * LINE] = x[i];
    }
}

// The same where a pivot is zero, or has no good reciprocal.
fn substitute_unusual(at: u32) {
    for (var k = 0u; k < WIDTH; k++) {
        let x = divided(unknowns[at + k * LINE], divisor(s_neg(triangle[k * SHORT + k])));
        unknowns[at + k * LINE] = x;
        for (var i = k + 1u; i < WIDTH; i++) {
            unknowns[at + i * LINE] = s_mul_add(triangle[k * SHORT + i], x, unknowns[at + i * LINE]);
        }
    }
}

// What is known of a pivot, in place `i`.
fn note_divisor(i: u32, pivot: Scalar) {
    let by = divisor(pivot);
    inverses[i] = by.inverse;
    if (!by.is_ordinary) {
        atomicStore(&unusual, 1u);
    }
}

// Brings an element of the columns, by which the unknowns in slot `slot` are multiplied.
fn bring(row: u32, column: u32, slot: u32, x: Scalar) {
    let place = slot / GROUP * WIDTH + row % WIDTH;
    columns[column * LONG + place * GROUP + slot % GROUP] = x;
}

// Adds products of the columns and the WIDTH unknowns of a turn to the first `left` that a lane has left.
fn add_products(y: ptr<function, array<Scalar, ABREAST * SLOTS>>, turn: u32, down: u32, across: u32, left: u32) {
    for (var g = 0u; g < SLOTS; g += GROUP) { // unrolled
        if (g * WIDTH < left) {
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                var x: array<Scalar, ABREAST>;
                for (var t = 0u; t < ABREAST; t++) { // unrolled
                    x[t] = unknowns[turn + k * LINE + down + t];
                }
                for (var s = 0u; s < GROUP; s++) { // unrolled
                    let l = columns[k * LONG + (g / GROUP * WIDTH + across) * GROUP + s];
                    for (var t = 0u; t < ABREAST; t++) { // unrolled
                        (*y)[(g + s) * ABREAST + t] = s_mul_add(l, x[t], (*y)[(g + s) * ABREAST + t]);
                    }
                }
            }
        }
    }
}

fn solve_strip(strip: Strip, local: u32) {
    // What is past the end repeats the last, and nobody asks for what becomes of it: loads without a branch are all asked for at once.
    let last = params.size - 1u;
    var part: Part;
    part.of_rows = strip.of_rows;
    // Neighbours have neighbours in memory.
    part.down = ABREAST * select(local % ALONG, local / WIDTH, strip.of_rows);
    part.across = select(local / ALONG, local % WIDTH, strip.of_rows);
    // Where an invocation's elements of the triangle are: those on the diagonal first, then those below, WIDTH rows at a time.
    for (var s = 0u; s < LOADS; s++) { // unrolled
        let e = local + s * WORKGROUP;
        let square = e % (WIDTH * WIDTH);
        part.row[s] = e / (WIDTH * WIDTH) * WIDTH + select(square / WIDTH, square % WIDTH, strip.of_rows);
        part.column[s] = select(square % WIDTH, square / WIDTH, strip.of_rows);
    }
    var next: array<Asked, LOADS>;
    if (!AWAITED) {
        for (var s = 0u; s < LOADS; s++) { // unrolled
            next[s] = ask(min(part.row[s], last), min(part.column[s], last), strip.of_rows);
        }
    }
    if (local == 0u) {
        atomicStore(&unusual, 0u);
    }
    workgroupBarrier();
    var y = owed(&part, strip, local);
    for (var s = 0u; s < SLOTS; s++) { // unrolled
        for (var t = 0u; t < ABREAST; t++) { // unrolled
            let i = min(s * WIDTH + part.across, last);
            let j = min(part.down + t, strip.lanes - 1u - strip.begin);
            let x = unknown(strip, i, j);
            if (AWAITED) {
                y[s * ABREAST + t] = s_sub(x, y[s * ABREAST + t]);
            } else {
                y[s * ABREAST + t] = x;
            }
        }
    }
    if (AWAITED) {
        for (var s = 0u; s < LOADS; s++) { // unrolled
            next[s] = ask(min(part.row[s], last), min(part.column[s], last), strip.of_rows);
        }
    } else if (strip.of_rows) {
        let corner = params.first * params.leading + params.first;
        for (var i = local; i < params.size; i += WORKGROUP) {
            note_divisor(i, load(a[corner + i * params.leading + i]));
        }
    }
    settle(strip, local);
    for (var first = 0u; first < params.size; first += WIDTH) {
        let turn = first / WIDTH % 2u * WIDTH * LINE;
        for (var t = 0u; t < ABREAST; t++) { // unrolled
            unknowns[turn + part.across * LINE + part.down + t] = y[t];
        }
        complete(&next, &part, first);
        for (var s = 0u; s < FIRST; s++) { // unrolled
            if (s + 1u < FIRST || local + s * WORKGROUP < WIDTH * WIDTH) {
                let x = element(next[s]);
                triangle[part.column[s] * SHORT + part.row[s]] = s_neg(x);
                if (AWAITED && strip.of_rows && part.column[s] == part.row[s]) {
                    note_divisor(first + part.row[s], x);
                }
            }
        }
        workgroupBarrier();
        if (local < LANES) {
            if (strip.of_rows && atomicLoad(&unusual) != 0u) {
                substitute_unusual(turn + local);
            } else {
                substitute(turn + local, first, strip.of_rows);
            }
        }
        for (var s = 0u; s < LOADS; s++) { // unrolled
            let slot = (local + s * WORKGROUP) / (WIDTH * WIDTH);
            if (s >= FIRST || slot > 0u) {
                bring(part.row[s], part.column[s], slot - 1u, s_neg(element(next[s])));
            }
        }
        workgroupBarrier();
        let ahead = first + WIDTH;
        for (var s = 0u; s < LOADS; s++) { // unrolled
            next[s] = ask(min(ahead + part.row[s], last), min(ahead + part.column[s], last), strip.of_rows);
        }
        for (var s = 0u; s < STORES; s++) { // unrolled
            let e = local + s * WORKGROUP;
            let lane = select(e % LANES, e / WIDTH, strip.of_rows);
            let k = select(e / LANES, e % WIDTH, strip.of_rows);
            if (strip.begin + lane < strip.lanes && first + k < params.size) {
                let x = store(unknowns[turn + k * LINE + lane]);
                if (strip.of_rows) {
                    a[strip.at + lane * params.leading + first + k] = x;
                    lower[(strip.begin + lane) * params.lower_leading + first + k] = x;
                } else {
                    a[strip.at + (first + k) * params.leading + lane] = x;
                    upper[(first + k) * params.upper_leading + strip.begin + lane] = x;
                }
            }
        }
        for (var s = 0u; s < SLOTS - 1u; s++) { // unrolled
            for (var t = 0u; t < ABREAST; t++) { // unrolled
                y[s * ABREAST + t] = y[(s + 1u) * ABREAST + t];
            }
        }
        add_products(&y, turn, part.down, part.across, params.size - min(ahead, params.size));
    }
}
