//! Entries and right-hand sides over the whole range of doubles.

use nonius::solve::{Precision, solve};
use nonius::sparse::Coo;
use nonius::{Blocking as _, ScalarKind};

use crate::devices::{Random, devices};
use crate::problem::Problem;

fn regular(n: usize, scale: impl Fn(usize, usize) -> f64) -> Problem {
    let mut random = Random::new(n);
    let values: Vec<f64> = (0..n * n).map(|_| random.unit()).collect();
    Problem::dense("a scaled matrix", n, |i, j| {
        let dominant = if i == j { 4.0 } else { 0.0 };
        (dominant + values[i * n + j]) * scale(i, j)
    })
}

fn power(exponent: i32) -> f64 {
    10.0_f64.powi(exponent)
}

#[test]
fn a_matrix_of_any_size_is_scaled() {
    for exponent in [-300, -100, 100, 300] {
        let mut problem = regular(20, |_, _| power(exponent));
        problem.b = vec![power(exponent); 20];
        problem.name = format!("times 1e{exponent}");
        problem.converges_everywhere();
    }
}

#[test]
fn rows_and_columns_of_any_size_are_equilibrated() {
    let sizes = [-200, -150, 0, 150, 200];
    let mut by_rows = regular(20, |i, _| power(sizes[i % 5]));
    // As large as the rows are.
    by_rows.b = (0..20).map(|i| power(sizes[i % 5])).collect();
    let mut by_columns = regular(20, |_, j| power(sizes[j % 5]));
    by_columns.b = vec![1.0; 20];
    let mut both = regular(20, |i, j| power(sizes[i % 5] / 2) * power(sizes[(j + 1) % 5] / 2));
    both.b = (0..20).map(|i| power(sizes[i % 5] / 2)).collect();
    for (name, problem) in [("rows", by_rows), ("columns", by_columns), ("both", both)] {
        for device in devices() {
            let solution = problem.converges(device, Precision::Auto);
            assert!(
                solution.stages.iter().all(|stage| stage.equilibrated),
                "{name} on {}",
                device.name()
            );
            assert!(
                solution.stages[0].first_zero.is_none(),
                "{name} on {}: {:?}",
                device.name(),
                solution.stages
            );
        }
    }
}

#[test]
fn entries_from_one_end_of_the_range_to_the_other_are_solved() {
    let diagonal = [1e300, 1e-300, 1.0, 1e150, 1e-150];
    let mut problem = Problem::dense("a wide diagonal", 5, |i, j| if i == j { diagonal[i] } else { 0.0 });
    problem.b = diagonal.to_vec();
    for device in devices() {
        assert_eq!(
            problem.converges(device, Precision::Auto).x,
            [1.0; 5],
            "on {}",
            device.name()
        );
    }
    let mut triangle = Problem::dense("a wide triangle", 5, |i, j| match (i, j) {
        (i, j) if i == j => diagonal[i],
        (i, j) if i < j => diagonal[i] / 3.0,
        _ => 0.0,
    });
    triangle.b = diagonal.to_vec();
    triangle.converges_everywhere();
}

#[test]
fn right_hand_sides_of_any_size_are_solved() {
    for size in [5e-324, 1e-310, 1e-300, 1e-30, 1e30, 1e300, f64::MAX] {
        let mut problem = regular(20, |_, _| 1.0);
        problem.name = format!("b of {size:e}");
        problem.b = vec![0.0; 20];
        problem.b[3] = size;
        for device in devices() {
            let solution = problem.solve(device, Precision::Auto).expect("it is regular");
            problem.truthful(&solution, &problem.name);
            // Subnormal solutions have few bits: no double is better.
            assert!(
                solution.converged || size < 1e-300,
                "{} on {}: {:?}",
                problem.name,
                device.name(),
                solution.accuracy
            );
        }
    }
}

/// Where A x is too large for b to matter, the measure is met by anything: the corrections are made nevertheless.
#[test]
fn a_right_hand_side_beside_which_all_is_large_is_solved() {
    let sizes = [-200, -150, 0, 150, 200];
    let problem = regular(20, |i, j| power(sizes[i % 5] / 2) * power(sizes[(j + 1) % 5] / 2));
    for device in devices() {
        let solution = problem.converges(device, Precision::Auto);
        assert!(
            solution.iterations() > 0 && solution.accuracy.backward_error > 0.0,
            "on {}: {:?} {:?}",
            device.name(),
            solution.accuracy,
            solution.stages
        );
    }
}

#[test]
fn a_zero_right_hand_side_has_the_zero_solution() {
    let mut problem = regular(33, |_, _| 1.0);
    problem.b = vec![0.0; 33];
    for device in devices() {
        let solution = problem.converges(device, Precision::Auto);
        assert!(solution.x.iter().all(|x| *x == 0.0), "on {}", device.name());
        assert_eq!(
            (solution.accuracy.residual, solution.accuracy.backward_error),
            (0.0, 0.0)
        );
        assert!(solution.warnings.is_empty(), "{:?}", solution.warnings);
    }
}

#[test]
fn one_unknown_is_solved() {
    for (a, b) in [(3.0, 1.0), (-1e-300, 1e-305), (1e300, 1e305), (5e-324, 5e-324)] {
        let mut problem = Problem::dense("one unknown", 1, |_, _| a);
        problem.b = vec![b];
        problem.converges_everywhere();
    }
}

/// The entries of a position count as their sum, whatever their order.
#[test]
fn repeated_entries_are_summed() {
    let triplets = [(0, 0, 1.0), (1, 1, 2.0), (0, 0, 3.0), (0, 1, 5.0), (0, 1, -5.0)];
    let problem = Problem {
        name: "repeated".to_owned(),
        a: Coo::from_triplets(2, 2, triplets).expect("it is square"),
        b: vec![8.0, 6.0],
    };
    for device in devices() {
        let solution = problem.solve(device, Precision::Auto).expect("it is diagonal");
        assert_eq!(solution.x, [2.0, 3.0], "on {}", device.name());
        assert_eq!(solution.stages[0].factors, ScalarKind::F32);
        assert_eq!(solution.iterations(), 0);
    }
}

/// Its residual is small beside the largest row, and an element of x is lost: that is said.
#[test]
fn entries_of_b_that_underflow_are_no_secret() {
    for device in devices() {
        // On the host residuals are in doubles.
        let far = if device.is_host() { 300 } else { 25 };
        for (exponent, is_lost) in [(far, true), (5, false)] {
            let triplets = [(0, 0, power(exponent)), (1, 1, power(-exponent))];
            let a = Coo::from_triplets(2, 2, triplets).expect("it fits");
            let solution = solve(device, &a, &[1.0; 2], Precision::Auto, &mut ()).block_on();
            let solution = solution.expect("it is solved");
            let is_said = solution.warnings.iter().any(|warning| warning.contains("entries of b"));
            assert_eq!(is_said, is_lost, "1e{exponent} on {}: {solution:?}", device.name());
        }
    }
}

/// A as it is scaled has zeros there, and may be another matrix for a component: that is said.
#[test]
fn entries_of_a_that_underflow_are_no_secret() {
    for device in devices() {
        let far = if device.is_host() { 200 } else { 25 };
        for (exponent, is_lost) in [(far, true), (5, false)] {
            let triplets = [
                (0, 0, power(exponent)),
                (0, 1, power(-exponent)),
                (1, 1, power(exponent)),
            ];
            let a = Coo::from_triplets(2, 2, triplets).expect("it fits");
            let solution = solve(device, &a, &[1.0; 2], Precision::Auto, &mut ()).block_on();
            let solution = solution.expect("it is solved");
            let is_said = |word: &str| solution.warnings.iter().any(|warning| warning.contains(word));
            assert_eq!(
                is_said("entries of A (1)"),
                is_lost,
                "1e{exponent} on {}: {solution:?}",
                device.name()
            );
            assert!(
                !is_said("entries of b"),
                "1e{exponent} on {}: {solution:?}",
                device.name()
            );
        }
    }
}
