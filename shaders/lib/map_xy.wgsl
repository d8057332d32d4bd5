// y <- f(alpha, x, y), element by element. One invocation updates UNROLL packs of 16 bytes, a workgroup apart.
// Traffic: x is read once, y written once, and read once where READS_Y says so, or a pack is filled in part.
struct Params {
    n: u32,
    x_offset: u32,
    x_stride: u32,
    y_offset: u32,
    y_stride: u32,
    @align(16) alpha: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Pack>;
@group(0) @binding(2) var<storage, read_write> y: array<Pack>;

@compute @workgroup_size(WORKGROUP)
fn map(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = workgroup_index(id, count) * (WORKGROUP * UNROLL) + local;
    for (var k = 0u; k < UNROLL; k++) {
        let i = first + k * WORKGROUP;
        if (i * PACK < params.n) {
            let from_x = x[params.x_offset + i * params.x_stride];
            let at = params.y_offset + i * params.y_stride;
            let whole = (i + 1u) * PACK <= params.n;
            var value: Pack;
            if (READS_Y || !whole) {
                value = y[at];
            }
            for (var lane = 0u; lane < PACK; lane++) {
                if (whole || i * PACK + lane < params.n) {
                    repack(&value, lane, apply(params.alpha.value, unpack(from_x, lane), unpack(value, lane)));
                }
            }
            y[at] = value;
        }
    }
}
