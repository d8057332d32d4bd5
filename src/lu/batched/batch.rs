//! Many matrices of one shape, one after the other.

use crate::dense::Matrix;
use crate::device::{Buffer, Device};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// `count` matrices of m x n on a device, one after the other, each by rows: element (i, j) of matrix s is at
/// `(s · m + i) · n + j`, as in a contiguous tensor of `count` x m x n. In memory it is a matrix of `count` · m rows.
///
/// ```
/// use nonius::{Blocking, Device, lu::batched::Batch};
/// let batch = Batch::from_slice(&Device::host(), 2, 1, 3, &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!((batch.count(), batch.rows(), batch.cols()), (2, 1, 3));
/// assert_eq!(batch.to_host().block_on()?[3..], [4.0, 5.0, 6.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Batch<T> {
    stacked: Matrix<T>,
    count: usize,
    rows: usize,
}

impl<T: Scalar> Batch<T> {
    /// Zeros.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn zeros(device: &Device, count: usize, rows: usize, cols: usize) -> Result<Self> {
        let stacked = Matrix::zeros(device, height(device, count, rows, cols)?, cols)?;
        Ok(Self { stacked, count, rows })
    }

    /// A copy of values that lie one matrix after the other, each by rows.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are not `count · rows · cols` of them; else as [`Matrix::zeros`].
    pub fn from_slice(device: &Device, count: usize, rows: usize, cols: usize, values: &[T]) -> Result<Self> {
        let height = height(device, count, rows, cols)?;
        if height.checked_mul(cols) != Some(values.len()) {
            return Err(Error::Shape {
                operation: "a batch from a slice",
                expected: format!("{count} x {rows} x {cols} values"),
                found: format!("{}", values.len()),
            });
        }
        let stacked = Matrix::from_rows(device, height, cols, values)?;
        Ok(Self { stacked, count, rows })
    }

    /// The same memory as `count` matrices of as many rows each.
    ///
    /// # Errors
    /// [`Error::Shape`] when the rows do not make `count` matrices of equal height.
    pub fn from_matrix(stacked: Matrix<T>, count: usize) -> Result<Self> {
        let rows = stacked.rows().checked_div(count).unwrap_or(0);
        if rows * count != stacked.rows() {
            return Err(Error::Shape {
                operation: "a batch from a matrix",
                expected: format!("rows of {count} matrices of equal height"),
                found: format!("{}", stacked.rows()),
            });
        }
        Ok(Self { stacked, count, rows })
    }

    /// The values, one matrix after the other, each by rows, once everything recorded before is done.
    ///
    /// # Errors
    /// As [`Matrix::to_host`].
    pub async fn to_host(&self) -> Result<Vec<T>> {
        self.stacked.to_host().await
    }
}

impl<T> Batch<T> {
    /// How many matrices.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// m.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// n.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.stacked.cols()
    }

    /// The device they live on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.stacked.device()
    }

    /// All rows of all matrices, one after the other.
    #[must_use]
    pub fn as_matrix(&self) -> &Matrix<T> {
        &self.stacked
    }

    /// As [`Batch::as_matrix`], given back.
    #[must_use]
    pub fn into_matrix(self) -> Matrix<T> {
        self.stacked
    }

    pub(super) fn buffer(&self) -> &Buffer<T> {
        self.stacked.buffer()
    }

    pub(super) fn buffer_mut(&mut self) -> &mut Buffer<T> {
        self.stacked.buffer_mut()
    }
}

/// Rows of all matrices together.
fn height(device: &Device, count: usize, rows: usize, cols: usize) -> Result<usize> {
    count.checked_mul(rows).ok_or_else(|| Error::TooLarge {
        what: format!("{count} matrices of {rows} x {cols}"),
        bytes: u64::MAX,
        limit: isize::MAX as u64,
        limit_name: "address space",
        device: device.name().to_owned(),
    })
}
