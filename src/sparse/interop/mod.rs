//! From and to the sparse matrices of other crates, one feature for each, named after it. Exact both ways: explicit zeros
//! stay, and values are not touched. O(rows + nnz): indices change between 32 bits and `usize`.

#[cfg(feature = "nalgebra-sparse")]
mod nalgebra_sparse;
#[cfg(feature = "sprs")]
mod sprs;

use crate::{Error, Result};

fn wide(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().map(|number| *number as usize).collect()
}

fn narrow(operation: &'static str, numbers: &[usize]) -> Result<Vec<u32>> {
    numbers
        .iter()
        .map(|number| {
            u32::try_from(*number).map_err(|_| Error::Shape {
                operation,
                expected: format!("indices and offsets up to {}", u32::MAX),
                found: format!("{number}"),
            })
        })
        .collect()
}
