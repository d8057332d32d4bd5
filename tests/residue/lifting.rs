//! Solutions by p-adic lifting, against elimination modulo many primes and against A x = b.

use nonius::residue::linear::{self, Integers, Rational, Stop, dixon};
use nonius::{Blocking as _, Device, Error};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::One as _;

use crate::devices::devices;
use crate::linear::{matrix, random};

/// The first prime that is tried.
const P: u32 = 65_521;

/// A x = b, in integers.
fn solves(a: &Integers, x: &[Rational], b: &Integers) {
    let n = x.len();
    let denominator = x.iter().fold(BigInt::one(), |lcm, x| lcm.lcm(x.denom()));
    let numerators: Vec<BigInt> = x.iter().map(|x| x.numer() * (&denominator / x.denom())).collect();
    for (row, b) in b.entries().iter().enumerate() {
        let terms = a.entries()[row * n..][..n].iter().zip(&numerators);
        let sum: BigInt = terms.map(|(a, x)| a * x).sum();
        assert_eq!(sum, b * &denominator, "row {row} of {n}");
    }
}

#[test]
fn solutions_are_the_same_on_every_device_and_by_lifting() {
    for (n, k, bits) in [
        (0, 1, 1),
        (1, 1, 300),
        (2, 3, 40),
        (31, 1, 7),
        (33, 2, 7),
        (64, 1, 7),
        (20, 20, 90),
    ] {
        let (a, b) = (random(n, n, bits, n + 2), random(n, k, bits, n + 1));
        let x = linear::solve(&Device::host(), &a, &b).block_on().expect("a solution");
        for stop in [
            Stop::Certified,
            Stop::Unchanged(0),
            Stop::Unchanged(3),
            Stop::Unchanged(usize::MAX),
        ] {
            let lifted = dixon(&a, &b, stop).expect("shapes fit").expect("regular");
            assert_eq!(lifted.x, x, "n = {n}, {stop:?}");
        }
        for device in devices() {
            let found = linear::solve(device, &a, &b).block_on().expect("a solution");
            assert_eq!(found, x, "n = {n} on {}", device.name());
        }
    }
    // Three primes that divide the determinant say nothing to the one, and are replaced by the other.
    let primes = BigInt::from(65_521_u64 * 65_519);
    let a = matrix(2, 2, vec![primes.clone(), 1.into(), 0.into(), 3.into()]);
    let b = matrix(2, 1, vec![2.into(), 3.into()]);
    let expected = vec![Rational::new(1.into(), primes.clone()), Rational::one()];
    let lifted = dixon(&a, &b, Stop::Certified).expect("shapes fit").expect("regular");
    assert_eq!((&lifted.x, lifted.early), (&expected, false));
    for device in devices() {
        assert_eq!(linear::solve(device, &a, &b).block_on().as_ref(), Ok(&expected));
    }
    let a = matrix(2, 2, vec![primes * 65_497, 1.into(), 0.into(), 3.into()]);
    assert_eq!(dixon(&a, &b, Stop::Certified), Ok(None));
    let wide = dixon(&random(2, 3, 4, 1), &b, Stop::Certified);
    assert!(matches!(wide, Err(Error::Shape { .. })));
}

#[test]
fn threads_that_share_rows_lift_what_solves() {
    // Above the rows from which one right-hand side is shared among threads; entries of two digits, then long ones.
    for (n, bits) in [(401, 6), (24, 200)] {
        let (a, b) = (random(n, n, bits, 5), random(n, 1, bits, 6));
        let lifted = dixon(&a, &b, Stop::Certified).expect("shapes fit").expect("regular");
        solves(&a, &lifted.x, &b);
    }
}

/// A solution that is much shorter than Hadamard's bound allows is found after a few digits, and is the solution.
#[test]
fn an_early_answer_is_the_solution() {
    for (n, bits) in [(1, 80), (30, 60), (45, 7), (401, 6)] {
        // 7 A x = A N has x = N/7.
        let a = random(n, n, bits, 3 * n);
        let numerators: Vec<BigInt> = (0..n).map(|i| BigInt::from(i * i) - 40).collect();
        let row = |i: usize| {
            a.entries()[i * n..][..n]
                .iter()
                .zip(&numerators)
                .map(|(a, x)| a * x)
                .sum()
        };
        let b = matrix(n, 1, (0..n).map(row).collect());
        let a = matrix(n, n, a.entries().iter().map(|a| a * 7).collect());
        let certified = dixon(&a, &b, Stop::Certified).expect("shapes fit").expect("regular");
        let early = dixon(&a, &b, Stop::Unchanged(2)).expect("shapes fit").expect("regular");
        assert!(early.early && !certified.early, "n = {n}");
        assert!(
            early.digits <= 8 && early.digits < certified.digits,
            "n = {n}: {} of {} digits",
            early.digits,
            certified.digits
        );
        assert_eq!(early.x, certified.x, "n = {n}");
        solves(&a, &early.x, &b);
        assert_eq!(early.x[0], Rational::new((-40).into(), 7.into()));
    }
}

/// Digits that stay 0 for as long as anybody waits, and then do not: A x = b is what tells.
#[test]
fn an_early_answer_that_is_wrong_is_not_given() {
    let far: BigInt = BigInt::from(P).pow(6) * 5 + 1;
    for (a, b, x) in [
        (vec![1], vec![far.clone()], vec![far.clone()]),
        (
            vec![1, 0, 0, 1],
            vec![1.into(), far.clone()],
            vec![1.into(), far.clone()],
        ),
    ] {
        let n = b.len();
        let a = matrix(n, n, a.into_iter().map(BigInt::from).collect());
        let b = matrix(n, 1, b);
        let expected: Vec<Rational> = x.into_iter().map(Rational::from_integer).collect();
        for further in [1, 2, 3] {
            let found = dixon(&a, &b, Stop::Unchanged(further))
                .expect("shapes fit")
                .expect("regular");
            assert_eq!(found.x, expected, "after {further}");
            assert!(found.digits > 7, "after {further}: {} digits", found.digits);
        }
    }
}
