//! What is no number, what must not vary, what does not fit.

use std::ops::ControlFlow;

use nonius::dense::{Matrix, Vector};
use nonius::lu::batched::Pattern;
use nonius::lu::{Lu, Pivoting};
use nonius::{Blocking as _, Device, Error, Observer, Result, Scalar};

use crate::devices::{Random, devices};
use crate::matrices::{Dense, Type};
use crate::ratios::Factored;

for_every_scalar!(
    a_nan_is_never_hidden,
    two_runs_agree,
    a_vector_is_a_column,
    operands_must_fit,
    an_observer_can_stop_it,
);

fn ones<T: Scalar>(rows: usize, cols: usize) -> Dense<T> {
    Dense::from_fn(rows, cols, |_, _| T::one())
}

/// In the factors or the solution; in every column for one of A, in its own for one of B.
fn a_nan_is_never_hidden<T: Scalar>(device: &Device) -> Result<()> {
    let nan = T::from_f64(f64::NAN);
    for n in [1, 2, 5, 40] {
        let (clean, _) = Type::WellConditioned.matrix::<T>(n, n);
        let last = n - 1;
        for (row, col) in [
            (0, 0),
            (last, last),
            (0, last),
            (last, 0),
            (n / 2, n / 2),
            (n / 2, n / 3),
        ] {
            let mut a = clean.clone();
            *a.at_mut(row, col) = nan;
            let factored = Factored::of(device, &a)?;
            let x = factored.solve(&ones(n, 3))?;
            for j in 0..3 {
                assert!(
                    (0..n).any(|i| x.at(i, j).is_nan()),
                    "NaN at ({row}, {col}) of {n} in {} on {}: column {j} of X is finite",
                    T::NAME,
                    device.name()
                );
            }
        }
        let factored = Factored::of(device, &clean)?;
        let b = ones(n, 3);
        let mut spoilt = b.clone();
        *spoilt.at_mut(n / 2, 1) = nan;
        let (x, spoilt) = (factored.solve(&b)?, factored.solve(&spoilt)?);
        assert!((0..n).any(|i| spoilt.at(i, 1).is_nan()), "NaN in b, and a finite x");
        for i in 0..n {
            assert!(
                x.at(i, 0) == spoilt.at(i, 0) && x.at(i, 2) == spoilt.at(i, 2),
                "NaN in one column of B is in another of X, on {}",
                device.name()
            );
        }
    }
    Ok(())
}

fn two_runs_agree<T: Scalar>(device: &Device) -> Result<()> {
    for n in [33, 97] {
        let (a, _) = Type::IllConditioned.matrix::<T>(n, n);
        let mut random = Random::new(n);
        let b = Dense::from_fn(n, 5, |_, _| T::from_f64(random.unit()));
        let (first, second) = (Factored::of(device, &a)?, Factored::of(device, &a)?);
        assert_eq!(first.pivots, second.pivots);
        let bits = |values: &[T]| bytemuck::cast_slice::<T, u8>(values).to_vec();
        assert!(
            bits(&first.factors.values) == bits(&second.factors.values),
            "factors differ"
        );
        let (x, again) = (first.solve(&b)?, second.solve(&b)?);
        assert!(bits(&x.values) == bits(&again.values), "solutions differ");
    }
    Ok(())
}

fn a_vector_is_a_column<T: Scalar>(device: &Device) -> Result<()> {
    let n = 40;
    let (a, _) = Type::WellConditioned.matrix::<T>(n, n);
    let factored = Factored::of(device, &a)?;
    let b = ones::<T>(n, 1);
    let x = factored
        .lu
        .solve_vector(&Vector::from_slice(device, &b.values)?)
        .block_on()?;
    assert!(x.to_host().block_on()? == factored.solve(&b)?.values);
    // A block of a larger matrix, with columns on either side.
    let wide = Dense::from_fn(n, 7, |i, j| {
        T::from_f64(if (2..5).contains(&j) { 1.0 } else { i as f64 })
    });
    let matrix = Matrix::from_rows(device, n, 7, &wide.values)?;
    let from_block = factored
        .lu
        .solve(matrix.block(0, 2, n, 3)?)
        .block_on()?
        .to_host()
        .block_on()?;
    assert!(from_block == factored.solve(&ones(n, 3))?.values);
    Ok(())
}

fn operands_must_fit<T: Scalar>(device: &Device) -> Result<()> {
    let (a, _) = Type::WellConditioned.matrix::<T>(5, 5);
    let factored = Factored::of(device, &a)?;
    for (rows, cols) in [(4, 1), (6, 2), (0, 1)] {
        let error = factored.solve(&ones(rows, cols)).err();
        assert!(
            matches!(error, Some(Error::Shape { operation: "solve", .. })),
            "{rows} x {cols}: {error:?}"
        );
    }
    let square = Matrix::from_rows(device, 5, 5, &a.values)?;
    let error = factored.lu.solve(square.view().t()).block_on().err();
    assert!(matches!(error, Some(Error::Shape { .. })), "a transpose: {error:?}");
    if !device.is_host() {
        let elsewhere = Matrix::from_rows(&Device::host(), 5, 1, &[T::one(); 5])?;
        let error = factored.lu.solve(&elsewhere).block_on().err();
        assert!(matches!(error, Some(Error::DeviceMismatch { .. })), "{error:?}");
    }
    Ok(())
}

/// Stops at once, and remembers what it was told.
struct Stop(Vec<(&'static str, usize, usize)>);

impl Observer for Stop {
    fn progress(&mut self, operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self.0.push((operation, done, total));
        ControlFlow::Break(())
    }
}

/// Goes on, and remembers what it was told.
struct Listen(Vec<(&'static str, usize, usize)>);

impl Observer for Listen {
    fn progress(&mut self, operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self.0.push((operation, done, total));
        ControlFlow::Continue(())
    }
}

#[test]
fn an_observer_is_told_of_columns_that_are_done_and_not_of_those_on_their_way() {
    for device in devices() {
        let told = |steps: usize| {
            let mut listen = Listen(Vec::new());
            let a = Matrix::<f32>::zeros(device, steps, steps).expect("it fits");
            Lu::factor_watched(a, Pivoting::None, &mut listen)
                .block_on()
                .expect("it is factored");
            listen.0
        };
        assert_eq!(told(0), []);
        assert_eq!(told(512), [("factor", 512, 512)]);
        assert_eq!(
            told(1030),
            [("factor", 512, 1030), ("factor", 1030, 1030)],
            "{}",
            device.name()
        );
    }
}

fn an_observer_can_stop_it<T: Scalar>(device: &Device) -> Result<()> {
    let (a, _) = Type::WellConditioned.matrix::<T>(40, 40);
    let mut stop = Stop(Vec::new());
    let matrix = Matrix::from_rows(device, 40, 40, &a.values)?;
    let outcome = Lu::factor_watched(matrix, Pivoting::Partial, &mut stop).block_on();
    assert_eq!(outcome.err(), Some(Error::Cancelled { operation: "factor" }));
    assert_eq!(stop.0.len(), 1, "told again after it asked to stop: {:?}", stop.0);
    // The device is as good as before.
    assert!(Factored::of(device, &a)?.first_zero.is_none());
    Ok(())
}

/// One entry of 30,000 x 30,000 places: 4 GB of them.
#[test]
#[ignore = "run by the next one, with little memory"]
fn a_large_pattern() {
    let error = Pattern::new(&Device::host(), 30_000, 30_000, &[(0, 0)]).err();
    assert!(matches!(error, Some(Error::OutOfMemory { .. })), "{error:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_pattern_that_memory_does_not_hold_is_refused() {
    crate::little_memory::passes_within(2_500_000, "a_large_pattern");
}
