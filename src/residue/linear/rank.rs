//! Exact ranks.

use num_bigint::BigUint;

use super::elimination::{eliminate, modulo_each, residues};
use super::matrix::Integers;
use crate::error::Result;
use crate::residue::{Basis, Prime};

/// The rank of a matrix of integers, certified.
///
/// Modulo a prime, a rank can only be smaller: it is, where the prime divides all largest minors that are not 0. These are
/// below Hadamard's bound, so of primes whose product is above it, one gives the rank. A prime that gives full rank ends the
/// search, and is usually the first. Cost: up to h/16 eliminations modulo primes, h the bits of the bound.
///
/// # Errors
/// [`Error::Basis`](crate::Error::Basis) where the bound is beyond 2⁴⁷⁸⁰⁰.
///
/// ```
/// use nonius::residue::linear::{Integers, rank};
/// let a = Integers::new(3, 3, (1..=9).map(Into::into).collect())?;
/// assert_eq!(rank(&a)?, 2);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn rank(a: &Integers) -> Result<usize> {
    let full = a.rows().min(a.cols());
    let modulo = |prime| {
        eliminate(prime, residues(a, prime), a.cols(), a.cols(), false)
            .pivots
            .len()
    };
    let first = Basis::largest(1)?;
    if first.primes().any(|prime| modulo(prime) == full) {
        return Ok(full);
    }
    // Half the product of the primes is at least the bound: the product is above it.
    let basis = Basis::for_bound(&a.hadamard().max(BigUint::from(1_u32)))?;
    let primes: Vec<Prime> = basis.primes().collect();
    Ok(modulo_each(&primes, modulo).into_iter().max().unwrap_or(0))
}
