// The columns of RBP-ELL and RBP-ELL-R, zeros behind a row's, which were there before; and the entry of each value, PADDING
// behind those of a row's runs. One invocation a row; neighbours write neighbours. Traffic: CSR's indices once, the
// pointers and the columns once, the places with their padding once.
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn lay(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + local;
    if (row < params.rows) {
        next_value = row;
        next_column = row;
        next_isolated = pointers[NUMBERS * row];
        stride = params.rows;
        walk_row(row_ptr[row], row_ptr[row + 1u]);
        for (; next_value < params.rows * params.width; next_value += params.rows) {
            places[next_value] = PADDING;
        }
    }
}
