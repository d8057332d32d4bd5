//! det A, from the diagonal of U and the parity of the exchanges.

use super::Lu;
use crate::dense::{Vector, VectorView, copy};
use crate::error::Result;
use crate::scalar::{Dd, Scalar, ScalarKind};
use num_traits::Zero as _;

/// A determinant as mantissa · 2^exponent, which neither over- nor underflows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Determinant {
    mantissa: Dd,
    exponent: i64,
}

impl Determinant {
    /// Of magnitude in [1, 2); 0 for a zero determinant, NaN where a factor was not finite.
    #[must_use]
    pub fn mantissa(&self) -> Dd {
        self.mantissa
    }

    /// The power of two; 0 where the mantissa is 0 or NaN.
    #[must_use]
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// -1, 0 or 1; NaN for NaN.
    #[must_use]
    pub fn sign(&self) -> f64 {
        let mantissa = self.mantissa.to_f64();
        if mantissa == 0.0 {
            0.0
        } else {
            mantissa / mantissa.abs()
        }
    }

    /// ln |det A|; minus infinity for a zero determinant. Accuracy: a few roundings of a double of the result, and of 1.
    #[must_use]
    pub fn ln_abs(&self) -> f64 {
        let mantissa = self.mantissa.to_f64().abs();
        (self.exponent as f64).mul_add(std::f64::consts::LN_2, mantissa.ln())
    }

    /// The determinant as a scalar, rounded once; infinite or zero where that leaves its range.
    #[must_use]
    pub fn value<T: Scalar>(&self) -> T {
        let beyond = 4 * i64::from(f64::MAX_EXPONENT);
        let exponent = i32::try_from(self.exponent.clamp(-beyond, beyond)).unwrap_or(i32::MAX);
        if T::KIND == ScalarKind::F64 && exponent < f64::MIN_EXPONENT {
            return T::from_f64(subnormal(self.mantissa, exponent));
        }
        if i64::from(exponent).abs() < i64::from(f64::MAX_EXPONENT) {
            // Rounded from where it is, so that a result among the subnormals is rounded once too.
            return T::from_dd(self.mantissa.scale_exponent(exponent));
        }
        T::from_dd(self.mantissa).scale_exponent(exponent)
    }

    fn times(self, factor: Dd) -> Self {
        let product = |mantissa: Dd, exponent: i64| match mantissa.exponent() {
            Some(shift) => Self {
                mantissa: mantissa.scale_exponent(-shift),
                exponent: exponent + i64::from(shift),
            },
            None if mantissa.is_zero() => Self { mantissa, exponent: 0 },
            None => Self {
                mantissa: Dd::from(f64::NAN),
                exponent: 0,
            },
        };
        let factor = product(factor, 0);
        product(self.mantissa * factor.mantissa, self.exponent + factor.exponent)
    }
}

/// mantissa · 2^exponent below the normal doubles: the nearest multiple of the smallest. That is coarser than the last bit of
/// `hi`, so what is half-way by `hi` alone is decided by `lo`.
fn subnormal(mantissa: Dd, exponent: i32) -> f64 {
    const LAST: i32 = f64::MIN_EXPONENT - 52;
    let units = mantissa.scale_exponent(exponent - LAST);
    let (hi, lo) = (units.hi(), units.lo());
    let half_way = (hi - hi.trunc()).abs() == 0.5;
    let nearest = match lo {
        lo if half_way && lo > 0.0 => hi.ceil(),
        lo if half_way && lo < 0.0 => hi.floor(),
        _ => hi.round_ties_even(),
    };
    Scalar::scale_exponent(nearest, LAST)
}

impl<T: Scalar> Lu<T> {
    /// det A, for square A: the product of U's diagonal, with the sign of the exchanges. 1 for an empty matrix, 0 where U
    /// has a zero pivot, NaN where a factor is not finite.
    ///
    /// Accuracy: the determinant of `A + ΔA` of [`Lu::factor`] up to n roundings of double-double: relative to det A, an
    /// error of about n·κ(A)·‖ΔA‖/‖A‖ (Higham 2002, problem 14.15). A determinant that is small says nothing about how
    /// near to singular A is: [`Lu::reciprocal_condition`] does.
    /// Cost: one dispatch, and the read-back of n scalars and n exchanges; the product is made on the host.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when A is not square; whatever the device reports.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
    /// let a = Matrix::from_rows(&Device::host(), 2, 2, &[0.0, 2.0, 4.0, 2.0])?;
    /// let determinant = Lu::factor(a)?.determinant().block_on()?;
    /// assert_eq!((determinant.value::<f64>(), determinant.sign()), (-8.0, -1.0));
    /// assert_eq!((determinant.mantissa().to_f64(), determinant.exponent()), (-1.0, 3));
    /// assert_eq!(determinant.ln_abs(), 8.0_f64.ln());
    /// # use nonius::Scalar;
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn determinant(&self) -> Result<Determinant> {
        let n = self.check_square("determinant")?;
        let mut diagonal = Vector::zeros(self.factors.device(), n)?;
        let stored = VectorView {
            buffer: self.factors.buffer(),
            offset: 0,
            len: n,
            stride: n + 1,
        };
        copy(stored, &mut diagonal)?;
        let one = Determinant {
            mantissa: Dd::from(1.0),
            exponent: 0,
        };
        let product = diagonal
            .to_host()
            .await?
            .into_iter()
            .fold(one, |product, pivot| product.times(pivot.to_dd()));
        let pivots = self.pivots().await?;
        let exchanges = (0_u32..).zip(&pivots).filter(|(row, pivot)| row != *pivot).count();
        Ok(if exchanges % 2 == 0 {
            product
        } else {
            product.times(Dd::from(-1.0))
        })
    }
}
