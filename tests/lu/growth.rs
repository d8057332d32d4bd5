//! How much elements grow, and that nobody is left to believe what they spoilt.

use nonius::dense::{Matrix, Vector};
use nonius::lu::Options;
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::devices::Random;
use crate::exact::Exact;
use crate::exactly::growing;
use crate::matrices::Dense;
use crate::numbers::{all_options, factor};
use crate::ratios::{self, Factored, THRESHOLD};

for_every_scalar!(growth_of_all_kinds, growth_is_never_silent, errors_of_what_is_small);

fn growth_of_all_kinds<T: Scalar>(device: &Device) -> Result<()> {
    for options in all_options() {
        for (rows, cols) in [
            (1, 1),
            (5, 5),
            (24, 24),
            (33, 33),
            (70, 70),
            (40, 33),
            (33, 40),
            (0, 0),
            (0, 3),
            (3, 0),
        ] {
            let case = format!("{options:?} of {rows} x {cols} in {} on {}", T::NAME, device.name());
            let a = if rows == cols {
                growing::<T>(rows)
            } else {
                Dense::from_fn(rows, cols, |i, j| if i == j { T::from_f64(2.0) } else { T::zero() })
            };
            let lu = factor(device, &a, options)?;
            let found = lu
                .reciprocal_growth(&Matrix::from_rows(device, rows, cols, &a.values)?)
                .block_on()?;
            let steps = i32::try_from(rows).expect("small") - 1;
            let expected = if rows == cols && rows > 0 {
                2.0_f64.powi(-steps)
            } else {
                1.0
            };
            assert_eq!(found, expected, "{case}");
        }
        // What is infinite in A grows to no more in U.
        for (odd, at) in [(f64::NAN, 39), (f64::INFINITY, 39), (f64::INFINITY, 0)] {
            let mut spoilt = growing::<T>(40);
            *spoilt.at_mut(at, 39) = T::from_f64(odd);
            let matrix = Matrix::from_rows(device, 40, 40, &spoilt.values)?;
            let growth = factor(device, &spoilt, options)?
                .reciprocal_growth(&matrix)
                .block_on()?;
            assert!(growth.is_nan(), "{odd}: {growth} in {} on {}", T::NAME, device.name());
        }
    }
    let lu = factor(device, &growing::<T>(5), Options::default())?;
    let error = lu.reciprocal_growth(&Matrix::zeros(device, 5, 4)?).block_on().err();
    assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    Ok(())
}

/// Foster 1994: a Volterra integral equation by the trapezoidal rule; elements grow like 2^n.
fn foster<T: Scalar>(n: usize) -> Dense<T> {
    let step = T::from_f64(2.0) / T::from_f64(3.0);
    let half = step / T::from_f64(2.0);
    Dense::from_fn(n, n, |i, j| {
        let own = match (i, j) {
            (0, 0) => T::one(),
            (i, 0) if i > 0 => -half,
            (i, j) if i == j => T::one() - half,
            (i, j) if i > j => -step,
            _ => T::zero(),
        };
        if j + 1 == n && n > 1 { own - T::one() } else { own }
    })
}

/// Wright 1993: a two-point boundary value problem by multiple shooting.
fn wright<T: Scalar>(n: usize) -> Dense<T> {
    let h = 0.3_f64;
    let (even, odd) = ((-h / 6.0).exp() * h.cosh(), (-h / 6.0).exp() * h.sinh());
    Dense::from_fn(n, n, |i, j| {
        let corner = i < 2 && j + 2 == n + i;
        if i == j || corner {
            T::one()
        } else if i >= 2 && j / 2 + 1 == i / 2 {
            T::from_f64(-if i % 2 == j % 2 { even } else { odd })
        } else {
            T::zero()
        }
    })
}

/// Where elements grow, the growth says so; and what comes refined has the errors that it says.
fn growth_is_never_silent<T: Scalar>(device: &Device) -> Result<()> {
    for n in [8, 24, 60, 100] {
        for (name, a) in [
            ("Wilkinson", growing::<T>(n)),
            ("Foster", foster(n)),
            ("Wright", wright(n)),
        ] {
            let case = format!("{name} of {n} in {} on {}", T::NAME, device.name());
            let matrix = Matrix::from_rows(device, n, n, &a.values)?;
            let factored = Factored::of(device, &a)?;
            let growth = factored.lu.reciprocal_growth(&matrix).block_on()?;
            // Signs and ones: x is of few bits, and b nearly.
            let mut random = Random::new(n);
            let exact = Dense::from_fn(n, 1, |_, _| T::from_f64(f64::from(random.integer(3))));
            let b = ratios::product(&a, &exact);
            let x = factored.solve(&b)?;
            let plain = backward_error(&a, &x.values, &b.values);
            assert!(
                plain * growth <= THRESHOLD * (n * n) as f64 * T::ROUNDING,
                "{case}: growth {growth:e} does not explain {plain:e}"
            );
            let right = Vector::from_slice(device, &b.values)?;
            let refined = factored.lu.refined(&matrix, &right).block_on()?;
            let x = refined.x.to_host().block_on()?;
            let found = backward_error(&a, &x, &b.values);
            let roundings = (n + 2) as f64 * T::ROUNDING;
            assert!(
                found <= refined.backward_error * (1.0 + roundings) + roundings,
                "{case}: {found:e}, and {:e} was said",
                refined.backward_error
            );
            let refused = refined.forward_error >= 1.0;
            let size = x.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
            let errors = x
                .iter()
                .zip(&exact.values)
                .map(|(x, exact)| (x.to_dd() - exact.to_dd()).to_f64().abs());
            // b is rounded, which a componentwise backward error of one rounding is too.
            let error = errors.fold(0.0, f64::max) / size;
            assert!(
                refused || error <= refined.forward_error,
                "{case}: {error:e}, bound {:e}",
                refined.forward_error
            );
        }
    }
    Ok(())
}

/// As small as residuals that do not underflow let it be: the errors are said to be those of a matrix of ordinary size.
fn errors_of_what_is_small<T: Scalar>(device: &Device) -> Result<()> {
    let n = 9;
    let roundings = Scalar::exponent(n as f64 / T::ROUNDING).expect("not zero");
    let unit = T::MIN_EXPONENT + roundings + 4;
    let mut random = Random::new(n);
    let a = Dense::from_fn(n, n, |i, j| {
        let diagonal = if i == j { 4.0 } else { 0.0 };
        T::from_f64(random.unit() + diagonal).scale_exponent(unit)
    });
    let b: Vec<T> = (0..n)
        .map(|_| T::from_f64(1.0 + random.unit()).scale_exponent(unit))
        .collect();
    let matrix = Matrix::from_rows(device, n, n, &a.values)?;
    let refined = Factored::of(device, &a)?
        .lu
        .refined(&matrix, &Vector::from_slice(device, &b)?)
        .block_on()?;
    assert!(
        refined.backward_error <= (n + 2) as f64 * T::ROUNDING,
        "{:e} in {} on {}",
        refined.backward_error,
        T::NAME,
        device.name()
    );
    Ok(())
}

/// maxᵢ |b - A x|ᵢ / (|A||x| + |b|)ᵢ, from a residual without rounding.
pub(crate) fn backward_error<T: Scalar>(a: &Dense<T>, x: &[T], b: &[T]) -> f64 {
    let row = |i: usize| {
        let (mut residual, mut size) = (Exact::zero(), Exact::zero());
        residual.subtract(b[i]);
        size.add(b[i].abs());
        for (j, x) in x.iter().enumerate() {
            residual.add_product(a.at(i, j), *x);
            size.add_product(a.at(i, j).abs(), x.abs());
        }
        residual.ratio(size)
    };
    (0..b.len()).map(row).fold(0.0, f64::max)
}
