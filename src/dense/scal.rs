//! y ← αy.

use super::map;
use super::vector::VectorViewMut;
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `y ← αy`. Accuracy: one rounding an element ([`Scalar::ROUNDING`]). Cost: one dispatch, n reads and writes.
///
/// # Errors
/// Only what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, scal}};
/// let mut y = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// scal(3.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [3.0, 6.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn scal<'a, T: Scalar>(alpha: T, y: impl Into<VectorViewMut<'a, T>>) -> Result<()> {
    let mut y = y.into();
    match y.device().clone().ground() {
        Ground::Host => y.host_mut().for_each(|y| *y *= alpha),
        Ground::Gpu(gpu) => map::launch(gpu, &SCAL, alpha, &[], &y)?,
    }
    Ok(())
}

pub(super) static SCAL: Kernel = map::kernel_y("scal", fragment!("dense/scal.wgsl"));
