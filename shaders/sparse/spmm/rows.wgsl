// Y <- alpha A X + beta Y with k columns, X and Y by rows: LANES neighbouring invocations a row. What a row is, and how it is
// summed, the format says: row_of and row_sums. Traffic: the matrix once, X as the caches have it, Y once or, with beta,
// twice. Order of a sum: as the format's host version.
@compute @workgroup_size(WORKGROUP)
fn spmm(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = workgroup_index(id, count) * (WORKGROUP / LANES) + local / LANES;
    let lane = local % LANES;
    if (position < params.rows) {
        let row = row_of(position);
        if (row != NO_ROW) {
            var sums: array<Scalar, EACH>;
            for (var e = 0u; e < EACH; e++) { // unrolled
                sums[e] = SCALAR_ZERO;
            }
            row_sums(position, lane, &sums);
            give(row, lane, &sums);
        }
    }
}
