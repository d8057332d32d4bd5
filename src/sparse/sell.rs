//! SELL-C-σ: slices of C rows, each padded to its own longest row, after sorting rows by length within windows of σ.
//!
//! Kreutzer, Hager, Wellein, Fehske and Bishop, *A unified sparse matrix data format for efficient general sparse
//! matrix-vector multiplication on modern processors with wide SIMD units*, SIAM J. Sci. Comput. 36 (2014); slices
//! without sorting are Monakov, Lokhmotov and Avetisyan, 2010.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use super::abreast;
use super::csr::{Csr, CsrPattern};
use super::ell::PADDING;
use super::format::Format;
use super::matrix::layout::Layout;
use super::matrix::{Pattern, SparseMatrix, bytes_of, narrow, padded};
use super::spmv::form::{FOUR, Form, form};
use super::spmv::kernels::{Numbers, OnDevice, Share, joined};
use super::spmv::schedule::{ROWS_ON_CPU, Schedule, Target};
use super::spmv::variants;
use crate::device::AdapterKind;
use crate::host_memory::filled;
use crate::scalar::Scalar;
use crate::{Error, Result};

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

/// C and σ: how many rows make a slice, and within how many rows they are sorted by length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slices {
    height: usize,
    window: usize,
}

impl Slices {
    /// The most rows of a slice.
    pub const TALLEST: usize = 1024;

    /// Slices of `height` rows (C), sorted within windows of `window` rows (σ). With σ = 1 rows stay in their order.
    ///
    /// # Errors
    /// [`Error::Shape`] unless C is in 1..=1024 and σ is 1 or a multiple of C below 2³².
    pub fn new(height: usize, window: usize) -> Result<Self> {
        let fits = (1..=Self::TALLEST).contains(&height) && u32::try_from(window).is_ok();
        if fits && (window == 1 || (window > 0 && window.is_multiple_of(height))) {
            return Ok(Self { height, window });
        }
        Err(Error::Shape {
            operation: "Slices::new",
            expected: format!("C in 1..={}, and σ = 1 or a multiple of C below 2^32", Self::TALLEST),
            found: format!("C = {height}, σ = {window}"),
        })
    }

    /// C: the rows of a slice.
    #[must_use]
    pub fn height(self) -> usize {
        self.height
    }

    /// σ: the rows within which they are sorted.
    #[must_use]
    pub fn window(self) -> usize {
        self.window
    }

    /// Slices and windows both begin at multiples of this.
    pub(super) fn granule(self) -> usize {
        self.height.max(self.window)
    }

    /// The rows at positions 0, 1, …: within each window, longest first, and as they were among equals. Empty for σ = 1.
    pub(super) fn order<K: Ord>(self, rows: usize, length: impl Fn(usize) -> K) -> Vec<u32> {
        if self.window == 1 {
            return Vec::new();
        }
        let mut order: Vec<u32> = (0..rows).map(narrow).collect();
        for window in order.chunks_mut(self.window) {
            window.sort_by_key(|row| Reverse(length(*row as usize)));
        }
        order
    }

    /// For each slice, the greatest length of its rows.
    pub(super) fn widths(self, rows: usize, order: &[u32], length: impl Fn(usize) -> u64) -> Vec<u64> {
        let at = |position: usize| order.get(position).map_or(position, |row| *row as usize);
        (0..rows)
            .step_by(self.height)
            .map(|begin| {
                let positions = begin..(begin + self.height).min(rows);
                positions.map(|position| length(at(position))).max().unwrap_or(0)
            })
            .collect()
    }

    /// The slices of a matrix on a kind of device. On a CPU what is near is no cheaper to read, and lanes wait for their longest.
    pub(super) fn on(kind: AdapterKind, csr: &CsrPattern) -> Self {
        match kind {
            AdapterKind::Software => Self::default().sorted_enough(csr.rows(), |row| csr.length(row)),
            _ => Self::default(),
        }
    }

    /// These slices, or others sorted within so much wider windows that to sort all rows at once would leave no less than 8/9 of
    /// their slots. For neighbours that wait for the longest of their slice.
    pub(super) fn sorted_enough(self, rows: usize, length: impl Fn(usize) -> usize) -> Self {
        let slots = |slices: Self| {
            let order = slices.order(rows, &length);
            let widths = slices.widths(rows, &order, |row| length(row) as u64);
            widths.iter().sum::<u64>() * slices.height as u64
        };
        let within = |window| Self { window, ..self };
        let all = within(rows.next_multiple_of(self.height).max(self.height));
        let least = slots(all);
        [self.window, 1 << 12, 1 << 16]
            .into_iter()
            .map(within)
            .find(|slices| 8 * slots(*slices) <= 9 * least)
            .unwrap_or(all)
    }

    /// The order of rows in which those that lanes of a driver on the CPU have side by side wait little for each other; empty
    /// where they wait little as it is. Rows of more than `most` entries are left to others: [`NO_ROW`] has their place.
    pub(super) fn order_on_cpu(rows: usize, length: impl Fn(usize) -> usize, most: usize) -> Vec<u32> {
        let abreast = Self {
            height: ROWS_ON_CPU,
            window: 1,
        };
        let here = |row| Some(length(row)).filter(|entries| *entries <= most).unwrap_or(0);
        let mut order = abreast.sorted_enough(rows, here).order(rows, here);
        if (0..rows).any(|row| length(row) > most) {
            if order.is_empty() {
                order = (0..rows).map(narrow).collect();
            }
            let others = order.iter_mut().filter(|row| length(**row as usize) > most);
            others.for_each(|row| *row = NO_ROW);
        }
        order
    }

    /// Where each slice begins if row lengths are padded to `widths`, and where the last one ends.
    pub(super) fn pointers(self, operation: &'static str, widths: &[u64]) -> Result<Vec<u32>> {
        let mut pointers = Vec::with_capacity(widths.len() + 1);
        let mut end = 0;
        pointers.push(0);
        for width in widths {
            end += width;
            pointers.push(narrow(padded(operation, self.height as u64, end)?));
        }
        Ok(pointers)
    }

    /// The rows of a range with their positions, rows ascending. The range begins at a granule and ends at one, or with
    /// the last row.
    pub(super) fn positions(self, order: &[u32], rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let begin = rows.start;
        let mut position_of: Vec<usize> = rows.clone().collect();
        for (position, row) in order.get(rows.clone()).unwrap_or(&[]).iter().enumerate() {
            position_of[*row as usize - begin] = begin + position;
        }
        rows.zip(position_of)
    }

    /// Whether no four rows, of those that a kernel may sum at once, are of two slices.
    pub(super) fn lie_in_fours(self) -> bool {
        self.height.is_multiple_of(FOUR)
    }

    /// C, and whether rows were sorted, for the header of a kernel.
    pub(super) fn constants(self, order: &[u32]) -> Vec<(&'static str, u32)> {
        vec![
            ("HEIGHT", narrow(self.height)),
            ("ORDERED", u32::from(!order.is_empty())),
        ]
    }

    /// The slots of the row at a position, padding included.
    pub(super) fn slots(self, pointers: &[u32], position: usize) -> impl Iterator<Item = usize> {
        let slice = position / self.height;
        let (begin, end) = (pointers[slice] as usize, pointers[slice + 1] as usize);
        (begin + position % self.height..end).step_by(self.height)
    }
}

impl Default for Slices {
    /// C = 32, the narrowest subgroup of most GPUs that fills its loads; σ = 256, far enough that neighbours of a slice
    /// are of one length, near enough that x is still read from one neighbourhood.
    fn default() -> Self {
        Self {
            height: 32,
            window: 256,
        }
    }
}

/// What stands in an order of rows for one that others sum.
const NO_ROW: u32 = u32::MAX;

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
        let order = slices.order(csr.rows(), |row| csr.length(row));
        let widths = slices.widths(csr.rows(), &order, |row| csr.length(row) as u64);
        let slice_ptr = slices.pointers("Sell::from_csr", &widths)?;
        let slots = slice_ptr.last().map_or(0, |end| *end as usize);
        let mut columns = filled(slots, PADDING, "the columns of SELL")?;
        for (row, position) in slices.positions(&order, 0..csr.rows()) {
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

    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) {
        for (row, position) in self.slices.positions(&self.order, rows) {
            let slots = self.slices.slots(&self.slice_ptr, position);
            for slot in slots.take_while(|slot| self.columns[*slot] != PADDING) {
                visit(row, self.columns[slot], slot);
            }
        }
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
                put(self.order.get(position).map_or(position, |row| *row as usize), *sum);
            }
        }
    }

    fn on_device(&self, schedule: Schedule, _: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        Ok(OnDevice {
            form: &FORM,
            arrays: vec![
                ("the columns of SELL", Cow::Borrowed(&self.columns)),
                ("the slices of SELL", joined(&self.slice_ptr, &self.order)),
            ],
            numbers: Numbers {
                fours: self.slices.lie_in_fours(),
                ..Numbers::default()
            },
            constants: self.slices.constants(&self.order),
            rows: self.rows,
            share: Share::PerRow,
            tunable: (schedule == Schedule::Auto).then_some(&variants::SELL),
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
