// What the norms of a matrix are made of: of every line of A (a row, or a column of a transposed view) the sum of the
// magnitudes (MEASURE = 0), the largest of them, a NaN above every number (1), or the sum of the squares of
// scale * a (2). A workgroup has WORKGROUP / LANES lines; LANES invocations stride over one, so that neighbours read
// neighbours: along a line, or across the lines where TURNED = 1. A is read once; one result a line.
struct Params {
    lines: u32,
    length: u32,
    a_offset: u32,
    a_line: u32,
    a_along: u32,
    @align(16) scale: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> result: array<Element>;

const LINES: u32 = WORKGROUP / LANES;

var<workgroup> sums: array<Scalar, WORKGROUP>;

fn combine(x: Scalar, y: Scalar) -> Scalar {
    if (MEASURE != 1u) {
        return s_add(x, y);
    }
    if (!s_is_nan(x) && (s_less(x, y) || s_is_nan(y))) {
        return y;
    }
    return x;
}

@compute @workgroup_size(WORKGROUP)
fn norm(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let line = select(local / LANES, local % LINES, TURNED == 1u);
    let lane = select(local % LANES, local / LINES, TURNED == 1u);
    let at = workgroup_index(id, count) * LINES + line;
    var sum = SCALAR_ZERO;
    if (at < params.lines) {
        for (var k = lane; k < params.length; k += LANES) {
            let x = load(a[params.a_offset + at * params.a_line + k * params.a_along]);
            if (MEASURE == 2u) {
                let scaled = s_mul(x, params.scale.value);
                sum = s_mul_add(scaled, scaled, sum);
            } else {
                sum = combine(sum, s_abs(x));
            }
        }
    }
    sums[line * LANES + lane] = sum;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half = half / 2u) {
        if (lane < half) {
            sums[line * LANES + lane] = combine(sums[line * LANES + lane], sums[line * LANES + lane + half]);
        }
        workgroupBarrier();
    }
    if (lane == 0u && at < params.lines) {
        result[at] = store(sums[line * LANES]);
    }
}
