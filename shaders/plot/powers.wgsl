// z[k, a, i] <- x_i^a modulo prime k, for the abscissae x_i = x0 + i dx between columns: one invocation does all powers
// of one abscissa modulo one prime. Traffic: 2 numbers are read, POWERS written. POWERS + 1 products.
struct Params {
    // Abscissae, powers, primes, and numbers of a prime in `numbers`.
    points: u32,
    powers: u32,
    primes: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> numbers: array<u32>;
@group(0) @binding(3) var<storage, read_write> z: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn powers(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    if (at >= params.points * params.primes) {
        return;
    }
    let i = at % params.points;
    let k = at / params.points;
    let m = modulus(k);
    let x = m_add(numbers[k * params.stride], m_mul(m_enter(i % m.prime, m), numbers[k * params.stride + 1u], m), m);
    var power = m.one;
    for (var a = 0u; a < params.powers; a++) {
        z[(k * params.powers + a) * params.points + i] = power;
        power = m_mul(power, x, m);
    }
}
