// As borders.wgsl and to the same bits (where a driver fuses multiply-adds alike), with strips in registers: for single words.
// Of a strip of LANES rows or columns each line of invocations has every LINES-th unknown, in order. In a step of WIDTH unknowns
// their owners show them to the others, and behind a barrier everyone solves for all of them, since that takes no longer than
// waiting for it, and takes them off its own; what is left moves to the front. Columns of the triangle come a step ahead.
// Unknowns are stored behind the next barrier, where they lie side by side for neighbours of a row too.
// Traffic: A is read once and written twice; the triangle is read by every strip.

// Unknowns of an invocation, and those of a step.
const SLOTS: u32 = SIZE / LINES;
const EACH: u32 = WIDTH / LINES;
const LOADS: u32 = SIZE * WIDTH / WORKGROUP;
const STORES: u32 = LANES * WIDTH / WORKGROUP;
// A row of the columns, where a run more keeps neighbours in different banks. Rows stay whole runs, which compilers read at once.
const ROW: u32 = WIDTH + RUN;

// Of the triangle (of L, or of U transposed) the part on the diagonal, and the columns below it; negative but for pivots.
var<workgroup> columns: array<Scalar, SIZE * ROW>;
var<workgroup> shown: array<Scalar, WIDTH * LANES>;
var<workgroup> solved: array<Scalar, WIDTH * LANES>;

// Unknowns from `first` on, to A and to the copy.
fn store_solved(strip: Strip, first: u32, local: u32) {
    for (var s = 0u; s < STORES; s++) { // unrolled
        let e = local + s * WORKGROUP;
        let lane = select(e % LANES, e / WIDTH, strip.of_rows);
        let k = select(e / LANES, e % WIDTH, strip.of_rows);
        if (strip.begin + lane < strip.lanes && first + k < params.size) {
            let x = store(solved[k * LANES + lane]);
            if (strip.of_rows) {
                a[strip.at + lane * params.leading + first + k] = x;
                lower[(strip.begin + lane) * params.lower_leading + first + k] = x;
            } else {
                a[strip.at + (first + k) * params.leading + lane] = x;
                upper[(first + k) * params.upper_leading + strip.begin + lane] = x;
            }
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
    let lane = local % LANES;
    let line = local / LANES;
    var y: array<Scalar, SLOTS>;
    for (var s = 0u; s < SLOTS; s++) { // unrolled
        let i = s * LINES + line;
        y[s] = SCALAR_ZERO;
        if (i < params.size && strip.begin + lane < strip.lanes) {
            y[s] = load(a[strip.at + select(i * params.leading + lane, lane * params.leading + i, strip.of_rows)]);
        }
    }
    // Row and column of the triangle that an invocation reads: neighbours read neighbours.
    var row: array<u32, LOADS>;
    var column: array<u32, LOADS>;
    var next: array<Scalar, LOADS>;
    for (var s = 0u; s < LOADS; s++) { // unrolled
        let e = local + s * WORKGROUP;
        row[s] = select(e / WIDTH, e % SIZE, strip.of_rows);
        column[s] = select(e % WIDTH, e / SIZE, strip.of_rows);
        next[s] = SCALAR_ZERO;
        if (row[s] < params.size && column[s] <= row[s]) {
            next[s] = load(a[corner + select(row[s] * params.leading + column[s], column[s] * params.leading + row[s], strip.of_rows)]);
        }
    }
    for (var first = 0u; first < params.size; first += WIDTH) {
        if (first > 0u) {
            store_solved(strip, first - WIDTH, local);
        }
        for (var s = 0u; s < LOADS; s++) { // unrolled
            if (column[s] < row[s]) {
                next[s] = s_neg(next[s]);
            }
            columns[row[s] * ROW + column[s]] = next[s];
        }
        for (var s = 0u; s < EACH; s++) { // unrolled
            shown[(s * LINES + line) * LANES + lane] = y[s];
        }
        workgroupBarrier();
        let ahead = first + WIDTH;
        for (var s = 0u; s < LOADS; s++) { // unrolled
            next[s] = SCALAR_ZERO;
            let i = ahead + row[s];
            let k = ahead + column[s];
            if (i < params.size && k <= i) {
                next[s] = load(a[corner + select(i * params.leading + k, k * params.leading + i, strip.of_rows)]);
            }
        }
        var x: array<Scalar, WIDTH>;
        for (var i = 0u; i < WIDTH; i++) { // unrolled
            x[i] = shown[i * LANES + lane];
            for (var k = 0u; k < i; k++) { // unrolled
                x[i] = s_mul_add(columns[i * ROW + k], x[k], x[i]);
            }
            if (strip.of_rows) {
                x[i] = divided(x[i], divisor(columns[i * ROW + i]));
            }
            if (line == i - i / LINES * LINES) {
                solved[i * LANES + lane] = x[i];
            }
        }
        for (var s = EACH; s < SLOTS; s++) { // unrolled
            if (first + s * LINES < params.size) {
                var left = y[s];
                for (var k = 0u; k < WIDTH; k++) { // unrolled
                    left = s_mul_add(columns[(s * LINES + line) * ROW + k], x[k], left);
                }
                y[s - EACH] = left;
            }
        }
        workgroupBarrier();
    }
    store_solved(strip, (params.size - 1u) / WIDTH * WIDTH, local);
}
