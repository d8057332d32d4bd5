// y <- alpha A x + beta y, A m x n by rows: gemv.wgsl with lanes summed by shuffles as far as a subgroup reaches, and
// through workgroup memory from there on. Where all LANES lie in one subgroup, there is no barrier at all.
// Traffic: A is read once, x once for ROWS rows (from the cache), y written once and, unless beta = 0, read once.
// Order of a sum: a lane's own terms one by one, then neighbours by twos, fours, eights: the same bits for subgroups of
// any size, and for none.
var<workgroup> sums: array<Scalar, BLOCK * LINE>;

@compute @workgroup_size(WORKGROUP)
fn gemv_subgroup(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) within: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.abreast;
    let place = select(local, subgroup * size + within, subgroups_are_full(subgroups, size));
    let group = place / LANES;
    let lane = place % LANES;
    let reach = shuffled(LANES, subgroups, size);
    if (ON_CPU != 0u) {
        sum_block(index % params.abreast * BLOCK + group * ROWS, group, lane, split, reach);
        return;
    }
    for (var turn = 0u; turn < params.takes; turn++) {
        let top = block_in_turn(index, turn) * BLOCK;
        if (top < params.rows) {
            sum_block(top + group * ROWS, group, lane, split, reach);
        }
    }
}

fn sum_block(top: u32, group: u32, lane: u32, split: u32, reach: u32) {
    var sum: array<Scalar, ROWS>;
    lane_sums(top, lane, split, &sum);

    var width = reach;
    for (var apart = 1u; apart < width; apart = apart * 2u) {
        for (var r = 0u; r < ROWS; r++) { // unrolled
            sum[r] = s_add(sum[r], s_shuffle_xor(sum[r], apart));
        }
    }
    if (width < LANES) {
        for (var r = 0u; r < ROWS; r++) { // unrolled
            sums[(group * ROWS + r) * LINE + lane] = sum[r];
        }
        workgroupBarrier();
        for (; width < LANES; width = width * 2u) {
            if (lane % (2u * width) == 0u) {
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    let at = (group * ROWS + r) * LINE + lane;
                    sums[at] = s_add(sums[at], sums[at + width]);
                }
            }
            workgroupBarrier();
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            sum[r] = sums[(group * ROWS + r) * LINE];
        }
        if (ON_CPU == 0u) {
            // The next block's sums take the place of these.
            workgroupBarrier();
        }
    }
    if (lane == 0u && split < params.splits) {
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if (top + r < params.rows) {
                give(split, top + r, sum[r]);
            }
        }
    }
}
