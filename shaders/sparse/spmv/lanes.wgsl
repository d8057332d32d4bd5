// LANES neighbouring invocations a row, each taking every LANES-th entry, so that they read neighbours; row_part is the
// format's. Traffic: the matrix once, x as the caches have it, y once or, with beta, twice. Order of a sum: a lane's own
// entries one by one, then the lanes in halves.
@compute @workgroup_size(WORKGROUP)
fn spmv_lanes(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let row = group * (WORKGROUP / LANES) + local / LANES;
    let lane = local % LANES;
    var sum = SCALAR_ZERO;
    if (row < params.rows) {
        sum = row_part(row, lane, LANES);
    }
    let all = sum_of_lanes(local, LANES, sum);
    if (lane == 0u && row < params.rows) {
        give(row, all);
    }
    close(local, group);
}
