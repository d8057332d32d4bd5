//! SELL-C-σ: slices of C rows, each padded to its own longest row, after sorting rows by length within windows of σ.
//!
//! Kreutzer, Hager, Wellein, Fehske and Bishop, *A unified sparse matrix data format for efficient general sparse
//! matrix-vector multiplication on modern processors with wide SIMD units*, SIAM J. Sci. Comput. 36 (2014); slices
//! without sorting are Monakov, Lokhmotov and Avetisyan, 2010.

use std::borrow::Cow;
use std::ops::Range;

use super::abreast;
use super::csr::Csr;
use super::csr_pattern::CsrPattern;
use super::ell::PADDING;
use super::format::Format;
use super::indices::bytes_of;
use super::matrix::layout::Layout;
use super::matrix::{Pattern, SparseMatrix};
use super::slices::{Slices, row_at};
use super::spmv::form::{Form, form};
use super::spmv::kernels::{Numbers, OnDevice, Share, joined};
use super::spmv::schedule::{Schedule, Target};
use super::spmv::trials::{REGIMES, UNROLL, WORKGROUPS, trial, work};
use super::spmv::tuned::Tuned;
use crate::Result;
use crate::device::AdapterKind;
use crate::host_memory::filled;
use crate::scalar::Scalar;
use crate::tuning::{Family, Tunable};

/// A sparse matrix in slices of C rows, each padded to its longest.
///
/// Entry k of the row at position p is at `slice_ptr[p / C] + k·C + p mod C`; padding has the column
/// [`PADDING`]. Bytes with values of v: (v + 4) times the padded length, 4(⌈rows/C⌉ + 1), and 4·rows for the order where
/// σ > 1.
///
/// ```
/// use nonius::sparse::{Csr, Sell, Slices};
///
/// let a = Csr::new(3, 3, vec![0, 1, 3, 3], vec![0, 0, 2], vec![1.0_f32, 2.0, 3.0])?;
/// let sell = Sell::with_slices(&a, Slices::new(2, 4)?)?;
/// assert_eq!(sell.pattern().order(), [1, 0, 2]);
/// assert_eq!(sell.pattern().slice_ptr(), [0, 4, 4]);
/// assert_eq!(sell.values(), [2.0, 1.0, 3.0, 0.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type Sell<T> = SparseMatrix<SellPattern, T>;

/// Where the entries of a [`Sell`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SellPattern {
    slices: Slices,
    rows: usize,
    cols: usize,
    nnz: usize,
    order: Vec<u32>,
    slice_ptr: Vec<u32>,
    columns: Vec<u32>,
}

impl SellPattern {
    /// Lays `csr` out in these slices.
    ///
    /// # Errors
    /// As [`Pattern::from_csr`].
    pub fn with_slices(csr: &CsrPattern, slices: Slices) -> Result<Self> {
        let order = slices.order_kept(csr.rows(), |row| csr.length(row))?;
        let widths = slices.widths(csr.rows(), &order, |row| csr.length(row) as u64);
        let slice_ptr = slices.pointers("Sell::from_csr", widths)?;
        let slots = slice_ptr.last().map_or(0, |end| *end as usize);
        let mut columns = filled(slots, PADDING, "the columns of SELL")?;
        for position in 0..csr.rows() {
            let row = row_at(&order, position);
            for (slot, column) in slices.slots(&slice_ptr, position).zip(csr.row(row)) {
                columns[slot] = *column;
            }
        }
        Ok(Self {
            slices,
            rows: csr.rows(),
            cols: csr.cols(),
            nnz: csr.nnz(),
            order,
            slice_ptr,
            columns,
        })
    }

    /// C and σ.
    #[must_use]
    pub fn slices(&self) -> Slices {
        self.slices
    }

    /// The row at each position; empty where rows stay in their order (σ = 1).
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where each slice begins, and where the last one ends.
    #[must_use]
    pub fn slice_ptr(&self) -> &[u32] {
        &self.slice_ptr
    }

    /// The columns, slice by slice, [`PADDING`] behind the entries of a row.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }
}

impl<T: Scalar> Sell<T> {
    /// The same matrix in these slices.
    ///
    /// # Errors
    /// As [`Pattern::from_csr`].
    pub fn with_slices(csr: &Csr<T>, slices: Slices) -> Result<Self> {
        let pattern = SellPattern::with_slices(csr.pattern(), slices)?;
        Self::with_pattern(pattern.into(), csr.values())
    }
}

impl Pattern for SellPattern {
    const FORMAT: Format = Format::Sell;

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
        bytes_of(&[&self.order, &self.slice_ptr, &self.columns])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        Self::with_slices(csr, Slices::default())
    }
}

impl Layout for SellPattern {
    fn granule(&self) -> usize {
        self.slices.granule()
    }

    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        for (row, position) in self.slices.positions(&self.order, rows)? {
            let slots = self.slices.slots(&self.slice_ptr, position);
            for slot in slots.take_while(|slot| self.columns[*slot] != PADDING) {
                visit(row, self.columns[slot], slot);
            }
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let height = self.slices.height();
        let mut sums = vec![T::zero(); height];
        for begin in rows.clone().step_by(height) {
            sums.fill(T::zero());
            let slice = begin / height;
            let [first, end] = [slice, slice + 1].map(|slice| self.slice_ptr[slice] as usize);
            let lie = (first, height, (end - first) / height);
            abreast::add_padded(&mut sums, (&self.columns, values), lie, x);
            for (position, sum) in (begin..rows.end).zip(&sums) {
                put(row_at(&self.order, position), *sum);
            }
        }
    }

    fn on_device(&self, schedule: Schedule, _: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        Ok(OnDevice {
            form: &FORM,
            arrays: vec![
                ("the columns of SELL", Cow::Borrowed(&self.columns)),
                ("the slices of SELL", joined(&self.slice_ptr, &self.order)?),
            ],
            numbers: Numbers {
                fours: self.slices.lie_in_fours(),
                ..Numbers::default()
            },
            constants: self.slices.constants(&self.order),
            rows: self.rows,
            share: Share::PerRow,
            tunable: (schedule == Schedule::Auto).then_some(&TUNED),
        })
    }
}

pub(super) static FORM: Form = form!(
    "sell",
    "spmv_rows",
    3,
    "sparse/sell.wgsl",
    "sparse/padded.wgsl",
    "sparse/spmv/rows.wgsl"
);

/// Four neighbouring rows an invocation, where the height of slices is a multiple of four.
pub(super) static BY_FOURS: Form = form!(
    four rows of FORM by 4,
    "sell (four rows)",
    "spmv_fours",
    3,
    "sparse/sell_fours.wgsl",
    "sparse/padded_fours.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/side_by_side.wgsl",
    "sparse/spmv/fours.wgsl"
);

/// SELL: an invocation a row, and how many of its entries are on their way; on a CPU four rows.
pub(in crate::sparse) static TUNED: Tuned = Tuned {
    tunable: Tunable {
        name: "spmv_sell",
        families: &[Family {
            kernel: &FORM.product,
            ranges: &[WORKGROUPS, UNROLL],
            fits: |_, _, _| true,
        }],
        on_cpu: &[Family {
            kernel: &BY_FOURS.product,
            ranges: &[WORKGROUPS],
            fits: |_, _, _| true,
        }],
        regimes: REGIMES,
        default: |adapter, _, _| match adapter.kind {
            AdapterKind::Software => TUNED.tunable.on_cpu[0].variant(&[256]),
            _ => TUNED.tunable.families[0].variant(&[256, 4]),
        },
        extents: |variant, _, shape| TUNED.extents(variant, shape),
        work: |precision, shape| work(precision, shape, shape.rows * shape.depth),
        trial: |device, precision, shape| trial::<SellPattern>(device, precision, shape),
    },
    forms: &[&FORM, &BY_FOURS],
};
