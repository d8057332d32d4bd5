//! ELLPACK: every row padded to the longest, stored column by column, so that neighbouring threads, one a row, read
//! neighbouring addresses. ELLPACK-R adds the rows' lengths.
//!
//! Kincaid, Oppe and Young, *ITPACKV 2D User's Guide*, CNA-232 (1989); Vázquez, Fernández and Garzón, *A new approach for
//! sparse matrix vector product on NVIDIA GPUs*, Concurrency and Computation 23 (2011). Bytes: Kawamura et al. 2020,
//! eqs. 2 and 3.

use std::borrow::Cow;
use std::ops::Range;

use super::abreast::{self, BLOCK};
use super::bands;
use super::csr_pattern::CsrPattern;
use super::format::Format;
use super::indices::{bytes_of, narrow, padded};
use super::matrix::layout::Layout;
use super::matrix::{Pattern, SparseMatrix};
use super::spmv::form::{FOUR, Form, form};
use super::spmv::kernels::{Numbers, OnDevice, Share};
use super::spmv::schedule::{Schedule, Target};
use crate::Result;
use crate::device::AdapterKind;
use crate::host_memory::{filled, reserved};
use crate::scalar::Scalar;

/// A sparse matrix with every row padded to K, the longest: entry k of row i is at k·rows + i.
///
/// The column of padding is [`PADDING`], which is no column, where papers and libraries often take column 0: an explicit
/// zero at column 0 would look the same, and a product with it would turn an infinite x₀ into NaN. Bytes with values of
/// v: v·rows·K + 4·rows·K.
///
/// ```
/// use nonius::sparse::{Csr, Ell, PADDING};
///
/// let a = Ell::from_csr(&Csr::new(2, 3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0_f32, 2.0, 3.0])?)?;
/// assert_eq!(a.pattern().columns(), [0, 1, 2, PADDING]);
/// assert_eq!(a.values(), [1.0, 3.0, 2.0, 0.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type Ell<T> = SparseMatrix<EllPattern, T>;

/// An [`Ell`] that knows how long its rows are, and stops there. Bytes: 4·rows more.
///
/// ```
/// use nonius::sparse::{Csr, EllR};
///
/// let a = EllR::from_csr(&Csr::new(2, 3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0_f32, 2.0, 3.0])?)?;
/// assert_eq!(a.pattern().lengths(), [2, 1]);
/// assert_eq!(a.bytes(), 4 * (4 + 4) + 2 * 4);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type EllR<T> = SparseMatrix<EllRPattern, T>;

/// The column of a place that holds no entry. No matrix has so many columns.
pub const PADDING: u32 = u32::MAX;

/// Where the entries of an [`Ell`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EllPattern {
    rows: usize,
    cols: usize,
    nnz: usize,
    columns: Vec<u32>,
}

/// Where the entries of an [`EllR`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EllRPattern {
    ell: EllPattern,
    lengths: Vec<u32>,
}

impl EllPattern {
    /// The columns: entry k of row i is at k·rows + i. [`PADDING`] behind the entries of a row.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// K, the length to which rows are padded.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.len().checked_div(self.rows).unwrap_or(0)
    }

    /// Where each row begins in CSR.
    fn row_ptr(&self) -> Result<Vec<usize>> {
        let mut row_ptr = filled(self.rows + 1, 0, "where rows of ELL begin")?;
        for column in self.columns.chunks(self.rows.max(1)) {
            let lengths = row_ptr[1..].iter_mut().zip(column);
            lengths.for_each(|(length, column)| *length += usize::from(*column != PADDING));
        }
        for row in 0..self.rows {
            row_ptr[row + 1] += row_ptr[row];
        }
        Ok(row_ptr)
    }

    /// The sums of rows, a block of them at a time.
    fn sums<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let mut sums = [T::zero(); BLOCK];
        for begin in rows.clone().step_by(BLOCK) {
            let sums = &mut sums[..BLOCK.min(rows.end - begin)];
            sums.fill(T::zero());
            let lie = (begin, self.rows, self.width());
            abreast::add_padded(sums, (&self.columns, values), lie, x);
            let by_row = sums.iter().enumerate();
            by_row.for_each(|(at, sum)| put(begin + at, *sum));
        }
    }

    fn slots_of(&self, row: usize) -> impl Iterator<Item = usize> {
        (row..self.columns.len()).step_by(self.rows)
    }
}

impl Pattern for EllPattern {
    const FORMAT: Format = Format::Ell;

    fn rows(&self) -> usize {
        self.rows
    }

    fn cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        self.nnz
    }

    fn slots(&self) -> usize {
        self.columns.len()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.columns])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let rows = csr.rows();
        let slots = padded("Ell::from_csr", rows as u64, csr.longest() as u64)?;
        let mut columns = filled(slots, PADDING, "the columns of ELL")?;
        bands::each_of_columns(rows, &mut columns, |band, parts| {
            for row in band.clone() {
                let slots = parts.iter_mut().zip(csr.row(row));
                slots.for_each(|(part, column)| part[row - band.start] = *column);
            }
        });
        Ok(Self {
            rows,
            cols: csr.cols(),
            nnz: csr.nnz(),
            columns,
        })
    }
}

impl Layout for EllPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        for row in rows {
            for slot in self.slots_of(row).take_while(|slot| self.columns[*slot] != PADDING) {
                visit(row, self.columns[slot], slot);
            }
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], put: impl FnMut(usize, T)) {
        self.sums(rows, values, x, put);
    }

    fn scatter<T: Scalar>(&self, values: &[T], slots: &mut [T]) -> Result<()> {
        let row_ptr = self.row_ptr()?;
        bands::each_of_columns(self.rows, slots, |band, parts| {
            for row in band.clone() {
                let slots = parts.iter_mut().zip(&values[row_ptr[row]..row_ptr[row + 1]]);
                slots.for_each(|(part, value)| part[row - band.start] = *value);
            }
        });
        Ok(())
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        Ok(OnDevice {
            form: form_of(Self::FORMAT, self.rows, target),
            arrays: vec![("the columns of ELL", Cow::Borrowed(&self.columns))],
            numbers: Numbers {
                width: self.width(),
                ..Numbers::default()
            },
            constants: Vec::new(),
            rows: self.rows,
            share: Share::PerRow,
            tunable: None,
        })
    }
}

/// How rows are summed. Where their number is a multiple of four, they lie in fours, entry by entry.
pub(super) fn form_of(format: Format, rows: usize, target: Target) -> &'static Form {
    let by_fours = target.kind == AdapterKind::Software && rows.is_multiple_of(FOUR);
    match (format, by_fours) {
        (Format::EllR, false) => &ELL_R,
        (Format::EllR, true) => &ELL_R_BY_FOURS,
        (_, false) => &ELL,
        (_, true) => &ELL_BY_FOURS,
    }
}

pub(super) static ELL: Form = form!(
    "ell",
    "spmv_rows",
    2,
    "sparse/ell.wgsl",
    "sparse/padded.wgsl",
    "sparse/spmv/rows.wgsl"
);
/// Four neighbouring rows an invocation, where the number of rows is a multiple of four.
pub(super) static ELL_BY_FOURS: Form = form!(
    four rows of ELL by 4,
    "ell (four rows)",
    "spmv_fours",
    2,
    "sparse/ell_fours.wgsl",
    "sparse/padded_fours.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/side_by_side.wgsl",
    "sparse/spmv/fours.wgsl"
);

impl EllRPattern {
    /// The columns, as [`EllPattern::columns`].
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.ell.columns
    }

    /// The entries of each row.
    #[must_use]
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }
}

impl Pattern for EllRPattern {
    const FORMAT: Format = Format::EllR;

    fn rows(&self) -> usize {
        self.ell.rows
    }

    fn cols(&self) -> usize {
        self.ell.cols
    }

    fn nnz(&self) -> usize {
        self.ell.nnz
    }

    fn slots(&self) -> usize {
        self.ell.slots()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.ell.columns, &self.lengths])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let ell = EllPattern::from_csr(csr)?;
        let mut lengths = reserved(csr.rows(), "the row lengths of ELL-R")?;
        lengths.extend((0..csr.rows()).map(|row| narrow(csr.length(row))));
        Ok(Self { ell, lengths })
    }
}

impl Layout for EllRPattern {
    fn walk(&self, rows: Range<usize>, visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        self.ell.walk(rows, visit)
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], put: impl FnMut(usize, T)) {
        self.ell.sums(rows, values, x, put);
    }

    fn scatter<T: Scalar>(&self, values: &[T], slots: &mut [T]) -> Result<()> {
        self.ell.scatter(values, slots)
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        let mut on_device = self.ell.on_device(schedule, target)?;
        on_device.form = form_of(Self::FORMAT, self.ell.rows, target);
        on_device
            .arrays
            .push(("the row lengths of ELL-R", Cow::Borrowed(&self.lengths)));
        Ok(on_device)
    }
}

pub(super) static ELL_R: Form = form!(
    "ell-r",
    "spmv_rows",
    3,
    "sparse/ell_r.wgsl",
    "sparse/padded.wgsl",
    "sparse/spmv/rows.wgsl"
);
/// As [`ELL_BY_FOURS`].
pub(super) static ELL_R_BY_FOURS: Form = form!(
    four rows of ELL_R by 4,
    "ell-r (four rows)",
    "spmv_fours",
    3,
    "sparse/ell_r_fours.wgsl",
    "sparse/padded_fours.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/side_by_side.wgsl",
    "sparse/spmv/fours.wgsl"
);
