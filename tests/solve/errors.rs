//! Every error that is documented, by its value.

use std::ops::ControlFlow;

use nonius::device::Options;
use nonius::solve::{Precision, measure, solve};
use nonius::sparse::Coo;
use nonius::{Blocking as _, Device, Error, Observer, ScalarKind, Select};

use crate::devices::devices;
use crate::problem::Problem;

fn shape(expected: &str, found: &str) -> Error {
    Error::Shape {
        operation: "solve",
        expected: expected.to_owned(),
        found: found.to_owned(),
    }
}

fn of(rows: usize, cols: usize, entries: &[(usize, usize, f64)], b: &[f64]) -> Problem {
    Problem {
        name: format!("{rows} x {cols} {entries:?} {b:?}"),
        a: Coo::from_triplets(rows, cols, entries.iter().copied()).expect("within the matrix"),
        b: b.to_vec(),
    }
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    of(2, 3, &[], &[1.0, 2.0]).fails_everywhere(&shape("a square matrix", "one of 2 x 3"));
    of(0, 0, &[], &[]).fails_everywhere(&shape("at least one unknown", "an empty matrix"));
    of(2, 2, &[(0, 0, 1.0)], &[1.0]).fails_everywhere(&shape("a right-hand side of 2", "one of 1"));
    of(1, 1, &[(0, 0, 1.0)], &[1.0, 2.0]).fails_everywhere(&shape("a right-hand side of 1", "one of 2"));
}

#[test]
fn numbers_that_are_not_finite_are_located() {
    let infinite = |what: &str| Error::NotFinite {
        what: what.to_owned(),
        value: f64::INFINITY,
    };
    let diagonal = [(0, 0, 1.0), (1, 1, 1.0), (1, 0, f64::INFINITY)];
    of(2, 2, &diagonal, &[1.0, 1.0]).fails_everywhere(&infinite("the matrix at row 1, column 0 (counted from 0)"));
    of(2, 2, &diagonal[..2], &[1.0, f64::INFINITY])
        .fails_everywhere(&infinite("the right-hand side at row 1 (counted from 0)"));
    // NaN equals nothing, so this one by its parts.
    for device in devices() {
        for (problem, place) in [
            (
                of(1, 1, &[(0, 0, f64::NAN)], &[1.0]),
                "the matrix at row 0, column 0 (counted from 0)",
            ),
            (
                of(1, 1, &[(0, 0, 1.0)], &[f64::NAN]),
                "the right-hand side at row 0 (counted from 0)",
            ),
        ] {
            match problem.solve(device, Precision::Auto) {
                Err(Error::NotFinite { what, value }) => assert!(what == place && value.is_nan(), "{what}: {value}"),
                other => panic!("{place}: {other:?}"),
            }
        }
    }
}

/// Finite entries whose sum is not.
#[test]
fn sums_of_entries_that_overflow_are_located() {
    for device in devices() {
        let problem = of(1, 1, &[(0, 0, f64::MAX), (0, 0, f64::MAX)], &[1.0]);
        match problem.solve(device, Precision::Auto) {
            Err(Error::NotFinite { what, value }) => {
                assert_eq!(
                    (what.as_str(), value),
                    ("the matrix at row 0, column 0 (counted from 0)", f64::INFINITY)
                );
            }
            other => panic!("on {}: {other:?}", device.name()),
        }
    }
}

#[test]
fn small_residuals_are_not_none() {
    // 2^-1076; and 10^-600 beside 10^300.
    let tiny = of(1, 1, &[(0, 0, 0.25)], &[0.0]);
    let apart = of(2, 2, &[(0, 0, 1.0), (1, 1, 1e-300)], &[1e300, 0.0]);
    for (problem, x) in [(tiny, &[5e-324][..]), (apart, &[1e300, 1e-300])] {
        let found = measure(&problem.a, x, &problem.b);
        assert!(found.residual > 0.0 && found.backward_error > 0.0, "{found:?}");
    }
}

#[test]
fn what_cannot_be_measured_is_no_number() {
    let a = |value| Coo::from_triplets(2, 2, [(0, 0, value), (1, 1, 1.0)]).expect("in range");
    for (value, x, b) in [
        (1.0, &[1.0, f64::NAN][..], &[1.0, 1.0][..]),
        (1.0, &[1.0, 1.0], &[1.0, f64::NAN]),
        (1.0, &[1.0, 1.0], &[f64::INFINITY, 1.0]),
        (f64::NAN, &[1.0, 1.0], &[1.0, 1.0]),
        (f64::INFINITY, &[1.0, 1.0], &[1.0, 1.0]),
        (1.0, &[1.0], &[1.0, 1.0]),
        (1.0, &[1.0, 1.0], &[1.0]),
        (1.0, &[1.0; 3], &[1.0; 3]),
    ] {
        let found = measure(&a(value), x, b);
        assert!(
            found.residual.is_nan() && found.backward_error.is_nan(),
            "{value}, {x:?}, {b:?}: {found:?}"
        );
    }
}

#[test]
fn a_precision_that_the_device_lacks_is_an_error() {
    let problem = of(1, 1, &[(0, 0, 2.0)], &[1.0]);
    for device in devices() {
        for (precision, kind, supported) in [
            (Precision::Df64, ScalarKind::Df64, device.supports::<nonius::Df64>()),
            (Precision::F64, ScalarKind::F64, device.supports::<f64>()),
        ] {
            let outcome = problem.solve(device, precision);
            match supported {
                Ok(()) => assert_eq!(outcome.expect("it is supported").x, [0.5]),
                Err(reason) => {
                    assert_eq!(outcome.err(), Some(reason.clone()));
                    assert!(
                        matches!(reason, Error::UnsupportedScalar { scalar, .. } if scalar == kind.name()),
                        "{reason}"
                    );
                }
            }
        }
    }
}

/// A matrix beyond the limit of one binding: refused before anything of that size is made.
#[test]
fn a_matrix_beyond_a_limit_is_too_large() {
    for device in devices() {
        let Some(limit) = device.adapter().limit("maxStorageBufferBindingSize") else {
            continue;
        };
        let n = usize::try_from((limit / 4).isqrt()).expect("it fits") + 1;
        let a = Coo::from_triplets(n, n, (0..n).map(|i| (i, i, 1.0))).expect("it is square");
        let outcome = solve(device, &a, &vec![1.0; n], Precision::Auto, &mut ()).block_on();
        match outcome {
            Err(Error::TooLarge {
                what,
                bytes,
                limit_name,
                ..
            }) => {
                assert_eq!(what, format!("a dense {n} x {n} matrix in f32"));
                assert_eq!(bytes, 4 * (n as u64).pow(2));
                assert!(!limit_name.is_empty());
            }
            other => panic!("on {}: {other:?}", device.name()),
        }
    }
}

#[test]
fn a_matrix_beyond_the_memory_is_an_error() {
    for adapter in Device::list().block_on() {
        let Some(index) = adapter.index else { continue };
        let mut options = Options::default();
        options.memory = Some(1 << 20);
        let device = Device::open_with(Select::Index(index), options).block_on();
        let n = 600;
        let a = Coo::from_triplets(n, n, (0..n).map(|i| (i, i, 1.0))).expect("it is square");
        let outcome = solve(&device.expect("it opens"), &a, &vec![1.0; n], Precision::Auto, &mut ()).block_on();
        match outcome {
            Err(Error::OutOfMemory { what, bytes, .. }) => {
                assert_eq!(
                    (what.as_str(), bytes),
                    ("a dense 600 x 600 matrix in f32", 4 * 600 * 600)
                );
            }
            other => panic!("on {}: {other:?}", adapter.name),
        }
    }
}

struct StopAt(&'static str, Vec<&'static str>);

impl Observer for StopAt {
    fn progress(&mut self, operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        assert!(done <= total && total > 0, "{operation}: {done} of {total}");
        self.1.push(operation);
        if operation == self.0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn an_observer_can_stop_either_part() {
    let problem = Problem::dense("a dominant diagonal", 40, |i, j| if i == j { 50.0 } else { 1.0 });
    for device in devices() {
        for operation in ["factor", "refine"] {
            let mut stop = StopAt(operation, Vec::new());
            let outcome = solve(device, &problem.a, &problem.b, Precision::Auto, &mut stop).block_on();
            assert_eq!(
                outcome.err(),
                Some(Error::Cancelled { operation }),
                "on {}",
                device.name()
            );
            assert_eq!(stop.1.iter().filter(|seen| **seen == operation).count(), 1);
        }
    }
}

#[test]
fn precisions_are_read_and_written() {
    for precision in [Precision::Auto, Precision::F32, Precision::Df64, Precision::F64] {
        assert_eq!(precision.to_string().parse(), Ok(precision));
    }
    let error = "half".parse::<Precision>().expect_err("there is none");
    assert!(error.contains("half") && error.contains("df64"), "{error}");
}
