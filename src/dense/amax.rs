//! max |xᵢ|.

use super::check;
use super::reduce::{self, Reduction};
use super::vector::{VectorView, VectorViewMut};
use crate::device::Ground;
use crate::device::kernel::fragment;
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `‖x‖∞ = max |xᵢ|`; 0 for an empty vector, NaN where x has one. Exact; subnormals may count as zeros, as
/// WGSL lets a GPU have them. Cost: two dispatches, n reads, one scalar read back.
///
/// # Errors
/// Only what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, amax}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, -3.0, 2.0])?;
/// assert_eq!(amax(&x).block_on()?, 3.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn amax<'a, T: Scalar>(x: impl Into<VectorView<'a, T>>) -> Result<T> {
    let x = x.into();
    reduce::to_host(x.device(), |result| amax_into(x, result)).await
}

/// As [`amax`], into one element on the device; nothing waits.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when `result` is not one element,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
pub fn amax_into<'a, T: Scalar>(
    x: impl Into<VectorView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (x, mut result) = (x.into(), result.into());
    check::result("amax", &x, &result)?;
    match x.device().ground() {
        Ground::Host => {
            let largest = x.host().map(|x| x.abs()).fold(T::zero(), larger);
            result.host_mut().for_each(|result| *result = largest);
        }
        Ground::Gpu(gpu) => AMAX.launch(gpu, T::KIND, &[x], &result)?,
    }
    Ok(())
}

/// The larger, and NaN if either is.
pub(crate) fn larger<T: Scalar>(x: T, y: T) -> T {
    if !x.is_nan() && (y > x || y.is_nan()) { y } else { x }
}

pub(super) static AMAX: Reduction = Reduction::over_x(["amax", "amax (last pass)"], fragment!("dense/amax.wgsl"), 1);
