//! x to the power of an integer.

use num_bigint::BigUint;
use num_traits::One as _;

use super::basis::Basis;
use super::map;
use super::vector::Vector;
use super::width::Widths;
use crate::error::{Error, Result};

/// Computes `x` to the power of `exponent` element by element, exactly, by squaring; 1 where that is 0.
///
/// Bound: the power of the bound. Cost: one dispatch, rn `u32`s read and written, 2 log₂(exponent) products for each.
///
/// # Errors
/// As [`add`](super::add()).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, pow}};
/// let x = Vector::from_integers(&Device::host(), &Basis::largest(2)?, &[(-7).into(), 0.into()])?;
/// assert_eq!(pow(&x, 9)?.to_integers().block_on()?, [(-40_353_607).into(), 0.into()]);
/// assert_eq!(pow(&x, 0)?.to_integers().block_on()?, [1.into(), 1.into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn pow(x: &Vector, exponent: u32) -> Result<Vector> {
    let bound = bound(x.basis(), "a power of residues", x.bound(), exponent)?;
    map::map(&POW, x, x, exponent, bound, |prime, x, _| prime.pow(x, exponent))
}

/// What no power of anything up to `bound` is above, if the range holds it.
pub(super) fn bound(basis: &Basis, operation: &'static str, bound: &BigUint, exponent: u32) -> Result<BigUint> {
    // 2^(bits − 1) ≤ bound: what is far beyond the range is not computed.
    let least = bound.bits().saturating_sub(1).saturating_mul(u64::from(exponent));
    if least > basis.half().bits() {
        return Err(Error::LeavesRange {
            operation,
            bound: format!("at least 2^{least}"),
            range: format!("less than 2^{}", basis.half().bits()),
            primes: basis.len(),
        });
    }
    let power = if exponent == 0 {
        BigUint::one()
    } else {
        bound.pow(exponent)
    };
    basis.check_holds(operation, &power)?;
    Ok(power)
}

pub(super) static POW: Widths = map::kernels!("residue pow", "residue/pow.wgsl");
