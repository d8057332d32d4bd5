//! y ← x.

use super::vector::{VectorView, VectorViewMut};
use super::{check, map};
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `y ← x`. `y` is not read. Accuracy: exact. Cost: one dispatch, n reads, n writes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, copy}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// let mut y = Vector::from_slice(&Device::host(), &[10.0, 20.0])?;
/// copy(&x, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [1.0, 2.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn copy<'a, T: Scalar>(x: impl Into<VectorView<'a, T>>, y: impl Into<VectorViewMut<'a, T>>) -> Result<()> {
    let (x, mut y) = (x.into(), y.into());
    check::into("copy", &x, &y)?;
    match x.device().ground() {
        Ground::Host => y.host_mut().zip(x.host()).for_each(|(y, x)| *y = *x),
        Ground::Gpu(gpu) => map::launch(gpu, &COPY, T::zero(), &[x], &y)?,
    }
    Ok(())
}

pub(super) static COPY: Kernel = map::kernel_xy("copy", fragment!("dense/copy.wgsl"));
