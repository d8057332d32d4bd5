// z <- 0 where the interval of f over a cell has no zero in it, else 1, computed as Suzuki and Murao (2010) do: one
// invocation decides one cell, and for every term c x^a y^b takes the powers of the cell's sides, their product as the
// smallest and largest of four products, that times c, and adds it to the sum.
//
// A term costs r (2 (log2 a + log2 b) + 6) products modulo primes, 4 comparisons for the product, and 2 to 4 for each
// even power. Products are 3 multiplications. A comparison is a mixed radix conversion of r^2 / 2 products (two conversions
// where COMPARE is 0), or 8 r multiplications where METHOD is 1.
// Traffic: r numbers a term, the same for all invocations; 4 bytes are written.
struct Params {
    // Columns; rows of this launch, and the first; workgroups of a row; terms; numbers of a prime in `numbers`.
    width: u32,
    rows: u32,
    first: u32,
    blocks: u32,
    terms: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// For each prime x0, dx, y0, dy, and the weights of the terms.
@group(0) @binding(2) var<storage, read> numbers: array<u32>;
// Of each term a, b, and whether c < 0.
@group(0) @binding(3) var<storage, read> terms: array<u32>;
@group(0) @binding(4) var<storage, read_write> z: array<u32>;

fn position(i: u32, at: u32, x: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        let m = modulus(k);
        let step = m_mul(m_enter(i % m.prime, m), numbers[k * params.stride + at + 1u], m);
        (*x)[k] = m_add(numbers[k * params.stride + at], step, m);
    }
}

// Two conversions where COMPARE is 0: digits are compared from the highest, as the integers that they stand for.
fn compare(x: ptr<function, Residues>, y: ptr<function, Residues>) -> i32 {
    if (COMPARE == 1u) {
        return r_compare(x, y);
    }
    var p = *x;
    var q = *y;
    mixed_radix(&p);
    mixed_radix(&q);
    var order = 0;
    for (var k = 0u; k < PRIMES; k++) {
        let prime = table[k * TABLE_ROW];
        let left = i32(p[k]) - select(0, i32(prime), p[k] > prime / 2u);
        let right = i32(q[k]) - select(0, i32(prime), q[k] > prime / 2u);
        order = select(order, sign(left - right), left != right);
    }
    return order;
}

fn power(
    x1: ptr<function, Residues>,
    x2: ptr<function, Residues>,
    exponent: u32,
    z1: ptr<function, Residues>,
    z2: ptr<function, Residues>,
) {
    if (POWERS == 1u) {
        i_pow(x1, x2, exponent, z1, z2);
        return;
    }
    // Case by case, as the paper has it: cells near an axis go other ways than their neighbours.
    r_pow(x1, exponent, z1);
    r_pow(x2, exponent, z2);
    if (exponent % 2u == 0u && exponent > 0u) {
        var swapped: Residues;
        if (r_sign(x2) < 0) {
            swapped = *z1;
            *z1 = *z2;
            *z2 = swapped;
        } else if (r_sign(x1) <= 0) {
            if (compare(z1, z2) > 0) {
                *z2 = *z1;
            }
            r_set_zero(z1);
        }
    }
}

fn product(
    x1: ptr<function, Residues>,
    x2: ptr<function, Residues>,
    y1: ptr<function, Residues>,
    y2: ptr<function, Residues>,
    z1: ptr<function, Residues>,
    z2: ptr<function, Residues>,
) {
    if (LEAN == 1u) {
        i_mul(x1, x2, y1, y2, z1, z2);
        return;
    }
    // All four products live at the same time, and so do the ends that are chosen among them.
    var a: Residues;
    var b: Residues;
    var c: Residues;
    var d: Residues;
    r_mul(x1, y1, &a);
    r_mul(x1, y2, &b);
    r_mul(x2, y1, &c);
    r_mul(x2, y2, &d);
    var smaller = a;
    var larger = b;
    if (compare(&a, &b) > 0) {
        smaller = b;
        larger = a;
    }
    var smaller_too = c;
    var larger_too = d;
    if (compare(&c, &d) > 0) {
        smaller_too = d;
        larger_too = c;
    }
    *z1 = smaller;
    if (compare(&smaller_too, &smaller) < 0) {
        *z1 = smaller_too;
    }
    *z2 = larger;
    if (compare(&larger_too, &larger) > 0) {
        *z2 = larger_too;
    }
}

fn decide(i: u32, j: u32) -> u32 {
    var x1: Residues;
    var x2: Residues;
    var y1: Residues;
    var y2: Residues;
    position(i, 0u, &x1);
    position(i + 1u, 0u, &x2);
    position(j, 2u, &y1);
    position(j + 1u, 2u, &y2);
    var low: Residues;
    var high: Residues;
    r_set_zero(&low);
    r_set_zero(&high);
    var p1: Residues;
    var p2: Residues;
    var q1: Residues;
    var q2: Residues;
    var t1: Residues;
    var t2: Residues;
    for (var t = 0u; t < params.terms; t++) {
        power(&x1, &x2, terms[3u * t], &p1, &p2);
        power(&y1, &y2, terms[3u * t + 1u], &q1, &q2);
        product(&p1, &p2, &q1, &q2, &t1, &t2);
        let negative = terms[3u * t + 2u] == 1u;
        for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
            let m = modulus(k);
            let weight = numbers[k * params.stride + 4u + t];
            low[k] = m_add(low[k], m_mul(weight, select(t1[k], t2[k], negative), m), m);
            high[k] = m_add(high[k], m_mul(weight, select(t2[k], t1[k], negative), m), m);
        }
    }
    return select(1u, 0u, r_sign(&low) > 0 || r_sign(&high) < 0);
}

@compute @workgroup_size(WORKGROUP)
fn term_by_term(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    load_table(local);
    let group = workgroup_index(id, count);
    let row = group / params.blocks;
    let i = (group % params.blocks) * WORKGROUP + local;
    if (row >= params.rows || i >= params.width) {
        return;
    }
    z[row * params.width + i] = decide(i, params.first + row);
}
