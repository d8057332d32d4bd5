// The descriptors of packed CSR. One invocation a row. Traffic: CSR's indices once, the pointers and the descriptors once.
const STEP: u32 = 1u;

// Of each row, where its descriptors and where its values begin.
@group(0) @binding(3) var<storage, read> pointers: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> descriptors: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn describe(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + local;
    if (row < params.rows) {
        next = pointers[row].x;
        walk_row(row_ptr[row], row_ptr[row + 1u]);
    }
}
