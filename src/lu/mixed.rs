//! A x = b with factors in a low precision and x in a high one: LAPACK's `dsgesv`.

use super::refine::{Refinement, refine_until};
use super::{Lu, Options};
use crate::dense::{Matrix, Vector, gemv, norm_inf};
use crate::error::{Error, Result};
use crate::observer::Observer;
use crate::scalar::{Scalar, ScalarKind};

/// Which factors gave x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Route {
    /// Those of the low precision, and corrections.
    Refined,
    /// Those of the high precision, since the others failed.
    Fallback(Failure),
}

/// Why factors of the low precision were given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// An entry of A is too large for the low precision (LAPACK's `iter = -2`).
    Overflow,
    /// A is singular in the low precision: no pivot in this column, counted from 0 (LAPACK's `-3`).
    Singular {
        /// The column, counted from 0.
        column: usize,
    },
    /// The corrections stopped halving the residual before it was small enough, or there were 30 of them (LAPACK's `-31`).
    Stalled,
}

/// A solution in the high precision, and the way to it.
#[derive(Debug)]
pub struct Mixed<H> {
    /// x.
    pub x: Vector<H>,
    /// Which factors gave it.
    pub route: Route,
    /// The scalar of the factors that were tried first.
    pub low: ScalarKind,
    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞) after the first solve in the low precision and after every correction; empty where
    /// there were no such factors.
    pub history: Vec<f64>,
    /// The same of the x that is returned.
    pub residual: f64,
    /// What it was to be at most: ε√n, with two roundings for ε.
    pub target: f64,
}

impl<H> Mixed<H> {
    /// Whether the residual is as small as LAPACK asks for. After a fallback it may not be, where elements grew.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.residual <= self.target
    }
}

/// Corrections at most, as in LAPACK.
const CORRECTIONS: usize = 30;

/// Solves A x = b, for square A: factors A in `L`, and corrects x by residuals in `H` until
/// ‖b − A x‖∞ ≤ ‖A‖∞ ‖x‖∞ ε√n (Langou et al. 2006; LAPACK's `dsgesv`), at most 30 times and as long as a correction
/// halves the residual. Where that fails, A is factored in `H`, and the report says so and why.
///
/// [`solve`](crate::solve::solve) is the richer driver: it scales A to the range of `L`, and proves singularity.
///
/// Accuracy: a backward error of ε√n in `H`, whichever way, where no elements grew in a fallback. Cost: n³/3 multiply-adds
/// in `L`, and n² in `H` for each correction; A is read back once to be rounded to `L`, and x is kept on the host, n scalars
/// each way a correction. A fallback adds n³/3 multiply-adds in `H` and n² scalars.
///
/// # Errors
/// [`Error::Singular`] where A is singular in `H` too; [`Error::Shape`] when A is not square or b has another length;
/// [`Error::NotFinite`] for A; [`Error::UnsupportedScalar`], [`Error::DeviceMismatch`], [`Error::OutOfMemory`];
/// [`Error::Cancelled`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, Vector}, lu::{Route, solve_mixed}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[3.0_f64, 1.0, 1.0, 3.0])?;
/// let b = Vector::from_slice(&host, &[1.0, 2.0])?;
/// let mixed = solve_mixed::<f32, f64>(&a, &b, &mut ()).block_on()?;
/// assert!(mixed.route == Route::Refined && mixed.converged());
/// assert!((mixed.x.to_host().block_on()?[1] - 0.625).abs() < 1e-15);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn solve_mixed<L: Scalar, H: Scalar>(
    a: &Matrix<H>,
    b: &Vector<H>,
    observer: &mut dyn Observer,
) -> Result<Mixed<H>> {
    check(a, b)?;
    let device = a.device();
    device.supports::<L>()?;
    let n = a.rows();
    let norm = norm_inf(a).await?;
    if !norm.is_finite() {
        return Err(Error::NotFinite {
            what: "the norm of the matrix".to_owned(),
            value: norm.to_f64(),
        });
    }
    // Over 2^top, so that no product of norms leaves the range.
    let top = norm.exponent().unwrap_or(0);
    let norm = norm.scale_exponent(-top).to_f64();
    let measure = |x: &[H], r: &[H]| relative(largest(r, top), norm * largest(x, 0));
    let target = 2.0 * H::ROUNDING * (n as f64).sqrt();
    let right = b.to_host().await?;
    let residual = async |x: &[H]| {
        let x = Vector::from_slice(device, x)?;
        let mut r = Vector::from_slice(device, &right)?;
        gemv(-H::one(), a, &x, H::one(), &mut r)?;
        r.to_host().await
    };
    let mut history = Vec::new();
    let rounded = rounded_to_low::<L, H>(a).await?;
    let failure = match rounded {
        None => Failure::Overflow,
        Some(rounded) => {
            let lu = Lu::factor_watched(rounded, Options::default(), observer).await?;
            match lu.first_zero().await? {
                Some(column) => Failure::Singular { column },
                None => {
                    let (x, refinement): (Vec<H>, Refinement) =
                        refine_until(&lu, &right, residual, (CORRECTIONS, target), measure, observer).await?;
                    history = refinement.history;
                    if refinement.best <= target {
                        return Ok(Mixed {
                            x: Vector::from_slice(device, &x)?,
                            route: Route::Refined,
                            low: L::KIND,
                            history,
                            residual: refinement.best,
                            target,
                        });
                    }
                    Failure::Stalled
                }
            }
        }
    };
    let mut own = Matrix::zeros(device, n, n)?;
    crate::dense::copy_block(a, &mut own)?;
    let lu = Lu::factor_watched(own, Options::default(), observer).await?;
    let x = lu.solve_vector(b).await?;
    let values = x.to_host().await?;
    let reached = measure(&values, &residual(&values).await?);
    Ok(Mixed {
        x,
        route: Route::Fallback(failure),
        low: L::KIND,
        history,
        residual: reached,
        target,
    })
}

fn check<H>(a: &Matrix<H>, b: &Vector<H>) -> Result<()> {
    a.device().check_same("solve_mixed", b.device())?;
    if a.rows() == a.cols() && b.len() == a.rows() {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "solve_mixed",
        expected: "A of n x n and b of n".to_owned(),
        found: format!("A of {} x {} and b of {}", a.rows(), a.cols(), b.len()),
    })
}

/// A in the low precision; none where an entry is too large for it.
async fn rounded_to_low<L: Scalar, H: Scalar>(a: &Matrix<H>) -> Result<Option<Matrix<L>>> {
    let low: Vec<L> = a.to_host().await?.iter().map(|x| L::from_dd(x.to_dd())).collect();
    if low.iter().any(|x| !x.is_finite()) {
        return Ok(None);
    }
    Matrix::from_rows(a.device(), a.rows(), a.cols(), &low).map(Some)
}

/// The largest magnitude over 2^unit; NaN if there is one.
fn largest<H: Scalar>(values: &[H], unit: i32) -> f64 {
    let magnitudes = values.iter().map(|x| x.to_dd().scale_exponent(-unit).to_f64().abs());
    magnitudes.fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a })
}

/// Zero where the residual is, whatever it is of.
fn relative(residual: f64, scale: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / scale }
}
