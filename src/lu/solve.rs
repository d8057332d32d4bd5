//! Solving with the factors: A X = B and Aᵀ X = B, for any number of right-hand sides.
//!
//! Each comes in two ways. What is called `solve` first asks whether U is singular, which waits for the factorisation;
//! what is called `substitute` only records, and leaves what is not finite to be found in X.

use super::permute_rows::{Permutation, permuted};
use super::solve_block::Triangle;
use super::{Lu, substitution};
use crate::dense::{Matrix, MatrixView, MatrixViewMut, Vector, copy_block};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Which matrix is solved with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A.
    Plain,
    /// Aᵀ.
    Transposed,
}

impl<T: Scalar> Lu<T> {
    /// X with A X = B, for square A; B has as many rows, and any number of columns.
    ///
    /// Accuracy: `(A + ΔA) x = b` with |ΔA| ≤ γ·|L||U|, γ = 3n roundings (Higham 2002, theorem 9.4).
    /// Cost: n² multiply-adds a column, and n² scalars read; n/32 + 1 dispatches for up to 8 columns together, n/8 for
    /// more.
    ///
    /// # Errors
    /// [`Error::Singular`] with the first column without a pivot; [`Error::Shape`], [`Error::DeviceMismatch`].
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
    /// let host = Device::host();
    /// let lu = Lu::factor(Matrix::from_rows(&host, 2, 2, &[0.0, 2.0, 4.0, 2.0])?)?;
    /// let b = Matrix::from_rows(&host, 2, 2, &[2.0, 4.0, 6.0, 8.0])?;
    /// assert_eq!(lu.solve(&b).block_on()?.to_host().block_on()?, [1.0, 1.0, 1.0, 2.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn solve<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        self.asked(Side::Plain, b.into()).await
    }

    /// As [`Lu::solve`], without asking whether U is singular, so that nothing waits: X is not finite where it is.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn substitute<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        self.recorded(Side::Plain, &b.into())
    }

    /// X with Aᵀ X = B: as [`Lu::solve`], in shapes, accuracy and cost.
    ///
    /// # Errors
    /// As [`Lu::solve`].
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
    /// let host = Device::host();
    /// let lu = Lu::factor(Matrix::from_rows(&host, 2, 2, &[0.0, 2.0, 4.0, 2.0])?)?;
    /// let b = Matrix::from_rows(&host, 2, 1, &[4.0, 4.0])?;
    /// assert_eq!(lu.solve_transposed(&b).block_on()?.to_host().block_on()?, [1.0, 1.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn solve_transposed<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        self.asked(Side::Transposed, b.into()).await
    }

    /// As [`Lu::solve_transposed`], without asking whether U is singular, so that nothing waits.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn substitute_transposed<'b>(&self, b: impl Into<MatrixView<'b, T>>) -> Result<Matrix<T>> {
        self.recorded(Side::Transposed, &b.into())
    }

    /// As [`Lu::solve`]; X takes the place of B, which stays as it is where there is an error. Meanwhile as much memory
    /// is needed as by [`Lu::solve`], and one dispatch more.
    ///
    /// # Errors
    /// As [`Lu::solve`].
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
    /// let host = Device::host();
    /// let lu = Lu::factor(Matrix::from_rows(&host, 2, 2, &[0.0, 2.0, 4.0, 2.0])?)?;
    /// let mut b = Matrix::from_rows(&host, 2, 1, &[2.0, 6.0])?;
    /// lu.solve_in_place(&mut b).block_on()?;
    /// assert_eq!(b.to_host().block_on()?, [1.0, 1.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn solve_in_place<'b>(&self, b: impl Into<MatrixViewMut<'b, T>>) -> Result<()> {
        let b = b.into();
        copy_block(&self.asked(Side::Plain, b.as_view()).await?, b)
    }

    /// As [`Lu::solve_in_place`], without asking whether U is singular, so that nothing waits.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn substitute_in_place<'b>(&self, b: impl Into<MatrixViewMut<'b, T>>) -> Result<()> {
        let b = b.into();
        copy_block(&self.recorded(Side::Plain, &b.as_view())?, b)
    }

    /// As [`Lu::solve_transposed`]; X takes the place of B.
    ///
    /// # Errors
    /// As [`Lu::solve`].
    pub async fn solve_transposed_in_place<'b>(&self, b: impl Into<MatrixViewMut<'b, T>>) -> Result<()> {
        let b = b.into();
        copy_block(&self.asked(Side::Transposed, b.as_view()).await?, b)
    }

    /// As [`Lu::solve_transposed_in_place`], without asking whether U is singular, so that nothing waits.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn substitute_transposed_in_place<'b>(&self, b: impl Into<MatrixViewMut<'b, T>>) -> Result<()> {
        let b = b.into();
        copy_block(&self.recorded(Side::Transposed, &b.as_view())?, b)
    }

    /// x with A x = b, by [`Lu::solve`].
    ///
    /// # Errors
    /// As [`Lu::solve`].
    pub async fn solve_vector(&self, b: &Vector<T>) -> Result<Vector<T>> {
        self.asked(Side::Plain, column(b)).await.map(Matrix::into_vector)
    }

    /// x with Aᵀ x = b, by [`Lu::solve_transposed`].
    ///
    /// # Errors
    /// As [`Lu::solve`].
    pub async fn solve_vector_transposed(&self, b: &Vector<T>) -> Result<Vector<T>> {
        self.asked(Side::Transposed, column(b)).await.map(Matrix::into_vector)
    }

    /// x with A x = b, by [`Lu::substitute`].
    ///
    /// # Errors
    /// As [`Lu::substitute`].
    pub fn substitute_vector(&self, b: &Vector<T>) -> Result<Vector<T>> {
        self.recorded(Side::Plain, &column(b)).map(Matrix::into_vector)
    }

    /// x with Aᵀ x = b, by [`Lu::substitute_transposed`].
    ///
    /// # Errors
    /// As [`Lu::substitute`].
    pub fn substitute_vector_transposed(&self, b: &Vector<T>) -> Result<Vector<T>> {
        self.recorded(Side::Transposed, &column(b)).map(Matrix::into_vector)
    }

    async fn asked(&self, side: Side, b: MatrixView<'_, T>) -> Result<Matrix<T>> {
        self.check_right_hand_side(side, &b)?;
        self.check_regular().await?;
        self.recorded(side, &b)
    }

    /// [`Error::Singular`] where U is; waits for the factorisation.
    pub(super) async fn check_regular(&self) -> Result<()> {
        match self.first_zero().await? {
            Some(column) => Err(Error::Singular { column }),
            None => Ok(()),
        }
    }

    /// Pᵗ L U X = B from the left, or Uᵗ Lᵗ P X = B.
    fn recorded(&self, side: Side, b: &MatrixView<'_, T>) -> Result<Matrix<T>> {
        self.check_right_hand_side(side, b)?;
        let (factors, order) = (self.factors.view(), &self.order.rows);
        match side {
            Side::Plain => self.substitute_ordered(permuted(Permutation::Forth, order, b)?),
            Side::Transposed => {
                let mut own = Matrix::zeros(b.device(), b.rows, b.cols)?;
                copy_block(*b, &mut own)?;
                let y = substitution::solve(Triangle::Lower, factors.t(), own)?;
                let z = substitution::solve(Triangle::UnitUpper, factors.t(), y)?;
                permuted(Permutation::Back, order, &z.view())
            }
        }
    }

    /// L U X = B, for rows that are those of P already.
    pub(super) fn substitute_ordered(&self, b: Matrix<T>) -> Result<Matrix<T>> {
        let factors = || self.factors.view();
        let y = substitution::solve(Triangle::UnitLower, factors(), b)?;
        substitution::solve(Triangle::Upper, factors(), y)
    }

    fn check_right_hand_side(&self, side: Side, b: &MatrixView<'_, T>) -> Result<()> {
        let operation = match side {
            Side::Plain => "solve",
            Side::Transposed => "solve_transposed",
        };
        self.factors.device().check_same(operation, b.device())?;
        let n = self.check_square(operation)?;
        if b.rows() == n && b.col_stride == 1 {
            return Ok(());
        }
        let turned = if b.col_stride == 1 { "" } else { ", transposed" };
        Err(Error::Shape {
            operation,
            expected: format!("{n} rows, not transposed, on the right"),
            found: format!("{} x {}{turned}", b.rows(), b.cols()),
        })
    }

    /// n, where A is n x n.
    pub(super) fn check_square(&self, operation: &'static str) -> Result<usize> {
        let (rows, cols) = (self.factors.rows(), self.factors.cols());
        if rows == cols {
            return Ok(rows);
        }
        Err(Error::Shape {
            operation,
            expected: "the factors of a square matrix".to_owned(),
            found: format!("those of one of {rows} x {cols}"),
        })
    }
}

/// A vector as a matrix of one column.
fn column<T>(b: &Vector<T>) -> MatrixView<'_, T> {
    MatrixView {
        buffer: b.buffer(),
        offset: 0,
        rows: b.len(),
        cols: 1,
        row_stride: 1,
        col_stride: 1,
    }
}
