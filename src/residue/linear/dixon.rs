//! A x = b by p-adic lifting.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use super::elimination::eliminate;
use super::elimination::{residues, share_out};
use super::matrix::Integers;
use super::reconstruct::reconstruct;
use super::solve::{beside, check_sides};
use crate::error::Result;
use crate::rational::Rational;
use crate::residue::Prime;
use crate::residue::basis::{further_primes, residue};

/// Primes that are tried before A is thought to be singular: a prime divides the determinant of one regular matrix in p.
const TRIED: usize = 3;

/// Rows from which on sharing them among threads, twice a digit, costs less than it saves.
const ROWS_FOR_THREADS: usize = 400;

/// Solves A X = B exactly, as [`solve`](super::solve()) does, by lifting (Dixon 1982), on the host: `None` where A is
/// singular modulo three primes. That is hardly ever a regular matrix; [`solve`](super::solve()) decides it.
///
/// With C = A⁻¹ modulo one prime p, the digits of X = X₀ + X₁ p + X₂ p² + … are Xᵢ = C Rᵢ mod p, where R₀ = B and
/// Rᵢ₊₁ = (Rᵢ − A Xᵢ)/p, an exact division. Numerators and denominators are minors of [A B], so digits up to
/// pᵏ > 2 H², H Hadamard's bound of it, give them ([`reconstruct`]): certified. After the first element, the denominator
/// that is known is tried first.
///
/// Cost: one elimination of n³ products; then 2n² products for each of h/8 digits and right-hand sides, h the bits of H, by
/// 64-bit integers where n · max|A| · p fits them, else by long ones; and a few times h² bit operations in words to
/// reconstruct. Threads share right-hand sides, or the rows of one. Elimination modulo h/16 primes
/// ([`solve`](super::solve())) takes n/12 times as many products for one right-hand side, but shares them among more.
///
/// # Errors
/// [`crate::Error::Shape`] where A is not square or B has other rows.
///
/// ```
/// use nonius::residue::linear::{Integers, Rational, dixon};
/// let a = Integers::new(2, 2, [2, 1, 1, 3].map(Into::into).to_vec())?;
/// let b = Integers::new(2, 1, [1, 1].map(Into::into).to_vec())?;
/// let fifths = |n: i32| Rational::new(n.into(), 5.into());
/// assert_eq!(dixon(&a, &b)?, Some(vec![fifths(2), fifths(1)]));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn dixon(a: &Integers, b: &Integers) -> Result<Option<Vec<Rational>>> {
    check_sides(a, b)?;
    let (n, k) = (a.cols(), b.cols());
    let bound = beside(a, b)?.hadamard();
    let Some((prime, inverse)) = inverse_modulo_a_prime(a)? else {
        return Ok(None);
    };
    let p = BigUint::from(prime.value());
    let enough = &bound * &bound * 2_u32;
    let (mut digits, mut modulus) = (0, BigUint::one());
    while modulus <= enough {
        modulus *= &p;
        digits += 1;
    }
    // Threads take right-hand sides, or rows of one, if those are worth a thread.
    let threads = k == 1 && n >= ROWS_FOR_THREADS;
    let sides: Vec<usize> = (0..k).collect();
    let columns = share_out(&sides, |side| {
        let b: Vec<BigInt> = (0..n).map(|row| b.entries()[row * k + side].clone()).collect();
        let lifted = match (words(a), words_of(&b)) {
            (Some(a), Some(b)) if fits(n, &a, &b) => lift(prime, &inverse, b, digits, threads, |row, x, r| {
                small_step(prime, &a, row, x, *r)
            }),
            _ => lift(prime, &inverse, b, digits, threads, |row, x, r| {
                long_step(prime, a, row, x, r)
            }),
        };
        fractions(&lifted, &modulus, &bound)
    });
    let columns: Vec<Vec<Rational>> = columns
        .into_iter()
        .collect::<Option<_>>()
        .unwrap_or_else(|| unreachable!("Cramer's fractions are within the bound"));
    Ok(Some(
        (0..n)
            .flat_map(|row| columns.iter().map(move |column| column[row].clone()))
            .collect(),
    ))
}

/// A prime and A⁻¹ modulo it, by rows, in Montgomery's form.
fn inverse_modulo_a_prime(a: &Integers) -> Result<Option<(Prime, Vec<u32>)>> {
    let n = a.cols();
    for prime in further_primes(&[], TRIED)? {
        let of_a = residues(a, prime);
        let mut both = vec![0; 2 * n * n];
        for row in 0..n {
            both[row * 2 * n..][..n].copy_from_slice(&of_a[row * n..][..n]);
            both[row * 2 * n + n + row] = prime.one();
        }
        let eliminated = eliminate(prime, both, 2 * n, n, true);
        if eliminated.determinant != 0 {
            let rows = (0..n).flat_map(|row| &eliminated.rows[row * 2 * n + n..][..n]);
            return Ok(Some((prime, rows.copied().collect())));
        }
    }
    Ok(None)
}

/// A number that a residual is made of: i64 where that holds it.
trait Residual: Send + Sync {
    /// Its residue in Montgomery's form.
    fn residue(&self, prime: Prime) -> u32;
}

impl Residual for i64 {
    fn residue(&self, prime: Prime) -> u32 {
        let residue = self.rem_euclid(prime.value().into());
        prime.enter(residue.to_u32().unwrap_or_else(|| unreachable!("below a prime")))
    }
}

impl Residual for BigInt {
    fn residue(&self, prime: Prime) -> u32 {
        residue(prime, self)
    }
}

/// Σ Xᵢ pⁱ of each element; `step` gives the next residual of a row, from its last and the digits. With `threads`, rows are
/// shared among them.
fn lift<R: Residual>(
    prime: Prime,
    inverse: &[u32],
    mut residual: Vec<R>,
    digits: usize,
    threads: bool,
    step: impl Fn(usize, &[u32], &R) -> R + Sync,
) -> Vec<BigUint> {
    let n = residual.len();
    let p = u64::from(prime.value());
    let rows: Vec<usize> = (0..n).collect();
    let mut of_all = vec![Vec::with_capacity(digits); n];
    for _ in 0..digits {
        let residues: Vec<u32> = residual.iter().map(|r| r.residue(prime)).collect();
        // Products are below 2³², so a sum of fewer than 2³² of them fits; both factors are in the form.
        let digit = |row: &usize| {
            let products = inverse[row * n..][..n].iter().zip(&residues);
            let sum: u64 = products.map(|(c, r)| u64::from(*c) * u64::from(*r)).sum();
            let rest = (sum % p).to_u32().unwrap_or_else(|| unreachable!("below a prime"));
            prime.leave(prime.leave(rest))
        };
        let digit = each_row(threads, &rows, digit);
        residual = each_row(threads, &rows, |row| step(*row, &digit, &residual[*row]));
        of_all.iter_mut().zip(digit).for_each(|(all, digit)| all.push(digit));
    }
    let of = |digits: &Vec<u32>| evaluate(digits, prime.value());
    if threads {
        share_out(&of_all, of)
    } else {
        of_all.iter().map(of).collect()
    }
}

fn each_row<T: Send>(threads: bool, rows: &[usize], f: impl Fn(&usize) -> T + Sync) -> Vec<T> {
    if threads {
        share_out(rows, f)
    } else {
        rows.iter().map(f).collect()
    }
}

/// Σ dᵢ pⁱ, by halves.
fn evaluate(digits: &[u32], p: u32) -> BigUint {
    let mut sums: Vec<BigUint> = digits.iter().map(|digit| BigUint::from(*digit)).collect();
    let mut power = BigUint::from(p);
    while sums.len() > 1 {
        sums = sums
            .chunks(2)
            .map(|pair| pair.iter().rev().fold(BigUint::zero(), |sum, part| sum * &power + part))
            .collect();
        power = &power * &power;
    }
    sums.pop().unwrap_or_default()
}

fn small_step(prime: Prime, a: &[i64], row: usize, x: &[u32], r: i64) -> i64 {
    let row = a[row * x.len()..][..x.len()].iter().zip(x);
    let product: i64 = row.map(|(a, x)| a * i64::from(*x)).sum();
    let p = i64::from(prime.value());
    debug_assert!((r - product) % p == 0, "digits solve modulo p");
    (r - product) / p
}

fn long_step(prime: Prime, a: &Integers, row: usize, x: &[u32], r: &BigInt) -> BigInt {
    let row = a.entries()[row * x.len()..][..x.len()].iter().zip(x);
    let product: BigInt = row.map(|(a, x)| a * *x).sum();
    (r - product) / prime.value()
}

fn words(a: &Integers) -> Option<Vec<i64>> {
    words_of(a.entries())
}

fn words_of(entries: &[BigInt]) -> Option<Vec<i64>> {
    entries.iter().map(BigInt::to_i64).collect()
}

/// Whether |r| + n max|A| p is below 2⁶³ for every residual: they stay below max(|b|, n max|A|).
fn fits(n: usize, a: &[i64], b: &[i64]) -> bool {
    let largest = |of: &[i64]| of.iter().map(|x| u128::from(x.unsigned_abs())).max().unwrap_or(0);
    let row = n as u128 * largest(a);
    row.checked_shl(16)
        .is_some_and(|products| row < 1 << 100 && products + row.max(largest(b)) < 1 << 63)
}

/// The fractions within Cramer's bound that are these modulo M.
fn fractions(lifted: &[BigUint], modulus: &BigUint, bound: &BigUint) -> Option<Vec<Rational>> {
    let whole = BigInt::from(modulus.clone());
    let mut denominator = BigInt::one();
    let mut found = Vec::with_capacity(lifted.len());
    for u in lifted {
        let u = BigInt::from(u.clone());
        let mut numerator = (&u * &denominator).mod_floor(&whole);
        if &numerator * 2 > whole {
            numerator -= &whole;
        }
        if numerator.magnitude() <= bound && denominator.magnitude() <= bound {
            found.push(Rational::new(numerator, denominator.clone()));
            continue;
        }
        let fraction = reconstruct(&u, modulus, bound, bound)?;
        denominator = denominator.lcm(fraction.denom()).abs();
        found.push(fraction);
    }
    Some(found)
}
