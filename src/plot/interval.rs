//! Intervals of integers, by the rules of Suzuki and Murao (2010), section 3.2.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// All numbers from `low` to `high`, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) low: BigInt,
    pub(super) high: BigInt,
}

impl Interval {
    pub(super) fn zero() -> Self {
        Self {
            low: BigInt::zero(),
            high: BigInt::zero(),
        }
    }

    /// The n-th power: of an even power, 0 is the least value where the interval has zero in it.
    pub(super) fn power(&self, n: u32) -> Self {
        let ends = || (self.low.pow(n), self.high.pow(n));
        if n == 0 {
            return Self {
                low: BigInt::one(),
                high: BigInt::one(),
            };
        }
        let (low, high) = ends();
        if n % 2 == 1 || self.low.is_positive() {
            Self { low, high }
        } else if self.high.is_negative() {
            Self { low: high, high: low }
        } else {
            Self {
                low: BigInt::zero(),
                high: low.max(high),
            }
        }
    }

    /// The least and the greatest of the four products of ends.
    pub(super) fn times(&self, other: &Self) -> Self {
        let products = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let [first, others @ ..] = products;
        let (mut low, mut high) = (first.clone(), first);
        for product in others {
            if product < low {
                low = product;
            } else if product > high {
                high = product;
            }
        }
        Self { low, high }
    }

    /// Adds c·T.
    pub(super) fn add_multiple(&mut self, c: &BigInt, of: &Self) {
        let (low, high) = if c.is_negative() {
            (&of.high, &of.low)
        } else {
            (&of.low, &of.high)
        };
        self.low += c * low;
        self.high += c * high;
    }

    pub(super) fn has_zero(&self) -> bool {
        !self.low.is_positive() && !self.high.is_negative()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: i32, high: i32) -> Interval {
        Interval {
            low: low.into(),
            high: high.into(),
        }
    }

    /// Every rule gives the hull of what the numbers within give.
    #[test]
    fn rules_give_hulls() {
        let hull = |values: Vec<i32>| {
            let ends = (values.iter().min().copied(), values.iter().max().copied());
            interval(ends.0.expect("some"), ends.1.expect("some"))
        };
        let all: Vec<(i32, i32)> = (-3..=3)
            .flat_map(|low| (low..=3).map(move |high| (low, high)))
            .collect();
        for &(a, b) in &all {
            for n in 0..=4 {
                // The least value of an even power lies within; integers hold it, since 0 is one.
                assert_eq!(
                    interval(a, b).power(n),
                    hull((a..=b).map(|x| x.pow(n)).collect()),
                    "[{a}, {b}]^{n}"
                );
            }
            for &(c, d) in &all {
                let products = (a..=b).flat_map(|x| (c..=d).map(move |y| x * y)).collect();
                assert_eq!(
                    interval(a, b).times(&interval(c, d)),
                    hull(products),
                    "[{a}, {b}] [{c}, {d}]"
                );
            }
            for c in -2..=2 {
                let mut sum = interval(1, 5);
                sum.add_multiple(&c.into(), &interval(a, b));
                let ends = hull(vec![c * a, c * b]);
                assert_eq!((sum.low, sum.high), (ends.low + 1, ends.high + 5), "{c} [{a}, {b}]");
            }
            assert_eq!(interval(a, b).has_zero(), a <= 0 && b >= 0);
        }
    }
}
