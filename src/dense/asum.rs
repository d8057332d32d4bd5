//! Σ |xᵢ|.

use super::check;
use super::reduce::{self, Reduction};
use super::vector::{VectorView, VectorViewMut};
use crate::device::Ground;
use crate::device::kernel::fragment;
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `Σ |xᵢ|`; 0 for an empty vector. Accuracy: |error| ≤ γ·Σ|xᵢ| with γ = (n − 1) roundings at most (on a GPU,
/// where the sum is a tree, about n/10⁵ + 30). Cost: two dispatches, n reads, one read-back.
///
/// # Errors
/// Only what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, asum}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, -3.0])?;
/// assert_eq!(asum(&x).block_on()?, 4.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn asum<'a, T: Scalar>(x: impl Into<VectorView<'a, T>>) -> Result<T> {
    let x = x.into();
    reduce::to_host(x.device(), |result| asum_into(x, result)).await
}

/// As [`asum`], into one element on the device; nothing waits.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when `result` is not one element,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
pub fn asum_into<'a, T: Scalar>(
    x: impl Into<VectorView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (x, mut result) = (x.into(), result.into());
    check::result("asum", &x, &result)?;
    match x.device().ground() {
        Ground::Host => {
            let total = x.host().fold(T::zero(), |sum, x| sum + x.abs());
            result.host_mut().for_each(|result| *result = total);
        }
        Ground::Gpu(gpu) => ASUM.launch(gpu, T::KIND, &[x], &result)?,
    }
    Ok(())
}

pub(super) static ASUM: Reduction = Reduction::over_x(["asum", "asum (last pass)"], fragment!("dense/asum.wgsl"), 1);
