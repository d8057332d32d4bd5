// L X = B for a unit lower triangle of `size` <= SIZE rows and a strip of LANES columns of B, which stays in workgroup
// memory: WIDTH rows are substituted by one line of invocations, and all lines take them off the rows below. X overwrites
// B and goes to `copy`, for the product that follows. Traffic: B is read once and written twice; L is read by every strip.
struct Params {
    size: u32,
    cols: u32,
    l_leading: u32,
    b_offset: u32,
    b_leading: u32,
    copy_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> l: array<Element>;
@group(0) @binding(2) var<storage, read_write> b: array<Element>;
@group(0) @binding(3) var<storage, read_write> copy: array<Element>;

const LINES: u32 = WORKGROUP / LANES;

var<workgroup> strip: array<Scalar, SIZE * LANES>;
// The triangle on the diagonal, and the columns below it.
var<workgroup> columns: array<Scalar, SIZE * WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn solve_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let lane = local % LANES;
    let line = local / LANES;
    let j = workgroup_index(id, count) * LANES + lane;
    for (var i = line; i < params.size; i += LINES) {
        var x = SCALAR_ZERO;
        if (j < params.cols) {
            x = load(b[params.b_offset + i * params.b_leading + j]);
        }
        strip[i * LANES + lane] = x;
    }
    for (var first = 0u; first < params.size; first += WIDTH) {
        workgroupBarrier();
        for (var e = local; e < (params.size - first) * WIDTH; e += WORKGROUP) {
            let i = e / WIDTH;
            let k = e % WIDTH;
            var x = SCALAR_ZERO;
            if (k < i && first + k < params.size) {
                x = s_neg(load(l[(first + i) * params.l_leading + first + k]));
            }
            columns[e] = x;
        }
        workgroupBarrier();
        var x: array<Scalar, WIDTH>;
        if (line == 0u) {
            for (var i = 0u; i < WIDTH; i++) { // unrolled
                x[i] = SCALAR_ZERO;
                if (first + i < params.size) {
                    x[i] = strip[(first + i) * LANES + lane];
                    for (var k = 0u; k < i; k++) { // unrolled
                        x[i] = s_mul_add(columns[i * WIDTH + k], x[k], x[i]);
                    }
                    strip[(first + i) * LANES + lane] = x[i];
                }
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < WIDTH; k++) { // unrolled
            x[k] = SCALAR_ZERO;
            if (first + k < params.size) {
                x[k] = strip[(first + k) * LANES + lane];
            }
        }
        for (var i = first + WIDTH + line; i < params.size; i += LINES) {
            var y = strip[i * LANES + lane];
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                y = s_mul_add(columns[(i - first) * WIDTH + k], x[k], y);
            }
            strip[i * LANES + lane] = y;
        }
    }
    workgroupBarrier();
    if (j < params.cols) {
        for (var i = line; i < params.size; i += LINES) {
            let x = store(strip[i * LANES + lane]);
            b[params.b_offset + i * params.b_leading + j] = x;
            copy[i * params.copy_leading + j] = x;
        }
    }
}
