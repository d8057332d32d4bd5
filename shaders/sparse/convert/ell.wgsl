// The entry in each slot of ELL: entry k of row i in slot k rows + i, PADDING behind a row's entries. One invocation a slot.
// Traffic: the row pointers as the caches have them, and the places once.
@group(0) @binding(3) var<storage, read_write> places: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn place(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = workgroup_index(id, count) * WORKGROUP + local;
    if (slot < params.slots) {
        let row = slot % params.rows;
        let entry = row_ptr[row] + slot / params.rows;
        places[slot] = select(PADDING, entry, entry < row_ptr[row + 1u]);
    }
}
