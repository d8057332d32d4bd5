// The descriptors of each row, and none behind the last. One invocation a row. For NUMBERS = 2, packed CSR, the row pointer lies
// beside each. Traffic: CSR's indices once, and the counts once.
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

var<private> descriptors: u32 = 0u;

fn take(first: u32, entries: u32, entry: u32) { descriptors += 1u; }

@compute @workgroup_size(WORKGROUP)
fn count_runs(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let row = workgroup_index(id, count) * WORKGROUP + local;
    if (row <= params.rows) {
        if (row < params.rows) {
            walk_row(row_ptr[row], row_ptr[row + 1u]);
        }
        counts[NUMBERS * row] = descriptors;
        if (NUMBERS == 2u) {
            counts[2u * row + 1u] = row_ptr[row];
        }
    }
}
