//! Matrices that f32 cannot factor well enough, that are singular, or nearly so.

use nonius::solve::{Precision, solve};
use nonius::sparse::Coo;
use nonius::{Blocking as _, Dd, Device, Error, Scalar as _, ScalarKind};

use crate::devices::{Random, devices};
use crate::problem::Problem;

fn hilbert(n: usize) -> Problem {
    Problem::dense("Hilbert's matrix", n, |i, j| 1.0 / (i + j + 1) as f64)
}

/// The scalar of the second stage.
fn higher(device: &Device) -> ScalarKind {
    if device.supports::<f64>().is_ok() {
        ScalarKind::F64
    } else {
        ScalarKind::Df64
    }
}

#[test]
fn hilberts_matrix_needs_the_second_stage() {
    let problem = hilbert(12);
    for device in devices() {
        let solution = problem.converges(device, Precision::Auto);
        let case = format!("on {}: {:?} {:?}", device.name(), solution.stages, solution.warnings);
        let [first, second] = solution.stages.as_slice() else {
            panic!("{case}")
        };
        assert!(first.factors == ScalarKind::F32 && !first.is_reliable(), "{case}");
        assert!(
            second.factors == higher(device) && second.residuals == higher(device),
            "{case}"
        );
        // Of condition 1.7e16: beyond what either can judge. A warning says so, exactly if the corrections did not
        // shrink.
        let certain = second.is_reliable() && second.few_digits().is_none();
        assert_eq!(solution.warnings.is_empty(), certain, "{case}");
    }
}

/// Of condition 1e10: too much for f32, not for the others.
#[test]
fn a_second_stage_that_is_good_gives_no_warning() {
    let problem = hilbert(8);
    for device in devices() {
        let solution = problem.converges(device, Precision::Auto);
        let case = format!("on {}: {:?} {:?}", device.name(), solution.stages, solution.warnings);
        assert_eq!(solution.stages.len(), 2, "{case}");
        assert!(
            solution.stages[1].is_reliable() && solution.warnings.is_empty(),
            "{case}"
        );
    }
}

#[test]
fn what_is_well_conditioned_needs_one_stage() {
    let problem = Problem::dense("a dominant diagonal", 40, |i, j| {
        if i == j { 50.0 } else { (i + 2 * j) as f64 / 99.0 }
    });
    for device in devices() {
        let solution = problem.converges(device, Precision::Auto);
        let case = format!("on {}: {:?} {:?}", device.name(), solution.stages, solution.warnings);
        assert!(solution.stages.len() == 1 && solution.stages[0].is_reliable(), "{case}");
        assert!(
            solution.warnings.is_empty() && !solution.stages[0].equilibrated,
            "{case}"
        );
        assert_eq!(solution.iterations() + 1, solution.stages[0].history.len(), "{case}");
    }
}

fn dense(n: usize, values: &[f64]) -> Problem {
    Problem::dense(&format!("{values:?}"), n, |i, j| values[i * n + j])
}

#[test]
fn singular_matrices_name_the_dependent_column() {
    let rows: [(usize, &[f64], usize); 8] = [
        (1, &[0.0], 0),
        (2, &[1.0, 2.0, 2.0, 4.0], 1),
        // In binary, rounding hides it.
        (3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 2),
        (3, &[1.0, 0.0, 3.0, 4.0, 0.0, 6.0, 7.0, 0.0, 8.0], 1),
        (3, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 7.0, 8.0, 8.0], 2),
        (3, &[1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 1.0, 2.0, 3.0], 2),
        // Structurally: two columns live in one row.
        (3, &[1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0], 1),
        (3, &[0.1, 0.2, 0.3, 0.2, 0.4, 0.7, 0.4, 0.8, 1.1], 1),
    ];
    for (n, values, column) in rows {
        dense(n, values).fails_everywhere(&Error::Singular { column });
    }
}

#[test]
fn singular_matrices_that_are_larger_are_found() {
    let n = 70;
    let mut random = Random::new(1);
    let values: Vec<f64> = (0..n * n).map(|_| f64::from(random.integer(50))).collect();
    let twice = |i: usize, j: usize| values[i * n + if j == 50 { 3 } else { j }];
    Problem::dense("a repeated column", n, twice).fails_everywhere(&Error::Singular { column: 50 });
    let rows = |i: usize, j: usize| {
        if i == 60 {
            values[j] - values[n + j]
        } else {
            values[i * n + j]
        }
    };
    Problem::dense("a difference of rows", n, rows).fails_everywhere(&Error::Singular { column: n - 1 });
    // A graph's Laplacian: rows and columns sum to zero.
    let laplacian = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        d if d == n - 1 => -1.0,
        _ => 0.0,
    };
    Problem::dense("a ring", n, laplacian).fails_everywhere(&Error::Singular { column: n - 1 });
    let nothing = Problem {
        name: "no entry".to_owned(),
        a: Coo::new(4, 4).expect("small"),
        b: vec![1.0; 4],
    };
    nothing.fails_everywhere(&Error::Singular { column: 0 });
}

/// A right-hand side that has solutions, infinitely many, hides nothing.
#[test]
fn singular_matrices_are_found_whatever_the_right_hand_side() {
    for n in [5, 40, 70] {
        let mut random = Random::new(n);
        let mut values: Vec<f64> = (0..n * n).map(|_| f64::from(random.integer(50))).collect();
        (0..n).for_each(|i| values[i * n + n - 1] = values[i * n] - values[i * n + 1]);
        let mut problem = Problem::dense("a difference of columns", n, |i, j| values[i * n + j]);
        for seed in 0..5 {
            let mut random = Random::new(seed);
            let x: Vec<f64> = (0..n).map(|_| f64::from(random.integer(9))).collect();
            problem.b = values
                .chunks(n)
                .map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum())
                .collect();
            problem.fails_everywhere(&Error::Singular { column: n - 1 });
        }
    }
}

/// Singular for f32, and not in truth.
#[test]
fn nearly_singular_matrices_are_solved() {
    let nine = 9.000_000_001;
    dense(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, nine]).converges_everywhere();
    // 1 / 3 twice, and once a rounding more.
    let third = 1.0_f64 / 3.0;
    let more = f64::from_bits(third.to_bits() + 1);
    let problem = dense(2, &[third, third, third, more]);
    for device in devices() {
        let solution = problem.solve(device, Precision::Auto);
        // Beyond the accuracy of a Df64, whose factors then have no pivot: not singular, and no solution to show.
        match solution {
            Ok(solution) => problem.truthful(&solution, device.name()),
            Err(error) => {
                assert!(
                    matches!(error, Error::NotConverged { .. }),
                    "on {}: {error}",
                    device.name()
                );
                assert_eq!(higher(device), ScalarKind::Df64, "{error}");
            }
        }
    }
}

/// What misses the target is returned, and says so.
#[test]
fn a_solution_that_misses_the_target_says_so() {
    let problem = hilbert(10);
    for device in devices() {
        let solution = problem.solve(device, Precision::F32).expect("something is found");
        problem.truthful(&solution, device.name());
        match solution.check() {
            Ok(_) => assert!(solution.converged),
            Err(Error::NotConverged {
                iterations,
                backward_error,
                target,
                ..
            }) => {
                assert!(!solution.converged);
                assert_eq!(iterations, solution.iterations());
                assert_eq!(backward_error, solution.accuracy.backward_error);
                assert_eq!(target, Precision::F32.target());
            }
            Err(error) => panic!("{error}"),
        }
        assert!(
            !solution.warnings.is_empty(),
            "on {}: f32 knows nothing of it",
            device.name()
        );
    }
}

/// A matrix that is singular to its last bit, or nearly: whatever its right-hand side, x is right, or comes with a warning, or not
/// at all. In f32 its residual is often zero.
#[test]
fn nearly_singular_matrices_do_not_pass_for_exact() {
    let mut random = Random::new(5);
    let mut whole = |below: u64| 1.0 + (random.bits() % below) as f64;
    let mut warned = 0;
    for device in devices() {
        for round in 0..90 {
            let [p, q, r] = [(); 3].map(|()| whole(30));
            let s = q * r / p * (1.0 + whole(4) * f64::EPSILON);
            // Of every third, the second column, and with it one element of x, is of another size, and the matrix good.
            let (q, s) = if round % 3 == 0 {
                (0.5_f64.powi(60) * q, 0.5_f64.powi(60) * (s + 1.0))
            } else {
                (q, s)
            };
            let a = Coo::from_triplets(2, 2, [(0, 0, p), (0, 1, q), (1, 0, r), (1, 1, s)]).expect("in range");
            for b in [[q, s], [p + q, r + s], [1.0, 0.0]] {
                for precision in [Precision::F32, Precision::Auto] {
                    match solve(device, &a, &b, precision, &mut ()).block_on() {
                        Ok(solution) => {
                            let case = format!(
                                "{p} {q} {r} {s:e}, {b:?}, {precision} on {}: {solution:?}",
                                device.name()
                            );
                            let product = |x: f64, y: f64| Dd::from(x) * Dd::from(y);
                            let determinant = product(p, s) - product(q, r);
                            let exact = [product(b[0], s) - product(q, b[1]), product(p, b[1]) - product(r, b[0])];
                            let exact = exact.map(|cofactor| (cofactor / determinant).to_f64());
                            let size = exact[0].abs().max(exact[1].abs());
                            let far = solution.x.iter().zip(exact).map(|(x, exact)| (x - exact).abs());
                            let right = far.fold(0.0, f64::max) <= 1e-3 * size;
                            assert!(right || !solution.warnings.is_empty(), "{exact:?}: {case}");
                            warned += usize::from(!solution.warnings.is_empty());
                        }
                        Err(error) => {
                            assert!(
                                matches!(error, Error::Singular { .. } | Error::NotConverged { .. }),
                                "{error:?}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(warned > 0);
}
