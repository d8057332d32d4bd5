//! The sign from a fraction: u/M modulo 1, in 88 bits, or 104 where primes are wide.
//!
//! By the Chinese remainder theorem u/M ≡ Σ sₖ/mₖ (mod 1) with sₖ = uₖ (M/mₖ)⁻¹ mod mₖ (Vu 1985). So the fraction
//! f = Σ sₖ/mₖ mod 1 is u/M for u ≥ 0 and 1 + u/M for u < 0: the sign is on which side of 1/2 it lies. All terms are
//! independent, where mixed radix digits wait for each other, and there are r of them, not r²/2.

use std::cmp::Ordering;

use super::basis::Basis;
use super::mixed_radix;
use crate::error::Result;

/// How the sign of an integer is found from its residues. Both ways give the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// By mixed radix digits (Suzuki and Murao 2010, section 3.3.3): r²/2 products modulo primes, always.
    MixedRadix,
    /// By the fraction u/M, and mixed radix digits where that does not say. It has r terms of 8 multiply-adds each, in 88 bits;
    /// or, where primes are wide, of 4 that add products of 64 bits, in 104.
    #[default]
    Fraction,
}

impl Basis {
    /// S, a lower bound of T = 2ᴮ (u/M mod 1), which is above it by less than R r: B is 88 and R = 2¹⁶ for narrow primes, B is
    /// 104 and R = 2³² for wide ones. The residues are in Montgomery's form.
    ///
    /// f = u/M mod 1 = Σ sₖ/mₖ mod 1 with sₖ = uₖ (M/mₖ)⁻¹ mod mₖ (Vu 1985).
    ///
    /// # Proof of what B bits say
    ///
    /// Let x < m be the residue in the form, x ≡ uₖ R, and w = (M/m)⁻¹ R⁻¹ mod m. Then x w ≡ sₖ (mod m), so x w/m and sₖ/m
    /// differ by an integer, and nothing need leave the form. A term is F = x W with W = ⌊2ᴮ w/m⌋. Its deficit is
    /// δ = 2ᴮ x w/m − F = x (2ᴮ w/m − W), hence 0 ≤ δ < x < R, or 0 where x = 0.
    ///
    /// Let S = Σ F mod 2ᴮ and T = 2ᴮ f. Then T ≡ S + Σ δ (mod 2ᴮ) with 0 ≤ Σ δ < R r: T is in [S, S + R r), modulo 2ᴮ.
    /// T is 0 exactly for u = 0, and never 2ᴮ⁻¹, since M is odd. Therefore
    ///
    /// - S = 0: T is in [0, R r), so u ≥ 0, and it is 0 exactly if all residues are;
    /// - 0 < S ≤ 2ᴮ⁻¹ − R r: 0 < T < 2ᴮ⁻¹, so u > 0;
    /// - 2ᴮ⁻¹ ≤ S ≤ 2ᴮ − R r: 2ᴮ⁻¹ ≤ T < 2ᴮ, so u < 0;
    /// - otherwise the interval has 0 or 2ᴮ⁻¹ within, and the sum does not say.
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

    fn sum(&self, residues: impl Iterator<Item = u32>) -> u128 {
        let terms = self.weights().iter().zip(residues);
        let terms = terms.map(|(weight, residue)| weight.term(residue));
        terms.fold(0, u128::wrapping_add) & ((1 << self.width().fraction_bits()) - 1)
    }

    fn resolve<I: Iterator<Item = u32>>(&self, residues: impl Fn() -> I) -> Option<Ordering> {
        let half: u128 = 1 << (self.width().fraction_bits() - 1);
        let sum = self.sum(residues());
        let slack = (self.len() as u128) << self.width().bits();
        if sum == 0 {
            let zero = residues().all(|residue| residue == 0);
            Some(if zero { Ordering::Equal } else { Ordering::Greater })
        } else if sum <= half - slack {
            Some(Ordering::Greater)
        } else if sum >= half && sum <= 2 * half - slack {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}
