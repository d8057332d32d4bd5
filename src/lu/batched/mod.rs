//! Many small systems at once: `P A = L U` of each, and what is solved with it.
//!
//! A launch for each of 10⁴ to 10⁶ small matrices would cost more than all their arithmetic. Here one launch is for all of
//! them: a few invocations share a matrix, and hold its rows in registers from the first column to the last, so that it is
//! read once and written once.

mod assemble;
mod batch;
mod factor;
mod shape;
mod solve;

use std::sync::OnceLock;

pub use assemble::Pattern;
pub use batch::Batch;

use crate::device::Buffer;
use crate::device::kernel::Kernel;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// The largest order of a matrix that a batch may have: a row of it fits the registers of one invocation.
pub const LARGEST: usize = 64;

/// The factors of `P A = L U` of every matrix of a batch.
///
/// ```
/// use nonius::{Blocking, Device, lu::batched::{Batch, BatchedLu}};
/// let host = Device::host();
/// // Two matrices of order 2, one after the other, each by rows.
/// let a = Batch::from_slice(&host, 2, 2, 2, &[0.0, 2.0, 4.0, 2.0, 1.0, 1.0, 1.0, -1.0])?;
/// let b = Batch::from_slice(&host, 2, 2, 1, &[2.0, 6.0, 3.0, 1.0])?;
/// let lu = BatchedLu::factor(a)?;
/// assert_eq!(lu.solve(&b).block_on()?.to_host().block_on()?, [1.0, 1.0, 2.0, 1.0]);
/// assert_eq!(lu.pivots().block_on()?, [1, 1, 0, 1]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct BatchedLu<T> {
    factors: Batch<T>,
    /// LAPACK's `ipiv` of each system, from 0, one system after the other.
    pivots: Buffer<u32>,
    /// For each system the first column without a pivot, plus one; 0 if there is none.
    status: Buffer<u32>,
    /// The complement of the first singular system's number; 0 if there is none.
    singular: Buffer<u32>,
    first_singular: OnceLock<Option<(usize, usize)>>,
}

impl<T: Scalar> BatchedLu<T> {
    /// Factors every matrix of `a` in its own memory, with partial pivoting: in each column the element of largest
    /// magnitude, the first of equals.
    ///
    /// Every factorisation is completed; a zero pivot is noted ([`BatchedLu::first_zeros`]), and solving is then an error,
    /// as LAPACK's `info` means it. Systems know nothing of each other: a NaN stays in its own. Nothing is read back.
    ///
    /// Shapes: `a` has square matrices of order n ≤ [`LARGEST`].
    /// Accuracy: `P(A + ΔA) = LU` with |ΔA| ≤ γ·|L||U|, γ = n roundings (Higham 2002, theorem 9.3).
    /// Cost: 2n² elements read or written and n³/3 − n/3 multiply-adds a system; one dispatch, or one for every 2³³ of these.
    ///
    /// # Errors
    /// [`Error::Shape`] for other shapes; whatever the device reports.
    pub fn factor(a: Batch<T>) -> Result<Self> {
        if a.rows() != a.cols() || a.rows() > LARGEST {
            return Err(Error::Shape {
                operation: "a batched factorisation",
                expected: format!("square matrices of order {LARGEST} at most"),
                found: format!("{} of {} x {}", a.count(), a.rows(), a.cols()),
            });
        }
        let mut lu = Self::unfactored(a)?;
        if lu.factors.count() > 0 && lu.factors.rows() > 0 {
            factor::factor(&mut lu)?;
        }
        Ok(lu)
    }

    fn unfactored(a: Batch<T>) -> Result<Self> {
        let (device, count, n) = (a.device().clone(), a.count(), a.rows());
        Ok(Self {
            pivots: Buffer::zeros(&device, count * n)?,
            status: Buffer::zeros(&device, count)?,
            singular: Buffer::zeros(&device, 1)?,
            first_singular: OnceLock::new(),
            factors: a,
        })
    }

    /// For each system the first column in which no non-zero pivot was found, counted from 0: U is singular there. Waits
    /// for the factorisation.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn first_zeros(&self) -> Result<Vec<Option<usize>>> {
        let status = self.status.to_host().await?;
        Ok(status.into_iter().map(column).collect())
    }

    /// The first singular system and its first column without a pivot, both counted from 0. Waits for the factorisation when
    /// it is asked first, and reads back 8 bytes.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn first_singular(&self) -> Result<Option<(usize, usize)>> {
        if let Some(known) = self.first_singular.get() {
            return Ok(*known);
        }
        let found = match self.singular.to_host().await?[0] {
            0 => None,
            complement => {
                let system = (u32::MAX - complement) as usize;
                column(self.status.read(system, 1).await?[0]).map(|column| (system, column))
            }
        };
        Ok(*self.first_singular.get_or_init(|| found))
    }

    /// LAPACK's `ipiv` of every system, counted from 0, one system after the other: row i of system s was exchanged with its
    /// row `pivots[s · n + i]`, in order.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn pivots(&self) -> Result<Vec<u32>> {
        self.pivots.to_host().await
    }
}

impl<T> BatchedLu<T> {
    /// L below the diagonal and U on and above it, of every system.
    #[must_use]
    pub fn factors(&self) -> &Batch<T> {
        &self.factors
    }
}

fn column(status: u32) -> Option<usize> {
    (status as usize).checked_sub(1)
}

/// Every kernel of this module, for the test that composes them all.
pub(super) fn kernels() -> [&'static Kernel; 4] {
    [
        &assemble::ASSEMBLE,
        &factor::SUBGROUPS,
        &factor::WORKGROUP,
        &solve::SOLVE,
    ]
}
