//! Mixed radix digits (Garner 1959): what residues are in, as a number that can be read from the top.

use std::cmp::Ordering;

use super::basis::Basis;
use super::prime::Prime;
use super::width::Width;
use crate::error::Result;

impl Basis {
    /// The symmetric mixed radix digits v₁, …, vᵣ of the integer that has these residues (in Montgomery's form):
    /// u = v₁ + m₁(v₂ + m₂(… + mᵣ₋₁ vᵣ)) with −⌊m/2⌋ ≤ v ≤ ⌊m/2⌋.
    ///
    /// v₁ = u₁, and vₖ = (…((uₖ − v₁) m₁⁻¹ − v₂) m₂⁻¹ … − vₖ₋₁) mₖ₋₁⁻¹ mod mₖ (Suzuki and Murao 2010, section
    /// 3.3.2). Cost: r(r + 1)/2 products modulo primes, in r steps that wait for each other.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) where there is not one residue below its prime for each prime.
    ///
    /// ```
    /// use nonius::residue::Basis;
    /// let basis = Basis::new(&[3, 5, 7])?;
    /// let residues = basis.residues(&(-52).into())?;
    /// assert_eq!(basis.mixed_radix(&residues)?, [-1, -2, -3]);
    /// assert_eq!(-1 + 3 * (-2 + 5 * -3), -52);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn mixed_radix(&self, residues: &[u32]) -> Result<Vec<i32>> {
        self.check_residues("mixed radix digits", residues)?;
        Ok(self.digits(residues.iter().copied()))
    }

    /// The same of residues that are known to fit.
    pub(crate) fn digits(&self, residues: impl Iterator<Item = u32>) -> Vec<i32> {
        match self.width() {
            Width::Narrow => self.digits_by(Prime::mul_narrow, residues),
            Width::Wide => self.digits_by(Prime::mul_wide, residues),
        }
    }

    fn digits_by(&self, mul: impl Fn(Prime, u32, u32) -> u32, residues: impl Iterator<Item = u32>) -> Vec<i32> {
        let mut rest: Vec<u32> = residues.zip(self.primes()).map(|(u, prime)| prime.leave(u)).collect();
        for i in 0..rest.len() {
            let digit = self.prime(i).symmetric(rest[i]);
            for (k, rest) in (i + 1..).zip(&mut rest[i + 1..]) {
                let prime = self.prime(k);
                // |digit| < mₖ, as Basis::new has made sure.
                let residue = if digit < 0 {
                    digit + prime.value().cast_signed()
                } else {
                    digit
                };
                // The difference is a residue itself and the inverse is in Montgomery's form, so the product is a residue.
                *rest = mul(prime, prime.sub(*rest, residue.cast_unsigned()), self.inverse(i, k));
            }
        }
        rest.into_iter()
            .zip(self.primes())
            .map(|(v, prime)| prime.symmetric(v))
            .collect()
    }
}

/// The sign of a number with these digits: that of the highest which is not zero, since what is below it,
/// v₁ + … + m₁⋯mₖ₋₂ vₖ₋₁, is at most ⌊m₁⋯mₖ₋₁/2⌋ in magnitude.
pub(crate) fn sign(digits: &[i32]) -> Ordering {
    digits
        .iter()
        .rev()
        .map(|digit| digit.cmp(&0))
        .find(|sign| sign.is_ne())
        .unwrap_or(Ordering::Equal)
}
