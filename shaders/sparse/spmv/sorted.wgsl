// One invocation a row, in the order that row_of says; what others sum is NO_ROW there. A row is summed in the order of the
// format's host version: row_sum. Traffic: the matrix once, x as the caches have it, y once or, with beta, twice.

// The row of a position that is left to others.
const NO_ROW: u32 = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn spmv_sorted(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let position = group * WORKGROUP + local;
    if (position < params.rows) {
        let row = row_of(position);
        if (row != NO_ROW) {
            give(row, row_sum(row));
        }
    }
    close(local, group);
}
