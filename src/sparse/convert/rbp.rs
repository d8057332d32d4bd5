//! RBP-CSR, RBP-ELL and RBP-ELL-R, one invocation a row: it counts its runs, and when counts have become pointers, writes
//! its columns and where its values come from. Sums, and for the ELL forms the widest row, are read back, since they say
//! how much memory to ask for.
//!
//! Dispatches, with that of the values and a scan in one: 6 for RBP-CSR, which has three scans, 4 for the others; a scan
//! over more than 1024 rows has two more, and one over more than 1024² four.

use super::super::csr_pattern::CsrPattern;
use super::super::format::Format;
use super::super::rbp;
use super::super::spmv::kernels::Numbers;
use super::super::spmv::schedule::Schedule;
use super::scan::{self, exclusive};
use super::{CsrOnGpu, GRID, Laid, Made, NUMBERS, OPERANDS, READ, RUNS, Step, WRITE, kernel};
use crate::device::GpuBuffer;
use crate::device::kernel::{Fragment, Kernel, fragment};
use crate::error::Result;

/// Records what each row has, `numbers` each, and scans the first `scanned` of them. Returns the widest row: its values and
/// its columns in runs.
fn count(csr: &CsrOnGpu<'_>, counts: &GpuBuffer, numbers: usize, scanned: usize) -> Result<GpuBuffer> {
    let widest = csr.indices("the widest row", 2)?;
    let step = Step {
        constants: &[NUMBERS.of(numbers)],
        others: &[counts, &widest],
        longest: u32::MAX,
        written: numbers * (csr.rows + 1),
        ..Step::default()
    };
    csr.launch(&COUNTS, csr.rows + 1, step)?;
    for offset in 0..scanned {
        let some = scan::Numbers {
            offset,
            stride: numbers,
            count: csr.rows + 1,
        };
        exclusive(csr.gpu, counts, some)?;
    }
    Ok(widest)
}

pub(super) async fn csr<'a>(csr: &CsrOnGpu<'a>, pattern: &CsrPattern) -> Result<Made<'a>> {
    let pointers = csr.indices("the pointers of RBP-CSR", 3 * (csr.rows + 1))?;
    count(csr, &pointers, 3, 3)?;
    let [run_values, run_columns, isolated] = csr.read(&pointers, 3 * csr.rows).await?;
    let isolated_columns = rbp::csr::isolated_columns(csr.target, run_values, run_columns);
    let columns = csr.indices("the columns of RBP-CSR", isolated_columns + isolated)?;
    let places = csr.places(csr.nnz)?;
    let step = Step {
        others: &[&pointers, &columns, &places],
        isolated_values: run_values,
        isolated_columns,
        longest: u32::MAX,
        written: 3 * csr.rows + run_columns + isolated + csr.nnz,
        ..Step::default()
    };
    csr.launch(&RBP_CSR, csr.rows, step)?;
    let pointer_bytes = 4 * 3 * (csr.rows + 1) as u64;
    let plan = rbp::csr::plan_of(pattern, csr.target);
    let (form, constants) = rbp::csr::rows(Schedule::Auto, csr.target, pattern.row_ptr(), &plan)?;
    Ok(Made {
        laid: Laid {
            form,
            arrays: vec![columns, pointers],
            numbers: Numbers {
                isolated_values: run_values,
                isolated_columns,
                ..Numbers::default()
            },
            constants,
            rows: csr.rows,
            tunable: None,
            slots: csr.nnz,
            bytes: pointer_bytes + 4 * (isolated_columns + isolated) as u64,
        },
        places: Some(places),
        index_bytes: pointer_bytes + 4 * (run_columns + isolated) as u64,
    })
}

/// RBP-ELL, or RBP-ELL-R with the rows' lengths beside the pointers.
pub(super) async fn ell<'a>(csr: &CsrOnGpu<'a>, with_lengths: bool) -> Result<Made<'a>> {
    let (format, what, numbers) = if with_lengths {
        (Format::RbpEllR, "the rows of RBP-ELL-R", 2)
    } else {
        (Format::RbpEll, "the row pointers of RBP-ELL", 1)
    };
    let pointers = csr.indices(what, numbers * (csr.rows + 1))?;
    let widest = count(csr, &pointers, numbers, 1)?;
    let [width, column_width] = csr.read(&widest, 0).await?;
    let [isolated] = csr.read(&pointers, numbers * csr.rows).await?;
    let (run_slots, run_columns) = (csr.rows * width, csr.rows * column_width);
    let columns = csr.indices("the columns of RBP-ELL", run_columns + isolated)?;
    let slots = run_slots + isolated;
    let places = csr.places(slots)?;
    let step = Step {
        constants: &[NUMBERS.of(numbers)],
        others: &[&pointers, &columns, &places],
        width,
        isolated_values: run_slots,
        isolated_columns: run_columns,
        longest: u32::MAX,
        written: run_columns + isolated + slots,
        ..Step::default()
    };
    csr.launch(&RBP_ELL, csr.rows, step)?;
    // The host has lengths of rows only, and no pointer's neighbour at the end.
    let rows = csr.rows + 1 + (numbers - 1) * csr.rows;
    Ok(Made {
        laid: Laid {
            form: rbp::ell::form_of(format, csr.rows, csr.target),
            arrays: vec![columns, pointers],
            numbers: Numbers {
                width,
                isolated_values: run_slots,
                isolated_columns: run_columns,
                ..Numbers::default()
            },
            constants: rbp::ell::constants(csr.rows, csr.target, &[]),
            rows: csr.rows,
            tunable: None,
            slots,
            bytes: 4 * (numbers * (csr.rows + 1) + run_columns + isolated) as u64,
        },
        places: Some(places),
        index_bytes: 4 * (rows + run_columns + isolated) as u64,
    })
}

/// What is done with a run.
const TAKE: Fragment = fragment!("sparse/convert/rbp_take.wgsl");

static COUNTS: Kernel = kernel(
    "runs and isolated entries of rows",
    "count_runs",
    fragment!("sparse/convert/rbp_counts.wgsl"),
    &[GRID, OPERANDS, RUNS],
    &[READ, READ, WRITE, WRITE],
);
static RBP_CSR: Kernel = kernel(
    "columns of RBP-CSR",
    "lay",
    fragment!("sparse/convert/rbp_csr.wgsl"),
    &[GRID, OPERANDS, RUNS, TAKE],
    &[READ, READ, READ, WRITE, WRITE],
);
static RBP_ELL: Kernel = kernel(
    "columns of RBP-ELL",
    "lay",
    fragment!("sparse/convert/rbp_ell.wgsl"),
    &[GRID, OPERANDS, RUNS, TAKE],
    &[READ, READ, READ, WRITE, WRITE],
);

pub(super) static KERNELS: [&Kernel; 3] = [&COUNTS, &RBP_CSR, &RBP_ELL];
