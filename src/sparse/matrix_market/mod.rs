//! Matrix Market files: the text format of the great collections, <https://sparse.tamu.edu> and NIST's Matrix Market.
//!
//! A file is a banner `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`, comments after `%`, a line of sizes, and one entry
//! a line: `row column value`, counted from 1 (coordinate), or the values column by column (array). Boisvert, Pozo and
//! Remington, *The Matrix Market Exchange Formats*, NISTIR 5935 (1996), is the standard.
//!
//! What is unambiguous is read, and the rest refused with its line and a reason:
//!
//! - Symmetric, skew-symmetric and Hermitian files are expanded: each entry off the diagonal is followed by its mirror
//!   image. The standard stores the lower triangle; entries in the upper one are mirrored too, but a file that stores
//!   both (i, j) and (j, i) is refused, because it may mean their sum or either of them. The diagonal of a
//!   skew-symmetric matrix must be absent or zero (as it is read: rounded, but for [`read_exact`]), that of a Hermitian one real. `real hermitian` is read as symmetric.
//! - Repeated entries stay apart in the [`Coo`] and count as their sum; explicit zeros stay stored.
//! - Pattern files have the value 1 everywhere.
//! - Blank lines, tabs, indentation, CRLF, comments between and behind the entries, `+1`, Fortran's `1.0D+3` and
//!   `1.0-100`, `inf` and `nan` are read. A value that overflows f64 is refused, one that underflows is rounded.
//!   Integers are read exactly (up to 128 bits) and rounded to the nearest f64. [`read_exact`] rounds nothing: it gives
//!   fractions.
//! - Also read: a banner that is indented, preceded by blank lines or a byte order mark, or spelt with one `%`;
//!   `vector` files, as one column; the fields `double` and `unsigned-integer`.
//! - Lines are at most 64 KiB long. Memory grows with the data, never by what the size line claims.

mod exact;
mod header;
mod lines;
mod number;
mod read;
mod symmetry;
mod write;

pub use exact::{read_exact, read_exact_from};
pub use header::{Field, Format, Header, Symmetry};
pub use read::{read, read_from};
pub use write::{Contents, write, write_to};

use nalgebra::Complex;

use super::Coo;
use crate::{Error, Result, host_memory};

/// What a Matrix Market file says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MatrixFile {
    /// The banner.
    pub header: Header,
    /// The comments between the banner and the sizes, each without its first `%` (at most 1 MiB is kept).
    pub comments: Vec<String>,
    /// The entries that the file holds, before expansion by symmetry.
    pub stored: usize,
    /// The matrix.
    pub data: Data,
}

/// The values of a file: real (the fields real, integer and pattern) or complex.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// The field was real, integer or pattern.
    Real(Storage<f64>),
    /// The field was complex.
    Complex(Storage<Complex<f64>>),
}

/// A matrix as its file holds it, symmetry expanded.
#[derive(Debug, Clone, PartialEq)]
pub enum Storage<T> {
    /// From a coordinate file: the stored entries in the file's order, zeros and repeated ones included.
    Sparse(Coo<T>),
    /// From an array file: all values.
    Dense(ColumnMajor<T>),
}

/// A dense matrix column by column, which is the order of array files. A vector has one column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnMajor<T> {
    rows: usize,
    cols: usize,
    values: Vec<T>,
}

impl MatrixFile {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match &self.data {
            Data::Real(storage) => storage.rows(),
            Data::Complex(storage) => storage.rows(),
        }
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        match &self.data {
            Data::Real(storage) => storage.cols(),
            Data::Complex(storage) => storage.cols(),
        }
    }

    /// The number of entries after expansion by symmetry, explicit zeros and repeated entries included. An array file
    /// has rows × columns.
    pub fn nnz(&self) -> usize {
        match &self.data {
            Data::Real(storage) => storage.nnz(),
            Data::Complex(storage) => storage.nnz(),
        }
    }

    /// The matrix over the reals. A complex file will do if all its imaginary parts are zero.
    ///
    /// # Errors
    /// [`Error::Shape`] naming the first entry with an imaginary part: this library has no complex scalar.
    pub fn into_real(self) -> Result<Storage<f64>> {
        match self.data {
            Data::Real(storage) => Ok(storage),
            Data::Complex(storage) => storage.into_real(),
        }
    }

    /// The matrix as real triplets. From an array file, which cannot say what is stored, the values other than zero.
    ///
    /// # Errors
    /// As [`into_real`](Self::into_real), and [`Error::Shape`] for more than 2³² − 1 entries.
    ///
    /// ```
    /// use nonius::sparse::matrix_market;
    ///
    /// let text = "%%MatrixMarket matrix array real symmetric\n2 2\n4.0\n1.0\n0.0\n";
    /// let a = matrix_market::read_from(text.as_bytes())?.into_coo()?;
    /// assert_eq!(a.iter().collect::<Vec<_>>(), [(0, 0, 4.0), (1, 0, 1.0), (0, 1, 1.0)]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn into_coo(self) -> Result<Coo<f64>> {
        match self.into_real()? {
            Storage::Sparse(coo) => Ok(coo),
            Storage::Dense(dense) => {
                let mut coo = Coo::new(dense.rows, dense.cols)?;
                for (k, &value) in dense.values.iter().enumerate() {
                    // Written so that NaN counts as an entry.
                    if value != 0.0 {
                        coo.push(k % dense.rows, k / dense.rows, value)?;
                    }
                }
                Ok(coo)
            }
        }
    }

    /// The matrix as real values row by row, repeated entries summed: element (i, j) is at i · columns + j. For a
    /// vector this is the vector. A −0 of a coordinate file becomes 0, as the sum of nothing and it. O(rows × columns)
    /// memory.
    ///
    /// # Errors
    /// As [`into_real`](Self::into_real), and [`Error::OutOfMemory`] if the host cannot hold rows × columns values.
    ///
    /// ```
    /// use nonius::sparse::matrix_market;
    ///
    /// let text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3.0\n2 1 -1.0D+0\n";
    /// let a = matrix_market::read_from(text.as_bytes())?.into_row_major()?;
    /// assert_eq!(a, [3.0, 0.0, -1.0, 0.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn into_row_major(self) -> Result<Vec<f64>> {
        match self.into_real()? {
            Storage::Sparse(coo) => {
                let mut values = zeros(coo.rows(), coo.cols())?;
                let cols = coo.cols();
                for (row, col, value) in coo.iter() {
                    let element = &mut values[row * cols + col];
                    *element += value;
                }
                Ok(values)
            }
            Storage::Dense(dense) => {
                let mut values = zeros(dense.rows, dense.cols)?;
                for (k, &value) in dense.values.iter().enumerate() {
                    values[(k % dense.rows) * dense.cols + k / dense.rows] = value;
                }
                Ok(values)
            }
        }
    }
}

impl<T: Clone> Storage<T> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Sparse(coo) => coo.rows(),
            Self::Dense(dense) => dense.rows,
        }
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Self::Sparse(coo) => coo.cols(),
            Self::Dense(dense) => dense.cols,
        }
    }

    /// The number of entries held: all of a dense matrix.
    pub fn nnz(&self) -> usize {
        match self {
            Self::Sparse(coo) => coo.nnz(),
            Self::Dense(dense) => dense.values.len(),
        }
    }
}

impl Storage<Complex<f64>> {
    fn into_real(self) -> Result<Storage<f64>> {
        let (values, rows) = match &self {
            Self::Sparse(coo) => (coo.values(), coo.rows()),
            Self::Dense(dense) => (dense.values.as_slice(), dense.rows),
        };
        if let Some(k) = values.iter().position(|value| value.im != 0.0) {
            let (row, col) = match &self {
                Self::Sparse(coo) => (coo.row_indices()[k] as usize, coo.col_indices()[k] as usize),
                Self::Dense(_) => (k % rows, k / rows),
            };
            return Err(Error::Shape {
                operation: "a complex matrix as a real one",
                expected: "imaginary parts that are all zero (there is no complex scalar here)".to_owned(),
                found: format!(
                    "{:?} {:+?}i in row {}, column {} (counted from 1, as in the file)",
                    values[k].re,
                    values[k].im,
                    row + 1,
                    col + 1
                ),
            });
        }
        Ok(match self {
            Self::Sparse(coo) => Storage::Sparse(coo.map(|value| value.re)),
            Self::Dense(dense) => Storage::Dense(ColumnMajor {
                rows: dense.rows,
                cols: dense.cols,
                values: dense.values.into_iter().map(|value| value.re).collect(),
            }),
        })
    }
}

impl<T> ColumnMajor<T> {
    /// The `rows` x `cols` matrix with element (i, j) at `values[i + j * rows]`.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not rows × columns values.
    pub fn new(rows: usize, cols: usize, values: Vec<T>) -> Result<Self> {
        if rows.checked_mul(cols) == Some(values.len()) {
            Ok(Self { rows, cols, values })
        } else {
            Err(Error::Shape {
                operation: "ColumnMajor::new",
                expected: format!("{rows} x {cols} values"),
                found: format!("{}", values.len()),
            })
        }
    }

    /// One column.
    pub fn vector(values: Vec<T>) -> Self {
        Self {
            rows: values.len(),
            cols: 1,
            values,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The values column by column.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values column by column, handed over.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}

/// rows × columns zeros, or an error where three lines of text declare more than fits.
fn zeros(rows: usize, cols: usize) -> Result<Vec<f64>> {
    let what = format_args!("a dense matrix of {rows} x {cols}");
    host_memory::filled(rows.saturating_mul(cols), 0.0, what)
}
