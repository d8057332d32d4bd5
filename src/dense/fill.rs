//! y ← α.

use super::map;
use super::vector::VectorViewMut;
use crate::device::Ground;
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;
use crate::scalar::Scalar;

/// Computes `y ← α`, element by element. `y` is not read. Exact. Cost: one dispatch, n writes.
///
/// # Errors
/// Only what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, fill}};
/// let mut y = Vector::zeros(&Device::host(), 2)?;
/// fill(1.5_f32, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [1.5, 1.5]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn fill<'a, T: Scalar>(alpha: T, y: impl Into<VectorViewMut<'a, T>>) -> Result<()> {
    let mut y = y.into();
    match y.device().clone().ground() {
        Ground::Host => y.host_mut().for_each(|y| *y = alpha),
        Ground::Gpu(gpu) => map::launch(gpu, &FILL, alpha, &[], &y)?,
    }
    Ok(())
}

pub(super) static FILL: Kernel = map::kernel_y("fill", fragment!("dense/fill.wgsl"));
