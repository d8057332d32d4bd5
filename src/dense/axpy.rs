//! y ← αx + y.

use super::vector::{VectorView, VectorViewMut};
use super::{check, map};
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `y ← αx + y`. Accuracy: one multiplication and one addition an element. Cost: one dispatch, 2n reads, n writes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, axpy}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// let mut y = Vector::from_slice(&Device::host(), &[10.0, 20.0])?;
/// axpy(3.0, &x, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [13.0, 26.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn axpy<'a, T: Scalar>(
    alpha: T,
    x: impl Into<VectorView<'a, T>>,
    y: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (x, mut y) = (x.into(), y.into());
    check::into("axpy", &x, &y)?;
    match x.device().ground() {
        Ground::Host => y.host_mut().zip(x.host()).for_each(|(y, x)| *y = alpha.mul_add(*x, *y)),
        Ground::Gpu(gpu) => map::launch(gpu, &AXPY, alpha, &[x], &y)?,
    }
    Ok(())
}

pub(super) static AXPY: Kernel = map::kernel_xy("axpy", fragment!("dense/axpy.wgsl"));
