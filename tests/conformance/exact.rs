//! The oracle: sums and products without any rounding, in one long fixed-point number (Kulisch 2013).

use nonius::{Dd, Scalar};

/// Σ digits[i] · 2^(32 i + BASE): digits beyond 32 bits are carries that have not been made yet.
#[derive(Clone)]
pub(crate) struct Exact {
    digits: Vec<i64>,
}

/// Below the last bit of a product of three doubles, and up to above the largest.
const BASE: i32 = -3400;
const DIGITS: usize = 220;

impl Exact {
    pub(crate) fn zero() -> Self {
        Self {
            digits: vec![0; DIGITS],
        }
    }

    pub(crate) fn add<T: Scalar>(&mut self, x: T) {
        self.add_product(x, T::one());
    }

    pub(crate) fn subtract<T: Scalar>(&mut self, x: T) {
        self.add_product(x, -T::one());
    }

    pub(crate) fn add_product<T: Scalar>(&mut self, x: T, y: T) {
        for x in words(x) {
            for y in words(y) {
                let ((x_negative, x, x_exponent), (y_negative, y, y_exponent)) = (decompose(x), decompose(y));
                let product = u128::from(x) * u128::from(y);
                self.add_shifted(x_negative != y_negative, product, x_exponent + y_exponent);
            }
        }
    }

    /// self · x.
    pub(crate) fn times<T: Scalar>(mut self, x: T) -> Self {
        self.carry();
        let mut product = Self::zero();
        for word in words(x) {
            let (negative, significand, exponent) = decompose(word);
            if significand == 0 {
                continue;
            }
            for (digit, at) in self.digits.iter().zip((BASE..).step_by(32)) {
                if *digit != 0 {
                    let magnitude = u128::from(digit.unsigned_abs()) * u128::from(significand);
                    product.add_shifted(negative != (*digit < 0), magnitude, at + exponent);
                }
            }
        }
        product
    }

    /// |self| / |other|; a zero divided by anything is zero, anything else divided by zero infinite.
    pub(crate) fn ratio(mut self, mut other: Self) -> f64 {
        let ((above, above_exponent), (below, below_exponent)) = (self.leading(), other.leading());
        if above == 0.0 {
            0.0
        } else if below == 0.0 {
            f64::INFINITY
        } else {
            (above / below) * f64::powi(2.0, (above_exponent - below_exponent).clamp(-1000, 1000))
        }
    }

    /// self, but for two roundings of double-double.
    pub(crate) fn nearest(&self) -> Dd {
        let value = |mut exact: Self| {
            exact.carry();
            let sign = if exact.digits[DIGITS - 1] < 0 { -1.0 } else { 1.0 };
            let (magnitude, exponent) = exact.leading();
            sign * magnitude * f64::powi(2.0, exponent)
        };
        let high = value(self.clone());
        let mut rest = self.clone();
        rest.subtract(high);
        Dd::new(high, value(rest))
    }

    /// |self| = m · 2^e, to 60 bits.
    fn leading(&mut self) -> (f64, i32) {
        self.carry();
        if self.digits[DIGITS - 1] < 0 {
            self.digits.iter_mut().for_each(|digit| *digit = -*digit);
            self.carry();
        }
        let Some(top) = self.digits.iter().rposition(|digit| *digit != 0) else {
            return (0.0, 0);
        };
        let value = (0..3).fold(0.0, |value, below| {
            let digit = top.checked_sub(below).map_or(0, |at| self.digits[at]);
            value * f64::powi(2.0, 32) + digit as f64
        });
        (value, BASE + 32 * (i32::try_from(top).expect("few digits") - 2))
    }

    /// Digits within 0..2^32, but for the last, which carries the sign.
    fn carry(&mut self) {
        for at in 0..DIGITS - 1 {
            let carry = self.digits[at] >> 32;
            self.digits[at] -= carry << 32;
            self.digits[at + 1] += carry;
        }
    }

    fn add_shifted(&mut self, negative: bool, magnitude: u128, exponent: i32) {
        if magnitude == 0 {
            return;
        }
        let at = usize::try_from(exponent - BASE).expect("above the base");
        let (mut digit, shift) = (at / 32, at % 32);
        // The lowest digit takes the bits that the shift leaves it, so that 128 bits are enough.
        let mut rest = magnitude;
        let mut part = ((rest << shift) & 0xffff_ffff) as i64;
        rest >>= 32 - shift;
        loop {
            self.digits[digit] += if negative { -part } else { part };
            if rest == 0 {
                return;
            }
            digit += 1;
            part = (rest & 0xffff_ffff) as i64;
            rest >>= 32;
        }
    }
}

/// The doubles whose sum a scalar is.
fn words<T: Scalar>(x: T) -> impl Iterator<Item = f64> + Clone {
    let x = x.to_dd();
    [x.hi(), x.lo()].into_iter().filter(|word| *word != 0.0)
}

/// (sign, m, e) with |x| = m · 2^e.
fn decompose(x: f64) -> (bool, u64, i32) {
    assert!(x.is_finite(), "an exact sum is of finite terms, not {x}");
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) = if exponent == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, exponent - 1075)
    };
    (x < 0.0, significand, exponent)
}

#[test]
fn exact_sums_forget_nothing() {
    let mut sum = Exact::zero();
    for x in [1e300, 1.0, -1e300, f64::MIN_POSITIVE, -1.0] {
        sum.add(x);
    }
    let mut smallest = Exact::zero();
    smallest.add(f64::MIN_POSITIVE);
    assert_eq!(sum.clone().ratio(smallest.clone()), 1.0);
    let mut product = Exact::zero();
    product.add_product(3.0, -f64::MIN_POSITIVE / 2.0);
    assert_eq!(sum.times(-1.5).ratio(product), 1.0);
    smallest.subtract(f64::MIN_POSITIVE);
    assert_eq!(smallest.ratio(Exact::zero()), 0.0);
    let mut long = Exact::zero();
    for x in [-1.0, f64::powi(2.0, -70), f64::powi(2.0, -200)] {
        long.add(x);
    }
    assert_eq!(long.nearest(), Dd::new(-1.0, f64::powi(2.0, -70)));
    assert_eq!(Exact::zero().nearest(), Dd::new(0.0, 0.0));
}
