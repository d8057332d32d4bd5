// The fraction x/M modulo 1 in 104 bits, and the sign that it says, for wide primes: as fraction.wgsl, whose proof holds with
// R = 2^32. Every term is less than 2^32 units of 2^-104 below what it stands for, and the sum less than 2^32 PRIMES.
//
// The bits are in 4 limbs of 26, lowest first. A product of a residue and a limb is below 2^57, so that 64 of them, and what
// is carried into them, stay below 2^64: a term is 4 multiply-adds of 64 bits, and carries are made every 64 terms and at
// the end.
struct Fraction {
    limbs: vec4<u64>,
    // All residues: zero exactly for x = 0.
    any: u32,
}

const FRACTION_ZERO: Fraction = Fraction(vec4<u64>(), 0u);

// The sign is not said.
const FRACTION_SILENT: i32 = 2;

// The sum with the term of residue k. Residues come in their order, since every 64th has the carries made.
fn fraction_add(sum: Fraction, k: u32, residue: u32) -> Fraction {
    let at = k * TABLE_ROW + 4u;
    let terms = vec4<u64>(
        product64(residue, table[at]),
        product64(residue, table[at + 1u]),
        product64(residue, table[at + 2u]),
        product64(residue, table[at + 3u]),
    );
    let added = Fraction(sum.limbs + terms, sum.any | residue);
    if (k % 64u == 63u) {
        return fraction_carry(added);
    }
    return added;
}

// The same modulo 1, each limb below 2^26.
fn fraction_carry(sum: Fraction) -> Fraction {
    var limbs = sum.limbs;
    limbs.y += limbs.x >> 26u;
    limbs.z += limbs.y >> 26u;
    limbs.w += limbs.z >> 26u;
    return Fraction(limbs & vec4<u64>(0x3fffffflu), sum.any);
}

// The true fraction is in [sum, sum + 2^32 PRIMES) units, modulo 1.
fn fraction_sign(terms: Fraction) -> i32 {
    let sum = fraction_carry(terms).limbs;
    if ((sum.x | sum.y | sum.z | sum.w) == 0lu) {
        return select(1, 0, terms.any == 0u);
    }
    // Less than 2^32 PRIMES, which is at most 2^44, below 1/2 or 1: bits 52 to 102 are ones, and what is below them is as
    // near to 2^52.
    let ones = (sum.z & (sum.w | 0x2000000lu)) == 0x3fffffflu;
    let below = sum.x | (sum.y << 26u);
    let near = ones && below > 0x10000000000000lu - (u64(PRIMES) << 32u);
    return select(select(1, -1, sum.w >= 0x2000000lu), FRACTION_SILENT, near);
}
