//! Numbers: `f32`, `f64` and [`DoubleWord`] pairs of either. Host arithmetic here is what every device must reproduce.

mod convert;
mod double_word;
mod native;
mod text;
mod word;

pub use double_word::{Dd, Df64, DoubleWord};
pub use word::Word;

use std::fmt::{Debug, Display, LowerExp};

use bytemuck::Pod;
use num_traits::{NumAssign, Signed};

/// Which scalar, as a value: for tables, messages and the choice of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ScalarKind {
    /// IEEE binary32.
    F32,
    /// Two f32, about 48 bits.
    Df64,
    /// IEEE binary64.
    F64,
    /// Two f64, about 106 bits.
    Dd,
}

impl ScalarKind {
    /// The name in tables, messages and on the command line: `f32`, `df64`, `f64`, `dd`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Df64 => "df64",
            Self::F64 => "f64",
            Self::Dd => "dd",
        }
    }

    /// Whether it is two words.
    pub(crate) const fn is_pair(self) -> bool {
        matches!(self, Self::Df64 | Self::Dd)
    }

    /// The smallest normal word is 2^this: what is smaller, devices may flush.
    pub(crate) const fn smallest_normal(self) -> i32 {
        match self {
            Self::F32 | Self::Df64 => f32::MIN_EXP - 1,
            Self::F64 | Self::Dd => f64::MIN_EXP - 1,
        }
    }

    /// The smallest word above zero is 2^this, and all are multiples of it.
    pub(crate) const fn smallest_bit(self) -> i32 {
        match self {
            Self::F32 | Self::Df64 => <f32 as Word>::SMALLEST_BIT,
            Self::F64 | Self::Dd => <f64 as Word>::SMALLEST_BIT,
        }
    }
}

/// A number that kernels and host loops compute with. Sealed: `f32`, [`Df64`], `f64`, [`Dd`].
///
/// The four also implement num-traits' `FromPrimitive` and `ToPrimitive`. Those are not supertraits because they too
/// have a `from_f64` and a `to_f64`, which would make `T::from_f64` ambiguous in every generic loop.
///
/// # Example
/// ```
/// use nonius::{Dd, Df64, Scalar};
///
/// fn length<T: Scalar>(x: T, y: T) -> T {
///     x.mul_add(x, y * y).sqrt()
/// }
/// assert_eq!(length(3.0_f32, 4.0), 5.0);
/// assert_eq!(length(Df64::from(3), Df64::from(4)), Df64::from(5));
/// assert_eq!(length(Dd::from(1), Dd::from(1)).to_f64(), 2.0_f64.sqrt());
/// ```
pub trait Scalar:
    sealed::Sealed + Pod + Send + Sync + Debug + Display + LowerExp + Default + PartialOrd + NumAssign + Signed
{
    /// Which scalar this is.
    const KIND: ScalarKind;
    /// Its name, [`ScalarKind::name`].
    const NAME: &'static str = Self::KIND.name();
    /// u: one addition, subtraction or multiplication errs by at most `ROUNDING · |result|` in the promised range
    /// (for words the unit roundoff; for pairs the proved bound of the weakest of the three).
    const ROUNDING: f64;
    /// Results of non-zero magnitude below 2^this may lose accuracy (underflow of an error term).
    const MIN_EXPONENT: i32;
    /// Magnitudes of 2^this and more may overflow on the way.
    const MAX_EXPONENT: i32;

    /// The nearest scalar (round to nearest, ties to even for words; both words rounded so for pairs).
    fn from_f64(x: f64) -> Self;
    /// The nearest double.
    fn to_f64(self) -> f64;
    /// The nearest scalar to a double-double.
    fn from_dd(x: Dd) -> Self;
    /// The value as a double-double: exact for every scalar.
    fn to_dd(self) -> Dd;
    /// `self · b + c`, not fused: within 3 `ROUNDING` · (|self · b| + |c|). Of words it is the product and then the sum.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// √self; NaN below zero.
    fn sqrt(self) -> Self;
    /// `self · 2^k`, exact unless it leaves the range.
    fn scale_exponent(self, k: i32) -> Self;
    /// ⌊log₂|self|⌋; none for zero, NaN and infinities.
    fn exponent(self) -> Option<i32>;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// Not a number.
    fn is_nan(self) -> bool;

    /// The nearest scalar to a decimal text: digits with an optional sign, point and exponent, or `inf`, `infinity`,
    /// `nan` in any case. Too large is infinite, too small is zero.
    ///
    /// # Errors
    /// [`Error::Parse`](crate::Error::Parse) that names what is wrong, with line 1.
    fn parse(text: &str) -> crate::Result<Self>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl<F: super::Word> Sealed for super::DoubleWord<F> {}
}
