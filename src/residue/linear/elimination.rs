//! Gaussian elimination modulo one prime.

use std::thread;

use num_bigint::BigInt;

use super::matrix::Integers;
use crate::residue::Prime;
use crate::residue::basis::residue;

/// What elimination of an m x n matrix modulo a prime leaves. Residues are in Montgomery's form.
#[derive(Debug, Clone)]
pub struct Eliminated {
    /// The prime.
    pub prime: Prime,
    /// The columns that have pivots, ascending; their number is the rank.
    pub pivots: Vec<usize>,
    /// The determinant: 0 where a row or column has no pivot.
    pub determinant: u32,
    /// The reduced rows, by rows: pivots 1 and 0 above and below them, if that was asked for.
    pub rows: Vec<u32>,
}

/// Eliminates in the first `cols` columns of an m x `width` matrix, by rows; the pivot of a column is its first element that
/// is not 0, since all that are not 0 are as good. With `reduce`, rows above pivots are cleared, too.
///
/// Cost: m n (2 width − n) / 2 products for n pivots and m rows, twice that with `reduce`.
pub(super) fn eliminate(prime: Prime, mut a: Vec<u32>, width: usize, cols: usize, reduce: bool) -> Eliminated {
    let rows = a.len().checked_div(width).unwrap_or(0);
    let mut determinant = prime.one();
    let mut pivots = Vec::new();
    for col in 0..cols {
        let top = pivots.len();
        let Some(pivot) = (top..rows).find(|row| a[row * width + col] != 0) else {
            continue;
        };
        if pivot != top {
            let (above, below) = a.split_at_mut(pivot * width);
            above[top * width..][..width].swap_with_slice(&mut below[..width]);
            determinant = prime.neg(determinant);
        }
        let (above, rest) = a.split_at_mut(top * width);
        let (row, below) = rest.split_at_mut(width);
        determinant = prime.mul(determinant, row[col]);
        let inverse = prime
            .invert(row[col])
            .unwrap_or_else(|| unreachable!("a pivot is not 0"));
        let row = &mut row[col..];
        row.iter_mut().for_each(|x| *x = prime.mul(*x, inverse));
        let above = if reduce { above } else { &mut [] };
        for other in above.chunks_exact_mut(width).chain(below.chunks_exact_mut(width)) {
            let other = &mut other[col..];
            let factor = other[0];
            if factor != 0 {
                other
                    .iter_mut()
                    .zip(&*row)
                    .for_each(|(x, u)| *x = prime.sub(*x, prime.mul(factor, *u)));
            }
        }
        pivots.push(col);
    }
    if pivots.len() < rows || pivots.len() < cols {
        determinant = 0;
    }
    Eliminated {
        prime,
        pivots,
        determinant,
        rows: a,
    }
}

/// The residues of a matrix, in Montgomery's form.
pub(super) fn residues(a: &Integers, prime: Prime) -> Vec<u32> {
    a.entries().iter().map(|entry: &BigInt| residue(prime, entry)).collect()
}

/// f of every prime, by all the machine's threads.
pub(super) fn modulo_each<T: Send>(primes: &[Prime], f: impl Fn(Prime) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(primes.len().max(1));
    if threads == 1 {
        return primes.iter().map(|prime| f(*prime)).collect();
    }
    thread::scope(|scope| {
        let shares = primes.chunks(primes.len().div_ceil(threads));
        let f = &f;
        let workers: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().map(|prime| f(*prime)).collect::<Vec<T>>()))
            .collect();
        let done = workers.into_iter().map(|worker| match worker.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    })
}
