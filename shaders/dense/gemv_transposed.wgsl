// y <- alpha A^T x + beta y, A m x n by rows. LANES invocations, a pack of columns each, go down the rows side by side;
// WORKGROUP / LANES such strips share the rows, UNROLL of them on their way together (paper 3's GEMV-N: its rows are these
// columns). The rows of a split are SEGMENTS segments, summed each by itself, so that an A larger than the cache can be gone
// through from its end with the same bits. Workgroups stay where they are: what a multiprocessor has read before, it finds nearer.
// Traffic: A is read once, x once a workgroup (from the cache), y written once and, unless beta = 0, read once.
// Order of a sum: a strip's own terms of a segment one by one, then the segments, then the strips in halves.
@group(0) @binding(2) var<storage, read> x: array<Element>;

const STRIPS: u32 = WORKGROUP / LANES;
const STEP: u32 = STRIPS * UNROLL;

var<workgroup> sums: array<array<Scalar, PACK>, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn gemv_transposed(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.abreast;
    let column = (index % params.abreast) * LANES + local % LANES;
    let split_end = min(params.rows, (split + 1u) * params.chunk);
    // In whole steps, as the chunk is.
    let length = (params.chunk / STEP + SEGMENTS - 1u) / SEGMENTS * STEP;

    var of_segment: array<array<Scalar, PACK>, SEGMENTS>;
    for (var s = 0u; s < SEGMENTS; s++) { // unrolled
        for (var e = 0u; e < PACK; e++) { // unrolled
            of_segment[s][e] = SCALAR_ZERO;
        }
    }
    for (var turn = 0u; turn < SEGMENTS && column * PACK < params.cols; turn++) {
        let segment = select(turn, SEGMENTS - 1u - turn, params.backwards != 0u);
        let begin = split * params.chunk + segment * length;
        let end = min(split_end, begin + length);
        var sum: array<Scalar, PACK>;
        for (var e = 0u; e < PACK; e++) { // unrolled
            sum[e] = SCALAR_ZERO;
        }
        for (var first = begin + local / LANES; first < end; first += STEP) {
            if (first + (UNROLL - 1u) * STRIPS < end) {
                var from_a: array<Pack, UNROLL>;
                var from_x: array<Scalar, UNROLL>;
                for (var k = 0u; k < UNROLL; k++) { // unrolled
                    from_a[k] = a[params.a_offset + (first + k * STRIPS) * params.a_leading + column];
                    from_x[k] = load(x[params.x_offset + (first + k * STRIPS) * params.x_stride]);
                }
                for (var k = 0u; k < UNROLL; k++) { // unrolled
                    for (var e = 0u; e < PACK; e++) { // unrolled
                        sum[e] = s_mul_add(unpack(from_a[k], e), from_x[k], sum[e]);
                    }
                }
            } else {
                for (var i = first; i < end; i += STRIPS) {
                    let from_a = a[params.a_offset + i * params.a_leading + column];
                    let from_x = load(x[params.x_offset + i * params.x_stride]);
                    for (var e = 0u; e < PACK; e++) { // unrolled
                        sum[e] = s_mul_add(unpack(from_a, e), from_x, sum[e]);
                    }
                }
            }
        }
        // Kept by constants: an array that a variable indexes lives in memory.
        for (var s = 0u; s < SEGMENTS; s++) { // unrolled
            if (s == segment) {
                for (var e = 0u; e < PACK; e++) { // unrolled
                    of_segment[s][e] = sum[e];
                }
            }
        }
    }

    for (var e = 0u; e < PACK; e++) { // unrolled
        var sum = of_segment[0][e];
        for (var s = 1u; s < SEGMENTS; s++) { // unrolled
            sum = s_add(sum, of_segment[s][e]);
        }
        sums[local][e] = sum;
    }
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half >= LANES; half = half / 2u) {
        if (local < half) {
            for (var e = 0u; e < PACK; e++) { // unrolled
                sums[local][e] = s_add(sums[local][e], sums[local + half][e]);
            }
        }
        workgroupBarrier();
    }
    if (local < LANES && split < params.splits) {
        for (var e = 0u; e < PACK && column * PACK + e < params.cols; e++) {
            give(split, column * PACK + e, sums[local][e]);
        }
    }
}
