//! What is done with the sums of rows.

use crate::dense::{VectorView, VectorViewMut};
use crate::scalar::Scalar;

/// What is done with the sums of rows.
pub(super) enum Aim<'a, T: Scalar> {
    /// y ← αAx + βy with α and β.
    Product(T, T),
    /// y ← b − Ax with b.
    Residual(VectorView<'a, T>),
    /// y ← αAx + βy with α and β, and yᵀw into one element.
    Dot(T, T, VectorView<'a, T>, VectorViewMut<'a, T>),
}
