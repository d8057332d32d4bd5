//! Scaling by powers of two: exact where nothing underflows, and only as much as f32's range asks for.

use super::measure::top_exponent;
use crate::lu::Equilibration;
use crate::scalar::{Scalar, ScalarKind};
use crate::sparse::Coo;

/// Exponents: entry (i, j) of A is multiplied by 2^(rows[i] + cols[j]), row i of b by 2^(rows[i] + b), and x comes from
/// the scaled solution y as x[j] = y[j] · 2^(cols[j] − b).
pub(super) struct Scaling {
    pub(super) rows: Vec<i32>,
    pub(super) cols: Vec<i32>,
    pub(super) b: i32,
    /// Whether rows and columns are scaled one by one.
    pub(super) equilibrated: bool,
}

/// The exponents that need no scaling of rows and columns in any precision, once the largest entry is in [1, 2): products of two such
/// entries, and the error terms of these products, are normal numbers of f32.
const SAFE: i32 = -40;

impl Scaling {
    pub(super) fn of(a: &Coo<f64>, b: &[f64]) -> Self {
        let top = top_exponent(a.values());
        let bottom = a
            .values()
            .iter()
            .filter_map(|value| Scalar::exponent(*value))
            .min()
            .unwrap_or(0);
        let equilibrated = bottom - top < SAFE;
        let (rows, cols) = if equilibrated {
            equilibrate(a)
        } else {
            (vec![-top; a.rows()], vec![0; a.cols()])
        };
        let scaled = b
            .iter()
            .zip(&rows)
            .filter_map(|(b, row)| Some(Scalar::exponent(*b)? + row));
        let b = -scaled.max().unwrap_or(0);
        Self {
            rows,
            cols,
            b,
            equilibrated,
        }
    }

    /// How many entries of A that are not zero have, once they are scaled, no place in the range of a scalar.
    pub(super) fn lost_of_a(&self, a: &Coo<f64>, scalar: ScalarKind) -> usize {
        let scaled = |(row, col, value)| Some(Scalar::exponent(value)? + self.rows[row] + self.cols[col]);
        below_range(a.iter().filter_map(scaled), scalar)
    }

    /// The same of b.
    pub(super) fn lost_of_b(&self, b: &[f64], scalar: ScalarKind) -> usize {
        let entries = b.iter().zip(&self.rows);
        below_range(
            entries.filter_map(|(b, row)| Some(Scalar::exponent(*b)? + row + self.b)),
            scalar,
        )
    }
}

fn below_range(exponents: impl Iterator<Item = i32>, scalar: ScalarKind) -> usize {
    exponents
        .filter(|exponent| *exponent < scalar.smallest_normal())
        .count()
}

/// Brings the largest entry of every row, then of every column, to [1, 2).
fn equilibrate(a: &Coo<f64>) -> (Vec<i32>, Vec<i32>) {
    let entries = a
        .iter()
        .filter_map(|(row, col, value)| Some((row, col, Scalar::exponent(value)?)));
    let Equilibration { rows, cols } = Equilibration::of_exponents(a.rows(), a.cols(), entries);
    (rows, cols)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the smallest normal number of the scalar, and not counting zeros.
    #[test]
    fn what_leaves_the_range_is_counted() {
        let a = Coo::from_triplets(3, 3, [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]).expect("it fits");
        for (power, scalar) in [
            (-126, ScalarKind::F32),
            (-126, ScalarKind::Df64),
            (-1022, ScalarKind::F64),
            (-1022, ScalarKind::Dd),
        ] {
            let least = 2.0_f64.powi(power);
            let lost = |b: [f64; 3]| Scaling::of(&a, &b).lost_of_b(&b, scalar);
            assert_eq!(lost([1.5, least, 0.0]), 0, "{scalar:?}");
            assert_eq!(lost([2.0, least, 0.0]), 1, "{scalar:?}");
            assert_eq!(lost([2.0, least, -least]), 2, "{scalar:?}");
            // Beside 1 in its row and 2 in its column, or 2 in both; rows and columns that are small are brought up.
            let lost = |a: [[f64; 2]; 2]| {
                let entries = (0..2).flat_map(|i| (0..2).map(move |j| (i, j, a[i][j])));
                let a = Coo::from_triplets(2, 2, entries).expect("it fits");
                Scaling::of(&a, &[1.0; 2]).lost_of_a(&a, scalar)
            };
            assert_eq!(lost([[1.0, least], [0.0, 1.0]]), 0, "{scalar:?}");
            assert_eq!(lost([[2.0, least], [0.0, 1.0]]), 1, "{scalar:?}");
            assert_eq!(lost([[2.0, least], [-least, 2.0]]), 2, "{scalar:?}");
            assert_eq!(lost([[2.0, least], [-least, 0.0]]), 0, "{scalar:?}");
        }
    }
}
