//! A x = b with factors in a low precision and x in a high one: LAPACK's `dsgesv`.

use super::correct::correct;
use super::inverted::Inverted;
use super::round_rows::rounded_rows;
use super::{Lu, Options};
use crate::dense::{Matrix, Vector, amax_into, check_narrower, copy, copy_block, gemv, norm_inf_into, norm_max, round};
use crate::device::Buffer;
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
/// Where A, b or x is so small or so large that residuals would leave the range of `H`, the host scales A or b by a power of two,
/// and x back, which is exact where x has the range for its digits; the residual is that of x as it is returned. A is factored
/// once more then.
///
/// Accuracy: a backward error of ε√n in `H`, whichever way, where no elements grew in a fallback. Cost: n³/3 multiply-adds
/// in `L`, and n² in `H` for each correction; n² + 256 n scalars of `L` and up to 9n of `H` beside A. Everything stays on the
/// device: A is rounded there, and the host waits for nothing before the factors; then for two norms and whether U is singular,
/// and, mostly once, for norms after as many solves as it expects to need. A step is 2⌈n/128⌉ + 8 dispatches (9 where
/// [`gemv`] takes two); one that turns out not to have been needed is left aside. On a GPU, steps multiply by inverses of the
/// blocks on the diagonals, which are of no proved accuracy; what comes of it is measured. A fallback adds n³/3 multiply-adds in
/// `H` and n² scalars; where x leaves the range with b as it is scaled, its factors solve for b as it was too. What is not finite,
/// or too large for `L`, is seen when the factors in `L` are made; what is not finite is refused then.
///
/// # Errors
/// [`Error::Singular`] where A is singular in `H` too; [`Error::Shape`] when A is not square or b has another length,
/// and where `L` has more bits than `H`; [`Error::NotFinite`] for A and b; [`Error::UnsupportedScalar`],
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
    a.device().supports::<L>()?;
    let (mut lu, mut norms, mut first) = factored::<L, H>(a, b, observer).await?;
    // Before a factorisation in `H` that could make nothing of it. Largest elements do not overflow, as sums in ‖A‖∞ may.
    check_finite("the largest element of the right-hand side", first[1])?;
    let (mut exponent, there) = (0, Scaled::of(a.buffer(), first[0], 0, 0).await?);
    let there = there.map(|scaled| {
        exponent -= scaled.exponent;
        Matrix::from_rows(a.device(), a.rows(), a.cols(), &scaled.values)
    });
    let there = there.transpose()?;
    let a = there.as_ref().unwrap_or(a);
    if there.is_some() {
        drop(lu);
        (lu, norms, first) = factored(a, b, observer).await?;
    }
    let of_a = first[0].exponent().unwrap_or(0);
    let given = b;
    let of_b = Scaled::of(b.buffer(), first[1], of_a, of_a).await?;
    let there = of_b
        .as_ref()
        .map(|scaled| Vector::from_slice(b.device(), &scaled.values));
    let there = there.transpose()?;
    if there.is_some() {
        first[1] = H::one().scale_exponent(of_a);
    }
    let b = there.as_ref().unwrap_or(b);
    let (mut mixed, high) = solve_scaled(a, b, norms, &first, lu, observer).await?;
    let (b, of_b) = match (of_b, high) {
        // x is not of the size of b by A, but so much larger that it leaves the range where b as it was has one within.
        (Some(_), Some(lu)) if !mixed.residual.is_finite() => {
            (mixed.x, mixed.residual) = solve_measured(&lu, a, given, &first).await?;
            (given, 0)
        }
        (scaled, _) => (b, scaled.map_or(0, |scaled| scaled.exponent)),
    };
    match exponent + of_b {
        0 => Ok(mixed),
        exponent => unscaled(a, b, exponent, &first, mixed).await,
    }
}

/// Factors of A in the high precision.
async fn factored_high<H: Scalar>(a: &Matrix<H>, observer: &mut dyn Observer) -> Result<Lu<H>> {
    let mut own = Matrix::unwritten(a.device(), a.rows(), a.rows())?;
    copy_block(a, &mut own)?;
    Lu::factor_watched(own, Options::default(), observer).await
}

/// x by factors of the high precision, and its residual. `first` are ‖A‖∞ and about ‖b‖∞.
async fn solve_measured<H: Scalar>(lu: &Lu<H>, a: &Matrix<H>, b: &Vector<H>, first: &[H]) -> Result<(Vector<H>, f64)> {
    let x = lu.solve_vector(b).await?;
    let mut problem = Problem::new(a, b, Vector::zeros(a.device(), 2 * AHEAD)?, first)?;
    let residual = problem.measured(&x).await?;
    Ok((x, residual))
}

/// Factors of A in the low precision, of which nobody knows yet whether they are any good, and ‖A‖∞ and ‖b‖∞, in room for more
/// norms and as they are.
async fn factored<L: Scalar, H: Scalar>(
    a: &Matrix<H>,
    b: &Vector<H>,
    observer: &mut dyn Observer,
) -> Result<(Lu<L>, Vector<H>, Vec<H>)> {
    let (device, n) = (a.device(), a.rows());
    let mut norms = Vector::zeros(device, 2 * AHEAD)?;
    norm_inf_into(a, norms.strided_mut(0, 1, 1)?)?;
    amax_into(b, norms.strided_mut(1, 1, 1)?)?;
    let first_norms = norms.start_read(2)?;
    // Nothing waits for these norms: what is not finite, or of another size, is rare, and costs factors that are of no use.
    let mut low = Matrix::<L>::unwritten(device, n, n)?;
    round(a, &mut low)?;
    let lu = Lu::factor_in_flight(low, Options::default(), observer).await?;
    Ok((lu, norms, first_norms.values().await?))
}

/// For A and b of any size that leaves residuals in range, with the factors of a fallback. `first` are ‖A‖∞ and about ‖b‖∞.
async fn solve_scaled<L: Scalar, H: Scalar>(
    a: &Matrix<H>,
    b: &Vector<H>,
    norms: Vector<H>,
    first: &[H],
    lu: Lu<L>,
    observer: &mut dyn Observer,
) -> Result<(Mixed<H>, Option<Lu<H>>)> {
    let mut problem = Problem::new(a, b, norms, first)?;
    let failure = if problem.overflows::<L>().await? {
        Some(Failure::Overflow)
    } else {
        problem.refine(&lu, observer).await?
    };
    drop(lu);
    let (mut x, mut residual, mut high) = (problem.x, problem.best, None);
    if failure.is_some() {
        let lu = factored_high(a, observer).await?;
        (x, residual) = solve_measured(&lu, a, b, first).await?;
        high = Some(lu);
    }
    let mixed = Mixed {
        x,
        route: failure.map_or(Route::Refined, Route::Fallback),
        low: L::KIND,
        history: problem.history,
        residual,
        target: problem.target,
    };
    Ok((mixed, high))
}

/// A matrix or vector times a power of two.
struct Scaled<H> {
    values: Vec<H>,
    /// What was is 2^exponent times that.
    exponent: i32,
}

/// Binary digits between the range and what is small beside b, A or x in a residual: it has n terms.
const ROOM: i32 = 16;

impl<H: Scalar> Scaled<H> {
    /// What is in `buffer`, its largest element brought to 2^`to`; none where that element and 2^-`by` of it (x, which is b by A)
    /// are of a size that leaves residuals in range, or cannot be brought there. `norm` is its norm by a device, which may take
    /// subnormal numbers for zeros, and in which sums of rows may overflow.
    async fn of(buffer: &Buffer<H>, norm: H, by: i32, to: i32) -> Result<Option<Self>> {
        let digits = -H::ROUNDING.exponent().unwrap_or(0);
        let range = H::MIN_EXPONENT + digits + ROOM..H::MAX_EXPONENT - ROOM;
        let fits = |exponent: i32| range.contains(&exponent) && range.contains(&(exponent - by));
        if norm.is_nan() || norm.exponent().is_some_and(fits) {
            return Ok(None);
        }
        let mut values = buffer.to_host().await?;
        let Some(exponent) = values.iter().filter_map(|value| value.exponent()).max() else {
            return Ok(None);
        };
        if fits(exponent) || !values.iter().all(|value| value.is_finite()) {
            return Ok(None);
        }
        let exponent = exponent - to;
        values
            .iter_mut()
            .for_each(|value| *value = value.scale_exponent(-exponent));
        Ok(Some(Self { values, exponent }))
    }
}

/// The solution with A and b as they were: x times 2^exponent. What it loses to its range is measured.
async fn unscaled<H: Scalar>(
    a: &Matrix<H>,
    b: &Vector<H>,
    exponent: i32,
    first: &[H],
    mut mixed: Mixed<H>,
) -> Result<Mixed<H>> {
    let exact = mixed.x.to_host().await?;
    let x: Vec<H> = exact.iter().map(|x| x.scale_exponent(exponent)).collect();
    let kept: Vec<H> = x.iter().map(|x| x.scale_exponent(-exponent)).collect();
    mixed.x.write(&x)?;
    if kept != exact {
        let mut problem = Problem::new(a, b, Vector::zeros(a.device(), 2 * AHEAD)?, first)?;
        mixed.residual = problem.measured(&Vector::from_slice(a.device(), &kept)?).await?;
    }
    Ok(mixed)
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
    /// Pairs of norms, ‖r‖∞ and ‖x‖∞, for the host to read.
    norms: Vector<H>,
    /// The exponent of the last ‖r‖∞ that was read: of b at first.
    size: i32,
}

impl<'a, H: Scalar> Problem<'a, H> {
    /// Of ‖A‖∞ and ‖b‖∞, and a vector for more norms.
    fn new(a: &'a Matrix<H>, b: &'a Vector<H>, norms: Vector<H>, first: &[H]) -> Result<Self> {
        let (device, n, norm) = (a.device(), a.rows(), first[0]);
        check_finite("the norm of the matrix", norm)?;
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
            size: first[1].exponent().unwrap_or(0),
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
        let mut first_zero = Some(lu.read_first_zero()?);
        let inverted = Inverted::of(lu)?;
        let mut plan = self.first_plan::<L>();
        loop {
            let tried = self.record(&plan, lu, inverted.as_ref())?;
            let norms = self.norms.start_read(2 * tried.len())?;
            if let Some(reading) = first_zero.take() {
                let first_zero = lu.first_zero_read(reading).await?;
                tell(observer, "factor", n, n)?;
                if let Some(column) = first_zero {
                    return Ok(Some(Failure::Singular { column }));
                }
            }
            let norms = norms.values().await?;
            for (x, norms) in tried.into_iter().zip(norms.chunks_exact(2)) {
                let measure = self.measure(norms[0], norms[1]);
                let before = self.history.last().copied().unwrap_or(f64::INFINITY);
                self.history.push(measure);
                tell(observer, "refine", self.history.len(), CORRECTIONS + 1)?;
                if measure < self.best {
                    self.best = measure;
                    self.x = x;
                }
                if self.best <= self.target {
                    return Ok(None);
                }
                let useless = measure > 0.5 * before && self.history.len() > 1;
                if useless || !measure.is_finite() || self.history.len() > CORRECTIONS {
                    return Ok(Some(Failure::Stalled));
                }
                let exponent = norms[0].exponent().unwrap_or(0);
                plan = Plan {
                    steps: corrections_left(measure, measure / before, self.target),
                    exponent,
                    gain: exponent - self.size,
                };
                self.size = exponent;
            }
        }
    }

    /// What can be foreseen before anything is known: that a solve leaves of a residual what random roundings do, ten times over.
    /// The first correction is always made: it tells whether the factors are any good.
    fn first_plan<L: Scalar>(&self) -> Plan {
        let ratio = 10.0 * (self.a.rows() as f64).sqrt() * L::ROUNDING;
        Plan {
            steps: corrections_left(1.0, ratio, self.target).max(2),
            exponent: self.size,
            gain: ratio.exponent().unwrap_or(0),
        }
    }

    /// Records solves and corrections, and what is to be known of each: the host does not wait between them. Returns x after
    /// each.
    fn record<L: Scalar>(
        &mut self,
        plan: &Plan,
        lu: &Lu<L>,
        inverted: Option<&Inverted<'_, L>>,
    ) -> Result<Vec<Vector<H>>> {
        let mut tried: Vec<Vector<H>> = Vec::with_capacity(plan.steps);
        let mut exponent = plan.exponent;
        for step in 0..plan.steps {
            // Residuals are scaled so that they are as far from 1 as corrections are, which are 1/A times that: both have the range
            // of `L` to themselves. Powers of two that are normal numbers themselves.
            let unit = (exponent - self.top / 2).clamp(H::MIN_EXPONENT.max(4 - H::MAX_EXPONENT), H::MAX_EXPONENT - 4);
            exponent = exponent.saturating_add(plan.gain);
            let power = |exponent: i32| H::one().scale_exponent(exponent);
            let first = self.history.is_empty() && step == 0;
            let r = if first { self.b } else { &self.r };
            let right = rounded_rows::<L, H>(power(-unit), &lu.order.rows, r)?;
            let d = match inverted {
                Some(inverted) => inverted.solve(&right),
                None => lu.substitute_ordered(right),
            }?;
            let mut next = Vector::zeros(self.a.device(), self.a.rows())?;
            correct(power(unit), &d, tried.last().unwrap_or(&self.x), &mut next)?;
            self.residual_of(&next, step)?;
            tried.push(next);
        }
        Ok(tried)
    }

    /// r ← b − A x; notes ‖r‖∞ and ‖x‖∞ as pair `slot` of the norms.
    fn residual_of(&mut self, x: &Vector<H>, slot: usize) -> Result<()> {
        copy(self.b, &mut self.r)?;
        gemv(-H::one(), self.a, x, H::one(), &mut self.r)?;
        amax_into(&self.r, self.norms.strided_mut(2 * slot, 1, 1)?)?;
        amax_into(x, self.norms.strided_mut(2 * slot + 1, 1, 1)?)
    }

    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞).
    async fn measured(&mut self, x: &Vector<H>) -> Result<f64> {
        self.residual_of(x, 0)?;
        let norms = self.norms.to_host().await?;
        Ok(self.measure(norms[0], norms[1]))
    }

    /// ‖r‖∞ / (‖A‖∞ ‖x‖∞), of ‖r‖∞ and ‖x‖∞.
    fn measure(&self, residual: H, x: H) -> f64 {
        let over = |x: H, exponent: i32| x.to_dd().scale_exponent(-exponent).to_f64();
        let residual = over(residual, self.top);
        // Zero where the residual is, whatever it is of.
        if residual == 0.0 {
            0.0
        } else {
            // One after the other: their product may overflow.
            residual / over(self.norm, self.top) / over(x, 0)
        }
    }
}

/// Solves that are recorded at once: how many, and the exponent of what the first has to solve for, with what each adds to it, as
/// far as it can be foreseen. What turns out otherwise has less of the range of the low precision, which is wide.
struct Plan {
    steps: usize,
    exponent: i32,
    gain: i32,
}

/// Solves at most that are recorded at once.
const AHEAD: usize = 6;

/// The corrections that bring a residual of `measure` to `target` if each multiplies it by `ratio`, at least 1 and at most
/// [`AHEAD`].
fn corrections_left(measure: f64, ratio: f64, target: f64) -> usize {
    let foreseen = std::iter::successors(Some(measure * ratio), |measure| Some(measure * ratio));
    foreseen
        .take(AHEAD)
        .position(|measure| measure <= target)
        .map_or(AHEAD, |before| before + 1)
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

fn check_finite<H: Scalar>(what: &str, norm: H) -> Result<()> {
    if norm.is_finite() {
        return Ok(());
    }
    Err(Error::NotFinite {
        what: what.to_owned(),
        value: norm.to_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_foreseen_by_their_ratio() {
        assert_eq!(corrections_left(1e-5, 1e-5, 1e-14), 2);
        assert_eq!(corrections_left(1e-5, 1e-5, 2e-10), 1);
        assert_eq!(corrections_left(1e-5, 0.0, 1e-10), 1);
        // Nothing is foreseen of what hardly falls, or is not a number.
        assert_eq!(corrections_left(1e-5, 0.5, 1e-14), AHEAD);
        assert_eq!(corrections_left(f64::NAN, f64::NAN, 1e-14), AHEAD);
    }
}
