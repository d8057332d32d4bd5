//! Which of two integers is larger.

use super::fraction::Method;
use super::prime::Prime;
use super::vector::Vector;
use super::verdict;
use super::width::Widths;
use crate::device::Buffer;
use crate::error::Result;

/// Compares element by element: −1 where x < y, 0 where x = y, 1 where x > y. Exact, by the sign of the difference (Suzuki
/// and Murao 2010, section 5.1), which is formed in registers.
///
/// Shapes: both have n integers. Cost: as [`sign`](super::sign()), and y is read too.
///
/// # Errors
/// As [`add`](super::add()): the range must hold the difference; and as [`sign`](super::sign()).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Method, Vector, compare}};
/// let (host, basis) = (Device::host(), Basis::largest(2)?);
/// let x = Vector::from_integers(&host, &basis, &[5.into(), 5.into(), 5.into()])?;
/// let y = Vector::from_integers(&host, &basis, &[8.into(), 5.into(), (-8).into()])?;
/// assert_eq!(compare(&x, &y, Method::default())?.to_host().block_on()?, [-1, 0, 1]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn compare(x: &Vector, y: &Vector, method: Method) -> Result<Buffer<i32>> {
    x.check_same("a comparison of residues", y)?;
    x.basis()
        .check_holds("a comparison of residues", &(x.bound() + y.bound()))?;
    verdict::judge(&COMPARE, x, y, method, Prime::sub)
}

pub(super) static COMPARE: Widths = verdict::kernels!(
    verdict::kernel,
    "residue compare",
    "residue/compare.wgsl",
    "residue/lib/verdict.wgsl"
);
