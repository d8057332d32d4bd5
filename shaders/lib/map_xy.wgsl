// y <- f(alpha, x, y), element by element. One invocation updates UNROLL packs of 16 bytes, a workgroup apart.
// Traffic: x is read once, y written once, and read once where READS_Y says so, or at the end.
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
    if ((first + (UNROLL - 1u) * WORKGROUP + 1u) * PACK <= params.n) {
        // All packs are there and whole: everything is read before anything is written, which the compiler could not
        // reorder by itself.
        var from_x: array<Pack, UNROLL>;
        var value: array<Pack, UNROLL>;
        for (var k = 0u; k < UNROLL; k++) {
            from_x[k] = x[params.x_offset + (first + k * WORKGROUP) * params.x_stride];
            if (READS_Y) {
                value[k] = y[params.y_offset + (first + k * WORKGROUP) * params.y_stride];
            }
        }
        for (var k = 0u; k < UNROLL; k++) {
            // A copy: naga 30 does not translate a pointer into an array as an argument.
            var pack = value[k];
            for (var lane = 0u; lane < PACK; lane++) {
                repack(&pack, lane, apply(params.alpha.value, unpack(from_x[k], lane), unpack(pack, lane)));
            }
            y[params.y_offset + (first + k * WORKGROUP) * params.y_stride] = pack;
        }
    } else {
        for (var i = first; i * PACK < params.n && i < first + WORKGROUP * UNROLL; i += WORKGROUP) {
            let last_x = x[params.x_offset + i * params.x_stride];
            let at = params.y_offset + i * params.y_stride;
            var value = y[at];
            for (var lane = 0u; lane < PACK && i * PACK + lane < params.n; lane++) {
                repack(&value, lane, apply(params.alpha.value, unpack(last_x, lane), unpack(value, lane)));
            }
            y[at] = value;
        }
    }
}
