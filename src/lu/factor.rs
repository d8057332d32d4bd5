//! The factorisation as a whole.

use std::sync::OnceLock;

use super::blocked;
use super::options::Options;
use super::state::{Order, Workspace};
use super::step;
use crate::dense::Matrix;
use crate::device::Reading;
use crate::error::{Error, Result};
use crate::observer::{Observer, tell};
use crate::scalar::Scalar;

/// The factors of `P A = L U`: L is m x k with a unit diagonal, U is k x n, k = min(m, n).
///
/// ```
/// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[0.0, 2.0, 4.0, 2.0])?;
/// let b = Matrix::from_rows(&host, 2, 1, &[2.0, 6.0])?;
/// let lu = Lu::factor(a)?;
/// assert_eq!(lu.solve(&b).block_on()?.to_host().block_on()?, [1.0, 1.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Lu<T> {
    pub(super) factors: Matrix<T>,
    pub(super) order: Order,
    first_zero: OnceLock<Option<usize>>,
}

impl<T: Scalar> Lu<T> {
    /// Factors `a` in its own memory, with partial pivoting.
    ///
    /// The factorisation is always completed; a zero pivot is noted ([`Lu::first_zero`]) and solving is then an error,
    /// as LAPACK's `info` means it. Nothing is read back: on a GPU, this records, and large matrices are submitted by
    /// the way.
    ///
    /// Accuracy: `P(A + ΔA) = LU` with |ΔA| ≤ γ·|L||U|, γ = min(m, n) + 1 roundings (Higham 2002, theorem 9.3;
    /// one more, since columns are multiplied by the pivot's reciprocal, as in LAPACK). By tournaments, that is so as long as
    /// no pivot is zero ([`Pivoting::Tournament`](super::Pivoting::Tournament)).
    /// Cost: m·n·k − (m + n)k²/2 + k³/3 multiply-adds; a dispatch for every 2 to 16 columns of panels in
    /// registers, or for up to 128 where several workgroups hold one, or for each of those in memory.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub fn factor(a: Matrix<T>) -> Result<Self> {
        Self::factor_with(a, Options::default())
    }

    /// As [`Lu::factor`], with options, or with a [`Pivoting`](super::Pivoting) or
    /// [`Panels`](super::Panels) alone.
    ///
    /// # Errors
    /// As [`Lu::factor`].
    pub fn factor_with(mut a: Matrix<T>, options: impl Into<Options>) -> Result<Self> {
        let options = options.into();
        let steps = a.rows().min(a.cols());
        let mut order = Order::new(&a, blocked::most_letters(&a, options))?;
        let mut workspace = Workspace::new(
            blocked::columns_at_once(&a, 0, options),
            options.panels,
            order.letters(),
        );
        let mut done = 0;
        while done < steps {
            done += blocked::factor_blocks(&mut a, &mut order, done, options, &mut workspace)?;
        }
        Ok(Self::of(a, order))
    }

    /// As [`Lu::factor_with`]; the observer is told as columns are done, which are waited for while the next are on their
    /// way.
    ///
    /// # Errors
    /// As [`Lu::factor`]; [`crate::Error::Cancelled`].
    pub async fn factor_watched(
        a: Matrix<T>,
        options: impl Into<Options>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let device = a.device().clone();
        let steps = a.rows().min(a.cols());
        let lu = Self::factor_in_flight(a, options.into(), observer).await?;
        if steps > 0 {
            device.synchronize().await?;
            tell(observer, "factor", steps, steps)?;
        }
        Ok(lu)
    }

    /// As [`Lu::factor_watched`], without waiting for the last columns, and without telling of them.
    pub(super) async fn factor_in_flight(
        mut a: Matrix<T>,
        options: Options,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        /// Columns between two marks: progress is what is done, not what is recorded, of which there are as many again.
        const COLUMNS: usize = 512;
        let device = a.device().clone();
        let steps = a.rows().min(a.cols());
        let mut order = Order::new(&a, blocked::most_letters(&a, options))?;
        let mut workspace = Workspace::new(
            blocked::columns_at_once(&a, 0, options),
            options.panels,
            order.letters(),
        );
        let (mut done, mut marked) = (0, 0);
        let mut last = None;
        while done < steps {
            done += blocked::factor_blocks(&mut a, &mut order, done, options, &mut workspace)?;
            if done - marked < COLUMNS || done == steps {
                continue;
            }
            marked = done;
            if let Some((mark, columns)) = last.replace((device.mark()?, done)) {
                device.reached(mark).await?;
                tell(observer, "factor", columns, steps)?;
            }
        }
        Ok(Self::of(a, order))
    }

    fn of(factors: Matrix<T>, order: Order) -> Self {
        Self {
            factors,
            order,
            first_zero: OnceLock::new(),
        }
    }

    /// The first column in which no non-zero pivot was found, counted from 0: U is singular there. Waits for the
    /// factorisation when it is asked first.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn first_zero(&self) -> Result<Option<usize>> {
        if let Some(known) = self.first_zero.get() {
            return Ok(*known);
        }
        self.first_zero_read(self.read_first_zero()?).await
    }

    /// Asks for what [`Lu::first_zero`] needs, as soon as the factorisation is done.
    pub(super) fn read_first_zero(&self) -> Result<Reading<u32>> {
        self.order.status.start_read(0, 1)
    }

    /// As [`Lu::first_zero`], of what was asked for.
    pub(super) async fn first_zero_read(&self, status: Reading<u32>) -> Result<Option<usize>> {
        let status = status.values().await?[0];
        let refusal = match status {
            step::FEWER_INVOCATIONS => Some((
                "a panel by subgroups",
                "its subgroups are smaller, or less full, than it says",
            )),
            step::WAITED => Some((
                "a panel, or a block and what is beside it, by several workgroups",
                "one of them waited for another in vain, though they were seen to run at once when the device was opened",
            )),
            _ => None,
        };
        if let Some((what, reason)) = refusal {
            return Err(Error::Refused {
                what: what.to_owned(),
                device: self.factors.device().name().to_owned(),
                reason: reason.to_owned(),
            });
        }
        Ok(*self.first_zero.get_or_init(|| (status as usize).checked_sub(1)))
    }

    /// LAPACK's `ipiv`, counted from 0: row i was exchanged with row `pivots[i]`, in order.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn pivots(&self) -> Result<Vec<u32>> {
        self.order.pivots.to_host().await
    }
}

impl<T> Lu<T> {
    /// L below the diagonal and U on and above it.
    #[must_use]
    pub fn factors(&self) -> &Matrix<T> {
        &self.factors
    }

    /// Row i of P A is row `order[i]` of A.
    #[must_use]
    pub fn order(&self) -> &crate::device::Buffer<u32> {
        &self.order.rows
    }
}
