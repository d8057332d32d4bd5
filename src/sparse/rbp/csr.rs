//! RBP-CSR: runs row after row (Kawamura et al. 2020, §3.2, Algorithms 3 and 4).

use std::borrow::Cow;
use std::ops::Range;

use super::super::csr_pattern::CsrPattern;
use super::super::format::Format;
use super::super::indices::{bytes_of, narrow};
use super::super::matrix::layout::Layout;
use super::super::matrix::{Pattern, SparseMatrix};
use super::super::runs::{self, Run};
use super::super::spmv::form::{FOUR, Form, form};
use super::super::spmv::fours::Plan;
use super::super::spmv::kernels::{Numbers, OnDevice, Share, interleaved, joined};
use super::super::spmv::schedule::{Schedule, Target, lanes_of_runs, pieces_at_once};
use super::super::spmv::tuned::lanes_in;
use super::{Isolated, by_column};
use crate::Result;
use crate::device::AdapterKind;
use crate::host_memory::{reserved, room};
use crate::scalar::Scalar;

/// A sparse matrix by rows, with first and last column for each run, and isolated entries apart.
///
/// The array of values holds those of the runs, then the isolated ones: `Comp_Values` and `ValuesCSR` of the paper in
/// one, since a device binds few arrays. A row is summed runs first (Algorithm 4), by lanes of a GPU where rows are long.
/// Bytes with values of v, by eq. 4 for v = 8: `12(rows + 1) + 4·N_col + v·N_val + (v + 4)·N_non`.
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
        let pointers = || reserved(csr.rows() + 1, "the pointers of RBP-CSR");
        let (mut val_ptr, mut col_ptr, mut run_columns) = (pointers()?, pointers()?, Vec::new());
        let mut values = 0;
        val_ptr.push(0);
        col_ptr.push(0);
        for row in 0..csr.rows() {
            let columns = csr.row(row);
            // A run has two entries at least, and two columns here.
            room(&mut run_columns, columns.len(), "the columns of RBP-CSR")?;
            for run in runs::of(columns).filter(|run| !run.is_isolated()) {
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
            isolated: Isolated::of(csr)?,
        })
    }
}

impl Layout for RbpCsrPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
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
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let (of_runs, isolated) = values.split_at(self.run_values());
        for row in rows {
            let mut left = &of_runs[self.val_ptr[row] as usize..self.val_ptr[row + 1] as usize];
            let mut sum = T::zero();
            // Rows of isolated entries alone need not look for runs.
            if !left.is_empty() {
                for (first, last) in self.runs(row) {
                    let x = &x[first as usize..=last as usize];
                    let (run, behind) = left.split_at(x.len());
                    sum = runs::add(run, x, sum);
                    left = behind;
                }
            }
            put(row, self.isolated.add(row, isolated, x, sum));
        }
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        schedule.not_streamed(Self::FORMAT.name())?;
        let pointers = interleaved(&[&self.val_ptr, &self.col_ptr, &self.isolated.row_ptr])?;
        let isolated_columns = isolated_columns(target, self.run_values(), self.run_columns.len());
        const WHAT: &str = "the columns of RBP-CSR";
        let mut columns = reserved(isolated_columns + self.isolated.columns.len(), WHAT)?;
        columns.extend_from_slice(&self.run_columns);
        columns.resize(isolated_columns, 0);
        columns.extend_from_slice(&self.isolated.columns);
        let mut row_ptr = reserved(self.val_ptr.len(), "the pointers of RBP-CSR")?;
        let ends = self.val_ptr.iter().zip(&self.isolated.row_ptr);
        row_ptr.extend(ends.map(|(runs, isolated)| runs + isolated));
        let plan = match schedule {
            Schedule::Auto => plan(target, &row_ptr, |row| {
                self.runs(row).map(|(first, last)| Run { first, last })
            }),
            _ => Plan::default(),
        };
        let (form, constants) = rows(schedule, target, &row_ptr, &plan)?;
        Ok(OnDevice {
            form,
            arrays: vec![
                (WHAT, Cow::Owned(columns)),
                ("the pointers of RBP-CSR", joined(&pointers, &plan.order)?),
            ],
            numbers: Numbers {
                isolated_values: self.run_values(),
                isolated_columns,
                ..Numbers::default()
            },
            share: match lanes_in(&constants) {
                1 => Share::PerRow,
                lanes => Share::Lanes(lanes),
            },
            constants,
            rows: self.rows(),
            tunable: None,
        })
    }
}

/// How rows that end at `row_ptr` are summed, and the constants of that: on a driver that computes on the CPU as it is planned,
/// elsewhere by lanes where rows are long, and uneven ones, for which there are no blocks, by one invocation each.
pub(in crate::sparse) fn rows(
    schedule: Schedule,
    target: Target,
    row_ptr: &[u32],
    plan: &Plan,
) -> Result<(&'static Form, Vec<(&'static str, u32)>)> {
    let rows = row_ptr.len() - 1;
    let average = row_ptr[rows] as usize / rows.max(1);
    let on_cpu = schedule == Schedule::Auto && target.kind == AdapterKind::Software;
    let lanes = match schedule.choose(row_ptr, target.kind)? {
        Schedule::Lanes(_) if schedule == Schedule::Auto => lanes_of_runs(average, target.scalar),
        Schedule::Lanes(lanes) => Some(lanes),
        _ => None,
    };
    Ok(match lanes {
        _ if on_cpu && plan.by_fours => (&BY_FOURS, plan.constants()),
        _ if on_cpu => (&BY_QUADS, plan.constants()),
        None => (&FORM, Vec::new()),
        Some(lanes) => {
            let constants = vec![("LANES", lanes), ("UNROLL", pieces_at_once(average, target.scalar))];
            (&LANES, constants)
        }
    })
}

/// What a driver that computes on the CPU makes of rows that end at `row_ptr`, with these runs; nothing is to be planned elsewhere.
/// Single rows are read faster where runs are short, since each row's columns are read apart by fours, and isolated entries are.
fn plan<R: Iterator<Item = Run>>(target: Target, row_ptr: &[u32], runs: impl Fn(usize) -> R) -> Plan {
    if target.kind != AdapterKind::Software {
        return Plan::default();
    }
    let rows = row_ptr.len() - 1;
    let (count, values) = (0..rows)
        .flat_map(&runs)
        .fold((0, 0), |(count, values), run| (count + 1, values + run.len()));
    let entries = u64::from(row_ptr[rows]);
    if values >= LONG_RUN * count && 8 * values >= 7 * entries {
        Plan::of(row_ptr, runs)
    } else {
        Plan::by_rows(row_ptr)
    }
}

/// Entries of runs that four rows at once pay for: with 3 they take 1.08 of the time, with 9 from 0.7 to 0.85 (BENCHMARKS.md).
const LONG_RUN: u64 = 5;

/// The same before rows are laid out.
pub(in crate::sparse) fn plan_of(csr: &CsrPattern, target: Target) -> Plan {
    plan(target, csr.row_ptr(), |row| {
        runs::of(csr.row(row)).filter(|run| !run.is_isolated())
    })
}

/// Where the isolated columns begin behind those of runs. A driver that computes on the CPU reads quads of them and of the
/// isolated values, which begin behind the `run_values` of runs: they lie alike.
pub(in crate::sparse) fn isolated_columns(target: Target, run_values: usize, run_columns: usize) -> usize {
    match target.kind {
        AdapterKind::Software => run_columns + (run_values % FOUR + FOUR - run_columns % FOUR) % FOUR,
        _ => run_columns,
    }
}

/// One invocation a row, by aligned quads; of rows in an order of their own, which lies behind the pointers.
pub(in crate::sparse) static BY_QUADS: Form = form!(
    by packs,
    "rbp-csr (quads)",
    "spmv_sorted",
    3,
    "sparse/rbp/csr_quads.wgsl",
    "sparse/rbp/isolated_quads.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/sorted.wgsl"
);

/// Four neighbouring rows an invocation; of fours in an order of their own, which lies behind the pointers.
pub(in crate::sparse) static BY_FOURS: Form = form!(
    four rows,
    "rbp-csr (four rows)",
    "spmv_fours",
    3,
    "sparse/rbp/csr_fours.wgsl",
    "sparse/spmv/row_after_row.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/fours.wgsl"
);

pub(in crate::sparse) static FORM: Form = form!(
    "rbp-csr",
    "spmv_rows",
    3,
    "sparse/rbp/csr.wgsl",
    "sparse/rbp/runs.wgsl",
    "sparse/rbp/isolated.wgsl",
    "sparse/spmv/rows.wgsl"
);
pub(in crate::sparse) static LANES: Form = form!(
    adds lanes,
    "rbp-csr (lanes)",
    "spmv_lanes",
    3,
    "sparse/rbp/csr_lanes.wgsl",
    "sparse/rbp/runs.wgsl",
    "sparse/spmv/pieces.wgsl",
    "sparse/spmv/lanes.wgsl"
);
