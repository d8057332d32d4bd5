//! Arithmetic modulo one odd prime below 2¹⁶, without divisions: Montgomery's products with R = 2¹⁶.
//!
//! Sums and differences are corrected by one conditional subtraction (Suzuki and Murao 2010, section 5.2), and products
//! are Montgomery's in the signed form, whose operands fit 32 bits. `shaders/residue/lib/modular.wgsl` has the same
//! functions.

use crate::error::{Error, Result};

/// R = 2¹⁶ of Montgomery's products.
const BITS: u32 = 16;
const MASK: u32 = (1 << BITS) - 1;

/// An odd prime below 2¹⁶. Residues are in Montgomery's form, x · 2¹⁶ mod p, unless said otherwise.
///
/// ```
/// use nonius::residue::Prime;
/// let p = Prime::new(65_521)?;
/// let (x, y) = (p.enter(12_345), p.enter(54_321));
/// assert_eq!(p.leave(p.mul(x, y)), 12_345 * 54_321 % 65_521);
/// assert_eq!(p.invert(x).map(|inverse| p.leave(p.mul(x, inverse))), Some(1));
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prime {
    p: u32,
    /// p⁻¹ mod 2¹⁶.
    inverse: u32,
    /// 2¹⁶ mod p: the form of 1.
    one: u32,
    /// 2³² mod p: a product with it enters the form.
    square: u32,
}

impl Prime {
    /// The prime `p`.
    ///
    /// # Errors
    /// [`Error::Basis`] where `p` is not an odd prime below 2¹⁶.
    pub fn new(p: u32) -> Result<Self> {
        if p > MASK || p.is_multiple_of(2) || !is_prime(p) {
            return Err(Error::Basis {
                reason: format!("{p} is not an odd prime below 65536"),
            });
        }
        // Newton: an odd p is its own inverse modulo 8, and each step doubles the bits.
        let mut inverse = p;
        for _ in 0..3 {
            inverse = inverse.wrapping_mul(2_u32.wrapping_sub(p.wrapping_mul(inverse)));
        }
        let one = (1 << BITS) % p;
        Ok(Self {
            p,
            inverse: inverse & MASK,
            one,
            square: one * one % p,
        })
    }

    /// p.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.p
    }

    /// The form of 1.
    #[must_use]
    pub const fn one(self) -> u32 {
        self.one
    }

    /// p, p⁻¹ mod 2¹⁶, 2¹⁶ mod p and 2³² mod p: what kernels need.
    pub(crate) const fn constants(self) -> [u32; 4] {
        [self.p, self.inverse, self.one, self.square]
    }

    /// x + y, in any form that both have.
    #[must_use]
    pub fn add(self, x: u32, y: u32) -> u32 {
        let sum = x + y;
        // Below p, sum − p wraps to something large.
        sum.min(sum.wrapping_sub(self.p))
    }

    /// x − y, in any form that both have.
    #[must_use]
    pub fn sub(self, x: u32, y: u32) -> u32 {
        let difference = x.wrapping_sub(y);
        difference.min(difference.wrapping_add(self.p))
    }

    /// −x, in any form.
    #[must_use]
    pub fn neg(self, x: u32) -> u32 {
        self.sub(0, x)
    }

    /// x y / 2¹⁶ mod p, for x < 2¹⁶ and y < p (or the other way round): the product of two residues in Montgomery's form.
    ///
    /// With q = x y p⁻¹ mod 2¹⁶, the low halves of x y and q p are equal, so the difference of the high halves is exactly
    /// (x y − q p) / 2¹⁶. Both high halves are below p, hence the difference is above −p (Montgomery 1985, signed).
    #[must_use]
    pub fn mul(self, x: u32, y: u32) -> u32 {
        let product = x.wrapping_mul(y);
        let q = (product & MASK).wrapping_mul(self.inverse) & MASK;
        self.sub(product >> BITS, (q * self.p) >> BITS)
    }

    /// x to the power of `exponent`; 1 for 0.
    #[must_use]
    pub fn pow(self, mut x: u32, mut exponent: u32) -> u32 {
        let mut power = self.one;
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.mul(power, x);
            }
            x = self.mul(x, x);
            exponent >>= 1;
        }
        power
    }

    /// 1/x (Fermat: x to the power of p − 2); none for 0.
    #[must_use]
    pub fn invert(self, x: u32) -> Option<u32> {
        (x != 0).then(|| self.pow(x, self.p - 2))
    }

    /// The form of any integer.
    #[must_use]
    pub fn enter(self, x: u32) -> u32 {
        self.mul(x % self.p, self.square)
    }

    /// The residue itself, from its form.
    #[must_use]
    pub fn leave(self, x: u32) -> u32 {
        self.mul(x, 1)
    }

    /// The integer between −p/2 and p/2 that has this residue, out of the form.
    #[must_use]
    pub(crate) fn symmetric(self, residue: u32) -> i32 {
        let signed = residue.cast_signed();
        if residue > self.p / 2 {
            signed - self.p.cast_signed()
        } else {
            signed
        }
    }

    /// The primes below 2¹⁶, largest first.
    pub(crate) fn descending() -> impl Iterator<Item = u32> {
        (3..=MASK).rev().step_by(2).filter(|p| is_prime(*p))
    }
}

fn is_prime(p: u32) -> bool {
    p >= 2 && (2..).take_while(|d| d * d <= p).all(|d| !p.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_at_the_ends_for_every_prime() {
        for p in Prime::descending() {
            let prime = Prime::new(p).expect("a prime");
            let ends = [0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1].map(|x| x % p);
            for (x, y) in ends.iter().flat_map(|x| ends.map(|y| (*x, y))) {
                let product = prime.mul(prime.enter(x), prime.enter(y));
                assert!(product < p, "{x} * {y} modulo {p}");
                assert_eq!(
                    u64::from(prime.leave(product)),
                    u64::from(x) * u64::from(y) % u64::from(p),
                    "modulo {p}"
                );
                assert_eq!(prime.add(x, y), (x + y) % p);
                assert_eq!(prime.sub(x, y), (x + p - y) % p);
                // The factor that need not be reduced.
                assert_eq!(prime.mul(MASK, y), prime.mul(MASK % p, y), "modulo {p}");
            }
        }
    }

    #[test]
    fn the_primes_are_those_that_are_known() {
        let primes: Vec<u32> = Prime::descending().collect();
        assert_eq!(primes.len(), 6541, "6542 below 2^16, one of them even");
        assert_eq!(primes[..4], [65_521, 65_519, 65_497, 65_479]);
        for p in [0, 1, 2, 4, 9, 65_535, 65_537, u32::MAX] {
            assert!(matches!(Prime::new(p), Err(Error::Basis { .. })), "{p}");
        }
    }
}
