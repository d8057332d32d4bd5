//! Compressed sparse rows: the format that every other is made from, and where patterns are checked.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::bands;
use super::coo::Coo;
use super::format::Format;
use super::matrix::layout::Layout;
use super::matrix::{Pattern, SparseMatrix, bytes_of, check_values, narrow};
use super::sell::Slices;
use super::spmv::form::{Form, ORDERED, form};
use super::spmv::kernels::{CHUNKS, Numbers, OnDevice, Share, joined};
use super::spmv::schedule::{BLOCK_ROWS, Blocks, Schedule, Target, lane_loads, tile};
use super::spmv::variants;
use crate::device::AdapterKind;
use crate::host_memory::filled;
use crate::scalar::Scalar;
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

/// Where the entries of a [`Csr`] are. A value of this type is sound: see [`new`](Self::new).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrPattern {
    cols: usize,
    row_ptr: Vec<u32>,
    columns: Vec<u32>,
}

impl CsrPattern {
    /// The pattern with `rows` rows, row i holding the columns `columns[row_ptr[i]..row_ptr[i + 1]]`. O(rows + nnz).
    ///
    /// # Errors
    /// [`Error::Shape`] unless rows, columns and entries are at most 2³² − 1; `row_ptr` has rows + 1 offsets that begin
    /// with 0, never fall and end with the number of entries; and the columns of each row are strictly ascending and
    /// within the matrix. (Unsorted or repeated entries: [`Coo`], then [`Csr::from_coo`].)
    ///
    /// ```
    /// use nonius::sparse::CsrPattern;
    ///
    /// assert!(CsrPattern::new(2, 3, vec![0, 2, 3], vec![0, 2, 1]).is_ok());
    /// let error = CsrPattern::new(2, 3, vec![0, 2, 3], vec![0, 3, 1]).unwrap_err();
    /// assert!(error.to_string().ends_with("expected columns below 3, found column 3 in row 0"));
    /// ```
    pub fn new(rows: usize, cols: usize, row_ptr: Vec<u32>, columns: Vec<u32>) -> Result<Self> {
        let error = |expected: String, found: String| {
            Err(Error::Shape {
                operation: "CsrPattern::new",
                expected,
                found,
            })
        };
        let most = u32::MAX as usize;
        if rows > most || cols > most || columns.len() > most {
            let found = format!("{rows} x {cols} with {}", columns.len());
            return error(format!("at most {most} rows, columns and entries"), found);
        }
        if row_ptr.len() != rows + 1 {
            return error(format!("{} row pointers", rows + 1), format!("{}", row_ptr.len()));
        }
        let (first, last) = (row_ptr[0], row_ptr[rows]);
        if first != 0 || last as usize != columns.len() {
            let expected = format!("row pointers from 0 to {}", columns.len());
            return error(expected, format!("{first} to {last}"));
        }
        // All of them before any row is looked at: only then do the ends of every row lie within the columns.
        if let Some(row) = row_ptr.windows(2).position(|ends| ends[0] > ends[1]) {
            let found = format!("{} before {} at row {row}", row_ptr[row], row_ptr[row + 1]);
            return error("row pointers that do not fall".to_owned(), found);
        }
        for (row, ends) in row_ptr.windows(2).enumerate() {
            let columns = &columns[ends[0] as usize..ends[1] as usize];
            if let Some(column) = columns.iter().find(|column| **column as usize >= cols) {
                let found = format!("column {column} in row {row}");
                return error(format!("columns below {cols}"), found);
            }
            if let Some(at) = columns.windows(2).position(|pair| pair[0] >= pair[1]) {
                let found = format!("{} before {} in row {row}", columns[at], columns[at + 1]);
                return error("strictly ascending columns in each row".to_owned(), found);
            }
        }
        Ok(Self { cols, row_ptr, columns })
    }

    /// From arrays that follow from a sound pattern.
    pub(super) fn trusted(cols: usize, row_ptr: Vec<u32>, columns: Vec<u32>) -> Self {
        debug_assert!(Self::new(row_ptr.len() - 1, cols, row_ptr.clone(), columns.clone()).is_ok());
        Self { cols, row_ptr, columns }
    }

    /// Where each row begins in [`columns`](Self::columns), and where the last one ends.
    #[must_use]
    pub fn row_ptr(&self) -> &[u32] {
        &self.row_ptr
    }

    /// The columns, row by row.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The columns of one row, ascending. Empty for a row that does not exist.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u32] {
        self.span(row).map_or(&[], |span| &self.columns[span])
    }

    pub(super) fn span(&self, row: usize) -> Option<Range<usize>> {
        let ends = self.row_ptr.get(row..)?.get(..2)?;
        Some(ends[0] as usize..ends[1] as usize)
    }

    pub(super) fn length(&self, row: usize) -> usize {
        (self.row_ptr[row + 1] - self.row_ptr[row]) as usize
    }

    /// The entries of the longest row.
    pub(super) fn longest(&self) -> usize {
        (0..self.rows()).map(|row| self.length(row)).max().unwrap_or(0)
    }

    /// [`Slices::order_on_cpu`].
    pub(super) fn order_on_cpu(&self, most: usize) -> Vec<u32> {
        Slices::order_on_cpu(self.rows(), |row| self.length(row), most)
    }

    /// The pattern of the transpose, and for each of its entries which entry of this pattern it is. O(rows + cols + nnz):
    /// a counting sort, which keeps the rows in their order.
    #[must_use]
    pub fn transpose(&self) -> (Self, Vec<u32>) {
        let mut next = vec![0_u32; self.cols + 1];
        for column in &self.columns {
            next[*column as usize + 1] += 1;
        }
        for column in 0..self.cols {
            next[column + 1] += next[column];
        }
        let row_ptr = next.clone();
        let (mut rows, mut places) = (vec![0; self.columns.len()], vec![0; self.columns.len()]);
        self.walk(0..self.rows(), |row, column, place| {
            let next = &mut next[column as usize];
            rows[*next as usize] = narrow(row);
            places[*next as usize] = narrow(place);
            *next += 1;
        });
        (Self::trusted(self.rows(), row_ptr, rows), places)
    }
}

impl Pattern for CsrPattern {
    const FORMAT: Format = Format::Csr;

    fn rows(&self) -> usize {
        self.row_ptr.len() - 1
    }

    fn cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        self.columns.len()
    }

    fn slots(&self) -> usize {
        self.columns.len()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.row_ptr, &self.columns])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        Ok(csr.clone())
    }
}

impl Layout for CsrPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) {
        for row in rows {
            for slot in self.row_ptr[row] as usize..self.row_ptr[row + 1] as usize {
                visit(row, self.columns[slot], slot);
            }
        }
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        let ends = self.row_ptr[rows.start..=rows.end].windows(2);
        for (row, ends) in rows.zip(ends) {
            let span = ends[0] as usize..ends[1] as usize;
            let entries = self.columns[span.clone()].iter().zip(&values[span]);
            let sum = entries.fold(T::zero(), |sum, (column, value)| {
                value.mul_add(x[*column as usize], sum)
            });
            put(row, sum);
        }
    }

    fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>> {
        let columns = ("the columns of CSR", Cow::Borrowed(&self.columns[..]));
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
        let row_ptr = Cow::Borrowed(&self.row_ptr[..]);
        let on_cpu = schedule == Schedule::Auto && target.kind == AdapterKind::Software;
        let mut on_device = match schedule.choose(&self.row_ptr, target.kind)? {
            Schedule::PerRow if on_cpu => {
                let order = self.order_on_cpu(usize::MAX);
                let constants = vec![(ORDERED.name, u32::from(!order.is_empty()))];
                on_device(&PER_ROW, joined(&self.row_ptr, &order), constants, Share::PerRow)
            }
            Schedule::Streamed if on_cpu => {
                let tile = tile(target.scalar);
                let places = joined(&self.row_ptr, &self.order_on_cpu(tile));
                let constants = vec![("TILE", narrow(tile)), (ORDERED.name, 1)];
                let share = Share::Apart(Blocks::of(&self.row_ptr, tile), &CHUNKS);
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
                let blocks = Blocks::of(&self.row_ptr, tile);
                let places = joined(&self.row_ptr, &blocks.first);
                let constants = vec![("TILE", narrow(tile)), ("WORKGROUP", BLOCK_ROWS)];
                on_device(&STREAMED, places, constants, Share::Blocks(blocks, &CHUNKS))
            }
        };
        if schedule == Schedule::Auto && matches!(on_device.share, Share::PerRow | Share::Lanes(_)) {
            on_device.tunable = Some(&variants::CSR);
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
    /// As [`CsrPattern::new`].
    ///
    /// ```
    /// use nonius::sparse::Csr;
    ///
    /// let shift = Csr::from_rows(3, 3, |i, entries| entries.extend((i > 0).then(|| (i - 1, 1.0_f32))))?;
    /// assert_eq!(shift.pattern().columns(), [0, 1]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn from_rows(rows: usize, cols: usize, mut row: impl FnMut(usize, &mut Vec<(usize, T)>)) -> Result<Self> {
        let too_many = |what: usize| Error::Shape {
            operation: "Csr::from_rows",
            expected: format!("at most {} rows, columns and entries", u32::MAX),
            found: format!("{what}"),
        };
        u32::try_from(rows).map_err(|_| too_many(rows))?;
        let mut row_ptr = filled(rows + 1, 0, "the row pointers")?;
        let (mut columns, mut values, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..rows {
            entries.clear();
            row(i, &mut entries);
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
    /// [`Error::OutOfMemory`] if the host cannot hold rows + 1 offsets.
    pub fn from_coo(coo: &Coo<T>) -> Result<Self> {
        // A counting sort by row keeps the order of pushing; then each row is sorted stably by column.
        let mut ends = filled(coo.rows() + 1, 0_u32, "the row pointers")?;
        for row in coo.row_indices() {
            ends[*row as usize + 1] += 1;
        }
        for row in 0..coo.rows() {
            ends[row + 1] += ends[row];
        }
        let mut next = ends.clone();
        let mut entries = filled(coo.nnz(), (0_u32, T::zero()), "the entries")?;
        for ((row, column), value) in coo.row_indices().iter().zip(coo.col_indices()).zip(coo.values()) {
            let next = &mut next[*row as usize];
            entries[*next as usize] = (*column, *value);
            *next += 1;
        }
        let parts = bands::map(coo.rows(), 1, coo.nnz(), |rows| {
            let (mut lengths, mut columns, mut values) = (Vec::with_capacity(rows.len()), Vec::new(), Vec::<T>::new());
            for row in rows {
                let mut row = entries[ends[row] as usize..ends[row + 1] as usize].to_vec();
                row.sort_by_key(|(column, _)| *column);
                let merged = row.chunk_by(|left, right| left.0 == right.0);
                let before = columns.len();
                for same in merged {
                    columns.push(same[0].0);
                    let sum = same[1..].iter().fold(same[0].1, |sum, (_, value)| sum + *value);
                    values.push(sum);
                }
                lengths.push(narrow(columns.len() - before));
            }
            (lengths, columns, values)
        });
        let mut row_ptr = vec![0];
        let (mut columns, mut values) = (Vec::with_capacity(coo.nnz()), Vec::with_capacity(coo.nnz()));
        let mut end = 0;
        for (lengths, part_columns, part_values) in parts {
            row_ptr.extend(lengths.iter().map(|length| {
                end += length;
                end
            }));
            columns.extend(part_columns);
            values.extend(part_values);
        }
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
        let columns = &self.pattern.columns[span.clone()];
        columns
            .iter()
            .zip(&self.values[span])
            .map(|(column, value)| (*column as usize, *value))
    }

    /// Aᵀ. O(rows + cols + nnz).
    #[must_use]
    pub fn transpose(&self) -> Self {
        let (pattern, places) = self.pattern.transpose();
        Self {
            pattern: Arc::new(pattern),
            values: places.iter().map(|place| self.values[*place as usize]).collect(),
        }
    }
}
