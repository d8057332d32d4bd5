//! z ← x ∘ y.

use super::vector::{VectorView, VectorViewMut};
use super::{check, map};
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `z ← x ∘ y`. `z` is not read. Accuracy: one rounding an element. Cost: one dispatch, 2n reads, n writes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, hadamard}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// let y = Vector::from_slice(&Device::host(), &[10.0, 20.0])?;
/// let mut z = Vector::zeros(&Device::host(), 2)?;
/// hadamard(&x, &y, &mut z)?;
/// assert_eq!(z.to_host().block_on()?, [10.0, 40.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn hadamard<'a, T: Scalar>(
    x: impl Into<VectorView<'a, T>>,
    y: impl Into<VectorView<'a, T>>,
    z: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (x, y, mut z) = (x.into(), y.into(), z.into());
    check::pair("hadamard", &x, &y)?;
    check::into("hadamard", &x, &z)?;
    match x.device().ground() {
        Ground::Host => z
            .host_mut()
            .zip(x.host().zip(y.host()))
            .for_each(|(z, (x, y))| *z = *x * *y),
        Ground::Gpu(gpu) => map::launch(gpu, &HADAMARD, T::zero(), &[x, y], &z)?,
    }
    Ok(())
}

pub(super) static HADAMARD: Kernel = map::kernel_xyz("hadamard", fragment!("dense/hadamard.wgsl"));
