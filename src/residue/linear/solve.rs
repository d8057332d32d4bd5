//! A x = b over the rationals.

use super::crt::Remainders;
use super::elimination::eliminate_each;
use super::matrix::Integers;
use super::modular::{Ask, Modular};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::rational::Rational;
use crate::residue::basis::{further_primes, primes_for};
use crate::threads;

/// Solves A X = B exactly for a square matrix of integers and k right-hand sides, X by rows.
///
/// Modulo each prime that does not divide det A, elimination of [A B] gives det A and X, hence the numerators det A · X
/// (Cramer's rule). Every one is a minor of [A B], so primes that hold Hadamard's bound of [A B] give both exactly: certified,
/// and there is nothing to reconstruct.
///
/// Cost: with h bits in the bound, h/16 eliminations, on the host of n³ + n²k products each, on a GPU of n³/3 + 2n²k; and for
/// each of nk numerators a tree of products with h bits at its root, on the host.
///
/// # Errors
/// [`Error::Shape`] where A is not square or B has other rows; [`Error::Singular`] with the first column that depends on
/// those before it; [`Error::Basis`] where the bound is beyond what primes hold; and
/// whatever the device reports.
///
/// ```
/// use nonius::{Blocking, Device, residue::linear::{Integers, Rational, solve}};
/// let a = Integers::new(2, 2, [2, 1, 1, 3].map(Into::into).to_vec())?;
/// let b = Integers::new(2, 1, [1, 1].map(Into::into).to_vec())?;
/// let fifths = |n: i32| Rational::new(n.into(), 5.into());
/// assert_eq!(solve(&Device::host(), &a, &b).block_on()?, [fifths(2), fifths(1)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn solve(device: &Device, a: &Integers, b: &Integers) -> Result<Vec<Rational>> {
    check_sides(a, b)?;
    let (n, k) = (a.cols(), b.cols());
    let both = beside(a, b)?;
    let bound = both.hadamard();
    // Primes that divide det A say nothing of X. If so many do that their product is above the bound, det A is 0.
    let mut primes = primes_for(&bound)?;
    let mut taken = Vec::new();
    let (mut useful, mut dependent): (Vec<Modular>, Vec<Modular>) = (Vec::new(), Vec::new());
    loop {
        let before = dependent.len();
        for modular in eliminate_each(device, &both, &primes, Ask::Solution).await? {
            if modular.dependent.is_none() {
                useful.push(modular);
            } else {
                dependent.push(modular);
            }
        }
        taken.extend(primes);
        let remainders =
            |modular: &[Modular]| Remainders::new(&modular.iter().map(|one| one.prime).collect::<Vec<_>>());
        if remainders(&dependent).holds(&bound) {
            // A column that is independent of those before it is so modulo one of these primes, by the same bound.
            let column = dependent.iter().filter_map(|one| one.dependent).max().unwrap_or(0);
            return Err(Error::Singular { column });
        }
        let of_useful = remainders(&useful);
        if of_useful.holds(&bound) {
            return Ok(quotients(&of_useful, &useful, n, k));
        }
        // As many as have just said nothing; one, where others are smaller than those that they stand for.
        primes = further_primes(&taken, (dependent.len() - before).max(1))?;
    }
}

/// det A · X and det A from their residues.
fn quotients(remainders: &Remainders, useful: &[Modular], n: usize, k: usize) -> Vec<Rational> {
    let determinant = remainders.integer(useful.iter().map(|one| one.determinant));
    let places: Vec<usize> = (0..n).flat_map(|row| (0..k).map(move |col| col * n + row)).collect();
    threads::map_in_parts(&places, |at| {
        let numerators = useful
            .iter()
            .map(|one| one.prime.mul(one.determinant, one.solution[*at]));
        Rational::new(remainders.integer(numerators), determinant.clone())
    })
}

/// Refuses an A that is not square, and a B of other rows.
pub(super) fn check_sides(a: &Integers, b: &Integers) -> Result<()> {
    a.check_square("an exact solution")?;
    if b.rows() == a.cols() {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "an exact solution",
        expected: format!("right-hand sides of {} rows", a.cols()),
        found: format!("{}", b.rows()),
    })
}

/// [A B].
pub(super) fn beside(a: &Integers, b: &Integers) -> Result<Integers> {
    let (n, k) = (a.cols(), b.cols());
    let row = |i: usize| a.entries()[i * n..][..n].iter().chain(&b.entries()[i * k..][..k]);
    Integers::new(n, n + k, (0..n).flat_map(row).cloned().collect())
}
