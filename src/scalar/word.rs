//! One machine word, as the half of a pair: the error-free transforms that every [`DoubleWord`](super::DoubleWord)
//! operation is made of.

use std::num::ParseFloatError;
use std::str::FromStr;

use num_traits::Bounded;

use super::{Scalar, ScalarKind};

/// What a [`DoubleWord`](super::DoubleWord) is made of: `f32` or `f64`. Sealed.
///
/// Write p for [`PRECISION`](Self::PRECISION), u = 2^-p for [`ROUNDING`](Scalar::ROUNDING), RN for rounding to
/// nearest, ties to even. Each operator below is one rounding of its own: Rust never fuses or reorders them, and the
/// device modules repeat them word for word.
pub trait Word: Scalar + Bounded + FromStr<Err = ParseFloatError> {
    /// p, the bits of a significand with its leading one: 24 or 53.
    const PRECISION: i32;
    /// The smallest positive word is 2^this: -149 or -1074.
    const SMALLEST_BIT: i32;
    /// Which scalar a pair of these is.
    const PAIR: ScalarKind;

    /// `(s, e)` with s = RN(a + b) and s + e = a + b exactly, for any a and b whose sum does not overflow, but for an a of the
    /// largest magnitude, beside which a step may (Boldo, Graillat and Muller 2017).
    ///
    /// Knuth's and Møller's `TwoSum` (Joldes, Muller and Popescu 2017, Algorithm 2); exact with gradual underflow too,
    /// since a sum's error is a multiple of the smaller operand's last bit. 6 flops.
    ///
    /// ```
    /// use nonius::scalar::Word;
    /// assert_eq!(1.0_f64.two_sum(1e-30), (1.0, 1e-30));
    /// ```
    #[inline]
    fn two_sum(self, b: Self) -> (Self, Self) {
        let sum = self + b;
        let a_in_sum = sum - b;
        let b_in_sum = sum - a_in_sum;
        (sum, (self - a_in_sum) + (b - b_in_sum))
    }

    /// `(s, e)` as [`two_sum`](Self::two_sum), for |a| >= |b| or a = 0 only.
    ///
    /// Dekker's `Fast2Sum` (Joldes, Muller and Popescu 2017, Algorithm 1); it suffices that a's exponent is not the
    /// smaller. 3 flops.
    ///
    /// ```
    /// use nonius::scalar::Word;
    /// assert_eq!(1.0_f32.fast_two_sum(1e-20), (1.0, 1e-20));
    /// ```
    #[inline]
    fn fast_two_sum(self, b: Self) -> (Self, Self) {
        let sum = self + b;
        (sum, b - (sum - self))
    }

    /// `(p, e)` with p = RN(a·b) and p + e = a·b exactly, if neither overflows and the exponents of a and b sum to at
    /// least [`SMALLEST_BIT`](Self::SMALLEST_BIT) + 2p - 2; below that e is the error, rounded to a subnormal.
    ///
    /// `f32`: through the product in `f64`, which holds all 48 bits. `f64`: e = fma(a, b, -p), because there is no
    /// wider word; `f64::mul_add` is fused on every target (in hardware, or in the C library), unlike the `fma` of
    /// shaders, and unlike Dekker's splitting it does not overflow for large operands. 2 flops.
    ///
    /// ```
    /// use nonius::scalar::Word;
    /// let a = 1.0 + f32::EPSILON;
    /// assert_eq!(a.two_prod(a), (1.0 + 2.0 * f32::EPSILON, f32::EPSILON * f32::EPSILON));
    /// ```
    fn two_prod(self, b: Self) -> (Self, Self);

    /// The integer part, towards zero. Exact.
    fn trunc(self) -> Self;

    /// The bits of the IEEE encoding, in the low end.
    fn bits(self) -> u64;
}

impl Word for f32 {
    const PRECISION: i32 = 24;
    const SMALLEST_BIT: i32 = -149;
    const PAIR: ScalarKind = ScalarKind::Df64;

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to f32 is the purpose: first to nearest, then of a remainder that fits 24 bits"
    )]
    fn two_prod(self, b: Self) -> (Self, Self) {
        let exact = f64::from(self) * f64::from(b);
        let product = exact as Self;
        (product, (exact - f64::from(product)) as Self)
    }

    #[inline]
    fn trunc(self) -> Self {
        self.trunc()
    }

    #[inline]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Word for f64 {
    const PRECISION: i32 = 53;
    const SMALLEST_BIT: i32 = -1074;
    const PAIR: ScalarKind = ScalarKind::Dd;

    #[inline]
    fn two_prod(self, b: Self) -> (Self, Self) {
        let product = self * b;
        (product, Self::mul_add(self, b, -product))
    }

    #[inline]
    fn trunc(self) -> Self {
        self.trunc()
    }

    #[inline]
    fn bits(self) -> u64 {
        self.to_bits()
    }
}
