// z <- 1 where x is 0, else 0: an integer of the range is 0 exactly if all its residues are. One invocation says it of one
// integer. Traffic: x is read once, z written once. The table is not needed, but bound as everywhere.
struct Params {
    n: u32,
    primes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read_write> z: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn is_zero(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.n) {
        return;
    }
    var any = 0u;
    for (var k = 0u; k < params.primes; k++) {
        any |= x[k * params.n + i];
    }
    z[i] = select(0u, 1u, any == 0u);
}
