// Of every column, the largest |a| of A and of U, a NaN above every number: what the growth of elements is judged by. A
// workgroup has LINES columns, LANES invocations stride over the rows of each; neighbours read neighbouring columns.
// A is read once, and the upper triangle of the factors; two results a column, those of U behind those of A.
struct Params {
    rows: u32,
    cols: u32,
    a_offset: u32,
    a_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> factors: array<Element>;
@group(0) @binding(3) var<storage, read_write> result: array<Element>;

const LANES: u32 = 8u;
const LINES: u32 = WORKGROUP / LANES;

var<workgroup> of_a: array<Scalar, WORKGROUP>;
var<workgroup> of_u: array<Scalar, WORKGROUP>;

fn larger(x: Scalar, y: Scalar) -> Scalar {
    if (!s_is_nan(x) && (s_less(x, y) || s_is_nan(y))) {
        return y;
    }
    return x;
}

@compute @workgroup_size(WORKGROUP)
fn growth(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let lane = local / LINES;
    let column = workgroup_index(id, count) * LINES + local % LINES;
    var before = SCALAR_ZERO;
    var after = SCALAR_ZERO;
    if (column < params.cols) {
        for (var i = lane; i < params.rows; i += LANES) {
            before = larger(before, s_abs(load(a[params.a_offset + i * params.a_leading + column])));
            if (i <= column) {
                after = larger(after, s_abs(load(factors[i * params.cols + column])));
            }
        }
    }
    of_a[local] = before;
    of_u[local] = after;
    workgroupBarrier();
    if (lane == 0u && column < params.cols) {
        for (var k = 1u; k < LANES; k++) {
            before = larger(before, of_a[local + k * LINES]);
            after = larger(after, of_u[local + k * LINES]);
        }
        result[column] = store(before);
        result[params.cols + column] = store(after);
    }
}
