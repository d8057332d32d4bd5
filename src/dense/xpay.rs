//! y ← x + αy.

use super::vector::{VectorView, VectorViewMut};
use super::{check, map};
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `y ← x + αy`, as in the update of a search direction. Accuracy: one multiplication and one addition an element. Cost: one dispatch, 2n reads, n writes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, xpay}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// let mut y = Vector::from_slice(&Device::host(), &[10.0, 20.0])?;
/// xpay(3.0, &x, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [31.0, 62.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn xpay<'a, T: Scalar>(
    alpha: T,
    x: impl Into<VectorView<'a, T>>,
    y: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (x, mut y) = (x.into(), y.into());
    check::into("xpay", &x, &y)?;
    match x.device().ground() {
        Ground::Host => y.host_mut().zip(x.host()).for_each(|(y, x)| *y = alpha.mul_add(*y, *x)),
        Ground::Gpu(gpu) => map::launch(gpu, &XPAY, alpha, &[x], &y)?,
    }
    Ok(())
}

pub(super) static XPAY: Kernel = map::kernel_xy("xpay", fragment!("dense/xpay.wgsl"));
