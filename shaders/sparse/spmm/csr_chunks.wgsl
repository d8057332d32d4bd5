// Long rows of CSR in parts: one workgroup a chunk of entries, whose sums for k columns go to y (chunk.wgsl). Traffic: the
// entries once, X as the caches have it. Order of a sum: every (WORKGROUP / LANES)-th entry one by one, then in halves.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
// Where each chunk begins and ends.
@group(0) @binding(3) var<storage, read> chunks: array<vec2<u32>>;

@compute @workgroup_size(WORKGROUP)
fn spmm_chunks(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = workgroup_index(id, count);
    let lane = local % LANES;
    var sums: array<Scalar, EACH>;
    for (var e = 0u; e < EACH; e++) { // unrolled
        sums[e] = SCALAR_ZERO;
    }
    if (chunk < params.blocks) {
        let ends = chunks[chunk];
        for (var k = ends.x + local / LANES; k < ends.y; k += WORKGROUP / LANES) {
            add_entry(&sums, load(values[k]), columns[k], lane);
        }
    }
    sum_of_shares(local, &sums);
    keep(chunk, local, &sums);
}
