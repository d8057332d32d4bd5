// The column in each slot, from the entry there: PADDING where there is none. One invocation a slot. Traffic: the places and
// the slots once, CSR's columns as the orders differ.
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> laid: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn lay(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = workgroup_index(id, count) * WORKGROUP + local;
    if (slot < params.slots) {
        let entry = places[slot];
        var column = PADDING;
        if (entry != PADDING) {
            column = columns[entry];
        }
        laid[slot] = column;
    }
}
