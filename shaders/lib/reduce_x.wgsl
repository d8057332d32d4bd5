// First of two passes of a reduction: every workgroup leaves one partial Sum. Invocations stride over the operands by
// packs of 16 bytes with UNROLL of them in flight; the order depends on n alone. x is read once.
struct Params {
    n: u32,
    x_offset: u32,
    x_stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Pack>;
@group(0) @binding(2) var<storage, read_write> partials: array<Sum>;

@compute @workgroup_size(WORKGROUP)
fn reduce_x(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let step = count.x * WORKGROUP;
    var sum: array<Sum, UNROLL>;
    for (var k = 0u; k < UNROLL; k++) {
        sum[k] = sum_zero();
    }
    for (var first = id.x * WORKGROUP + local; first * PACK < params.n; first += step * UNROLL) {
        for (var k = 0u; k < UNROLL; k++) {
            let i = first + k * step;
            if (i * PACK < params.n) {
                let from_x = x[params.x_offset + i * params.x_stride];
                let whole = (i + 1u) * PACK <= params.n;
                for (var lane = 0u; lane < PACK; lane++) {
                    let at = i * PACK + lane;
                    if (whole || at < params.n) {
                        sum[k] = accumulate(sum[k], unpack(from_x, lane), unpack(from_x, lane), at);
                    }
                }
            }
        }
    }
    for (var k = 1u; k < UNROLL; k++) {
        sum[0] = combine(sum[0], sum[k]);
    }
    let total = workgroup_combine(local, sum[0]);
    if (local == 0u) {
        partials[id.x] = total;
    }
}
