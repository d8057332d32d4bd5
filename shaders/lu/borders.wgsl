// Beside a factored block of at most SIZE rows: X U = A for the rows of a strip below it (strips.wgsl), L X = A for the columns of
// one right of it. X overwrites A, and goes to `lower` and `upper`, for the product that follows. A strip stays in workgroup
// memory: WIDTH unknowns of each lane are substituted by one line of invocations, and all lines take them off the rest. Where
// a pivot is zero, L's column is. Traffic: A is read once and written twice; the triangle is read by every strip.

var<workgroup> unknowns: array<Scalar, SIZE * LANES>;
// Of the triangle (of L, or of U transposed) the part on the diagonal, and the columns below it; negative but for pivots.
var<workgroup> columns: array<Scalar, SIZE * WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn borders(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let strip = strip_in_turn(workgroup_index(id, count));
    if (strip.begin >= strip.lanes) {
        return;
    }
    if (strip.of_rows && params.known == 1u) {
        copy_rows(strip, local);
        return;
    }
    let corner = params.first * params.leading + params.first;
    let size = params.size;
    let lane = local % LANES;
    let line = local / LANES;
    // Neighbours read neighbours: along the unknowns of a row, or along the lanes.
    for (var e = local; e < size * LANES; e += WORKGROUP) {
        let i = select(e / LANES, e % size, strip.of_rows);
        let j = select(e % LANES, e / size, strip.of_rows);
        var x = SCALAR_ZERO;
        if (strip.begin + j < strip.lanes) {
            if (strip.of_rows) {
                x = load(a[strip.at + j * params.leading + i]);
            } else {
                x = load(a[strip.at + i * params.leading + j]);
            }
        }
        unknowns[i * LANES + j] = x;
    }
    for (var first = 0u; first < size; first += WIDTH) {
        workgroupBarrier();
        let height = size - first;
        for (var e = local; e < height * WIDTH; e += WORKGROUP) {
            let i = select(e / WIDTH, e % height, strip.of_rows);
            let k = select(e % WIDTH, e / height, strip.of_rows);
            var x = SCALAR_ZERO;
            if (k <= i && first + k < size) {
                if (strip.of_rows) {
                    x = load(a[corner + (first + k) * params.leading + first + i]);
                } else if (k < i) {
                    x = load(a[corner + (first + i) * params.leading + first + k]);
                }
                if (k < i) {
                    x = s_neg(x);
                }
            }
            columns[i * WIDTH + k] = x;
        }
        workgroupBarrier();
        var x: array<Scalar, WIDTH>;
        if (line == 0u) {
            for (var i = 0u; i < WIDTH; i++) { // unrolled
                x[i] = SCALAR_ZERO;
                if (first + i < size) {
                    x[i] = unknowns[(first + i) * LANES + lane];
                    for (var k = 0u; k < i; k++) { // unrolled
                        x[i] = s_mul_add(columns[i * WIDTH + k], x[k], x[i]);
                    }
                    if (strip.of_rows) {
                        let pivot = columns[i * WIDTH + i];
                        x[i] = divided(x[i], divisor(pivot));
                    }
                    unknowns[(first + i) * LANES + lane] = x[i];
                }
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < WIDTH; k++) { // unrolled
            x[k] = SCALAR_ZERO;
            if (first + k < size) {
                x[k] = unknowns[(first + k) * LANES + lane];
            }
        }
        for (var i = first + WIDTH + line; i < size; i += LINES) {
            var y = unknowns[i * LANES + lane];
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                y = s_mul_add(columns[(i - first) * WIDTH + k], x[k], y);
            }
            unknowns[i * LANES + lane] = y;
        }
    }
    workgroupBarrier();
    for (var e = local; e < size * LANES; e += WORKGROUP) {
        let i = select(e / LANES, e % size, strip.of_rows);
        let j = select(e % LANES, e / size, strip.of_rows);
        if (strip.begin + j < strip.lanes) {
            let x = store(unknowns[i * LANES + j]);
            if (strip.of_rows) {
                a[strip.at + j * params.leading + i] = x;
                lower[(strip.begin + j) * params.lower_leading + i] = x;
            } else {
                a[strip.at + i * params.leading + j] = x;
                upper[i * params.upper_leading + strip.begin + j] = x;
            }
        }
    }
}
