// y <- alpha A^T x + beta y, A m x n by rows. One invocation sums one column; neighbours read neighbouring columns.
// Traffic: A is read once, x once a workgroup (from the cache), y written once and, unless beta = 0, read once.
struct Params {
    rows: u32,
    cols: u32,
    a_offset: u32,
    a_leading: u32,
    x_offset: u32,
    x_stride: u32,
    y_offset: u32,
    y_stride: u32,
    reads_y: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> x: array<Element>;
@group(0) @binding(3) var<storage, read_write> y: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn gemv_transposed(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let column = workgroup_index(id, count) * WORKGROUP + local;
    if (column >= params.cols) {
        return;
    }
    var sum = SCALAR_ZERO;
    for (var i = 0u; i < params.rows; i++) {
        let entry = load(a[params.a_offset + i * params.a_leading + column]);
        sum = s_mul_add(entry, load(x[params.x_offset + i * params.x_stride]), sum);
    }
    let at = params.y_offset + column * params.y_stride;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_y != 0u) {
        y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
    } else {
        y[at] = store(product);
    }
}
