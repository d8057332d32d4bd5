// Primes below 2^16: R = 2^16, and products are of 32 bits.

// A row of the table: a Modulus, and eight limbs of 11 bits (fraction.wgsl).
const TABLE_ROW: u32 = 12u;

// x y / R mod p, for one factor below p and the other below R: the low halves of x y and q p are equal.
fn m_mul(x: u32, y: u32, m: Modulus) -> u32 {
    let product = x * y;
    let q = ((product & 0xffffu) * m.inverse) & 0xffffu;
    return m_sub(product >> 16u, (q * m.prime) >> 16u, m);
}
