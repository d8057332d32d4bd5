// What invocations read in a second where the first cache holds it all. A round takes READS texels of 16 bytes out of WINDOW
// of them, those of neighbours beside each other, and every read is a line of 128 bytes further, so that no compiler keeps
// texels in registers. They are folded by exclusive or: none is useless, and the host finds the same. Traffic of an
// invocation: 16 READS bytes a round, and four that it writes.
struct Params {
    invocations: u32,
    rounds: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> texels: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

const LINE: u32 = 8u;

@compute @workgroup_size(WORKGROUP)
fn cache_bandwidth(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.invocations) {
        return;
    }
    var folded = vec4<u32>(0u);
    for (var round = 0u; round < params.rounds; round++) {
        for (var read = 0u; read < READS; read++) { // unrolled
            folded = folded ^ texels[(local + LINE * (READS * round + read)) % WINDOW];
        }
    }
    results[i] = folded.x ^ folded.y ^ folded.z ^ folded.w;
}
