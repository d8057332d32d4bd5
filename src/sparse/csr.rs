//! Compressed sparse rows: the format that every other is made from.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::bands;
use super::coo::Coo;
use super::csr_pattern::CsrPattern;
use super::format::Format;
use super::indices::{bytes_of, narrow};
use super::matrix::layout::Layout;
use super::matrix::{Pattern, SparseMatrix, check_values};
use super::slices::Slices;
use super::spmv::form::{Form, ORDERED, form};
use super::spmv::kernels::{CHUNKS, Numbers, OnDevice, Share, joined};
use super::spmv::schedule::{BLOCK_ROWS, Blocks, LANES_FROM, Schedule, Target, lane_loads, lanes, tile};
use super::spmv::trials::{ROW_REGIMES, UNROLL, WORKGROUPS, range, trial, work};
use super::spmv::tuned::Tuned;
use crate::device::AdapterKind;
use crate::host_memory::{filled, reserved, room};
use crate::scalar::Scalar;
use crate::tuning::{Family, Tunable};
use crate::{Error, Result};

/// A sparse matrix by rows: values, their columns, and where each row begins.
///
/// Bytes with values of v: v·nnz + 4·nnz + 4(rows + 1) (Kawamura et al. 2020, eq. 1, for v = 8).
///
/// ```
/// use nonius::sparse::{Coo, Csr};
///
/// let triplets = Coo::from_triplets(2, 2, [(1, 1, 3.0), (0, 0, 1.0), (1, 1, 0.5), (1, 0, 0.0)])?;
/// let a = Csr::from_coo(&triplets)?;
/// assert_eq!((a.pattern().row_ptr(), a.pattern().columns()), (&[0, 1, 3][..], &[0, 0, 1][..]));
/// assert_eq!(a.values(), [1.0, 0.0, 3.5]);
/// assert_eq!(a.bytes(), 3 * 12 + 3 * 4);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type Csr<T> = SparseMatrix<CsrPattern, T>;

impl Pattern for CsrPattern {
    const FORMAT: Format = Format::Csr;

    fn rows(&self) -> usize {
        self.rows()
    }

    fn cols(&self) -> usize {
        self.cols()
    }

    fn nnz(&self) -> usize {
        self.nnz()
    }

    fn slots(&self) -> usize {
        self.nnz()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[self.row_ptr(), self.columns()])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let (row_ptr, columns) = (csr.row_ptr(), csr.columns());
        let mut copies = (
            reserved(row_ptr.len(), "the row pointers of CSR")?,
            reserved(columns.len(), "the columns of CSR")?,
        );
        copies.0.extend_from_slice(row_ptr);
        copies.1.extend_from_slice(columns);
        Ok(Self::trusted(csr.cols(), copies.0, copies.1))
    }
}

impl Layout for CsrPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) -> Result<()> {
        for row in rows {
            for slot in self.row_ptr()[row] as usize..self.row_ptr()[row + 1] as usize {
                visit(row, self.columns()[slot], slot);
            }
        }
        Ok(())
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let ends = self.row_ptr()[rows.start..=rows.end].windows(2);
        for (row, ends) in rows.zip(ends) {
            let span = ends[0] as usize..ends[1] as usize;
            let entries = self.columns()[span.clone()].iter().zip(&values[span]);
            let sum = entries.fold(T::zero(), |sum, (column, value)| {
                value.mul_add(x[*column as usize], sum)
            });
            put(row, sum);
        }
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        let columns = ("the columns of CSR", Cow::Borrowed(self.columns()));
        let pointers = "the row pointers of CSR";
        let on_device = |form, places, constants, share| OnDevice {
            form,
            arrays: vec![columns, (pointers, places)],
            numbers: Numbers::default(),
            constants,
            rows: self.rows(),
            share,
            tunable: None,
        };
        let row_ptr = Cow::Borrowed(self.row_ptr());
        let order_on_cpu = |most| Slices::order_on_cpu(self.rows(), |row| self.length(row), most);
        let on_cpu = schedule == Schedule::Auto && target.kind == AdapterKind::Software;
        let mut on_device = match schedule.choose(self.row_ptr(), target.kind)? {
            Schedule::PerRow if on_cpu => {
                let order = order_on_cpu(usize::MAX);
                let constants = vec![(ORDERED.name, u32::from(!order.is_empty()))];
                on_device(&PER_ROW, joined(self.row_ptr(), &order)?, constants, Share::PerRow)
            }
            Schedule::Streamed if on_cpu => {
                let tile = tile(target.scalar);
                let places = joined(self.row_ptr(), &order_on_cpu(tile))?;
                let constants = vec![("TILE", narrow(tile)), (ORDERED.name, 1)];
                let share = Share::Apart(Blocks::of(self.row_ptr(), tile), &CHUNKS);
                on_device(&BY_QUADS, places, constants, share)
            }
            Schedule::PerRow => on_device(&PER_ROW, row_ptr, Vec::new(), Share::PerRow),
            Schedule::Lanes(lanes) => on_device(
                &LANES,
                row_ptr,
                vec![("LANES", lanes), ("UNROLL", lane_loads(target.scalar))],
                Share::Lanes(lanes),
            ),
            Schedule::Auto | Schedule::Streamed => {
                let tile = tile(target.scalar);
                let blocks = Blocks::of(self.row_ptr(), tile);
                let places = joined(self.row_ptr(), &blocks.first)?;
                let constants = vec![("TILE", narrow(tile)), ("WORKGROUP", BLOCK_ROWS)];
                on_device(&STREAMED, places, constants, Share::Blocks(blocks, &CHUNKS))
            }
        };
        if schedule == Schedule::Auto && matches!(on_device.share, Share::PerRow | Share::Lanes(_)) {
            on_device.tunable = Some(&TUNED);
        }
        Ok(on_device)
    }
}

pub(super) static PER_ROW: Form = form!(
    "csr",
    "spmv_rows",
    3,
    "sparse/csr.wgsl",
    "sparse/csr_entries.wgsl",
    "sparse/spmv/rows.wgsl"
);
/// One invocation a row, by aligned quads of entries; of rows in an order of their own, which lies behind the row pointers.
pub(super) static BY_QUADS: Form = form!(
    by packs,
    "csr (quads)",
    "spmv_sorted",
    3,
    "sparse/csr_quads.wgsl",
    "sparse/spmv/x_at.wgsl",
    "sparse/spmv/sorted.wgsl"
);
pub(super) static LANES: Form = form!(
    adds lanes,
    "csr (lanes)",
    "spmv_lanes",
    3,
    "sparse/csr.wgsl",
    "sparse/csr_entries.wgsl",
    "sparse/spmv/lanes.wgsl"
);
pub(super) static STREAMED: Form = form!(
    "csr (streamed)",
    "spmv_streamed",
    3,
    "sparse/csr_streamed.wgsl",
    "sparse/spmv/block_sums.wgsl"
);

/// CSR with even rows: an invocation a row, or lanes; on a CPU an invocation a row by quads of entries.
pub(in crate::sparse) static TUNED: Tuned = Tuned {
    tunable: Tunable {
        name: "spmv_csr",
        families: &[
            Family {
                kernel: &PER_ROW.product,
                ranges: &[WORKGROUPS, UNROLL],
                fits: |_, _, _| true,
            },
            Family {
                kernel: &LANES.product,
                ranges: &[
                    range("WORKGROUP", &[128, 256]),
                    range("LANES", &[2, 4, 8, 16, 32, 64, 128, 256]),
                    range("UNROLL", &[2, 4, 8, 16]),
                ],
                fits: |values, _, _| matches!(*values, [workgroup, lanes, _] if lanes <= workgroup),
            },
        ],
        on_cpu: &[Family {
            kernel: &BY_QUADS.product,
            ranges: &[WORKGROUPS],
            fits: |_, _, _| true,
        }],
        regimes: &ROW_REGIMES,
        default: |adapter, precision, shape| match shape.depth {
            _ if adapter.kind == AdapterKind::Software => TUNED.tunable.on_cpu[0].variant(&[256]),
            ..LANES_FROM => TUNED.tunable.families[0].variant(&[256, 4]),
            average => TUNED.tunable.families[1].variant(&[256, lanes(average), lane_loads(precision.scalar)]),
        },
        extents: |variant, _, shape| TUNED.extents(variant, shape),
        work: |precision, shape| work(precision, shape, shape.rows * shape.depth),
        trial: |device, precision, shape| trial::<CsrPattern>(device, precision, shape),
    },
    forms: &[&PER_ROW, &LANES, &BY_QUADS],
};

impl<T: Scalar> Csr<T> {
    /// The matrix with this pattern and these values.
    ///
    /// # Errors
    /// As [`CsrPattern::new`], and [`Error::Shape`] if there are not as many values as columns.
    pub fn new(rows: usize, cols: usize, row_ptr: Vec<u32>, columns: Vec<u32>, values: Vec<T>) -> Result<Self> {
        let pattern = CsrPattern::new(rows, cols, row_ptr, columns)?;
        check_values("Csr::new", pattern.nnz(), values.len())?;
        Ok(Self {
            pattern: Arc::new(pattern),
            values,
        })
    }

    /// The matrix whose row i is what `row(i, entries)` appends to `entries`: columns strictly ascending.
    ///
    /// # Errors
    /// As [`CsrPattern::new`]; [`Error::OutOfMemory`] if the host cannot hold it.
    ///
    /// ```
    /// use nonius::sparse::Csr;
    ///
    /// let shift = Csr::from_rows(3, 3, |i, entries| entries.extend((i > 0).then(|| (i - 1, 1.0_f32))))?;
    /// assert_eq!(shift.pattern().columns(), [0, 1]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn from_rows(rows: usize, cols: usize, mut row: impl FnMut(usize, &mut Vec<(usize, T)>)) -> Result<Self> {
        Self::try_from_rows(rows, cols, |i, entries| {
            row(i, entries);
            Ok(())
        })
    }

    /// As [`from_rows`](Self::from_rows), of a `row` that may fail: for want of room for a long one.
    pub(super) fn try_from_rows(
        rows: usize,
        cols: usize,
        mut row: impl FnMut(usize, &mut Vec<(usize, T)>) -> Result<()>,
    ) -> Result<Self> {
        let too_many = |what: usize| Error::Shape {
            operation: "Csr::from_rows",
            expected: format!("at most {} rows, columns and entries", u32::MAX),
            found: format!("{what}"),
        };
        u32::try_from(rows).map_err(|_| too_many(rows))?;
        let mut row_ptr = filled(rows.saturating_add(1), 0, "the row pointers")?;
        let (mut columns, mut values, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..rows {
            entries.clear();
            row(i, &mut entries)?;
            room(&mut columns, entries.len(), "the columns")?;
            room(&mut values, entries.len(), "the values")?;
            for (column, value) in &entries {
                columns.push(u32::try_from(*column).map_err(|_| too_many(*column))?);
                values.push(*value);
            }
            row_ptr[i + 1] = u32::try_from(columns.len()).map_err(|_| too_many(columns.len()))?;
        }
        Self::new(rows, cols, row_ptr, columns, values)
    }

    /// The matrix that the triplets sum up to: entries at one position are added in the order in which they were pushed,
    /// zeros stay stored. O(nnz log(longest row)), on all cores where that pays.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the host cannot hold rows + 1 offsets, as many lengths, and the entries three times.
    pub fn from_coo(coo: &Coo<T>) -> Result<Self> {
        // A counting sort by row keeps the order of pushing; then each row is sorted by column.
        let mut row_ptr = filled(coo.rows().saturating_add(1), 0_u32, "the row pointers")?;
        for row in coo.row_indices() {
            row_ptr[*row as usize + 1] += 1;
        }
        for row in 0..coo.rows() {
            row_ptr[row + 1] += row_ptr[row];
        }
        let mut entries = filled(coo.nnz(), (0_u32, T::zero()), "the entries")?;
        for ((row, column), value) in coo.row_indices().iter().zip(coo.col_indices()).zip(coo.values()) {
            let next = &mut row_ptr[*row as usize];
            entries[*next as usize] = (*column, *value);
            *next += 1;
        }
        // Where a row began, it ends now.
        let begin = |row: usize| row.checked_sub(1).map_or(0, |before| row_ptr[before] as usize);
        let parts = bands::map(coo.rows(), 1, coo.nnz(), |rows| {
            let mut lengths = reserved(rows.len(), "the lengths of rows")?;
            let stored = begin(rows.end) - begin(rows.start);
            let mut columns = reserved(stored, "the columns")?;
            let mut values: Vec<T> = reserved(stored, "the values")?;
            // Column and place, so that nothing need be stable: that would take memory without asking.
            let mut sorted: Vec<(u32, u32)> = Vec::new();
            for row in rows {
                let row = &entries[begin(row)..row_ptr[row] as usize];
                sorted.clear();
                room(&mut sorted, row.len(), "the order of a row")?;
                sorted.extend(row.iter().zip(0..).map(|((column, _), place)| (*column, place)));
                sorted.sort_unstable();
                let value = |entry: &(u32, u32)| row[entry.1 as usize].1;
                let before = columns.len();
                for same in sorted.chunk_by(|left, right| left.0 == right.0) {
                    columns.push(same[0].0);
                    values.push(same[1..].iter().fold(value(&same[0]), |sum, entry| sum + value(entry)));
                }
                lengths.push(narrow(columns.len() - before));
            }
            Ok((lengths, columns, values))
        });
        let mut columns = reserved(coo.nnz(), "the columns")?;
        let mut values = reserved(coo.nnz(), "the values")?;
        let mut ends = row_ptr[1..].iter_mut();
        let mut end = 0;
        for part in parts {
            let (lengths, part_columns, part_values) = part?;
            // In this order, or a part would take an end of the next.
            lengths.into_iter().zip(ends.by_ref()).for_each(|(length, row_end)| {
                end += length;
                *row_end = end;
            });
            columns.extend(part_columns);
            values.extend(part_values);
        }
        row_ptr[0] = 0;
        let pattern = CsrPattern::trusted(coo.cols(), row_ptr, columns);
        Ok(Self {
            pattern: Arc::new(pattern),
            values,
        })
    }

    /// The matrix as triplets, row by row.
    ///
    /// # Errors
    /// As [`Coo::from_triplets`].
    pub fn to_coo(&self) -> Result<Coo<T>> {
        Coo::from_triplets(self.rows(), self.cols(), self.iter())
    }

    /// The entries (row, column, value), row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, T)> + '_ {
        (0..self.rows()).flat_map(|row| self.row(row).map(move |(column, value)| (row, column, value)))
    }

    /// The entries (column, value) of one row, columns ascending. Empty for a row that does not exist.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, T)> + '_ {
        let span = self.pattern.span(row).unwrap_or(0..0);
        let columns = &self.pattern.columns()[span.clone()];
        columns
            .iter()
            .zip(&self.values[span])
            .map(|(column, value)| (*column as usize, *value))
    }

    /// Aᵀ. O(rows + cols + nnz).
    ///
    /// # Errors
    /// As [`CsrPattern::transpose`].
    ///
    /// ```
    /// use nonius::sparse::Csr;
    ///
    /// let a = Csr::new(1, 3, vec![0, 2], vec![0, 2], vec![1.0, 2.0])?;
    /// assert_eq!(a.transpose()?, Csr::new(3, 1, vec![0, 1, 1, 2], vec![0, 0], vec![1.0, 2.0])?);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn transpose(&self) -> Result<Self> {
        let (pattern, places) = self.pattern.transpose()?;
        let mut values = reserved(places.len(), "the values of a transpose")?;
        values.extend(places.iter().map(|place| self.values[*place as usize]));
        Ok(Self {
            pattern: Arc::new(pattern),
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::precision::{Precision, Width};
    use crate::sparse::spmv::tuned::lanes_in;
    use crate::tuning::Shape;

    #[test]
    fn untuned_choices_are_those_of_the_schedule() {
        let precision = Precision::of::<f64>(Width::Single);
        let device = Device::host();
        let choice = &TUNED.tunable;
        for depth in [0, 1, 8, 9, 27, 81, 5000] {
            let row_ptr: Vec<u32> = (0..=100).map(|row| narrow(row * depth)).collect();
            let default = (choice.default)(device.adapter(), precision, Shape::new(100, 1, depth));
            match Schedule::Auto.choose(&row_ptr, device.adapter().kind) {
                Ok(Schedule::PerRow) => assert!(std::ptr::eq(TUNED.form(&default), &PER_ROW)),
                Ok(Schedule::Lanes(lanes)) => assert_eq!(lanes_in(&default.constants), lanes, "{depth}"),
                other => panic!("even rows of {depth} are not {other:?}"),
            }
            assert!(choice.admits(&default, device.adapter(), precision), "{default}");
            let mut on_cpu = device.adapter().clone();
            on_cpu.kind = AdapterKind::Software;
            let default = (choice.default)(&on_cpu, precision, Shape::new(100, 1, depth));
            assert_eq!(Schedule::Auto.choose(&row_ptr, on_cpu.kind), Ok(Schedule::PerRow));
            assert!(std::ptr::eq(TUNED.form(&default), &BY_QUADS), "{depth}");
            assert!(choice.admits(&default, &on_cpu, precision), "{default}");
        }
    }
}
