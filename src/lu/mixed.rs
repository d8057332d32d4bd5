//! A x = b with factors in a low precision and x in a high one: LAPACK's `dsgesv`.

use super::correct::correct;
use super::inverted::Inverted;
use super::round_rows::rounded_rows;
use super::{Lu, Options};
use crate::dense::{Matrix, Vector, amax_into, check_narrower, copy, copy_block, gemv, norm_inf_into, norm_max, round};
use crate::error::{Error, Result};
use crate::observer::{Observer, tell};
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
/// in `L`, and n² in `H` for each correction; n² + 256 n scalars of `L` and 3n of `H` beside A. Everything stays on the device:
/// A is rounded there, and the host reads two norms before it factors, two after every step, which is 2⌈n/128⌉ + 8 dispatches
/// (9 where [`gemv`] takes two), and once whether U is singular. On a GPU, steps multiply by inverses of the blocks on the
/// diagonals, which are of no proved accuracy; what comes of it is measured. A fallback adds n³/3 multiply-adds in `H` and n²
/// scalars.
///
/// # Errors
/// [`Error::Singular`] where A is singular in `H` too; [`Error::Shape`] when A is not square or b has another length,
/// and where `L` has more bits than `H`; [`Error::NotFinite`] for A; [`Error::UnsupportedScalar`],
/// [`Error::DeviceMismatch`], [`Error::OutOfMemory`]; [`Error::Cancelled`].
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
    check::<L, H>(a, b)?;
    let device = a.device();
    device.supports::<L>()?;
    let n = a.rows();
    let mut problem = Problem::new(a, b).await?;
    let failure = if problem.overflows::<L>().await? {
        Failure::Overflow
    } else {
        let mut low = Matrix::<L>::zeros(device, n, n)?;
        round(a, &mut low)?;
        let lu = Lu::factor_in_flight(low, Options::default(), observer).await?;
        match problem.refine(&lu, observer).await? {
            None => {
                return Ok(Mixed {
                    residual: problem.best,
                    x: problem.x,
                    route: Route::Refined,
                    low: L::KIND,
                    history: problem.history,
                    target: problem.target,
                });
            }
            Some(failure) => failure,
        }
    };
    let mut own = Matrix::zeros(device, n, n)?;
    copy_block(a, &mut own)?;
    let lu = Lu::factor_watched(own, Options::default(), observer).await?;
    let x = lu.solve_vector(b).await?;
    let (residual, _) = problem.residual_of(&x).await?;
    Ok(Mixed {
        x,
        route: Route::Fallback(failure),
        low: L::KIND,
        history: problem.history,
        residual,
        target: problem.target,
    })
}

/// What is known of a problem, and what its steps leave on the device.
struct Problem<'a, H> {
    a: &'a Matrix<H>,
    b: &'a Vector<H>,
    /// ‖A‖∞, and its exponent: products of norms are taken over 2^top, so that none leaves the range.
    norm: H,
    top: i32,
    target: f64,
    /// The best x so far, and its measure.
    x: Vector<H>,
    best: f64,
    history: Vec<f64>,
    r: Vector<H>,
    /// Two norms, for the host to read.
    norms: Vector<H>,
    /// The exponent of ‖r‖∞: of b at first.
    size: i32,
}

impl<'a, H: Scalar> Problem<'a, H> {
    async fn new(a: &'a Matrix<H>, b: &'a Vector<H>) -> Result<Self> {
        let (device, n) = (a.device(), a.rows());
        let mut norms = Vector::zeros(device, 2)?;
        norm_inf_into(a, norms.strided_mut(0, 1, 1)?)?;
        amax_into(b, norms.strided_mut(1, 1, 1)?)?;
        let values = norms.to_host().await?;
        let norm = values[0];
        if !norm.is_finite() {
            return Err(Error::NotFinite {
                what: "the norm of the matrix".to_owned(),
                value: norm.to_f64(),
            });
        }
        Ok(Self {
            a,
            b,
            norm,
            top: norm.exponent().unwrap_or(0),
            target: 2.0 * H::ROUNDING * (n as f64).sqrt(),
            x: Vector::zeros(device, n)?,
            best: f64::INFINITY,
            history: Vec::new(),
            r: Vector::zeros(device, n)?,
            norms,
            size: values[1].exponent().unwrap_or(0),
        })
    }

    /// Whether an entry of A is too large for `L`. None is larger than the norm, which is mostly small enough.
    async fn overflows<L: Scalar>(&self) -> Result<bool> {
        let too_large = |x: H| !L::from_dd(x.to_dd()).is_finite();
        Ok(too_large(self.norm) && too_large(norm_max(self.a).await?))
    }

    /// Solves by `lu`, and corrects x until its residual is small enough; why it is not, otherwise.
    async fn refine<L: Scalar>(&mut self, lu: &Lu<L>, observer: &mut dyn Observer) -> Result<Option<Failure>> {
        let n = self.a.rows();
        let mut next = Vector::zeros(self.a.device(), n)?;
        let inverted = Inverted::of(lu)?;
        for step in 0..=CORRECTIONS {
            // Residuals are scaled to 1, so that they have the range of `L` to themselves. Powers of two that are normal
            // numbers themselves.
            let unit = self
                .size
                .clamp(H::MIN_EXPONENT.max(4 - H::MAX_EXPONENT), H::MAX_EXPONENT - 4);
            let power = |exponent: i32| H::one().scale_exponent(exponent);
            let r = if step == 0 { self.b } else { &self.r };
            let right = rounded_rows::<L, H>(power(-unit), &lu.order.rows, r)?;
            let d = match &inverted {
                Some(inverted) => inverted.solve(right),
                None => lu.substitute_ordered(right),
            }?;
            correct(power(unit), &d, &self.x, &mut next)?;
            let (measure, size) = self.residual_of(&next).await?;
            self.size = size;
            if step == 0 {
                tell(observer, "factor", n, n)?;
                if let Some(column) = lu.first_zero().await? {
                    return Ok(Some(Failure::Singular { column }));
                }
            }
            self.history.push(measure);
            tell(observer, "refine", step + 1, CORRECTIONS + 1)?;
            let halved = measure <= 0.5 * self.best;
            if measure < self.best {
                self.best = measure;
                std::mem::swap(&mut self.x, &mut next);
            }
            if self.best <= self.target {
                return Ok(None);
            }
            // The first correction is always made: it tells whether the factors are any good.
            if (!halved && step > 0) || !measure.is_finite() {
                break;
            }
        }
        Ok(Some(Failure::Stalled))
    }

    /// r ← b − A x; ‖r‖∞ / (‖A‖∞ ‖x‖∞), and the exponent of ‖r‖∞.
    async fn residual_of(&mut self, x: &Vector<H>) -> Result<(f64, i32)> {
        copy(self.b, &mut self.r)?;
        gemv(-H::one(), self.a, x, H::one(), &mut self.r)?;
        amax_into(&self.r, self.norms.strided_mut(0, 1, 1)?)?;
        amax_into(x, self.norms.strided_mut(1, 1, 1)?)?;
        let norms = self.norms.to_host().await?;
        let over = |x: H, exponent: i32| x.to_dd().scale_exponent(-exponent).to_f64();
        let residual = over(norms[0], self.top);
        // Zero where the residual is, whatever it is of.
        let measure = if residual == 0.0 {
            0.0
        } else {
            residual / (over(self.norm, self.top) * over(norms[1], 0))
        };
        Ok((measure, norms[0].exponent().unwrap_or(0)))
    }
}

fn check<L: Scalar, H: Scalar>(a: &Matrix<H>, b: &Vector<H>) -> Result<()> {
    check_narrower::<H, L>("solve_mixed")?;
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
