//! x + y.

use super::map;
use super::vector::Vector;
use super::width::Widths;
use crate::error::Result;

/// Computes `x + y`, exactly: modulo each prime, one addition and one conditional subtraction.
///
/// Shapes: both have n integers. Bound: the sum of the bounds. Cost: one dispatch, 2rn `u32`s read, rn written.
///
/// # Errors
/// [`Error::LeavesRange`](crate::Error::LeavesRange) where the bound of the result is above ⌊M/2⌋: extend the operands'
/// basis first ([`extend`](super::extend())). [`Error::Shape`](crate::Error::Shape) for other lengths or another basis,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, add}};
/// let x = Vector::from_integers(&Device::host(), &Basis::largest(1)?, &[20_000.into()])?;
/// assert!(add(&x, &x).is_err(), "one prime holds 32760");
/// let x = Vector::from_integers(&Device::host(), &Basis::largest(2)?, &[20_000.into()])?;
/// assert_eq!(add(&x, &x)?.to_integers().block_on()?, [40_000.into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn add(x: &Vector, y: &Vector) -> Result<Vector> {
    x.check_same("a sum of residues", y)?;
    let bound = x.bound() + y.bound();
    x.basis().check_holds("a sum of residues", &bound)?;
    map::map(&ADD, x, y, 0, bound, |prime, x, y| prime.add(x, y))
}

pub(super) static ADD: Widths = map::kernels!("residue add", "residue/add.wgsl");
