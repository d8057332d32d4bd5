// z <- what a part of a block is judged by (src/plot/tight.rs, verdicts), modulo one prime: low, high, and, where QUESTIONS
// is 6, f at its corners. With f = sum T u^k v^l about the block's corner, low is the sum of T > 0 at the near corner of
// the part and of T < 0 at the far one, and high the reverse. One invocation computes one of them for one part modulo one
// prime, neighbours for the same part of neighbouring blocks: two Horner schemes, 6 multiplications for each of C
// coefficients. Traffic: C residues and C signs are read, out of caches; one residue is written.
//
// No invocation takes more turns than there are coefficients: lavapipe leaves all loops of an invocation for good after
// 65,535 turns together, and says nothing.
struct Params {
    // Blocks, parts of a side of a block, cells of a side of a part and of a block, columns and rows of the grid.
    blocks: u32,
    across: u32,
    part: u32,
    side: u32,
    width: u32,
    height: u32,
    // Powers of u and of v, and the degree, which no k + l exceeds.
    powers_u: u32,
    powers_v: u32,
    degree: u32,
    primes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> corners: array<u32>;
@group(0) @binding(3) var<storage, read> coefficients: array<u32>;
@group(0) @binding(4) var<storage, read> signs: array<i32>;
@group(0) @binding(5) var<storage, read_write> z: array<u32>;

// The residue of the sum of T > 0 at one point and of T < 0 at the other.
fn value_at(k: u32, block: u32, plus: vec2<u32>, minus: vec2<u32>) -> u32 {
    let m = modulus(k);
    let u = vec2<u32>(m_enter(plus.x, m), m_enter(minus.x, m));
    let v = vec2<u32>(m_enter(plus.y, m), m_enter(minus.y, m));
    let here = k * params.powers_u * params.powers_v;
    var sum = vec2<u32>(0u, 0u);
    for (var a = params.powers_u; a > 0u; a--) {
        var inner = vec2<u32>(0u, 0u);
        for (var b = min(params.powers_v, params.degree + 2u - a); b > 0u; b--) {
            let c = (a - 1u) * params.powers_v + b - 1u;
            let value = coefficients[(here + c) * params.blocks + block];
            let negative = signs[c * params.blocks + block] < 0;
            inner.x = m_add(m_mul(inner.x, v.x, m), select(value, 0u, negative), m);
            inner.y = m_add(m_mul(inner.y, v.y, m), select(0u, value, negative), m);
        }
        sum.x = m_add(m_mul(sum.x, u.x, m), inner.x, m);
        sum.y = m_add(m_mul(sum.y, u.y, m), inner.y, m);
    }
    return m_add(sum.x, sum.y, m);
}

@compute @workgroup_size(WORKGROUP)
fn values(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    let parts = params.across * params.across;
    if (at >= params.blocks * parts * QUESTIONS * params.primes) {
        return;
    }
    let block = at % params.blocks;
    let part = (at / params.blocks) % parts;
    let question = (at / params.blocks / parts) % QUESTIONS;
    let k = at / params.blocks / parts / QUESTIONS;
    let corner = vec2<u32>(corners[2u * block], corners[2u * block + 1u]);
    // The last parts are cut by the grid's edge, and those beyond it are nobody's.
    let room = min(vec2<u32>(params.side), vec2<u32>(params.width, params.height) - corner);
    let near = min(params.part * vec2<u32>(part % params.across, part / params.across), room);
    let far = min(near + params.part, room);
    var plus = near;
    var minus = far;
    if (question == 1u) {
        plus = far;
        minus = near;
    } else if (question >= 2u) {
        // Near, right of it, above it, far.
        let which = question - 2u;
        plus = select(near, far, vec2<bool>((which & 1u) == 1u, which >= 2u));
        minus = plus;
    }
    z[at] = value_at(k, block, plus, minus);
}
