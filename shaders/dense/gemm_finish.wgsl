// C <- alpha (W_0 + W_1 + ...) + beta C: the end of a product whose depth was split. One invocation an element; W lies by
// rows of `cols`, one product after the other. Traffic: all W once, C once or, with beta, twice.
struct Params {
    rows: u32,
    cols: u32,
    splits: u32,
    w_leading: u32,
    w_stride: u32,
    c_offset: u32,
    c_leading: u32,
    reads_c: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> w: array<Element>;
@group(0) @binding(2) var<storage, read_write> c: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn gemm_finish(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count) * WORKGROUP + local;
    let row = index / params.cols;
    let column = index % params.cols;
    if (row >= params.rows) {
        return;
    }
    var sum = SCALAR_ZERO;
    for (var split = 0u; split < params.splits; split++) {
        sum = s_add(sum, load(w[split * params.w_stride + row * params.w_leading + column]));
    }
    let at = params.c_offset + row * params.c_leading + column;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_c != 0u) {
        c[at] = store(s_mul_add(params.beta.value, load(c[at]), product));
    } else {
        c[at] = store(product);
    }
}
