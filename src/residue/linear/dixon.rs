//! A x = b by p-adic lifting.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use super::determinant::Stop;
use super::matrix::Integers;
use super::modular::{eliminate, residues};
use super::reconstruct::reconstruct;
use super::solve::{beside, check_sides};
use crate::error::Result;
use crate::rational::Rational;
use crate::residue::Prime;
use crate::residue::basis::{further_primes, residue};
use crate::threads;

/// Primes that are tried before A is thought to be singular: a prime divides the determinant of one regular matrix in p.
const TRIED: usize = 3;

/// Rows from which on sharing them among threads, twice a digit, costs less than it saves.
const ROWS_FOR_THREADS: usize = 400;

/// A solution by lifting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifted {
    /// X, by rows.
    pub x: Vec<Rational>,
    /// The digits that were lifted, of the right-hand side that took the most.
    pub digits: usize,
    /// Whether every right-hand side was ended by A x = b, before the bound.
    pub early: bool,
}

/// Solves A X = B exactly, as [`solve`](super::solve()) does, by lifting (Dixon 1982), on the host: `None` where A is
/// singular modulo three primes. That is hardly ever a regular matrix; [`solve`](super::solve()) decides it.
///
/// With C = A⁻¹ modulo one prime p, the digits of X = X₀ + X₁ p + X₂ p² + … are Xᵢ = C Rᵢ mod p, where R₀ = B and
/// Rᵢ₊₁ = (Rᵢ − A Xᵢ)/p, an exact division. Numerators and denominators are minors of [A B], so digits up to
/// pᵏ > 2 H², H Hadamard's bound of it, give them ([`reconstruct`]): certified. After the first element, the denominator
/// that is known is tried first.
///
/// Solutions are often shorter than the bound allows. With [`Stop::Unchanged`], fractions of numerators and denominators up
/// to √(pᵏ/2) are looked for on the way, and when so many further digits have not changed them, A x = b is computed in
/// integers. Where it holds, x is the solution, whatever the bound says, since A is regular; where it does not, lifting goes
/// on. So the result is certified either way.
///
/// Cost: one elimination of n³ products; then 2n² products for each digit and right-hand side, h/8 of them, h the bits of H,
/// or as many as x has and the further ones, by 64-bit integers where n · max|A| · p fits them, else by long ones; and a few
/// times h² bit operations in words to reconstruct. Stopping early looks for fractions whenever a quarter more digits are
/// there, and takes n² products of entries and long numbers. Threads share right-hand sides, or the rows of one. Elimination
/// modulo h/16 primes ([`solve`](super::solve())) takes n/12 times as many products for one right-hand side, but shares them
/// among more.
///
/// # Errors
/// [`crate::Error::Shape`] where A is not square or B has other rows.
///
/// ```
/// use nonius::residue::linear::{Integers, Rational, Stop, dixon};
/// let a = Integers::new(2, 2, [2, 1, 1, 3].map(Into::into).to_vec())?;
/// let b = Integers::new(2, 1, [1, 1].map(Into::into).to_vec())?;
/// let fifths = |n: i32| Rational::new(n.into(), 5.into());
/// for stop in [Stop::Certified, Stop::Unchanged(2)] {
///     let lifted = dixon(&a, &b, stop)?.expect("regular");
///     assert_eq!(lifted.x, [fifths(2), fifths(1)]);
/// }
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn dixon(a: &Integers, b: &Integers, stop: Stop) -> Result<Option<Lifted>> {
    check_sides(a, b)?;
    let (n, k) = (a.cols(), b.cols());
    let bound = beside(a, b)?.hadamard();
    let Some((prime, inverse)) = inverse_modulo_a_prime(a)? else {
        return Ok(None);
    };
    let halts = Halts::new(prime, &bound, stop);
    // Threads take right-hand sides, or rows of one, if those are worth a thread.
    let threads = k == 1 && n >= ROWS_FOR_THREADS;
    let sides: Vec<usize> = (0..k).collect();
    let columns = threads::map_in_parts(&sides, |side| {
        let b: Vec<BigInt> = (0..n).map(|row| b.entries()[row * k + side].clone()).collect();
        let mut seeker = Seeker::new(a, &b, prime, &bound, &halts);
        match (words(a), words_of(&b)) {
            (Some(a), Some(b)) if fits(n, &a, &b) => lift(prime, &inverse, b, &mut seeker, threads, |row, x, r| {
                small_step(prime, &a, row, x, *r)
            }),
            _ => lift(prime, &inverse, b.clone(), &mut seeker, threads, |row, x, r| {
                long_step(prime, a, row, x, r)
            }),
        }
    });
    let columns: Vec<(usize, Vec<Rational>)> = columns
        .into_iter()
        .collect::<Option<_>>()
        .unwrap_or_else(|| unreachable!("Cramer's fractions are within the bound"));
    let digits = columns.iter().map(|(digits, _)| *digits).max().unwrap_or(0);
    Ok(Some(Lifted {
        digits,
        early: halts.0.last() > Some(&digits),
        x: (0..n)
            .flat_map(|row| columns.iter().map(move |(_, column)| column[row].clone()))
            .collect(),
    }))
}

/// After how many digits fractions are looked for: ascending, and the last is certified by the bound.
struct Halts(Vec<usize>);

impl Halts {
    fn new(prime: Prime, bound: &BigUint, stop: Stop) -> Self {
        let enough = bound * bound * 2_u32;
        let (mut digits, mut modulus) = (0, BigUint::one());
        while modulus <= enough {
            modulus *= prime.value();
            digits += 1;
        }
        let mut halts = Vec::new();
        if let Stop::Unchanged(further) = stop {
            // From one to the next there are as many digits as must change nothing.
            let further = further.max(1);
            let mut next = further;
            while next < digits {
                halts.push(next);
                next = next.saturating_add(further.max(next / 4));
            }
        }
        halts.push(digits);
        Self(halts)
    }
}

/// What looks for the solution of one right-hand side among the digits that are there.
struct Seeker<'a> {
    a: &'a Integers,
    b: &'a [BigInt],
    prime: Prime,
    bound: &'a BigUint,
    halts: &'a Halts,
    /// What was found at the halt before, which is so many digits back as must not change it.
    candidate: Option<Vec<Rational>>,
}

impl<'a> Seeker<'a> {
    fn new(a: &'a Integers, b: &'a [BigInt], prime: Prime, bound: &'a BigUint, halts: &'a Halts) -> Self {
        Self {
            a,
            b,
            prime,
            bound,
            halts,
            candidate: None,
        }
    }

    /// The solution, if these digits give it.
    fn seek(&mut self, digits: usize, lifted: &[BigUint]) -> Option<Vec<Rational>> {
        let modulus = BigUint::from(self.prime.value()).pow(crate::device::narrow(digits));
        if Some(&digits) == self.halts.0.last() {
            return fractions(lifted, &modulus, self.bound);
        }
        if let Some(x) = self.candidate.take()
            && are(&x, lifted, &modulus)
        {
            // If further digits do not change it and it is wrong all the same, they will have to.
            if solves(self.a, &x, self.b) {
                return Some(x);
            }
            self.candidate = Some(x);
            return None;
        }
        // 2 n d < M for all numerators and denominators up to this (Wang 1981).
        let root = ((&modulus - 1_u32) / 2_u32).sqrt();
        self.candidate = fractions(lifted, &modulus, &root);
        None
    }
}

/// Whether these fractions are these numbers modulo M.
fn are(x: &[Rational], lifted: &[BigUint], modulus: &BigUint) -> bool {
    let modulus = BigInt::from(modulus.clone());
    let mut pairs = x.iter().zip(lifted);
    pairs.all(|(x, u)| ((x.denom() * BigInt::from(u.clone()) - x.numer()) % &modulus).is_zero())
}

/// Whether A x = b, in integers: both sides times the common denominator.
fn solves(a: &Integers, x: &[Rational], b: &[BigInt]) -> bool {
    let denominator = x.iter().fold(BigInt::one(), |all, x| all.lcm(x.denom()));
    let numerators: Vec<BigInt> = x.iter().map(|x| x.numer() * (&denominator / x.denom())).collect();
    let rows: Vec<usize> = (0..x.len()).collect();
    let holds = threads::map_in_parts(&rows, |row| {
        let of_a = a.entries()[row * x.len()..][..x.len()].iter();
        let product: BigInt = of_a.zip(&numerators).map(|(a, x)| a * x).sum();
        product == &b[*row] * &denominator
    });
    holds.into_iter().all(|holds| holds)
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

/// Digits of each element until the seeker finds the solution in Σ Xᵢ pⁱ, and how many; `step` gives the next residual of a
/// row, from its last and the digits. With `threads`, rows are shared among them. None if even the last halt gives nothing.
fn lift<R: Residual>(
    prime: Prime,
    inverse: &[u32],
    mut residual: Vec<R>,
    seeker: &mut Seeker<'_>,
    threads: bool,
    step: impl Fn(usize, &[u32], &R) -> R + Sync,
) -> Option<(usize, Vec<Rational>)> {
    let n = residual.len();
    let p = u64::from(prime.value());
    let rows: Vec<usize> = (0..n).collect();
    let mut of_all = vec![Vec::new(); n];
    let mut done = 0;
    for halt in &seeker.halts.0 {
        for _ in done..*halt {
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
        done = *halt;
        let of = |digits: &Vec<u32>| evaluate(digits, prime.value());
        let lifted = if threads {
            threads::map_in_parts(&of_all, of)
        } else {
            of_all.iter().map(of).collect()
        };
        if let Some(x) = seeker.seek(done, &lifted) {
            return Some((done, x));
        }
    }
    None
}

fn each_row<T: Send>(threads: bool, rows: &[usize], f: impl Fn(&usize) -> T + Sync) -> Vec<T> {
    if threads {
        threads::map_in_parts(rows, f)
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
