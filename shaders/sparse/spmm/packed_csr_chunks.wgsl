// Long rows of packed CSR in parts: one workgroup a chunk of TILE entries at most, whose descriptors become columns in
// workgroup memory (../packed/expand.wgsl), and whose sums for k columns go to y (chunk.wgsl). Traffic: the entries once,
// X as the caches have it. Order of a sum: every (WORKGROUP / LANES)-th entry one by one, then in halves.
const ARRAYS: u32 = 3u;

// Five numbers a chunk, as ../packed/csr_chunks.wgsl has them.
@group(0) @binding(3) var<storage, read> chunks: array<u32>;

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
        let at = 5u * chunk;
        let begin = chunks[at + 3u];
        let entries = chunks[at + 4u] - begin;
        expand_tile(local, chunks[at], chunks[at + 1u], chunks[at + 2u], entries);
        for (var k = local / LANES; k < entries; k += WORKGROUP / LANES) {
            add_entry(&sums, load(values[begin + k]), columns[k], lane);
        }
    }
    sum_of_shares(local, &sums);
    keep(chunk, local, &sums);
}
