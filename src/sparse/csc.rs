//! Compressed sparse columns: CSR of the transpose. What column-oriented libraries hold, and how Aᵀx is read by rows.

use std::ops::Range;

use super::csr::Csr;
use super::csr_pattern::CsrPattern;
use super::format::Format;
use super::indices::narrow;
use super::matrix::layout::Layout;
use super::matrix::{self, Pattern, Rows, SparseMatrix, check_values};
use super::spmv::kernels::OnDevice;
use super::spmv::schedule::{Schedule, Target};
use crate::Result;
use crate::host_memory::reserved;
use crate::scalar::Scalar;

/// A sparse matrix by columns: values, their rows, and where each column begins.
///
/// Bytes with values of v: v·nnz + 4·nnz + 4(cols + 1).
///
/// ```
/// use nonius::sparse::{Csc, Csr};
///
/// let a = Csr::new(2, 2, vec![0, 2, 3], vec![0, 1, 0], vec![1.0_f32, 2.0, 3.0])?;
/// let by_columns = Csc::from_csr(&a)?;
/// assert_eq!(by_columns.values(), [1.0, 3.0, 2.0]);
/// assert_eq!(by_columns.pattern().rows_of_entries(), [0, 1, 0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type Csc<T> = SparseMatrix<CscPattern, T>;

/// Where the entries of a [`Csc`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CscPattern {
    transpose: CsrPattern,
}

impl CscPattern {
    pub(super) fn transpose(&self) -> &CsrPattern {
        &self.transpose
    }

    /// Where each column begins in [`rows_of_entries`](Self::rows_of_entries), and where the last one ends.
    #[must_use]
    pub fn col_ptr(&self) -> &[u32] {
        self.transpose.row_ptr()
    }

    /// The rows of the entries, column by column.
    #[must_use]
    pub fn rows_of_entries(&self) -> &[u32] {
        self.transpose.columns()
    }
}

impl<T: Scalar> Csc<T> {
    /// The matrix whose column j holds the rows `rows_of_entries[col_ptr[j]..col_ptr[j + 1]]`, with these values.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) where [`CsrPattern::new`] would refuse the transpose, said of columns and the rows in
    /// them; and if there are not as many values as rows of entries.
    ///
    /// ```
    /// use nonius::sparse::Csc;
    ///
    /// let a = Csc::new(2, 2, vec![0, 2, 3], vec![0, 1, 0], vec![1.0_f32, 3.0, 2.0])?;
    /// assert_eq!(a.to_csr()?.values(), [1.0, 2.0, 3.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn new(rows: usize, cols: usize, col_ptr: Vec<u32>, rows_of_entries: Vec<u32>, values: Vec<T>) -> Result<Self> {
        let transpose = CsrPattern::of_columns(cols, rows, col_ptr, rows_of_entries)?;
        check_values("Csc::new", transpose.nnz(), values.len())?;
        let pattern = CscPattern { transpose };
        Ok(Self {
            pattern: pattern.into(),
            values,
        })
    }
}

/// A CSC, whose columns are rows of its transpose.
struct Transposed<T>(Csc<T>);

impl<T: Scalar> Rows<T> for Transposed<T> {
    fn multiply(&self, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        matrix::multiply(self.0.pattern.transpose(), &self.0.values, alpha, x, beta, y)
    }

    fn set_values(&mut self, values: &[T]) -> Result<()> {
        self.0.set_values(values)
    }

    fn to_csr(&self) -> Result<Csr<T>> {
        self.0.to_csr()
    }
}

impl Pattern for CscPattern {
    const FORMAT: Format = Format::Csc;

    fn rows(&self) -> usize {
        self.transpose.cols()
    }

    fn cols(&self) -> usize {
        self.transpose.rows()
    }

    fn nnz(&self) -> usize {
        self.transpose.nnz()
    }

    fn slots(&self) -> usize {
        self.transpose.nnz()
    }

    fn index_bytes(&self) -> u64 {
        self.transpose.index_bytes()
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        Ok(Self {
            transpose: csr.transpose()?.0,
        })
    }
}

impl Layout for CscPattern {
    /// All rows at once: a column knows nothing of bands.
    fn granule(&self) -> usize {
        self.rows().max(1)
    }

    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        if let Ok((by_rows, places)) = self.transpose.transpose() {
            return by_rows.walk(rows, |row, column, k| visit(row, column, places[k] as usize));
        }
        // More rows than there is memory for: the entries, put in order.
        let mut entries: Vec<(u32, usize, usize)> = reserved(self.nnz(), "the entries of CSC")?;
        self.transpose
            .walk(0..self.cols(), |column, row, slot| entries.push((row, column, slot)))?;
        entries.sort_unstable();
        for (row, column, slot) in entries {
            if rows.contains(&(row as usize)) {
                visit(row as usize, narrow(column), slot);
            }
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let mut sums = vec![T::zero(); rows.len()];
        for (x, ends) in x.iter().zip(self.transpose.row_ptr().windows(2)) {
            let span = ends[0] as usize..ends[1] as usize;
            for (row, value) in self.transpose.columns()[span.clone()].iter().zip(&values[span]) {
                let sum = &mut sums[*row as usize - rows.start];
                *sum = value.mul_add(*x, *sum);
            }
        }
        rows.zip(sums).for_each(|(row, sum)| put(row, sum));
    }

    /// CSR of the transpose, and nothing else but in what errors call its arrays.
    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        let mut on_device = self.transpose.on_device(schedule, target)?;
        let names = ["the rows of CSC", "the column pointers of CSC"];
        for ((name, _), own) in on_device.arrays.iter_mut().zip(names) {
            *name = own;
        }
        Ok(on_device)
    }

    fn on_host<T: Scalar>(matrix: &Csc<T>) -> Box<dyn Rows<T>> {
        Box::new(Transposed(matrix.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{AdapterKind, Device};

    #[test]
    fn errors_call_its_arrays_by_their_names() {
        let pattern = CscPattern {
            transpose: CsrPattern::new(2, 3, vec![0, 2, 3], vec![0, 2, 1]).expect("it is sound"),
        };
        for kind in [AdapterKind::Discrete, AdapterKind::Software] {
            for schedule in [Schedule::PerRow, Schedule::Lanes(4), Schedule::Streamed, Schedule::Auto] {
                let target = Target {
                    kind,
                    ..Target::of::<f32>(&Device::host())
                };
                let on_device = pattern.on_device(schedule, target).expect("it is small");
                let names: Vec<_> = on_device.arrays.iter().map(|(name, _)| *name).collect();
                assert_eq!(names, ["the rows of CSC", "the column pointers of CSC"]);
            }
        }
    }
}
