// Arithmetic on integers in the registers (or the private memory) of an invocation. What writes a number reads others: a
// pointer that is written is never another argument too.

fn r_add(x: ptr<function, Residues>, y: ptr<function, Residues>, z: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        (*z)[k] = m_add((*x)[k], (*y)[k], modulus(k));
    }
}

fn r_sub(x: ptr<function, Residues>, y: ptr<function, Residues>, z: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        (*z)[k] = m_sub((*x)[k], (*y)[k], modulus(k));
    }
}

fn r_mul(x: ptr<function, Residues>, y: ptr<function, Residues>, z: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        (*z)[k] = m_mul((*x)[k], (*y)[k], modulus(k));
    }
}

// x to the power of an exponent that is the same for all invocations.
fn r_pow(x: ptr<function, Residues>, exponent: u32, z: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        (*z)[k] = m_pow((*x)[k], exponent, modulus(k));
    }
}

// z <- which ? x : z, without a branch.
fn r_take(which: bool, x: ptr<function, Residues>, z: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        (*z)[k] = select((*z)[k], (*x)[k], which);
    }
}

fn r_set_zero(z: ptr<function, Residues>) {
    for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
        (*z)[k] = 0u;
    }
}

// -1, 0 or 1, as x compares with 0, by METHOD: 0 is mixed radix digits, 1 the fraction x/M, and digits where that does not
// say.
fn r_sign(x: ptr<function, Residues>) -> i32 {
    if (METHOD == 1u) {
        var sum = FRACTION_ZERO;
        for (var k = 0u; k < PRIMES; k++) { // unrolled to 8
            sum = fraction_add(sum, k, (*x)[k]);
        }
        let said = fraction_sign(sum);
        if (said != FRACTION_SILENT) {
            return said;
        }
    }
    var digits = *x;
    return mixed_radix(&digits);
}

// -1, 0 or 1, as x compares with y: the sign of the difference (Suzuki and Murao 2010, section 5.1).
fn r_compare(x: ptr<function, Residues>, y: ptr<function, Residues>) -> i32 {
    var difference: Residues;
    r_sub(x, y, &difference);
    return r_sign(&difference);
}
