// Arithmetic modulo the primes of a basis (src/residue/prime.rs). Residues are in Montgomery's form, x R mod p, unless said
// otherwise. Integers only: WGSL promises what they do, also where they wrap. sums.wgsl adds and subtracts, narrow.wgsl or
// wide.wgsl says what R is and multiplies, and table.wgsl says where the constants are.
struct Modulus {
    prime: u32,
    // prime^-1 mod R.
    inverse: u32,
    // The forms of 1 and of R.
    one: u32,
    square: u32,
}

fn modulus(k: u32) -> Modulus {
    let at = k * TABLE_ROW;
    return Modulus(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
}

fn m_neg(x: u32, m: Modulus) -> u32 { return m_sub(0u, x, m); }

// The exponent is the same for all invocations, so none waits for another.
fn m_pow(x: u32, exponent: u32, m: Modulus) -> u32 {
    var power = m.one;
    var square = x;
    for (var left = exponent; left > 0u; left >>= 1u) {
        if ((left & 1u) == 1u) {
            power = m_mul(power, square, m);
        }
        square = m_mul(square, square, m);
    }
    return power;
}

// Into the form from a residue, and out of it.
fn m_enter(x: u32, m: Modulus) -> u32 { return m_mul(x, m.square, m); }
fn m_leave(x: u32, m: Modulus) -> u32 { return m_mul(x, 1u, m); }
