//! Conversions of pairs, and the traits of num-traits. `From` is exact; what rounds is a named function.

use num_traits::{Bounded, FromPrimitive, Num, One, Signed, ToPrimitive, Zero};

use super::{Dd, Df64, DoubleWord, Scalar, Word};
use crate::{Error, Result};

impl<F: Word> From<F> for DoubleWord<F> {
    #[inline]
    fn from(x: F) -> Self {
        Self::word(x)
    }
}

impl From<f32> for Dd {
    #[inline]
    fn from(x: f32) -> Self {
        Self::word(f64::from(x))
    }
}

impl From<Df64> for Dd {
    #[inline]
    fn from(x: Df64) -> Self {
        x.to_dd()
    }
}

macro_rules! from_integers {
    ($pair:ty: $($integer:ty),*) => {$(
        impl From<$integer> for $pair {
            /// Exact: the integer has no more bits than the pair.
            #[inline]
            fn from(n: $integer) -> Self {
                nearest(n.into())
            }
        }
    )*};
}

from_integers!(Df64: i8, u8, i16, u16, i32, u32);
from_integers!(Dd: i8, u8, i16, u16, i32, u32, i64, u64);

/// Nothing rounds unless it must: integers become the nearest pair, and none if that is infinite.
impl<F: Word + FromPrimitive + ToPrimitive> FromPrimitive for DoubleWord<F> {
    fn from_i64(n: i64) -> Option<Self> {
        Some(nearest(n.into()))
    }

    fn from_u64(n: u64) -> Option<Self> {
        Some(nearest(n.into()))
    }

    fn from_i128(n: i128) -> Option<Self> {
        Some(nearest(n))
    }

    fn from_u128(n: u128) -> Option<Self> {
        Some(nearest_magnitude(n)).filter(|x| x.is_finite())
    }

    fn from_f32(x: f32) -> Option<Self> {
        Some(<Self as Scalar>::from_f64(x.into()))
    }

    fn from_f64(x: f64) -> Option<Self> {
        Some(<Self as Scalar>::from_f64(x))
    }
}

/// Integers are cut towards zero, and none if that does not fit; words are the nearest.
impl<F: Word + FromPrimitive + ToPrimitive> ToPrimitive for DoubleWord<F> {
    fn to_i64(&self) -> Option<i64> {
        self.to_i128()?.try_into().ok()
    }

    fn to_u64(&self) -> Option<u64> {
        self.to_u128()?.try_into().ok()
    }

    fn to_i128(&self) -> Option<i128> {
        let magnitude = magnitude(self.abs())?;
        if self.hi() < F::zero() {
            0_i128.checked_sub_unsigned(magnitude)
        } else {
            magnitude.try_into().ok()
        }
    }

    fn to_u128(&self) -> Option<u128> {
        magnitude(self.abs()).filter(|&n| n == 0 || self.hi() > F::zero())
    }

    fn to_f32(&self) -> Option<f32> {
        Some(f32::from_dd(self.to_dd()))
    }

    fn to_f64(&self) -> Option<f64> {
        Some(Scalar::to_f64(*self))
    }
}

impl<F: Word> Zero for DoubleWord<F> {
    #[inline]
    fn zero() -> Self {
        Self::word(F::zero())
    }

    #[inline]
    fn is_zero(&self) -> bool {
        self.hi().is_zero()
    }
}

impl<F: Word> One for DoubleWord<F> {
    #[inline]
    fn one() -> Self {
        Self::word(F::one())
    }
}

impl<F: Word> Num for DoubleWord<F> {
    type FromStrRadixErr = Error;

    /// Decimal only.
    fn from_str_radix(text: &str, radix: u32) -> Result<Self> {
        if radix == 10 {
            Self::parse(text)
        } else {
            Err(Error::Parse {
                line: 1,
                reason: format!("numbers are read in radix 10, not {radix}"),
            })
        }
    }
}

/// As for words: `signum` of a zero is ±1, of its sign.
impl<F: Word> Signed for DoubleWord<F> {
    #[inline]
    fn abs(&self) -> Self {
        Self::abs(*self)
    }

    fn abs_sub(&self, other: &Self) -> Self {
        if *self <= *other { Self::zero() } else { *self - *other }
    }

    fn signum(&self) -> Self {
        Self::word(self.hi().signum())
    }

    fn is_positive(&self) -> bool {
        self.hi().is_positive()
    }

    fn is_negative(&self) -> bool {
        self.hi().is_negative()
    }
}

impl<F: Word> Bounded for DoubleWord<F> {
    fn min_value() -> Self {
        -Self::max_value()
    }

    /// The largest word and, under half a unit of its last place, the largest `lo` that does not round it up.
    fn max_value() -> Self {
        Self::pair((F::max_value(), F::max_value().scale_exponent(-F::PRECISION - 1)))
    }
}

fn nearest<F: Word + FromPrimitive + ToPrimitive>(n: i128) -> DoubleWord<F> {
    let magnitude = nearest_magnitude(n.unsigned_abs());
    if n < 0 { -magnitude } else { magnitude }
}

/// Both words rounded to nearest; infinite if the leading one is.
fn nearest_magnitude<F: Word + FromPrimitive + ToPrimitive>(n: u128) -> DoubleWord<F> {
    let word = |n: u128| F::from_u128(n).unwrap_or_else(F::max_value);
    let hi = word(n);
    // 2^128, to which the largest n round, is no u128: it is zero, modulo 2^128 as the difference is.
    let rest = n.wrapping_sub(hi.to_u128().unwrap_or(0)).cast_signed();
    let lo = word(rest.unsigned_abs());
    DoubleWord::pair(hi.fast_two_sum(if rest < 0 { -lo } else { lo })).or_word(hi)
}

/// The integer part of x >= 0, if it is below 2^128.
fn magnitude<F: Word + FromPrimitive + ToPrimitive>(x: DoubleWord<F>) -> Option<u128> {
    let whole = x.trunc();
    let limit = F::one().scale_exponent(128);
    if !(whole.hi() < limit || (whole.hi() == limit && whole.lo() < F::zero())) {
        return None;
    }
    let hi = whole.hi().to_u128().unwrap_or(0);
    let lo = whole.lo().abs().to_u128()?;
    Some(if whole.lo() < F::zero() {
        hi.wrapping_sub(lo)
    } else {
        hi.wrapping_add(lo)
    })
}
