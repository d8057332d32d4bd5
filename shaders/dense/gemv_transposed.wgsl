// y <- alpha A^T x + beta y, A m x n by rows. LANES invocations, a pack of columns each, go down the rows side by side;
// WORKGROUP / LANES such strips share the rows, UNROLL of them on their way together (paper 3's GEMV-N: its rows are these
// columns). Traffic: A is read once, x once a workgroup (from the cache), y written once and, unless beta = 0, read once.
// Order of a sum: a strip's own terms one by one, then the strips in halves.
@group(0) @binding(2) var<storage, read> x: array<Element>;

const STRIPS: u32 = WORKGROUP / LANES;

var<workgroup> sums: array<array<Scalar, PACK>, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn gemv_transposed(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.blocks;
    let column = (index % params.blocks) * LANES + local % LANES;
    let end = min(params.rows, (split + 1u) * params.chunk);

    var sum: array<Scalar, PACK>;
    for (var e = 0u; e < PACK; e++) { // unrolled
        sum[e] = SCALAR_ZERO;
    }
    if (column * PACK < params.cols) {
        for (var first = split * params.chunk + local / LANES; first < end; first += STRIPS * UNROLL) {
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
    }

    for (var e = 0u; e < PACK; e++) { // unrolled
        sums[local][e] = sum[e];
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
