// As borders.wgsl and to the same bits (where a driver fuses multiply-adds alike), with strips in registers: for single words.
// An invocation has TALL neighbouring lanes of a strip, and of their unknowns every WIDTH-th, in order. In a step of WIDTH unknowns
// all show the first they have left; behind a barrier an invocation a lane solves for these, while the others bring the columns of
// the triangle below them; behind another all take products of TALL x GROUP off what is left, which moves to the front. Columns
// come from memory a step ahead, all together; unknowns are stored where they lie side by side for neighbours of a row too.
// Traffic: A is read once and written twice; the triangle is read by every strip; workgroup memory 1 / TALL + 1 / GROUP scalars
// a multiply-add.

// Invocations along the lanes; unknowns of a lane in each.
const DOWN: u32 = LANES / TALL;
const SLOTS: u32 = SIZE / WIDTH;
const LOADS: u32 = SIZE * WIDTH / WORKGROUP;
// Loads of which some are on the diagonal.
const FIRST: u32 = (WIDTH * WIDTH + WORKGROUP - 1u) / WORKGROUP;
const STORES: u32 = LANES * WIDTH / WORKGROUP;
// Unknowns of a lane that are multiplied together.
const GROUP: u32 = 4u;
// A run more keeps neighbours in different banks. Lines stay whole runs, which compilers read at once.
const LINE: u32 = LANES + RUN;
const SHORT: u32 = WIDTH + RUN;
const LONG: u32 = SIZE + RUN;

// Of the triangle (of L, or of U transposed) the part on the diagonal by columns, and the columns below it with what an invocation
// reads side by side; negative.
var<workgroup> triangle: array<Scalar, WIDTH * SHORT>;
var<workgroup> columns: array<Scalar, WIDTH * LONG>;
// Of all pivots of U, and whether there are some that have none as good (divisor.wgsl).
var<workgroup> inverses: array<Scalar, SIZE>;
var<workgroup> unusual: atomic<u32>;
// The unknowns of a step by lanes, in turns.
var<workgroup> unknowns: array<Scalar, 2u * WIDTH * LINE>;

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

@compute @workgroup_size(WORKGROUP)
fn borders_registers(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let strip = strip_of(workgroup_index(id, count));
    if (strip.begin >= strip.lanes) {
        return;
    }
    let corner = params.first * params.leading + params.first;
    // What is past the end repeats the last, and nobody asks for what becomes of it: loads without a branch are all asked for at once.
    let last = params.size - 1u;
    // Neighbours have neighbours in memory.
    let down = TALL * select(local % DOWN, local / WIDTH, strip.of_rows);
    let across = select(local / DOWN, local % WIDTH, strip.of_rows);
    // Where an invocation's elements of the triangle are: those on the diagonal first, then those below, WIDTH rows at a time.
    var row: array<u32, LOADS>;
    var column: array<u32, LOADS>;
    var next: array<Scalar, LOADS>;
    for (var s = 0u; s < LOADS; s++) { // unrolled
        let e = local + s * WORKGROUP;
        let square = e % (WIDTH * WIDTH);
        row[s] = e / (WIDTH * WIDTH) * WIDTH + select(square / WIDTH, square % WIDTH, strip.of_rows);
        column[s] = select(square % WIDTH, square / WIDTH, strip.of_rows);
        let i = min(row[s], last);
        let k = min(column[s], last);
        next[s] = load(a[corner + select(i * params.leading + k, k * params.leading + i, strip.of_rows)]);
    }
    var y: array<Scalar, TALL * SLOTS>;
    for (var s = 0u; s < SLOTS; s++) { // unrolled
        for (var t = 0u; t < TALL; t++) { // unrolled
            let i = min(s * WIDTH + across, last);
            let j = min(down + t, strip.lanes - 1u - strip.begin);
            y[s * TALL + t] = load(a[strip.at + select(i * params.leading + j, j * params.leading + i, strip.of_rows)]);
        }
    }
    if (local == 0u) {
        atomicStore(&unusual, 0u);
    }
    workgroupBarrier();
    if (strip.of_rows) {
        for (var i = local; i < params.size; i += WORKGROUP) {
            let by = divisor(load(a[corner + i * params.leading + i]));
            inverses[i] = by.inverse;
            if (!by.is_ordinary) {
                atomicStore(&unusual, 1u);
            }
        }
    }
    for (var first = 0u; first < params.size; first += WIDTH) {
        let turn = first / WIDTH % 2u * WIDTH * LINE;
        for (var t = 0u; t < TALL; t++) { // unrolled
            unknowns[turn + across * LINE + down + t] = y[t];
        }
        for (var s = 0u; s < FIRST; s++) { // unrolled
            if (s + 1u < FIRST || local + s * WORKGROUP < WIDTH * WIDTH) {
                triangle[column[s] * SHORT + row[s]] = s_neg(next[s]);
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
                let place = (slot - 1u) / GROUP * WIDTH + row[s] % WIDTH;
                columns[column[s] * LONG + place * GROUP + (slot - 1u) % GROUP] = s_neg(next[s]);
            }
        }
        workgroupBarrier();
        let ahead = first + WIDTH;
        for (var s = 0u; s < LOADS; s++) { // unrolled
            let i = min(ahead + row[s], last);
            let k = min(ahead + column[s], last);
            next[s] = load(a[corner + select(i * params.leading + k, k * params.leading + i, strip.of_rows)]);
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
            for (var t = 0u; t < TALL; t++) { // unrolled
                y[s * TALL + t] = y[(s + 1u) * TALL + t];
            }
        }
        for (var g = 0u; g < SLOTS; g += GROUP) { // unrolled
            if (ahead + g * WIDTH < params.size) {
                for (var k = 0u; k < WIDTH; k++) { // unrolled
                    var x: array<Scalar, TALL>;
                    for (var t = 0u; t < TALL; t++) { // unrolled
                        x[t] = unknowns[turn + k * LINE + down + t];
                    }
                    for (var s = 0u; s < GROUP; s++) { // unrolled
                        let l = columns[k * LONG + (g / GROUP * WIDTH + across) * GROUP + s];
                        for (var t = 0u; t < TALL; t++) { // unrolled
                            y[(g + s) * TALL + t] = s_mul_add(l, x[t], y[(g + s) * TALL + t]);
                        }
                    }
                }
            }
        }
    }
}
