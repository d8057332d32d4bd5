//! Matrices whose pattern is their point: an arrow for dense rows, a band for long runs.

use super::unknowns;
use crate::Result;
use crate::sparse::Csr;

/// The arrow of n rows: the first row and column are full of −1, the diagonal is n, 2, 2, …, 2. Symmetric, strictly
/// diagonally dominant, hence positive definite; one row as long as the matrix.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for more than 2³² − 1 rows or entries.
///
/// ```
/// use nonius::sparse::generate::arrow;
///
/// let a = arrow(3)?;
/// assert_eq!(a.values(), [3.0, -1.0, -1.0, -1.0, 2.0, -1.0, 2.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn arrow(n: usize) -> Result<Csr<f64>> {
    unknowns("arrow", &[n])?;
    Csr::from_rows(n, n, |row, entries| {
        if row == 0 {
            entries.push((0, n as f64));
            entries.extend((1..n).map(|column| (column, -1.0)));
        } else {
            entries.extend([(0, -1.0), (row, 2.0)]);
        }
    })
}

/// The band of n rows with `lower` diagonals below and `upper` above the main one: −1 off it, lower + upper + 1 on it.
/// Strictly diagonally dominant; every row is one run.
///
/// # Errors
/// As [`arrow`].
pub fn banded(n: usize, lower: usize, upper: usize) -> Result<Csr<f64>> {
    unknowns("banded", &[n])?;
    // No row has more entries than columns, whatever the band.
    let diagonal = lower as f64 + upper as f64 + 1.0;
    Csr::from_rows(n, n, |row, entries| {
        let columns = row.saturating_sub(lower)..row.saturating_add(upper).saturating_add(1).min(n);
        entries.extend(columns.map(|column| (column, if column == row { diagonal } else { -1.0 })));
    })
}
