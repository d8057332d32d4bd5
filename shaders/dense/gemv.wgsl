// y <- alpha A x + beta y, A m x n by rows. One workgroup sums one row, its invocations striding over the columns.
// Traffic: A is read once, x once a row (from the cache), y written once and, unless beta = 0, read once.
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
        write_y(row, total);
    }
}

fn combine(a: Sum, b: Sum) -> Sum { return s_add(a, b); }
