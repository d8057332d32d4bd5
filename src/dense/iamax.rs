//! The index of the largest |xᵢ|.

use super::reduce::{self, Reduction};
use super::vector::{VectorView, VectorViewMut};
use crate::device::kernel::fragment;
use crate::device::{Buffer, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// Finds the first index (from 0) of the largest `|xᵢ|`; none for an empty vector. A NaN counts as larger than every
/// number, so that it is found and not skipped. Exact; subnormals may count as zeros, as WGSL lets a GPU have them. Cost: two
/// dispatches, n reads, one read-back.
///
/// # Errors
/// Only what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, iamax}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, -3.0, 3.0])?;
/// assert_eq!(iamax(&x).block_on()?, Some(1));
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn iamax<'a, T: Scalar>(x: impl Into<VectorView<'a, T>>) -> Result<Option<usize>> {
    let x = x.into();
    if x.is_empty() {
        return Ok(None);
    }
    match x.device().ground() {
        Ground::Host => Ok(on_host(&x)),
        Ground::Gpu(gpu) => {
            let mut index = Buffer::<u32>::zeros(x.device(), 1)?;
            let result = VectorViewMut {
                buffer: &mut index,
                offset: 0,
                len: 1,
                stride: 1,
            };
            IAMAX.launch(gpu, T::KIND, &[x], &result)?;
            Ok(Some(reduce::first_of(&index).await? as usize))
        }
    }
}

fn on_host<T: Scalar>(x: &VectorView<'_, T>) -> Option<usize> {
    let magnitudes = x.host().map(|x| x.abs()).enumerate();
    let largest = magnitudes.reduce(|a, b| {
        let larger = !a.1.is_nan() && (b.1 > a.1 || b.1.is_nan());
        if larger { b } else { a }
    });
    largest.map(|(index, _)| index)
}

pub(super) static IAMAX: Reduction =
    Reduction::over_x(["iamax", "iamax (last pass)"], fragment!("dense/iamax.wgsl"), 2);
