// The columns of RBP-CSR, and the entry of each value. One invocation a row. Traffic: CSR's indices once, the pointers, the
// columns and the places once.
// Of each row, where its run values, its run columns and its isolated entries begin.
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn lay(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + local;
    if (row < params.rows) {
        next_value = pointers[3u * row];
        next_column = pointers[3u * row + 1u];
        next_isolated = pointers[3u * row + 2u];
        walk_row(row_ptr[row], row_ptr[row + 1u]);
    }
}
