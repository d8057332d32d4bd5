//! x refined in its own precision, and bounds of its errors.

use nonius::dense::{Matrix, Vector};
use nonius::lu::Lu;
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::devices::Random;
use crate::growth::backward_error;
use crate::matrices::{Dense, TYPES, Type, conditioned};
use crate::ratios::{self, Factored, THRESHOLD};

for_every_scalar!(bounds_of_all_types, refined_by_value, corrections_correct);

/// `dget07`: the error over its bound, and the backward error over (n + 1) roundings.
fn bounds_of_all_types<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 3, 5, 33, 65] {
        for kind in TYPES {
            let case = format!("{kind:?} of {n} in {} on {}", T::NAME, device.name());
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let factored = Factored::of(device, &a)?;
            let mut random = Random::new(n);
            let exact = Dense::from_fn(n, 1, |_, _| random.scalar::<T>());
            let b = ratios::product(&a, &exact);
            let matrix = Matrix::from_rows(device, n, n, &a.values)?;
            let outcome = factored
                .lu
                .refined(&matrix, &Vector::from_slice(device, &b.values)?)
                .block_on();
            if let Some(column) = first_zero {
                assert_eq!(outcome.err(), Some(Error::Singular { column }), "{case}");
                continue;
            }
            let refined = outcome?;
            let x = refined.x.to_host().block_on()?;
            let size = x.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
            let errors = x
                .iter()
                .zip(&exact.values)
                .map(|(x, exact)| (x.to_dd() - exact.to_dd()).to_f64().abs());
            let ratio = errors.fold(0.0, f64::max) / size / refined.forward_error;
            assert!(
                ratio < THRESHOLD,
                "{case}: the error is {ratio:e} of its bound {:e}",
                refined.forward_error
            );
            let found = backward_error(&a, &x, &b.values);
            let roundings = (n + 1) as f64 * T::ROUNDING;
            // What underflows near the end of the range is no rounding.
            if kind != Type::NearUnderflow {
                assert!(found / roundings < THRESHOLD, "{case}: backward error {found:e}");
                assert!(refined.backward_error / roundings < THRESHOLD, "{case}: {refined:?}");
            }
            assert_eq!(
                refined.history.iter().copied().fold(f64::INFINITY, f64::min),
                refined.backward_error,
                "{case}"
            );
        }
    }
    Ok(())
}

fn refined_by_value<T: Scalar>(device: &Device) -> Result<()> {
    let of = |a: &Dense<T>, b: &[T]| {
        let matrix = || Matrix::from_rows(device, a.rows, a.cols, &a.values);
        Lu::factor(matrix()?)?
            .refined(&matrix()?, &Vector::from_slice(device, b)?)
            .block_on()
    };
    let identity = |n: usize| Dense::from_fn(n, n, |i, j| if i == j { T::one() } else { T::zero() });
    let zeros = of(&identity(40), &[T::zero(); 40])?;
    assert_eq!((zeros.backward_error, zeros.forward_error), (0.0, 0.0));
    let empty = of(&identity(0), &[])?;
    assert_eq!(
        (empty.backward_error, empty.forward_error, empty.x.len()),
        (0.0, 0.0, 0)
    );
    for odd in [f64::NAN, f64::INFINITY] {
        let mut b = [T::one(); 40];
        b[7] = T::from_f64(odd);
        let refined = of(&identity(40), &b)?;
        assert!(
            refined.backward_error.is_nan() && refined.forward_error == f64::INFINITY,
            "{refined:?}"
        );
    }
    let lu = Lu::factor(Matrix::from_rows(device, 2, 2, &identity(2).values)?)?;
    let (two, three) = (Matrix::<T>::zeros(device, 2, 2)?, Matrix::<T>::zeros(device, 3, 3)?);
    for (a, length) in [(&three, 2), (&two, 3)] {
        let error = lu.refined(a, &Vector::zeros(device, length)?).block_on().err();
        assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    }
    Ok(())
}

/// Factors that are wrong by the fourth root of a rounding need three corrections or so.
fn corrections_correct<T: Scalar>(device: &Device) -> Result<()> {
    for n in [2, 40, 97] {
        let case = format!("{n} in {} on {}", T::NAME, device.name());
        let a = conditioned::<T>(n, 2.0, n);
        let mut random = Random::new(n);
        let wrong = T::ROUNDING.sqrt().sqrt() / n as f64;
        let nearby = Dense::from_fn(n, n, |i, j| a.at(i, j) + T::from_f64(wrong * random.unit()));
        let lu = Lu::factor(Matrix::from_rows(device, n, n, &nearby.values)?)?;
        let b: Vec<T> = random.scalars(n);
        let matrix = Matrix::from_rows(device, n, n, &a.values)?;
        let refined = lu.refined(&matrix, &Vector::from_slice(device, &b)?).block_on()?;
        let roundings = (n + 1) as f64 * T::ROUNDING;
        assert!(
            refined.history[0] > 100.0 * roundings,
            "{case}: nothing to correct, {refined:?}"
        );
        assert!(
            refined.history.len() >= 3 && refined.backward_error <= roundings,
            "{case}: {refined:?}"
        );
        let found = backward_error(&a, &refined.x.to_host().block_on()?, &b);
        assert!(found <= 2.0 * roundings, "{case}: {found:e}");
    }
    Ok(())
}
