// First of two passes of a reduction: every workgroup leaves one partial Sum. Invocations stride over the operands by
// packs of 16 bytes, with UNROLL of them on their way at once; the order depends on n and PACK alone. x and y are read once.
struct Params {
    n: u32,
    x_offset: u32,
    x_stride: u32,
    y_offset: u32,
    y_stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Pack>;
@group(0) @binding(2) var<storage, read> y: array<Pack>;
@group(0) @binding(3) var<storage, read_write> partials: array<Sum>;

@compute @workgroup_size(WORKGROUP)
fn reduce_xy(
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
        if ((first + (UNROLL - 1u) * step + 1u) * PACK <= params.n) {
            // All packs are there and whole. Reading them before the first is used keeps the memory busy, whatever
            // branches accumulate has.
            var from_x: array<Pack, UNROLL>;
            var from_y: array<Pack, UNROLL>;
            for (var k = 0u; k < UNROLL; k++) {
                from_x[k] = x[params.x_offset + (first + k * step) * params.x_stride];
                from_y[k] = y[params.y_offset + (first + k * step) * params.y_stride];
            }
            for (var k = 0u; k < UNROLL; k++) {
                for (var lane = 0u; lane < PACK; lane++) {
                    let at = (first + k * step) * PACK + lane;
                    sum[k] = accumulate(sum[k], unpack(from_x[k], lane), unpack(from_y[k], lane), at);
                }
            }
        } else {
            for (var i = first; i * PACK < params.n; i += step) {
                let last_x = x[params.x_offset + i * params.x_stride];
                let last_y = y[params.y_offset + i * params.y_stride];
                for (var lane = 0u; lane < PACK && i * PACK + lane < params.n; lane++) {
                    sum[0] = accumulate(sum[0], unpack(last_x, lane), unpack(last_y, lane), i * PACK + lane);
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
