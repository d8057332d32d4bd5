// The sums of one lane: every LANES-th pack, from `lane` on, of ROWS rows from `top` on, as far as a split goes. UNROLL
// packs of each are on their way together, and every pack of x serves all rows.
@group(0) @binding(2) var<storage, read> x: array<Pack>;

const GROUPS: u32 = WORKGROUP / LANES;
const BLOCK: u32 = GROUPS * ROWS;
// One more than the lanes, so that neighbours that read different rows read different banks.
const LINE: u32 = LANES + 1u;
// Lanes that run together on most devices, or all.
const TOGETHER: u32 = min(LANES, 32u);

fn lane_sums(top: u32, lane: u32, split: u32, into: ptr<function, array<Scalar, ROWS>>) {
    // Rows past the end repeat the last one; they are not written.
    var line: array<u32, ROWS>;
    var sum: array<Scalar, ROWS>;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        line[r] = params.a_offset + min(top + r, params.rows - 1u) * params.a_leading;
        sum[r] = SCALAR_ZERO;
    }
    let whole = params.cols / PACK;
    let end = min(whole, (split + 1u) * params.chunk);
    for (var first = split * params.chunk + lane; first < end; first += LANES * UNROLL) {
        // Everything is read before anything is used: compilers do not move a load above a branch. At the end of a row its last
        // pack stands in for those past it, which are not added; on a CPU, which goes through both paths, all along it. All of a
        // subgroup go the same way: it would go both, and wait for memory twice.
        var from_x: array<Pack, UNROLL>;
        var from_a: array<array<Pack, UNROLL>, ROWS>;
        if (ON_CPU == 0u && first - lane % TOGETHER + TOGETHER + (UNROLL - 1u) * LANES <= end) {
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
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                let at = min(first + k * LANES, end - 1u);
                from_x[k] = x[params.x_offset + at * params.x_stride];
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    from_a[r][k] = a[line[r] + at];
                }
            }
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                if (first + k * LANES < end) {
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        for (var e = 0u; e < PACK; e++) { // unrolled
                            sum[r] = s_mul_add(unpack(from_a[r][k], e), unpack(from_x[k], e), sum[r]);
                        }
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
        (*into)[r] = sum[r];
    }
}
