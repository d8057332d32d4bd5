//! A x = b over the rationals.

use num_bigint::BigInt;

use super::elimination::{Eliminated, eliminate, modulo_each, residues};
use super::matrix::{Integers, Rational};
use crate::error::{Error, Result};
use crate::residue::{Basis, Prime};

/// Solves A X = B exactly for a square matrix of integers and k right-hand sides, X by rows.
///
/// Modulo each prime that does not divide det A, elimination of [A B] gives det A and X, hence the numerators det A · X
/// (Cramer's rule). Every one is a minor of [A B], so primes that hold Hadamard's bound of [A B] give both exactly: certified,
/// and there is nothing to reconstruct.
///
/// Cost: with h bits in the bound, h/16 eliminations of n³ + n²k products, on all threads; and (h/16)²/2 products for each
/// of nk numerators.
///
/// # Errors
/// [`Error::Shape`] where A is not square or B has other rows; [`Error::Singular`] with the first column that depends on
/// those before it; [`Error::Basis`] where the bound is beyond what primes hold.
///
/// ```
/// use nonius::residue::linear::{Integers, Rational, solve};
/// let a = Integers::new(2, 2, [2, 1, 1, 3].map(Into::into).to_vec())?;
/// let b = Integers::new(2, 1, [1, 1].map(Into::into).to_vec())?;
/// let fifths = |n: i32| Rational::new(n.into(), 5.into());
/// assert_eq!(solve(&a, &b)?, [fifths(2), fifths(1)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn solve(a: &Integers, b: &Integers) -> Result<Vec<Rational>> {
    a.check_square("an exact solution")?;
    let (n, k) = (a.cols(), b.cols());
    if b.rows() != n {
        return Err(Error::Shape {
            operation: "an exact solution",
            expected: format!("right-hand sides of {n} rows"),
            found: format!("{}", b.rows()),
        });
    }
    let both = beside(a, b)?;
    let bound = both.hadamard();
    // Primes that divide det A say nothing of X. If so many do that their product is above the bound, det A is 0.
    let mut basis = Basis::for_bound(&bound)?;
    let mut primes: Vec<Prime> = basis.primes().collect();
    let mut useful: Vec<Eliminated> = Vec::new();
    let mut dependent: Vec<(Prime, usize)> = Vec::new();
    loop {
        for eliminated in modulo_each(&primes, |prime| {
            eliminate(prime, residues(&both, prime), n + k, n, true)
        }) {
            if eliminated.determinant != 0 {
                useful.push(eliminated);
            } else {
                let column = (0..n).find(|col| eliminated.pivots.get(*col) != Some(col)).unwrap_or(n);
                dependent.push((eliminated.prime, column));
            }
        }
        let values = |primes: Vec<Prime>| primes.iter().map(|prime| prime.value()).collect::<Vec<_>>();
        let bad = values(dependent.iter().map(|(prime, _)| *prime).collect());
        if !bad.is_empty() && Basis::new(&bad)?.holds(&bound) {
            // A column that is independent of those before it is so modulo one of these primes, by the same bound.
            let column = dependent.iter().map(|(_, column)| *column).max().unwrap_or(0);
            return Err(Error::Singular { column });
        }
        let good = values(useful.iter().map(|eliminated| eliminated.prime).collect());
        if !good.is_empty() {
            let basis = Basis::new(&good)?;
            if basis.holds(&bound) {
                return quotients(&basis, &useful, n, k);
            }
        }
        let before = basis.len();
        basis = basis.extend(dependent.len().min(before))?;
        primes = basis.primes().skip(before).collect();
    }
}

/// det A · X and det A from their residues.
fn quotients(basis: &Basis, useful: &[Eliminated], n: usize, k: usize) -> Result<Vec<Rational>> {
    let determinants: Vec<u32> = useful.iter().map(|eliminated| eliminated.determinant).collect();
    let determinant: BigInt = basis.integer(&determinants)?;
    let numerator = |row: usize, col: usize| {
        let of = |one: &Eliminated| one.prime.mul(one.determinant, one.rows[row * (n + k) + n + col]);
        basis.integer(&useful.iter().map(of).collect::<Vec<_>>())
    };
    let places = (0..n).flat_map(|row| (0..k).map(move |col| (row, col)));
    places
        .map(|(row, col)| Ok(Rational::new(numerator(row, col)?, determinant.clone())))
        .collect()
}

/// [A B].
fn beside(a: &Integers, b: &Integers) -> Result<Integers> {
    let (n, k) = (a.cols(), b.cols());
    let row = |i: usize| a.entries()[i * n..][..n].iter().chain(&b.entries()[i * k..][..k]);
    Integers::new(n, n + k, (0..n).flat_map(row).cloned().collect())
}
