// Primes between 2^30 and 2^31: R = 2^32, and products are of 64 bits (lib/int64.wgsl).

// A row of the table: a Modulus, and four limbs of 26 bits (fraction_wide.wgsl).
const TABLE_ROW: u32 = 8u;

// x y / R mod p, for one factor below p and the other below R: the low halves of x y and q p are equal, and so of no use.
fn m_mul(x: u32, y: u32, m: Modulus) -> u32 {
    let q = x * y * m.inverse;
    return m_sub(high_product(x, y), high_product(q, m.prime), m);
}
