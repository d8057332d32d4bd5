//! Exact linear algebra, against fraction-free elimination of big integers and against closed formulas.

use nonius::residue::linear::{self, Integers, Rational, Stop, dixon, integers_of_rows, reconstruct};
use nonius::{Blocking as _, Device, Error, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};

use crate::devices::{Random, devices};
use crate::numbers::numbers;

fn determinant(a: &Integers, stop: Stop) -> Result<BigInt> {
    let found = linear::determinant(&Device::host(), a, stop).block_on()?;
    Ok(found.value)
}

fn rank(a: &Integers) -> Result<usize> {
    linear::rank(&Device::host(), a).block_on()
}

fn solve(a: &Integers, b: &Integers) -> Result<Vec<Rational>> {
    linear::solve(&Device::host(), a, b).block_on()
}

fn inverse(a: &Integers) -> Result<Vec<Rational>> {
    linear::inverse(&Device::host(), a).block_on()
}

/// Bareiss 1968: all divisions are exact.
fn bareiss(a: &Integers) -> BigInt {
    let n = a.rows();
    let mut rows: Vec<Vec<BigInt>> = a.entries().chunks(n.max(1)).map(<[BigInt]>::to_vec).collect();
    let (mut sign, mut last) = (BigInt::one(), BigInt::one());
    for col in 0..n {
        let Some(pivot) = (col..n).find(|row| !rows[*row][col].is_zero()) else {
            return BigInt::zero();
        };
        if pivot != col {
            rows.swap(pivot, col);
            sign = -sign;
        }
        for row in col + 1..n {
            for j in col + 1..n {
                let minor: BigInt = &rows[row][j] * &rows[col][col] - &rows[row][col] * &rows[col][j];
                rows[row][j] = minor / &last;
            }
        }
        last = rows[col][col].clone();
    }
    sign * last
}

pub(crate) fn matrix(rows: usize, cols: usize, entries: Vec<BigInt>) -> Integers {
    Integers::new(rows, cols, entries).expect("as many entries")
}

pub(crate) fn random(rows: usize, cols: usize, bits: u32, seed: usize) -> Integers {
    let bound: BigUint = (BigUint::one() << bits) - 1_u32;
    let entries = numbers(&bound, &mut Random::new(seed), rows * cols);
    matrix(rows, cols, entries[..rows * cols].to_vec())
}

fn product(a: &Integers, b: &Integers) -> Integers {
    let (m, inner, n) = (a.rows(), a.cols(), b.cols());
    let entry = |i: usize, j: usize| -> BigInt {
        (0..inner)
            .map(|k| &a.entries()[i * inner + k] * &b.entries()[k * n + j])
            .sum()
    };
    matrix(m, n, (0..m * n).map(|at| entry(at / n, at % n)).collect())
}

fn hilbert(n: usize) -> Vec<Rational> {
    let entry = |at: usize| Rational::new(1.into(), (at / n + at % n + 1).into());
    (0..n * n).map(entry).collect()
}

#[test]
fn determinants_are_those_of_fraction_free_elimination() {
    for n in 0..9 {
        for bits in [1, 8, 40, 200] {
            let a = random(n, n, bits, n);
            let expected = bareiss(&a);
            assert!(expected.magnitude() <= &a.hadamard());
            for stop in [
                Stop::Certified,
                Stop::Unchanged(1),
                Stop::Unchanged(3),
                Stop::Unchanged(0),
            ] {
                assert_eq!(
                    determinant(&a, stop).expect("a determinant"),
                    expected,
                    "n = {n}, {bits} bits, {stop:?}"
                );
            }
        }
    }
}

#[test]
fn early_termination_can_be_wrong_and_the_certificate_is_not() {
    // M + 1 with M the product of the two largest primes is 1 modulo both.
    let a = matrix(1, 1, vec![BigInt::from(65_521_u64 * 65_519 + 1)]);
    assert_eq!(determinant(&a, Stop::Unchanged(1)).expect("some number"), 1.into());
    assert_eq!(
        determinant(&a, Stop::Certified).expect("the determinant"),
        a.entries()[0]
    );
}

#[test]
fn the_determinant_of_a_hilbert_matrix_is_its_formula() {
    // det = c(n)^4 / c(2n), c(n) = 1! 2! ... (n - 1)! (Hilbert 1894).
    let factorials = |n: usize| -> BigInt { (1..n).map(|k| (1..=k).map(BigInt::from).product::<BigInt>()).product() };
    for n in [1, 2, 5, 20] {
        let (integers, multiples) = integers_of_rows(n, n, &hilbert(n)).expect("a matrix");
        let scale: BigInt = multiples.into_iter().product();
        let found = Rational::new(determinant(&integers, Stop::Certified).expect("a determinant"), scale);
        assert_eq!(found, Rational::new(factorials(n).pow(4), factorials(2 * n)), "n = {n}");
    }
}

#[test]
fn matrices_without_entries_have_rank_0_however_many_rows_they_have() {
    for (rows, cols) in [(0, 0), (usize::MAX, 0), (0, usize::MAX)] {
        let a = Integers::new(rows, cols, Vec::new()).expect("there are none");
        assert_eq!(a.hadamard(), 1_u32.into());
        assert_eq!(rank(&a), Ok(0), "{rows} x {cols}");
    }
}

#[test]
fn ranks_are_those_of_the_factors() {
    for (m, n, r) in [
        (1, 1, 1),
        (4, 4, 0),
        (4, 4, 2),
        (5, 7, 3),
        (7, 5, 5),
        (9, 9, 8),
        (6, 2, 1),
    ] {
        // Random factors have full rank r; unit triangles make sure of it.
        let mut left = random(m, r, 20, m).entries().to_vec();
        let mut right = random(r, n, 20, n).entries().to_vec();
        for i in 0..r {
            for j in 0..r {
                if i <= j {
                    left[i * r + j] = i32::from(i == j).into();
                }
                if i >= j {
                    right[i * n + j] = i32::from(i == j).into();
                }
            }
        }
        let a = product(&matrix(m, r, left), &matrix(r, n, right));
        assert_eq!(rank(&a).expect("a rank"), r, "{m} x {n}");
    }
    // The largest primes divide what they must not.
    let primes = BigInt::from(65_521_u64 * 65_519 * 65_497);
    let diagonal = matrix(2, 2, vec![primes, 0.into(), 0.into(), 1.into()]);
    assert_eq!(rank(&diagonal).expect("a rank"), 2);
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        assert_eq!(rank(&matrix(rows, cols, vec![])).expect("a rank"), 0);
    }
}

#[test]
fn solutions_solve() {
    for (n, k, bits) in [(0, 1, 1), (1, 1, 100), (2, 3, 40), (5, 0, 8), (7, 2, 90), (12, 1, 30)] {
        let (a, b) = (random(n, n, bits, n), random(n, k, bits, n + 1));
        assert!(!bareiss(&a).is_zero(), "n = {n}: draw another");
        let x = solve(&a, &b).expect("a solution");
        for at in 0..n * k {
            let (row, col) = (at / k, at % k);
            let sum: Rational = (0..n).map(|j| &x[j * k + col] * &a.entries()[row * n + j]).sum();
            assert_eq!(
                sum,
                Rational::from(b.entries()[at].clone()),
                "n = {n}, row {row}, side {col}"
            );
        }
    }
}

#[test]
fn the_inverse_of_a_hilbert_matrix_is_its_formula() {
    // (-1)^(i+j) (i + j - 1) C(n+i-1, n-j) C(n+j-1, n-i) C(i+j-2, i-1)^2, counted from 1 (Savage and Lukacs 1954).
    let n = 8;
    let choose = |n: usize, k: usize| (0..k).fold(BigInt::one(), |product, i| product * (n - i) / (i + 1));
    let (integers, multiples) = integers_of_rows(n, n, &hilbert(n)).expect("a matrix");
    let found = inverse(&integers).expect("an inverse");
    for (i, j) in (1..=n).flat_map(|i| (1..=n).map(move |j| (i, j))) {
        let sign = if (i + j) % 2 == 0 { 1 } else { -1 };
        let binomials = choose(n + i - 1, n - j) * choose(n + j - 1, n - i) * choose(i + j - 2, i - 1).pow(2);
        // Column j belongs to a row that was multiplied.
        let entry = &found[(i - 1) * n + j - 1] * &multiples[j - 1];
        assert_eq!(entry, Rational::from(binomials * (i + j - 1) * sign), "{i}, {j}");
    }
    assert!(matches!(inverse(&random(2, 3, 4, 1)), Err(Error::Shape { .. })));
}

#[test]
fn primes_that_divide_the_determinant_are_replaced() {
    let primes = BigInt::from(65_521_u64 * 65_519 * 65_497);
    let a = matrix(2, 2, vec![primes.clone(), 1.into(), 0.into(), 3.into()]);
    let b = matrix(2, 1, vec![2.into(), 3.into()]);
    let x = solve(&a, &b).expect("a solution");
    assert_eq!(x, [Rational::new(1.into(), primes), Rational::one()]);
}

#[test]
fn dependent_columns_are_named() {
    for column in 0..5 {
        let mut entries = random(5, 5, 30, 5).entries().to_vec();
        for row in 0..5 {
            entries[row * 5 + column] = (0..column).map(|j| &entries[row * 5 + j] * (j + 2)).sum();
        }
        let refused = solve(&matrix(5, 5, entries), &random(5, 1, 4, 1));
        assert_eq!(refused, Err(Error::Singular { column }));
    }
    // Two of the primes divide the first column: it is not the one that depends.
    let primes = BigInt::from(65_521_u64 * 65_519);
    let a = matrix(2, 2, vec![primes.clone(), primes, 0.into(), 0.into()]);
    assert_eq!(solve(&a, &random(2, 1, 4, 1)), Err(Error::Singular { column: 1 }));
}

#[test]
fn a_hilbert_matrix_of_order_100_is_solved() {
    let n = 100;
    let mut both = Vec::new();
    for row in hilbert(n).chunks(n) {
        both.extend(row.iter().cloned().chain([Rational::one()]));
    }
    let (both, _) = integers_of_rows(n, n + 1, &both).expect("a matrix");
    let column = |col: std::ops::Range<usize>| -> Vec<BigInt> {
        both.entries()
            .chunks(n + 1)
            .flat_map(|row| row[col.clone()].iter().cloned())
            .collect()
    };
    let (a, b) = (matrix(n, n, column(0..n)), matrix(n, 1, column(n..n + 1)));
    let x = solve(&a, &b).expect("a solution");
    let lifted = dixon(&a, &b, Stop::Certified).expect("shapes fit").expect("regular");
    assert_eq!(lifted.x, x);
    for row in 0..n {
        let sum: Rational = x.iter().zip(row + 1..).map(|(x, d)| x / BigInt::from(d)).sum();
        assert_eq!(sum, Rational::one(), "row {row}");
    }
    // The inverse is an integer matrix.
    assert!(x.iter().all(Rational::is_integer));
}

#[test]
fn fractions_come_back_from_their_residues() {
    let modulus = BigUint::from(65_521_u64 * 65_519 * 65_497);
    let bound = BigUint::from(10_000_000_u32 - 1);
    for (n, d) in [
        (0, 1),
        (1, 1),
        (-1, 1),
        (22, 7),
        (-9_999_999, 9_999_998),
        (9_999_998, 9_999_999),
        (1, 9_999_999),
    ] {
        let inverse = BigInt::from(d)
            .modinv(&modulus.clone().into())
            .expect("no prime divides it");
        let found = reconstruct(&(inverse * n), &modulus, &bound, &bound).expect("there is one");
        assert_eq!(found, Rational::new(n.into(), d.into()));
    }
    // 2/3 needs a numerator of 2; and a modulus that is too small says nothing.
    let two_thirds = BigInt::from(2) * BigInt::from(3).modinv(&101.into()).expect("prime");
    assert_eq!(
        reconstruct(&two_thirds, &101_u32.into(), &1_u32.into(), &20_u32.into()),
        None
    );
    assert_eq!(
        reconstruct(&1.into(), &98_u32.into(), &7_u32.into(), &7_u32.into()),
        None
    );
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let (wide, square) = (random(2, 3, 4, 1), random(2, 2, 4, 1));
    assert!(matches!(determinant(&wide, Stop::Certified), Err(Error::Shape { .. })));
    assert!(matches!(solve(&wide, &square), Err(Error::Shape { .. })));
    assert!(matches!(solve(&square, &random(3, 1, 4, 1)), Err(Error::Shape { .. })));
    assert!(matches!(Integers::new(2, 2, vec![1.into()]), Err(Error::Shape { .. })));
    assert!(matches!(Integers::new(usize::MAX, 2, vec![]), Err(Error::Shape { .. })));
    assert!(matches!(
        integers_of_rows(2, 2, &[Rational::one()]),
        Err(Error::Shape { .. })
    ));
}

/// Entries of one bit, of two digits, of a word and its sign, and of hundreds of digits.
const BITS: [u32; 5] = [1, 7, 31, 32, 700];

#[test]
fn every_device_finds_what_the_host_finds() {
    for device in devices() {
        // Around a block of 32 columns and a tile of 64, with one that both divide.
        for n in [0, 1, 2, 5, 31, 32, 33, 63, 64, 65, 97, 100, 130] {
            let bits = BITS[n % BITS.len()].min(if n > 40 { 7 } else { 700 });
            let a = random(n, n, bits, n + 7);
            let name = device.name();
            let found = linear::determinant(device, &a, Stop::Certified)
                .block_on()
                .expect("a determinant");
            assert_eq!(
                found.value,
                determinant(&a, Stop::Certified).expect("one"),
                "n = {n} on {name}"
            );
            assert!(found.certified && found.primes > 0);
            let early = linear::determinant(device, &a, Stop::Unchanged(3))
                .block_on()
                .expect("a determinant");
            assert_eq!(early.value, found.value, "n = {n} on {name}");
            assert!(early.primes <= found.primes);
        }
        for bits in BITS {
            let a = random(9, 9, bits, 3);
            let found = linear::determinant(device, &a, Stop::Certified)
                .block_on()
                .expect("a determinant");
            assert_eq!(found.value, bareiss(&a), "{bits} bits on {}", device.name());
        }
    }
}

#[test]
fn exchanges_are_counted_on_every_device() {
    // A permutation, and one whose blocks of 32 columns must look for pivots far below.
    for device in devices() {
        for (n, step) in [(2, 1), (33, 2), (70, 3), (101, 10)] {
            let mut entries = vec![BigInt::zero(); n * n];
            // Row i has its entry in column (step i + 1) mod n; step and n share no factor.
            let places: Vec<usize> = (0..n).map(|i| (step * i + 1) % n).collect();
            for (i, place) in places.iter().enumerate() {
                entries[i * n + place] = (i % 7 + 1).into();
            }
            let inversions = (0..n).flat_map(|i| (0..i).map(move |j| (j, i)));
            let odd = inversions.filter(|(j, i)| places[*j] > places[*i]).count() % 2 == 1;
            let product: BigInt = (0..n).map(|i| BigInt::from(i % 7 + 1)).product();
            let a = matrix(n, n, entries);
            let found = linear::determinant(device, &a, Stop::Certified)
                .block_on()
                .expect("a determinant");
            assert_eq!(
                found.value,
                if odd { -product } else { product },
                "n = {n} on {}",
                device.name()
            );
        }
    }
}

#[test]
fn deficient_matrices_are_found_on_every_device() {
    for device in devices() {
        for (m, n, r) in [
            (33, 33, 32),
            (40, 70, 5),
            (70, 40, 33),
            (65, 65, 0),
            (100, 97, 64),
            (64, 96, 64),
        ] {
            let a = product(&random(m, r, 3, m), &random(r, n, 3, n + 1));
            let a = if r == 0 { matrix(m, n, vec![0.into(); m * n]) } else { a };
            let name = device.name();
            let expected = rank(&a).expect("a rank");
            assert!(expected <= r, "{m} x {n}");
            assert_eq!(linear::rank(device, &a).block_on(), Ok(expected), "{m} x {n} on {name}");
            if m == n {
                let b = random(n, 1, 4, 1);
                let found = linear::determinant(device, &a, Stop::Certified)
                    .block_on()
                    .expect("a determinant");
                assert_eq!(found.value, 0.into(), "{m} x {n} on {name}");
                assert_eq!(
                    linear::solve(device, &a, &b).block_on(),
                    solve(&a, &b),
                    "{m} x {n} on {name}"
                );
            }
        }
        // Columns 3 and 35 depend, in two blocks; the first is named.
        let mut entries = random(40, 40, 7, 5).entries().to_vec();
        for row in 0..40 {
            entries[row * 40 + 35] = &entries[row * 40 + 34] * 2;
            entries[row * 40 + 3] = 0.into();
        }
        let refused = linear::solve(device, &matrix(40, 40, entries), &random(40, 1, 4, 1)).block_on();
        assert_eq!(refused, Err(Error::Singular { column: 3 }), "{}", device.name());
        let empty = matrix(0, 0, vec![]);
        assert_eq!(linear::rank(device, &empty).block_on(), Ok(0));
    }
}

#[test]
fn the_sums_of_kernels_hold_their_largest_terms() {
    // L U with the residues of largest magnitude, (p - 1) / 2 of the first prime, in all places: p is the one that is taken.
    let half = BigInt::from(65_521_u32 / 2);
    for device in devices() {
        for sign in [1, -1] {
            let n = 96;
            let place = |at: usize, lower: bool| -> BigInt {
                let (i, j) = if lower { (at / n, at % n) } else { (at % n, at / n) };
                match i.cmp(&j) {
                    std::cmp::Ordering::Greater => &half * if lower { sign } else { 1 },
                    std::cmp::Ordering::Equal => BigInt::one(),
                    std::cmp::Ordering::Less => BigInt::zero(),
                }
            };
            let [left, right] =
                [true, false].map(|lower| matrix(n, n, (0..n * n).map(|at| place(at, lower)).collect()));
            let found = linear::determinant(device, &product(&left, &right), Stop::Unchanged(1)).block_on();
            assert_eq!(found.expect("a determinant").value, BigInt::one(), "{}", device.name());
        }
    }
}
