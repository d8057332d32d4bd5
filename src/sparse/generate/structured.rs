//! Matrices whose pattern is their point: an arrow for dense rows, a band for long runs.

use super::counted;
use crate::host_memory::reserved;
use crate::sparse::Csr;
use crate::{Error, Result};

/// The arrow of n rows: the first row and column are full of −1, the diagonal is n, 2, 2, …, 2. Symmetric, strictly
/// diagonally dominant, hence positive definite; one row as long as the matrix.
///
/// # Errors
/// [`Error::Shape`] for more than 2³² − 1 rows or entries; [`Error::OutOfMemory`] if the host cannot hold them.
///
/// ```
/// use nonius::sparse::generate::arrow;
///
/// let a = arrow(3)?;
/// assert_eq!(a.values(), [3.0, -1.0, -1.0, -1.0, 2.0, -1.0, 2.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn arrow(n: usize) -> Result<Csr<f64>> {
    counted("arrow", "rows", &[n])?;
    let count = (3 * n as u64).saturating_sub(2);
    let columns = |row: usize| (0..if row == 0 { n } else { 1 }).chain((row > 0).then_some(row));
    from_columns("arrow", n, count, columns, |row, column| match (row, column) {
        (0, 0) => n as f64,
        (row, column) if row == column => 2.0,
        _ => -1.0,
    })
}

/// The band of n rows with `lower` diagonals below and `upper` above the main one: −1 off it, lower + upper + 1 on it.
/// Strictly diagonally dominant; every row is one run.
///
/// # Errors
/// As [`arrow`].
///
/// ```
/// use nonius::sparse::generate::banded;
///
/// let a = banded(4, 2, 0)?;
/// assert_eq!(a.row(3).collect::<Vec<_>>(), [(1, -1.0), (2, -1.0), (3, 3.0)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn banded(n: usize, lower: usize, upper: usize) -> Result<Csr<f64>> {
    counted("banded", "rows", &[n])?;
    let diagonal = lower as f64 + upper as f64 + 1.0;
    // No row has more entries than columns, whatever the band.
    let widest = n.saturating_sub(1);
    let (lower, upper) = (lower.min(widest), upper.min(widest));
    // Diagonals of n − 1, n − 2, … entries: n² in all at most, which 64 bits hold.
    let beside = |width: u64| width * n as u64 - width * (width + 1) / 2;
    let count = n as u64 + beside(lower as u64) + beside(upper as u64);
    let columns = |row: usize| row.saturating_sub(lower)..row.saturating_add(upper).saturating_add(1).min(n);
    let value = |row, column| if row == column { diagonal } else { -1.0 };
    from_columns("banded", n, count, columns, value)
}

/// The matrix of n rows with `count` entries in these columns. There is room for all of them before there is one: a row may be
/// as long as the matrix, and an iterator that extends a vector asks nobody.
fn from_columns<C: Iterator<Item = usize>>(
    operation: &'static str,
    n: usize,
    count: u64,
    columns_of: impl Fn(usize) -> C,
    value: impl Fn(usize, usize) -> f64,
) -> Result<Csr<f64>> {
    let numbered = |number: u64| {
        u32::try_from(number).map_err(|_| Error::Shape {
            operation,
            expected: format!("at most {} entries", u32::MAX),
            found: format!("{count}"),
        })
    };
    let len = numbered(count)? as usize;
    let mut values = reserved(len, "the values")?;
    let mut columns = reserved(len, "the columns")?;
    let mut row_ptr = reserved(n.saturating_add(1), "the row pointers")?;
    row_ptr.push(0);
    for row in 0..n {
        for column in columns_of(row) {
            columns.push(numbered(column as u64)?);
            values.push(value(row, column));
        }
        row_ptr.push(numbered(columns.len() as u64)?);
    }
    Csr::new(n, n, row_ptr, columns, values)
}
