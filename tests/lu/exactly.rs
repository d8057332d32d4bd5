//! Matrices whose elimination has no rounding: the pivots and every element of the factors are known.

use nonius::{Device, Error, Result, Scalar};

use crate::devices::Random;
use crate::matrices::Dense;
use crate::panels::places;
use crate::ratios::Factored;

for_every_scalar!(
    known_factors,
    ties,
    ties_in_every_column,
    growth,
    zero_pivots,
    sizes_of_nothing
);

/// Of ones on the diagonal and in the last column, and -1 below: |U| grows to 2^(n - 1), all of it exact. Higham 2002,
/// section 9.4.
pub(crate) fn growing<T: Scalar>(n: usize) -> Dense<T> {
    Dense::from_fn(n, n, |i, j| {
        if i == j || j + 1 == n {
            T::one()
        } else if i > j {
            -T::one()
        } else {
            T::zero()
        }
    })
}

fn same<T: Scalar>(device: &Device, what: &str, found: &Dense<T>, expected: &Dense<T>) {
    for i in 0..expected.rows {
        for j in 0..expected.cols {
            assert!(
                found.at(i, j) == expected.at(i, j),
                "{what} in {} on {}: at ({i}, {j}) found {:?}, expected {:?}",
                T::NAME,
                device.name(),
                found.at(i, j),
                expected.at(i, j)
            );
        }
    }
}

/// A = Pᵗ L U with quarters in L, integers in U and powers of two on its diagonal: a single choice of pivots, and sums of
/// few bits.
fn known_factors<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [
        (1, 1),
        (2, 2),
        (3, 5),
        (5, 3),
        (31, 31),
        (32, 32),
        (33, 33),
        (33, 70),
        (70, 33),
        (97, 97),
    ] {
        let mut random = Random::new(rows * 1000 + cols);
        let steps = rows.min(cols);
        let factors = Dense::from_fn(rows, cols, |i, j| {
            if i > j {
                f64::from(random.integer(3)) / 4.0
            } else if i == j {
                let sign = f64::from(1 - 2 * i32::try_from(random.bits() & 1).expect("a bit"));
                sign * [1.0, 2.0, 4.0, 8.0][i % 4]
            } else {
                f64::from(random.integer(9))
            }
        });
        let lower = |i: usize, k: usize| if i == k { 1.0 } else { factors.at(i, k) };
        // Row i of L U goes to row place[i] of A.
        let mut place: Vec<usize> = (0..rows).collect();
        (1..rows).rev().for_each(|i| place.swap(i, random.below(i + 1)));
        let mut a = Dense::from_fn(rows, cols, |_, _| T::zero());
        for (i, row) in place.iter().enumerate() {
            for j in 0..cols {
                let terms = (0..steps.min(i + 1).min(j + 1)).map(|k| lower(i, k) * factors.at(k, j));
                *a.at_mut(*row, j) = T::from_f64(terms.sum());
            }
        }
        // The exchanges that bring the rows home, as `ipiv` says them.
        let mut at: Vec<usize> = (0..rows).collect();
        let pivots: Vec<u32> = (0..steps)
            .map(|i| {
                let pivot = at.iter().position(|row| *row == place[i]).expect("a permutation");
                at.swap(i, pivot);
                u32::try_from(pivot).expect("small")
            })
            .collect();
        for panels in places(device) {
            let factored = Factored::with(device, &a, panels)?;
            let case = format!("{rows} x {cols}, {panels:?}");
            assert_eq!(factored.pivots, pivots, "{case} in {} on {}", T::NAME, device.name());
            assert_eq!(factored.first_zero, None, "{case}");
            // Rows below the square may come in any order, when there are more rows than columns.
            let mut expected = Dense::from_fn(rows, cols, |i, j| T::from_f64(factors.at(i, j)));
            for i in steps..rows {
                let source = place
                    .iter()
                    .position(|row| *row == factored.order[i])
                    .expect("a permutation");
                (0..cols).for_each(|j| *expected.at_mut(i, j) = T::from_f64(factors.at(source, j)));
            }
            same(device, &case, &factored.factors, &expected);
        }
    }
    Ok(())
}

/// The first of equals is the pivot.
fn ties<T: Scalar>(device: &Device) -> Result<()> {
    for n in [2, 33, 300] {
        // The column (0, 1, -1, 1, ...) below a first row that is not chosen, and the identity behind it.
        let a = Dense::from_fn(n, n, |i, j| match (i, j) {
            (0, 0) => T::zero(),
            (i, 0) => T::from_f64(if i % 2 == 1 { -1.0 } else { 1.0 }),
            (0, j) if j + 1 == n => T::one(),
            (i, j) if i == j => T::from_f64(2.0),
            _ => T::zero(),
        });
        as_on_the_host(device, &a, |factored, case| assert_eq!(factored.pivots[0], 1, "{case}"))?;
    }
    Ok(())
}

/// Hadamard matrices of 8 rows (Sylvester's), rows and columns of all of them shuffled: eight candidates of one magnitude in each
/// first column, far apart and not where they were, and powers of two all the way (Higham 2002, section 9.4).
fn ties_in_every_column<T: Scalar>(device: &Device) -> Result<()> {
    for blocks in [1, 5, 17, 40] {
        let n = 8 * blocks;
        let mut random = Random::new(n);
        let mut shuffled = || {
            let mut order: Vec<usize> = (0..n).collect();
            (1..n).rev().for_each(|i| order.swap(i, random.below(i + 1)));
            order
        };
        let (rows, cols) = (shuffled(), shuffled());
        let a = Dense::from_fn(n, n, |i, j| match (rows[i], cols[j]) {
            (i, j) if i / 8 != j / 8 => T::zero(),
            (i, j) if (i & j & 7).count_ones() % 2 == 0 => T::one(),
            _ => -T::one(),
        });
        as_on_the_host(device, &a, |_, _| ())?;
    }
    Ok(())
}

/// Pivots and factors are the host's.
fn as_on_the_host<T: Scalar>(device: &Device, a: &Dense<T>, check: impl Fn(&Factored<T>, &str)) -> Result<()> {
    let host = Factored::of(&Device::host(), a)?;
    for panels in places(device) {
        let factored = Factored::with(device, a, panels)?;
        let case = format!("{} rows, {panels:?}, in {} on {}", a.rows, T::NAME, device.name());
        assert_eq!(factored.pivots, host.pivots, "{case}");
        same(device, &case, &factored.factors, &host.factors);
        check(&factored, &case);
    }
    Ok(())
}

fn growth<T: Scalar>(device: &Device) -> Result<()> {
    for n in [5, 24, 33, 97] {
        let a = growing::<T>(n);
        let own: Vec<u32> = (0..).take(n).collect();
        let expected = Dense::from_fn(n, n, |i, j| {
            if j + 1 == n {
                T::one().scale_exponent(i32::try_from(i).expect("small"))
            } else {
                a.at(i, j)
            }
        });
        for panels in places(device) {
            let factored = Factored::with(device, &a, panels)?;
            assert_eq!(
                factored.pivots,
                own,
                "{n}, {panels:?} in {} on {}",
                T::NAME,
                device.name()
            );
            same(device, "growth", &factored.factors, &expected);
        }
    }
    Ok(())
}

/// Zero pivots anywhere: the first is named, and the elimination goes on behind it.
fn zero_pivots<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 5, 33, 65] {
        for zero in [0, n / 2, n - 1] {
            // Two on the diagonal, ones above it: upper triangular, so that nothing is below a zero.
            let a = Dense::from_fn(n, n, |i, j| match (i, j) {
                (i, j) if i == j && (i == zero || i + 1 == n && zero > 0) => T::zero(),
                (i, j) if i == j => T::from_f64(2.0),
                (i, j) if i < j => T::one(),
                _ => T::zero(),
            });
            for panels in places(device) {
                let factored = Factored::with(device, &a, panels)?;
                let case = format!("{n}, {panels:?} in {} on {}", T::NAME, device.name());
                assert_eq!(factored.first_zero, Some(zero), "{case}");
                same(device, "a triangle with a zero pivot", &factored.factors, &a);
                let b = Dense::from_fn(n, 1, |_, _| T::one());
                assert_eq!(factored.solve(&b).err(), Some(Error::Singular { column: zero }));
            }
        }
    }
    Ok(())
}

fn sizes_of_nothing<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [(0, 0), (0, 4), (4, 0)] {
        let factored = Factored::of(device, &Dense::<T>::from_fn(rows, cols, |_, _| T::one()))?;
        assert!(factored.pivots.is_empty() && factored.first_zero.is_none());
        if rows == cols {
            assert!(
                factored
                    .solve(&Dense::from_fn(0, 3, |_, _| T::one()))?
                    .values
                    .is_empty()
            );
        }
    }
    Ok(())
}
