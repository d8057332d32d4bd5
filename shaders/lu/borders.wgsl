// Beside a factored block on the diagonal, from (`first`, `first`) on with `size` <= SIZE rows: X U = A for strips of LANES rows
// below it, and L X = A for strips of LANES columns from `begin` on; X overwrites A, and goes to `lower` and `upper`, for the
// product that follows. The first `below` workgroups have rows, the others columns. A strip stays in workgroup memory:
// WIDTH unknowns of each lane are substituted by one line of invocations, and all lines take them off the rest. Where a
// pivot is zero, L's column is. Traffic: A is read once and written twice; the triangle is read by every strip.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    rows: u32,
    begin: u32,
    end: u32,
    below: u32,
    lower_leading: u32,
    upper_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> lower: array<Element>;
@group(0) @binding(3) var<storage, read_write> upper: array<Element>;

const LINES: u32 = WORKGROUP / LANES;

var<workgroup> strip: array<Scalar, SIZE * LANES>;
// Of the triangle (of L, or of U transposed) the part on the diagonal, and the columns below it; negative but for pivots.
var<workgroup> columns: array<Scalar, SIZE * WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn borders(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let of_rows = group < params.below;
    let size = params.size;
    let corner = params.first * params.leading + params.first;
    // Where the strip begins in A and in the copy, and how many lanes of it there are.
    var lane_begin = (group - params.below) * LANES;
    var lanes = params.end - params.begin;
    var at = params.first * params.leading + params.begin;
    if (of_rows) {
        lane_begin = group * LANES;
        lanes = params.rows - params.first - size;
        at = corner + size * params.leading;
    }
    if (lane_begin >= lanes) {
        return;
    }
    let lane = local % LANES;
    let line = local / LANES;
    // Neighbours read neighbours: along the unknowns of a row, or along the lanes.
    for (var e = local; e < size * LANES; e += WORKGROUP) {
        let i = select(e / LANES, e % size, of_rows);
        let j = select(e % LANES, e / size, of_rows);
        var x = SCALAR_ZERO;
        if (lane_begin + j < lanes) {
            if (of_rows) {
                x = load(a[at + (lane_begin + j) * params.leading + i]);
            } else {
                x = load(a[at + i * params.leading + lane_begin + j]);
            }
        }
        strip[i * LANES + j] = x;
    }
    for (var first = 0u; first < size; first += WIDTH) {
        workgroupBarrier();
        let height = size - first;
        for (var e = local; e < height * WIDTH; e += WORKGROUP) {
            let i = select(e / WIDTH, e % height, of_rows);
            let k = select(e % WIDTH, e / height, of_rows);
            var x = SCALAR_ZERO;
            if (k <= i && first + k < size) {
                if (of_rows) {
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
                    x[i] = strip[(first + i) * LANES + lane];
                    for (var k = 0u; k < i; k++) { // unrolled
                        x[i] = s_mul_add(columns[i * WIDTH + k], x[k], x[i]);
                    }
                    if (of_rows) {
                        let pivot = columns[i * WIDTH + i];
                        x[i] = divided(x[i], divisor(pivot));
                    }
                    strip[(first + i) * LANES + lane] = x[i];
                }
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < WIDTH; k++) { // unrolled
            x[k] = SCALAR_ZERO;
            if (first + k < size) {
                x[k] = strip[(first + k) * LANES + lane];
            }
        }
        for (var i = first + WIDTH + line; i < size; i += LINES) {
            var y = strip[i * LANES + lane];
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                y = s_mul_add(columns[(i - first) * WIDTH + k], x[k], y);
            }
            strip[i * LANES + lane] = y;
        }
    }
    workgroupBarrier();
    for (var e = local; e < size * LANES; e += WORKGROUP) {
        let i = select(e / LANES, e % size, of_rows);
        let j = select(e % LANES, e / size, of_rows);
        if (lane_begin + j < lanes) {
            let x = store(strip[i * LANES + j]);
            if (of_rows) {
                a[at + (lane_begin + j) * params.leading + i] = x;
                lower[(lane_begin + j) * params.lower_leading + i] = x;
            } else {
                a[at + i * params.leading + lane_begin + j] = x;
                upper[i * params.upper_leading + lane_begin + j] = x;
            }
        }
    }
}
