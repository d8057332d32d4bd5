//! What the four symmetries mean for single values.

use std::ops::Neg;

use nalgebra::Complex;

use super::Symmetry;
use crate::rational::Rational;

impl Symmetry {
    /// The value at (j, i), given the one at (i, j).
    pub(super) fn mirrored<T: Element>(self, value: T) -> T {
        match self {
            Self::General | Self::Symmetric => value,
            Self::SkewSymmetric => -value,
            Self::Hermitian => value.conjugate(),
        }
    }

    /// Refuses a value that the diagonal cannot have.
    pub(super) fn check_diagonal<T: Element>(self, value: &T) -> Result<(), String> {
        match self {
            Self::SkewSymmetric if *value != T::zero() => {
                Err("the diagonal of a skew-symmetric matrix is zero, but this entry is not".to_owned())
            }
            Self::Hermitian if !value.is_real() => {
                Err("the diagonal of a Hermitian matrix is real, but this entry is not".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The first row of column `col` that an array file stores.
    pub(super) fn first_row(self, col: usize) -> usize {
        match self {
            Self::General => 0,
            Self::Symmetric | Self::Hermitian => col,
            Self::SkewSymmetric => col + 1,
        }
    }
}

/// What symmetry asks of a value.
pub(super) trait Element: Clone + PartialEq + Neg<Output = Self> {
    fn zero() -> Self;
    fn conjugate(self) -> Self;
    fn is_real(&self) -> bool;
}

impl Element for f64 {
    fn zero() -> Self {
        0.0
    }

    fn conjugate(self) -> Self {
        self
    }

    fn is_real(&self) -> bool {
        true
    }
}

impl Element for Rational {
    fn zero() -> Self {
        Self::from_integer(0.into())
    }

    fn conjugate(self) -> Self {
        self
    }

    fn is_real(&self) -> bool {
        true
    }
}

impl Element for Complex<f64> {
    fn zero() -> Self {
        Self::new(0.0, 0.0)
    }

    fn conjugate(self) -> Self {
        self.conj()
    }

    fn is_real(&self) -> bool {
        self.im == 0.0
    }
}
