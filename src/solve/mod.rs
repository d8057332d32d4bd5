//! A x = b to the accuracy that is asked for, whatever precision the hardware has.
//!
//! The matrix and the right-hand side are doubles, as files hold them. The dense route factors them in a low precision,
//! corrects the solution by residuals in a high one, and goes to a higher factorisation when that stalls. What comes
//! back is measured again on the host, from the doubles of the input and the doubles of the solution, in double-double.

mod certificate;
mod componentwise;
mod dense;
mod measure;
mod scaling;

pub use certificate::{Certificate, certify};
pub use dense::Stage;
pub use measure::{Accuracy, measure};

use std::fmt;
use std::str::FromStr;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::observer::Observer;
use crate::scalar::{Scalar, ScalarKind};
use crate::sparse::Coo;
use scaling::Scaling;
use web_time::Instant;

/// The precision that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Double accuracy by whatever is fastest on the device.
    #[default]
    Auto,
    /// Single precision throughout, but for what equations that are small beside others ask for.
    F32,
    /// Pairs of f32 throughout.
    Df64,
    /// Native doubles throughout.
    F64,
}

/// A solution, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// x, rounded to doubles.
    pub x: Vec<f64>,
    /// How good x is: measured on the host, in double-double.
    pub accuracy: Accuracy,
    /// The backward error that was asked for.
    pub target: f64,
    /// Whether the accuracy meets the target.
    pub converged: bool,
    /// The factorisations that were tried, in order. x is the best of theirs: mostly of the last, but not where that has no
    /// pivot, or a larger error.
    pub stages: Vec<Stage>,
    /// What a user should know about x.
    pub warnings: Vec<String>,
    /// Seconds spent bringing the problem to the device.
    pub setup_seconds: f64,
    /// Seconds spent factoring and refining.
    pub solve_seconds: f64,
}

impl Precision {
    /// The normwise backward error that counts as this precision: 2⁻⁴⁷ = 7·10⁻¹⁵ for double accuracy in whichever way,
    /// which is 64 roundings of a double and 2 of a Df64; 2⁻²⁰ = 10⁻⁶ for f32, 16 of its roundings.
    #[must_use]
    pub fn target(self) -> f64 {
        match self {
            Self::Auto | Self::Df64 | Self::F64 => 2.0_f64.powi(-47),
            Self::F32 => 16.0 * f32::ROUNDING,
        }
    }

    /// The factorisations to try, each with the scalar of its residuals.
    fn plan(self, device: &Device) -> Result<Vec<(ScalarKind, ScalarKind)>> {
        use ScalarKind::{Df64, F32, F64};
        let only = |kind| Ok(vec![(kind, kind)]);
        match self {
            Self::F32 => only(F32),
            Self::Df64 => device.supports::<crate::Df64>().and_then(|()| only(Df64)),
            Self::F64 => device.supports::<f64>().and_then(|()| only(F64)),
            // The host has doubles at full speed: no reason for pairs there.
            Self::Auto if device.is_host() => Ok(vec![(F32, F64), (F64, F64)]),
            Self::Auto => {
                device.supports::<crate::Df64>()?;
                let higher = if device.supports::<f64>().is_ok() { F64 } else { Df64 };
                Ok(vec![(F32, Df64), (higher, higher)])
            }
        }
    }
}

/// Solves A x = b.
///
/// `A` is square and given by its entries, duplicates summed in their order, in doubles: the matrix of these sums is the A
/// that is solved and measured. x comes back with its accuracy and the way to it. A solution that misses the target is
/// returned too, with `converged` false.
///
/// With [`Precision::Auto`], A is factored in f32 and x refined with residuals in Df64. When that stalls, A is factored
/// in native f64, or in Df64 where there is none. An x that meets the target by norms, and not componentwise, is corrected further, in
/// whichever precision: up to 5 times, as long as corrections halve, with residuals and x in double-double on the host, so that
/// equations of any size are solved. Entries are scaled by powers of two: all together to below 2,
/// and rows and columns each, in whichever precision, where entries differ by more than 2^40, which products would otherwise take out
/// of f32's range. That is exact but for entries of A and b so much
/// smaller than others that they underflow; the accuracy is measured with A and b as they were before.
///
/// Where the factors of the last stage say nothing about A, it is certified exactly whether A is singular, up to 4,096
/// rows; a larger one comes back with a warning. So does an x of which they make less than three digits certain, one for an A or b
/// with entries that underflow once rows and columns are scaled, and one that meets the target with a componentwise backward error above
/// the root of it: with less than half the digits.
///
/// Cost, for every stage: 2n³/3 flops; n² scalars of the device's memory for the factors, and n² for the residuals.
///
/// # Errors
/// [`Error::Shape`] when A is not square, is empty, or b has another length; [`Error::NotFinite`];
/// [`Error::Singular`] with the first column that depends on those before it; [`Error::NotConverged`], with an infinite backward
/// error, where no stage comes to a finite x; [`Error::UnsupportedScalar`],
/// [`Error::TooLarge`], [`Error::OutOfMemory`], [`Error::DeviceLost`]; [`Error::Cancelled`].
///
/// ```
/// use nonius::{Blocking, Device, solve::{Precision, solve}, sparse::Coo};
/// let a = Coo::from_triplets(2, 2, [(0, 0, 4.0), (0, 1, 1.0), (1, 1, 2.0)])?;
/// let solution = solve(&Device::host(), &a, &[5.0, 2.0], Precision::Auto, &mut ()).block_on()?;
/// assert_eq!(solution.x, [1.0, 1.0]);
/// assert!(solution.converged && solution.accuracy.backward_error == 0.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn solve(
    device: &Device,
    a: &Coo<f64>,
    b: &[f64],
    precision: Precision,
    observer: &mut dyn Observer,
) -> Result<Solution> {
    check(a, b)?;
    let mut a = a.clone();
    a.sum_duplicates()?;
    // Finite entries may have a sum that is not.
    check_finite(&a)?;
    let plan = precision.plan(device)?;
    let problem = dense::Problem {
        device,
        a: &a,
        b,
        scaling: Scaling::of(&a, b),
        target: precision.target(),
    };
    let mut setup_seconds = 0.0;
    let start = Instant::now();
    let mut stages = Vec::new();
    let mut best: Option<(Vec<f64>, Accuracy, ScalarKind)> = None;
    for (low, high) in plan {
        let outcome = problem.attempt(low, high, observer).await?;
        setup_seconds += outcome.setup_seconds;
        let good = outcome.stage.is_reliable() || outcome.stage.is_exact();
        stages.push(outcome.stage);
        if let Some((x, accuracy)) = outcome.x {
            let done = good && accuracy.backward_error <= problem.target;
            let better = best
                .as_ref()
                .is_none_or(|(_, known, _)| accuracy.backward_error <= known.backward_error);
            // A small residual of factors that are not to be believed is no better.
            if better || done {
                best = Some((x, accuracy, high));
            }
            if done {
                break;
            }
        }
    }
    let mut warnings: Vec<String> = judge(&a, stages.last())?.into_iter().collect();
    let Some((x, accuracy, high)) = best else {
        return Err(Error::NotConverged {
            method: stages.last().map_or_else(String::new, ToString::to_string),
            iterations: 0,
            backward_error: f64::INFINITY,
            target: problem.target,
        });
    };
    warnings.extend(problem.underflows(high));
    let converged = accuracy.backward_error <= problem.target;
    // Less than half the digits that were asked for; NaN cannot be.
    if converged && accuracy.componentwise_backward_error > problem.target.sqrt() {
        warnings.push(format!(
            "only beside the largest terms is the residual small: an equation is off by {:.1e} of its own, so that elements of x that are \
             much smaller than the largest may have few correct digits, or none",
            accuracy.componentwise_backward_error
        ));
    }
    let solve_seconds = start.elapsed().as_secs_f64() - setup_seconds;
    Ok(Solution {
        x,
        accuracy,
        target: problem.target,
        converged,
        stages,
        warnings,
        setup_seconds,
        solve_seconds,
    })
}

impl Solution {
    /// Corrections made in the last stage.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.stages
            .last()
            .map_or(0, |stage| stage.history.len().saturating_sub(1))
    }

    /// Itself if it meets the target.
    ///
    /// # Errors
    /// [`Error::NotConverged`] otherwise, with the numbers.
    pub fn check(&self) -> Result<&Self> {
        if self.converged {
            return Ok(self);
        }
        Err(Error::NotConverged {
            method: self.stages.last().map_or_else(String::new, ToString::to_string),
            iterations: self.iterations(),
            backward_error: self.accuracy.backward_error,
            target: self.target,
        })
    }
}

/// Rows up to which a doubtful matrix is certified: elimination modulo a prime, on the host, takes a minute or so there.
const CERTIFIED_ROWS: usize = 4096;

/// What the last factors say nothing about may be singular: the residues of A know, exactly. Returns a warning, if there
/// is reason for one.
fn judge(a: &Coo<f64>, last: Option<&Stage>) -> Result<Option<String>> {
    if let Some(stage) = last.filter(|stage| stage.is_reliable()) {
        return Ok(stage.few_digits().map(|digits| {
            format!(
                "the matrix is so close to a singular one that x may have no more than {digits} correct digits; only its residual \
                 is small"
            )
        }));
    }
    if a.rows() > CERTIFIED_ROWS {
        return match last.and_then(|stage| stage.first_zero) {
            Some(column) => Err(Error::Singular { column }),
            None if last.is_some_and(Stage::is_exact) => Ok(None),
            None => Ok(Some(format!(
                "the matrix may be singular: its factors say nothing about it, and with more than {CERTIFIED_ROWS} rows \
                 it is not certified; only the residual of x is small"
            ))),
        };
    }
    match certify(a)? {
        Certificate::Singular { column } => Err(Error::Singular { column }),
        Certificate::NonSingular if last.is_some_and(Stage::is_exact) => Ok(None),
        Certificate::NonSingular => Ok(Some(
            "the matrix is not singular, but so close to it that x may have no correct digit; \
             only its residual is small"
                .to_owned(),
        )),
    }
}

/// What must hold of A before a right-hand side is worth making: it is square, not empty, finite, and, where it is large,
/// has an entry for every column. Takes no memory that the entries do not, whatever size a file declares.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotFinite`]; [`Error::Singular`] with the first empty column of a matrix that has more than
/// 4,096 columns and fewer entries than columns.
///
/// ```
/// use nonius::{Error, solve::check_matrix, sparse::Coo};
/// let a = Coo::from_triplets(4_000_000_000, 4_000_000_000, [(0, 0, 1.0)])?;
/// assert_eq!(check_matrix(&a), Err(Error::Singular { column: 1 }));
/// # Ok::<(), Error>(())
/// ```
pub fn check_matrix(a: &Coo<f64>) -> Result<()> {
    let shape = |expected: &str, found| {
        Err(Error::Shape {
            operation: "solve",
            expected: expected.to_owned(),
            found,
        })
    };
    if a.rows() != a.cols() {
        return shape("a square matrix", format!("one of {} x {}", a.rows(), a.cols()));
    }
    if a.rows() == 0 {
        return shape("at least one unknown", "an empty matrix".to_owned());
    }
    // Of a smaller one, elimination names the first dependent column, which may come before the first empty one.
    if a.rows() > CERTIFIED_ROWS && a.nnz() < a.cols() {
        let mut occupied = a.col_indices().to_vec();
        occupied.sort_unstable();
        occupied.dedup();
        let gap = (0..).zip(&occupied).position(|(expected, col)| expected != *col);
        let column = gap.unwrap_or(occupied.len());
        return Err(Error::Singular { column });
    }
    check_finite(a)
}

fn check(a: &Coo<f64>, b: &[f64]) -> Result<()> {
    check_matrix(a)?;
    if b.len() != a.rows() {
        return Err(Error::Shape {
            operation: "solve",
            expected: format!("a right-hand side of {}", a.rows()),
            found: format!("one of {}", b.len()),
        });
    }
    if let Some((row, value)) = b.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(Error::NotFinite {
            what: format!("the right-hand side at row {row} (counted from 0)"),
            value: *value,
        });
    }
    Ok(())
}

fn check_finite(a: &Coo<f64>) -> Result<()> {
    if let Some((row, col, value)) = a.iter().find(|(_, _, value)| !value.is_finite()) {
        return Err(Error::NotFinite {
            what: format!("the matrix at row {row}, column {col} (counted from 0)"),
            value,
        });
    }
    Ok(())
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "f32" => Ok(Self::F32),
            "df64" => Ok(Self::Df64),
            "f64" => Ok(Self::F64),
            _ => Err(format!("{text:?} is none of auto, f32, df64, f64")),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::F32 => "f32",
            Self::Df64 => "df64",
            Self::F64 => "f64",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(first_zero: Option<usize>, history: &[f64], contraction: Option<f64>) -> Stage {
        Stage {
            factors: ScalarKind::F64,
            residuals: ScalarKind::F64,
            equilibrated: false,
            first_zero,
            history: history.to_vec(),
            componentwise_history: Vec::new(),
            contraction,
            error: None,
            factor_seconds: 0.0,
            refine_seconds: 0.0,
        }
    }

    #[test]
    fn a_large_doubtful_matrix_is_not_certified_for_hours_but_said_to_be_doubtful() {
        let n = CERTIFIED_ROWS + 1;
        let a = Coo::from_triplets(n, n, (1..n).map(|i| (i, i, 1.0))).expect("in range");
        let judged = |stage: Stage| judge(&a, Some(&stage));
        assert_eq!(judged(stage(Some(0), &[], None)), Err(Error::Singular { column: 0 }));
        assert_eq!(judged(stage(None, &[0.0], None)), Ok(None), "an exact solution");
        assert_eq!(
            judged(stage(None, &[1e-9, 1e-17], Some(1e-3))),
            Ok(None),
            "reliable factors"
        );
        let warning = judged(stage(None, &[1e-9, 1e-17], Some(1.0)));
        assert!(
            matches!(&warning, Ok(Some(text)) if text.contains("may be singular")),
            "{warning:?}"
        );
    }

    #[test]
    fn a_small_doubtful_matrix_is_certified() {
        let a =
            |last| Coo::from_triplets(2, 2, [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, last)]).expect("in range");
        let doubtful = stage(None, &[1e-9, 1e-17], Some(1.0));
        assert_eq!(judge(&a(4.0), Some(&doubtful)), Err(Error::Singular { column: 1 }));
        let warning = judge(&a(4.0 + 1e-15), Some(&doubtful));
        assert!(
            matches!(&warning, Ok(Some(text)) if text.contains("not singular")),
            "{warning:?}"
        );
    }
}
