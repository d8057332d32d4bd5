// y <- alpha A^T x + beta y, A m x n by rows. One invocation sums one column; neighbours read neighbouring columns.
// Traffic: A is read once, x once a workgroup (from the cache), y written once and, unless beta = 0, read once.
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
    write_y(column, sum);
}
