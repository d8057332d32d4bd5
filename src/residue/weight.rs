//! What each prime contributes to the fraction u/M ([`fraction`](super::fraction)).

use num_traits::ToPrimitive as _;

use super::prime::Prime;
use super::width::Width;

/// Bits of a fraction beyond those of a residue: what both widths leave to digits is below r·2⁻⁷² M.
const PRECISION: u32 = 72;

impl Width {
    /// B, the bits of a fraction: 72 and those of R.
    pub(super) const fn fraction_bits(self) -> u32 {
        PRECISION + self.bits()
    }

    /// What kernels have fractions in, so that products of a residue and a limb can be summed without a carry: 8 limbs of 11
    /// bits, of which 32 products are below 2²⁷ each; or 4 of 26, of which 64 products are below 2⁵⁷.
    const fn limbs(self) -> (u32, u32) {
        match self {
            Self::Narrow => (8, 11),
            Self::Wide => (4, 26),
        }
    }
}

/// W = ⌊2ᴮ w/m⌋, what a prime m contributes to the fraction for every unit of a residue in Montgomery's form:
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
        let w = u128::from(prime.leave(prime.leave(inverse))) << PRECISION;
        // 2ᴮ w has up to 135 bits, so the quotient is found in two parts.
        let (m, bits) = (u128::from(prime.value()), prime.width().bits());
        Self(((w / m) << bits) + ((w % m) << bits) / m)
    }

    /// Its limbs, lowest first: what kernels need.
    pub(super) fn limbs(self, width: Width) -> impl Iterator<Item = u32> {
        let (limbs, bits) = width.limbs();
        (0..limbs).map(move |limb| {
            let limb = (self.0 >> (bits * limb)) & ((1 << bits) - 1);
            limb.to_u32().unwrap_or_else(|| unreachable!("{bits} bits"))
        })
    }

    /// x W modulo 2¹²⁸, of which 2ᴮ is a divisor: terms of wide primes are below 2¹³⁵.
    pub(super) fn term(self, residue: u32) -> u128 {
        self.0.wrapping_mul(residue.into())
    }
}
