//! z ← αx + y.

use super::vector::{VectorView, VectorViewMut};
use super::{check, map};
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `z ← αx + y`. `z` is not read. Accuracy: one multiplication and one addition an element. Cost: one dispatch, 2n reads, n writes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, axpyz}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// let y = Vector::from_slice(&Device::host(), &[10.0, 20.0])?;
/// let mut z = Vector::zeros(&Device::host(), 2)?;
/// axpyz(3.0, &x, &y, &mut z)?;
/// assert_eq!(z.to_host().block_on()?, [13.0, 26.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn axpyz<'a, T: Scalar>(
    alpha: T,
    x: impl Into<VectorView<'a, T>>,
    y: impl Into<VectorView<'a, T>>,
    z: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (x, y, mut z) = (x.into(), y.into(), z.into());
    check::pair("axpyz", &x, &y)?;
    check::into("axpyz", &x, &z)?;
    match x.device().ground() {
        Ground::Host => z
            .host_mut()
            .zip(x.host().zip(y.host()))
            .for_each(|(z, (x, y))| *z = alpha.mul_add(*x, *y)),
        Ground::Gpu(gpu) => map::launch(gpu, &AXPYZ, alpha, &[x, y], &z)?,
    }
    Ok(())
}

pub(super) static AXPYZ: Kernel = map::kernel_xyz("axpyz", fragment!("dense/axpyz.wgsl"));
