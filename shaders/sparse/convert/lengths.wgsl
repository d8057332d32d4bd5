// The length of each row, for ELL-R. One invocation a row. Traffic: the row pointers and the lengths once.
@group(0) @binding(3) var<storage, read_write> lengths: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn measure(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + local;
    if (row < params.rows) {
        lengths[row] = row_ptr[row + 1u] - row_ptr[row];
    }
}
