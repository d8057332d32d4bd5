// y <- alpha A x + beta y, A m x n by rows: dot products. LANES invocations stride over ROWS rows at once, UNROLL packs of
// each on their way together, and every pack of x serves all of them (paper 3's GEMV-T: its columns are these rows).
// Traffic: A is read once, x once for ROWS rows (from the cache), y written once and, unless beta = 0, read once.
// Order of a sum: an invocation's own terms one by one, then the lanes in halves down to 32, then those one by one.
@group(0) @binding(2) var<storage, read> x: array<Pack>;

const GROUPS: u32 = WORKGROUP / LANES;
const BLOCK: u32 = GROUPS * ROWS;
const SERIAL: u32 = 32u;
// One more than the lanes, so that neighbours that read different rows read different banks.
const LINE: u32 = LANES + 1u;

var<workgroup> sums: array<Scalar, BLOCK * LINE>;

@compute @workgroup_size(WORKGROUP)
fn gemv(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.blocks;
    let top = (index % params.blocks) * BLOCK;
    let group = local / LANES;
    let lane = local % LANES;

    // Rows past the end repeat the last one, and are not written.
    var line: array<u32, ROWS>;
    var sum: array<Scalar, ROWS>;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        line[r] = params.a_offset + min(top + group * ROWS + r, params.rows - 1u) * params.a_leading;
        sum[r] = SCALAR_ZERO;
    }
    let whole = params.cols / PACK;
    let end = min(whole, (split + 1u) * params.chunk);
    for (var first = split * params.chunk + lane; first < end; first += LANES * UNROLL) {
        if (first + (UNROLL - 1u) * LANES < end) {
            // Everything is read before anything is used: compilers do not move a load above a branch.
            var from_x: array<Pack, UNROLL>;
            var from_a: array<array<Pack, UNROLL>, ROWS>;
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                from_x[k] = x[params.x_offset + (first + k * LANES) * params.x_stride];
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    from_a[r][k] = a[line[r] + first + k * LANES];
                }
            }
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    for (var e = 0u; e < PACK; e++) { // unrolled
                        sum[r] = s_mul_add(unpack(from_a[r][k], e), unpack(from_x[k], e), sum[r]);
                    }
                }
            }
        } else {
            for (var j = first; j < end; j += LANES) {
                let from_x = x[params.x_offset + j * params.x_stride];
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    let from_a = a[line[r] + j];
                    for (var e = 0u; e < PACK; e++) { // unrolled
                        sum[r] = s_mul_add(unpack(from_a, e), unpack(from_x, e), sum[r]);
                    }
                }
            }
        }
    }
    // The pack that the end of the rows cuts: what lies past it is not theirs.
    if (PACK > 1u && lane == 0u && split + 1u == params.splits && whole * PACK < params.cols) {
        let from_x = x[params.x_offset + whole * params.x_stride];
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let from_a = a[line[r] + whole];
            for (var e = 0u; whole * PACK + e < params.cols; e++) {
                sum[r] = s_mul_add(unpack(from_a, e), unpack(from_x, e), sum[r]);
            }
        }
    }

    for (var r = 0u; r < ROWS; r++) { // unrolled
        sums[(group * ROWS + r) * LINE + lane] = sum[r];
    }
    workgroupBarrier();
    for (var half = LANES / 2u; half >= SERIAL; half = half / 2u) {
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
        for (var i = 1u; i < min(LANES, SERIAL); i++) {
            total = s_add(total, sums[local * LINE + i]);
        }
        give(split, top + local, total);
    }
}
