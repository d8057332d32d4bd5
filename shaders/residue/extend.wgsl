// z <- x in a larger basis: PRIMES of the table, the first DIGITS of which x has residues of. One invocation does one
// integer: its mixed radix digits, then for each new prime m Horner's u = v1 + m1 (v2 + m2 (... )) modulo m.
// Traffic: x is read once, z written once. DIGITS^2 / 2 + 2 DIGITS (PRIMES - DIGITS) products an integer.
struct Params {
    n: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read_write> z: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn extend(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.n) {
        return;
    }
    var digits: Residues;
    for (var k = 0u; k < DIGITS; k++) { // unrolled to 8
        digits[k] = x[k * params.n + i];
        z[k * params.n + i] = digits[k];
    }
    mixed_radix(&digits);
    for (var k = DIGITS; k < PRIMES; k++) {
        let m = modulus(k);
        var residue = 0u;
        for (var left = DIGITS; left > 0u; left--) {
            let own = table[(left - 1u) * TABLE_ROW];
            let radix = m_enter(own, m);
            residue = m_add(m_mul(residue, radix, m), digit_residue(digits[left - 1u], own, m.prime), m);
        }
        z[k * params.n + i] = m_enter(residue, m);
    }
}
