//! Exact ranks.

use num_bigint::BigUint;

use super::elimination::eliminate_each;
use super::matrix::Integers;
use super::modular::Ask;
use crate::device::Device;
use crate::error::Result;
use crate::residue::basis::primes_for;

/// The rank of a matrix of integers, certified.
///
/// Modulo a prime, a rank can only be smaller: it is, where the prime divides all largest minors that are not 0. These are
/// below Hadamard's bound, so of primes whose product is above it, one gives the rank. A prime that gives full rank ends the
/// search, and is usually the first. Cost: up to h/16 eliminations modulo primes, h the bits of the bound.
///
/// # Errors
/// [`Error::Basis`](crate::Error::Basis) where the bound is beyond 2⁴⁷¹¹⁶; and whatever the device
/// reports.
///
/// ```
/// use nonius::{Blocking, Device, residue::linear::{Integers, rank}};
/// let a = Integers::new(3, 3, (1..=9).map(Into::into).collect())?;
/// assert_eq!(rank(&Device::host(), &a).block_on()?, 2);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn rank(device: &Device, a: &Integers) -> Result<usize> {
    let full = a.rows().min(a.cols());
    if full == 0 {
        return Ok(0);
    }
    // Half the product of the primes is at least the bound: the product is above it.
    let primes = primes_for(&a.hadamard().max(BigUint::from(1_u32)))?;
    let (first, others) = primes.split_at(1);
    let mut found = 0;
    for share in [first, others] {
        let modular = eliminate_each(device, a, share, Ask::Rank).await?;
        found = modular.iter().map(|one| one.rank).fold(found, usize::max);
        if found == full {
            break;
        }
    }
    Ok(found)
}
