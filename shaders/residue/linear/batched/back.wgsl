// U x = y modulo each prime, y the columns right of U, for the rows from `top` to `bottom`, below which x is known. One workgroup does
// one right-hand side modulo one prime, from the last row up; its invocations share the sum of a row.
// Traffic: U and y read once, x written once and read from the cache.
struct Params {
    // Rows of U, right-hand sides, primes.
    n: u32,
    sides: u32,
    primes: u32,
    top: u32,
    bottom: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> a: array<u32>;
@group(0) @binding(3) var<storage, read_write> x: array<u32>;

var<workgroup> sums: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn back(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let k = group / params.sides;
    if (k >= params.primes) {
        return;
    }
    let m = modulus(k);
    let width = params.n + params.sides;
    let side = group % params.sides;
    // By right-hand sides, so that neighbours read neighbours.
    let own = group * params.n;
    for (var left = params.bottom; left > params.top; left--) {
        let row = left - 1u;
        let at = (k * params.n + row) * width;
        var sum = 0u;
        for (var col = left + local; col < params.n; col += WORKGROUP) {
            sum = m_add(sum, m_mul(a[at + col], x[own + col], m), m);
        }
        sums[local] = sum;
        workgroupBarrier();
        for (var half = WORKGROUP / 2u; half > 0u; half >>= 1u) {
            if (local < half) {
                sums[local] = m_add(sums[local], sums[local + half], m);
            }
            workgroupBarrier();
        }
        if (local == 0u) {
            let rest = m_sub(a[at + params.n + side], sums[0], m);
            x[own + row] = m_mul(rest, m_pow(a[at + row], m.prime - 2u, m), m);
        }
        storageBarrier();
        workgroupBarrier();
    }
}
