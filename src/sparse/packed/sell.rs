//! Packed SELL-C-σ: descriptors and values in slices of rows, each padded to its longest.

use std::borrow::Cow;
use std::ops::Range;

use super::super::abreast;
use super::super::csr::Csr;
use super::super::csr_pattern::CsrPattern;
use super::super::format::Format;
use super::super::indices::bytes_of;
use super::super::matrix::layout::Layout;
use super::super::matrix::{Pattern, SparseMatrix};
use super::super::slices::{Slices, row_at};
use super::super::spmv::form::{Form, form};
use super::super::spmv::kernels::{Numbers, OnDevice, Share, interleaved, joined};
use super::super::spmv::schedule::{Schedule, Target};
use super::super::spmv::trials::{REGIMES, UNROLL, WORKGROUPS, run, trial, work};
use super::super::spmv::tuned::Tuned;
use super::{NO_RUN, Packing};
use crate::Result;
use crate::device::AdapterKind;
use crate::host_memory::{filled, reserved};
use crate::scalar::Scalar;
use crate::tuning::{Family, Tunable};

/// A sparse matrix in slices of C rows, with one [`Packing`] descriptor a run.
///
/// Descriptor r of the row at position p is at `run_ptr[p / C] + r·C + p mod C`, its j-th value at
/// `value_ptr[p / C] + j·C + p mod C`; [`NO_RUN`] ends a row. Rows are sorted, within windows of σ, by their entries and
/// then by their runs. A row is summed by ascending column, so that products are CSR's bit for bit. Bytes with values of
/// v: v times the padded entries, 4 times the padded runs, 8(⌈rows/C⌉ + 1), and 4·rows for the order where σ > 1.
///
/// ```
/// use nonius::sparse::{Csr, NO_RUN, PackedSell, Slices};
///
/// let a = Csr::new(2, 4, vec![0, 3, 5], vec![0, 1, 2, 0, 2], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0])?;
/// let packed = PackedSell::with_slices(&a, Slices::new(2, 1)?)?;
/// assert_eq!(packed.values(), [1.0, 4.0, 2.0, 5.0, 3.0, 0.0]);
/// assert_eq!(packed.pattern().descriptors(), [2 << 3, 0, NO_RUN, 2]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type PackedSell<T> = SparseMatrix<PackedSellPattern, T>;

/// Where the entries of a [`PackedSell`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedSellPattern {
    slices: Slices,
    rows: usize,
    cols: usize,
    nnz: usize,
    packing: Packing,
    order: Vec<u32>,
    run_ptr: Vec<u32>,
    value_ptr: Vec<u32>,
    descriptors: Vec<u32>,
}

impl PackedSellPattern {
    /// Lays `csr` out in these slices.
    ///
    /// # Errors
    /// As [`Pattern::from_csr`].
    pub fn with_slices(csr: &CsrPattern, slices: Slices) -> Result<Self> {
        let packing = Packing::of(csr.cols());
        let mut runs = reserved(csr.rows(), "the numbers of runs")?;
        runs.extend((0..csr.rows()).map(|row| packing.count(csr.row(row))));
        let order = slices.order_kept(csr.rows(), |row| (csr.length(row), runs[row]))?;
        let operation = "PackedSell::from_csr";
        let pointers =
            |length: &dyn Fn(usize) -> u64| slices.pointers(operation, slices.widths(csr.rows(), &order, length));
        let value_ptr = pointers(&|row| csr.length(row) as u64)?;
        let run_ptr = pointers(&|row| runs[row])?;
        let slots = run_ptr.last().map_or(0, |end| *end as usize);
        let mut descriptors = filled(slots, NO_RUN, "the runs of packed SELL")?;
        for position in 0..csr.rows() {
            let row = row_at(&order, position);
            let slots = slices.slots(&run_ptr, position);
            for (slot, descriptor) in slots.zip(packing.descriptors(csr.row(row))) {
                descriptors[slot] = descriptor;
            }
        }
        Ok(Self {
            slices,
            rows: csr.rows(),
            cols: csr.cols(),
            nnz: csr.nnz(),
            packing,
            order,
            run_ptr,
            value_ptr,
            descriptors,
        })
    }

    /// C and σ.
    #[must_use]
    pub fn slices(&self) -> Slices {
        self.slices
    }

    /// How descriptors are read.
    #[must_use]
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// The row at each position; empty where rows stay in their order (σ = 1).
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where each slice begins in [`descriptors`](Self::descriptors), and where the last one ends.
    #[must_use]
    pub fn run_ptr(&self) -> &[u32] {
        &self.run_ptr
    }

    /// Where each slice's values begin, and where the last one's end.
    #[must_use]
    pub fn value_ptr(&self) -> &[u32] {
        &self.value_ptr
    }

    /// The runs, slice by slice, [`NO_RUN`] behind those of a row.
    #[must_use]
    pub fn descriptors(&self) -> &[u32] {
        &self.descriptors
    }

    /// The runs of the row at a position: first column and length.
    fn runs(&self, position: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.slices
            .slots(&self.run_ptr, position)
            .map(|slot| self.descriptors[slot])
            .take_while(|descriptor| *descriptor != NO_RUN)
            .map(|descriptor| self.packing.unpack(descriptor))
    }
}

impl<T: Scalar> PackedSell<T> {
    /// The same matrix in these slices.
    ///
    /// # Errors
    /// As [`Pattern::from_csr`].
    pub fn with_slices(csr: &Csr<T>, slices: Slices) -> Result<Self> {
        let pattern = PackedSellPattern::with_slices(csr.pattern(), slices)?;
        Self::with_pattern(pattern.into(), csr.values())
    }
}

impl Pattern for PackedSellPattern {
    const FORMAT: Format = Format::PackedSell;

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
        self.value_ptr.last().map_or(0, |end| *end as usize)
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.order, &self.run_ptr, &self.value_ptr, &self.descriptors])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        Self::with_slices(csr, Slices::default())
    }
}

impl Layout for PackedSellPattern {
    fn granule(&self) -> usize {
        self.slices.granule()
    }

    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        for (row, position) in self.slices.positions(&self.order, rows)? {
            let columns = self.runs(position).flat_map(|(first, length)| first..first + length);
            let slots = self.slices.slots(&self.value_ptr, position);
            slots.zip(columns).for_each(|(slot, column)| visit(row, column, slot));
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let height = self.slices.height();
        // A copy, since what is written for each run could change what a reference is to.
        let packing = self.packing;
        let mut side_by_side = abreast::Runs::new(height);
        for begin in rows.clone().step_by(height) {
            side_by_side.begin(height);
            let slice = begin / height;
            let runs = self.run_ptr[slice] as usize..self.run_ptr[slice + 1] as usize;
            let descriptors = &self.descriptors[runs];
            let unpack = move |run: &u32| match *run {
                NO_RUN => (0, 0),
                run => packing.unpack(run),
            };
            side_by_side.add(
                descriptors.chunks_exact(height).map(|runs| runs.iter().map(unpack)),
                |row, r| {
                    let runs = descriptors[r * height + row..].iter().step_by(height);
                    runs.map(move |run| match *run {
                        column if packing.is_single(column) => (column, 1),
                        _ => unpack(run),
                    })
                },
                values,
                (self.value_ptr[slice] as usize, height),
                x,
            );
            for (position, sum) in (begin..rows.end).zip(side_by_side.sums()) {
                put(row_at(&self.order, position), *sum);
            }
        }
    }

    fn on_device(&self, schedule: Schedule, _: Target) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        Ok(OnDevice {
            form: &FORM,
            arrays: vec![
                ("the runs of packed SELL", Cow::Borrowed(&self.descriptors)),
                (
                    "the slices of packed SELL",
                    joined(&interleaved(&[&self.run_ptr, &self.value_ptr])?, &self.order)?,
                ),
            ],
            numbers: Numbers {
                column_bits: self.packing.column_bits(),
                fours: by_fours(self.slices, self.descriptors.len(), self.slots()),
                ..Numbers::default()
            },
            constants: self.slices.constants(&self.order),
            rows: self.rows,
            share: Share::PerRow,
            tunable: (schedule == Schedule::Auto).then_some(&TUNED),
        })
    }
}

/// Whether four rows may be summed at once: run by run, which single entries are not worth.
pub(in crate::sparse) fn by_fours(slices: Slices, runs: usize, slots: usize) -> bool {
    slices.lie_in_fours() && 2 * runs <= slots
}

pub(in crate::sparse) static FORM: Form = form!(
    "packed-sell",
    "spmv_rows",
    3,
    "sparse/packed/sell.wgsl",
    "sparse/packed/runs.wgsl",
    "sparse/spmv/rows.wgsl"
);

/// Four neighbouring rows an invocation, where the height of slices is a multiple of four.
pub(in crate::sparse) static BY_FOURS: Form = form!(
    four rows of FORM by 1,
    "packed-sell (four rows)",
    "spmv_fours",
    3,
    "sparse/packed/sell_fours.wgsl",
    "sparse/spmv/runs_side_by_side.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/side_by_side.wgsl",
    "sparse/spmv/fours.wgsl"
);

/// An invocation a row, and how many of its entries are on their way; on a CPU four rows.
pub(in crate::sparse) static TUNED: Tuned = Tuned {
    tunable: Tunable {
        name: "spmv_packed_sell",
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
        default: |adapter, precision, shape| match adapter.kind {
            AdapterKind::Software => TUNED.tunable.on_cpu[0].variant(&[256]),
            // Pairs take so long to add that in short rows two loads at a time, and more rows, hide them better than four.
            _ if precision.scalar.is_pair() && shape.depth < 48 => TUNED.tunable.families[0].variant(&[128, 2]),
            _ => TUNED.tunable.families[0].variant(&[256, 4]),
        },
        extents: |variant, _, shape| TUNED.extents(variant, shape),
        work: |precision, shape| work(precision, shape, shape.rows * shape.depth.div_ceil(run(shape))),
        trial: |device, precision, shape| trial::<PackedSellPattern>(device, precision, shape),
    },
    forms: &[&FORM, &BY_FOURS],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A descriptor all of whose bits are the column's is that of a run of one, but for the one that ends a row.
    #[test]
    fn rows_end_where_descriptors_have_no_bits_for_lengths() {
        // Unlike neighbours, none of which were sorted, so that each goes on alone.
        let lengths = [3, 0, 5, 1, 9, 2, 7, 0, 4, 8];
        let row_ptr = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let row_ptr = std::iter::once(0).chain(row_ptr).collect();
        let columns: Vec<u32> = lengths
            .into_iter()
            .flat_map(|length| (0..length).map(|k| 2 * k))
            .collect();
        let csr = CsrPattern::new(lengths.len(), 1 << 31, row_ptr, columns).expect("it is sound");
        let slices = Slices::new(16, 1).expect("there are such slices");
        let packed = PackedSellPattern::with_slices(&csr, slices).expect("it fits");
        assert_eq!(packed.packing().column_bits(), 32);
        // As much of x as has entries.
        let (values, x) = (vec![1.0_f32; packed.slots()], [1.0; 20]);
        let mut sums = vec![f32::NAN; lengths.len()];
        packed.products(0..lengths.len(), &values, &x, |row, sum| sums[row] = sum);
        assert_eq!(sums, lengths.map(|length| length as f32));
    }
}
