//! Every cell by itself, as Suzuki and Murao (2010) have it: the value of f over a cell is an interval, and the cell is
//! drawn when that has zero in it.

use num_bigint::BigInt;
use num_traits::Signed;

use super::bands;
use super::cells::{Cell, Cells};
use super::grid::{Axis, Grid};
use super::interval::Interval;
use super::polynomial::Polynomial;
use crate::error::Result;
use crate::observer::Observer;

/// f over every cell, by equation (2): Σ c·X^a·Y^b·D^(d − a − b), term by term, with [X, X + p] and [Y, Y + q] the numerators
/// of the cell's sides, D the denominator of all corners and d the degree. Nothing is proved crossed this way.
pub(super) fn classify(f: &Polynomial, grid: &Grid, observer: &mut dyn Observer) -> Result<Cells> {
    let paper = Paper::new(f, grid);
    let extents = (grid.width(), grid.height());
    bands::map("plot", extents, 1, observer, |rows| {
        rows.flat_map(|j| paper.row(&side(grid.y(), j))).collect()
    })
}

/// The bits of every integer that occurs: |ends of terms and of their sums| ≤ Σ |c|·X̂^a·Ŷ^b·D^(d − a − b) < 2^bits, with X̂
/// and Ŷ the largest magnitudes of numerators. A basis of residues must hold twice that, for the sign; and that again
/// for differences of two products, which are compared by their sign.
#[must_use]
pub(super) fn bits(f: &Polynomial, grid: &Grid) -> u64 {
    let largest = |axis: &Axis, cells| axis.at(0).abs().max(axis.at(cells).abs());
    let (x, y) = (largest(grid.x(), grid.width()), largest(grid.y(), grid.height()));
    magnitude(f, grid, &x, &y).bits()
}

/// Σ |c|·x^a·y^b·D^(d − a − b).
pub(super) fn magnitude(f: &Polynomial, grid: &Grid, x: &BigInt, y: &BigInt) -> BigInt {
    let weights = weights(f, grid).into_iter();
    weights.map(|(a, b, weight)| weight.abs() * x.pow(a) * y.pow(b)).sum()
}

/// The integers c·D^(d − a − b).
pub(super) fn weights(f: &Polynomial, grid: &Grid) -> Vec<(u32, u32, BigInt)> {
    let degree = f.degree();
    let terms = f.integers().into_iter();
    terms
        .map(|(a, b, c)| (a, b, c * grid.denominator().pow(degree - a - b)))
        .collect()
}

/// The side of a cell along an axis.
fn side(axis: &Axis, k: usize) -> Interval {
    Interval {
        low: axis.at(k),
        high: axis.at(k + 1),
    }
}

struct Paper {
    weights: Vec<(u32, u32, BigInt)>,
    /// The powers of every column's side: they depend on nothing else, and each is asked for in every row.
    columns: Vec<Vec<Interval>>,
    degree_y: u32,
}

impl Paper {
    fn new(f: &Polynomial, grid: &Grid) -> Self {
        let (degree_x, degree_y) = f.degrees();
        let columns = (0..grid.width()).map(|i| powers(&side(grid.x(), i), degree_x));
        Self {
            weights: weights(f, grid),
            columns: columns.collect(),
            degree_y,
        }
    }

    fn row(&self, y: &Interval) -> Vec<Cell> {
        let y = powers(y, self.degree_y);
        let value = |x: &[Interval]| {
            let mut sum = Interval::zero();
            for (a, b, weight) in &self.weights {
                sum.add_multiple(weight, &x[*a as usize].times(&y[*b as usize]));
            }
            sum
        };
        let cells = self.columns.iter();
        cells
            .map(|x| {
                if value(x).has_zero() {
                    Cell::Undecided
                } else {
                    Cell::Empty
                }
            })
            .collect()
    }
}

fn powers(side: &Interval, highest: u32) -> Vec<Interval> {
    (0..=highest).map(|n| side.power(n)).collect()
}
