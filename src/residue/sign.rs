//! The signs of integers.

use super::fraction::Method;
use super::vector::Vector;
use super::verdict;
use super::width::Widths;
use crate::device::Buffer;
use crate::error::Result;

/// The sign of each integer: −1, 0 or 1. Exact, whichever the method.
///
/// Cost: one dispatch, rn `u32`s read, n written, and for each integer r²/2 products modulo primes, each of 3
/// multiplications (5 where primes are wide) and about 15 other operations; or 8r multiply-adds by [`Method::Fraction`] where
/// the fraction says it (4r where primes are wide, of 64 bits). In a subgroup where it says nothing of one integer, the neighbours of that wait for its digits. `nonius bench sign` times both.
///
/// # Errors
/// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory); [`Error::Shape`](crate::Error::Shape)
/// for some 350 primes and more on drivers that compute on the CPU, which end long loops before their end.
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Method, Vector, sign}};
/// let x = Vector::from_integers(&Device::host(), &Basis::largest(9)?, &[5.into(), 0.into(), (-5).into()])?;
/// assert_eq!(sign(&x, Method::Fraction)?.to_host().block_on()?, [1, 0, -1]);
/// assert_eq!(sign(&x, Method::MixedRadix)?.to_host().block_on()?, [1, 0, -1]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn sign(x: &Vector, method: Method) -> Result<Buffer<i32>> {
    verdict::judge(&SIGN, x, x, method, |_, x, _| x)
}

pub(crate) static SIGN: Widths = verdict::kernels!(
    verdict::kernel,
    "residue sign",
    "residue/sign.wgsl",
    "residue/lib/verdict.wgsl"
);
