// r = b - A x and d = |b| + |A| |x|: a residual, and what its size is judged by. A workgroup has WORKGROUP / LANES rows;
// LANES invocations stride over one, neighbours reading neighbours. A is read once, x from the cache.
struct Params {
    rows: u32,
    cols: u32,
    a_offset: u32,
    a_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> x: array<Element>;
@group(0) @binding(3) var<storage, read> b: array<Element>;
@group(0) @binding(4) var<storage, read_write> residual: array<Element>;
@group(0) @binding(5) var<storage, read_write> size: array<Element>;

const LANES: u32 = 32u;

var<workgroup> sums: array<Scalar, WORKGROUP>;
var<workgroup> sizes: array<Scalar, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn refined(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let lane = local % LANES;
    let row = workgroup_index(id, count) * (WORKGROUP / LANES) + local / LANES;
    var sum = SCALAR_ZERO;
    var magnitude = SCALAR_ZERO;
    if (row < params.rows) {
        for (var j = lane; j < params.cols; j += LANES) {
            let factor = load(a[params.a_offset + row * params.a_leading + j]);
            let other = load(x[j]);
            sum = s_mul_add(factor, other, sum);
            magnitude = s_mul_add(s_abs(factor), s_abs(other), magnitude);
        }
    }
    sums[local] = sum;
    sizes[local] = magnitude;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half = half / 2u) {
        if (lane < half) {
            sums[local] = s_add(sums[local], sums[local + half]);
            sizes[local] = s_add(sizes[local], sizes[local + half]);
        }
        workgroupBarrier();
    }
    if (lane == 0u && row < params.rows) {
        let right = load(b[row]);
        residual[row] = store(s_sub(right, sums[local]));
        size[row] = store(s_add(s_abs(right), sizes[local]));
    }
}
