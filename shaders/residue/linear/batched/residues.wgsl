// A mod p for each prime, in Montgomery's form. One invocation does one entry modulo one prime, by Horner's rule from the
// sign on: entries are integers of two's complement in WORDS words, the highest words of all entries first.
// Traffic: words read once for each prime, one residue written.
struct Params {
    // Entries, workgroups for the residues of one prime, primes, words of an entry.
    n: u32,
    blocks: u32,
    primes: u32,
    words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> integers: array<u32>;
@group(0) @binding(3) var<storage, read_write> a: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn residues(
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
    let m = modulus(k);
    var value = select(0u, m_neg(m.one, m), (integers[i] >> 31u) == 1u);
    for (var w = 0u; w < params.words; w++) {
        let word = integers[w * params.n + i];
        value = m_add(m_mul(value, m.square, m), m_mul(word >> 16u, m.square, m), m);
        value = m_add(m_mul(value, m.square, m), m_mul(word & 0xffffu, m.square, m), m);
    }
    a[k * params.n + i] = value;
}
