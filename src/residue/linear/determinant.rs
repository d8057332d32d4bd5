//! Exact determinants.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, Zero as _};
use web_time::Instant;

use super::crt::Remainders;
use super::elimination::eliminate_each;
use super::matrix::Integers;
use super::modular::Ask;
use crate::device::Device;
use crate::error::Result;
use crate::residue::Prime;
use crate::residue::basis::primes_for;

/// When enough primes have been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// When they hold Hadamard's bound: the result is certified.
    #[default]
    Certified,
    /// When the last so many primes have not changed the result, or they hold Hadamard's bound. A wrong result would be one
    /// that differs from the right by a multiple of each of these primes: with `n` of 16 bits, a chance of 2⁻¹⁶ⁿ in spirit,
    /// but a matrix can be made for which it is wrong. Where what is found can be checked, as in [`dixon`](super::dixon()), it
    /// is, and digits stand for primes.
    Unchanged(usize),
}

/// A determinant, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Determinant {
    /// The determinant.
    pub value: BigInt,
    /// The primes that were taken.
    pub primes: usize,
    /// Whether they hold Hadamard's bound, so that nothing else can be the determinant.
    pub certified: bool,
    /// Seconds for Hadamard's bound and the primes, on the host.
    pub bound_seconds: f64,
    /// Seconds for elimination modulo the primes, with upload and read-back.
    pub elimination_seconds: f64,
    /// Seconds for the integer of the residues, on the host.
    pub remainder_seconds: f64,
}

/// The determinant of a square matrix of integers; 1 for the empty one.
///
/// Elimination modulo as many primes as [`Stop`] says, on the device, and the Chinese remainder theorem by a tree of
/// products on the host. Cost: with h bits in Hadamard's bound, h/16 eliminations of n³/3 products each, on all threads of
/// the host, or batched in about n/10 dispatches for as many primes as memory holds; and (h/16)² products modulo primes.
/// [`Stop::Unchanged`] takes its primes in shares, and a GPU is poorly used by small ones.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) where the matrix is not square, [`Error::Basis`](crate::Error::Basis) where the
/// bound is beyond 2⁴⁷¹¹⁶; [`Error::TooLarge`](crate::Error::TooLarge), and whatever the device reports.
///
/// ```
/// use nonius::{Blocking, Device, residue::linear::{Integers, Stop, determinant}};
/// let a = Integers::new(2, 2, [3, 8, 4, 6].map(Into::into).to_vec())?;
/// assert_eq!(determinant(&Device::host(), &a, Stop::Certified).block_on()?.value, (-14).into());
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn determinant(device: &Device, a: &Integers, stop: Stop) -> Result<Determinant> {
    a.check_square("a determinant of integers")?;
    let start = Instant::now();
    let primes = primes_for(&a.hadamard())?;
    let bound_seconds = start.elapsed().as_secs_f64();
    let mut found = Determinant {
        value: BigInt::zero(),
        primes: 0,
        certified: false,
        bound_seconds,
        elimination_seconds: 0.0,
        remainder_seconds: 0.0,
    };
    let patience = match stop {
        Stop::Certified => primes.len(),
        // As many at once as must leave the result unchanged, so that each round can be the last.
        Stop::Unchanged(patience) => patience.max(1),
    };
    let mut modulus = BigUint::one();
    for share in primes.chunks(patience) {
        let start = Instant::now();
        let modular = eliminate_each(device, a, share, Ask::Determinant).await?;
        let end = Instant::now();
        let correction = lift(
            &mut found.value,
            &mut modulus,
            share,
            modular.iter().map(|one| one.determinant),
        );
        found.elimination_seconds += (end - start).as_secs_f64();
        found.remainder_seconds += end.elapsed().as_secs_f64();
        let first = found.primes == 0;
        found.primes += share.len();
        if !first && share.len() == patience && correction.is_zero() {
            break;
        }
    }
    found.certified = found.primes == primes.len();
    Ok(found)
}

/// From u modulo M to u modulo M and the primes of a share, Newton's way: u ← u + M c. Returns c, which is 0 where u is
/// right modulo the share already.
fn lift(u: &mut BigInt, modulus: &mut BigUint, share: &[Prime], residues: impl Iterator<Item = u32>) -> BigInt {
    let remainders = Remainders::new(share);
    let of_share = BigInt::from(remainders.modulus().clone());
    let known = BigInt::from(modulus.clone());
    let inverse = known
        .modinv(&of_share)
        .unwrap_or_else(|| unreachable!("primes are taken once"));
    let mut correction = ((remainders.integer(residues) - &*u) * inverse).mod_floor(&of_share);
    if &correction * 2 > of_share {
        correction -= &of_share;
    }
    *u += known * &correction;
    *modulus *= remainders.modulus();
    correction
}
