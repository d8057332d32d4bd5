//! The 32 bits in which patterns count rows, columns and offsets.

use crate::{Error, Result};

/// A number that patterns count in 32 bits: a row, a column, or an offset into an array that was checked to be no longer.
pub(in crate::sparse) fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("extents, entries and slots are checked to fit 32 bits")
}

/// The length of an array with padding, if offsets of 32 bits reach all of it.
pub(in crate::sparse) fn padded(operation: &'static str, height: u64, width: u64) -> Result<usize> {
    match height.checked_mul(width) {
        Some(slots) if slots <= u64::from(u32::MAX) => Ok(usize::try_from(slots).unwrap_or(usize::MAX)),
        _ => Err(Error::Shape {
            operation,
            expected: format!("at most {} values, padding included", u32::MAX),
            found: format!("{height} rows padded to {width}"),
        }),
    }
}

/// The bytes of arrays of 32-bit numbers.
pub(in crate::sparse) fn bytes_of(arrays: &[&[u32]]) -> u64 {
    arrays.iter().map(|array| size_of_val(*array) as u64).sum()
}
