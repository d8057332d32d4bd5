//! Rationals from residues.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, Zero as _};

use crate::rational::Rational;

/// The only fraction n/d with |n| ≤ `numerator`, 0 < d ≤ `denominator` and n ≡ u d modulo M, if there is one and
/// 2 · `numerator` · `denominator` < M (Wang 1981): the first remainder of Euclid's algorithm on (M, u) that is small enough.
///
/// ```
/// use nonius::residue::linear::reconstruct;
/// // 2/3 modulo 101 is 2 · 34 = 68.
/// let found = reconstruct(&68.into(), &101_u32.into(), &7_u32.into(), &7_u32.into()).expect("2 * 7 * 7 < 101");
/// assert_eq!((found.numer(), found.denom()), (&2.into(), &3.into()));
/// ```
#[must_use]
pub fn reconstruct(u: &BigInt, modulus: &BigUint, numerator: &BigUint, denominator: &BigUint) -> Option<Rational> {
    if BigUint::from(2_u32) * numerator * denominator >= *modulus {
        return None;
    }
    let modulus = BigInt::from(modulus.clone());
    let (mut last, mut rest) = (modulus.clone(), u.mod_floor(&modulus));
    let (mut last_factor, mut factor) = (BigInt::zero(), BigInt::one());
    while rest.magnitude() > numerator {
        let (quotient, next) = last.div_mod_floor(&rest);
        (last, rest) = (rest, next);
        let next = last_factor - quotient * &factor;
        (last_factor, factor) = (factor, next);
    }
    if factor.is_zero() || factor.magnitude() > denominator || !rest.gcd(&factor).is_one() {
        return None;
    }
    Some(if factor.is_negative() {
        Rational::new_raw(-rest, -factor)
    } else {
        Rational::new_raw(rest, factor)
    })
}
