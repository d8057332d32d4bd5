//! y ← αAx + βy with a sparse A, and what is fused with it. Bound by memory: the matrix is read once.

mod aim;
pub(super) mod form;
pub(super) mod fours;
pub(super) mod kernels;
pub(super) mod schedule;
pub(super) mod trials;
pub(super) mod tuned;
mod turns;

use super::device_matrix::{DeviceMatrix, Place};
use super::matrix::Rows;
use crate::dense::{VectorView, VectorViewMut};
use crate::device::Ground;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use aim::Aim;

/// Computes `y ← αAx + βy`. A is m x n, `x` has n and `y` has m elements; with `β = 0`, `y` is not read, and padding reads
/// no element of `x`.
///
/// Accuracy: componentwise |error| ≤ γₖ(|α||A||x| + |β||y|), k three more than the longest row (Higham, *Accuracy and
/// Stability of Numerical Algorithms*, 2002, §3.5). Cost: one dispatch, three where long rows are split; 2·nnz flops; the matrix's bytes and as many
/// elements of x as entries (most from caches) are read, y is written. Deterministic: every row is summed in an order
/// that the pattern alone decides. Source: for each format, beside its type.
///
/// # Errors
/// [`Error::Shape`], also for a matrix in [`Format::Csc`](super::Format::Csc), whose rows are scattered: that multiplies by
/// its transpose, with [`spmv_transposed`]. [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, dense::Vector, sparse::{Csr, DeviceMatrix, spmv}};
/// let host = Device::host();
/// let a = Csr::new(2, 2, vec![0, 1, 3], vec![1, 0, 1], vec![1.0, 2.0, 3.0])?;
/// let a = DeviceMatrix::new(&host, &a)?;
/// let x = Vector::from_slice(&host, &[1.0, 1.0])?;
/// let mut y = Vector::zeros(&host, 2)?;
/// spmv(10.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [10.0, 50.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// What is written is nothing that is read: y is borrowed mutably, so it cannot be x.
///
/// ```compile_fail,E0502
/// use nonius::{Device, dense::Vector, sparse::{Csr, DeviceMatrix, spmv}};
/// let host = Device::host();
/// let a = DeviceMatrix::new(&host, &Csr::new(1, 1, vec![0, 1], vec![0], vec![2.0])?)?;
/// let mut x = Vector::from_slice(&host, &[1.0])?;
/// spmv(1.0, &a, &x, 0.0, &mut x)?;
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn spmv<'a, T: Scalar>(
    alpha: T,
    a: &DeviceMatrix<T>,
    x: impl Into<VectorView<'a, T>>,
    beta: T,
    y: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    apply("spmv", a, false, Aim::Product(alpha, beta), &x.into(), &mut y.into())
}

/// Computes `y ← αAᵀx + βy` with A in [`Format::Csc`](super::Format::Csc), whose columns are the rows of Aᵀ: the kernels are
/// those of CSR, without atomics. A is m x n, `x` has m and `y` has n elements. Accuracy and cost as [`spmv`], k three
/// more than the longest column.
///
/// # Errors
/// As [`spmv`]; [`Error::Shape`] for a matrix in any other format: make one with
/// [`DeviceMatrix::from_csr`] and [`Format::Csc`](super::Format::Csc).
///
/// ```
/// use nonius::{Blocking, Device, dense::Vector, sparse::{Csc, Csr, DeviceMatrix, spmv_transposed}};
/// let host = Device::host();
/// let a = Csr::new(2, 3, vec![0, 1, 3], vec![1, 0, 1], vec![1.0, 2.0, 3.0])?;
/// let a = DeviceMatrix::new(&host, &Csc::from_csr(&a)?)?;
/// let x = Vector::from_slice(&host, &[10.0, 1.0])?;
/// let mut y = Vector::zeros(&host, 3)?;
/// spmv_transposed(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [2.0, 13.0, 0.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn spmv_transposed<'a, T: Scalar>(
    alpha: T,
    a: &DeviceMatrix<T>,
    x: impl Into<VectorView<'a, T>>,
    beta: T,
    y: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let aim = Aim::Product(alpha, beta);
    apply("spmv_transposed", a, true, aim, &x.into(), &mut y.into())
}

/// Computes `r ← b − Ax` in one pass. A is m x n, `x` has n, `b` and `r` have m elements. Accuracy: |error| ≤
/// γₖ(|b| + |A||x|), k one more than the longest row. Cost: as [`spmv`], and b is read once.
///
/// # Errors
/// As [`spmv`].
///
/// ```
/// use nonius::{Blocking, Device, dense::Vector, sparse::{Csr, DeviceMatrix, residual}};
/// let host = Device::host();
/// let a = DeviceMatrix::new(&host, &Csr::new(1, 2, vec![0, 2], vec![0, 1], vec![2.0, 3.0])?)?;
/// let (x, b) = (Vector::from_slice(&host, &[1.0, 1.0])?, Vector::from_slice(&host, &[7.0])?);
/// let mut r = Vector::zeros(&host, 1)?;
/// residual(&a, &x, &b, &mut r)?;
/// assert_eq!(r.to_host().block_on()?, [2.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn residual<'a, T: Scalar>(
    a: &DeviceMatrix<T>,
    x: impl Into<VectorView<'a, T>>,
    b: impl Into<VectorView<'a, T>>,
    r: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    apply("residual", a, false, Aim::Residual(b.into()), &x.into(), &mut r.into())
}

/// Computes `y ← αAx + βy` and `yᵀw` of the new y, in one pass over both; `result` has one element. Accuracy of y: as
/// [`spmv`]; of yᵀw: |error| ≤ γₖ·Σ|yᵢwᵢ| against the y that is written, with k = m + 1 roundings at most. Cost: as
/// [`spmv`] and one small dispatch; w is read once. Deterministic, as [`spmv`].
///
/// # Errors
/// As [`spmv`]; [`Error::Shape`] also when `result` is not one element.
///
/// ```
/// use nonius::{Blocking, Device, dense::Vector, sparse::{Csr, DeviceMatrix, spmv_dot}};
/// let host = Device::host();
/// let a = DeviceMatrix::new(&host, &Csr::new(2, 2, vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0])?)?;
/// let p = Vector::from_slice(&host, &[1.0, 10.0])?;
/// let (mut ap, mut pap) = (Vector::zeros(&host, 2)?, Vector::zeros(&host, 1)?);
/// spmv_dot(1.0, &a, &p, 0.0, &mut ap, &p, &mut pap)?;
/// assert_eq!(pap.to_host().block_on()?, [50.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn spmv_dot<'a, T: Scalar>(
    alpha: T,
    a: &DeviceMatrix<T>,
    x: impl Into<VectorView<'a, T>>,
    beta: T,
    y: impl Into<VectorViewMut<'a, T>>,
    w: impl Into<VectorView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let aim = Aim::Dot(alpha, beta, w.into(), result.into());
    apply("spmv_dot", a, false, aim, &x.into(), &mut y.into())
}

fn apply<T: Scalar>(
    operation: &'static str,
    a: &DeviceMatrix<T>,
    transposed: bool,
    mut aim: Aim<'_, T>,
    x: &VectorView<'_, T>,
    y: &mut VectorViewMut<'_, T>,
) -> Result<()> {
    check(operation, a, transposed, &aim, x, y)?;
    match (a.place(), a.device().ground()) {
        (Place::Host(rows), _) => on_host(&**rows, &mut aim, x, y),
        (Place::Gpu(matrix, _), Ground::Gpu(gpu)) => matrix.launch(gpu, &aim, x, y),
        (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
    }
}

fn check<T: Scalar>(
    operation: &'static str,
    a: &DeviceMatrix<T>,
    transposed: bool,
    aim: &Aim<'_, T>,
    x: &VectorView<'_, T>,
    y: &VectorViewMut<'_, T>,
) -> Result<()> {
    let (rows, cols) = a.extents_for(operation, transposed, "spmv_transposed")?;
    let mut lengths = vec![("x", cols, x.len(), x.device()), ("y", rows, y.len(), y.device())];
    match aim {
        Aim::Product(..) => {}
        Aim::Residual(b) => lengths.push(("b", rows, b.len(), b.device())),
        Aim::Dot(.., w, result) => {
            lengths.push(("w", rows, w.len(), w.device()));
            lengths.push(("the result", 1, result.len(), result.device()));
        }
    }
    for (name, expected, found, device) in lengths {
        a.device().check_same(operation, device)?;
        if expected != found {
            let of = format!("{name} of {expected} for A of {} x {}", a.rows(), a.cols());
            return Err(Error::Shape {
                operation,
                expected: of,
                found: format!("{name} of {found}"),
            });
        }
    }
    Ok(())
}

fn on_host<T: Scalar>(
    rows: &dyn Rows<T>,
    aim: &mut Aim<'_, T>,
    x: &VectorView<'_, T>,
    y: &mut VectorViewMut<'_, T>,
) -> Result<()> {
    let x: Vec<T> = x.host().copied().collect();
    let mut product: Vec<T> = y.host_mut().map(|y| *y).collect();
    match aim {
        Aim::Product(alpha, beta) | Aim::Dot(alpha, beta, ..) => rows.multiply(*alpha, &x, *beta, &mut product)?,
        Aim::Residual(b) => {
            rows.multiply(T::one(), &x, T::zero(), &mut product)?;
            product.iter_mut().zip(b.host()).for_each(|(r, b)| *r = *b - *r);
        }
    }
    if let Aim::Dot(.., w, result) = aim {
        let terms = product.iter().zip(w.host());
        let total = terms.fold(T::zero(), |sum, (y, w)| y.mul_add(*w, sum));
        result.host_mut().for_each(|result| *result = total);
    }
    y.host_mut().zip(product).for_each(|(y, product)| *y = product);
    Ok(())
}
