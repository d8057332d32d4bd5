//! How near A is to a singular matrix: 1 / (‖A‖ ‖A⁻¹‖), estimated.

use super::solve::Side;
use super::{Lu, estimate};
use crate::dense::Vector;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// The norm of a condition number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// ‖A‖₁, the largest column sum: [`norm1`](crate::dense::norm1).
    One,
    /// ‖A‖∞, the largest row sum: [`norm_inf`](crate::dense::norm_inf).
    Infinity,
}

impl<T: Scalar> Lu<T> {
    /// 1 / κ(A) = 1 / (‖A‖ ‖A⁻¹‖), for square A, as LAPACK's `gecon`. `norm_of_a` is ‖A‖ in the same norm, taken before A
    /// was factored in its own memory. 1 for an empty matrix. 0 where A is singular, a factor not finite, or 1/κ below the
    /// range of a double; and perhaps where κ or ‖A⁻¹‖ is beyond 2^(`MAX_EXPONENT` − `MIN_EXPONENT` − 32), which is 2²²² in f32.
    ///
    /// Accuracy: ‖A⁻¹‖ is estimated from below (Higham 2002, algorithm 15.1), so that this is 1/κ or more, but for the
    /// roundings of a solve: almost always less than 3/κ, never proved to be. Below the rounding of the scalar only its
    /// smallness means something: the factors are those of `A + ΔA`.
    /// Cost: 4 or 5 solves of one right-hand side with A or Aᵀ, 11 at most, each read back; where κ(A) ‖A‖ leaves the
    /// range, one or more besides for each of up to 8 sizes of right-hand sides.
    ///
    /// # Errors
    /// [`Error::Shape`] when A is not square; [`Error::NotFinite`] for a norm that is not finite, [`Error::OutOfRange`]
    /// for one below zero; whatever the device reports.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::{Matrix, norm1}, lu::{Lu, Norm}};
    /// let a = Matrix::from_rows(&Device::host(), 2, 2, &[1.0, 1.0, 0.0, 0.5])?;
    /// let norm = norm1(&a).block_on()?;
    /// let lu = Lu::factor(a)?;
    /// assert_eq!(lu.reciprocal_condition(Norm::One, norm).block_on()?, 1.0 / (1.5 * 4.0));
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn reciprocal_condition(&self, norm: Norm, norm_of_a: T) -> Result<f64> {
        let n = self.check_square("reciprocal_condition")?;
        if !norm_of_a.is_finite() {
            return Err(Error::NotFinite {
                what: "the norm of the matrix".to_owned(),
                value: norm_of_a.to_f64(),
            });
        }
        if norm_of_a < T::zero() {
            return Err(Error::OutOfRange {
                what: "the norm of the matrix",
                scalar: T::NAME,
                value: norm_of_a.to_f64(),
            });
        }
        if n == 0 {
            return Ok(1.0);
        }
        let Some(exponent) = norm_of_a.exponent() else {
            return Ok(0.0);
        };
        if self.first_zero().await?.is_some() {
            return Ok(0.0);
        }
        // Right-hand sides as large as A, so that solutions are of size 1 to κ whatever the size of A: A⁻¹ itself may
        // leave the range.
        let (unit, inverse) =
            within_range::<T>(exponent, async |unit| self.norm_of_inverse(n, norm, unit).await).await?;
        if inverse == 0.0 {
            // Only what overflowed in the elimination has no inverse at all.
            return Ok(0.0);
        }
        let mantissa = norm_of_a.scale_exponent(-exponent).to_f64();
        Ok((1.0 / inverse / mantissa).scale_exponent(unit - exponent))
    }

    /// 2^unit ‖A⁻¹‖, estimated; infinite where that, or what it is computed by, is not finite.
    async fn norm_of_inverse(&self, n: usize, norm: Norm, unit: i32) -> Result<f64> {
        estimate::norm1(n, async |side, x| {
            let side = match (norm, side) {
                (Norm::One, side) => side,
                // ‖A⁻¹‖∞ is the 1-norm of the transpose.
                (Norm::Infinity, Side::Plain) => Side::Transposed,
                (Norm::Infinity, Side::Transposed) => Side::Plain,
            };
            self.product_with_inverse(side, &x, unit).await
        })
        .await
    }

    /// 2^unit A⁻¹ x, or with A⁻ᵀ, by way of the host.
    pub(super) async fn product_with_inverse(&self, side: Side, x: &[f64], unit: i32) -> Result<Vec<f64>> {
        let b: Vec<T> = x.iter().map(|x| T::from_f64(*x).scale_exponent(unit)).collect();
        let b = Vector::from_slice(self.factors.device(), &b)?;
        let y = match side {
            Side::Plain => self.substitute_vector(&b)?,
            Side::Transposed => self.substitute_vector_transposed(&b)?,
        };
        Ok(y.to_host().await?.into_iter().map(Scalar::to_f64).collect())
    }
}

/// `norm` in the first unit in which it is finite, and that unit: `exponent` or what is nearest to it in the range, with room
/// for a factor of 4, of the alternating vector and of weights below 2, and for 1 / n; then lower ones. Products of U with
/// solutions, up to κ ‖A‖, may leave the range; where they no longer do nothing underflows: they are within one step of its end,
/// and U is no larger than it.
pub(super) async fn within_range<T: Scalar>(
    exponent: i32,
    mut norm: impl AsyncFnMut(i32) -> Result<f64>,
) -> Result<(i32, f64)> {
    let lowest = T::MIN_EXPONENT + 32;
    let mut unit = exponent.clamp(lowest, T::MAX_EXPONENT - 3);
    let mut found = norm(unit).await?;
    while found.is_infinite() && unit > lowest {
        unit = (unit - T::MAX_EXPONENT / 4).max(lowest);
        found = norm(unit).await?;
    }
    Ok((unit, found))
}
