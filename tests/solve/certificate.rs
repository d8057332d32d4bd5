//! Whether a matrix is singular, against integers without limit.

use nonius::solve::{Certificate, Precision, certify, solve};
use nonius::sparse::Coo;
use nonius::{Blocking as _, Device, Error};

use crate::devices::Random;
use crate::rational::first_dependent_column;

fn matrix(n: usize, values: &[i64], mut scale: impl FnMut(usize, usize) -> f64) -> Coo<f64> {
    let triplets = values
        .iter()
        .enumerate()
        .map(|(k, value)| (k / n, k % n, *value as f64 * scale(k / n, k % n)));
    Coo::from_triplets(n, n, triplets).expect("it is square")
}

fn expected(column: Option<usize>) -> Certificate {
    column.map_or(Certificate::NonSingular, |column| Certificate::Singular { column })
}

#[test]
fn random_matrices_of_integers_are_certified() {
    let mut random = Random::new(11);
    let (mut regular, mut singular) = (0, 0);
    for round in 0..3000 {
        let n = 1 + round % 6;
        let limit = [1, 2, 9, 1000][round % 4];
        let mut values: Vec<i64> = (0..n * n).map(|_| random.integer(limit).into()).collect();
        if round % 3 == 0 && n > 1 {
            // A row, or a column, is a combination of two others.
            let (to, from, other) = (round % n, (round + 1) % n, (round + 2) % n);
            let by_rows = round % 2 == 0;
            for k in 0..n {
                let at = |line: usize| if by_rows { line * n + k } else { k * n + line };
                values[at(to)] = if other == to {
                    3 * values[at(from)]
                } else {
                    3 * values[at(from)] - 2 * values[at(other)]
                };
            }
        }
        let column = first_dependent_column(n, &values);
        *if column.is_some() { &mut singular } else { &mut regular } += 1;
        assert_eq!(
            certify(&matrix(n, &values, |_, _| 1.0)).expect("it fits"),
            expected(column),
            "{n}: {values:?}"
        );
    }
    assert!(
        regular > 500 && singular > 500,
        "{regular} regular, {singular} singular"
    );
}

/// Powers of two in rows and columns change nothing, down to subnormal numbers.
#[test]
fn scaled_matrices_are_certified() {
    let mut random = Random::new(12);
    for round in 0..500 {
        let n = 2 + round % 4;
        let mut values: Vec<i64> = (0..n * n).map(|_| random.integer(9).into()).collect();
        if round % 2 == 0 {
            (0..n).for_each(|k| values[n * (n - 1) + k] = -values[k]);
        }
        let column = first_dependent_column(n, &values);
        let exponents = [-500, 0, 480, -1, -530];
        let scale = |i: usize, j: usize| 2.0_f64.powi(exponents[i % 5]) * 2.0_f64.powi(exponents[(j + round) % 5]);
        assert_eq!(
            certify(&matrix(n, &values, scale)).expect("it fits"),
            expected(column),
            "{n}: {values:?}"
        );
    }
}

/// Multiples of large primes vanish modulo these: no two of them make a matrix singular.
#[test]
fn a_matrix_of_large_primes_is_not_called_singular() {
    let primes = [
        2_147_483_647.0,
        2_147_483_629.0,
        2_147_483_587.0,
        2_147_483_579.0,
        1_073_741_827.0,
        1.0,
    ];
    for first in primes {
        for second in primes {
            let a = Coo::from_triplets(2, 2, [(0, 0, first), (1, 1, second)]).expect("it is square");
            assert_eq!(
                certify(&a).expect("it fits"),
                Certificate::NonSingular,
                "{first}, {second}"
            );
            // The solution is exact, so that no correction says anything about the factors.
            let solution = solve(&Device::host(), &a, &[first, second], Precision::F64, &mut ()).block_on();
            assert_eq!(
                solution.map(|solution| solution.x),
                Ok(vec![1.0, 1.0]),
                "{first}, {second}"
            );
        }
    }
}

/// Of a matrix that is not square, the columns are judged.
#[test]
fn columns_of_any_matrix_are_certified() {
    let of = |rows, cols, entries: &[(usize, usize, f64)]| {
        certify(&Coo::from_triplets(rows, cols, entries.iter().copied()).expect("in range")).expect("it fits")
    };
    assert_eq!(of(2, 3, &[(0, 2, 1.0)]), Certificate::Singular { column: 0 });
    assert_eq!(
        of(2, 3, &[(0, 0, 1.0), (1, 1, 1.0), (1, 2, 1.0)]),
        Certificate::Singular { column: 2 }
    );
    assert_eq!(of(3, 2, &[(0, 0, 1.0), (2, 1, 1.0)]), Certificate::NonSingular);
    assert_eq!(
        of(3, 2, &[(1, 0, 1.0), (1, 1, 2.0)]),
        Certificate::Singular { column: 1 }
    );
    assert_eq!(of(0, 1, &[]), Certificate::Singular { column: 0 });
}

/// More columns than rows need no room, and memory that is not there is an error.
#[test]
fn what_does_not_fit_is_an_error() {
    let wide = Coo::from_triplets(4, 4_000_000_000, [(0, 0, 1.0), (1, 3_999_999_999, 1.0)]).expect("in range");
    assert_eq!(certify(&wide).expect("it fits"), Certificate::Singular { column: 1 });
    // More bytes than there are addresses.
    let square = Coo::<f64>::new(u32::MAX as usize, u32::MAX as usize).expect("empty");
    assert!(matches!(certify(&square), Err(Error::OutOfMemory { .. })));
}

#[test]
fn the_last_bit_of_a_double_is_seen() {
    let third = 1.0_f64 / 3.0;
    let next = f64::from_bits(third.to_bits() + 1);
    let of = |last: f64| {
        let entries = [(0, 0, third), (0, 1, third), (1, 0, third), (1, 1, last)];
        certify(&Coo::from_triplets(2, 2, entries).expect("it is square")).expect("it fits")
    };
    assert_eq!(of(third), Certificate::Singular { column: 1 });
    assert_eq!(of(next), Certificate::NonSingular);
    assert_eq!(
        certify(&Coo::new(0, 0).expect("small")).expect("it fits"),
        Certificate::NonSingular
    );
}
