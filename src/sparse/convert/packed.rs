//! Packed CSR, even rows, and the descriptors that packed SELL has too. The number of descriptors is read back,
//! since it says how much memory to ask for. Four dispatches with that of the values and a scan in one; a scan over more
//! than 1024 rows has two more, and one over more than 1024² four.

use super::super::csr_pattern::CsrPattern;
use super::super::packed::{self, Packing};
use super::super::spmv::fours::Plan;
use super::super::spmv::kernels::Numbers;
use super::super::spmv::schedule::{Schedule, Target};
use super::scan::{self, exclusive};
use super::{CsrOnGpu, GRID, Laid, Made, NUMBERS, OPERANDS, READ, RUNS, Step, WRITE, kernel};
use crate::device::GpuBuffer;
use crate::device::kernel::{Fragment, Kernel, fragment};
use crate::error::Result;

/// Whether products share the rows of this matrix out in blocks.
pub(super) fn is_streamed(csr: &CsrPattern, target: Target) -> Result<bool> {
    Ok(Schedule::Auto.choose(csr.row_ptr(), target.kind)? == Schedule::Streamed)
}

/// What a descriptor holds.
pub(super) fn limits(packing: Packing) -> Step<'static> {
    Step {
        column_bits: packing.column_bits(),
        longest: u32::try_from(packing.longest()).unwrap_or(u32::MAX),
        ..Step::default()
    }
}

/// Records the descriptors of each row, `numbers` apart, and behind each of two its row pointer.
pub(super) fn count_runs(csr: &CsrOnGpu<'_>, packing: Packing, counts: &GpuBuffer, numbers: usize) -> Result<()> {
    let step = Step {
        constants: &[NUMBERS.of(numbers)],
        others: &[counts],
        written: numbers * (csr.rows + 1),
        ..limits(packing)
    };
    csr.launch(&COUNTS, csr.rows + 1, step)
}

pub(super) async fn lay_out<'a>(csr: &CsrOnGpu<'a>, plan: &Plan) -> Result<Made<'a>> {
    let packing = Packing::of(csr.cols);
    let pointers = csr.indices("the pointers of packed CSR", 2 * (csr.rows + 1))?;
    count_runs(csr, packing, &pointers, 2)?;
    let some = scan::Numbers {
        offset: 0,
        stride: 2,
        count: csr.rows + 1,
    };
    exclusive(csr.gpu, &pointers, some)?;
    let [runs] = csr.read(&pointers, 2 * csr.rows).await?;
    let descriptors = csr.indices("the runs of packed CSR", runs)?;
    let step = Step {
        others: &[&pointers, &descriptors],
        written: 2 * csr.rows + runs,
        ..limits(packing)
    };
    csr.launch(&DESCRIPTORS, csr.rows, step)?;
    let (form, constants) = packed::csr::by_row(csr.target, plan);
    let index_bytes = 4 * (2 * (csr.rows + 1) + runs) as u64;
    Ok(Made {
        laid: Laid {
            form,
            arrays: vec![descriptors, pointers],
            numbers: Numbers {
                column_bits: packing.column_bits(),
                fours: plan.by_fours,
                ..Numbers::default()
            },
            constants,
            rows: csr.rows,
            tunable: Some(&packed::csr::TUNED),
            slots: csr.nnz,
            bytes: index_bytes,
        },
        places: None,
        index_bytes,
    })
}

/// What is done with a run.
pub(super) const TAKE: Fragment = fragment!("sparse/convert/packed_take.wgsl");

static COUNTS: Kernel = kernel(
    "descriptors of rows",
    "count_runs",
    fragment!("sparse/convert/packed_counts.wgsl"),
    &[GRID, OPERANDS, RUNS],
    &[READ, READ, WRITE],
);
static DESCRIPTORS: Kernel = kernel(
    "descriptors of packed CSR",
    "describe",
    fragment!("sparse/convert/packed_csr.wgsl"),
    &[GRID, OPERANDS, RUNS, TAKE],
    &[READ, READ, READ, WRITE],
);

pub(super) static KERNELS: [&Kernel; 2] = [&COUNTS, &DESCRIPTORS];
