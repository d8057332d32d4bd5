//! Every way of solving with the factors: with A and with its transpose, waiting or not, in place or not.

use nonius::dense::{Matrix, Vector};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::devices::Random;
use crate::matrices::{Dense, TYPES, Type};
use crate::ratios::{self, Factored, THRESHOLD};

for_every_scalar!(transposed_systems, all_ways_agree, what_is_refused);

/// Around blocks of 32 and of 64.
const SIZES: [usize; 12] = [0, 1, 2, 5, 31, 33, 63, 64, 65, 97, 129, 150];

/// Where each column is a dispatch of its own, and beyond.
const RIGHT_HAND_SIDES: [usize; 3] = [1, 8, 9];

pub(crate) fn transposed<T: Scalar>(a: &Dense<T>) -> Dense<T> {
    Dense::from_fn(a.cols, a.rows, |i, j| a.at(j, i))
}

fn random<T: Scalar>(rows: usize, cols: usize, seed: usize) -> Dense<T> {
    let mut random = Random::new(seed);
    Dense::from_fn(rows, cols, |_, _| random.scalar())
}

fn on_device<T: Scalar>(device: &Device, a: &Dense<T>) -> Result<Matrix<T>> {
    Matrix::from_rows(device, a.rows, a.cols, &a.values)
}

fn transposed_systems<T: Scalar>(device: &Device) -> Result<()> {
    for (index, n) in SIZES.into_iter().enumerate() {
        for kind in TYPES {
            let columns = RIGHT_HAND_SIDES[(index + kind as usize) % 3];
            let case = format!(
                "{kind:?} of {n}, {columns} columns, in {} on {}",
                T::NAME,
                device.name()
            );
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let turned = transposed(&a);
            let exact = random::<T>(n, columns, n);
            for (side, matrix) in [("A", &a), ("the transpose", &turned)] {
                let factored = Factored::of(device, &a)?;
                let b = ratios::product(matrix, &exact);
                let right = on_device(device, &b)?;
                let outcome = if side == "A" {
                    factored.lu.solve(&right).block_on()
                } else {
                    factored.lu.solve_transposed(&right).block_on()
                };
                if let Some(column) = first_zero {
                    assert_eq!(outcome.err(), Some(Error::Singular { column }), "{side} {case}");
                    continue;
                }
                let x = Dense {
                    rows: n,
                    cols: columns,
                    values: outcome?.to_host().block_on()?,
                };
                let ratio = ratios::solve_ratio(matrix, &x, &b);
                assert!(ratio < THRESHOLD, "{side}, {case}: ratio {ratio:e}");
            }
        }
    }
    Ok(())
}

fn all_ways_agree<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 40, 130] {
        let (a, _) = Type::WellConditioned.matrix::<T>(n, n);
        let lu = Factored::of(device, &a)?.lu;
        for columns in RIGHT_HAND_SIDES {
            let b = random::<T>(n, columns, columns);
            let right = on_device(device, &b)?;
            let host = |x: Matrix<T>| x.to_host().block_on();
            let x = host(lu.solve(&right).block_on()?)?;
            let y = host(lu.solve_transposed(&right).block_on()?)?;
            assert!(x != y || n == 1, "A is not symmetric");
            assert!(host(lu.substitute(&right)?)? == x, "substitute");
            assert!(host(lu.substitute_transposed(&right)?)? == y, "substitute_transposed");
            // In the middle of a larger matrix, whose other columns stay as they are.
            type InPlace<T> = fn(&nonius::lu::Lu<T>, nonius::dense::MatrixViewMut<'_, T>) -> Result<()>;
            let ways: [(&str, InPlace<T>, &[T]); 4] = [
                ("solve", |lu, b| lu.solve_in_place(b).block_on(), &x),
                ("substitute", |lu, b| lu.substitute_in_place(b), &x),
                (
                    "solve_transposed",
                    |lu, b| lu.solve_transposed_in_place(b).block_on(),
                    &y,
                ),
                (
                    "substitute_transposed",
                    |lu, b| lu.substitute_transposed_in_place(b),
                    &y,
                ),
            ];
            for (name, in_place, expected) in ways {
                let inside = |j: usize| (2..2 + columns).contains(&j);
                let wide = Dense::from_fn(n, columns + 3, |i, j| {
                    if inside(j) {
                        b.at(i, j - 2)
                    } else {
                        T::from_f64((i + j) as f64)
                    }
                });
                let mut matrix = on_device(device, &wide)?;
                in_place(&lu, matrix.block_mut(0, 2, n, columns)?)?;
                let found = matrix.to_host().block_on()?;
                for (at, found) in found.iter().enumerate() {
                    let (i, j) = (at / (columns + 3), at % (columns + 3));
                    let wanted = if inside(j) {
                        expected[i * columns + j - 2]
                    } else {
                        wide.at(i, j)
                    };
                    assert!(
                        *found == wanted,
                        "{name} in place at ({i}, {j}) of {n} on {}",
                        device.name()
                    );
                }
            }
            if columns == 1 {
                let b = Vector::from_slice(device, &b.values)?;
                assert!(lu.solve_vector(&b).block_on()?.to_host().block_on()? == x);
                assert!(lu.substitute_vector(&b)?.to_host().block_on()? == x);
                assert!(lu.solve_vector_transposed(&b).block_on()?.to_host().block_on()? == y);
                assert!(lu.substitute_vector_transposed(&b)?.to_host().block_on()? == y);
            }
        }
    }
    Ok(())
}

fn what_is_refused<T: Scalar>(device: &Device) -> Result<()> {
    let one = |rows, cols| Dense::from_fn(rows, cols, |_, _| T::one());
    let (a, _) = Type::WellConditioned.matrix::<T>(5, 5);
    let lu = Factored::of(device, &a)?.lu;
    let short = on_device(device, &one(4, 2))?;
    let error = lu.solve_transposed(&short).block_on().err();
    assert!(
        matches!(
            error,
            Some(Error::Shape {
                operation: "solve_transposed",
                ..
            })
        ),
        "{error:?}"
    );
    let tall = Factored::of(device, &one(5, 4))?.lu;
    let right = on_device(device, &one(5, 1))?;
    for error in [tall.substitute(&right).err(), tall.substitute_transposed(&right).err()] {
        assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    }
    // A right-hand side stays as it is where there is no solution.
    let singular = Factored::of(device, &one(3, 3))?.lu;
    let mut right = on_device(device, &one(3, 2))?;
    let error = singular.solve_in_place(&mut right).block_on().err();
    assert_eq!(error, Some(Error::Singular { column: 1 }));
    assert!(right.to_host().block_on()? == one(3, 2).values);
    Ok(())
}
