//! Triplets (row, column, value): the format that files hold, and from which the other formats are made.

use std::ops::Add;

use super::indices::narrow;
use crate::host_memory::{reserved, room};
use crate::{Error, Result};

/// A sparse matrix as triplets, in the order in which they were pushed.
///
/// The matrix is the sum of its entries: the element (i, j) is the sum of all entries at (i, j), and zero where there
/// is none. Entries may repeat and may be zero; both count in [`nnz`](Self::nnz) until
/// [`sum_duplicates`](Self::sum_duplicates) merges the repeated ones. Indices count from 0 and are kept in 32 bits,
/// because that is what kernels read: at most 2³² − 1 rows, columns and entries.
///
/// ```
/// use nonius::sparse::Coo;
///
/// let mut a = Coo::new(2, 3)?;
/// a.push(1, 2, 4.0)?;
/// a.push(0, 0, 1.0)?;
/// a.push(1, 2, 0.5)?;
/// a.sum_duplicates()?;
/// assert_eq!(a.iter().collect::<Vec<_>>(), [(0, 0, 1.0), (1, 2, 4.5)]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Coo<T> {
    rows: u32,
    cols: u32,
    row_indices: Vec<u32>,
    col_indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Clone> Coo<T> {
    /// The zero matrix with `rows` rows and `cols` columns. Allocates nothing.
    ///
    /// # Errors
    /// [`Error::Shape`] if an extent exceeds 2³² − 1.
    pub fn new(rows: usize, cols: usize) -> Result<Self> {
        match (u32::try_from(rows), u32::try_from(cols)) {
            (Ok(rows), Ok(cols)) => Ok(Self {
                rows,
                cols,
                row_indices: Vec::new(),
                col_indices: Vec::new(),
                values: Vec::new(),
            }),
            _ => Err(Error::Shape {
                operation: "Coo::new",
                expected: format!("at most {} rows and columns", u32::MAX),
                found: format!("{rows} x {cols}"),
            }),
        }
    }

    /// The matrix with these entries (row, column, value), kept in their order.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`push`](Self::push).
    ///
    /// ```
    /// use nonius::sparse::Coo;
    ///
    /// let identity = Coo::from_triplets(3, 3, (0..3).map(|i| (i, i, 1.0)))?;
    /// assert_eq!(identity.nnz(), 3);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn from_triplets(
        rows: usize,
        cols: usize,
        triplets: impl IntoIterator<Item = (usize, usize, T)>,
    ) -> Result<Self> {
        let mut coo = Self::new(rows, cols)?;
        for (row, col, value) in triplets {
            coo.push(row, col, value)?;
        }
        Ok(coo)
    }

    /// Adds `value` to the element (`row`, `col`) by appending an entry. Amortised constant time.
    ///
    /// # Errors
    /// [`Error::Shape`] if the position lies outside the matrix, or if 2³² − 1 entries are stored already;
    /// [`Error::OutOfMemory`] if the host cannot hold twice as many as there are.
    pub fn push(&mut self, row: usize, col: usize, value: T) -> Result<()> {
        let error = |expected, found| {
            Err(Error::Shape {
                operation: "Coo::push",
                expected,
                found,
            })
        };
        if self.nnz() >= u32::MAX as usize {
            return error(format!("at most {} entries", u32::MAX), "one more".to_owned());
        }
        match (u32::try_from(row), u32::try_from(col)) {
            (Ok(row), Ok(col)) if row < self.rows && col < self.cols => {
                self.reserve(1)?;
                self.row_indices.push(row);
                self.col_indices.push(col);
                self.values.push(value);
                Ok(())
            }
            _ => error(
                format!("a position within {} x {}", self.rows, self.cols),
                format!("({row}, {col}), counted from 0"),
            ),
        }
    }

    /// Makes room for `additional` entries, so that pushing them does not reallocate. There may be room for more.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the host cannot hold them.
    ///
    /// ```
    /// use nonius::sparse::Coo;
    ///
    /// let mut a = Coo::<f64>::new(1000, 1000)?;
    /// a.reserve(5000)?;
    /// assert!(a.reserve(usize::MAX).is_err());
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn reserve(&mut self, additional: usize) -> Result<()> {
        room(&mut self.row_indices, additional, "the rows of triplets")?;
        room(&mut self.col_indices, additional, "the columns of triplets")?;
        room(&mut self.values, additional, "the values of triplets")
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols as usize
    }

    /// The number of entries, repeated and zero ones included.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// The entries' rows, counted from 0.
    pub fn row_indices(&self) -> &[u32] {
        &self.row_indices
    }

    /// The entries' columns, counted from 0.
    pub fn col_indices(&self) -> &[u32] {
        &self.col_indices
    }

    /// The entries' values.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The entries (row, column, value) in the order in which they were pushed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize, T)> + Clone + '_ {
        (0..self.nnz()).map(|k| self.entry(k))
    }

    /// The entries by row, then by column; entries at one position in the order in which they were pushed.
    /// O(nnz log nnz) time, and four bytes an entry while the iterator lives.
    pub fn sorted(&self) -> impl ExactSizeIterator<Item = (usize, usize, T)> + Clone + '_ {
        self.in_order((0..narrow(self.nnz())).collect())
            .into_iter()
            .map(|k| self.entry(k as usize))
    }

    /// The same matrix with every value converted.
    ///
    /// ```
    /// use nonius::sparse::Coo;
    ///
    /// let halves = Coo::from_triplets(1, 1, [(0, 0, 0.5_f64)])?;
    /// let narrow: Coo<f32> = halves.map(|x| x as f32);
    /// assert_eq!(narrow.values(), [0.5_f32]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Coo<U> {
        Coo {
            rows: self.rows,
            cols: self.cols,
            row_indices: self.row_indices,
            col_indices: self.col_indices,
            values: self.values.into_iter().map(convert).collect(),
        }
    }

    /// Merges the entries at one position into their sum, added up in the order in which they were pushed, and sorts by
    /// row, then by column. Sums that are zero stay stored. O(nnz log nnz).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the host cannot hold the entries twice; then nothing has changed.
    pub fn sum_duplicates(&mut self) -> Result<()>
    where
        T: Add<Output = T>,
    {
        let mut merged = Self {
            rows: self.rows,
            cols: self.cols,
            row_indices: Vec::new(),
            col_indices: Vec::new(),
            values: Vec::new(),
        };
        merged.reserve(self.nnz())?;
        let mut order = reserved(self.nnz(), "the order of triplets")?;
        order.extend(0..narrow(self.nnz()));
        for k in self.in_order(order) {
            let k = k as usize;
            let (row, col, value) = (self.row_indices[k], self.col_indices[k], self.values[k].clone());
            match merged.values.last_mut() {
                Some(sum) if merged.row_indices.last() == Some(&row) && merged.col_indices.last() == Some(&col) => {
                    *sum = sum.clone() + value;
                }
                _ => {
                    merged.row_indices.push(row);
                    merged.col_indices.push(col);
                    merged.values.push(value);
                }
            }
        }
        *self = merged;
        Ok(())
    }

    /// The entries' numbers by row, then by column; those of repeated entries as they were pushed, by the numbers themselves
    /// and not by a stable sort, which would take memory without asking.
    fn in_order(&self, mut numbers: Vec<u32>) -> Vec<u32> {
        numbers.sort_unstable_by_key(|&k| (self.row_indices[k as usize], self.col_indices[k as usize], k));
        numbers
    }

    fn entry(&self, k: usize) -> (usize, usize, T) {
        (
            self.row_indices[k] as usize,
            self.col_indices[k] as usize,
            self.values[k].clone(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_outside_are_refused_with_the_extents() {
        let mut a = Coo::new(2, 3).expect("small");
        for (row, col) in [(2, 0), (0, 3), (usize::MAX, 0), (0, usize::MAX)] {
            let message = a.push(row, col, 1.0).expect_err("outside").to_string();
            assert!(message.contains("within 2 x 3"), "{message}");
        }
        assert_eq!(a.nnz(), 0);
        assert!(Coo::<f64>::new(0, 0).is_ok_and(|mut a| a.push(0, 0, 1.0).is_err()));
    }

    #[test]
    fn room_that_no_memory_has_is_refused() {
        let mut a = Coo::from_triplets(2, 2, [(0, 1, 1.0)]).expect("small");
        for additional in [usize::MAX, usize::MAX / 64] {
            let error = a.reserve(additional).expect_err("too much");
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        }
        assert_eq!(a.reserve(100), Ok(()));
        assert_eq!(a.iter().collect::<Vec<_>>(), [(0, 1, 1.0)]);
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn extents_beyond_32_bits_are_refused() {
        assert!(Coo::<f64>::new(u32::MAX as usize, u32::MAX as usize).is_ok());
        assert!(Coo::<f64>::new(u32::MAX as usize + 1, 1).is_err());
        assert!(Coo::<f64>::new(1, u32::MAX as usize + 1).is_err());
    }

    #[test]
    fn duplicates_are_summed_in_insertion_order() {
        // (1e16 + 1) − 1e16 is 0 in f64, (1e16 − 1e16) + 1 is 1: the order shows.
        let at_origin = |values: [f64; 3]| {
            let mut a = Coo::from_triplets(1, 1, values.map(|x| (0, 0, x))).expect("in bounds");
            a.sum_duplicates().expect("there is room");
            a.values().to_vec()
        };
        assert_eq!(at_origin([1e16, 1.0, -1e16]), [0.0]);
        assert_eq!(at_origin([1e16, -1e16, 1.0]), [1.0]);
    }

    #[test]
    fn sorted_goes_by_row_then_column_and_is_stable() {
        let a = Coo::from_triplets(2, 2, [(1, 0, 1), (0, 1, 2), (1, 0, 3), (0, 0, 4), (1, 1, 5)]).expect("in bounds");
        let sorted: Vec<_> = a.sorted().collect();
        assert_eq!(sorted, [(0, 0, 4), (0, 1, 2), (1, 0, 1), (1, 0, 3), (1, 1, 5)]);
        assert_eq!(a.iter().next(), Some((1, 0, 1)));
    }

    #[test]
    fn zero_sums_stay_stored() {
        let mut a = Coo::from_triplets(1, 2, [(0, 1, 2.0), (0, 1, -2.0), (0, 0, 0.0)]).expect("in bounds");
        a.sum_duplicates().expect("there is room");
        assert_eq!(a.iter().collect::<Vec<_>>(), [(0, 0, 0.0), (0, 1, 0.0)]);
    }
}
