// One invocation a row; what a row is, and how it is summed, the format says: row_of and row_sum. A row is summed in the
// order of the format's host version. Traffic: the matrix once, x as the caches have it, y once or, with beta, twice.
@compute @workgroup_size(WORKGROUP)
fn spmv_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let position = group * WORKGROUP + local;
    if (position < params.rows) {
        give(row_of(position), row_sum(position));
    }
    close(local, group);
}
