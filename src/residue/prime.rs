//! Arithmetic modulo one prime, without divisions: Montgomery's products with R = 2¹⁶ or 2³².
//!
//! Sums and differences are corrected by one conditional subtraction (Suzuki and Murao 2010, section 5.2), and products
//! are Montgomery's in the signed form, whose operands fit twice the bits of a residue. `shaders/residue/lib/modular.wgsl`, with
//! `narrow.wgsl` or `wide.wgsl`, has the same functions.

use std::ops::RangeInclusive;

use super::width::Width;
use crate::error::{Error, Result};

const MASK: u32 = 0xffff;

/// An odd prime below 2¹⁶, or one between 2³⁰ and 2³¹ ([`Width`]). Residues are in Montgomery's form, x R mod p, unless said
/// otherwise, where R is 2¹⁶ or 2³².
///
/// ```
/// use nonius::residue::Prime;
/// let p = Prime::new(65_521)?;
/// let (x, y) = (p.enter(12_345), p.enter(54_321));
/// assert_eq!(p.leave(p.mul(x, y)), 12_345 * 54_321 % 65_521);
/// assert_eq!(p.invert(x).map(|inverse| p.leave(p.mul(x, inverse))), Some(1));
/// let p = Prime::new(2_147_483_647)?;
/// assert_eq!(p.leave(p.mul(p.enter(2_000_000_000), p.enter(2_000_000_000))), 211_137_950);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prime {
    p: u32,
    /// p⁻¹ mod R.
    inverse: u32,
    /// R mod p: the form of 1.
    one: u32,
    /// R² mod p: a product with it enters the form.
    square: u32,
}

impl Prime {
    /// The prime `p`.
    ///
    /// # Errors
    /// [`Error::Basis`] where `p` is neither an odd prime below 2¹⁶ nor one between 2³⁰ and 2³¹.
    pub fn new(p: u32) -> Result<Self> {
        let wide = Self::range(Width::Wide).contains(&p);
        if (p > MASK && !wide) || p.is_multiple_of(2) || !is_prime(p) {
            return Err(Error::Basis {
                reason: format!("{p} is not an odd prime below 65536, nor one between 2^30 and 2^31"),
            });
        }
        Ok(Self::odd(p))
    }

    /// The arithmetic modulo any odd number of these widths; without inverses where it is not prime.
    fn odd(p: u32) -> Self {
        // Newton: an odd p is its own inverse modulo 8, and each step doubles the bits.
        let mut inverse = p;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2_u32.wrapping_sub(p.wrapping_mul(inverse)));
        }
        let modulo = |x: u64| {
            let rest = x % u64::from(p);
            rest.try_into().unwrap_or_else(|_| unreachable!("below p"))
        };
        let mut prime = Self {
            p,
            inverse,
            one: 0,
            square: 0,
        };
        let bits = prime.width().bits();
        prime.inverse &= u32::MAX >> (32 - bits);
        prime.one = modulo(1 << bits);
        prime.square = modulo(u64::from(prime.one) * u64::from(prime.one));
        prime
    }

    /// How wide it is.
    #[must_use]
    pub const fn width(self) -> Width {
        if self.p > MASK { Width::Wide } else { Width::Narrow }
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

    /// p, p⁻¹ mod R, R mod p and R² mod p: what kernels need.
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

    /// x y / R mod p, for x < R and y < p (or the other way round): the product of two residues in Montgomery's form.
    ///
    /// With q = x y p⁻¹ mod R, the low halves of x y and q p are equal, so the difference of the high halves is exactly
    /// (x y − q p) / R. Both high halves are below p, hence the difference is above −p (Montgomery 1985, signed).
    #[must_use]
    pub fn mul(self, x: u32, y: u32) -> u32 {
        match self.width() {
            Width::Narrow => self.mul_narrow(x, y),
            Width::Wide => self.mul_wide(x, y),
        }
    }

    /// [`Prime::mul`] of a narrow prime: for loops, out of which a compiler does not take the question.
    pub(crate) fn mul_narrow(self, x: u32, y: u32) -> u32 {
        let product = x.wrapping_mul(y);
        let q = (product & MASK).wrapping_mul(self.inverse) & MASK;
        self.sub(product >> 16, q.wrapping_mul(self.p) >> 16)
    }

    /// [`Prime::mul`] of a wide prime.
    pub(crate) fn mul_wide(self, x: u32, y: u32) -> u32 {
        let q = x.wrapping_mul(y).wrapping_mul(self.inverse);
        self.sub(high(x, y), high(q, self.p))
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

    /// The primes of a width, largest first, each found when it is asked for.
    pub(crate) fn descending(width: Width) -> impl Iterator<Item = u32> {
        Self::range(width).rev().step_by(2).filter(|p| is_prime(*p))
    }

    /// From an odd number to an odd number.
    const fn range(width: Width) -> RangeInclusive<u32> {
        match width {
            Width::Narrow => 3..=MASK,
            Width::Wide => (1 << 30) + 1..=(1 << 31) - 1,
        }
    }
}

/// The high word of x y.
fn high(x: u32, y: u32) -> u32 {
    let product = u64::from(x) * u64::from(y);
    (product >> 32).try_into().unwrap_or_else(|_| unreachable!("32 bits"))
}

/// Narrow ones by trial division, up to 256. That takes up to 46,341 for wide ones, where four powers decide: no number
/// below 2³¹ passes Miller and Rabin's test for the bases 2, 3, 5 and 7 but primes (Pomerance, Selfridge and Wagstaff 1980,
/// whose first exception is 3,215,031,751).
fn is_prime(p: u32) -> bool {
    if p <= MASK {
        return p >= 2 && (2..).take_while(|d| d * d <= p).all(|d| !p.is_multiple_of(d));
    }
    // Montgomery's products are right modulo every odd number.
    let odd = Prime::odd(p);
    let minus_one = odd.neg(odd.one);
    let twos = (p - 1).trailing_zeros();
    [2, 3, 5, 7].into_iter().all(|base| {
        let mut power = odd.pow(odd.enter(base), (p - 1) >> twos);
        power == odd.one
            || (0..twos).any(|_| {
                let passes = power == minus_one;
                power = odd.mul(power, power);
                passes
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest and the smallest.
    fn wide() -> impl Iterator<Item = u32> {
        let smallest = Prime::range(Width::Wide).step_by(2).filter(|p| is_prime(*p));
        Prime::descending(Width::Wide).take(100).chain(smallest.take(100))
    }

    #[test]
    fn products_are_exact_at_the_ends_for_every_prime() {
        let narrow = Prime::descending(Width::Narrow);
        for p in narrow.chain(wide()) {
            let prime = Prime::new(p).expect("a prime");
            let largest = u32::MAX >> (32 - prime.width().bits());
            let ends = [0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1].map(|x| x % p);
            let modulo = |x: u64| u32::try_from(x % u64::from(p)).expect("below p");
            for (x, y) in ends.iter().flat_map(|x| ends.map(|y| (*x, y))) {
                let product = prime.mul(prime.enter(x), prime.enter(y));
                assert!(product < p, "{x} * {y} modulo {p}");
                assert_eq!(
                    prime.leave(product),
                    modulo(u64::from(x) * u64::from(y)),
                    "{x} * {y} modulo {p}"
                );
                assert_eq!(prime.add(x, y), modulo(u64::from(x) + u64::from(y)), "modulo {p}");
                assert_eq!(
                    prime.sub(x, y),
                    modulo(u64::from(x) + u64::from(p) - u64::from(y)),
                    "modulo {p}"
                );
                // The factor that need not be reduced.
                assert_eq!(prime.mul(largest, y), prime.mul(largest % p, y), "modulo {p}");
            }
            for x in ends.into_iter().filter(|x| *x > 0) {
                let inverse = prime.invert(prime.enter(x)).expect("not 0");
                assert_eq!(prime.mul(prime.enter(x), inverse), prime.one(), "1/{x} modulo {p}");
            }
        }
    }

    #[test]
    fn the_primes_are_those_that_are_known() {
        let primes: Vec<u32> = Prime::descending(Width::Narrow).collect();
        assert_eq!(primes.len(), 6541, "6542 below 2^16, one of them even");
        assert_eq!(primes[..4], [65_521, 65_519, 65_497, 65_479]);
        assert_eq!(
            primes.iter().filter(|p| **p > 1 << 15).count(),
            Width::Narrow.most(),
            "above 2^15"
        );
        for p in [0, 1, 2, 4, 9, 65_535, 65_537, 1 << 30, 1 << 31, 2_147_483_659, u32::MAX] {
            assert!(matches!(Prime::new(p), Err(Error::Basis { .. })), "{p}");
        }
    }

    #[test]
    fn wide_primes_are_those_of_trial_division() {
        let by_division = |p: u32| (3..46_342).step_by(2).all(|d| !p.is_multiple_of(d));
        let top = Prime::range(Width::Wide).rev().step_by(2).take(1000);
        let bottom = Prime::range(Width::Wide).step_by(2).take(1000);
        for p in top.chain(bottom) {
            assert_eq!(is_prime(p), by_division(p), "{p}");
        }
        assert_eq!(Prime::descending(Width::Wide).next(), Some(2_147_483_647), "Mersenne's");
        // It passes the test for 2, 3 and 5.
        assert!(!is_prime(1_157_839_381) && !by_division(1_157_839_381));
    }
}
