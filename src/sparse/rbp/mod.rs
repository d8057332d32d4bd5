//! Row block packing: of a run of consecutive columns, only the first and the last are stored; entries without a
//! neighbour in their row are kept apart, as CSR, so that the run part reads exactly two columns a run.
//!
//! Kawamura, Yoneda, Iwamura, Watanabe and Inoguchi, *A new compression scheme of sparse matrix formats for accurate
//! numerical simulation on site environment with GPGPU* (2020), to the byte. Where runs are short it takes more memory
//! than the format it packs; [`packed`](super::PackedCsr) takes four bytes a run instead of eight, and
//! [`auto`](super::auto) never more than CSR.

pub(super) mod csr;
pub(super) mod ell;
mod progressions;

pub use csr::{RbpCsr, RbpCsrPattern};
pub use ell::{RbpEll, RbpEllPattern, RbpEllR, RbpEllRPattern};

use super::bands;
use super::csr_pattern::CsrPattern;
use super::indices::narrow;
use super::runs;
use crate::Result;
use crate::host_memory::{reserved, room};
use crate::scalar::Scalar;

/// The entries without a neighbour in their row, as CSR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Isolated {
    row_ptr: Vec<u32>,
    columns: Vec<u32>,
}

impl Isolated {
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    fn of(csr: &CsrPattern) -> Result<Self> {
        const POINTERS: &str = "the row pointers of isolated entries";
        const COLUMNS: &str = "the columns of isolated entries";
        let parts = bands::map(csr.rows(), 1, csr.nnz(), |rows| {
            let (mut ends, mut columns) = (reserved(rows.len(), POINTERS)?, Vec::new());
            for row in rows {
                // All of them, at most.
                room(&mut columns, csr.length(row), COLUMNS)?;
                let isolated = runs::of(csr.row(row)).filter(|run| run.is_isolated());
                columns.extend(isolated.map(|run| run.first));
                ends.push(narrow(columns.len()));
            }
            Ok((ends, columns))
        });
        let mut row_ptr = reserved(csr.rows() + 1, POINTERS)?;
        let mut columns = Vec::new();
        row_ptr.push(0);
        for part in parts {
            let (ends, part) = part?;
            let before = narrow(columns.len());
            row_ptr.extend(ends.into_iter().map(|end| before + end));
            room(&mut columns, part.len(), COLUMNS)?;
            columns.extend(part);
        }
        Ok(Self { row_ptr, columns })
    }

    /// Adds the isolated entries of a row to its sum. `values` are the isolated ones.
    fn add<T: Scalar>(&self, row: usize, values: &[T], x: &[T], sum: T) -> T {
        if self.columns.is_empty() {
            return sum;
        }
        let span = self.row_ptr[row] as usize..self.row_ptr[row + 1] as usize;
        let entries = self.columns[span.clone()].iter().zip(&values[span]);
        entries.fold(sum, |sum, (column, value)| value.mul_add(x[*column as usize], sum))
    }

    /// The isolated entries of a row: column and place among the isolated values.
    fn row(&self, row: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        (self.row_ptr[row] as usize..self.row_ptr[row + 1] as usize).map(|k| (self.columns[k], k))
    }
}

/// Visits the entries of a row by column: its runs (first and last column), the j-th of whose values is at
/// `run_slot(j)`, between its isolated entries (column and slot). Both come in ascending order.
fn by_column(
    runs: impl Iterator<Item = (u32, u32)>,
    run_slot: impl Fn(usize) -> usize,
    isolated: impl Iterator<Item = (u32, usize)>,
    mut visit: impl FnMut(u32, usize),
) {
    let mut isolated = isolated.peekable();
    let mut j = 0;
    for (first, last) in runs {
        while let Some((column, slot)) = isolated.next_if(|(column, _)| *column < first) {
            visit(column, slot);
        }
        for column in first..=last {
            visit(column, run_slot(j));
            j += 1;
        }
    }
    isolated.for_each(|(column, slot)| visit(column, slot));
}
