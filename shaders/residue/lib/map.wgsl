// z <- f(x, y), residue by residue: one invocation does one residue, a workgroup residues of one prime.
// Traffic: x and, where READS_Y says so, y are read once, z is written once.
struct Params {
    // Integers, workgroups for the residues of one prime, primes.
    n: u32,
    blocks: u32,
    primes: u32,
    exponent: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read> y: array<u32>;
@group(0) @binding(4) var<storage, read_write> z: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn map(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let k = group / params.blocks;
    let i = (group % params.blocks) * WORKGROUP + local;
    if (k >= params.primes || i >= params.n) {
        return;
    }
    let at = k * params.n + i;
    var second = 0u;
    if (READS_Y) {
        second = y[at];
    }
    z[at] = apply(x[at], second, modulus(k));
}
