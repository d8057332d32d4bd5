//! Real matrices, from tests/data.

use nonius::solve::{Precision, measure};
use nonius::sparse::Coo;
use nonius::{Device, Error, Scalar as _, ScalarKind};

use crate::devices::{Random, devices};
use crate::problem::{DOUBLE, Problem, close};
use crate::rational;

const FILES: [&str; 5] = [
    "LFAT5.mtx",
    "bcsstk01.mtx",
    "fs_183_1.mtx",
    "west0479.mtx",
    "494_bus.mtx",
];

#[test]
fn real_matrices_are_solved_to_double_accuracy_everywhere() {
    for name in FILES {
        let problem = Problem::file(name);
        for device in devices() {
            let solution = problem.converges(device, Precision::Auto);
            assert!(
                solution.accuracy.backward_error <= DOUBLE && solution.target == DOUBLE,
                "{name} on {}: {:?}",
                device.name(),
                solution.accuracy
            );
        }
    }
}

/// Each precision meets its own target, in its own scalar and nothing else.
#[test]
fn every_precision_meets_its_target() {
    use ScalarKind::{Df64, F32, F64};
    // As well conditioned as f32 needs it.
    let n = 60;
    let problem = Problem::dense("a dominant diagonal", n, |i, j| {
        if i == j {
            8.0
        } else {
            1.0 / (1.0 + i as f64 * 0.3 + j as f64)
        }
    });
    for device in devices() {
        for (precision, kind) in [(Precision::F32, F32), (Precision::Df64, Df64), (Precision::F64, F64)] {
            match problem.solve(device, precision) {
                Err(Error::UnsupportedScalar { scalar, .. }) => assert_eq!(scalar, kind.name()),
                _ => {
                    let solution = problem.converges(device, precision);
                    assert!(solution.accuracy.backward_error <= precision.target());
                    let kinds = solution.stages.iter().map(|stage| (stage.factors, stage.residuals));
                    assert_eq!(kinds.collect::<Vec<_>>(), [(kind, kind)], "on {}", device.name());
                }
            }
        }
    }
    assert!(Precision::F32.target() > 1e-7 && Precision::F32.target() < 1e-5);
}

/// What f32 leaves of equations that are small beside others, norms do not see.
#[test]
fn small_equations_of_a_collected_matrix_are_solved() {
    let problem = Problem::file("west0479.mtx");
    for precision in [Precision::F32, Precision::Auto] {
        let solution = problem.converges(&Device::host(), precision);
        let case = format!("{precision}: {:?}, {:?}", solution.stages, solution.warnings);
        let before = solution.stages[0].componentwise_history[0];
        assert!(before > solution.target, "{case}");
        let after = solution.accuracy.componentwise_backward_error;
        assert!(after <= solution.target && solution.warnings.is_empty(), "{case}");
    }
}

/// The measure itself, against rationals, for solutions that are good, spoilt and nonsense.
#[test]
fn measures_are_those_of_exact_arithmetic() {
    for name in ["fs_183_1.mtx", "west0479.mtx"] {
        let problem = Problem::file(name);
        let good = problem.converges(&Device::host(), Precision::Auto).x;
        let mut spoilt = good.clone();
        spoilt[17] *= 1.0 + 1e-9;
        let nonsense: Vec<f64> = (0..good.len()).map(|i| 1e3 - i as f64).collect();
        for (what, x) in [("good", good), ("spoilt", spoilt), ("nonsense", nonsense)] {
            let found = measure(&problem.a, &x, &problem.b);
            let exact = rational::measure(&problem.a, &x, &problem.b);
            let case = format!("{name}, {what}");
            close(found.backward_error, exact.backward_error(), 1e4, &case);
            close(found.residual, exact.relative_residual(), 1e4, &case);
            close(found.componentwise_backward_error, exact.componentwise, 1e4, &case);
        }
    }
    let problem = Problem::file("LFAT5.mtx");
    let mut x = vec![1.0; 14];
    for hole in [f64::NAN, f64::INFINITY] {
        x[3] = hole;
        let found = measure(&problem.a, &x, &problem.b);
        assert!(found.backward_error.is_nan() && found.residual.is_nan());
        assert!(found.componentwise_backward_error.is_nan());
    }
}

/// Entries of one position count by their sum, however much larger they are.
#[test]
fn duplicates_that_cancel_are_measured_by_their_sum() {
    let large = |size: f64| {
        let entries = [(0, 0, size), (0, 0, -size), (0, 0, 1.0)];
        Coo::from_triplets(1, 1, entries).expect("in range")
    };
    let one = Coo::from_triplets(1, 1, [(0, 0, 1.0)]).expect("in range");
    for size in [1e10, 1e300, f64::MAX, 5e-324] {
        let found = measure(&large(size), &[1.000_000_1], &[1.0]);
        assert_eq!(found, measure(&one, &[1.000_000_1], &[1.0]), "{size:e}");
    }
    // What is left is far below the last digit of what cancelled.
    let tiny = |entries: &[f64]| {
        let entries = entries.iter().map(|value| (0, 0, *value));
        let a = Coo::from_triplets(1, 1, entries).expect("in range");
        measure(&a, &[1.5e30], &[1.0])
    };
    assert_eq!(tiny(&[1e300, -1e300, 1e-30]), tiny(&[1e-30]));
    let mut random = Random::new(5);
    for k in 0..2000 {
        let (rows, cols) = (1 + random.below(4), 1 + random.below(4));
        let size = [0, 300, -300, 900, -900][random.below(5)];
        // Of so many bits that double-double sums them exactly.
        let mut number = |k: i32| random.unit().scale_exponent(k + random.integer(5));
        let mut entries: Vec<_> = (0..rows * cols).map(|k| (k / cols, k % cols, number(size))).collect();
        // Large ones that cancel, wholly or but for a little, before and behind the others.
        let (large, little) = (number(size + 30), number(size - 20));
        let place = k % entries.len();
        entries.insert(0, (place / cols, place % cols, large));
        entries.push((
            place / cols,
            place % cols,
            if k % 2 == 0 { -large } else { little - large },
        ));
        let a = Coo::from_triplets(rows, cols, entries).expect("in range");
        let x: Vec<f64> = (0..cols).map(|_| number(0)).collect();
        let b: Vec<f64> = (0..rows).map(|_| number(size)).collect();
        let (found, exact) = (measure(&a, &x, &b), rational::measure(&a, &x, &b));
        let case = format!("{k}: {a:?}, {x:?}, {b:?}");
        close(found.backward_error, exact.backward_error(), 1e4, &case);
        close(found.residual, exact.relative_residual(), 1e4, &case);
    }
}
