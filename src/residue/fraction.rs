//! The sign from a fraction: u/M modulo 1, in 88 bits.
//!
//! By the Chinese remainder theorem u/M ≡ Σ sₖ/mₖ (mod 1) with sₖ = uₖ (M/mₖ)⁻¹ mod mₖ (Vu 1985). So the fraction
//! f = Σ sₖ/mₖ mod 1 is u/M for u ≥ 0 and 1 + u/M for u < 0: the sign is on which side of 1/2 it lies. All terms are
//! independent, where mixed radix digits wait for each other, and there are r of them, not r²/2.

use std::cmp::Ordering;

use num_traits::ToPrimitive as _;

use super::basis::Basis;
use super::mixed_radix;
use super::prime::Prime;
use crate::error::Result;

/// How the sign of an integer is found from its residues. Both ways give the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// By mixed radix digits (Suzuki and Murao 2010, section 3.3.3): r²/2 products of 3 multiplications each, always.
    MixedRadix,
    /// By the 88-bit fraction u/M, with r terms of 8 multiply-adds each, and mixed radix digits where that does not say.
    #[default]
    Fraction,
}

/// Bits of a fraction, as many as [`LIMBS`] numbers of [`LIMB_BITS`] have.
const BITS: u32 = 88;

/// What kernels have fractions in: 32 products of a residue and a limb, below 2²⁷ each, can be summed without a carry.
const LIMBS: usize = 8;
const LIMB_BITS: usize = 11;

/// W = ⌊2⁸⁸ w/m⌋, what a prime m contributes to the fraction for every unit of a residue in Montgomery's form: with R = 2¹⁶,
/// w = (M/m)⁻¹ R⁻¹ mod m.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight(u128);

impl Weight {
    pub(super) fn new(prime: Prime, primes: &[Prime]) -> Self {
        let others = primes.iter().filter(|other| **other != prime);
        let product = others.fold(prime.one(), |product, other| {
            prime.mul(product, prime.enter(other.value()))
        });
        let inverse = prime.invert(product).unwrap_or_else(|| unreachable!("distinct primes"));
        // Out of the form is R⁻¹ once.
        let w = prime.leave(prime.leave(inverse));
        Self((u128::from(w) << BITS) / u128::from(prime.value()))
    }

    /// Its limbs, lowest first: what kernels need.
    pub(super) fn limbs(self) -> [u32; LIMBS] {
        std::array::from_fn(|limb| {
            let limb = (self.0 >> (LIMB_BITS * limb)) & ((1 << LIMB_BITS) - 1);
            limb.to_u32().unwrap_or_else(|| unreachable!("11 bits"))
        })
    }
}

impl Basis {
    /// S, a lower bound of T = 2⁸⁸ (u/M mod 1), which is above it by less than 2¹⁶ r. The residues are in Montgomery's form.
    ///
    /// f = u/M mod 1 = Σ sₖ/mₖ mod 1 with sₖ = uₖ (M/mₖ)⁻¹ mod mₖ (Vu 1985).
    ///
    /// # Proof of what 88 bits say
    ///
    /// Let x < m be the residue in the form, x ≡ uₖ R, and w = (M/m)⁻¹ R⁻¹ mod m. Then x w ≡ sₖ (mod m), so x w/m and sₖ/m
    /// differ by an integer, and nothing need leave the form. A term is F = x W with W = ⌊2⁸⁸ w/m⌋. Its deficit is
    /// δ = 2⁸⁸ x w/m − F = x (2⁸⁸ w/m − W), hence 0 ≤ δ < x < 2¹⁶, or 0 where x = 0.
    ///
    /// Let S = Σ F mod 2⁸⁸ and T = 2⁸⁸ f. Then T ≡ S + Σ δ (mod 2⁸⁸) with 0 ≤ Σ δ < 2¹⁶ r: T is in [S, S + 2¹⁶ r), modulo 2⁸⁸.
    /// T is 0 exactly for u = 0, and never 2⁸⁷, since M is odd. Therefore
    ///
    /// - S = 0: T is in [0, 2¹⁶ r), so u ≥ 0, and it is 0 exactly if all residues are;
    /// - 0 < S ≤ 2⁸⁷ − 2¹⁶ r: 0 < T < 2⁸⁷, so u > 0;
    /// - 2⁸⁷ ≤ S ≤ 2⁸⁸ − 2¹⁶ r: 2⁸⁷ ≤ T < 2⁸⁸, so u < 0;
    /// - otherwise the interval has 0 or 2⁸⁷ within, and the sum does not say.
    ///
    /// What it does not say are magnitudes below r·2⁻⁷² M, or as near to M/2. Mixed radix digits say it then.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) where there is not one residue below its prime for each prime.
    ///
    /// ```
    /// use nonius::residue::Basis;
    /// let basis = Basis::new(&[3, 5, 7])?;
    /// let third = basis.residues(&35.into())?;
    /// assert!(basis.fraction(&third)?.abs_diff((1 << 88) / 3) <= 3 << 16);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn fraction(&self, residues: &[u32]) -> Result<u128> {
        self.check_residues("a fraction of the range", residues)?;
        Ok(self.sum(residues.iter().copied()))
    }

    /// The sign of the integer that has these residues (in Montgomery's form), as it compares with 0.
    ///
    /// # Errors
    /// As [`Basis::fraction`].
    ///
    /// ```
    /// use nonius::residue::{Basis, Method};
    /// let basis = Basis::largest(30)?;
    /// let residues = basis.residues(&(-1).into())?;
    /// assert!(basis.sign(&residues, Method::Fraction)?.is_lt());
    /// assert!(basis.sign(&residues, Method::MixedRadix)?.is_lt());
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn sign(&self, residues: &[u32], method: Method) -> Result<Ordering> {
        self.check_residues("the sign of residues", residues)?;
        Ok(self.sign_of(method, || residues.iter().copied()))
    }

    /// The sign, if the fraction alone says it.
    ///
    /// # Errors
    /// As [`Basis::fraction`].
    pub fn sign_by_fraction(&self, residues: &[u32]) -> Result<Option<Ordering>> {
        self.check_residues("the sign of residues", residues)?;
        Ok(self.resolve(|| residues.iter().copied()))
    }

    pub(crate) fn sign_of<I: Iterator<Item = u32>>(&self, method: Method, residues: impl Fn() -> I) -> Ordering {
        let said = match method {
            Method::MixedRadix => None,
            Method::Fraction => self.resolve(&residues),
        };
        said.unwrap_or_else(|| mixed_radix::sign(&self.digits(residues())))
    }

    /// Of r terms below 2¹⁰⁴ each: no sum of them reaches 2¹²⁸.
    fn sum(&self, residues: impl Iterator<Item = u32>) -> u128 {
        let terms = self.weights().iter().zip(residues);
        let sum: u128 = terms.map(|(weight, residue)| weight.0 * u128::from(residue)).sum();
        sum & ((1 << BITS) - 1)
    }

    fn resolve<I: Iterator<Item = u32>>(&self, residues: impl Fn() -> I) -> Option<Ordering> {
        const HALF: u128 = 1 << (BITS - 1);
        let sum = self.sum(residues());
        let slack = (self.len() as u128) << 16;
        if sum == 0 {
            let zero = residues().all(|residue| residue == 0);
            Some(if zero { Ordering::Equal } else { Ordering::Greater })
        } else if sum <= HALF - slack {
            Some(Ordering::Greater)
        } else if sum >= HALF && sum <= 2 * HALF - slack {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}
