//! The factorisation as a whole, and solving with it.

use super::panel::{self, Pivots};
use super::solve_block::{self, Triangle};
use super::{PANEL, permute_rows, swap_rows};
use crate::dense::{Matrix, MatrixView, Vector, copy_block, gemm};
use crate::device::{Buffer, Device};
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
/// let lu = Lu::factor(a).block_on()?;
/// assert_eq!(lu.solve(&b)?.to_host().block_on()?, [1.0, 1.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Lu<T> {
    factors: Matrix<T>,
    pivots: Vec<u32>,
    order: Buffer<u32>,
    first_zero: Option<usize>,
}

impl<T: Scalar> Lu<T> {
    /// Factors `a` in its own memory, with partial pivoting.
    ///
    /// The factorisation is always completed; a zero pivot is noted ([`Lu::first_zero`]) and solving is then an error,
    /// as LAPACK's `info` means it.
    ///
    /// Accuracy: `P(A + ΔA) = LU` with |ΔA| ≤ γ·|L||U|, γ = min(m, n) roundings (Higham 2002, theorem 9.3).
    /// Cost: m·n·k − (m + n)k²/2 + k³/3 multiply-adds, 5 dispatches for every 32 columns, one read-back.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn factor(a: Matrix<T>) -> Result<Self> {
        Self::factor_watched(a, &mut ()).await
    }

    /// As [`Lu::factor`]; the observer is told after every panel that is done.
    ///
    /// # Errors
    /// As [`Lu::factor`]; [`Error::Cancelled`].
    pub async fn factor_watched(mut a: Matrix<T>, observer: &mut dyn Observer) -> Result<Self> {
        let device = a.device().clone();
        let (rows, cols) = (a.rows(), a.cols());
        let steps = rows.min(cols);
        let panel = PANEL.default as usize;
        let mut pivots = Pivots {
            rows: Buffer::zeros(&device, steps)?,
            status: Buffer::zeros(&device, 1)?,
        };
        let mut lower = Matrix::zeros(&device, rows, panel)?;
        let mut upper = Matrix::zeros(&device, panel, cols)?;
        for first in (0..steps).step_by(panel) {
            let width = panel.min(steps - first);
            let next = first + width;
            panel::factor(&mut a, first, width, &mut pivots)?;
            swap_rows::apply(&mut a, first, width, &pivots)?;
            // The products read copies: a kernel may not read and write one buffer.
            copy_block(
                a.block(first, first, rows - first, width)?,
                lower.block_mut(0, 0, rows - first, width)?,
            )?;
            let diagonal = lower.block(0, 0, width, width)?;
            solve_block::solve(
                Triangle::UnitLower,
                diagonal,
                a.block_mut(first, next, width, cols - next)?,
                &mut upper,
            )?;
            let below = lower.block(width, 0, rows - next, width)?;
            let right = upper.block(0, 0, width, cols - next)?;
            gemm(
                -T::one(),
                below,
                right,
                T::one(),
                a.block_mut(next, next, rows - next, cols - next)?,
            )?;
            wait_for_progress(&device, next, steps, observer).await?;
        }
        let status = pivots.status.to_host().await?[0];
        let pivots = pivots.rows.to_host().await?;
        let order = Buffer::from_slice(&device, &order(rows, &pivots))?;
        Ok(Self {
            factors: a,
            pivots,
            order,
            first_zero: (status as usize).checked_sub(1),
        })
    }

    /// X with A X = B, for square A; B has as many rows, and any number of columns.
    ///
    /// Accuracy: `(A + ΔA) x = b` with |ΔA| ≤ γ·|L||U|, γ = 3n roundings (Higham 2002, theorem 9.4).
    /// Cost: n² multiply-adds and n/8 dispatches for all columns together, n²/256 a column.
    ///
    /// # Errors
    /// [`Error::Singular`] with the first column without a pivot; [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn solve<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        let b = b.into();
        self.check(&b)?;
        let n = self.factors.rows();
        let panel = PANEL.default as usize;
        let mut x = permute_rows::permuted(&self.order, &b)?;
        let columns = b.cols();
        let mut solved = Matrix::zeros(b.device(), panel, columns)?;
        let blocks = || (0..n).step_by(panel).map(|first| (first, panel.min(n - first)));
        for (first, width) in blocks() {
            let next = first + width;
            let diagonal = self.factors.block(first, first, width, width)?;
            solve_block::solve(
                Triangle::UnitLower,
                diagonal,
                x.block_mut(first, 0, width, columns)?,
                &mut solved,
            )?;
            let below = self.factors.block(next, first, n - next, width)?;
            let known = solved.block(0, 0, width, columns)?;
            gemm(
                -T::one(),
                below,
                known,
                T::one(),
                x.block_mut(next, 0, n - next, columns)?,
            )?;
        }
        for (first, width) in blocks().collect::<Vec<_>>().into_iter().rev() {
            let diagonal = self.factors.block(first, first, width, width)?;
            solve_block::solve(
                Triangle::Upper,
                diagonal,
                x.block_mut(first, 0, width, columns)?,
                &mut solved,
            )?;
            let above = self.factors.block(0, first, first, width)?;
            let known = solved.block(0, 0, width, columns)?;
            gemm(-T::one(), above, known, T::one(), x.block_mut(0, 0, first, columns)?)?;
        }
        Ok(x)
    }

    /// x with A x = b, by [`Lu::solve`].
    ///
    /// # Errors
    /// As [`Lu::solve`].
    pub fn solve_vector(&self, b: &Vector<T>) -> Result<Vector<T>> {
        let view = b.view();
        let column = MatrixView {
            buffer: view.buffer,
            offset: 0,
            rows: b.len(),
            cols: 1,
            row_stride: 1,
            col_stride: 1,
        };
        self.solve(column).map(Matrix::into_vector)
    }

    fn check(&self, b: &MatrixView<'_, T>) -> Result<()> {
        self.factors.device().check_same("solve", b.device())?;
        let n = self.factors.rows();
        if self.factors.cols() != n || b.rows() != n || b.col_stride != 1 {
            return Err(Error::Shape {
                operation: "solve",
                expected: format!("a square matrix and {n} rows, not transposed, on the right"),
                found: format!("{n} x {} and {} x {}", self.factors.cols(), b.rows(), b.cols()),
            });
        }
        match self.first_zero {
            Some(column) => Err(Error::Singular { column }),
            None => Ok(()),
        }
    }
}

impl<T> Lu<T> {
    /// L below the diagonal and U on and above it.
    #[must_use]
    pub fn factors(&self) -> &Matrix<T> {
        &self.factors
    }

    /// LAPACK's `ipiv`, counted from 0: row i was exchanged with row `pivots[i]`, in order.
    #[must_use]
    pub fn pivots(&self) -> &[u32] {
        &self.pivots
    }

    /// The first column in which no non-zero pivot was found, counted from 0: U is singular there.
    #[must_use]
    pub fn first_zero(&self) -> Option<usize> {
        self.first_zero
    }
}

/// The rows of A in the order of P A.
fn order(rows: usize, pivots: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows).map(crate::device::narrow).collect();
    for (i, pivot) in pivots.iter().enumerate() {
        order.swap(i, *pivot as usize);
    }
    order
}

/// Panels between two waits: progress is then what is done, not what is recorded, and faults are seen early.
const PANELS_IN_FLIGHT: usize = 16;

async fn wait_for_progress(device: &Device, done: usize, total: usize, observer: &mut dyn Observer) -> Result<()> {
    let panels = done.div_ceil(PANEL.default as usize);
    if panels.is_multiple_of(PANELS_IN_FLIGHT) || done == total {
        device.synchronize().await?;
        tell(observer, "factor", done, total)?;
    }
    Ok(())
}
