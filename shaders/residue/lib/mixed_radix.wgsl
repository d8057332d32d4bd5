// Mixed radix digits of the first DIGITS residues of x (Suzuki and Murao 2010, section 3.3.2; src/residue/mixed_radix.rs).
// They replace the residues: v in [0, m), which means v - m where v > m/2. The result is the number's sign, that of the
// highest digit which is not zero. DIGITS (DIGITS + 1) / 2 products. Up to 8 digits stay in registers.
fn mixed_radix(x: ptr<function, Residues>) -> i32 {
    for (var k = 0u; k < DIGITS; k++) { // unrolled to 8
        (*x)[k] = m_leave((*x)[k], modulus(k));
    }
    var sign = 0;
    for (var i = 0u; i < DIGITS; i++) { // unrolled to 8
        let digit = (*x)[i];
        let prime = table[i * TABLE_ROW];
        let negative = digit > prime / 2u;
        sign = select(sign, select(1, -1, negative), digit != 0u);
        for (var k = i + 1u; k < DIGITS; k++) { // unrolled to 8
            let m = modulus(k);
            (*x)[k] = m_mul(m_sub((*x)[k], digit_residue(digit, prime, m.prime), m), inverse_of(i, k), m);
        }
    }
    return sign;
}
