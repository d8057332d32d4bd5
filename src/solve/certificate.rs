//! Is a matrix of doubles singular? Exactly: by elimination modulo primes.
//!
//! A double is an integer times a power of two, so it has a residue modulo every odd prime, and the determinant has the
//! residue of the determinant of the residues. If that is not zero for one prime, A is not singular: a proof. If it is
//! zero for two random 31-bit primes, A is singular but for a chance of about (n log₂‖A‖ / 2³¹)², which for matrices of
//! doubles that fit a machine is below 10⁻⁶. The primes are drawn by the entries, so that a matrix has the same ones every
//! time, and none is made of multiples of its own.

use crate::Result;
use crate::host_memory::filled;
use crate::scalar::Scalar;
use crate::sparse::Coo;

/// What the residues say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// No column depends on those before it, modulo some prime, and so in truth: proved.
    NonSingular,
    /// One does, modulo two primes.
    Singular {
        /// The first column that depends on those before it, counted from 0.
        column: usize,
    },
}

/// Certifies a matrix of finite entries, duplicates summed; of one that is not square, whether its columns are independent.
/// Cost: n³/3 modular multiply-adds on the host for each of at most two primes, less where A is sparse; 8 bytes for each element.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
///
/// ```
/// use nonius::{solve::{Certificate, certify}, sparse::Coo};
/// let rows = (0..9).map(|k| (k / 3, k % 3, (k + 1) as f64));
/// let a = Coo::from_triplets(3, 3, rows)?;
/// assert_eq!(certify(&a)?, Certificate::Singular { column: 2 });
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn certify(a: &Coo<f64>) -> Result<Certificate> {
    let mut column = 0;
    for prime in primes(a) {
        match dependent_column(a, prime)? {
            None => return Ok(Certificate::NonSingular),
            // Modulo a prime, columns can only become dependent earlier: the later one is nearer the truth.
            Some(found) => column = column.max(found),
        }
    }
    Ok(Certificate::Singular { column })
}

/// Two primes between 2³⁰ and 2³¹, drawn by a hash of the entries.
fn primes(a: &Coo<f64>) -> [u64; 2] {
    let mut state = 0_u64;
    let mut mix = |word: u64| {
        // Steele, Lea and Flood 2014 (SplitMix64).
        state = (state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
        state
    };
    for (row, col, value) in a.iter() {
        for word in [row as u64, col as u64, value.to_bits()] {
            mix(word);
        }
    }
    let mut draw = |known| loop {
        let prime = next_prime((1 << 30) + mix(0) % BEGINNINGS);
        if prime != known {
            return prime;
        }
    };
    let first = draw(0);
    [first, draw(first)]
}

/// Numbers from 2³⁰ on at which the search for a prime may begin: it ends before 2³¹ − 1, modulo which powers of two are few.
const BEGINNINGS: u64 = (1 << 30) - (1 << 10);

/// The first prime from `from` on, which is below 2³¹.
fn next_prime(from: u64) -> u64 {
    let is_prime = |n: &u64| (3..46_341).step_by(2).all(|divisor| !n.is_multiple_of(divisor));
    (from | 1..)
        .step_by(2)
        .find(is_prime)
        .unwrap_or_else(|| unreachable!("there is one between a number and its double"))
}

/// The first column without a pivot in elimination modulo `prime`.
fn dependent_column(a: &Coo<f64>, prime: u64) -> Result<Option<usize>> {
    // More columns than rows are dependent, whatever is in those behind.
    let cols = a.cols().min(a.rows() + 1);
    let mut values = filled(a.rows().saturating_mul(cols), 0_u64, "the rows of a certificate")?;
    let mut rows: Vec<_> = values.chunks_exact_mut(cols.max(1)).collect();
    for (row, col, value) in a.iter().filter(|(_, col, _)| *col < cols) {
        rows[row][col] = (rows[row][col] + residue(value, prime)) % prime;
    }
    for column in 0..cols {
        let pivot = (column..a.rows()).find(|row| rows[*row][column] != 0);
        let Some(pivot) = pivot else { return Ok(Some(column)) };
        rows.swap(column, pivot);
        let (done, rest) = rows.split_at_mut(column + 1);
        let pivot_row = &done[column][column..];
        let inverse = power(pivot_row[0], prime - 2, prime);
        for row in rest.iter_mut().map(|row| &mut row[column..]).filter(|row| row[0] != 0) {
            // x − f u is x + (p − f) u, below 2⁶³.
            let factor = prime - row[0] * inverse % prime;
            row.iter_mut()
                .zip(pivot_row)
                .for_each(|(x, u)| *x = (*x + factor * u) % prime);
        }
    }
    Ok(None)
}

/// The residue of a finite double.
fn residue(value: f64, prime: u64) -> u64 {
    let Some(exponent) = Scalar::exponent(value) else {
        return 0;
    };
    // The significand as an integer below 2⁵³.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an integer below 2^53"
    )]
    let integer = value.abs().scale_exponent(52 - exponent) as u64;
    let shift = exponent - 52;
    let base = if shift < 0 { prime.div_ceil(2) } else { 2 };
    let magnitude = integer % prime * power(base, u64::from(shift.unsigned_abs()), prime) % prime;
    if value < 0.0 {
        (prime - magnitude) % prime
    } else {
        magnitude
    }
}

fn power(mut base: u64, mut exponent: u64, prime: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % prime;
        }
        base = base * base % prime;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moduli_are_primes() {
        for k in 0..100 {
            let a = Coo::from_triplets(1, 1, [(0, 0, f64::from(k))]).expect("in range");
            let [first, second] = primes(&a);
            assert!(first != second && primes(&a) == [first, second]);
            for prime in [first, second] {
                assert!((2..=46_341).all(|divisor| prime % divisor != 0), "{prime}");
                assert!(prime > 1 << 30 && prime < (1 << 31) - 1, "{prime}");
            }
        }
        // The largest gaps between primes below 2³¹ are shorter than what is left at the end.
        assert!(next_prime((1 << 30) + BEGINNINGS) < (1 << 31) - 1);
    }

    #[test]
    fn residues_are_those_of_dyadic_rationals() {
        for prime in [2_147_483_629, 1_073_741_827] {
            let three_quarters = residue(0.75, prime);
            assert_eq!(three_quarters * 4 % prime, 3);
            assert_eq!((residue(-0.75, prime) + three_quarters) % prime, 0);
            assert_eq!(
                residue(f64::from_bits(1), prime) * power(2, 1074, prime) % prime,
                1,
                "the smallest subnormal"
            );
        }
    }
}
