//! Renumbering: fewer distinct columns near each other cost fewer bytes, and neighbours that are near read x from cache.
//!
//! A [`Permutation`] renumbers rows and columns alike, so that a symmetric matrix stays symmetric and A x = b becomes
//! `(PAPᵀ)(Px) = Pb`. [`rcm`] narrows the band; [`runs()`] puts columns that share rows next to each other, which lengthens
//! the runs that packed formats store at once.

mod rcm;
mod runs;

pub use rcm::rcm;
pub use runs::runs;

use super::csr::Csr;
use super::csr_pattern::CsrPattern;
use super::indices::narrow;
use crate::host_memory::{filled, reserved, room};
use crate::scalar::Scalar;
use crate::{Error, Result};

/// A renumbering of 0..n.
///
/// ```
/// use nonius::sparse::reorder::Permutation;
///
/// let p = Permutation::new(vec![2, 0, 1])?;
/// let x = p.apply(&[10.0, 20.0, 30.0])?;
/// assert_eq!(x, [30.0, 10.0, 20.0]);
/// assert_eq!(p.undo(&x)?, [10.0, 20.0, 30.0]);
/// assert!(Permutation::new(vec![0, 2, 2]).is_err());
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    /// The old number at each new one.
    order: Vec<u32>,
}

impl Permutation {
    /// The permutation that gives number k to what had number `order[k]`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless each of 0..n occurs once.
    pub fn new(order: Vec<u32>) -> Result<Self> {
        let mut seen = filled(order.len(), false, "a permutation")?;
        for (place, old) in order.iter().enumerate() {
            match seen.get_mut(*old as usize) {
                Some(seen) if !*seen => *seen = true,
                known => {
                    let fault = if known.is_some() { "a second" } else { "the number" };
                    return Err(Error::Shape {
                        operation: "Permutation::new",
                        expected: format!("each of 0..{} once", order.len()),
                        found: format!("{fault} {old} at place {place}"),
                    });
                }
            }
        }
        Ok(Self { order })
    }

    /// The permutation of n numbers that changes nothing.
    ///
    /// # Errors
    /// [`Error::Shape`] for more than 2³² − 1; [`Error::OutOfMemory`] if the host has no room for them.
    pub fn identity(n: usize) -> Result<Self> {
        let end = u32::try_from(n).map_err(|_| Error::Shape {
            operation: "Permutation::identity",
            expected: format!("at most {} numbers", u32::MAX),
            found: format!("{n}"),
        })?;
        let mut order = reserved(n, "a permutation")?;
        order.extend(0..end);
        Ok(Self { order })
    }

    /// n.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether n is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The old number at each new one.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The permutation that undoes this one: the new number at each old one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn inverse(&self) -> Result<Self> {
        let mut order = filled(self.len(), 0, "a permutation")?;
        for (new, old) in self.order.iter().enumerate() {
            order[*old as usize] = narrow(new);
        }
        Ok(Self { order })
    }

    /// Px: element k is x at `order[k]`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless x has n elements; [`Error::OutOfMemory`].
    pub fn apply<T: Copy>(&self, x: &[T]) -> Result<Vec<T>> {
        self.check("Permutation::apply", x.len())?;
        let mut moved = reserved(x.len(), "a permuted vector")?;
        moved.extend(self.order.iter().map(|old| x[*old as usize]));
        Ok(moved)
    }

    /// Pᵀx: [`apply`](Self::apply) backwards.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn undo<T: Copy>(&self, x: &[T]) -> Result<Vec<T>> {
        self.check("Permutation::undo", x.len())?;
        let mut moved = reserved(x.len(), "a permuted vector")?;
        moved.extend_from_slice(x);
        for (value, old) in x.iter().zip(&self.order) {
            moved[*old as usize] = *value;
        }
        Ok(moved)
    }

    /// `PAPᵀ`: element (i, j) is A's at (`order[i]`, `order[j]`). O(nnz log(longest row)).
    ///
    /// # Errors
    /// [`Error::Shape`] unless A is n x n.
    ///
    /// ```
    /// use nonius::sparse::{generate, reorder};
    ///
    /// let a = generate::arrow(5)?;
    /// let p = reorder::rcm(a.pattern())?;
    /// let b = p.apply_symmetric(&a)?;
    /// assert_eq!(p.inverse()?.apply_symmetric(&b)?, a);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn apply_symmetric<T: Scalar>(&self, a: &Csr<T>) -> Result<Csr<T>> {
        self.check("Permutation::apply_symmetric", a.rows())?;
        self.check("Permutation::apply_symmetric", a.cols())?;
        self.apply_cols(&self.apply_rows(a)?)
    }

    /// PA: row i is A's row `order[i]`. O(nnz).
    ///
    /// # Errors
    /// [`Error::Shape`] unless A has n rows.
    ///
    /// ```
    /// use nonius::sparse::{Csr, reorder::Permutation};
    ///
    /// let a = Csr::new(2, 3, vec![0, 1, 3], vec![2, 0, 1], vec![1.0, 2.0, 3.0])?;
    /// let swapped = Permutation::new(vec![1, 0])?.apply_rows(&a)?;
    /// assert_eq!(swapped.values(), [2.0, 3.0, 1.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn apply_rows<T: Scalar>(&self, a: &Csr<T>) -> Result<Csr<T>> {
        self.check("Permutation::apply_rows", a.rows())?;
        Csr::try_from_rows(a.rows(), a.cols(), |row, entries| {
            let row = a.row(self.order[row] as usize);
            room(entries, row.len(), "a permuted row")?;
            entries.extend(row);
            Ok(())
        })
    }

    /// `APᵀ`: column j is A's column `order[j]`. O(nnz log(longest row)).
    ///
    /// # Errors
    /// [`Error::Shape`] unless A has n columns.
    pub fn apply_cols<T: Scalar>(&self, a: &Csr<T>) -> Result<Csr<T>> {
        self.check("Permutation::apply_cols", a.cols())?;
        let new = self.inverse()?.order;
        Csr::try_from_rows(a.rows(), a.cols(), |row, entries| {
            room(entries, a.row(row).len(), "a permuted row")?;
            entries.extend(a.row(row).map(|(column, value)| (new[column] as usize, value)));
            entries.sort_unstable_by_key(|(column, _)| *column);
            Ok(())
        })
    }

    fn check(&self, operation: &'static str, found: usize) -> Result<()> {
        if found == self.len() {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: format!("{} rows, columns or elements", self.len()),
            found: format!("{found}"),
        })
    }
}

/// Who couples with whom: the pattern of A + Aᵀ without its diagonal.
fn adjacency(operation: &'static str, pattern: &CsrPattern) -> Result<CsrPattern> {
    if pattern.rows() != pattern.cols() {
        return Err(Error::Shape {
            operation,
            expected: "a square matrix".to_owned(),
            found: format!("{} x {}", pattern.rows(), pattern.cols()),
        });
    }
    let (transpose, _) = pattern.transpose()?;
    const WHAT: &str = "the pattern of A + Aᵀ";
    let mut row_ptr = reserved(pattern.rows() + 1, WHAT)?;
    let mut columns: Vec<u32> = reserved(pattern.nnz(), WHAT)?;
    row_ptr.push(0);
    for row in 0..pattern.rows() {
        let begin = columns.len();
        room(&mut columns, pattern.row(row).len() + transpose.row(row).len(), WHAT)?;
        columns.extend(pattern.row(row).iter().chain(transpose.row(row)));
        columns[begin..].sort_unstable();
        let mut end = begin;
        for k in begin..columns.len() {
            let column = columns[k];
            if column as usize != row && (end == begin || columns[end - 1] != column) {
                columns[end] = column;
                end += 1;
            }
        }
        columns.truncate(end);
        row_ptr.push(u32::try_from(end).map_err(|_| Error::Shape {
            operation,
            expected: format!("at most {} entries of A + Aᵀ", u32::MAX),
            found: format!("{end} in {} rows of {}", row + 1, pattern.rows()),
        })?);
    }
    Ok(CsrPattern::trusted(pattern.cols(), row_ptr, columns))
}
