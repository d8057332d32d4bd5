// The end of long rows: one workgroup a row adds up its chunks, whose sums, k a chunk, stand for values. Traffic: the sums once.
// Order: every (WORKGROUP / LANES)-th chunk one by one, then in halves.
const ARRAYS: u32 = 2u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
// Of each long row: which it is, its first chunk, and the chunk past its last; a fourth number fills up.
@group(0) @binding(2) var<storage, read> long: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn spmm_long_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count);
    let lane = local % LANES;
    var sums: array<Scalar, EACH>;
    for (var e = 0u; e < EACH; e++) { // unrolled
        sums[e] = SCALAR_ZERO;
    }
    if (at < params.blocks) {
        for (var chunk = long[at].y + local / LANES; chunk < long[at].z; chunk += WORKGROUP / LANES) {
            for (var e = 0u; e < EACH; e++) { // unrolled
                // Past the end, the last column once more, as for entries.
                let column = min(lane + e * LANES, params.k - 1u);
                sums[e] = s_add(load(values[chunk * params.k + column]), sums[e]);
            }
        }
    }
    sum_of_shares(local, &sums);
    if (local < LANES && at < params.blocks) {
        give(long[at].x, lane, &sums);
    }
}
