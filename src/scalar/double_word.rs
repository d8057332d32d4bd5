//! Pairs of words: twice the precision from additions and multiplications alone.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};
use num_traits::{One, Zero};

use super::{Scalar, ScalarKind, Word};
use crate::Result;

/// Two `f32`: about 48 bits, on every device.
pub type Df64 = DoubleWord<f32>;

/// Two `f64`: about 106 bits.
pub type Dd = DoubleWord<f64>;

/// The unevaluated sum `hi + lo` of two words, with hi = RN(hi + lo): the pair is *normalised*.
///
/// With u = 2^-24 ([`Df64`]) or 2^-53 ([`Dd`]), the relative errors are at most
///
/// | operation | algorithm | bound | flops |
/// | --- | --- | --- | --- |
/// | `+`, `-` | `AccurateDWPlusDW` | 3u² + 13u³ | 20 |
/// | `*` | `DWTimesDW1` | 5u² | 9 |
/// | [`mul_add`](Scalar::mul_add) | a sum of words before the low ones are added | 12u² of the product, 3u² of the summand | 17 |
/// | `/` | three quotients | 4u² | about 75 |
/// | [`sqrt`](Scalar::sqrt) | two corrections | 4u² | about 65 |
///
/// (the operations say where the bounds come from), for results zero or of magnitude in
/// [2^[`MIN_EXPONENT`](Scalar::MIN_EXPONENT), 2^[`MAX_EXPONENT`](Scalar::MAX_EXPONENT)): [2^-96, 2^127) for `Df64`,
/// [2^-963, 2^1023) for `Dd`. Operands of `+`, `-` and `*` are below 2^`MAX_EXPONENT` too; those of `/` and `sqrt` are
/// any finite pairs. Below the range accuracy fades gradually to that of one word, then to zero; above it results
/// become infinite, on a device NaN as well, and what has an infinite operand is NaN there. Sums have no lower limit. In
/// multiplication, two small products may round among the subnormals; the range is chosen so that this adds at most u²/32. A device that flushes subnormals (`nonius doctor` says which does)
/// drops words below 2^-126 or 2^-1022: at most u²/4 where operands and result are 2^-74 and 2^-912 or more, and more below.
///
/// Infinite results and NaN are in `hi`, with `lo` zero, on the host. The sign of a zero is not kept by arithmetic.
/// Comparison is by value; NaN compares with nothing.
///
/// ```
/// use nonius::{Df64, Scalar};
/// let third = Df64::from(1) / Df64::from(3);
/// assert!((third.to_f64() - 1.0 / 3.0).abs() < 1e-15);
/// assert_eq!((1.0_f32 / 3.0, third.hi()), (third.hi(), 1.0 / 3.0));
/// assert!(third.lo() != 0.0);
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Zeroable)]
pub struct DoubleWord<F> {
    hi: F,
    lo: F,
}

#[expect(
    unsafe_code,
    reason = "bytemuck cannot derive Pod for a generic struct; the layout is proved here"
)]
// SAFETY: `repr(C)` puts two fields of one type at offsets 0 and size_of::<F>(), and a type's size is a multiple of its
// alignment: there is no padding. F is Pod, so every pattern of bits is valid, and the struct is Copy and 'static.
unsafe impl<F: Word> Pod for DoubleWord<F> {}

impl<F: Word> DoubleWord<F> {
    /// The pair of value `hi + lo`, normalised by [`Word::two_sum`]: exact unless it overflows. 6 flops.
    ///
    /// ```
    /// use nonius::Df64;
    /// let x = Df64::new(1e-10, 1.0);
    /// assert_eq!((x.hi(), x.lo()), (1.0, 1e-10));
    /// ```
    #[inline]
    #[must_use]
    pub fn new(hi: F, lo: F) -> Self {
        // Beside the largest word, `TwoSum` may overflow on the way if that comes first.
        let (smaller, larger) = if hi.abs() < lo.abs() { (hi, lo) } else { (lo, hi) };
        Self::pair(smaller.two_sum(larger)).or_word(hi + lo)
    }

    /// The leading word: the value rounded to one word.
    #[inline]
    #[must_use]
    pub fn hi(self) -> F {
        self.hi
    }

    /// The trailing word: the value minus [`hi`](Self::hi), at most half a unit in the last place of it.
    #[inline]
    #[must_use]
    pub fn lo(self) -> F {
        self.lo
    }

    /// |self|. Exact.
    ///
    /// ```
    /// assert_eq!(nonius::Df64::from(-2).abs(), nonius::Df64::from(2));
    /// ```
    #[inline]
    #[must_use]
    pub fn abs(self) -> Self {
        if self.hi.is_negative() { -self } else { self }
    }

    /// The integer part, towards zero. Exact.
    ///
    /// ```
    /// use nonius::Df64;
    /// assert_eq!(Df64::new(3.0, -1e-9).trunc(), Df64::from(2));
    /// ```
    #[must_use]
    pub fn trunc(self) -> Self {
        let hi = self.hi.trunc();
        if hi != self.hi || !hi.is_finite() {
            // An integer between hi and the value would be the nearer word.
            return Self::word(hi);
        }
        // hi is an integer: towards zero for the whole is down for lo where hi is positive, up where it is negative.
        let lo = self.lo.trunc();
        let past = (hi > F::zero() && lo > self.lo) || (hi < F::zero() && lo < self.lo);
        let step = if !past {
            F::zero()
        } else if hi > F::zero() {
            -F::one()
        } else {
            F::one()
        };
        Self::new(hi, lo + step)
    }

    /// One word, as a pair.
    #[inline]
    pub(super) fn word(hi: F) -> Self {
        Self { hi, lo: F::zero() }
    }

    #[inline]
    pub(super) fn pair((hi, lo): (F, F)) -> Self {
        Self { hi, lo }
    }

    /// Itself if finite; else infinity or NaN with a clean `lo`. An error term of an infinity is NaN and spoils the pair;
    /// then `word`, the operation on the leading words alone, says what the result is.
    #[inline]
    pub(super) fn or_word(self, word: F) -> Self {
        if self.hi.is_finite() {
            self
        } else if self.hi.is_nan() {
            Self::word(word)
        } else {
            Self::word(self.hi)
        }
    }

    /// Pair times word: `DWTimesFP1` (Joldes, Muller and Popescu 2017, Algorithm 7), error at most 1.5u² + 4u³.
    #[inline]
    fn times_word(self, y: F) -> Self {
        let (high, error) = self.hi.two_prod(y);
        let (high, low) = high.fast_two_sum(self.lo * y);
        Self::pair(high.fast_two_sum(low + error))
    }
}

impl<F: Word> Neg for DoubleWord<F> {
    type Output = Self;

    /// Exact.
    #[inline]
    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl<F: Word> Add for DoubleWord<F> {
    type Output = Self;

    /// `AccurateDWPlusDW`: Joldes, Muller and Popescu 2017, Algorithm 6; error at most 3u² + 13u³ (their Theorem 3.1),
    /// cancellation included. 20 flops.
    #[inline]
    fn add(self, y: Self) -> Self {
        let (high, high_error) = self.hi.two_sum(y.hi);
        let (low, low_error) = self.lo.two_sum(y.lo);
        let (high, middle) = high.fast_two_sum(high_error + low);
        Self::pair(high.fast_two_sum(low_error + middle)).or_word(self.hi + y.hi)
    }
}

impl<F: Word> Sub for DoubleWord<F> {
    type Output = Self;

    /// The sum with `-y`: the same bound.
    #[inline]
    fn sub(self, y: Self) -> Self {
        self + -y
    }
}

impl<F: Word> Mul for DoubleWord<F> {
    type Output = Self;

    /// `DWTimesDW1`: Joldes, Muller and Popescu 2017, Algorithm 10; error at most 5u² (Muller and Rideau 2022, who
    /// sharpened the 7u² of the former). Nothing is fused outside [`Word::two_prod`], so that a device without a true
    /// fma computes the same bits. 9 flops.
    #[inline]
    fn mul(self, y: Self) -> Self {
        let (high, error) = self.hi.two_prod(y.hi);
        let cross1 = self.hi * y.lo;
        let cross2 = self.lo * y.hi;
        let cross = cross1 + cross2;
        Self::pair(high.fast_two_sum(error + cross)).or_word(self.hi * y.hi)
    }
}

impl<F: Word> Div for DoubleWord<F> {
    type Output = Self;

    /// Three quotients: q₁ = RN(x/y) of the leading words, then one of each remainder; error at most 4u².
    ///
    /// The first remainder x - q₁y is formed from a pair times a word (1.5u² + 4u³ of x) and a sum (3u² of the
    /// remainder, O(u³) of x); the second adds O(u³); the last addition, of q₃ into the low word, rounds by at most
    /// u². Together 2.5u² + O(u³), and u²/2 more when the result is scaled to the very bottom of the range. Even
    /// leading quotients off by several units, as on devices, keep this form: each step divides what the one before
    /// left over.
    ///
    /// Both operands are first scaled to [1, 2) by their exponents: no intermediate leaves the range. About 75 flops.
    #[inline]
    fn div(self, y: Self) -> Self {
        let (Some(x_exponent), Some(y_exponent)) = (self.hi.exponent(), y.hi.exponent()) else {
            return Self::word(self.hi / y.hi);
        };
        let x = self.scale_exponent(-x_exponent);
        let y = y.scale_exponent(-y_exponent);
        let q1 = x.hi / y.hi;
        let remainder = x - y.times_word(q1);
        let q2 = remainder.hi / y.hi;
        let remainder = remainder - y.times_word(q2);
        let q3 = remainder.hi / y.hi;
        let (high, low) = q1.fast_two_sum(q2);
        Self::pair(high.fast_two_sum(low + q3)).scale_exponent(x_exponent - y_exponent)
    }
}

impl<F: Word> Rem for DoubleWord<F> {
    type Output = Self;

    /// x - trunc(x/y)·y, of the sign of x and below |y|. The quotient times y is a rounded product: up to a multiple of y
    /// (where x/y is next to an integer), the error is at most 6u²·(|x| + |y|). NaN where that leaves no digit: for |x/y| of 1/[`ROUNDING`](Scalar::ROUNDING) and more.
    fn rem(self, y: Self) -> Self {
        if self.is_finite() && !y.is_finite() && !y.is_nan() {
            return self;
        }
        let quotient = (self / y).trunc();
        let limit = F::from_f64(1.0 / Self::ROUNDING);
        if !(quotient.hi < limit && quotient.hi > -limit) {
            return Self::word(F::from_f64(f64::NAN));
        }
        // |y| with the sign of x. The quotient may be off by one where x/y is next to an integer.
        let modulus = if (self.hi < F::zero()) == (y.hi < F::zero()) {
            y
        } else {
            -y
        };
        let rest = self - quotient * y;
        let zero = Self::zero();
        let crossed = if self.hi < F::zero() { rest > zero } else { rest < zero };
        let rest = if crossed { rest + modulus } else { rest };
        let reaches = if self.hi < F::zero() {
            rest <= modulus
        } else {
            rest >= modulus
        };
        if reaches { rest - modulus } else { rest }
    }
}

impl<F: Word> Scalar for DoubleWord<F> {
    const KIND: ScalarKind = F::PAIR;
    const ROUNDING: f64 = 5.0 * F::ROUNDING * F::ROUNDING;
    const MIN_EXPONENT: i32 = F::SMALLEST_BIT + 2 * F::PRECISION + 5;
    const MAX_EXPONENT: i32 = F::MAX_EXPONENT - 1;

    /// The low word may round up to a tie with an odd `hi`: hence the last step.
    #[inline]
    fn from_f64(x: f64) -> Self {
        let hi = F::from_f64(x);
        let lo = F::from_f64(x - hi.to_f64());
        Self::pair(hi.fast_two_sum(lo)).or_word(hi)
    }

    /// Exactly rounded: the words of a `Df64` are doubles, added once; those of a `Dd` round to its `hi`.
    #[inline]
    fn to_f64(self) -> f64 {
        self.hi.to_f64() + self.lo.to_f64()
    }

    /// x minus the leading word is exact: both are multiples of the last bit of x, and close.
    #[inline]
    fn from_dd(x: Dd) -> Self {
        let hi = F::from_dd(x);
        let lo = F::from_dd(x - Dd::word(hi.to_f64()));
        Self::pair(hi.fast_two_sum(lo)).or_word(hi)
    }

    #[inline]
    fn to_dd(self) -> Dd {
        Dd::new(self.hi.to_f64(), self.lo.to_f64())
    }

    /// The product's words meet the summand's before either is normalised: 17 flops, where a product and then a sum are
    /// 29, and 7 that wait for the sum so far instead of 11. It is the pair arithmetic of Lange and Rump (2020), but
    /// normalised each time.
    ///
    /// With P = |self · b|: p and the low word of `DWTimesDW1`, at most 3uP, are 5u²P from the product (Muller and Rideau
    /// 2022). Adding the summand's low word to it rounds by at most u(3uP + u|c|), and the error of the leading words'
    /// sum, at most u(P + |c|), to that by u(4uP + 2u|c|); the last step is exact, since the sum is a multiple of a unit
    /// that exceeds the low word's last. Together at most 12u²P + 3u²|c| + O(u³): by what is added, not by what remains
    /// of it. A product that is added to zero errs by 5u², so that in a sum of n each errs by (3n + 6)u² at most, less
    /// than n + 1 times [`ROUNDING`](Scalar::ROUNDING).
    #[inline]
    fn mul_add(self, b: Self, c: Self) -> Self {
        let (product, error) = self.hi.two_prod(b.hi);
        let cross1 = self.hi * b.lo;
        let cross2 = self.lo * b.hi;
        let (sum, sum_error) = product.two_sum(c.hi);
        let low = error + (cross1 + cross2) + c.lo;
        Self::pair(sum.fast_two_sum(sum_error + low)).or_word(self.hi * b.hi + c.hi)
    }

    /// s ← RN(√hi), then twice s ← s + (x - s²)/2s, first with the exact square of a word, then with that of a pair;
    /// error at most 4u²: half of the square's 5u², u² of the last addition, and O(u³). About 65 flops.
    #[inline]
    fn sqrt(self) -> Self {
        let Some(exponent) = self.hi.exponent().filter(|_| self.hi > F::zero()) else {
            return Self::word(self.hi.sqrt());
        };
        let half = exponent >> 1;
        let x = self.scale_exponent(-2 * half);
        let root = x.hi.sqrt();
        let remainder = x - Self::pair(root.two_prod(root));
        let root = Self::pair(root.fast_two_sum(remainder.hi / (root + root)));
        let remainder = x - root * root;
        let last = remainder.hi / (root.hi + root.hi);
        Self::pair(root.hi.fast_two_sum(root.lo + last)).scale_exponent(half)
    }

    /// Among the subnormals each word rounds on its own, and `lo` may round up to a tie: hence the last step.
    #[inline]
    fn scale_exponent(self, k: i32) -> Self {
        let hi = self.hi.scale_exponent(k);
        Self::pair(hi.fast_two_sum(self.lo.scale_exponent(k))).or_word(hi)
    }

    #[inline]
    fn exponent(self) -> Option<i32> {
        let exponent = self.hi.exponent()?;
        // Just under a power of two, hi is that power.
        let below = if self.hi > F::zero() {
            self.lo < F::zero()
        } else {
            self.lo > F::zero()
        };
        let power = self.hi.scale_exponent(-exponent).abs() == F::one();
        Some(if below && power { exponent - 1 } else { exponent })
    }

    #[inline]
    fn is_finite(self) -> bool {
        self.hi.is_finite()
    }

    #[inline]
    fn is_nan(self) -> bool {
        self.hi.is_nan()
    }

    fn parse(text: &str) -> Result<Self> {
        super::text::parse_pair(text)
    }
}

impl<F: Word> AddAssign for DoubleWord<F> {
    #[inline]
    fn add_assign(&mut self, y: Self) {
        *self = *self + y;
    }
}

impl<F: Word> SubAssign for DoubleWord<F> {
    #[inline]
    fn sub_assign(&mut self, y: Self) {
        *self = *self - y;
    }
}

impl<F: Word> MulAssign for DoubleWord<F> {
    #[inline]
    fn mul_assign(&mut self, y: Self) {
        *self = *self * y;
    }
}

impl<F: Word> DivAssign for DoubleWord<F> {
    #[inline]
    fn div_assign(&mut self, y: Self) {
        *self = *self / y;
    }
}

impl<F: Word> RemAssign for DoubleWord<F> {
    #[inline]
    fn rem_assign(&mut self, y: Self) {
        *self = *self % y;
    }
}

impl<F: Word> Sum for DoubleWord<F> {
    /// From left to right.
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::zero(), |sum, term| sum + term)
    }
}

impl<'a, F: Word> Sum<&'a Self> for DoubleWord<F> {
    /// From left to right.
    fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
        terms.copied().sum()
    }
}

impl<F: Word> Product for DoubleWord<F> {
    /// From left to right.
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        factors.fold(Self::one(), |product, factor| product * factor)
    }
}

impl<'a, F: Word> Product<&'a Self> for DoubleWord<F> {
    /// From left to right.
    fn product<I: Iterator<Item = &'a Self>>(factors: I) -> Self {
        factors.copied().product()
    }
}
