//! Gaussian elimination modulo one prime: what is asked of it, what it gives, and the host's.

use num_bigint::BigInt;

use super::matrix::Integers;
use crate::residue::basis::residue;
use crate::residue::{Prime, Width};

/// What is wanted of a matrix modulo a prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The determinant of a square matrix.
    Determinant,
    /// The rank.
    Rank,
    /// Of [A B], A square: the determinant of A and the solution of A X = B.
    Solution,
}

/// What elimination of a matrix modulo a prime gives. Residues are in Montgomery's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Modular {
    /// The prime.
    pub(super) prime: Prime,
    /// The rank, if that was asked for.
    pub(super) rank: usize,
    /// The determinant of the square part, if that was asked for.
    pub(super) determinant: u32,
    /// The first column that depends on those before it.
    pub(super) dependent: Option<usize>,
    /// X, column by column, if that was asked for and the determinant is not 0.
    pub(super) solution: Vec<u32>,
}

/// What is asked of a matrix modulo a prime, by the host. Cost: that of [`eliminate`].
pub(super) fn on_host(a: &Integers, prime: Prime, ask: Ask) -> Modular {
    let width = a.cols();
    let cols = if ask == Ask::Solution { a.rows() } else { width };
    let eliminated = eliminate(prime, residues(a, prime), width, cols, ask == Ask::Solution);
    let mut solution = Vec::new();
    if ask == Ask::Solution && eliminated.determinant != 0 {
        let places = (cols..width).flat_map(|col| (0..a.rows()).map(move |row| row * width + col));
        solution.extend(places.map(|at| eliminated.rows[at]));
    }
    Modular {
        prime,
        rank: eliminated.pivots.len(),
        determinant: eliminated.determinant,
        dependent: (0..cols).find(|col| eliminated.pivots.get(*col) != Some(col)),
        solution,
    }
}

/// What elimination of an m x n matrix modulo a prime leaves. Residues are in Montgomery's form.
#[derive(Debug, Clone)]
pub(super) struct Eliminated {
    /// The columns that have pivots, ascending; their number is the rank.
    pub(super) pivots: Vec<usize>,
    /// The determinant: 0 where a row or column has no pivot.
    pub(super) determinant: u32,
    /// The reduced rows, by rows: pivots 1 and 0 above and below them, if that was asked for.
    pub(super) rows: Vec<u32>,
}

/// Eliminates in the first `cols` columns of an m x `width` matrix, by rows; the pivot of a column is its first element that
/// is not 0, since all that are not 0 are as good. With `reduce`, rows above pivots are cleared, too.
///
/// Cost: m n (2 width − n) / 2 products for n pivots and m rows, twice that with `reduce`.
pub(super) fn eliminate(prime: Prime, mut a: Vec<u32>, width: usize, cols: usize, reduce: bool) -> Eliminated {
    let rows = a.len().checked_div(width).unwrap_or(0);
    let mut determinant = prime.one();
    let mut pivots = Vec::new();
    for col in 0..cols {
        let top = pivots.len();
        let Some(pivot) = (top..rows).find(|row| a[row * width + col] != 0) else {
            continue;
        };
        if pivot != top {
            let (above, below) = a.split_at_mut(pivot * width);
            above[top * width..][..width].swap_with_slice(&mut below[..width]);
            determinant = prime.neg(determinant);
        }
        let (above, rest) = a.split_at_mut(top * width);
        let (row, below) = rest.split_at_mut(width);
        determinant = prime.mul(determinant, row[col]);
        let inverse = prime
            .invert(row[col])
            .unwrap_or_else(|| unreachable!("a pivot is not 0"));
        let row = &mut row[col..];
        row.iter_mut().for_each(|x| *x = prime.mul(*x, inverse));
        let above = if reduce { above } else { &mut [] };
        for other in above.chunks_exact_mut(width).chain(below.chunks_exact_mut(width)) {
            let other = &mut other[col..];
            let factor = other[0];
            if factor != 0 {
                // Nearly all of the work.
                match prime.width() {
                    Width::Narrow => subtract(prime, other, |u| prime.mul_narrow(factor, u), row),
                    Width::Wide => subtract(prime, other, |u| prime.mul_wide(factor, u), row),
                }
            }
        }
        pivots.push(col);
    }
    if pivots.len() < rows || pivots.len() < cols {
        determinant = 0;
    }
    Eliminated {
        pivots,
        determinant,
        rows: a,
    }
}

/// x ← x − f(u), element by element.
fn subtract(prime: Prime, x: &mut [u32], f: impl Fn(u32) -> u32, u: &[u32]) {
    x.iter_mut().zip(u).for_each(|(x, u)| *x = prime.sub(*x, f(*u)));
}

/// The residues of a matrix, in Montgomery's form.
pub(super) fn residues(a: &Integers, prime: Prime) -> Vec<u32> {
    a.entries().iter().map(|entry: &BigInt| residue(prime, entry)).collect()
}
