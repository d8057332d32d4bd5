//! SELL and packed SELL, in slices of the default: a workgroup sorts a window and finds the widths of its slices, a scan
//! makes these pointers, and the end of the last slice is read back, since it says how much memory to ask for.
//!
//! Dispatches, with that of the values and a scan in one: 5 for SELL, 7 for packed SELL; a scan over more than 1024 slices
//! has two more.

use super::super::packed::{self, Packing};
use super::super::sell;
use super::super::slices::Slices;
use super::super::spmv::form::HEIGHT;
use super::super::spmv::kernels::Numbers;
use super::packed::{TAKE, count_runs, limits};
use super::scan::{self, exclusive};
use super::{CsrOnGpu, GRID, Laid, Made, NUMBERS, OPERANDS, READ, RUNS, Step, WRITE, kernel};
use crate::device::GpuBuffer;
use crate::device::kernel::{Kernel, WORKGROUP, fragment};
use crate::error::Result;

/// The slices of a matrix: `numbers` for each and for the end, then the rows of the positions.
struct Sorted {
    slices: GpuBuffer,
    constants: Vec<(&'static str, u32)>,
    count: usize,
    numbers: usize,
}

/// By the entries of rows, and with two numbers by their runs, so many each.
fn sorted(csr: &CsrOnGpu<'_>, what: &str, runs: Option<&GpuBuffer>) -> Result<Sorted> {
    let default = Slices::default();
    // A workgroup sorts a window of its own size.
    debug_assert_eq!(default.window(), WORKGROUP.default as usize);
    let numbers = if runs.is_some() { 2 } else { 1 };
    let count = csr.rows.div_ceil(default.height());
    let constants = vec![HEIGHT.of(default.height()), NUMBERS.of(numbers)];
    let length = numbers * (count + 1) + csr.rows;
    let slices = csr.indices(what, length)?;
    let step = Step {
        constants: &constants,
        // What is not read is bound to something that may be read.
        others: &[runs.unwrap_or(csr.row_ptr), &slices],
        written: length,
        ..Step::default()
    };
    csr.launch(&SLICES, csr.rows, step)?;
    for offset in 0..numbers {
        let some = scan::Numbers {
            offset,
            stride: numbers,
            count: count + 1,
        };
        exclusive(csr.gpu, &slices, some)?;
    }
    Ok(Sorted {
        slices,
        constants,
        count,
        numbers,
    })
}

impl Sorted {
    /// Records which entry lies in each slot.
    fn place(&self, csr: &CsrOnGpu<'_>, places: &GpuBuffer, slots: usize) -> Result<()> {
        let step = Step {
            constants: &self.constants,
            others: &[&self.slices, places],
            written: slots,
            ..Step::default()
        };
        csr.launch_groups(&PLACES, self.count as u64, step)
    }

    /// The constants of a product's kernel.
    fn of_products(&self) -> Vec<(&'static str, u32)> {
        vec![self.constants[0], ("ORDERED", 1)]
    }

    fn index_bytes(&self, csr: &CsrOnGpu<'_>, columns: usize) -> u64 {
        4 * (self.numbers * (self.count + 1) + csr.rows + columns) as u64
    }
}

pub(super) async fn sell<'a>(csr: &CsrOnGpu<'a>) -> Result<Made<'a>> {
    let sorted = sorted(csr, "the slices of SELL", None)?;
    let [slots] = csr.read(&sorted.slices, sorted.count).await?;
    let places = csr.places(slots)?;
    sorted.place(csr, &places, slots)?;
    let columns = csr.indices("the columns of SELL", slots)?;
    csr.lay_columns(&places, &columns, slots)?;
    let index_bytes = sorted.index_bytes(csr, slots);
    Ok(Made {
        laid: Laid {
            form: &sell::FORM,
            numbers: Numbers {
                fours: Slices::default().lie_in_fours(),
                ..Numbers::default()
            },
            constants: sorted.of_products(),
            rows: csr.rows,
            tunable: Some(&sell::TUNED),
            slots,
            bytes: index_bytes,
            arrays: vec![columns, sorted.slices],
        },
        places: Some(places),
        index_bytes,
    })
}

pub(super) async fn packed<'a>(csr: &CsrOnGpu<'a>) -> Result<Made<'a>> {
    let packing = Packing::of(csr.cols);
    let runs = csr.gpu.scratch("the runs of rows", 4 * (csr.rows + 1) as u64)?;
    count_runs(csr, packing, &runs, 1)?;
    let sorted = sorted(csr, "the slices of packed SELL", Some(&runs))?;
    let [of_runs, slots] = csr.read(&sorted.slices, 2 * sorted.count).await?;
    let places = csr.places(slots)?;
    sorted.place(csr, &places, slots)?;
    let descriptors = csr.indices("the runs of packed SELL", of_runs)?;
    let step = Step {
        constants: &sorted.constants,
        others: &[&sorted.slices, &descriptors],
        written: of_runs,
        ..limits(packing)
    };
    csr.launch(&DESCRIPTORS, sorted.count * Slices::default().height(), step)?;
    let index_bytes = sorted.index_bytes(csr, of_runs);
    Ok(Made {
        laid: Laid {
            form: &packed::sell::FORM,
            numbers: Numbers {
                column_bits: packing.column_bits(),
                fours: packed::sell::by_fours(Slices::default(), of_runs, slots),
                ..Numbers::default()
            },
            constants: sorted.of_products(),
            rows: csr.rows,
            tunable: Some(&packed::sell::TUNED),
            slots,
            bytes: index_bytes,
            arrays: vec![descriptors, sorted.slices],
        },
        places: Some(places),
        index_bytes,
    })
}

static SLICES: Kernel = kernel(
    "slices of rows",
    "slice",
    fragment!("sparse/convert/slices.wgsl"),
    &[GRID, OPERANDS],
    &[READ, READ, READ, WRITE],
);
static PLACES: Kernel = kernel(
    "entries of slices",
    "place",
    fragment!("sparse/convert/slice_places.wgsl"),
    &[GRID, OPERANDS],
    &[READ, READ, READ, WRITE],
);
static DESCRIPTORS: Kernel = kernel(
    "descriptors of packed SELL",
    "describe",
    fragment!("sparse/convert/packed_sell.wgsl"),
    &[GRID, OPERANDS, RUNS, TAKE],
    &[READ, READ, READ, WRITE],
);

pub(super) static KERNELS: [&Kernel; 3] = [&SLICES, &PLACES, &DESCRIPTORS];
