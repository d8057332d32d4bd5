// y <- alpha A x + beta y, A m x n by rows: dot products. LANES invocations stride over ROWS rows at once, UNROLL packs of
// each on their way together, and every pack of x serves all of them (paper 3's GEMV-T: its columns are these rows).
// Traffic: A is read once, x once for ROWS rows (from the cache), y written once and, unless beta = 0, read once.
// Order of a sum: an invocation's own terms one by one, then the lanes in halves down to SHORT_SUM, then those one by one.
var<workgroup> sums: array<Scalar, BLOCK * LINE>;

@compute @workgroup_size(WORKGROUP)
fn gemv(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.abreast;
    let group = local / LANES;
    let lane = local % LANES;
    if (ON_CPU != 0u) {
        sum_block(index % params.abreast * BLOCK, group, lane, split, local);
        return;
    }
    for (var turn = 0u; turn < params.takes; turn++) {
        let top = block_in_turn(index, turn) * BLOCK;
        if (top < params.rows) {
            sum_block(top, group, lane, split, local);
        }
    }
}

fn sum_block(top: u32, group: u32, lane: u32, split: u32, local: u32) {
    var sum: array<Scalar, ROWS>;
    lane_sums(top + group * ROWS, lane, split, &sum);
    for (var r = 0u; r < ROWS; r++) { // unrolled
        sums[(group * ROWS + r) * LINE + lane] = sum[r];
    }
    workgroupBarrier();
    for (var half = LANES / 2u; half >= SHORT_SUM; half = half / 2u) {
        if (lane < half) {
            for (var r = 0u; r < ROWS; r++) { // unrolled
                let at = (group * ROWS + r) * LINE + lane;
                sums[at] = s_add(sums[at], sums[at + half]);
            }
        }
        workgroupBarrier();
    }
    if (local < BLOCK && top + local < params.rows && split < params.splits) {
        var total = sums[local * LINE];
        for (var i = 1u; i < min(LANES, SHORT_SUM); i++) {
            total = s_add(total, sums[local * LINE + i]);
        }
        give(split, top + local, total);
    }
    if (ON_CPU == 0u) {
        // The next block's sums take the place of these.
        workgroupBarrier();
    }
}
