//! The sign from a fraction: u/M modulo 1, in 64 bits.
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
    /// By mixed radix digits (Suzuki and Murao 2010, section 3.3.3): r²/2 products, always.
    MixedRadix,
    /// By the 64-bit fraction u/M, with r terms of 7 products each, and mixed radix digits where that does not say.
    #[default]
    Fraction,
}

/// What a prime m contributes to the fraction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight {
    /// (M/m)⁻¹ mod m: its Montgomery product with a residue in the form is s, out of the form.
    cofactor: u32,
    /// c′ = ⌊2⁶⁴/m⌋.
    whole: u64,
    /// e, the next 16 bits of 2⁶⁴/m.
    tail: u32,
}

impl Weight {
    pub(super) fn new(prime: Prime, primes: &[Prime]) -> Self {
        let others = primes.iter().filter(|other| **other != prime);
        let product = others.fold(prime.one(), |product, other| {
            prime.mul(product, prime.enter(other.value()))
        });
        let inverse = prime.invert(product).unwrap_or_else(|| unreachable!("distinct primes"));
        let quotient = (1_u128 << 80) / u128::from(prime.value());
        Self {
            cofactor: prime.leave(inverse),
            whole: (quotient >> 16)
                .to_u64()
                .unwrap_or_else(|| unreachable!("m is 3 or more")),
            tail: (quotient & 0xffff).to_u32().unwrap_or_else(|| unreachable!("16 bits")),
        }
    }

    /// The cofactor, c′ (high and low half) and e: what kernels need.
    #[expect(clippy::cast_possible_truncation, reason = "two halves")]
    pub(super) const fn constants(self) -> [u32; 4] {
        [self.cofactor, (self.whole >> 32) as u32, self.whole as u32, self.tail]
    }

    /// F of a residue in Montgomery's form.
    fn term(self, prime: Prime, residue: u32) -> u64 {
        let s = prime.mul(residue, self.cofactor);
        u64::from(s) * self.whole + u64::from((s * self.tail) >> 16)
    }
}

impl Basis {
    /// S, a lower bound of T = 2⁶⁴ (u/M mod 1), which is above it by less than 2r. The residues are in Montgomery's form.
    ///
    /// f = u/M mod 1 = Σ sₖ/mₖ mod 1 with sₖ = uₖ (M/mₖ)⁻¹ mod mₖ (Vu 1985).
    ///
    /// # Proof of what 64 bits say
    ///
    /// Let c = ⌊2⁸⁰/m⌋ = 2¹⁶ c′ + e with 0 ≤ e < 2¹⁶, so c′ = ⌊2⁶⁴/m⌋. A term is F = s c′ + ⌊s e/2¹⁶⌋, an integer: with
    /// s < m it is at most s·2⁶⁴/m < 2⁶⁴. Its deficit is δ = 2⁶⁴ s/m − F = (s/2¹⁶)(2⁸⁰/m − c) + (s e/2¹⁶ − ⌊s e/2¹⁶⌋). In the
    /// first summand s/2¹⁶ < 1 and 0 ≤ 2⁸⁰/m − c < 1; the second is in [0, 1). So 0 ≤ δ < 2, and 0 where s = 0.
    ///
    /// Let S = Σ F mod 2⁶⁴ and T = 2⁶⁴ f. Then T ≡ S + Σ δ (mod 2⁶⁴) with 0 ≤ Σ δ < 2r: T is in [S, S + 2r), modulo 2⁶⁴.
    /// T is 0 exactly for u = 0, and never 2⁶³, since M is odd. Therefore
    ///
    /// - S = 0: T is in [0, 2r), so u ≥ 0, and it is 0 exactly if all residues are;
    /// - 0 < S ≤ 2⁶³ − 2r: 0 < T < 2⁶³, so u > 0;
    /// - 2⁶³ ≤ S ≤ 2⁶⁴ − 2r: 2⁶³ ≤ T < 2⁶⁴, so u < 0;
    /// - otherwise the interval has 0 or 2⁶³ within, and the sum does not say.
    ///
    /// What it does not say are magnitudes below 2r·2⁻⁶⁴ M, or as near to M/2. Mixed radix digits say it then.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) where there is not one residue below its prime for each prime.
    ///
    /// ```
    /// use nonius::residue::Basis;
    /// let basis = Basis::new(&[3, 5, 7])?;
    /// let third = basis.residues(&35.into())?;
    /// assert!(basis.fraction(&third)?.abs_diff(u64::MAX / 3) < 6);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn fraction(&self, residues: &[u32]) -> Result<u64> {
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

    fn sum(&self, residues: impl Iterator<Item = u32>) -> u64 {
        let terms = self.primes().zip(self.weights()).zip(residues);
        terms.fold(0, |sum, ((prime, weight), residue)| {
            sum.wrapping_add(weight.term(prime, residue))
        })
    }

    fn resolve<I: Iterator<Item = u32>>(&self, residues: impl Fn() -> I) -> Option<Ordering> {
        let sum = self.sum(residues());
        let slack = 2 * self.len() as u64;
        if sum == 0 {
            let zero = residues().all(|residue| residue == 0);
            Some(if zero { Ordering::Equal } else { Ordering::Greater })
        } else if sum <= (1 << 63) - slack {
            Some(Ordering::Greater)
        } else if sum >= 1 << 63 && sum <= u64::MAX - slack + 1 {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}
