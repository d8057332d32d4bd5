// y <- alpha (w_0 + w_1 + ...) + beta y: the end of a product whose terms were split. LANES neighbours of y a workgroup, the
// splits dealt out among its WORKGROUP / LANES strips. Traffic: all partial sums once, y once or, with beta, twice.
struct Params {
    count: u32,
    splits: u32,
    y_offset: u32,
    y_stride: u32,
    reads_y: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partials: array<Scalar>;
@group(0) @binding(2) var<storage, read_write> y: array<Element>;

const STRIPS: u32 = WORKGROUP / LANES;

var<workgroup> sums: array<Scalar, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn gemv_finish(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * LANES + local % LANES;
    var sum = SCALAR_ZERO;
    if (i < params.count) {
        for (var split = local / LANES; split < params.splits; split += STRIPS) {
            sum = s_add(sum, partials[split * params.count + i]);
        }
    }
    sums[local] = sum;
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half >= LANES; half = half / 2u) {
        if (local < half) {
            sums[local] = s_add(sums[local], sums[local + half]);
        }
        workgroupBarrier();
    }
    if (local < LANES && i < params.count) {
        let at = params.y_offset + i * params.y_stride;
        let product = s_mul(params.alpha.value, sums[local]);
        if (params.reads_y != 0u) {
            y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
        } else {
            y[at] = store(product);
        }
    }
}
