//! Equations of very different sizes: each is solved beside its own terms.

use nonius::solve::Precision;
use nonius::{Device, Df64};

use crate::devices::{Random, devices};
use crate::problem::Problem;

/// Half of the equations and half of the unknowns are 2^70 times the others. Pivots of the small unknowns are in the large
/// equations, so that elimination brings these, and their roundings, into the small ones. `alike` is how far the last two large
/// equations are from one.
fn two_sizes(alike: f64) -> Problem {
    let (n, half) = (12, 6);
    let mut random = Random::new(n);
    let values: Vec<f64> = (0..n * n).map(|_| random.unit()).collect();
    let of = |i: usize, j: usize| values[i * n + j] + if i % half == j % half { 4.0 } else { 0.0 };
    let large = |i: usize, j: usize| if j < half { 16.0 * of(i, j) } else { of(i, j) };
    let mut problem = Problem::dense("equations of two sizes", n, |i, j| match (i < half, j < half) {
        (true, _) if i + 1 == half => alike * large(i, j) + (1.0 - alike) * large(i - 1, j),
        (true, _) => large(i, j),
        (false, true) => of(i, j),
        (false, false) => 0.0,
    });
    for b in &mut problem.b[..half] {
        *b *= 2.0_f64.powi(70);
    }
    problem
}

fn precisions(device: &Device) -> Vec<Precision> {
    let mut all = vec![Precision::F32];
    if device.supports::<Df64>().is_ok() {
        all.extend([Precision::Auto, Precision::Df64]);
    }
    if device.supports::<f64>().is_ok() {
        all.push(Precision::F64);
    }
    all
}

#[test]
fn small_equations_are_solved_beside_large_ones() {
    let problem = two_sizes(1.0);
    for device in devices() {
        for precision in precisions(device) {
            let solution = problem.converges(device, precision);
            let case = format!(
                "{precision} on {}: {:?} {:?}",
                device.name(),
                solution.accuracy,
                solution.stages
            );
            let [stage] = solution.stages.as_slice() else {
                panic!("{case}")
            };
            // Norms, by which refinement stopped, see nothing of them. Roundings of another device may spare them.
            let first = stage.componentwise_history[0];
            assert!(first > solution.target || !device.is_host(), "{case}");
            assert!(
                solution.accuracy.componentwise_backward_error <= solution.target,
                "{case}"
            );
            assert!(solution.warnings.is_empty(), "{case}");
        }
    }
}

/// Corrections by factors that say nothing about A would be chance, and x comes with a warning.
#[test]
fn unreliable_factors_correct_no_equations() {
    let problem = two_sizes(2e-8);
    let solution = problem.converges(&Device::host(), Precision::F32);
    let case = format!("{:?} {:?}", solution.stages, solution.warnings);
    let [stage] = solution.stages.as_slice() else {
        panic!("{case}")
    };
    assert!(!stage.is_reliable(), "{case}");
    assert_eq!(stage.componentwise_history.len(), 1, "{case}");
    let is_said = solution.warnings.iter().any(|warning| warning.contains("of its own"));
    assert!(is_said, "{case}");
}
