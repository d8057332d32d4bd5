//! The oracle: integers times powers of two, exactly. Every finite word is one, and so are sums and products.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use nonius::scalar::{DoubleWord, Word};
use num_bigint::{BigInt, Sign};

/// `integer · 2^exponent`.
#[derive(Debug, Clone)]
pub(crate) struct Exact {
    integer: BigInt,
    exponent: i64,
}

impl Exact {
    pub(crate) fn new(integer: impl Into<BigInt>, exponent: i64) -> Self {
        Self {
            integer: integer.into(),
            exponent,
        }
    }

    pub(crate) fn of_word<F: Word>(word: F) -> Self {
        let bits = word.to_f64().to_bits();
        let biased = i64::try_from((bits >> 52) & 0x7ff).unwrap();
        assert_ne!(biased, 0x7ff, "{word} is not finite");
        let fraction = bits & ((1 << 52) - 1);
        let integer = BigInt::from(if biased == 0 { fraction } else { fraction | 1 << 52 });
        Self::new(if bits >> 63 == 1 { -integer } else { integer }, biased.max(1) - 1075)
    }

    pub(crate) fn of<F: Word>(pair: DoubleWord<F>) -> Self {
        Self::of_word(pair.hi()) + Self::of_word(pair.lo())
    }

    /// `digits · 10^power · 5^lift`, for `power + lift >= 0`.
    pub(crate) fn decimal_lifted(digits: &BigInt, power: i64, lift: u32) -> Self {
        let fives = u32::try_from(power + i64::from(lift)).unwrap();
        Self::new(digits * BigInt::from(5).pow(fives), power)
    }

    pub(crate) fn lifted(&self, lift: u32) -> Self {
        Self::new(&self.integer * BigInt::from(5).pow(lift), self.exponent)
    }

    /// A decimal text of exactly this value.
    pub(crate) fn text(&self) -> String {
        if self.exponent >= 0 {
            (&self.integer << self.exponent).to_string()
        } else {
            let fives = BigInt::from(5).pow(u32::try_from(-self.exponent).unwrap());
            format!("{}e{}", &self.integer * fives, self.exponent)
        }
    }

    pub(crate) fn abs(&self) -> Self {
        Self::new(self.integer.magnitude().clone(), self.exponent)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.integer.sign() == Sign::NoSign
    }

    /// ⌊log₂|self|⌋.
    pub(crate) fn log2(&self) -> i64 {
        i64::try_from(self.integer.bits()).unwrap() - 1 + self.exponent
    }

    /// The integer part towards zero of `self / other`.
    pub(crate) fn quotient(&self, other: &Self) -> BigInt {
        let shared = self.exponent.min(other.exponent);
        self.at(shared) / other.at(shared)
    }

    fn at(&self, exponent: i64) -> BigInt {
        &self.integer << (self.exponent - exponent)
    }
}

impl Add for Exact {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let shared = self.exponent.min(other.exponent);
        Self::new(self.at(shared) + other.at(shared), shared)
    }
}

impl Neg for Exact {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.integer, self.exponent)
    }
}

impl Sub for Exact {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Exact {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.integer * other.integer, self.exponent + other.exponent)
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let shared = self.exponent.min(other.exponent);
        self.at(shared).cmp(&other.at(shared))
    }
}
