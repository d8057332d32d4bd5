//! Doubles as integers, and the measures of a solution from them: without any rounding but the last.

use std::collections::BTreeMap;

use nonius::sparse::Coo;
use num_bigint::{BigInt, Sign};

/// x · 2^1074, which is an integer.
pub(crate) fn integer(x: f64) -> BigInt {
    assert!(x.is_finite());
    let bits = x.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let magnitude = if exponent == 0 {
        BigInt::from(fraction)
    } else {
        BigInt::from(fraction | 1 << 52) << (exponent - 1)
    };
    if x < 0.0 { -magnitude } else { magnitude }
}

/// To the 64 bits that are more than a double shows.
pub(crate) fn ratio(above: &BigInt, below: &BigInt) -> f64 {
    if above.sign() == Sign::NoSign {
        return 0.0;
    }
    let shift = i64::try_from(below.bits()).expect("small") - i64::try_from(above.bits()).expect("small") + 64;
    let quotient = if shift >= 0 {
        (above << shift.unsigned_abs()) / below
    } else {
        above / (below << shift.unsigned_abs())
    };
    let quotient = u128::try_from(quotient).expect("of magnitudes, and of 65 bits at most");
    // Two steps, so that a small ratio is not lost to a subnormal power.
    let exponent = i32::try_from(-shift).expect("small");
    quotient as f64 * 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
}

/// ‖b - A x‖∞, ‖A‖∞ ‖x‖∞ + ‖b‖∞ and the squares of ‖b - A x‖₂ and ‖b‖₂, in units of 2^-2148 and its square; and the largest
/// |b - A x|ᵢ / (|A||x| + |b|)ᵢ.
pub(crate) struct Measured {
    pub(crate) componentwise: f64,
    pub(crate) residual: BigInt,
    pub(crate) scale: BigInt,
    pub(crate) residual_squared: BigInt,
    pub(crate) b_squared: BigInt,
}

pub(crate) fn measure(a: &Coo<f64>, x: &[f64], b: &[f64]) -> Measured {
    let one = integer(1.0);
    let x: Vec<BigInt> = x.iter().map(|x| integer(*x)).collect();
    let b: Vec<BigInt> = b.iter().map(|b| integer(*b) * &one).collect();
    let mut residual = b.clone();
    // Entries of one position are one element, whose magnitude counts.
    let mut elements = BTreeMap::<_, BigInt>::new();
    for (row, col, value) in a.iter() {
        residual[row] -= integer(value) * &x[col];
        *elements.entry((row, col)).or_default() += integer(value);
    }
    let magnitude = |x: &BigInt| BigInt::from(x.magnitude().clone());
    let mut sums = vec![BigInt::ZERO; b.len()];
    let mut sizes: Vec<BigInt> = b.iter().map(magnitude).collect();
    for ((row, col), element) in elements {
        sums[row] += magnitude(&element);
        sizes[row] += magnitude(&(element * &x[col]));
    }
    let rows = residual.iter().zip(&sizes);
    let squares = |values: &[BigInt]| values.iter().map(|value| value * value).sum();
    Measured {
        componentwise: rows.map(|(r, size)| ratio(&magnitude(r), size)).fold(0.0, f64::max),
        scale: largest(&sums) * largest(&x) + largest(&b),
        residual_squared: squares(&residual),
        residual: largest(&residual),
        b_squared: squares(&b),
    }
}

impl Measured {
    pub(crate) fn backward_error(&self) -> f64 {
        ratio(&self.residual, &self.scale)
    }

    /// ‖b - A x‖₂ / ‖b‖₂.
    pub(crate) fn relative_residual(&self) -> f64 {
        ratio(&self.residual_squared, &self.b_squared).sqrt()
    }
}

fn largest(values: &[BigInt]) -> BigInt {
    let magnitudes = values.iter().map(|value| value.magnitude().clone());
    magnitudes.max().map_or(BigInt::ZERO, BigInt::from)
}

/// The determinant of a small integer matrix, and the rank of each of its leading blocks of columns: Bareiss 1968.
pub(crate) fn first_dependent_column(n: usize, values: &[i64]) -> Option<usize> {
    let mut rows: Vec<Vec<BigInt>> = values
        .chunks(n)
        .map(|row| row.iter().map(|value| BigInt::from(*value)).collect())
        .collect();
    let mut previous = BigInt::from(1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|row| rows[*row][k] != BigInt::ZERO) else {
            return Some(k);
        };
        rows.swap(k, pivot);
        let (done, rest) = rows.split_at_mut(k + 1);
        let pivot_row = &done[k];
        for row in rest {
            let factor = row[k].clone();
            for (x, u) in row.iter_mut().zip(pivot_row).skip(k) {
                // Division without remainder: Sylvester's identity.
                *x = (&*x * &pivot_row[k] - &factor * u) / &previous;
            }
        }
        previous = pivot_row[k].clone();
    }
    None
}

#[test]
fn ratios_are_those_of_doubles() {
    for (x, y) in [(1.0, 3.0), (f64::MAX, 7.0), (5e-324, f64::MAX), (-0.1, 0.3), (0.0, 1.0)] {
        let (above, below) = (BigInt::from(integer(x).magnitude().clone()), integer(y));
        let (found, expected) = (ratio(&above, &below), f64::abs(x) / y);
        assert!(
            (found - expected).abs() <= 2.0 * f64::EPSILON * expected,
            "{x:e} / {y:e}: {found:e}"
        );
    }
}

#[test]
fn dependent_columns_are_found() {
    assert_eq!(first_dependent_column(3, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), Some(2));
    assert_eq!(first_dependent_column(3, &[1, 2, 3, 2, 4, 6, 7, 8, 10]), Some(2));
    assert_eq!(first_dependent_column(2, &[0, 1, 1, 0]), None);
    assert_eq!(first_dependent_column(3, &[1, 2, 0, 1, 2, 0, 1, 2, 5]), Some(1));
}
