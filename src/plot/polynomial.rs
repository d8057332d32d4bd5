//! f(x, y): polynomials in two variables with rational coefficients.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::error::{Error, Result};
use crate::rational::Rational;

/// The highest total degree of a polynomial: of that many powers every cell's expansion consists.
pub const MAX_DEGREE: u32 = 128;

/// The most bits of a coefficient's numerator and denominator.
pub const MAX_BITS: u64 = 1 << 14;

/// A polynomial f(x, y) = Σ c xᵃ yᵇ with rational coefficients, of total degree at most [`MAX_DEGREE`].
///
/// It is made of terms, or read from a text with [`str::parse`] (the grammar is that of [`parse`](super::parse)):
///
/// ```
/// use nonius::plot::{Polynomial, Rational};
/// let circle: Polynomial = "x^2 + y^2 = 1/4".parse()?;
/// assert_eq!(circle.degree(), 2);
/// assert_eq!(circle.primitive().to_string(), "4*x^2 + 4*y^2 - 1");
/// let half = Rational::new(1.into(), 2.into());
/// assert_eq!(circle.evaluate(&half, &half), Rational::new(1.into(), 4.into()));
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Polynomial {
    /// By exponents of x and y; none of them zero.
    terms: BTreeMap<(u32, u32), Rational>,
}

impl Polynomial {
    /// The sum of the terms c xᵃ yᵇ, given as (a, b, c); terms of the same powers are added.
    ///
    /// # Errors
    /// [`Error::Shape`] when a term's degree is above [`MAX_DEGREE`], or a coefficient has more than [`MAX_BITS`] bits.
    pub fn from_terms(terms: impl IntoIterator<Item = (u32, u32, Rational)>) -> Result<Self> {
        let mut sum = Self::default();
        for (x, y, coefficient) in terms {
            let degree = u64::from(x) + u64::from(y);
            if degree > u64::from(MAX_DEGREE) {
                return Err(refused(
                    format!("a degree of at most {MAX_DEGREE}"),
                    format!("x^{x} y^{y}"),
                ));
            }
            sum.add_term((x, y), coefficient);
        }
        match sum.terms.values().map(bits).max() {
            Some(found) if found > MAX_BITS => Err(refused(
                format!("coefficients of at most {MAX_BITS} bits"),
                format!("{found}"),
            )),
            _ => Ok(sum),
        }
    }

    /// The terms (a, b, c) of f = Σ c xᵃ yᵇ, by ascending powers, none of them zero.
    pub fn terms(&self) -> impl Iterator<Item = (u32, u32, &Rational)> {
        self.terms.iter().map(|((x, y), coefficient)| (*x, *y, coefficient))
    }

    /// The total degree; 0 for constants and for the polynomial 0.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.terms.keys().map(|(x, y)| x + y).max().unwrap_or(0)
    }

    /// The highest powers of x and of y.
    #[must_use]
    pub fn degrees(&self) -> (u32, u32) {
        let powers = || self.terms.keys();
        (
            powers().map(|powers| powers.0).max().unwrap_or(0),
            powers().map(|powers| powers.1).max().unwrap_or(0),
        )
    }

    /// f(x, y), exactly.
    #[must_use]
    pub fn evaluate(&self, x: &Rational, y: &Rational) -> Rational {
        let power = |base: &Rational, exponent: u32| num_traits::pow(base.clone(), exponent as usize);
        let values = self.terms.iter();
        values
            .map(|((a, b), coefficient)| coefficient * power(x, *a) * power(y, *b))
            .fold(Rational::zero(), |sum, value| sum + value)
    }

    /// The polynomial with whole coefficients without a common factor that is a positive multiple of this one: the same
    /// curve, and the same signs beside it.
    #[must_use]
    pub fn primitive(&self) -> Self {
        let terms = self.integers().into_iter();
        Self {
            terms: terms.map(|(x, y, c)| ((x, y), Rational::from_integer(c))).collect(),
        }
    }

    /// The terms of the primitive form.
    pub(super) fn integers(&self) -> Vec<(u32, u32, BigInt)> {
        let (terms, _) = self.over_one_denominator();
        let content = terms.iter().fold(BigInt::zero(), |all, (_, _, c)| all.gcd(c));
        terms.into_iter().map(|(x, y, c)| (x, y, c / &content)).collect()
    }

    pub(super) fn constant(value: Rational) -> Self {
        let mut constant = Self::default();
        constant.add_term((0, 0), value);
        constant
    }

    pub(super) fn variable(powers: (u32, u32)) -> Self {
        let mut variable = Self::default();
        variable.add_term(powers, Rational::one());
        variable
    }

    /// The value of a polynomial without x and y.
    pub(super) fn as_constant(&self) -> Option<Rational> {
        match self.degree() {
            0 => Some(self.terms.get(&(0, 0)).cloned().unwrap_or_else(Rational::zero)),
            _ => None,
        }
    }

    /// Adds the other or its negative, and tells the most bits of a coefficient that this changed.
    pub(super) fn add(&mut self, other: Self, negative: bool) -> u64 {
        let terms = other.terms.into_iter();
        terms
            .map(|(powers, c)| self.add_term(powers, if negative { -c } else { c }))
            .max()
            .unwrap_or(0)
    }

    pub(super) fn scaled(mut self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::default();
        }
        for coefficient in self.terms.values_mut() {
            *coefficient *= factor;
        }
        self
    }

    /// In whole numbers over one denominator, since sums of fractions would find a common divisor for each of the products.
    pub(super) fn times(&self, other: &Self) -> Self {
        let ((left, of_left), (right, of_right)) = (self.over_one_denominator(), other.over_one_denominator());
        let mut sums: BTreeMap<(u32, u32), BigInt> = BTreeMap::new();
        for (ax, ay, a) in &left {
            for (bx, by, b) in &right {
                *sums.entry((ax + bx, ay + by)).or_default() += a * b;
            }
        }
        let denominator = of_left * of_right;
        let over = |c: BigInt| {
            if denominator.is_one() {
                Rational::from_integer(c)
            } else {
                Rational::new(c, denominator.clone())
            }
        };
        let terms = sums.into_iter().filter(|(_, c)| !c.is_zero());
        Self {
            terms: terms.map(|(powers, c)| (powers, over(c))).collect(),
        }
    }

    /// The numerators over the least common denominator, and that.
    fn over_one_denominator(&self) -> (Vec<(u32, u32, BigInt)>, BigInt) {
        let denominator = self.terms.values().fold(BigInt::one(), |all, c| all.lcm(c.denom()));
        let whole = |c: &Rational| c.numer() * (&denominator / c.denom());
        let terms = self.terms.iter().map(|((x, y), c)| (*x, *y, whole(c))).collect();
        (terms, denominator)
    }

    /// The power of a polynomial of one term, unless it has more than one or its coefficient would have far more bits than
    /// `most`.
    pub(super) fn power_of_term(&self, exponent: u32, most: u64) -> Option<Self> {
        let mut terms = self.terms.iter();
        let ((x, y), c) = terms.next().filter(|_| self.terms.len() == 1)?;
        // |numerator| or denominator is at least 2^(bits - 1).
        if (bits(c) - 1).saturating_mul(exponent.into()) > most {
            return None;
        }
        let mut power = Self::default();
        let c = Rational::new_raw(c.numer().pow(exponent), c.denom().pow(exponent));
        power.add_term((x * exponent, y * exponent), c);
        Some(power)
    }

    /// The most bits of a numerator or denominator.
    pub(super) fn bits(&self) -> u64 {
        self.terms.values().map(bits).max().unwrap_or(0)
    }

    /// Adds a term, and tells the bits of its coefficient then.
    fn add_term(&mut self, powers: (u32, u32), coefficient: Rational) -> u64 {
        let sum = match self.terms.remove(&powers) {
            Some(before) => before + coefficient,
            None => coefficient,
        };
        let bits = bits(&sum);
        if !sum.is_zero() {
            self.terms.insert(powers, sum);
        }
        bits
    }
}

/// As a text that reads back as the same polynomial; but a constant, which no equation of a curve is, is not read.
impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (index, ((x, y), coefficient)) in self.terms.iter().rev().enumerate() {
            f.write_str(match (index, coefficient.is_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            let magnitude = coefficient.abs();
            let mut factors = Vec::new();
            if !magnitude.is_one() || (*x, *y) == (0, 0) {
                factors.push(magnitude.to_string());
            }
            for (name, power) in [("x", *x), ("y", *y)] {
                match power {
                    0 => {}
                    1 => factors.push(name.to_owned()),
                    _ => factors.push(format!("{name}^{power}")),
                }
            }
            f.write_str(&factors.join("*"))?;
        }
        Ok(())
    }
}

fn bits(coefficient: &Rational) -> u64 {
    coefficient.numer().bits().max(coefficient.denom().bits())
}

fn refused(expected: String, found: String) -> Error {
    Error::Shape {
        operation: "polynomial",
        expected,
        found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn terms_are_summed_and_zeros_vanish() {
        let terms = [
            (2, 0, ratio(1, 2)),
            (0, 1, ratio(3, 4)),
            (2, 0, ratio(1, 3)),
            (0, 1, ratio(-3, 4)),
        ];
        let f = Polynomial::from_terms(terms).expect("small");
        assert_eq!(f.terms().collect::<Vec<_>>(), [(2, 0, &ratio(5, 6))]);
        assert_eq!((f.degree(), f.degrees()), (2, (2, 0)));
        assert_eq!(f.evaluate(&ratio(3, 1), &ratio(7, 1)), ratio(15, 2));
        let nothing = Polynomial::from_terms([(1, 1, ratio(0, 1))]).expect("small");
        assert_eq!((nothing.degree(), nothing.to_string().as_str()), (0, "0"));
        assert!(nothing.integers().is_empty());
    }

    #[test]
    fn the_primitive_form_keeps_signs() {
        let f = Polynomial::from_terms([(1, 0, ratio(-4, 3)), (0, 1, ratio(2, 5)), (0, 0, ratio(-2, 1))]);
        let primitive = f.expect("small").primitive();
        assert_eq!(primitive.to_string(), "-10*x + 3*y - 15");
    }

    #[test]
    fn limits_are_told() {
        let high = Polynomial::from_terms([(u32::MAX, u32::MAX, ratio(1, 1))]);
        assert!(high.is_err_and(|error| error.to_string().contains("at most 128")));
        assert!(Polynomial::from_terms([(64, 64, ratio(1, 1))]).is_ok());
        let long = Rational::from_integer(BigInt::one() << MAX_BITS);
        let long = Polynomial::from_terms([(1, 0, long)]);
        assert!(long.is_err_and(|error| error.to_string().contains("found 16385")));
    }
}
