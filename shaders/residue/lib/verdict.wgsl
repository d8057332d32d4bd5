// z <- -1, 0 or 1, as a number compares with 0: one invocation says it of one integer.
// Traffic: all residues of the operands are read once, and once more where the fraction does not say; z is written once.
struct Params {
    n: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read> y: array<u32>;
@group(0) @binding(4) var<storage, read_write> z: array<i32>;

@compute @workgroup_size(WORKGROUP)
fn verdict(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.n) {
        return;
    }
    // As r_sign, but the fraction needs no residue twice: none is kept for digits that are hardly ever asked for.
    if (METHOD == 1u) {
        var sum = FRACTION_ZERO;
        for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
            sum = fraction_add(sum, k, operand(k, k * params.n + i));
        }
        let said = fraction_sign(sum);
        if (said != FRACTION_SILENT) {
            z[i] = said;
            return;
        }
    }
    var number: Residues;
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        number[k] = operand(k, k * params.n + i);
    }
    z[i] = mixed_radix(&number);
}
