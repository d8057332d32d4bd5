//! Solving with the factors.

use super::solve_block::{self, Triangle};
use super::{Lu, PANEL, permute_rows};
use crate::dense::{Matrix, MatrixView, Vector, gemm};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

impl<T: Scalar> Lu<T> {
    /// X with A X = B, for square A; B has as many rows, and any number of columns.
    ///
    /// Accuracy: `(A + ΔA) x = b` with |ΔA| ≤ γ·|L||U|, γ = 3n roundings (Higham 2002, theorem 9.4).
    /// Cost: n² multiply-adds and n/8 dispatches for all columns together, n²/256 a column.
    ///
    /// # Errors
    /// [`Error::Singular`] with the first column without a pivot; [`Error::Shape`], [`Error::DeviceMismatch`].
    pub async fn solve<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        let b = b.into();
        self.check(&b)?;
        match self.first_zero().await? {
            Some(column) => Err(Error::Singular { column }),
            None => self.substitute(b),
        }
    }

    /// As [`Lu::solve`], without asking whether U is singular, so that nothing waits: X is not finite where it is.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn substitute<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        let b = b.into();
        self.check(&b)?;
        let n = self.factors.rows();
        let panel = PANEL.default as usize;
        let mut x = permute_rows::permuted(&self.order.rows, &b)?;
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
    pub async fn solve_vector(&self, b: &Vector<T>) -> Result<Vector<T>> {
        let view = b.view();
        let column = MatrixView {
            buffer: view.buffer,
            offset: 0,
            rows: b.len(),
            cols: 1,
            row_stride: 1,
            col_stride: 1,
        };
        self.solve(column).await.map(Matrix::into_vector)
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
        Ok(())
    }
}
