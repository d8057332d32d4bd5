//! One stage of the dense route: factor in a low precision, refine with residuals in a high one.

use std::fmt;

use super::measure::Accuracy;
use super::scaling::Scaling;
use crate::dense::{Matrix, Vector};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::lu::{Lu, Pivoting, Residual, refine};
use crate::observer::Observer;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::sparse::Coo;
use web_time::Instant;

/// A factorisation and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The scalar of the factors.
    pub factors: ScalarKind,
    /// The scalar of the residuals.
    pub residuals: ScalarKind,
    /// Whether rows and columns were scaled by powers of two.
    pub equilibrated: bool,
    /// The column in which elimination found no pivot.
    pub first_zero: Option<usize>,
    /// Backward errors of the scaled solution, after the first solve and after each correction.
    pub history: Vec<f64>,
    /// Componentwise backward errors of x, after these corrections and after each of those that followed because they missed the
    /// target, with residuals and x in double-double. Empty where there is no x.
    pub componentwise_history: Vec<f64>,
    /// How much smaller than a solution its first correction is, for this right-hand side or one without pattern, the larger; infinite
    /// where something is not finite. None where nothing was to be corrected.
    pub contraction: Option<f64>,
    /// How much smaller than x its correction by a residual in double-double is, which is not made: about the relative error of x in
    /// its largest element, where the factors are reliable.
    pub error: Option<f64>,
    /// Seconds for the factorisation.
    pub factor_seconds: f64,
    /// Seconds for the first solve and the corrections.
    pub refine_seconds: f64,
}

impl Stage {
    /// Whether the corrections shrank, so that the factors are those of a matrix that is not singular.
    #[must_use]
    pub fn is_reliable(&self) -> bool {
        self.contraction.is_some_and(|contraction| contraction <= 0.5)
    }

    /// The digits of x that are certain, where they are fewer than three.
    #[must_use]
    pub fn few_digits(&self) -> Option<usize> {
        let error = self.error?;
        [1e-1, 1e-2, 1e-3].iter().position(|limit| error > *limit)
    }

    /// Whether the first solution left no residual at all, and others neither: then there was no correction to judge the factors by.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.history == [0.0] && self.contraction.is_none()
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "LU in {} with residuals in {}",
            self.factors.name(),
            self.residuals.name()
        )
    }
}

pub(super) struct Problem<'a> {
    pub(super) device: &'a Device,
    pub(super) a: &'a Coo<f64>,
    pub(super) b: &'a [f64],
    pub(super) scaling: Scaling,
    pub(super) target: f64,
}

pub(super) struct Outcome {
    pub(super) stage: Stage,
    /// None where there is no pivot, or nothing finite came out.
    pub(super) x: Option<(Vec<f64>, Accuracy)>,
    pub(super) setup_seconds: f64,
}

/// Corrections at most, as in LAPACK's `dsgesv`.
const CORRECTIONS: usize = 30;

/// Right-hand sides by which factors are judged.
const TRIALS: usize = 4;

/// Rows that are brought to the device at once: 64 MiB of them.
const UPLOAD_BYTES: usize = 1 << 26;

impl Problem<'_> {
    /// A stage with factors in `low` and residuals in `high`.
    pub(super) async fn attempt(
        &self,
        low: ScalarKind,
        high: ScalarKind,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        use ScalarKind as K;
        match (low, high) {
            (K::F32, K::F32) => self.attempt_in::<f32, f32>(observer).await,
            (K::F32, K::Df64) => self.attempt_in::<f32, Df64>(observer).await,
            (K::F32, K::F64) => self.attempt_in::<f32, f64>(observer).await,
            (K::Df64, K::Df64) => self.attempt_in::<Df64, Df64>(observer).await,
            (K::F64, K::F64) => self.attempt_in::<f64, f64>(observer).await,
            (low, high) => unreachable!("no plan has factors in {low:?} and residuals in {high:?}"),
        }
    }

    async fn attempt_in<L: Scalar, H: Scalar>(&self, observer: &mut dyn Observer) -> Result<Outcome> {
        let n = self.a.rows();
        let start = Instant::now();
        let rows = self.rows();
        let mut matrix = Matrix::<L>::zeros(self.device, n, n).map_err(|error| naming_matrix::<L>(error, n))?;
        let at_once = (UPLOAD_BYTES / (n * size_of::<L>())).max(1);
        for first in (0..n).step_by(at_once) {
            let count = at_once.min(n - first);
            matrix.write_rows(first, &self.dense_rows::<L>(&rows, first, count))?;
        }
        self.device.synchronize().await?;
        let setup_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let lu = Lu::factor_watched(matrix, Pivoting::Partial, observer).await?;
        let first_zero = lu.first_zero().await?;
        let factor_seconds = start.elapsed().as_secs_f64();
        let mut stage = Stage {
            factors: L::KIND,
            residuals: H::KIND,
            equilibrated: self.scaling.equilibrated,
            first_zero,
            history: Vec::new(),
            componentwise_history: Vec::new(),
            contraction: None,
            error: None,
            factor_seconds,
            refine_seconds: 0.0,
        };
        if stage.first_zero.is_some() {
            return Ok(Outcome {
                stage,
                x: None,
                setup_seconds,
            });
        }

        let start = Instant::now();
        let scaled = self.b.iter().zip(&self.scaling.rows);
        let b: Vec<f64> = scaled.map(|(b, row)| b.scale_exponent(row + self.scaling.b)).collect();
        let in_high = b.iter().map(|b| H::from_f64(*b)).collect();
        let residual = Residual::<H>::new(self.device, in_high, |first, count| {
            self.dense_rows::<H>(&rows, first, count)
        })?;
        let norms = self.norms();
        let (y, refinement) = refine(
            &lu,
            &residual,
            CORRECTIONS,
            |y, r| self.backward_error(&norms, y, r),
            observer,
        )
        .await?;
        let own = refinement.contraction();
        stage.history = refinement.history;
        if own.is_some() || stage.history == [0.0] {
            // This right-hand side may lie where the factors know nothing, though others do not; or where all is exact, in the
            // scalar of the residuals, to which A was rounded.
            let of_others = self.contraction(&lu).await?;
            stage.contraction = own.into_iter().chain(of_others).reduce(f64::max);
        }
        let b: Vec<Dd> = b.into_iter().map(Dd::from).collect();
        let y: Vec<Dd> = y.iter().map(|y| y.to_dd()).collect();
        let (best, componentwise_history) = self.correct_componentwise(&lu, &b, y, stage.is_reliable()).await?;
        stage.error = Some(best.error).filter(|error| error.is_finite());
        stage.refine_seconds = start.elapsed().as_secs_f64();
        let finite = refinement.best.is_finite() && best.x.iter().all(|x| x.is_finite());
        if finite {
            stage.componentwise_history = componentwise_history;
        }
        Ok(Outcome {
            stage,
            x: finite.then_some((best.x, best.accuracy)),
            setup_seconds,
        })
    }

    /// Warnings of the entries that scaling took out of the range of the residuals' scalar.
    pub(super) fn underflows(&self, high: ScalarKind) -> Vec<String> {
        let mut warnings = Vec::new();
        let of_a = self.scaling.lost_of_a(self.a, high);
        if of_a > 0 {
            warnings.push(format!(
                "entries of A ({of_a}) are so much smaller than the largest of their rows and columns, once these are scaled, that they left \
                 the range of {}: x may be that of a matrix without them",
                high.name()
            ));
        }
        let of_b = self.scaling.lost_of_b(self.b, high);
        if of_b > 0 {
            warnings.push(format!(
                "entries of b ({of_b}) are so much smaller than the largest, once rows are scaled, that they left the range of {}: what of x \
                 depends on them alone may have no correct digit",
                high.name()
            ));
        }
        warnings
    }

    /// As [`crate::lu::Refinement::contraction`], of right-hand sides of its own, with residuals in double-double, on the host: the
    /// largest of [`TRIALS`].
    ///
    /// Factors of a singular matrix reproduce their solution as its own correction: a contraction of about 1. But not where
    /// A x = b has solutions, which some right-hand sides see to; a residual in the factors' own scalar has rounding errors as
    /// large as itself, and may shrink it by chance; and where several singular values are lost, one correction may be half
    /// its solution by chance, too. Hence some without pattern, and a finer scalar.
    async fn contraction<L: Scalar>(&self, lu: &Lu<L>) -> Result<Option<f64>> {
        let mut state = 1_u32;
        let mut next = || {
            // Numerical Recipes' quick generator: ±(1 + i / 128).
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let magnitude = 1.0 + f64::from(state >> 25) / 128.0;
            if state & (1 << 20) == 0 { magnitude } else { -magnitude }
        };
        let mut largest = 0.0_f64;
        for _ in 0..TRIALS {
            let right = self.scaling.rows.iter().map(|_| next()).collect();
            let contraction = self.contraction_of(lu, right).await?;
            if contraction.is_nan() {
                return Ok(Some(f64::INFINITY));
            }
            largest = largest.max(contraction);
        }
        Ok((largest > 0.0).then_some(largest))
    }

    /// The correction of what the factors make of a right-hand side, over that; 0 where nothing is to be corrected, NaN where
    /// something is not finite.
    async fn contraction_of<L: Scalar>(&self, lu: &Lu<L>, right: Vec<f64>) -> Result<f64> {
        let rounded: Vec<L> = right.iter().map(|x| L::from_f64(*x)).collect();
        let y = lu.solve_vector(&Vector::from_slice(self.device, &rounded)?).await?;
        let y = y.to_host().await?;
        let correction = self
            .correction(lu, right.into_iter().map(Dd::from).collect(), &y)
            .await?;
        Ok(share(&correction, &y, &vec![0; y.len()]))
    }

    /// What the factors make of the residual of y in double-double.
    pub(super) async fn correction<L: Scalar, H: Scalar>(
        &self,
        lu: &Lu<L>,
        mut r: Vec<Dd>,
        y: &[H],
    ) -> Result<Vec<Dd>> {
        let Scaling { rows, cols, .. } = &self.scaling;
        for (row, col, value) in self.a.iter() {
            r[row] -= Dd::from(value.scale_exponent(rows[row] + cols[col])) * y[col].to_dd();
        }
        let Some(top) = r.iter().filter_map(|r| r.exponent()).max() else {
            // Zero, or not finite.
            return Ok(r);
        };
        let r: Vec<L> = r.iter().map(|r| L::from_dd(r.scale_exponent(-top))).collect();
        let correction = lu.solve_vector(&Vector::from_slice(self.device, &r)?).await?;
        let correction = correction.to_host().await?;
        Ok(correction.iter().map(|x| x.to_dd().scale_exponent(top)).collect())
    }

    /// The entries of every row.
    fn rows(&self) -> Vec<Vec<(usize, f64)>> {
        let mut rows = vec![Vec::new(); self.a.rows()];
        for (row, col, value) in self.a.iter() {
            rows[row].push((col, value));
        }
        rows
    }

    /// Rows of the scaled matrix, zeros and all.
    fn dense_rows<T: Scalar>(&self, rows: &[Vec<(usize, f64)>], first: usize, count: usize) -> Vec<T> {
        let n = self.a.cols();
        let mut dense = vec![T::zero(); count * n];
        for (i, row) in rows[first..first + count].iter().enumerate() {
            for (col, value) in row {
                let scale = self.scaling.rows[first + i] + self.scaling.cols[*col];
                dense[i * n + col] = T::from_f64(value.scale_exponent(scale));
            }
        }
        dense
    }

    /// ‖A‖∞ and ‖b‖∞ of the problem as it was given, both over 2^top.
    fn norms(&self) -> Norms {
        let top = super::measure::top_exponent(self.a.values());
        let mut sums = vec![0.0; self.a.rows()];
        for (row, _, value) in self.a.iter() {
            sums[row] += value.abs().scale_exponent(-top);
        }
        Norms {
            top,
            a: sums.into_iter().fold(0.0, f64::max),
        }
    }

    /// The backward error of the unscaled solution, from the scaled one and its residual. In double-double, whose range
    /// holds every product here.
    fn backward_error<H: Scalar>(&self, norms: &Norms, y: &[H], r: &[H]) -> f64 {
        let unscaled = |value: &H, exponent: i32| value.to_dd().scale_exponent(exponent).to_f64().abs();
        let largest = |a: f64, b: f64| if b.is_nan() { b } else { a.max(b) };
        let scaling = &self.scaling;
        let any = r.iter().any(|r| !r.is_zero());
        // Everything relative to 2^top and to 2^-scaling.b, so that it stays in range.
        let r = r
            .iter()
            .zip(&scaling.rows)
            .map(|(r, row)| unscaled(r, -row - norms.top))
            .fold(0.0, largest);
        let x = y
            .iter()
            .zip(&scaling.cols)
            .map(|(y, col)| unscaled(y, *col))
            .fold(0.0, largest);
        let b = self
            .b
            .iter()
            .map(|b| Dd::from(*b).scale_exponent(scaling.b - norms.top).to_f64().abs())
            .fold(0.0, largest);
        match (r / (norms.a * x + b), any) {
            (_, false) => 0.0,
            // Where even double-double underflows, so does b beside A x.
            (error, true) if error.is_nan() => error,
            (error, true) => error.max(f64::MIN_POSITIVE),
        }
    }
}

struct Norms {
    top: i32,
    a: f64,
}

/// A limit is met by the matrix, whichever buffer it was.
fn naming_matrix<L: Scalar>(error: Error, n: usize) -> Error {
    let name = format!("a dense {n} x {n} matrix in {}", L::NAME);
    match error {
        Error::TooLarge {
            bytes,
            limit,
            limit_name,
            device,
            ..
        } => Error::TooLarge {
            what: name,
            bytes,
            limit,
            limit_name,
            device,
        },
        Error::OutOfMemory { bytes, device, .. } => Error::OutOfMemory {
            what: name,
            bytes,
            device,
        },
        error => error,
    }
}

/// The largest element of a correction of y over that of y, elements i of both times 2^weights\[i\]; NaN where something is not
/// finite.
pub(super) fn share<H: Scalar>(correction: &[Dd], y: &[H], weights: &[i32]) -> f64 {
    if !(correction.iter().all(|x| x.is_finite()) && y.iter().all(|x| x.is_finite())) {
        return f64::NAN;
    }
    let weighted = |y: &H, weight: &i32| Some(y.to_dd().exponent()? + weight);
    let top = y
        .iter()
        .zip(weights)
        .filter_map(|(y, weight)| weighted(y, weight))
        .max();
    let largest = |values: &mut dyn Iterator<Item = Dd>| {
        let weighted = values
            .zip(weights)
            .map(|(x, weight)| x.scale_exponent(weight - top.unwrap_or(0)));
        weighted.map(|x| x.to_f64().abs()).fold(0.0, f64::max)
    };
    let correction = largest(&mut correction.iter().copied());
    if correction == 0.0 {
        0.0
    } else {
        correction / largest(&mut y.iter().map(|y| y.to_dd()))
    }
}
