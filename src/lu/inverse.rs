//! A⁻¹, column by column.

use super::Lu;
use crate::dense::{Matrix, VectorViewMut, fill};
use crate::error::Result;
use crate::scalar::Scalar;

impl<T: Scalar> Lu<T> {
    /// A⁻¹, for square A: the solution of A X = I. To solve a system, [`Lu::solve`] costs a third and is more accurate.
    ///
    /// Accuracy: every column is that of [`Lu::solve`], so |A X − I| ≤ γ·Pᵗ|L||U||X| with γ = 3n roundings; about X A
    /// that says nothing (Higham 2002, section 14.3, method B's twin).
    /// Cost: n³ multiply-adds and n/8 dispatches; n² scalars beside the factors.
    ///
    /// # Errors
    /// [`Error::Singular`](crate::Error::Singular) with the first column without a pivot;
    /// [`Error::Shape`](crate::Error::Shape) when A is not square; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
    /// let a = Matrix::from_rows(&Device::host(), 2, 2, &[0.0, 2.0, 4.0, 2.0])?;
    /// let inverse = Lu::factor(a)?.inverse().block_on()?;
    /// assert_eq!(inverse.to_host().block_on()?, [-0.25, 0.25, 0.5, 0.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn inverse(&self) -> Result<Matrix<T>> {
        let n = self.check_square("inverse")?;
        self.check_regular().await?;
        let mut identity = Matrix::zeros(self.factors.device(), n, n)?;
        let diagonal = VectorViewMut {
            buffer: identity.buffer_mut(),
            offset: 0,
            len: n,
            stride: n + 1,
        };
        fill(T::one(), diagonal)?;
        self.substitute(&identity)
    }
}
