//! `f32` and `f64` as scalars: the hardware's own operations, and exponents by bits.

use super::text::parse_word;
use super::{Dd, Scalar, ScalarKind};
use crate::Result;

impl Scalar for f32 {
    const KIND: ScalarKind = ScalarKind::F32;
    const ROUNDING: f64 = 1.0 / (1_u64 << 24) as f64;
    const MIN_EXPONENT: i32 = -126;
    const MAX_EXPONENT: i32 = 128;

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the cast rounds to nearest")]
    fn from_f64(x: f64) -> Self {
        x as Self
    }

    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline]
    fn from_dd(x: Dd) -> Self {
        Self::from_f64(round_to_odd(x))
    }

    #[inline]
    fn to_dd(self) -> Dd {
        Dd::from(self)
    }

    #[inline]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }

    #[inline]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    /// One rounding, in `f64`: its range holds every `f32` times 2^±600.
    #[inline]
    fn scale_exponent(self, k: i32) -> Self {
        Self::from_f64(f64::from(self) * power_of_two(k.clamp(-600, 600)))
    }

    #[inline]
    fn exponent(self) -> Option<i32> {
        f64::from(self).exponent()
    }

    #[inline]
    fn is_finite(self) -> bool {
        self.is_finite()
    }

    #[inline]
    fn is_nan(self) -> bool {
        self.is_nan()
    }

    fn parse(text: &str) -> Result<Self> {
        parse_word(text)
    }
}

impl Scalar for f64 {
    const KIND: ScalarKind = ScalarKind::F64;
    const ROUNDING: Self = 1.0 / (1_u64 << 53) as Self;
    const MIN_EXPONENT: i32 = -1022;
    const MAX_EXPONENT: i32 = 1024;

    #[inline]
    fn from_f64(x: Self) -> Self {
        x
    }

    #[inline]
    fn to_f64(self) -> Self {
        self
    }

    #[inline]
    fn from_dd(x: Dd) -> Self {
        x.hi()
    }

    #[inline]
    fn to_dd(self) -> Dd {
        Dd::from(self)
    }

    #[inline]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }

    #[inline]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    /// Down-scaling stops at 2^-969 on the way: there is room for all 53 bits above the subnormals, so that only the
    /// last factor rounds.
    #[inline]
    fn scale_exponent(self, k: i32) -> Self {
        const STEP_DOWN: i32 = 1022 - 53;
        let (mut x, mut k) = (self, k.clamp(-3000, 3000));
        while k > 1023 {
            x *= power_of_two(1023);
            k -= 1023;
        }
        while k < -1022 {
            x *= power_of_two(-STEP_DOWN);
            k += STEP_DOWN;
        }
        x * power_of_two(k)
    }

    #[inline]
    fn exponent(self) -> Option<i32> {
        if self == 0.0 || !self.is_finite() {
            return None;
        }
        let subnormal = self.abs() < Self::MIN_POSITIVE;
        let (normal, shift) = if subnormal {
            (self * power_of_two(54), 54)
        } else {
            (self, 0)
        };
        Some(biased_exponent(normal) - 1023 - shift)
    }

    #[inline]
    fn is_finite(self) -> bool {
        self.is_finite()
    }

    #[inline]
    fn is_nan(self) -> bool {
        self.is_nan()
    }

    fn parse(text: &str) -> Result<Self> {
        parse_word(text)
    }
}

/// 2^k for -1022 <= k <= 1023.
#[inline]
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(u64::from((1023 + k).unsigned_abs()) << 52)
}

#[inline]
fn biased_exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32
}

/// The double next to x whose last bit is odd, or x itself if it is a double: rounding that to `f32` gives what
/// rounding x once would (Boldo and Melquiond 2008), because 53 >= 24 + 2.
#[inline]
fn round_to_odd(x: Dd) -> f64 {
    let bits = x.hi().to_bits();
    if x.lo() == 0.0 || !x.hi().is_finite() || bits & 1 == 1 {
        x.hi()
    } else if (x.lo() > 0.0) == (x.hi() > 0.0) {
        f64::from_bits(bits + 1)
    } else {
        f64::from_bits(bits - 1)
    }
}
