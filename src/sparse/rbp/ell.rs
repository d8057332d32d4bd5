//! RBP-ELL and RBP-ELL-R: runs padded to the longest row (Kawamura et al. 2020, §3.3, Algorithm 5, eqs. 5 and 6).

use std::ops::Range;

use super::super::abreast::{self, BLOCK, GROUP, SAMPLE};
use super::super::bands;
use super::super::csr_pattern::CsrPattern;
use super::super::format::Format;
use super::super::indices::{bytes_of, padded};
use super::super::matrix::layout::Layout;
use super::super::matrix::{Pattern, SparseMatrix};
use super::super::runs::{self, Run};
use super::super::spmv::form::{FOUR, Form, ORDERED, form};
use super::super::spmv::fours::Fours;
use super::super::spmv::kernels::{Numbers, OnDevice, Share, interleaved, joined};
use super::super::spmv::schedule::{Schedule, Target};
use super::progressions::Operands;
use super::{Isolated, by_column};
use crate::Result;
use crate::device::AdapterKind;
use crate::host_memory::{filled, reserved};
use crate::scalar::Scalar;

/// A sparse matrix whose runs are padded to the longest row of runs, with isolated entries apart as CSR.
///
/// `K_v` is the most values that a row has in runs, `K_c` twice the most runs of a row. Value j of row i is at j·rows + i,
/// and so are the columns, first and last of each run in turn. The isolated values lie behind the `rows·K_v` values of
/// runs. Padding is 0, as in the paper: no run begins and ends at the same column, so that a pair of equal columns ends
/// a row. A row is summed runs first (Algorithm 5). Bytes with values of v, by eq. 5 for v = 8:
/// `v·rows·K_v + 4·rows·K_c + (v + 4)·N_non + 4(rows + 1)`.
///
/// ```
/// use nonius::sparse::{Csr, RbpEll};
///
/// let a = Csr::new(2, 8, vec![0, 4, 6], vec![0, 3, 4, 5, 1, 2], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let packed = RbpEll::from_csr(&a)?;
/// assert_eq!(packed.pattern().run_columns(), [3, 1, 5, 2]);
/// assert_eq!(packed.values(), [2.0, 5.0, 3.0, 6.0, 4.0, 0.0, 1.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type RbpEll<T> = SparseMatrix<RbpEllPattern, T>;

/// An [`RbpEll`] that knows how many values each row has in runs, and stops there. Bytes: 4·rows more.
///
/// ```
/// use nonius::sparse::{Csr, RbpEllR};
///
/// let a = Csr::new(2, 8, vec![0, 4, 6], vec![0, 3, 4, 5, 1, 2], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let packed = RbpEllR::from_csr(&a)?;
/// assert_eq!(packed.pattern().lengths(), [3, 2]);
/// assert_eq!(packed.to_csr()?, a);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type RbpEllR<T> = SparseMatrix<RbpEllRPattern, T>;

/// Where the entries of an [`RbpEll`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RbpEllPattern {
    rows: usize,
    cols: usize,
    nnz: usize,
    /// rows · `K_v`: the values of runs and their padding.
    run_slots: usize,
    run_columns: Vec<u32>,
    isolated: Isolated,
}

/// Where the entries of an [`RbpEllR`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RbpEllRPattern {
    ell: RbpEllPattern,
    lengths: Vec<u32>,
}

impl RbpEllPattern {
    /// The columns of the runs, first and last in turn: number c of row i is at c·rows + i. Two zeros, then padding,
    /// behind the runs of a row: `ColumnsELL`.
    #[must_use]
    pub fn run_columns(&self) -> &[u32] {
        &self.run_columns
    }

    /// `K_v`: the values of runs to which rows are padded.
    #[must_use]
    pub fn value_width(&self) -> usize {
        self.run_slots.checked_div(self.rows).unwrap_or(0)
    }

    /// `K_c`: the columns of runs to which rows are padded.
    #[must_use]
    pub fn column_width(&self) -> usize {
        self.run_columns.len().checked_div(self.rows).unwrap_or(0)
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

    /// The length of the run part of the values, padding included: the isolated values lie behind.
    #[must_use]
    pub fn run_slots(&self) -> usize {
        self.run_slots
    }

    /// The pairs of columns of a row, padding left out.
    fn runs(&self, row: usize) -> impl Iterator<Item = Run> + '_ {
        (row..self.run_columns.len())
            .step_by(2 * self.rows)
            .map(|at| Run {
                first: self.run_columns[at],
                last: self.run_columns[at + self.rows],
            })
            .take_while(|run| !run.is_isolated())
    }

    /// Whether fewer than [`GROUP`] neighbours on average go on with runs of the same length, by a sample of them.
    fn are_unlike(&self, rows: Range<usize>) -> bool {
        let (mut runs, mut unlike) = (0, 0);
        for pairs in self.run_columns.chunks_exact(2 * self.rows) {
            let (firsts, lasts) = pairs.split_at(self.rows);
            let [firsts, lasts] = [firsts, lasts].map(|columns| columns[rows.clone()].as_chunks::<SAMPLE>().0);
            for (first, last) in firsts.iter().zip(lasts) {
                let [more, of_next] = [last[0] - first[0], last[1] - first[1]];
                runs += usize::from(more > 0);
                unlike += usize::from(more != of_next);
            }
        }
        unlike * GROUP > runs
    }

    /// Reads ahead what rows from `begin` on need of runs, and sums those, each row to its end, where neighbours are unlike. False
    /// where they are alike. Not inline, so that sums side by side keep their registers, and without iterators that step, which
    /// divide to know their length.
    #[inline(never)]
    fn sum_unlike<T: Scalar>(&self, begin: usize, sums: &mut [T], values: &[T], x: &[T]) -> bool {
        let rows = begin..begin + sums.len();
        abreast::read_ahead(values, rows.clone(), self.rows);
        abreast::read_ahead(&self.run_columns, rows.clone(), self.rows);
        if !self.are_unlike(rows) {
            return false;
        }
        let operands = Operands {
            rows: self.rows,
            columns: &self.run_columns,
            values,
            x,
        };
        operands.sum(begin, sums);
        true
    }

    fn isolated(&self, row: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.isolated.row(row).map(|(column, k)| (column, self.run_slots + k))
    }
}

/// Runs of two or more.
fn runs_of(csr: &CsrPattern, row: usize) -> impl Iterator<Item = Run> + '_ {
    runs::of(csr.row(row)).filter(|run| !run.is_isolated())
}

impl Pattern for RbpEllPattern {
    const FORMAT: Format = Format::RbpEll;

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
        self.run_slots + self.isolated.columns.len()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.run_columns, &self.isolated.row_ptr, &self.isolated.columns])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let rows = csr.rows();
        let widths = bands::map(rows, 1, csr.nnz(), |band| {
            band.fold((0, 0), |(values, columns), row| {
                let of_row = runs_of(csr, row).fold((0, 0), |(values, columns), run| (values + run.len(), columns + 2));
                (of_row.0.max(values), of_row.1.max(columns))
            })
        });
        let widest = |left: (u64, u64), right: (u64, u64)| (left.0.max(right.0), left.1.max(right.1));
        let (value_width, column_width) = widths.into_iter().fold((0, 0), widest);
        let isolated = Isolated::of(csr)?;
        let operation = "RbpEll::from_csr";
        let run_slots = padded(operation, rows as u64, value_width)?;
        // Offsets into the values reach the isolated ones, too.
        padded(operation, 1, run_slots as u64 + isolated.columns.len() as u64)?;
        let mut run_columns = filled(
            padded(operation, rows as u64, column_width)?,
            0,
            "the columns of RBP-ELL",
        )?;
        bands::each_of_columns(rows, &mut run_columns, |band, parts| {
            for row in band.clone() {
                let columns = runs_of(csr, row).flat_map(|run| [run.first, run.last]);
                let slots = parts.iter_mut().zip(columns);
                slots.for_each(|(part, column)| part[row - band.start] = column);
            }
        });
        Ok(Self {
            rows,
            cols: csr.cols(),
            nnz: csr.nnz(),
            run_slots,
            run_columns,
            isolated,
        })
    }
}

impl Layout for RbpEllPattern {
    fn slots_gone_over(&self) -> usize {
        // Rows that most of their neighbours have left behind go on alone, so that padding is hardly looked at.
        self.nnz
    }

    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        for row in rows {
            let run_slot = |j| j * self.rows + row;
            let runs = self.runs(row).map(|run| (run.first, run.last));
            by_column(runs, run_slot, self.isolated(row), |column, slot| {
                visit(row, column, slot);
            });
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let (of_runs, isolated) = values.split_at(self.run_slots);
        let in_runs = self.nnz - self.isolated.columns.len();
        let row_bytes = size_of::<T>() * self.value_width() + size_of::<u32>() * self.column_width();
        let ahead = abreast::rows_ahead(self.rows, (self.run_slots, in_runs), (row_bytes, size_of::<T>()));
        let block = ahead.unwrap_or(BLOCK);
        let mut side_by_side = abreast::Runs::new(block.min(rows.len()));
        for begin in rows.clone().step_by(block) {
            let height = block.min(rows.end - begin);
            side_by_side.begin(height);
            let summed = ahead.is_some() && self.sum_unlike(begin, side_by_side.sums_mut(), of_runs, x);
            let pairs = |row: usize| (row..self.run_columns.len()).step_by(2 * self.rows);
            // No run is of one column: that is padding.
            let run = |first: u32, last: u32| match last - first {
                0 => (0, 0),
                more => (first, more + 1),
            };
            if !summed {
                side_by_side.add(
                    pairs(begin).map(|pair| {
                        let [firsts, lasts] = [pair, pair + self.rows].map(|at| &self.run_columns[at..at + height]);
                        firsts.iter().zip(lasts).map(|(first, last)| run(*first, *last))
                    }),
                    |row, r| {
                        let pairs = pairs(begin + row).skip(r);
                        pairs.map(|at| run(self.run_columns[at], self.run_columns[at + self.rows]))
                    },
                    of_runs,
                    (begin, self.rows),
                    x,
                );
            }
            for (row, sum) in (begin..rows.end).zip(side_by_side.sums()) {
                put(row, self.isolated.add(row, isolated, x, *sum));
            }
        }
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        let order = order_of(self.rows, target, |row| self.runs(row));
        Ok(OnDevice {
            form: form_of(Self::FORMAT, self.rows, target),
            arrays: vec![
                (
                    "the columns of RBP-ELL",
                    joined(&self.run_columns, &self.isolated.columns)?,
                ),
                ("the row pointers of RBP-ELL", joined(&self.isolated.row_ptr, &order)?),
            ],
            numbers: Numbers {
                width: self.value_width(),
                isolated_values: self.run_slots,
                isolated_columns: self.run_columns.len(),
                ..Numbers::default()
            },
            constants: constants(self.rows, target, &order),
            rows: self.rows,
            share: Share::PerRow,
            tunable: None,
        })
    }
}

/// Whether four rows are summed at once: where their number is a multiple of four, they lie so, entry by entry.
pub(in crate::sparse) fn by_fours(rows: usize, target: Target) -> bool {
    target.kind == AdapterKind::Software && rows.is_multiple_of(FOUR)
}

/// The order of fours where rows are summed so, whose runs are given; empty where they stay as they are.
fn order_of<R: Iterator<Item = Run>>(rows: usize, target: Target, runs: impl Fn(usize) -> R) -> Vec<u32> {
    if by_fours(rows, target) {
        Fours::of(rows, runs).order()
    } else {
        Vec::new()
    }
}

/// The same before rows are laid out.
pub(in crate::sparse) fn order(csr: &CsrPattern, target: Target) -> Vec<u32> {
    order_of(csr.rows(), target, |row| runs_of(csr, row))
}

/// How rows are summed.
pub(in crate::sparse) fn form_of(format: Format, rows: usize, target: Target) -> &'static Form {
    match (format, by_fours(rows, target)) {
        (Format::RbpEllR, false) => &ELL_R,
        (Format::RbpEllR, true) => &ELL_R_BY_FOURS,
        (_, false) => &ELL,
        (_, true) => &ELL_BY_FOURS,
    }
}

/// Entries of runs in columns that an invocation has on their way. A driver that computes on the CPU goes through every
/// branch, taken or not: with several entries at once, twice through each of them.
fn run_entries(kind: AdapterKind) -> u32 {
    match kind {
        AdapterKind::Software => 1,
        _ => 4,
    }
}

/// The constants of the kernels.
pub(in crate::sparse) fn constants(rows: usize, target: Target, order: &[u32]) -> Vec<(&'static str, u32)> {
    if by_fours(rows, target) {
        return vec![(ORDERED.name, u32::from(!order.is_empty()))];
    }
    vec![("UNROLL", run_entries(target.kind))]
}

pub(in crate::sparse) static ELL: Form = form!(
    "rbp-ell",
    "spmv_rows",
    3,
    "sparse/rbp/ell.wgsl",
    "sparse/rbp/runs.wgsl",
    "sparse/rbp/isolated.wgsl",
    "sparse/spmv/rows.wgsl"
);

/// Four neighbouring rows an invocation, where the number of rows is a multiple of four; of fours in an order of their own, which
/// lies behind the pointers.
pub(in crate::sparse) static ELL_BY_FOURS: Form = form!(
    four rows of ELL by 1,
    "rbp-ell (four rows)",
    "spmv_fours",
    3,
    "sparse/rbp/ell_fours.wgsl",
    "sparse/rbp/runs_fours.wgsl",
    "sparse/spmv/runs_side_by_side.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/side_by_side.wgsl",
    "sparse/spmv/fours.wgsl"
);

impl RbpEllRPattern {
    /// The columns of the runs, as [`RbpEllPattern::run_columns`].
    #[must_use]
    pub fn run_columns(&self) -> &[u32] {
        &self.ell.run_columns
    }

    /// The values that each row has in runs.
    #[must_use]
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Where each row begins among the isolated entries, and where the last one ends.
    #[must_use]
    pub fn row_ptr(&self) -> &[u32] {
        &self.ell.isolated.row_ptr
    }

    /// The columns of the isolated entries.
    #[must_use]
    pub fn isolated_columns(&self) -> &[u32] {
        &self.ell.isolated.columns
    }

    /// The length of the run part of the values, padding included.
    #[must_use]
    pub fn run_slots(&self) -> usize {
        self.ell.run_slots
    }
}

impl Pattern for RbpEllRPattern {
    const FORMAT: Format = Format::RbpEllR;

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
        self.ell.index_bytes() + bytes_of(&[&self.lengths])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let length = |row| runs_of(csr, row).map(|run| run.last - run.first + 1).sum::<u32>();
        let ell = RbpEllPattern::from_csr(csr)?;
        const WHAT: &str = "the run lengths of RBP-ELL-R";
        let parts = bands::map(csr.rows(), 1, csr.nnz(), |band| {
            let mut lengths = reserved(band.len(), WHAT)?;
            lengths.extend(band.map(length));
            Ok(lengths)
        });
        let mut lengths = reserved(csr.rows(), WHAT)?;
        for part in parts {
            lengths.extend(part?);
        }
        Ok(Self { ell, lengths })
    }
}

impl Layout for RbpEllRPattern {
    fn slots_gone_over(&self) -> usize {
        self.ell.slots_gone_over()
    }

    fn walk(&self, rows: Range<usize>, visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        self.ell.walk(rows, visit)
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], put: impl FnMut(usize, T)) {
        // The lengths are for kernels; padding ends a row as well, in the same order.
        self.ell.products(rows, values, x, put);
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        let mut on_device = self.ell.on_device(schedule, target)?;
        on_device.form = form_of(Self::FORMAT, self.ell.rows, target);
        // As long as the pointers, beside which the lengths lie.
        let lengths = joined(&self.lengths, &[0])?;
        let rows = interleaved(&[&self.ell.isolated.row_ptr, &lengths])?;
        let order = &on_device.arrays[1].1[lengths.len()..];
        on_device.arrays[1] = ("the rows of RBP-ELL-R", joined(&rows, order)?);
        Ok(on_device)
    }
}

pub(in crate::sparse) static ELL_R: Form = form!(
    "rbp-ell-r",
    "spmv_rows",
    3,
    "sparse/rbp/ell_r.wgsl",
    "sparse/rbp/runs.wgsl",
    "sparse/rbp/isolated.wgsl",
    "sparse/spmv/rows.wgsl"
);
/// As [`ELL_BY_FOURS`].
pub(in crate::sparse) static ELL_R_BY_FOURS: Form = form!(
    four rows of ELL_R by 1,
    "rbp-ell-r (four rows)",
    "spmv_fours",
    3,
    "sparse/rbp/ell_r_fours.wgsl",
    "sparse/rbp/runs_fours.wgsl",
    "sparse/spmv/runs_side_by_side.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/side_by_side.wgsl",
    "sparse/spmv/fours.wgsl"
);
