//! Problems, and what is expected of every solution.

use std::path::PathBuf;

use nonius::solve::{Precision, Solution, measure, solve};
use nonius::sparse::{Coo, matrix_market};
use nonius::{Blocking as _, Device, Result};

use crate::devices::devices;
use crate::rational;

/// 2^-47: the backward error that counts as double accuracy.
pub(crate) const DOUBLE: f64 = 1.0 / (1_u64 << 47) as f64;

pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) a: Coo<f64>,
    pub(crate) b: Vec<f64>,
}

impl Problem {
    pub(crate) fn dense(name: &str, n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let triplets = (0..n * n).map(|k| (k / n, k % n, entry(k / n, k % n)));
        Self {
            name: name.to_owned(),
            a: Coo::from_triplets(n, n, triplets.filter(|(_, _, value)| *value != 0.0)).expect("it is square"),
            b: (1..=n).map(|i| i as f64).collect(),
        }
    }

    /// A matrix of the collection in tests/data, with b = A (1, ..., 1) rounded, or of ones.
    pub(crate) fn file(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let file = matrix_market::read(path).expect("it is there");
        let a = file.into_coo().expect("it is real");
        let b = vec![1.0; a.rows()];
        Self {
            name: name.to_owned(),
            a,
            b,
        }
    }

    pub(crate) fn solve(&self, device: &Device, precision: Precision) -> Result<Solution> {
        solve(device, &self.a, &self.b, precision, &mut ()).block_on()
    }

    /// What is said of x is so, and it meets the target.
    pub(crate) fn converges(&self, device: &Device, precision: Precision) -> Solution {
        let solution = self
            .solve(device, precision)
            .unwrap_or_else(|error| panic!("{} on {}: {error}", self.name, device.name()));
        let case = format!(
            "{} in {precision} on {}: {:?}, {:?}, {:?}",
            self.name,
            device.name(),
            solution.accuracy,
            solution.stages,
            solution.warnings
        );
        self.truthful(&solution, &case);
        assert!(solution.converged && solution.check().is_ok(), "{case}");
        solution
    }

    /// The numbers of a solution agree with each other and with exact ones.
    pub(crate) fn truthful(&self, solution: &Solution, case: &str) {
        assert_eq!(solution.x.len(), self.b.len(), "{case}");
        let again = measure(&self.a, &solution.x, &self.b);
        assert_eq!(solution.accuracy, again, "{case}");
        let exact = rational::measure(&self.a, &solution.x, &self.b);
        close(
            solution.accuracy.backward_error,
            exact.backward_error(),
            self.terms(),
            case,
        );
        close(
            solution.accuracy.componentwise_backward_error,
            exact.componentwise,
            self.terms(),
            case,
        );
        if self.b.iter().any(|b| *b != 0.0) {
            close(
                solution.accuracy.residual,
                exact.relative_residual(),
                self.terms(),
                case,
            );
        }
        let converged = solution.accuracy.backward_error <= solution.target;
        assert_eq!(solution.converged, converged, "{case}");
        let is_said = solution.warnings.iter().any(|warning| warning.contains("of its own"));
        let few_digits = solution.accuracy.componentwise_backward_error > solution.target.sqrt();
        assert_eq!(is_said, converged && few_digits, "{case}");
        let histories = solution.stages.iter().map(|stage| &stage.componentwise_history);
        for history in histories.clone() {
            let before_the_last = &history[..history.len().saturating_sub(1)];
            assert!(before_the_last.iter().all(|error| *error > solution.target), "{case}");
            assert!(history.len() <= 6, "{case}");
        }
        let componentwise = solution.accuracy.componentwise_backward_error;
        assert!(histories.flatten().any(|error| *error == componentwise), "{case}");
        assert!(!solution.stages.is_empty(), "{case}");
        assert!(solution.setup_seconds >= 0.0 && solution.solve_seconds >= 0.0, "{case}");
    }

    fn terms(&self) -> f64 {
        self.a.nnz() as f64
    }

    pub(crate) fn converges_everywhere(&self) {
        for device in devices() {
            self.converges(device, Precision::Auto);
        }
    }

    pub(crate) fn fails_everywhere(&self, expected: &nonius::Error) {
        for device in devices() {
            let outcome = self.solve(device, Precision::Auto);
            assert_eq!(
                outcome.as_ref().err(),
                Some(expected),
                "{} on {}: {outcome:?}",
                self.name,
                device.name()
            );
        }
    }
}

/// Sums in double-double of as many terms, relative to the terms and not to the sum: what has cancelled below that is
/// seen as nothing by either.
pub(crate) fn close(found: f64, expected: f64, terms: f64, case: &str) {
    // Relative to the terms, the residual is measured to a few roundings of a double-double each.
    let absolute = terms * 8.0 * f64::EPSILON * f64::EPSILON;
    let relative = 8.0 * f64::EPSILON * expected;
    assert!(
        (found - expected).abs() <= absolute + relative,
        "measured {found:e}, exactly {expected:e}: {case}"
    );
}
