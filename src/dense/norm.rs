//! ‖A‖₁, ‖A‖∞, max |aᵢⱼ| and ‖A‖F of matrices: LAPACK's `lange`.

use super::amax::{amax_into, larger};
use super::matrix::MatrixView;
use super::reduce;
use super::vector::{Vector, VectorViewMut};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Device, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Dd, Scalar};

/// Computes `‖A‖₁ = maxⱼ Σᵢ |aᵢⱼ|`, the largest column sum; 0 for an empty matrix, NaN where A has one. Infinite where a
/// sum overflows, or NaN where a GPU sums pairs. Accuracy: relative error at most m − 1 roundings. Cost: three dispatches, m·n
/// reads, one scalar read back.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) where a driver on the CPU would leave a sum of so many elements before its end; else
/// what the device reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, norm1}};
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[1.0, -2.0, 3.0, 4.0])?;
/// assert_eq!(norm1(&a).block_on()?, 6.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn norm1<'a, T: Scalar>(a: impl Into<MatrixView<'a, T>>) -> Result<T> {
    norm_inf(a.into().t()).await
}

/// Computes `‖A‖∞ = maxᵢ Σⱼ |aᵢⱼ|`, the largest row sum; else as [`norm1`], with rows for columns.
///
/// # Errors
/// As [`norm1`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, norm_inf}};
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[1.0, -2.0, 3.0, 4.0])?;
/// assert_eq!(norm_inf(&a).block_on()?, 7.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn norm_inf<'a, T: Scalar>(a: impl Into<MatrixView<'a, T>>) -> Result<T> {
    let a = a.into();
    reduce::to_host(a.device(), |result| norm_inf_into(a, result)).await
}

/// As [`norm_inf`], into one element on the device; nothing waits.
///
/// # Errors
/// As [`norm1`]; [`Error::Shape`](crate::Error::Shape) also when `result` is not one element,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
pub fn norm_inf_into<'a, T: Scalar>(
    a: impl Into<MatrixView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    amax_into(&lines(&a.into(), Measure::Sum, T::one())?, result.into())
}

/// Computes `max |aᵢⱼ|`, exactly, though subnormals may count as zeros, as WGSL lets a GPU have them; 0 for an empty matrix,
/// NaN where A has one. Cost: three dispatches, m·n reads, one scalar read back.
///
/// # Errors
/// As [`norm1`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, norm_max}};
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[1.0, -5.0, 3.0, 4.0])?;
/// assert_eq!(norm_max(&a).block_on()?, 5.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn norm_max<'a, T: Scalar>(a: impl Into<MatrixView<'a, T>>) -> Result<T> {
    let a = a.into();
    reduce::to_host(a.device(), |result| norm_max_into(a, result)).await
}

/// As [`norm_max`], into one element on the device; nothing waits.
///
/// # Errors
/// As [`norm1`]; [`Error::Shape`](crate::Error::Shape) also when `result` is not one element,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch).
pub fn norm_max_into<'a, T: Scalar>(
    a: impl Into<MatrixView<'a, T>>,
    result: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    amax_into(&lines(&a.into(), Measure::Largest, T::one())?, result.into())
}

/// Computes `‖A‖F = √Σ aᵢⱼ²`: the squares are those of A over a power of two that brings the largest element near 1, so
/// that nothing over- or underflows on the way. Accuracy: relative error at most n/2 + 3 roundings. Cost: four dispatches,
/// 2 m·n reads, and 1 + m scalars read back; the sums of the rows are added on the host, in double-double.
///
/// # Errors
/// As [`norm1`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, norm_frobenius}};
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[3e30_f32, 0.0, 0.0, 4e30])?;
/// assert_eq!(norm_frobenius(&a).block_on()?, 5e30);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn norm_frobenius<'a, T: Scalar>(a: impl Into<MatrixView<'a, T>>) -> Result<T> {
    let a = a.into();
    let top = norm_max(a).await?;
    let Some(exponent) = top.exponent() else {
        return Ok(top);
    };
    // A power of two that is a normal number itself.
    let exponent = exponent.clamp(T::MIN_EXPONENT.max(4 - T::MAX_EXPONENT), T::MAX_EXPONENT - 4);
    let squares = lines(&a, Measure::Squares, T::one().scale_exponent(-exponent))?;
    let squares = squares.to_host().await?;
    let sum = squares.into_iter().fold(Dd::from(0.0), |sum, x| sum + x.to_dd());
    Ok(T::from_dd(sum.sqrt()).scale_exponent(exponent))
}

/// What is taken of every line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Σ |x|.
    Sum = 0,
    /// max |x|.
    Largest = 1,
    /// Σ x².
    Squares = 2,
}

/// The measure of every row, squares of `scale · A`. Rows of no elements may be more than fit into memory, and are left out.
fn lines<T: Scalar>(a: &MatrixView<'_, T>, measure: Measure, scale: T) -> Result<Vector<T>> {
    if a.cols == 0 {
        return Vector::zeros(a.device(), 0);
    }
    match a.device().ground() {
        Ground::Host => Vector::from_slice(a.device(), &on_host(a, measure, scale)),
        Ground::Gpu(gpu) => {
            let result = Vector::zeros(a.device(), a.rows)?;
            launch(gpu, a, measure, scale, &result)?;
            Ok(result)
        }
    }
}

fn on_host<T: Scalar>(a: &MatrixView<'_, T>, measure: Measure, scale: T) -> Vec<T> {
    let values = a.buffer.host();
    let line = |i: usize| {
        let entries = (0..a.cols).map(|j| values[a.offset + i * a.row_stride + j * a.col_stride]);
        entries.fold(T::zero(), |sum, x| match measure {
            Measure::Sum => sum + x.abs(),
            Measure::Largest => larger(sum, x.abs()),
            Measure::Squares => (x * scale).mul_add(x * scale, sum),
        })
    };
    (0..a.rows).map(line).collect()
}

fn launch<T: Scalar>(gpu: &Gpu, a: &MatrixView<'_, T>, measure: Measure, scale: T, result: &Vector<T>) -> Result<()> {
    if a.rows == 0 {
        return Ok(());
    }
    let turned = a.col_stride != 1;
    let lanes = lanes_of_line("norm", a.device(), turned, a.cols)?;
    gpu.launch(&Launch {
        kernel: &NORM,
        precision: Precision::of::<T>(Width::Single),
        constants: &[
            (LANES.name, lanes),
            (TURNED.name, u32::from(turned)),
            (MEASURE.name, measure as u32),
        ],
        params: Params::new()
            .size("lines", a.rows)
            .size("length", a.cols)
            .size("a_offset", a.offset)
            .size("a_line", a.row_stride)
            .size("a_along", a.col_stride)
            .scalar("scale", scale),
        buffers: &[a.buffer.gpu(), result.buffer().gpu()],
        grid: Grid::covering(a.rows as u64, (WORKGROUP.default / lanes).into()),
        work: Work {
            bytes: (a.rows * a.cols * size_of::<T>()) as u64,
            operations: (a.rows * a.cols) as u64,
        },
    })
}

/// The invocations that share a line of a matrix. Those beside each other read elements beside each other: along a line, or
/// across lines. On a driver that ends long loops, as many as a long line needs.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) where a whole workgroup is too few.
pub(crate) fn lanes_of_line(operation: &'static str, device: &Device, turned: bool, length: usize) -> Result<u32> {
    let lanes = if turned { 8 } else { 32 };
    // Some turns are those of the sum of the lanes.
    let turns = |lanes: u32| length.div_ceil(lanes as usize).saturating_add(16);
    if device.check_turns(operation, turns(lanes)).is_ok() {
        return Ok(lanes);
    }
    device.check_turns(operation, turns(WORKGROUP.default))?;
    Ok(WORKGROUP.default)
}

/// Invocations that share a line.
const LANES: Constant = Constant {
    name: "LANES",
    default: 32,
};

const TURNED: Constant = Constant {
    name: "TURNED",
    default: 0,
};

const MEASURE: Constant = Constant {
    name: "MEASURE",
    default: 0,
};

pub(super) static NORM: Kernel = Kernel {
    name: "norm",
    entry: "norm",
    source: fragment!("dense/norm.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["lines", "length", "a_offset", "a_line", "a_along"],
    scalars: &["scale"],
    constants: &[WORKGROUP, LANES, TURNED, MEASURE],
    vocabulary: Vocabulary::Elements,
};
