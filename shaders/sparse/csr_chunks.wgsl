// Long rows of CSR in parts: one workgroup a chunk of entries, whose sum goes to y, which holds a place for every chunk.
// Traffic: the entries once. Order of a sum: an invocation's own entries one by one, then the invocations in halves.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
// Where each chunk begins and ends.
@group(0) @binding(3) var<storage, read> chunks: array<vec2<u32>>;

@compute @workgroup_size(WORKGROUP)
fn spmv_chunks(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = workgroup_index(id, count);
    var sum = SCALAR_ZERO;
    if (chunk < params.blocks) {
        sum = entries_part(chunks[chunk].x + local, chunks[chunk].y, WORKGROUP);
    }
    let all = sum_of_lanes(local, WORKGROUP, sum);
    if (local == 0u && chunk < params.blocks) {
        y[chunk] = store(all);
    }
}
