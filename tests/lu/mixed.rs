//! Factors in a low precision, x in a high one.

use std::ops::ControlFlow;

use nonius::dense::{Matrix, Vector};
use nonius::lu::{Failure, Lu, Mixed, Route, solve_mixed};
use nonius::{Blocking as _, Dd, Device, Df64, Error, Observer, Result, Scalar};

use crate::devices::{Random, devices, say};
use crate::exact::Exact;
use crate::matrices::{Dense, conditioned};

fn on_devices<L: Scalar, H: Scalar>(check: impl Fn(&Device) -> Result<()>) {
    for device in devices() {
        match device.supports::<L>().and_then(|()| device.supports::<H>()) {
            Ok(()) => check(device).unwrap_or_else(|error| panic!("{}: {error}", device.name())),
            Err(error) => say(&format!("not tested: {error}")),
        }
    }
}

/// Counts the factorisations that it is told of.
struct Factorisations(usize);

impl Observer for Factorisations {
    fn progress(&mut self, operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self.0 += usize::from(operation == "factor" && done == total);
        ControlFlow::Continue(())
    }
}

fn solved<L: Scalar, H: Scalar>(device: &Device, a: &Dense<H>, b: &[H]) -> Result<Mixed<H>> {
    let matrix = Matrix::from_rows(device, a.rows, a.cols, &a.values)?;
    solve_mixed::<L, H>(&matrix, &Vector::from_slice(device, b)?, &mut ()).block_on()
}

/// ‖b - A x‖∞ / (‖A‖∞ ‖x‖∞), from a residual without rounding.
fn residual<H: Scalar>(a: &Dense<H>, x: &[H], b: &[H]) -> f64 {
    let mut one = Exact::zero();
    one.add(1.0);
    let size = |i: usize| (0..a.cols).map(|j| a.at(i, j).to_f64().abs()).sum::<f64>();
    let row = |i: usize| {
        let mut sum = Exact::zero();
        sum.subtract(b[i]);
        x.iter().enumerate().for_each(|(j, x)| sum.add_product(a.at(i, j), *x));
        sum.ratio(one.clone())
    };
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let norm = largest(&mut (0..a.rows).map(size)) * largest(&mut x.iter().map(|x| x.to_f64().abs()));
    largest(&mut (0..a.rows).map(row)) / norm
}

/// ‖A‖ ‖x‖ may overflow where neither does; then no residual is small beside it.
#[test]
fn a_large_solution_is_no_excuse() {
    on_devices::<f32, f64>(|device| {
        let small = 1.1 * 0.5_f64.powi(20);
        let a = Dense::<f64> {
            rows: 2,
            cols: 2,
            values: vec![1.9, 0.0, 0.0, small],
        };
        let b = [0.0, small * 1.5e308];
        let mixed = solved::<f32, f64>(device, &a, &b)?;
        let error = (mixed.x.to_host().block_on()?[1] / 1.5e308 - 1.0).abs();
        assert!(error < 1e-14, "{mixed:?} on {}", device.name());
        Ok(())
    });
}

fn low_factors_reach_high_accuracy<L: Scalar, H: Scalar>() {
    on_devices::<L, H>(|device| {
        // With the larger condition, more solves are needed than are recorded at first.
        let hard = 0.2 / L::ROUNDING;
        for (n, condition) in [(1, 100.0), (2, 100.0), (33, 100.0), (97, 100.0), (97, hard)] {
            let a = conditioned::<H>(n, condition, n);
            let b: Vec<H> = Random::new(n).scalars(n);
            let mixed = solved::<L, H>(device, &a, &b)?;
            let case = format!(
                "{} and {} of {n}, {condition:e}, on {}: {mixed:?}",
                L::NAME,
                H::NAME,
                device.name()
            );
            assert_eq!((mixed.route, mixed.low), (Route::Refined, L::KIND), "{case}");
            assert!(
                mixed.converged() && mixed.history.last() == Some(&mixed.residual),
                "{case}"
            );
            // What is measured has the roundings of a product.
            let found = residual(&a, &mixed.x.to_host().block_on()?, &b);
            assert!(
                found <= mixed.target + (n + 2) as f64 * H::ROUNDING,
                "{case}: {found:e}"
            );
            // It stops where LAPACK does, and not later.
            let [before @ .., _] = mixed.history.as_slice() else {
                panic!("{case}")
            };
            assert!(before.iter().all(|residual| *residual > mixed.target), "{case}");
            assert!(condition < hard || mixed.history.len() > 2, "{case}");
        }
        Ok(())
    });
}

#[test]
fn f32_factors_reach_df64() {
    low_factors_reach_high_accuracy::<f32, Df64>();
}

#[test]
fn f32_factors_reach_f64() {
    low_factors_reach_high_accuracy::<f32, f64>();
}

#[test]
fn f64_factors_reach_dd() {
    low_factors_reach_high_accuracy::<f64, Dd>();
}

fn failures_are_seen<H: Scalar>(device: &Device) -> Result<()> {
    let n = 40;
    let b: Vec<H> = Random::new(n).scalars(n);
    // Far worse than f32 can correct, well within H.
    let stalled = solved::<f32, H>(device, &conditioned::<H>(n, 1e11, 1), &b)?;
    assert_eq!(stalled.route, Route::Fallback(Failure::Stalled), "{stalled:?}");
    assert!(stalled.converged() && !stalled.history.is_empty(), "{stalled:?}");
    assert!(
        stalled.history.iter().all(|residual| !(*residual <= stalled.target)),
        "{stalled:?}"
    );
    // Columns that differ in bits that f32 has not.
    let close = Dense::from_fn(2, 2, |i, j| {
        let lowest = if (i, j) == (1, 1) { (-35_f64).exp2() } else { 0.0 };
        H::from_f64(1.0 + lowest)
    });
    let singular = solved::<f32, H>(device, &close, &[H::one(), H::from_f64(2.0)])?;
    assert_eq!(singular.route, Route::Fallback(Failure::Singular { column: 1 }));
    assert!(singular.converged() && singular.history.is_empty(), "{singular:?}");
    // In H too.
    let ones = Dense::from_fn(3, 3, |_, _| H::one());
    let error = solved::<f32, H>(device, &ones, &b[..3]).err();
    assert_eq!(error, Some(Error::Singular { column: 1 }));
    for odd in [f64::NAN, f64::INFINITY] {
        let mut spoilt = conditioned::<H>(5, 2.0, 1);
        *spoilt.at_mut(2, 3) = H::from_f64(odd);
        let error = solved::<f32, H>(device, &spoilt, &b[..5]).err();
        assert!(matches!(error, Some(Error::NotFinite { .. })), "{error:?}");
    }
    // A right-hand side that is no number has no solution that is, and no factors in H are made to learn that. Nor where A is
    // scaled first.
    for (odd, of_a) in [(f64::NAN, 0), (f64::INFINITY, 0), (f64::NAN, H::MIN_EXPONENT)] {
        let mut spoilt = b[..5].to_vec();
        spoilt[1] = H::from_f64(odd);
        let unit = conditioned::<H>(5, 2.0, 1);
        let a = Dense::from_fn(5, 5, |i, j| unit.at(i, j).scale_exponent(of_a));
        let mut factored = Factorisations(0);
        let matrix = Matrix::from_rows(device, 5, 5, &a.values)?;
        let outcome = solve_mixed::<f32, H>(&matrix, &Vector::from_slice(device, &spoilt)?, &mut factored).block_on();
        let refused = matches!(&outcome, Err(Error::NotFinite { what, value })
            if what.contains("right-hand side") && value.is_nan() == odd.is_nan());
        assert!(refused && factored.0 == 0, "{}: {outcome:?}", factored.0);
    }
    let empty = solved::<f32, H>(device, &Dense::from_fn(0, 0, |_, _| H::one()), &[])?;
    assert!(empty.converged() && empty.x.is_empty(), "{empty:?}");
    for (rows, cols, right) in [(3, 2, 3), (2, 3, 2), (3, 3, 2)] {
        let a = Dense::from_fn(rows, cols, |_, _| H::one());
        let error = solved::<f32, H>(device, &a, &b[..right]).err();
        assert!(
            matches!(
                error,
                Some(Error::Shape {
                    operation: "solve_mixed",
                    ..
                })
            ),
            "{error:?}"
        );
    }
    Ok(())
}

#[test]
fn failures_of_f32_are_seen_in_df64() {
    on_devices::<f32, Df64>(failures_are_seen::<Df64>);
}

#[test]
fn failures_of_f32_are_seen_in_f64() {
    on_devices::<f32, f64>(failures_are_seen::<f64>);
}

#[test]
fn what_f32_cannot_hold_is_factored_in_f64() {
    on_devices::<f32, f64>(|device| {
        for power in [-900, 200, 900] {
            let unit = conditioned::<f64>(20, 10.0, 1);
            let a = Dense::from_fn(20, 20, |i, j| unit.at(i, j).scale_exponent(power));
            let b: Vec<f64> = Random::new(1).scalars(20);
            let mixed = solved::<f32, f64>(device, &a, &b)?;
            let expected = if power > 0 {
                Failure::Overflow
            } else {
                // All of it underflows.
                Failure::Singular { column: 0 }
            };
            assert_eq!(mixed.route, Route::Fallback(expected), "2^{power} on {}", device.name());
            assert!(mixed.converged(), "2^{power} on {}: {mixed:?}", device.name());
        }
        Ok(())
    });
}

/// A residual has the range of f32 to itself, wherever it lies in that of H.
fn right_hand_sides_of_any_size<H: Scalar>(powers: &[i32]) {
    for device in devices() {
        if let Err(error) = device.supports::<H>() {
            say(&format!("not tested: {error}"));
            continue;
        }
        for &power in powers {
            let n = 65;
            let a = conditioned::<H>(n, 50.0, 3);
            let mut random = Random::new(5);
            let b: Vec<H> = (0..n).map(|_| random.scalar::<H>().scale_exponent(power)).collect();
            let mixed = solved::<f32, H>(device, &a, &b).expect("it fits");
            assert_eq!(mixed.route, Route::Refined, "2^{power} on {}: {mixed:?}", device.name());
            let x = mixed.x.to_host().block_on().expect("it is solved");
            let found = residual(&a, &x, &b);
            assert!(
                found <= mixed.target + (n + 2) as f64 * H::ROUNDING,
                "2^{power} on {}: {found:e}",
                device.name()
            );
        }
    }
}

#[test]
fn right_hand_sides_of_any_size_in_f64() {
    right_hand_sides_of_any_size::<f64>(&[-900, -130, 0, 130, 900]);
}

#[test]
fn right_hand_sides_of_any_size_in_df64() {
    right_hand_sides_of_any_size::<Df64>(&[-30, 0, 100]);
}

/// On devices that flush subnormal words, a residual of these would be zero, and so would be the low words of x.
#[test]
fn right_hand_sides_at_the_ends_of_the_range_are_judged_truly() {
    on_devices::<f32, Df64>(|device| {
        for power in [-148, -140, -120, -110, -100, -90, -80, 120, 126] {
            let a = Dense {
                rows: 2,
                cols: 2,
                values: [3.0, 1.0, 1.0, 3.0].map(Df64::from_f64).to_vec(),
            };
            let b = [1.1, 0.7].map(|b| Df64::from_f64(b).scale_exponent(power));
            let mixed = solved::<f32, Df64>(device, &a, &b)?;
            let found = residual(&a, &mixed.x.to_host().block_on()?, &b);
            let bound = mixed.target + 4.0 * Df64::ROUNDING;
            let case = format!("2^{power} on {}: {found:e}, {mixed:?}", device.name());
            assert!(found <= bound || !mixed.converged(), "{case}");
            // Low words of x that are multiples of the smallest number say enough.
            assert!(found <= bound || power < -100, "{case}");
        }
        Ok(())
    });
}

/// Corrections have the range of f32 to themselves whatever the size of A, and where residuals would leave the range of H, A is
/// brought back: f32 serves as well as ever, and nothing is said of x that is not true.
fn matrices_of_any_size<H: Scalar>(powers: &[i32], device: &Device) -> Result<()> {
    for condition in [50.0, 1e4] {
        for &power in powers {
            let n = 65;
            let unit = conditioned::<H>(n, condition, 3);
            let a = Dense::from_fn(n, n, |i, j| unit.at(i, j).scale_exponent(power));
            for of_b in [0, power] {
                let mut random = Random::new(5);
                let b: Vec<H> = (0..n).map(|_| random.scalar::<H>().scale_exponent(of_b)).collect();
                let mixed = solved::<f32, H>(device, &a, &b)?;
                let case = format!(
                    "A of 2^{power}, b of 2^{of_b}, {condition:e} on {}: {mixed:?}",
                    device.name()
                );
                assert_eq!(mixed.route, Route::Refined, "{case}");
                let x = mixed.x.to_host().block_on()?;
                if x.iter().any(|x| !x.is_finite()) {
                    assert!(!mixed.converged() && of_b - power > 100, "{case}");
                    continue;
                }
                // In the middle of the range, where this is exact.
                let scaled = |x: &H, power: i32| x.scale_exponent(-power);
                let a = Dense::from_fn(n, n, |i, j| scaled(&a.at(i, j), power));
                let b: Vec<H> = b.iter().map(|b| scaled(b, of_b)).collect();
                let x: Vec<H> = x.iter().map(|x| scaled(x, of_b - power)).collect();
                let found = residual(&a, &x, &b);
                let bound = mixed.target + (n + 2) as f64 * H::ROUNDING;
                assert!(found <= bound || !mixed.converged(), "{case}: {found:e}");
                // Below that, x does not have the range for its digits.
                assert!(found <= bound || of_b - power < -100, "{case}: {found:e}");
            }
        }
    }
    Ok(())
}

#[test]
fn matrices_of_any_size_in_f64() {
    let powers = [-1010, -960, -110, -100, -60, 0, 60, 100, 110, 120, 1015];
    on_devices::<f32, f64>(|device| matrices_of_any_size::<f64>(&powers, device));
}

#[test]
fn matrices_of_any_size_in_df64() {
    let powers = [-140, -126, -110, -90, -70, -60, -40, 0, 60, 100, 110, 115, 120, 124];
    on_devices::<f32, Df64>(|device| matrices_of_any_size::<Df64>(&powers, device));
}

/// Rows of all sizes that f32 has: what x is said to be is true by the norm that it is said in.
#[test]
fn rows_of_different_sizes_are_judged_truly() {
    fn check<H: Scalar>(device: &Device) -> Result<()> {
        let n = 65;
        for spread in [10, 40, 80, 120] {
            let unit = conditioned::<H>(n, 50.0, 3);
            let power = |i: usize| (i32::try_from(i * 37 % n).expect("few") - 32) * spread / 32;
            let a = Dense::from_fn(n, n, |i, j| unit.at(i, j).scale_exponent(power(i)));
            let mut random = Random::new(5);
            let b: Vec<H> = (0..n).map(|i| random.scalar::<H>().scale_exponent(power(i))).collect();
            let mixed = match solved::<f32, H>(device, &a, &b) {
                Ok(mixed) => mixed,
                // What a device takes for zeros.
                Err(Error::Singular { .. }) if spread > 80 => continue,
                Err(error) => return Err(error),
            };
            let case = format!("2^{spread} on {}: {mixed:?}", device.name());
            let x = mixed.x.to_host().block_on()?;
            assert!(x.iter().all(|x| x.is_finite()) || !mixed.converged(), "{case}");
            let found = residual(&a, &x, &b);
            let bound = mixed.target + (n + 2) as f64 * H::ROUNDING;
            assert!(found <= bound || !mixed.converged(), "{case}: {found:e}");
            assert!(found <= bound || spread > 80, "{case}: {found:e}");
        }
        Ok(())
    }
    on_devices::<f32, f64>(check::<f64>);
    on_devices::<f32, Df64>(check::<Df64>);
}

/// x is so much larger than b by A that it leaves the range with a b that is brought to A's size.
#[test]
fn columns_of_different_sizes_have_the_solution_that_factors_have() {
    fn check<H: Scalar>(diagonals: &[[f64; 2]]) {
        on_devices::<f32, H>(|device| {
            for diagonal in diagonals {
                let [p, q] = diagonal.map(H::from_f64);
                // (p, q / 2; p / 2, q) x = (1, 1) for x = (2 / 3p, 2 / 3q).
                let half = H::from_f64(0.5);
                let a = Dense::<H> {
                    rows: 2,
                    cols: 2,
                    values: vec![p, half * q, half * p, q],
                };
                let mut factored = Factorisations(0);
                let matrix = Matrix::from_rows(device, 2, 2, &a.values)?;
                let b = Vector::from_slice(device, &[H::one(); 2])?;
                let mixed = solve_mixed::<f32, H>(&matrix, &b, &mut factored).block_on()?;
                let case = format!("{diagonal:?} in {} on {}: {mixed:?}", H::NAME, device.name());
                assert!(matches!(mixed.route, Route::Fallback(_)), "{case}");
                assert!(mixed.converged(), "{case}");
                // In f32, of which nobody is told where an entry is too large for it, and in H.
                let of_low = usize::from(mixed.route != Route::Fallback(Failure::Overflow));
                assert_eq!(factored.0, of_low + 1, "{case}");
                // Devices that flush have less of a pair of such sizes.
                let plain = Lu::factor(matrix)?.solve_vector(&b).block_on()?;
                let error = |x: H, column: H| ((x * column).to_f64() * 1.5 - 1.0).abs();
                let (plain, mixed) = (plain.to_host().block_on()?, mixed.x.to_host().block_on()?);
                for ((plain, mixed), column) in plain.into_iter().zip(mixed).zip([p, q]) {
                    let (error, of_plain) = (error(mixed, column), error(plain, column));
                    assert!(
                        error < 1e-12 || error <= 2.0 * of_plain,
                        "{error:e}, {of_plain:e}, {case}"
                    );
                }
            }
            Ok(())
        });
    }
    check::<Df64>(&[[1e20, 1e-20], [1e12, 1e-30], [1e25, 1e-15]]);
    check::<f64>(&[[1e300, 1e-20], [1e295, 1e-30]]);
}

#[test]
fn factors_are_no_wider_than_the_solution() {
    let host = Device::host();
    let error = solved::<f64, Df64>(&host, &Dense::from_fn(1, 1, |_, _| Df64::from(1)), &[Df64::from(1)]).err();
    assert!(
        matches!(
            error,
            Some(Error::Shape {
                operation: "solve_mixed",
                ..
            })
        ),
        "{error:?}"
    );
}
