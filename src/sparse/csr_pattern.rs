//! Where the entries of CSR are: the pattern that every other is made from, and where patterns are checked.

use std::ops::Range;

use super::indices::narrow;
use crate::host_memory::{filled, reserved};
use crate::{Error, Result};

/// Where the entries of a [`Csr`](super::Csr) are. A value of this type is sound: see [`new`](Self::new).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrPattern {
    cols: usize,
    row_ptr: Vec<u32>,
    columns: Vec<u32>,
}

/// What errors call the lines of a pattern, and what they lie across.
struct Words {
    operation: &'static str,
    by_columns: bool,
    line: &'static str,
    across: &'static str,
}

const BY_ROWS: Words = Words {
    operation: "CsrPattern::new",
    by_columns: false,
    line: "row",
    across: "column",
};
const BY_COLUMNS: Words = Words {
    operation: "Csc::new",
    by_columns: true,
    line: "column",
    across: "row",
};

impl CsrPattern {
    /// The pattern with `rows` rows, row i holding the columns `columns[row_ptr[i]..row_ptr[i + 1]]`. O(rows + nnz).
    ///
    /// # Errors
    /// [`Error::Shape`] unless rows, columns and entries are at most 2³² − 1; `row_ptr` has rows + 1 offsets that begin
    /// with 0, never fall and end with the number of entries; and the columns of each row are strictly ascending and
    /// within the matrix. (Unsorted or repeated entries:
    /// [`Coo`](super::Coo), then [`Csr::from_coo`](super::Csr::from_coo).)
    ///
    /// ```
    /// use nonius::sparse::CsrPattern;
    ///
    /// assert!(CsrPattern::new(2, 3, vec![0, 2, 3], vec![0, 2, 1]).is_ok());
    /// let error = CsrPattern::new(2, 3, vec![0, 2, 3], vec![0, 3, 1]).unwrap_err();
    /// assert!(error.to_string().ends_with("expected columns below 3, found column 3 in row 0"));
    /// ```
    pub fn new(rows: usize, cols: usize, row_ptr: Vec<u32>, columns: Vec<u32>) -> Result<Self> {
        check(&BY_ROWS, (rows, cols), &row_ptr, &columns)?;
        Ok(Self { cols, row_ptr, columns })
    }

    /// As [`new`](Self::new), of the transpose of a matrix by columns, and in its words.
    pub(super) fn of_columns(cols: usize, rows: usize, col_ptr: Vec<u32>, rows_of_entries: Vec<u32>) -> Result<Self> {
        check(&BY_COLUMNS, (cols, rows), &col_ptr, &rows_of_entries)?;
        Ok(Self {
            cols: rows,
            row_ptr: col_ptr,
            columns: rows_of_entries,
        })
    }

    /// From arrays that follow from a sound pattern.
    pub(super) fn trusted(cols: usize, row_ptr: Vec<u32>, columns: Vec<u32>) -> Self {
        debug_assert!(check(&BY_ROWS, (row_ptr.len() - 1, cols), &row_ptr, &columns).is_ok());
        Self { cols, row_ptr, columns }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.row_ptr.len() - 1
    }

    /// The number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of entries, explicit zeros included.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.columns.len()
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

    /// The pattern of the transpose, and for each of its entries which entry of this pattern it is. O(rows + cols + nnz):
    /// a counting sort, which keeps the rows in their order.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] where the host has no room for them: few entries may have many columns.
    pub fn transpose(&self) -> Result<(Self, Vec<u32>)> {
        const WHAT: &str = "the pattern of a transpose";
        let mut next = filled(self.cols.saturating_add(1), 0_u32, WHAT)?;
        for column in &self.columns {
            next[*column as usize + 1] += 1;
        }
        for column in 0..self.cols {
            next[column + 1] += next[column];
        }
        let mut row_ptr = reserved(next.len(), WHAT)?;
        row_ptr.extend_from_slice(&next);
        let (mut rows, mut places) = (filled(self.nnz(), 0, WHAT)?, filled(self.nnz(), 0, WHAT)?);
        for row in 0..self.rows() {
            for place in self.row_ptr[row] as usize..self.row_ptr[row + 1] as usize {
                let next = &mut next[self.columns[place] as usize];
                rows[*next as usize] = narrow(row);
                places[*next as usize] = narrow(place);
                *next += 1;
            }
        }
        Ok((Self::trusted(self.rows(), row_ptr, rows), places))
    }
}

/// Whether these arrays are a pattern: [`CsrPattern::new`].
fn check(words: &Words, (rows, cols): (usize, usize), row_ptr: &[u32], columns: &[u32]) -> Result<()> {
    let Words {
        operation,
        by_columns,
        line,
        across,
    } = words;
    let error = |expected: String, found: String| {
        Err(Error::Shape {
            operation,
            expected,
            found,
        })
    };
    let most = u32::MAX as usize;
    if rows > most || cols > most || columns.len() > most {
        let (height, width) = if *by_columns { (cols, rows) } else { (rows, cols) };
        let found = format!("{height} x {width} with {}", columns.len());
        return error(format!("at most {most} rows, columns and entries"), found);
    }
    if row_ptr.len().checked_sub(1) != Some(rows) {
        let expected = format!("{} {line} pointers", rows as u64 + 1);
        return error(expected, format!("{}", row_ptr.len()));
    }
    let (first, last) = (row_ptr[0], row_ptr[rows]);
    if first != 0 || last as usize != columns.len() {
        let expected = format!("{line} pointers from 0 to {}", columns.len());
        return error(expected, format!("{first} to {last}"));
    }
    // All of them before any row is looked at: only then do the ends of every row lie within the columns.
    if let Some(row) = row_ptr.windows(2).position(|ends| ends[0] > ends[1]) {
        let found = format!("{} before {} at {line} {row}", row_ptr[row], row_ptr[row + 1]);
        return error(format!("{line} pointers that do not fall"), found);
    }
    for (row, ends) in row_ptr.windows(2).enumerate() {
        let columns = &columns[ends[0] as usize..ends[1] as usize];
        if let Some(column) = columns.iter().find(|column| **column as usize >= cols) {
            let found = format!("{across} {column} in {line} {row}");
            return error(format!("{across}s below {cols}"), found);
        }
        if let Some(at) = columns.windows(2).position(|pair| pair[0] >= pair[1]) {
            let found = format!("{} before {} in {line} {row}", columns[at], columns[at + 1]);
            return error(format!("strictly ascending {across}s in each {line}"), found);
        }
    }
    Ok(())
}
