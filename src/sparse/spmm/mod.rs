//! `Y ← αAX + βY` with a sparse A and several columns: the matrix is read once for up to 64 of them.

pub(super) mod kernels;

use super::device_matrix::{DeviceMatrix, Place};
use super::matrix::Rows;
use crate::dense::{MatrixView, MatrixViewMut};
use crate::device::Ground;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Computes `Y ← αAX + βY`. A is m x n in any format but [`Format::Csc`], `X` is n x k and `Y` m x k; with `β = 0`, `Y` is
/// not read, and padding reads no element of `X`. Fastest where rows of X lie together.
///
/// Accuracy: every column as [`spmv`](super::spmv). Cost, for each 64 columns: one dispatch, three where long rows are split;
/// the matrix's bytes, and as many elements of X as entries times columns (most from caches), are read, Y is written, and of
/// split rows 64 sums a chunk are written and read. 2k·nnz flops in all. Deterministic: the pattern and k alone decide the
/// order of a sum.
///
/// A row is summed by as many invocations as there are fours of columns, in the host's order. Where the
/// [`Schedule`](super::Schedule) of CSR and packed CSR is to stream rows, those of more entries than a block are split over
/// workgroups, a workgroup for 4096 entries of CSR and for a block's of packed CSR, with a place for every chunk and column;
/// a second pass adds these up in a fixed order. Source: Yang, Buluç and Owens, *Design principles for sparse matrix
/// multiplication on the GPU*, Euro-Par 2018 (row split); for each format, beside its type.
///
/// # Errors
/// [`Error::Shape`], also for a matrix in [`Format::Csc`], whose rows are scattered: that multiplies by its transpose, with
/// [`spmm_transposed`]; and for a row of more than 32,767 entries that is not split, on a driver that computes on the CPU, whose
/// loops may end there. [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, dense::Matrix, sparse::{Csr, DeviceMatrix, Ell, spmm}};
/// let host = Device::host();
/// let a = Csr::new(1, 2, vec![0, 2], vec![0, 1], vec![2.0, 3.0])?;
/// let a = DeviceMatrix::new(&host, &Ell::from_csr(&a)?)?;
/// let x = Matrix::from_rows(&host, 2, 2, &[1.0, 10.0, 1.0, 20.0])?;
/// let mut y = Matrix::zeros(&host, 1, 2)?;
/// spmm(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [5.0, 80.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// What is written is nothing that is read: Y is borrowed mutably, so it cannot be X.
///
/// ```compile_fail,E0502
/// use nonius::{Device, dense::Matrix, sparse::{Csr, DeviceMatrix, spmm}};
/// let host = Device::host();
/// let a = DeviceMatrix::new(&host, &Csr::new(1, 1, vec![0, 1], vec![0], vec![2.0])?)?;
/// let mut x = Matrix::from_rows(&host, 1, 2, &[1.0, 10.0])?;
/// spmm(1.0, &a, &x, 0.0, &mut x)?;
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// [`Format::Csc`]: super::Format::Csc
pub fn spmm<'a, T: Scalar>(
    alpha: T,
    a: &DeviceMatrix<T>,
    x: impl Into<MatrixView<'a, T>>,
    beta: T,
    y: impl Into<MatrixViewMut<'a, T>>,
) -> Result<()> {
    apply("spmm", a, false, (alpha, beta), &x.into(), &mut y.into())
}

/// Computes `Y ← αAᵀX + βY` with A in [`Format::Csc`], whose columns are the rows of Aᵀ: the kernels are those of CSR. A is
/// m x n, `X` is m x k and `Y` n x k. Accuracy and cost as [`spmm`], with columns for rows.
///
/// # Errors
/// As [`spmm`]; [`Error::Shape`] for a matrix in any other format: make one with [`DeviceMatrix::from_csr`] and
/// [`Format::Csc`].
///
/// ```
/// use nonius::{Blocking, Device, dense::Matrix, sparse::{Csc, Csr, DeviceMatrix, spmm_transposed}};
/// let host = Device::host();
/// let a = Csr::new(1, 2, vec![0, 2], vec![0, 1], vec![2.0, 3.0])?;
/// let a = DeviceMatrix::new(&host, &Csc::from_csr(&a)?)?;
/// let x = Matrix::from_rows(&host, 1, 2, &[1.0, 10.0])?;
/// let mut y = Matrix::zeros(&host, 2, 2)?;
/// spmm_transposed(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [2.0, 20.0, 3.0, 30.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// [`Format::Csc`]: super::Format::Csc
pub fn spmm_transposed<'a, T: Scalar>(
    alpha: T,
    a: &DeviceMatrix<T>,
    x: impl Into<MatrixView<'a, T>>,
    beta: T,
    y: impl Into<MatrixViewMut<'a, T>>,
) -> Result<()> {
    apply("spmm_transposed", a, true, (alpha, beta), &x.into(), &mut y.into())
}

fn apply<T: Scalar>(
    operation: &'static str,
    a: &DeviceMatrix<T>,
    transposed: bool,
    (alpha, beta): (T, T),
    x: &MatrixView<'_, T>,
    y: &mut MatrixViewMut<'_, T>,
) -> Result<()> {
    check(operation, a, transposed, x, y)?;
    match (a.place(), a.device().ground()) {
        (Place::Host(rows), _) => on_host(&**rows, alpha, x, beta, y),
        (Place::Gpu(matrix, _), Ground::Gpu(gpu)) => kernels::launch(gpu, a.format(), matrix, (alpha, beta), x, y),
        (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
    }
}

fn check<T: Scalar>(
    operation: &'static str,
    a: &DeviceMatrix<T>,
    transposed: bool,
    x: &MatrixView<'_, T>,
    y: &MatrixViewMut<'_, T>,
) -> Result<()> {
    a.device().check_same(operation, x.buffer.device())?;
    a.device().check_same(operation, y.buffer.device())?;
    let (rows, cols) = a.extents_for(operation, transposed, "spmm_transposed")?;
    if x.rows != cols || y.rows != rows || x.cols != y.cols {
        return Err(Error::Shape {
            operation,
            expected: format!("X of {cols} x k and Y of {rows} x k"),
            found: format!("{} x {} and {} x {}", x.rows, x.cols, y.rows, y.cols),
        });
    }
    Ok(())
}

fn on_host<T: Scalar>(
    rows: &dyn Rows<T>,
    alpha: T,
    x: &MatrixView<'_, T>,
    beta: T,
    y: &mut MatrixViewMut<'_, T>,
) -> Result<()> {
    for column in 0..x.cols {
        let at = |i: usize| x.offset + i * x.row_stride + column * x.col_stride;
        let from: Vec<T> = (0..x.rows).map(|i| x.buffer.host()[at(i)]).collect();
        let at = |i: usize| y.offset + i * y.leading + column;
        let mut into: Vec<T> = (0..y.rows).map(|i| y.buffer.host()[at(i)]).collect();
        rows.multiply(alpha, &from, beta, &mut into)?;
        let values = y.buffer.host_mut();
        into.into_iter()
            .enumerate()
            .for_each(|(i, value)| values[at(i)] = value);
    }
    Ok(())
}
