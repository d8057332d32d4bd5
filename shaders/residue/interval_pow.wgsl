// [z1, z2] <- [x1, x2]^exponent: one invocation does one interval. Traffic: all residues are read once and written once.
struct Params {
    n: u32,
    exponent: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> x1: array<u32>;
@group(0) @binding(3) var<storage, read> x2: array<u32>;
@group(0) @binding(4) var<storage, read_write> z1: array<u32>;
@group(0) @binding(5) var<storage, read_write> z2: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn interval_pow(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.n) {
        return;
    }
    var from_x1: Residues;
    var from_x2: Residues;
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        from_x1[k] = x1[k * params.n + i];
        from_x2[k] = x2[k * params.n + i];
    }
    var lower: Residues;
    var upper: Residues;
    i_pow(&from_x1, &from_x2, params.exponent, &lower, &upper);
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        z1[k * params.n + i] = lower[k];
        z2[k * params.n + i] = upper[k];
    }
}
