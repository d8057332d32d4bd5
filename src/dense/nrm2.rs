//! ‖x‖₂.

use super::check;
use super::reduce::{self, Reduction};
use super::vector::{VectorView, VectorViewMut};
use crate::device::Ground;
use crate::device::kernel::fragment;
use crate::error::Result;
use crate::scalar::{Df64, Scalar};

/// Computes `‖x‖₂ = √Σ xᵢ²` without overflow or underflow on the way (Blue 1978; Anderson 2017, as in LAPACK 3.10);
/// 0 for an empty vector. Relative error: half of [`dot`](super::dot)'s γ, and a few roundings. Cost: two dispatches, n
/// reads, one read-back. Deterministic.
///
/// # Errors
/// Only what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, nrm2}};
/// let x = Vector::from_slice(&Device::host(), &[3e30_f32, 4e30])?;
/// assert_eq!(nrm2(&x).block_on()?, 5e30);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn nrm2<'a, T: Scalar>(x: impl Into<VectorView<'a, T>>) -> Result<T> {
    let x = x.into();
    reduce::to_host(x.device(), |result| nrm2_into(x, result)).await
}

/// As [`nrm2`], into one element on the device; nothing waits.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when `result` is not one element,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
pub fn nrm2_into<'a, T: Scalar>(
    x: impl Into<VectorView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    accumulate(x.into(), result.into(), |x| *x)
}

/// Computes `‖x‖₂` of `f32` data with squares, sum and root in [`Df64`]. Reads no more than [`nrm2`].
///
/// # Errors
/// As [`nrm2`]; [`Error::UnsupportedScalar`](crate::Error::UnsupportedScalar) where the device has no Df64.
///
/// ```
/// use nonius::{Blocking, Device, Scalar, dense::{Vector, nrm2_in_df64}};
/// let x = Vector::from_slice(&Device::host(), &[1.0_f32, 1.0])?;
/// assert!((nrm2_in_df64(&x).block_on()?.to_f64() - 2.0_f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn nrm2_in_df64<'a>(x: impl Into<VectorView<'a, f32>>) -> Result<Df64> {
    let x = x.into();
    reduce::to_host(x.device(), |result| accumulate(x, result, |x| Df64::from(*x))).await
}

/// The norm in R of T's, which `widen` brings to R without rounding.
fn accumulate<T: Scalar, R: Scalar>(
    x: VectorView<'_, T>,
    mut result: VectorViewMut<'_, R>,
    widen: impl Fn(&T) -> R,
) -> Result<()> {
    check::result("nrm2", &x, &result)?;
    match x.device().ground() {
        Ground::Host => {
            let widened: Vec<R> = x.host().map(widen).collect();
            let norm = on_host(&widened);
            result.host_mut().for_each(|result| *result = norm);
        }
        Ground::Gpu(gpu) => NRM2.launch(gpu, R::KIND, &[x], &result)?,
    }
    Ok(())
}

/// The definition, after a power of two has brought the largest element to [1, 2): what then underflows is too small
/// to be seen beside it.
fn on_host<R: Scalar>(x: &[R]) -> R {
    let largest = x
        .iter()
        .map(|x| x.abs())
        .fold(R::zero(), |a, b| if b > a || b.is_nan() { b } else { a });
    let Some(exponent) = largest.exponent() else {
        return largest;
    };
    let squares = x
        .iter()
        .map(|x| x.scale_exponent(-exponent))
        .fold(R::zero(), |sum, x| x.mul_add(x, sum));
    squares.sqrt().scale_exponent(exponent)
}

pub(super) static NRM2: Reduction = Reduction::over_x(["nrm2", "nrm2 (last pass)"], fragment!("dense/nrm2.wgsl"), 3);
