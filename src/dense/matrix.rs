//! Matrices by rows, and their views.

use super::vector::{VectorView, VectorViewMut};
use crate::device::{Buffer, Device};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// An m x n matrix on a device, by rows: element (i, j) is at `i · n + j`.
///
/// ```
/// use nonius::{Blocking, Device, dense::Matrix};
/// let a = Matrix::from_rows(&Device::host(), 2, 3, &[1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(a.to_nalgebra().block_on()?[(1, 0)], 4.0);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Matrix<T> {
    buffer: Buffer<T>,
    rows: usize,
    cols: usize,
}

/// A block of a matrix, or its transpose: element (i, j) is at `offset + i · row_stride + j · col_stride`.
#[derive(Debug)]
pub struct MatrixView<'a, T> {
    pub(crate) buffer: &'a Buffer<T>,
    pub(crate) offset: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) row_stride: usize,
    pub(crate) col_stride: usize,
}

/// A block of a matrix that may be written through; rows are `leading` apart.
#[derive(Debug)]
pub struct MatrixViewMut<'a, T> {
    pub(crate) buffer: &'a mut Buffer<T>,
    pub(crate) offset: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) leading: usize,
}

impl<T: Scalar> Matrix<T> {
    /// `rows · cols` zeros.
    ///
    /// # Errors
    /// [`Error::UnsupportedScalar`] where the device cannot compute in `T`; [`Error::TooLarge`], [`Error::OutOfMemory`];
    /// [`Error::Shape`] for 2³² rows or columns and more on a GPU.
    pub fn zeros(device: &Device, rows: usize, cols: usize) -> Result<Self> {
        device.supports::<T>()?;
        Ok(Self {
            buffer: Buffer::zeros(device, extent(device, rows, cols)?)?,
            rows,
            cols,
        })
    }

    /// As [`Matrix::zeros`], of elements that are all written before any is read: on a GPU they may be what somebody else left.
    pub(crate) fn unwritten(device: &Device, rows: usize, cols: usize) -> Result<Self> {
        device.supports::<T>()?;
        Ok(Self {
            buffer: Buffer::unwritten(device, extent(device, rows, cols)?)?,
            rows,
            cols,
        })
    }

    /// `rows · cols` times a value.
    pub(super) fn filled(device: &Device, rows: usize, cols: usize, value: T) -> Result<Self> {
        let mut matrix = Self::unwritten(device, rows, cols)?;
        let len = matrix.buffer.len();
        let buffer = &mut matrix.buffer;
        super::fill(
            value,
            VectorViewMut {
                buffer,
                offset: 0,
                len,
                stride: 1,
            },
        )?;
        Ok(matrix)
    }

    /// A copy of values that lie row after row.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are not `rows · cols` of them; else as [`Matrix::zeros`].
    pub fn from_rows(device: &Device, rows: usize, cols: usize, values: &[T]) -> Result<Self> {
        device.supports::<T>()?;
        if values.len() != extent(device, rows, cols)? {
            return Err(Error::Shape {
                operation: "a matrix from rows",
                expected: format!("{rows} x {cols} values"),
                found: format!("{}", values.len()),
            });
        }
        Ok(Self {
            buffer: Buffer::from_slice(device, values)?,
            rows,
            cols,
        })
    }

    /// A copy of nalgebra's matrix, which lies by columns.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn from_nalgebra(device: &Device, values: &nalgebra::DMatrix<T>) -> Result<Self> {
        let by_rows: Vec<T> = values
            .row_iter()
            .flat_map(|row| row.iter().copied().collect::<Vec<T>>())
            .collect();
        Self::from_rows(device, values.nrows(), values.ncols(), &by_rows)
    }

    /// Overwrites whole rows from `first` on.
    ///
    /// # Errors
    /// [`Error::Shape`] when the values are not whole rows of this matrix.
    pub fn write_rows(&mut self, first: usize, values: &[T]) -> Result<()> {
        let rows = values.len().checked_div(self.cols).unwrap_or(0);
        if rows * self.cols != values.len() {
            return Err(Error::Shape {
                operation: "write_rows",
                expected: format!("rows of {}", self.cols),
                found: format!("{} values", values.len()),
            });
        }
        self.check_block(first, 0, rows, self.cols)?;
        self.buffer.write(first * self.cols, values)
    }

    /// The values, row after row, once everything recorded before is done.
    ///
    /// # Errors
    /// Whatever went wrong in what was recorded before: [`Error::DeviceLost`], [`Error::OutOfMemory`],
    /// [`Error::Refused`].
    pub async fn to_host(&self) -> Result<Vec<T>> {
        self.buffer.to_host().await
    }

    /// The values as nalgebra's matrix.
    ///
    /// # Errors
    /// As [`Matrix::to_host`].
    pub async fn to_nalgebra(&self) -> Result<nalgebra::DMatrix<T>> {
        Ok(nalgebra::DMatrix::from_row_slice(
            self.rows,
            self.cols,
            &self.to_host().await?,
        ))
    }
}

impl<T> Matrix<T> {
    /// m.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// n.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// Its memory.
    #[must_use]
    pub fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }

    /// The same values as one vector, row after row.
    pub(crate) fn into_vector(self) -> super::Vector<T> {
        super::Vector::from_buffer(self.buffer)
    }

    pub(crate) fn buffer_mut(&mut self) -> &mut Buffer<T> {
        &mut self.buffer
    }

    /// All of it.
    #[must_use]
    pub fn view(&self) -> MatrixView<'_, T> {
        let (rows, cols) = (self.rows, self.cols);
        MatrixView {
            buffer: &self.buffer,
            offset: 0,
            rows,
            cols,
            row_stride: cols,
            col_stride: 1,
        }
    }

    /// All of it, to write through.
    #[must_use]
    pub fn view_mut(&mut self) -> MatrixViewMut<'_, T> {
        let (rows, cols) = (self.rows, self.cols);
        MatrixViewMut {
            buffer: &mut self.buffer,
            offset: 0,
            rows,
            cols,
            leading: cols,
        }
    }

    /// The `rows` x `cols` block whose first element is (`row`, `col`).
    ///
    /// # Errors
    /// [`Error::Shape`] when it is not within the matrix.
    pub fn block(&self, row: usize, col: usize, rows: usize, cols: usize) -> Result<MatrixView<'_, T>> {
        self.check_block(row, col, rows, cols)?;
        let offset = row * self.cols + col;
        Ok(MatrixView {
            buffer: &self.buffer,
            offset,
            rows,
            cols,
            row_stride: self.cols,
            col_stride: 1,
        })
    }

    /// As [`Matrix::block`], to write through.
    ///
    /// # Errors
    /// As [`Matrix::block`].
    pub fn block_mut(&mut self, row: usize, col: usize, rows: usize, cols: usize) -> Result<MatrixViewMut<'_, T>> {
        self.check_block(row, col, rows, cols)?;
        let offset = row * self.cols + col;
        Ok(MatrixViewMut {
            offset,
            rows,
            cols,
            leading: self.cols,
            buffer: &mut self.buffer,
        })
    }

    /// Row `i` as a vector.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is no such row.
    pub fn row(&self, i: usize) -> Result<VectorView<'_, T>> {
        self.check_block(i, 0, 1, self.cols)?;
        Ok(VectorView {
            buffer: &self.buffer,
            offset: i * self.cols,
            len: self.cols,
            stride: 1,
        })
    }

    /// Column `j` as a vector, to write through.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is no such column.
    pub fn col_mut(&mut self, j: usize) -> Result<VectorViewMut<'_, T>> {
        self.check_block(0, j, self.rows, 1)?;
        Ok(VectorViewMut {
            offset: j,
            len: self.rows,
            stride: self.cols,
            buffer: &mut self.buffer,
        })
    }

    /// Column `j` as a vector.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is no such column.
    pub fn col(&self, j: usize) -> Result<VectorView<'_, T>> {
        self.check_block(0, j, self.rows, 1)?;
        Ok(VectorView {
            buffer: &self.buffer,
            offset: j,
            len: self.rows,
            stride: self.cols,
        })
    }

    fn check_block(&self, row: usize, col: usize, rows: usize, cols: usize) -> Result<()> {
        let inside = |start: usize, len: usize, extent| start.checked_add(len).is_some_and(|end| end <= extent);
        if inside(row, rows, self.rows) && inside(col, cols, self.cols) {
            return Ok(());
        }
        Err(Error::Shape {
            operation: "a block",
            expected: format!("a block of a {} x {} matrix", self.rows, self.cols),
            found: format!("{rows} x {cols} from ({row}, {col}) on"),
        })
    }
}

impl<T> MatrixView<'_, T> {
    /// m.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// n.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The transpose; nothing moves.
    #[must_use]
    pub fn t(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }
}

impl<T> MatrixViewMut<'_, T> {
    /// m.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// n.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The same, to read only.
    #[must_use]
    pub fn as_view(&self) -> MatrixView<'_, T> {
        MatrixView {
            buffer: self.buffer,
            offset: self.offset,
            rows: self.rows,
            cols: self.cols,
            row_stride: self.leading,
            col_stride: 1,
        }
    }
}

impl<T> Clone for MatrixView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for MatrixView<'_, T> {}

impl<'a, T> From<&'a Matrix<T>> for MatrixView<'a, T> {
    fn from(matrix: &'a Matrix<T>) -> Self {
        matrix.view()
    }
}

impl<'a, T> From<&'a mut Matrix<T>> for MatrixViewMut<'a, T> {
    fn from(matrix: &'a mut Matrix<T>) -> Self {
        matrix.view_mut()
    }
}

fn extent(device: &Device, rows: usize, cols: usize) -> Result<usize> {
    let extent = rows
        .checked_mul(cols)
        .filter(|extent| isize::try_from(*extent).is_ok())
        .ok_or_else(|| Error::TooLarge {
            what: format!("a {rows} x {cols} matrix"),
            bytes: u64::MAX,
            limit: isize::MAX as u64,
            limit_name: "address space",
            device: device.name().to_owned(),
        })?;
    // What has elements is refused by their bytes. Kernels count in 32 bits where there are none, too.
    if extent == 0 && !device.is_host() && u32::try_from(rows.max(cols)).is_err() {
        return Err(Error::Shape {
            operation: "a matrix",
            expected: format!("at most {} rows and columns on {}", u32::MAX, device.name()),
            found: format!("{rows} x {cols}"),
        });
    }
    Ok(extent)
}
