//! x y, element by element.

use super::map;
use super::vector::Vector;
use super::width::Widths;
use crate::error::Result;

/// Computes `x y` element by element, exactly: modulo each prime, one Montgomery product (three multiplications of 32 bits, or five
/// where primes are wide).
///
/// Shapes: both have n integers. Bound: the product of the bounds. Cost: one dispatch, 2rn `u32`s read, rn written.
///
/// # Errors
/// As [`add`](super::add()).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, mul}};
/// let (host, basis) = (Device::host(), Basis::largest(2)?);
/// let x = Vector::from_integers(&host, &basis, &[1234.into()])?;
/// let y = Vector::from_integers(&host, &basis, &[(-56).into()])?;
/// assert_eq!(mul(&x, &y)?.to_integers().block_on()?, [(-69_104).into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn mul(x: &Vector, y: &Vector) -> Result<Vector> {
    x.check_same("a product of residues", y)?;
    let bound = x.bound() * y.bound();
    x.basis().check_holds("a product of residues", &bound)?;
    map::map(&MUL, x, y, 0, bound, |prime, x, y| prime.mul(x, y))
}

pub(super) static MUL: Widths = map::kernels!("residue mul", "residue/mul.wgsl");
