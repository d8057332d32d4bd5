// Sums of products modulo a prime that are reduced once, at their end (src/residue/linear/batched/mod.rs).
//
// Factors are balanced: |x| <= (p - 1) / 2 < 2^15, so the sum of two products and 16 bits more fits an i32. A sum is two
// numbers, high 2^16 + low; after two products, what is above 16 bits of low goes to high: two multiply-adds, a shift, a
// mask and an addition for two products, 2.5 instructions each. A sum has 32 products at most.

// x - p above p / 2.
fn balanced(x: u32, m: Modulus) -> i32 { return i32(x) - select(0i, i32(m.prime), x > m.prime / 2u); }

// (high 2^16 + low) / 2^32 mod p, for 0 <= low < 2^16 after at most 16 folds: |high| <= 8 p + 16. Two reductions of
// Montgomery's; so one factor of each product is in the form twice, x 2^32 mod p.
fn settled(low: i32, high: i32, m: Modulus) -> u32 {
    let q = (u32(low) * m.inverse) & 0xffffu;
    // Below 19 p, and not negative, since 10 p is added.
    let word = u32(high + i32(10u * m.prime) - i32((q * m.prime) >> 16u));
    let again = ((word & 0xffffu) * m.inverse) & 0xffffu;
    return m_sub(word >> 16u, (again * m.prime) >> 16u, m);
}
