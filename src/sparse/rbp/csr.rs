//! RBP-CSR: runs row after row (Kawamura et al. 2020, §3.2, Algorithms 3 and 4).

use std::ops::Range;

use super::super::csr::CsrPattern;
use super::super::format::Format;
use super::super::matrix::layout::Layout;
use super::super::matrix::{Pattern, SparseMatrix, bytes_of, narrow};
use super::super::runs;
use super::super::spmv::form::{Form, form};
use super::super::spmv::kernels::{Numbers, OnDevice, Share, interleaved, joined};
use super::super::spmv::schedule::{Schedule, Target};
use super::{Isolated, by_column};
use crate::Result;
use crate::scalar::Scalar;

/// A sparse matrix by rows, with first and last column for each run, and isolated entries apart.
///
/// The array of values holds those of the runs, then the isolated ones: `Comp_Values` and `ValuesCSR` of the paper in
/// one, since a device binds few arrays. A row is summed runs first (Algorithm 4). Bytes with values of v, by eq. 4 for
/// v = 8: `12(rows + 1) + 4·N_col + v·N_val + (v + 4)·N_non`.
///
/// ```
/// use nonius::sparse::{Csr, RbpCsr};
///
/// let a = Csr::new(1, 8, vec![0, 4], vec![0, 3, 4, 5], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// let packed = RbpCsr::from_csr(&a)?;
/// assert_eq!(packed.pattern().run_columns(), [3, 5]);
/// assert_eq!(packed.pattern().isolated_columns(), [0]);
/// assert_eq!(packed.values(), [2.0, 3.0, 4.0, 1.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type RbpCsr<T> = SparseMatrix<RbpCsrPattern, T>;

/// Where the entries of an [`RbpCsr`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RbpCsrPattern {
    cols: usize,
    val_ptr: Vec<u32>,
    col_ptr: Vec<u32>,
    run_columns: Vec<u32>,
    isolated: Isolated,
}

impl RbpCsrPattern {
    /// Where each row's run values begin, and where the last one's end: `Val_ptr`.
    #[must_use]
    pub fn val_ptr(&self) -> &[u32] {
        &self.val_ptr
    }

    /// Where each row begins in [`run_columns`](Self::run_columns), and where the last one ends: `Col_ptr`.
    #[must_use]
    pub fn col_ptr(&self) -> &[u32] {
        &self.col_ptr
    }

    /// The first and the last column of each run: `Comp_Columns`.
    #[must_use]
    pub fn run_columns(&self) -> &[u32] {
        &self.run_columns
    }

    /// Where each row begins among the isolated entries, and where the last one ends: `RowPtr`.
    #[must_use]
    pub fn row_ptr(&self) -> &[u32] {
        &self.isolated.row_ptr
    }

    /// The columns of the isolated entries: `ColumnsCSR`.
    #[must_use]
    pub fn isolated_columns(&self) -> &[u32] {
        &self.isolated.columns
    }

    /// The number of values in runs: the isolated ones lie behind them.
    #[must_use]
    pub fn run_values(&self) -> usize {
        self.val_ptr.last().map_or(0, |end| *end as usize)
    }

    #[inline]
    fn runs(&self, row: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let columns = &self.run_columns[self.col_ptr[row] as usize..self.col_ptr[row + 1] as usize];
        columns.chunks_exact(2).map(|run| (run[0], run[1]))
    }
}

impl Pattern for RbpCsrPattern {
    const FORMAT: Format = Format::RbpCsr;

    fn rows(&self) -> usize {
        self.val_ptr.len() - 1
    }

    fn cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        self.run_values() + self.isolated.columns.len()
    }

    fn slots(&self) -> usize {
        self.nnz()
    }

    fn index_bytes(&self) -> u64 {
        let Self {
            cols: _,
            val_ptr,
            col_ptr,
            run_columns,
            isolated: Isolated { row_ptr, columns },
        } = self;
        bytes_of(&[val_ptr, col_ptr, run_columns, row_ptr, columns])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let (mut val_ptr, mut col_ptr, mut run_columns) = (vec![0], vec![0], Vec::new());
        let mut values = 0;
        for row in 0..csr.rows() {
            for run in runs::of(csr.row(row)).filter(|run| !run.is_isolated()) {
                run_columns.extend([run.first, run.last]);
                values += run.last - run.first + 1;
            }
            val_ptr.push(values);
            // A run of two or more has no more columns here than entries, so these offsets fit where those do.
            col_ptr.push(narrow(run_columns.len()));
        }
        Ok(Self {
            cols: csr.cols(),
            val_ptr,
            col_ptr,
            run_columns,
            isolated: Isolated::of(csr),
        })
    }
}

impl Layout for RbpCsrPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) {
        let behind = self.run_values();
        for row in rows {
            let begin = self.val_ptr[row] as usize;
            let isolated = self.isolated.row(row).map(|(column, k)| (column, behind + k));
            by_column(
                self.runs(row),
                |j| begin + j,
                isolated,
                |column, slot| visit(row, column, slot),
            );
        }
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let (of_runs, isolated) = values.split_at(self.run_values());
        for row in rows {
            let mut left = &of_runs[self.val_ptr[row] as usize..self.val_ptr[row + 1] as usize];
            let mut sum = T::zero();
            for (first, last) in self.runs(row) {
                let x = &x[first as usize..=last as usize];
                let (run, behind) = left.split_at(x.len());
                sum = runs::add(run, x, sum);
                left = behind;
            }
            put(row, self.isolated.add(row, isolated, x, sum));
        }
    }

    fn on_device(&self, schedule: Schedule, _: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        Ok(OnDevice {
            form: &FORM,
            arrays: vec![
                (
                    "the columns of RBP-CSR",
                    joined(&self.run_columns, &self.isolated.columns),
                ),
                (
                    "the pointers of RBP-CSR",
                    interleaved(&[&self.val_ptr, &self.col_ptr, &self.isolated.row_ptr]),
                ),
            ],
            numbers: Numbers {
                isolated_values: self.run_values(),
                isolated_columns: self.run_columns.len(),
                ..Numbers::default()
            },
            constants: Vec::new(),
            rows: self.rows(),
            share: Share::PerRow,
            tunable: None,
        })
    }
}

pub(in crate::sparse) static FORM: Form = form!(
    "rbp-csr",
    "spmv_rows",
    3,
    "sparse/rbp/csr.wgsl",
    "sparse/rbp/runs.wgsl",
    "sparse/rbp/isolated.wgsl",
    "sparse/spmv/rows.wgsl"
);
