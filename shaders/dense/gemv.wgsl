// y <- alpha A x + beta y, A m x n by rows. One workgroup sums one row, its invocations striding over the columns.
// Traffic: A is read once, x once a row (from the cache), y written once and, unless beta = 0, read once.
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

alias Sum = Scalar;

@compute @workgroup_size(WORKGROUP)
fn gemv(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count);
    var sum = SCALAR_ZERO;
    if (row < params.rows) {
        let start = params.a_offset + row * params.a_leading;
        for (var j = local; j < params.cols; j += WORKGROUP) {
            sum = s_mul_add(load(a[start + j]), load(x[params.x_offset + j * params.x_stride]), sum);
        }
    }
    let total = workgroup_combine(local, sum);
    if (local == 0u && row < params.rows) {
        let at = params.y_offset + row * params.y_stride;
        let product = s_mul(params.alpha.value, total);
        if (params.reads_y != 0u) {
            y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
        } else {
            y[at] = store(product);
        }
    }
}

fn combine(a: Sum, b: Sum) -> Sum { return s_add(a, b); }
