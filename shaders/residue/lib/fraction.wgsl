// The fraction x/M modulo 1 in 88 bits, and the sign that it says, for narrow primes (src/residue/fraction.rs has the proof;
// fraction_wide.wgsl is the same for wide ones). Every term is less than 2^16 units of 2^-88 below what it stands for, and
// the sum less than 2^16 PRIMES.
//
// The bits are in 8 limbs of 11, lowest first. A product of a residue and a limb is below 2^27, so that 32 of them, and what
// is carried into them, stay below 2^32: a term is 8 multiply-adds, and carries are made every 32 terms and at the end.
struct Fraction {
    low: vec4<u32>,
    high: vec4<u32>,
    // All residues: zero exactly for x = 0.
    any: u32,
}

const FRACTION_ZERO: Fraction = Fraction(vec4<u32>(0u), vec4<u32>(0u), 0u);

// The sign is not said.
const FRACTION_SILENT: i32 = 2;

// The sum with the term of residue k. Residues come in their order, since every 32nd has the carries made.
fn fraction_add(sum: Fraction, k: u32, residue: u32) -> Fraction {
    let at = k * TABLE_ROW + 4u;
    let low = sum.low + residue * vec4<u32>(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
    let high = sum.high + residue * vec4<u32>(table[at + 4u], table[at + 5u], table[at + 6u], table[at + 7u]);
    let added = Fraction(low, high, sum.any | residue);
    if (k % 32u == 31u) {
        return fraction_carry(added);
    }
    return added;
}

// The same modulo 1, each limb below 2^11.
fn fraction_carry(sum: Fraction) -> Fraction {
    var low = sum.low;
    var high = sum.high;
    low.y += low.x >> 11u;
    low.z += low.y >> 11u;
    low.w += low.z >> 11u;
    high.x += low.w >> 11u;
    high.y += high.x >> 11u;
    high.z += high.y >> 11u;
    high.w += high.z >> 11u;
    return Fraction(low & vec4<u32>(0x7ffu), high & vec4<u32>(0x7ffu), sum.any);
}

// The true fraction is in [sum, sum + 2^16 PRIMES) units, modulo 1.
fn fraction_sign(terms: Fraction) -> i32 {
    let sum = fraction_carry(terms);
    let limbs = sum.low | sum.high;
    if ((limbs.x | limbs.y | limbs.z | limbs.w) == 0u) {
        return select(1, 0, sum.any == 0u);
    }
    // Less than 2^16 PRIMES below 1/2 or 1: bits 32 to 86 are ones, and what is below them is as near to 2^32.
    let ones = sum.low.w & sum.high.x & sum.high.y & sum.high.z & (sum.high.w | 0x400u);
    let below = sum.low.x | (sum.low.y << 11u) | (sum.low.z << 22u);
    let near = ones == 0x7ffu && sum.low.z >= 0x400u && below > 0u - (PRIMES << 16u);
    return select(select(1, -1, sum.high.w >= 0x400u), FRACTION_SILENT, near);
}
