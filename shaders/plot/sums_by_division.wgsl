// Sums and differences modulo a prime by a division, as Suzuki and Murao (2010) first wrote them; residue/lib/sums.wgsl
// is what they made of them in section 5.2.

fn m_add(x: u32, y: u32, m: Modulus) -> u32 { return (x + y) % m.prime; }

// A difference of any two numbers below 2^16, the second at most a prime.
fn m_sub(x: u32, y: u32, m: Modulus) -> u32 { return (x + m.prime - y) % m.prime; }
