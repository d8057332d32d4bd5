//! xᵀy.

use super::check;
use super::reduce::{self, Reduction};
use super::vector::{VectorView, VectorViewMut};
use crate::device::kernel::fragment;
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Ground};
use crate::error::Result;
use crate::scalar::{Df64, Scalar, ScalarKind};

/// Computes `xᵀy = Σ xᵢyᵢ`; 0 for empty vectors. Accuracy: |error| ≤ γ·Σ|xᵢyᵢ| with γ = n + 1 roundings at most (on a
/// GPU, where the sum is a tree, about n/10⁵ + 30). Cost: two dispatches, 2n reads, one read-back. Deterministic: the
/// order of the sum depends on n, and on whether all operands lie in packs (contiguous, from a multiple of 16 bytes on), alone.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, dot}};
/// let x = Vector::from_slice(&Device::host(), &[1.0, 2.0])?;
/// assert_eq!(dot(&x, &x).block_on()?, 5.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn dot<'a, T: Scalar>(x: impl Into<VectorView<'a, T>>, y: impl Into<VectorView<'a, T>>) -> Result<T> {
    let (x, y) = (x.into(), y.into());
    reduce::to_host(x.device(), |result| dot_into(x, y, result)).await
}

/// As [`dot`], into one element on the device; nothing waits.
///
/// # Errors
/// As [`dot`]; [`Error::Shape`](crate::Error::Shape) also when `result` is not one element.
pub fn dot_into<'a, T: Scalar>(
    x: impl Into<VectorView<'a, T>>,
    y: impl Into<VectorView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    accumulate(x.into(), y.into(), result.into(), |x| *x)
}

/// Computes `xᵀy` of `f32` data with products and sums in [`Df64`]: |error| ≤ γ·Σ|xᵢyᵢ| with the roundings of Df64, so
/// the result is right to f32's last bit unless Σ|xᵢyᵢ| exceeds |xᵀy| by 2²⁰ or so. Reads no more than [`dot`].
///
/// # Errors
/// As [`dot`]; [`Error::UnsupportedScalar`](crate::Error::UnsupportedScalar) where the device has no Df64.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Vector, dot_in_df64}};
/// let x = Vector::from_slice(&Device::host(), &[1e6_f32, 1.0, -1e6])?;
/// let y = Vector::from_slice(&Device::host(), &[1e6_f32, 0.5, 1e6])?;
/// assert_eq!(dot_in_df64(&x, &y).block_on()?.to_f64(), 0.5);
/// # use nonius::Scalar;
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn dot_in_df64<'a>(x: impl Into<VectorView<'a, f32>>, y: impl Into<VectorView<'a, f32>>) -> Result<Df64> {
    let (x, y) = (x.into(), y.into());
    reduce::to_host(x.device(), |result| accumulate(x, y, result, |x| Df64::from(*x))).await
}

/// The sum in R of the products of T's, which `widen` brings to R without rounding.
fn accumulate<T: Scalar, R: Scalar>(
    x: VectorView<'_, T>,
    y: VectorView<'_, T>,
    mut result: VectorViewMut<'_, R>,
    widen: impl Fn(&T) -> R,
) -> Result<()> {
    check::pair("dot", &x, &y)?;
    check::result("dot", &x, &result)?;
    match x.device().ground() {
        Ground::Host => {
            let total = x
                .host()
                .zip(y.host())
                .fold(R::zero(), |sum, (x, y)| widen(x).mul_add(widen(y), sum));
            result.host_mut().for_each(|result| *result = total);
        }
        Ground::Gpu(gpu) => {
            let scalar: ScalarKind = R::KIND;
            DOT.launch(gpu, scalar, &[x, y], &result)?;
        }
    }
    Ok(())
}

/// Records the sum of `count` partial sums of a dot product that another kernel has taken.
pub(crate) fn dot_of_partials<T: Scalar>(
    gpu: &Gpu,
    partials: &GpuBuffer,
    count: u64,
    result: &VectorViewMut<'_, T>,
) -> Result<()> {
    DOT.finish(gpu, Precision::of::<T>(Width::Single), partials, count, result)
}

pub(super) static DOT: Reduction = Reduction::over_xy(["dot", "dot (last pass)"], fragment!("dense/dot.wgsl"), 1);
