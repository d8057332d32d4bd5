//! −x.

use super::map;
use super::vector::Vector;
use super::width::Widths;
use crate::error::Result;

/// Computes `−x`, exactly. The range is symmetric, so this never leaves it. Cost: one dispatch, rn `u32`s read and written.
///
/// # Errors
/// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, neg}};
/// let x = Vector::from_integers(&Device::host(), &Basis::largest(1)?, &[32_760.into(), 0.into()])?;
/// assert_eq!(neg(&x)?.to_integers().block_on()?, [(-32_760).into(), 0.into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn neg(x: &Vector) -> Result<Vector> {
    map::map(&NEG, x, x, 0, x.bound().clone(), |prime, x, _| prime.neg(x))
}

pub(super) static NEG: Widths = map::kernels!("residue neg", "residue/neg.wgsl");
