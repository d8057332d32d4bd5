//! Packed CSR: descriptors row after row, values in CSR's order.

use std::borrow::Cow;
use std::ops::Range;

use super::super::csr_pattern::CsrPattern;
use super::super::format::Format;
use super::super::indices::{bytes_of, narrow};
use super::super::matrix::layout::Layout;
use super::super::matrix::{Pattern, SparseMatrix};
use super::super::runs::{self, Run};
use super::super::slices::Slices;
use super::super::spmv::form::{Form, GRID, OPERANDS, ORDERED, bindings, form, kernel};
use super::super::spmv::fours::Plan;
use super::super::spmv::kernels::{Chunks, Numbers, OnDevice, Share, interleaved, joined};
use super::super::spmv::schedule::{Blocks, Schedule, Target, lanes_of_runs, pieces_at_once};
use super::super::spmv::trials::{ROW_REGIMES, UNROLL, WORKGROUPS, range, run, trial, work};
use super::super::spmv::tuned::Tuned;
use super::Packing;
use crate::device::AdapterKind;
use crate::device::kernel::{Fragment, Kernel, Vocabulary, fragment};
use crate::error::Result;
use crate::host_memory::{reserved, room};
use crate::scalar::{Scalar, ScalarKind};
use crate::tuning::{Family, Tunable};

/// A sparse matrix by rows, with one [`Packing`] descriptor a run. Values and sums are in CSR's order, so that products
/// of the host, and those of [`Schedule::PerRow`], are CSR's bit for bit. A GPU shares even rows among lanes, a run after the
/// other, streams uneven ones as CSR, and splits long ones.
///
/// Bytes with values of v: v·nnz + 4·descriptors + 8(rows + 1); at most CSR's and 4(rows + 1) more.
///
/// ```
/// use nonius::sparse::{Csr, PackedCsr};
///
/// let a = Csr::new(1, 8, vec![0, 4], vec![0, 3, 4, 5], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// let packed = PackedCsr::from_csr(&a)?;
/// let packing = packed.pattern().packing();
/// let runs: Vec<_> = packed.pattern().descriptors().iter().map(|run| packing.unpack(*run)).collect();
/// assert_eq!(runs, [(0, 1), (3, 3)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type PackedCsr<T> = SparseMatrix<PackedCsrPattern, T>;

/// Where the entries of a [`PackedCsr`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedCsrPattern {
    cols: usize,
    packing: Packing,
    run_ptr: Vec<u32>,
    value_ptr: Vec<u32>,
    descriptors: Vec<u32>,
}

impl PackedCsrPattern {
    /// How descriptors are read.
    #[must_use]
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Where each row begins in [`descriptors`](Self::descriptors), and where the last one ends.
    #[must_use]
    pub fn run_ptr(&self) -> &[u32] {
        &self.run_ptr
    }

    /// Where each row's values begin, and where the last one's end: CSR's row pointers.
    #[must_use]
    pub fn value_ptr(&self) -> &[u32] {
        &self.value_ptr
    }

    /// The runs.
    #[must_use]
    pub fn descriptors(&self) -> &[u32] {
        &self.descriptors
    }

    fn runs(&self, row: usize) -> impl Iterator<Item = Run> + '_ {
        self.descriptors[self.run_ptr[row] as usize..self.run_ptr[row + 1] as usize]
            .iter()
            .map(|descriptor| self.packing.run(*descriptor))
    }

    fn columns(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        self.runs(row).flat_map(|run| run.first..=run.last)
    }
}

impl Pattern for PackedCsrPattern {
    const FORMAT: Format = Format::PackedCsr;

    fn rows(&self) -> usize {
        self.run_ptr.len() - 1
    }

    fn cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        self.value_ptr.last().map_or(0, |end| *end as usize)
    }

    fn slots(&self) -> usize {
        self.nnz()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.run_ptr, &self.value_ptr, &self.descriptors])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let packing = Packing::of(csr.cols());
        let (mut run_ptr, mut descriptors) = (reserved(csr.rows() + 1, "the pointers of packed CSR")?, Vec::new());
        let mut value_ptr = reserved(csr.rows() + 1, "the pointers of packed CSR")?;
        value_ptr.extend_from_slice(csr.row_ptr());
        run_ptr.push(0);
        for row in 0..csr.rows() {
            let columns = csr.row(row);
            // As many descriptors as entries at most.
            room(&mut descriptors, columns.len(), "the runs of packed CSR")?;
            descriptors.extend(packing.descriptors(columns));
            run_ptr.push(narrow(descriptors.len()));
        }
        Ok(Self {
            cols: csr.cols(),
            packing,
            run_ptr,
            value_ptr,
            descriptors,
        })
    }
}

impl Layout for PackedCsrPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        for row in rows {
            let slots = self.value_ptr[row] as usize..;
            slots
                .zip(self.columns(row))
                .for_each(|(slot, column)| visit(row, column, slot));
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let [runs, ends] = [&self.run_ptr, &self.value_ptr].map(|ptr| ptr[rows.start..=rows.end].windows(2));
        for (row, (runs, ends)) in rows.zip(runs.zip(ends)) {
            let mut left = &values[ends[0] as usize..ends[1] as usize];
            let mut sum = T::zero();
            for descriptor in &self.descriptors[runs[0] as usize..runs[1] as usize] {
                if let ([value, behind @ ..], true) = (left, self.packing.is_single(*descriptor)) {
                    sum = value.mul_add(x[*descriptor as usize], sum);
                    left = behind;
                    continue;
                }
                let (first, length) = self.packing.unpack(*descriptor);
                let (first, length) = (first as usize, length as usize);
                let (run, behind) = left.split_at(length);
                sum = runs::add(run, &x[first..first + length], sum);
                left = behind;
            }
            put(row, sum);
        }
    }

    fn scatter<T: Scalar>(&self, values: &[T], slots: &mut [T]) -> Result<()> {
        slots.copy_from_slice(values);
        Ok(())
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        let pointers = interleaved(&[&self.run_ptr, &self.value_ptr])?;
        let on_device = |form, pointers, constants, share| OnDevice {
            form,
            arrays: vec![
                ("the runs of packed CSR", Cow::Borrowed(&self.descriptors[..])),
                ("the pointers of packed CSR", pointers),
            ],
            numbers: Numbers {
                column_bits: self.packing.column_bits(),
                ..Numbers::default()
            },
            constants,
            rows: self.rows(),
            share,
            tunable: None,
        };
        let on_cpu = target.kind == AdapterKind::Software;
        let average = self.nnz() / self.rows().max(1);
        match (schedule.choose(&self.value_ptr, target.kind)?, schedule) {
            (Schedule::PerRow | Schedule::Lanes(_), Schedule::Auto) => {
                let plan = if on_cpu {
                    Plan::of(&self.value_ptr, |row| self.runs(row))
                } else {
                    Plan::default()
                };
                let (form, constants) = by_row(target, &plan);
                let mut rows = on_device(form, joined(&pointers, &plan.order)?, constants, Share::PerRow);
                rows.numbers.fours = plan.by_fours;
                rows.tunable = Some(&TUNED);
                Ok(rows)
            }
            (Schedule::Streamed, Schedule::Auto) if on_cpu => {
                let tile = tile(target.scalar);
                let length = |row| (self.value_ptr[row + 1] - self.value_ptr[row]) as usize;
                let order = Slices::order_on_cpu(self.rows(), length, tile);
                let places = joined(&pointers, &order)?;
                let constants = vec![("TILE", narrow(tile)), (ORDERED.name, 1)];
                let share = Share::Apart(self.blocks(tile), &PARTS);
                Ok(on_device(&BY_QUADS, places, constants, share))
            }
            (Schedule::PerRow, _) => Ok(on_device(&FORM, pointers, Vec::new(), Share::PerRow)),
            (Schedule::Auto | Schedule::Streamed, _) => {
                let tile = tile(target.scalar);
                let blocks = self.blocks(tile);
                let places = joined(&pointers, &blocks.first)?;
                let share = Share::Blocks(blocks, &CHUNKS);
                Ok(on_device(&STREAMED, places, vec![("TILE", narrow(tile))], share))
            }
            (Schedule::Lanes(lanes), _) => Ok(on_device(
                &LANES,
                pointers,
                vec![("LANES", lanes), ("UNROLL", pieces_at_once(average, target.scalar))],
                Share::Lanes(lanes),
            )),
        }
    }
}

/// How even rows are summed on this device until something is chosen, and the constants of that.
pub(in crate::sparse) fn by_row(target: Target, plan: &Plan) -> (&'static Form, Vec<(&'static str, u32)>) {
    match (target.kind, plan.by_fours) {
        (AdapterKind::Software, false) => (&BY_QUADS, plan.constants()),
        (AdapterKind::Software, true) => (&BY_FOURS, plan.constants()),
        _ => (&FORM, Vec::new()),
    }
}

/// What a driver that computes on the CPU makes of rows that are yet to be laid out; nothing is to be planned elsewhere.
pub(in crate::sparse) fn plan(csr: &CsrPattern, target: Target) -> Plan {
    if target.kind != AdapterKind::Software {
        return Plan::default();
    }
    let packing = Packing::of(csr.cols());
    Plan::of(csr.row_ptr(), |row| {
        packing
            .descriptors(csr.row(row))
            .map(move |descriptor| packing.run(descriptor))
    })
}

/// What is told of a chunk: see `shaders/sparse/packed/csr_chunks.wgsl`.
const CHUNK_NUMBERS: usize = 5;

/// The entries of a block: at most 4 KiB of columns, and 8 KiB of products.
fn tile(scalar: ScalarKind) -> usize {
    (8192 / scalar.size()).min(1024)
}

impl PackedCsrPattern {
    /// Rows in blocks of `tile` entries, and longer ones in chunks of as many. In O(rows + the descriptors of long rows).
    fn blocks(&self, tile: usize) -> Blocks {
        let mut blocks = Blocks::of(&self.value_ptr, tile);
        blocks.chunks.clear();
        for long in blocks.long.chunks_exact_mut(4) {
            let row = long[0] as usize;
            let number = |chunks: &[u32]| narrow(chunks.len() / CHUNK_NUMBERS);
            long[1] = number(&blocks.chunks);
            let ends = self.value_ptr[row] as usize..self.value_ptr[row + 1] as usize;
            let mut run = self.run_ptr[row] as usize;
            let length = |run: usize| self.packing.unpack(self.descriptors[run]).1 as usize;
            // Entries of `run` that belong to chunks before.
            let mut skip = 0;
            for begin in ends.clone().step_by(tile) {
                let end = (begin + tile).min(ends.end);
                let first = [run, skip].map(narrow);
                let mut left = end - begin;
                while left > 0 && left >= length(run) - skip {
                    left -= length(run) - skip;
                    (run, skip) = (run + 1, 0);
                }
                skip += left;
                // A run that goes on in the next chunk belongs to both.
                let past = narrow(run + usize::from(left > 0));
                blocks
                    .chunks
                    .extend([first[0], past, first[1], narrow(begin), narrow(end)]);
            }
            long[2] = number(&blocks.chunks);
        }
        blocks
    }
}

pub(in crate::sparse) static FORM: Form = form!(
    "packed-csr",
    "spmv_rows",
    3,
    "sparse/packed/csr.wgsl",
    "sparse/packed/runs.wgsl",
    "sparse/spmv/rows.wgsl"
);
pub(in crate::sparse) static LANES: Form = form!(
    adds lanes,
    "packed-csr (lanes)",
    "spmv_lanes",
    3,
    "sparse/packed/csr_lanes.wgsl",
    "sparse/packed/runs.wgsl",
    "sparse/spmv/pieces.wgsl",
    "sparse/spmv/lanes.wgsl"
);
/// One invocation a row, by aligned quads; of rows in an order of their own, which lies behind the pointers.
pub(in crate::sparse) static BY_QUADS: Form = form!(
    by packs,
    "packed-csr (quads)",
    "spmv_sorted",
    3,
    "sparse/packed/csr_quads.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/sorted.wgsl"
);
/// Four neighbouring rows an invocation; of fours in an order of their own, which lies behind the pointers.
pub(in crate::sparse) static BY_FOURS: Form = form!(
    four rows or BY_QUADS,
    "packed-csr (four rows)",
    "spmv_fours",
    3,
    "sparse/packed/csr_fours.wgsl",
    "sparse/spmv/row_after_row.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/fours.wgsl"
);
pub(in crate::sparse) static STREAMED: Form = form!(
    "packed-csr (streamed)",
    "spmv_streamed",
    3,
    "sparse/packed/csr_streamed.wgsl",
    "lib/sum_to.wgsl",
    "sparse/packed/expand.wgsl",
    "sparse/packed/multiply.wgsl",
    "sparse/spmv/block_sums.wgsl"
);
/// Packed CSR with even rows: an invocation a row, or lanes; on a CPU four rows, or one by quads, as they were planned.
pub(in crate::sparse) static TUNED: Tuned = Tuned {
    tunable: Tunable {
        name: "spmv_packed_csr",
        families: &[
            Family {
                kernel: &FORM.product,
                ranges: &[WORKGROUPS, UNROLL],
                fits: |_, _, _| true,
            },
            Family {
                kernel: &LANES.product,
                ranges: &[
                    range("WORKGROUP", &[128, 256]),
                    range("LANES", &[2, 4, 8, 16, 32, 64, 128, 256]),
                    range("UNROLL", &[1, 2, 4, 8]),
                ],
                fits: |values, _, _| matches!(*values, [workgroup, lanes, _] if lanes <= workgroup),
            },
        ],
        on_cpu: &[Family {
            kernel: &BY_FOURS.product,
            ranges: &[WORKGROUPS],
            fits: |_, _, _| true,
        }],
        regimes: &ROW_REGIMES,
        default: |adapter, precision, shape| match shape.depth {
            _ if adapter.kind == AdapterKind::Software => TUNED.tunable.on_cpu[0].variant(&[256]),
            average => match lanes_of_runs(average, precision.scalar) {
                None => TUNED.tunable.families[0].variant(&[256, 4]),
                Some(lanes) => {
                    let pieces = pieces_at_once(average, precision.scalar);
                    TUNED.tunable.families[1].variant(&[256, lanes, pieces])
                }
            },
        },
        extents: |variant, _, shape| TUNED.extents(variant, shape),
        work: |precision, shape| work(precision, shape, shape.rows * shape.depth.div_ceil(run(shape))),
        trial: |device, precision, shape| trial::<PackedCsrPattern>(device, precision, shape),
    },
    forms: &[&FORM, &LANES, &BY_FOURS],
};

/// What lengths of runs are added up with.
pub(in crate::sparse) const SUM_TO: Fragment = fragment!("lib/sum_to.wgsl");
/// The columns of a tile in workgroup memory.
pub(in crate::sparse) const EXPAND: Fragment = fragment!("sparse/packed/expand.wgsl");
/// The chunks of long rows, a workgroup each.
static CHUNKS: Chunks = Chunks {
    kernel: &CHUNK_SUMS,
    numbers: CHUNK_NUMBERS,
    by_invocations: false,
};
/// The same, an invocation each.
static PARTS: Chunks = Chunks {
    kernel: &PART_SUMS,
    numbers: CHUNK_NUMBERS,
    by_invocations: true,
};
pub(in crate::sparse) static CHUNK_SUMS: Kernel = kernel(
    "spmv packed-csr (chunks of long rows)",
    "spmv_chunks",
    Vocabulary::Elements,
    fragment!("sparse/packed/csr_chunks.wgsl"),
    &[GRID, OPERANDS, SUM_TO, EXPAND, fragment!("sparse/packed/multiply.wgsl")],
    bindings(3, 0),
);
pub(in crate::sparse) static PART_SUMS: Kernel = kernel(
    "spmv packed-csr (parts of long rows)",
    "spmv_parts",
    Vocabulary::Elements,
    fragment!("sparse/packed/csr_parts.wgsl"),
    &[GRID, OPERANDS, fragment!("sparse/spmv/x_at.wgsl")],
    bindings(3, 0),
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The entries of every chunk, by its descriptors, are those of the row, in their order.
    #[test]
    fn chunks_hold_every_entry_of_long_rows_once() {
        // Runs of 1, of 7, of more than a tile, and one that ends with a tile; short rows between.
        let rows: [Vec<u32>; 5] = [
            (0..100).map(|k| 2 * k).collect(),
            (0..3).collect(),
            (0..100).map(|k| k + k / 7).collect(),
            (5..300).collect(),
            (0..16).chain(20..36).chain(40..41).collect(),
        ];
        let mut row_ptr = vec![0];
        for row in &rows {
            row_ptr.push(row_ptr[row_ptr.len() - 1] + narrow(row.len()));
        }
        // With 2²⁶ columns a descriptor holds 64 entries at most, with 300 all of a row.
        for cols in [300, 1 << 26] {
            let csr = CsrPattern::new(rows.len(), cols, row_ptr.clone(), rows.concat()).expect("it is sound");
            let packed = PackedCsrPattern::from_csr(&csr).expect("it fits");
            let blocks = packed.blocks(16);
            let long: Vec<u32> = blocks.long.chunks_exact(4).map(|row| row[0]).collect();
            assert_eq!(long, [0, 2, 3, 4]);
            for long in blocks.long.chunks_exact(4) {
                let mut found: Vec<u32> = Vec::new();
                let of_row = CHUNK_NUMBERS * long[1] as usize..CHUNK_NUMBERS * long[2] as usize;
                for chunk in blocks.chunks[of_row].chunks_exact(CHUNK_NUMBERS) {
                    let [first, past, skip, begin, end] = [0, 1, 2, 3, 4].map(|at| chunk[at] as usize);
                    assert!(
                        end > begin && end - begin <= 16 && past - first <= end - begin,
                        "{chunk:?}"
                    );
                    assert_eq!(begin, row_ptr[long[0] as usize] as usize + found.len());
                    let columns = packed.descriptors[first..past].iter().flat_map(|run| {
                        let (first, length) = packed.packing.unpack(*run);
                        first..first + length
                    });
                    let columns: Vec<u32> = columns.skip(skip).collect();
                    found.extend(&columns[..end - begin]);
                }
                assert_eq!(found, rows[long[0] as usize], "{cols} columns");
            }
        }
    }
}
