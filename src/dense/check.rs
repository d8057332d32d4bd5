//! Checks that operations share: what kernels index is proved here.

use super::vector::{VectorView, VectorViewMut};
use crate::error::{Error, Result};

/// Two vectors of one length on one device.
pub(super) fn pair<T>(operation: &'static str, x: &VectorView<'_, T>, y: &VectorView<'_, T>) -> Result<()> {
    x.device().check_same(operation, y.device())?;
    lengths(operation, x.len(), y.len())
}

/// A vector that is read, and one of the same length and device that is written.
pub(super) fn into<T>(operation: &'static str, x: &VectorView<'_, T>, y: &VectorViewMut<'_, T>) -> Result<()> {
    pair(operation, x, &y.as_view())
}

/// The single element that takes a reduction's result.
pub(super) fn result<T, R>(
    operation: &'static str,
    x: &VectorView<'_, T>,
    result: &VectorViewMut<'_, R>,
) -> Result<()> {
    x.device().check_same(operation, result.device())?;
    lengths(operation, 1, result.len())
}

fn lengths(operation: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Shape {
        operation,
        expected: format!("a vector of {expected}"),
        found: format!("one of {found}"),
    })
}
