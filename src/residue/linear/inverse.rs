//! Exact inverses.

use num_bigint::BigInt;

use super::matrix::Integers;
use super::solve::solve;
use crate::device::Device;
use crate::error::Result;
use crate::rational::Rational;

/// The inverse of a square matrix of integers, by rows: the solution of A X = I, certified. Cost: that of
/// [`solve`](super::solve()) with n right-hand sides.
///
/// # Errors
/// As [`solve`](super::solve()).
///
/// ```
/// use nonius::{Blocking, Device, residue::linear::{Integers, Rational, inverse}};
/// let a = Integers::new(2, 2, [2, 1, 1, 1].map(Into::into).to_vec())?;
/// assert_eq!(inverse(&Device::host(), &a).block_on()?, [1, -1, -1, 2].map(|n: i32| Rational::from_integer(n.into())));
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn inverse(device: &Device, a: &Integers) -> Result<Vec<Rational>> {
    a.check_square("an exact inverse")?;
    let n = a.rows();
    let identity = (0..n).flat_map(|row| (0..n).map(move |col| BigInt::from(i32::from(row == col))));
    solve(device, a, &Integers::new(n, n, identity.collect())?).await
}
