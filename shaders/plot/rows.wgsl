// What all cells of a row share (src/plot/hoisted.rs): z[k, row, slot] <- the sum, over the terms c x^a y^b whose end needs
// x^a at that abscissa of the cell, of c y^b at the ordinate that the end needs. A slot is a class of columns, the end (0
// low, 1 high), the power a, and the abscissa (0 left, 1 right). One invocation does one slot of one row modulo one prime.
// Traffic: the terms with x^a are read, one residue is written. At most (degree + 1) (2 log2 degree + 4) products.
struct Params {
    // Rows of this launch, the first of them, powers of x, primes.
    rows: u32,
    first: u32,
    powers: u32,
    primes: u32,
    // Terms, numbers of a prime in `numbers`, rows below y = 0, and the first row above it.
    terms: u32,
    stride: u32,
    below: u32,
    above: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// For each prime x0, dx, y0, dy, and the weights of the terms.
@group(0) @binding(2) var<storage, read> numbers: array<u32>;
// The first term of each power of x, and where they end; each term's power of y; the choices.
@group(0) @binding(3) var<storage, read> terms: array<u32>;
@group(0) @binding(4) var<storage, read_write> z: array<u32>;

fn ordinate(j: u32, base: u32, m: Modulus) -> u32 {
    return m_add(numbers[base + 2u], m_mul(m_enter(j % m.prime, m), numbers[base + 3u], m), m);
}

@compute @workgroup_size(WORKGROUP)
fn rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    let slots = 12u * params.powers;
    if (at >= slots * params.rows * params.primes) {
        return;
    }
    let slot = at % slots;
    let j = params.first + (at / slots) % params.rows;
    let k = at / slots / params.rows;
    let right = slot % 2u;
    let a = (slot / 2u) % params.powers;
    let end = (slot / 2u / params.powers) % 2u;
    let column_class = slot / 4u / params.powers;
    let row_class = select(select(0u, 2u, j < params.above), 1u, j < params.below);
    let m = modulus(k);
    let base = k * params.stride;
    let exponents = params.powers + 1u;
    let choices = exponents + params.terms + (row_class * 3u + column_class) * params.terms;
    var sum = 0u;
    for (var t = terms[a]; t < terms[a + 1u]; t++) {
        let choice = (terms[choices + t] >> (3u * end)) & 7u;
        if ((choice & 4u) == 0u && (choice & 1u) == right) {
            let y = ordinate(j + (choice >> 1u), base, m);
            sum = m_add(sum, m_mul(numbers[base + 4u + t], m_pow(y, terms[exponents + t], m), m), m);
        }
    }
    z[at] = sum;
}
