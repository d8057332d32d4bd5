//! x − y.

use super::map;
use super::vector::Vector;
use super::width::Widths;
use crate::error::Result;

/// Computes `x − y`, exactly: modulo each prime, one subtraction and one conditional addition.
///
/// Shapes: both have n integers. Bound: the sum of the bounds. Cost: one dispatch, 2rn `u32`s read, rn written.
///
/// # Errors
/// As [`add`](super::add()).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, sub}};
/// let (host, basis) = (Device::host(), Basis::largest(2)?);
/// let x = Vector::from_integers(&host, &basis, &[5.into()])?;
/// let y = Vector::from_integers(&host, &basis, &[8.into()])?;
/// assert_eq!(sub(&x, &y)?.to_integers().block_on()?, [(-3).into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn sub(x: &Vector, y: &Vector) -> Result<Vector> {
    x.check_same("a difference of residues", y)?;
    let bound = x.bound() + y.bound();
    x.basis().check_holds("a difference of residues", &bound)?;
    map::map(&SUB, x, y, 0, bound, |prime, x, y| prime.sub(x, y))
}

pub(super) static SUB: Widths = map::kernels!("residue sub", "residue/sub.wgsl");
