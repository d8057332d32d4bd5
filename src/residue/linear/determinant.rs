//! Exact determinants.

use num_bigint::BigInt;

use super::elimination::{eliminate, modulo_each, residues};
use super::matrix::Integers;
use crate::error::Result;
use crate::residue::{Basis, Prime};

/// When enough primes have been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// When they hold Hadamard's bound: the result is certified.
    #[default]
    Certified,
    /// When the last so many primes have not changed the result, or they hold Hadamard's bound. A wrong result would be one
    /// that differs from the right by a multiple of each of these primes: with `n` of 16 bits, a chance of 2⁻¹⁶ⁿ in spirit,
    /// but a matrix can be made for which it is wrong.
    Unchanged(usize),
}

/// The determinant of a square matrix of integers; 1 for the empty one.
///
/// Elimination modulo as many primes as [`Stop`] says, and mixed radix digits. Cost: with h bits in Hadamard's bound,
/// h/16 eliminations of n³/3 products each, on all threads, and (h/16)²/2 products.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) where the matrix is not square, [`Error::Basis`](crate::Error::Basis) where the
/// bound is beyond 2⁴⁷⁸⁰⁰.
///
/// ```
/// use nonius::residue::linear::{Integers, Stop, determinant};
/// let a = Integers::new(2, 2, [3, 8, 4, 6].map(Into::into).to_vec())?;
/// assert_eq!(determinant(&a, Stop::Certified)?, (-14).into());
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn determinant(a: &Integers, stop: Stop) -> Result<BigInt> {
    a.check_square("a determinant of integers")?;
    let basis = Basis::for_bound(&a.hadamard())?;
    let primes: Vec<Prime> = basis.primes().collect();
    let modulo = |prime| eliminate(prime, residues(a, prime), a.cols(), a.cols(), false).determinant;
    let Stop::Unchanged(patience) = stop else {
        return basis.integer(&modulo_each(&primes, modulo));
    };
    // As many at once as must leave the result unchanged, so that each round can be the last.
    let mut known: Vec<u32> = Vec::new();
    let mut last = None;
    for share in primes.chunks(patience.max(1)) {
        known.extend(modulo_each(share, modulo));
        let values: Vec<u32> = primes[..known.len()].iter().map(|prime| prime.value()).collect();
        let found = Basis::new(&values)?.integer(&known)?;
        if share.len() == patience.max(1) && last.as_ref() == Some(&found) {
            return Ok(found);
        }
        last = Some(found);
    }
    Ok(last.unwrap_or_else(|| unreachable!("a basis has a prime")))
}
