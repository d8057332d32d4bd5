// z <- 0 where the interval of f over a cell has no zero in it, else 1: one invocation decides one cell, a workgroup cells
// of one row. An end is sum over a of x_left^a s[a, 0] + x_right^a s[a, 1], with s what rows.wgsl computed for the row and
// the class of the column; its sign is the fraction's, and that of mixed radix digits where the fraction does not say.
//
// With A powers of x and r primes: r (2 A + 9 + 8) 32-bit multiplications an end, of which 2 A are the products (their sum
// is reduced once, by 9), 8 the fraction's term; two ends a cell at most. Traffic: 4 r A residues of abscissae and rows an
// end, out of caches, since neighbours in a row share the latter and neighbours in a column the former; 4 bytes written.
struct Params {
    // Columns, rows of this launch, powers of x, workgroups of a row.
    width: u32,
    rows: u32,
    powers: u32,
    blocks: u32,
    // Columns left of x = 0, and the first column right of it.
    below: u32,
    above: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> abscissae: array<u32>;
@group(0) @binding(3) var<storage, read> shared_by_row: array<u32>;
@group(0) @binding(4) var<storage, read_write> z: array<u32>;

// The residue of an end. Halves of products are summed by themselves: no sum of 258 of them reaches 2^25.
fn end_residue(k: u32, i: u32, row: u32, end: u32) -> u32 {
    let m = modulus(k);
    let class_of_column = select(select(0u, 2u, i < params.above), 1u, i < params.below);
    var s = ((k * params.rows + row) * 6u + class_of_column * 2u + end) * params.powers * 2u;
    var x = k * params.powers * (params.width + 1u) + i;
    var low = 0u;
    var high = 0u;
    for (var a = 0u; a < params.powers; a++) {
        let left = abscissae[x] * shared_by_row[s];
        let right = abscissae[x + 1u] * shared_by_row[s + 1u];
        low += (left & 0xffffu) + (right & 0xffffu);
        high += (left >> 16u) + (right >> 16u);
        x += params.width + 1u;
        s += 2u;
    }
    high += low >> 16u;
    let reduced = m_add(m_mul(high & 0xffffu, m.one, m), m_mul(high >> 16u, m.square, m), m);
    return m_add(reduced, m_leave(low & 0xffffu, m), m);
}

fn end_sign(i: u32, row: u32, end: u32) -> i32 {
    var sum = FRACTION_ZERO;
    for (var k = 0u; k < PRIMES; k++) {
        sum = fraction_add(sum, k, end_residue(k, i, row, end));
    }
    let said = fraction_sign(sum);
    if (said != FRACTION_SILENT) {
        return said;
    }
    var digits: Residues;
    for (var k = 0u; k < PRIMES; k++) {
        digits[k] = end_residue(k, i, row, end);
    }
    return mixed_radix(&digits);
}

@compute @workgroup_size(WORKGROUP)
fn cells(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let row = group / params.blocks;
    let i = (group % params.blocks) * WORKGROUP + local;
    if (row >= params.rows || i >= params.width) {
        return;
    }
    var open = end_sign(i, row, 0u) <= 0;
    if (open) {
        open = end_sign(i, row, 1u) >= 0;
    }
    z[row * params.width + i] = select(0u, 1u, open);
}
