// The fraction x/M modulo 1 in 64 bits, and the sign that it says (src/residue/fraction.rs has the proof). Every term is
// less than 2 units of 2^-64 below what it stands for, and the sum less than 2 PRIMES.
struct Fraction {
    high: u32,
    low: u32,
    // All of s_k: zero exactly for x = 0.
    any: u32,
}

const FRACTION_ZERO: Fraction = Fraction(0u, 0u, 0u);

// The sign is not said.
const FRACTION_SILENT: i32 = 2;

// The sum with the term of residue k. s c' + floor(s e / 2^16) in halves of 16 and 32 bits, none of which overflows:
// s (c' mod 2^16) + floor(s e / 2^16) is at most (2^16 - 1)^2 + 2^16 - 1 < 2^32, and so is the next.
fn fraction_add(sum: Fraction, k: u32, residue: u32) -> Fraction {
    let at = k * TABLE_ROW;
    let s = m_mul(residue, table[at + 4u], modulus(k));
    let whole = table[at + 6u];
    let first = s * (whole & 0xffffu) + ((s * table[at + 7u]) >> 16u);
    let second = s * (whole >> 16u) + (first >> 16u);
    let low = sum.low + ((second << 16u) | (first & 0xffffu));
    let carry = select(0u, 1u, low < sum.low);
    return Fraction(sum.high + s * table[at + 5u] + (second >> 16u) + carry, low, sum.any | s);
}

// The true fraction is in [sum, sum + 2 PRIMES) units, modulo 1.
fn fraction_sign(sum: Fraction) -> i32 {
    if (sum.high == 0u && sum.low == 0u) {
        return select(1, 0, sum.any == 0u);
    }
    // Less than 2 PRIMES below 1/2 or 1.
    let near = (sum.high & 0x7fffffffu) == 0x7fffffffu && sum.low > 0u - 2u * PRIMES;
    return select(select(1, -1, sum.high >= 0x80000000u), FRACTION_SILENT, near);
}
