//! y ← αAx + βy. Bound by memory: m·n scalars are read once, whichever way A lies.

mod defaults;
mod kernels;
mod plan;
mod variants;

use super::matrix::MatrixView;
use super::vector::{VectorView, VectorViewMut};
use crate::device::Ground;
use crate::error::{Error, Result};
use crate::scalar::{Df64, Scalar, ScalarKind};

pub(crate) use kernels::KERNELS;
pub(crate) use variants::{GEMV, GEMV_TRANSPOSED};

/// Computes `y ← αAx + βy`. `A` is m x n, `x` has n and `y` has m elements; with `β = 0`, `y` is not read. For the
/// transpose, pass `a.view().t()`. A and x are read whatever α is: with `α = 0`, what is not finite there makes y NaN.
///
/// Accuracy: componentwise |error| ≤ γ·|α||A||x| with γ = n + 2 roundings (Higham 2002, section 3.5), and one rounding
/// of βy. Cost: one dispatch, or two where the terms are split among workgroups; m·n reads, of which the cache saves some where
/// products with one matrix follow each other: they go through it from both ends in turns. Deterministic: the order of the
/// sum depends on the shape and on the variant that [tuning](crate::tuning) has chosen for it, and on nothing else.
///
/// # Errors
/// [`Error::Shape`], [`Error::DeviceMismatch`], [`Error::OutOfMemory`] (partial sums).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, Vector, gemv}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// let x = Vector::from_slice(&host, &[1.0, 1.0])?;
/// let mut y = Vector::zeros(&host, 2)?;
/// gemv(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [3.0, 7.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// What is written is nothing that is read: y is borrowed mutably, so it can be neither x nor a part of A.
///
/// ```compile_fail,E0502
/// use nonius::{Device, dense::{Matrix, Vector, gemv}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// let mut x = Vector::from_slice(&host, &[1.0, 1.0])?;
/// gemv(1.0, &a, &x, 0.0, &mut x)?;
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// ```compile_fail,E0502
/// use nonius::{Device, dense::{Matrix, Vector, gemv}};
/// let host = Device::host();
/// let mut a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// let x = Vector::from_slice(&host, &[1.0, 1.0])?;
/// gemv(1.0, &a, &x, 0.0, a.col_mut(0)?)?;
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn gemv<'a, T: Scalar>(
    alpha: T,
    a: impl Into<MatrixView<'a, T>>,
    x: impl Into<VectorView<'a, T>>,
    beta: T,
    y: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    multiply::<T, T>(alpha, &a.into(), &x.into(), beta, &mut y.into(), |x| *x, |x| x)
}

/// Computes `y ← αAx + βy` of `f32` data with products and sums in [`Df64`], rounded once at the end. Shapes, order and
/// cost as [`gemv`]; it reads no more.
///
/// Accuracy: one rounding of `f32`, and γ·|α||A||x| with the roundings of Df64.
///
/// # Errors
/// As [`gemv`]; [`Error::UnsupportedScalar`] where the device has no Df64.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, Vector, gemv_in_df64}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 1, 3, &[1e6_f32, 1.0, -1e6])?;
/// let x = Vector::from_slice(&host, &[1e6_f32, 0.5, 1e6])?;
/// let mut y = Vector::zeros(&host, 1)?;
/// gemv_in_df64(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [0.5]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn gemv_in_df64<'a>(
    alpha: f32,
    a: impl Into<MatrixView<'a, f32>>,
    x: impl Into<VectorView<'a, f32>>,
    beta: f32,
    y: impl Into<VectorViewMut<'a, f32>>,
) -> Result<()> {
    let (a, x, mut y) = (a.into(), x.into(), y.into());
    let widen = |x: &f32| Df64::from(*x);
    multiply(widen(&alpha), &a, &x, widen(&beta), &mut y, widen, |x: Df64| x.hi())
}

/// Elements in `T`, arithmetic in `R`; `widen` is exact, `narrow` rounds to nearest.
fn multiply<T: Scalar, R: Scalar>(
    alpha: R,
    a: &MatrixView<'_, T>,
    x: &VectorView<'_, T>,
    beta: R,
    y: &mut VectorViewMut<'_, T>,
    widen: impl Fn(&T) -> R,
    narrow: impl Fn(R) -> T,
) -> Result<()> {
    check(a, x, y)?;
    match a.device().ground() {
        Ground::Host => on_host(alpha, a, x, beta, y, widen, narrow),
        Ground::Gpu(gpu) => {
            let scalar: ScalarKind = R::KIND;
            if a.rows > 0 {
                let plan = variants::plan(a, x, scalar);
                let backwards = a.buffer.backwards(a.rows * a.cols);
                plan::launch(gpu, &plan, (alpha, beta), a, x, y, backwards)?;
            }
        }
    }
    Ok(())
}

fn check<T>(a: &MatrixView<'_, T>, x: &VectorView<'_, T>, y: &VectorViewMut<'_, T>) -> Result<()> {
    a.device().check_same("gemv", x.device())?;
    a.device().check_same("gemv", y.device())?;
    if x.len() == a.cols && y.len() == a.rows {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "gemv",
        expected: format!("x of {} and y of {} for A of {} x {}", a.cols, a.rows, a.rows, a.cols),
        found: format!("x of {} and y of {}", x.len(), y.len()),
    })
}

fn on_host<T: Scalar, R: Scalar>(
    alpha: R,
    a: &MatrixView<'_, T>,
    x: &VectorView<'_, T>,
    beta: R,
    y: &mut VectorViewMut<'_, T>,
    widen: impl Fn(&T) -> R,
    narrow: impl Fn(R) -> T,
) {
    let values = a.buffer.host();
    for (i, y) in y.host_mut().enumerate() {
        let row = a.offset + i * a.row_stride;
        let sum = x.host().enumerate().fold(R::zero(), |sum, (j, x)| {
            widen(&values[row + j * a.col_stride]).mul_add(widen(x), sum)
        });
        let product = alpha * sum;
        *y = narrow(if beta.is_zero() {
            product
        } else {
            beta.mul_add(widen(y), product)
        });
    }
}
