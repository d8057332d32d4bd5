//! Matrices of integers, and of rationals with their denominators cleared.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use crate::error::{Error, Result};
use crate::rational::Rational;

/// An m x n matrix of integers, by rows, on the host.
///
/// ```
/// use nonius::residue::linear::Integers;
/// let a = Integers::new(2, 2, (1..=4).map(Into::into).collect())?;
/// // Hadamard: the smaller of √5 · √25 and √10 · √20, rounded up.
/// assert_eq!(a.hadamard(), 12_u32.into());
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integers {
    rows: usize,
    cols: usize,
    entries: Vec<BigInt>,
}

impl Integers {
    /// The matrix with these entries, by rows.
    ///
    /// # Errors
    /// [`Error::Shape`] where there are not `rows · cols`.
    pub fn new(rows: usize, cols: usize, entries: Vec<BigInt>) -> Result<Self> {
        if rows.checked_mul(cols) == Some(entries.len()) {
            return Ok(Self { rows, cols, entries });
        }
        Err(Error::Shape {
            operation: "a matrix of integers",
            expected: format!("{rows} x {cols} entries"),
            found: format!("{}", entries.len()),
        })
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The entries, by rows.
    #[must_use]
    pub fn entries(&self) -> &[BigInt] {
        &self.entries
    }

    /// What no minor is above in magnitude, rounded up: the smaller of the products of the lengths of rows and of columns,
    /// lengths below 1 counted as 1 (Hadamard 1893; a minor of some rows and columns has no longer ones).
    #[must_use]
    pub fn hadamard(&self) -> BigUint {
        if self.entries.is_empty() {
            return BigUint::one();
        }
        // One pass, since taking squares of long integers is what this costs.
        let mut of_rows = vec![BigUint::zero(); self.rows];
        let mut of_cols = vec![BigUint::zero(); self.cols];
        if self.cols > 0 {
            for (row, entries) in of_rows.iter_mut().zip(self.entries.chunks(self.cols)) {
                for (col, entry) in of_cols.iter_mut().zip(entries) {
                    let square = entry.magnitude().to_u32().map_or_else(
                        || entry.magnitude().pow(2),
                        |short| BigUint::from(u64::from(short) * u64::from(short)),
                    );
                    *row += &square;
                    *col += square;
                }
            }
        }
        let product = |sums: Vec<BigUint>| -> BigUint { sums.into_iter().map(|sum| sum.max(BigUint::one())).product() };
        let (by_rows, by_cols) = (product(of_rows), product(of_cols));
        let square = by_rows.min(by_cols);
        let root = square.sqrt();
        if &root * &root == square { root } else { root + 1_u32 }
    }

    /// Refuses what is not square.
    pub(super) fn check_square(&self, operation: &'static str) -> Result<()> {
        if self.rows == self.cols {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: "a square matrix".to_owned(),
            found: format!("{} x {}", self.rows, self.cols),
        })
    }
}

/// Rows of rationals, each times the least common multiple of its denominators; and these multiples. With A x = b, pass
/// rows of [A b], and the solution stays the same.
///
/// # Errors
/// [`Error::Shape`] where there are not `rows · cols` entries.
pub fn integers_of_rows(rows: usize, cols: usize, entries: &[Rational]) -> Result<(Integers, Vec<BigInt>)> {
    let mut integers = Vec::with_capacity(entries.len());
    // Without columns there may be any number of rows.
    let mut multiples = Vec::with_capacity(rows.min(entries.len()));
    if cols > 0 {
        for row in entries.chunks(cols) {
            let multiple = row
                .iter()
                .fold(BigInt::one(), |multiple, entry| multiple.lcm(entry.denom()));
            integers.extend(row.iter().map(|entry| entry.numer() * (&multiple / entry.denom())));
            multiples.push(multiple);
        }
    }
    debug_assert!(
        multiples.iter().all(|multiple| !multiple.is_zero()),
        "denominators are not zero"
    );
    Ok((Integers::new(rows, cols, integers)?, multiples))
}
