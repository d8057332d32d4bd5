//! y ← αAx + βy: one row of A is one dot product. Bound by memory: m·n scalars are read once.

use super::matrix::MatrixView;
use super::vector::{VectorView, VectorViewMut};
use crate::device::kernel::{Access, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Computes `y ← αAx + βy`. `A` is m x n, `x` has n and `y` has m elements; with `β = 0`, `y` is not read. For the
/// transpose, pass `a.view().t()`.
///
/// Accuracy: componentwise |error| ≤ γ·|α||A||x| with γ = n + 2 roundings (Higham 2002, section 3.5), and one rounding
/// of βy. Cost: one dispatch, m·n reads.
///
/// # Errors
/// [`Error::Shape`], [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, Vector, gemv}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// let x = Vector::from_slice(&host, &[1.0, 1.0])?;
/// let mut y = Vector::zeros(&host, 2)?;
/// gemv(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [3.0, 7.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn gemv<'a, T: Scalar>(
    alpha: T,
    a: impl Into<MatrixView<'a, T>>,
    x: impl Into<VectorView<'a, T>>,
    beta: T,
    y: impl Into<VectorViewMut<'a, T>>,
) -> Result<()> {
    let (a, x, mut y) = (a.into(), x.into(), y.into());
    check(&a, &x, &y)?;
    match a.device().ground() {
        Ground::Host => on_host(alpha, &a, &x, beta, &mut y),
        Ground::Gpu(gpu) => {
            if a.rows == 0 {
                return Ok(());
            }
            // Rows of a transpose are columns in memory: the other kernel walks those.
            let by_rows = a.col_stride == 1;
            let (kernel, stored_rows, stored_cols, leading, groups) = if by_rows {
                (&GEMV, a.rows, a.cols, a.row_stride, Grid::of(a.rows as u64))
            } else {
                (
                    &GEMV_TRANSPOSED,
                    a.cols,
                    a.rows,
                    a.col_stride,
                    Grid::covering(a.rows as u64, WORKGROUP.default.into()),
                )
            };
            let entries = (a.rows * a.cols) as u64;
            gpu.launch(&Launch {
                kernel,
                precision: Precision::of::<T>(Width::Single),
                constants: &[],
                params: Params::new()
                    .size("rows", stored_rows)
                    .size("cols", stored_cols)
                    .size("a_offset", a.offset)
                    .size("a_leading", leading)
                    .size("x_offset", x.offset)
                    .size("x_stride", x.stride)
                    .size("y_offset", y.offset)
                    .size("y_stride", y.stride)
                    .integer("reads_y", u32::from(!beta.is_zero()))
                    .scalar("alpha", alpha)
                    .scalar("beta", beta),
                buffers: &[a.buffer.gpu(), x.buffer.gpu(), y.buffer.gpu()],
                grid: groups,
                work: Work {
                    bytes: entries * size_of::<T>() as u64,
                    operations: entries,
                },
            })?;
        }
    }
    Ok(())
}

fn check<T>(a: &MatrixView<'_, T>, x: &VectorView<'_, T>, y: &VectorViewMut<'_, T>) -> Result<()> {
    a.device().check_same("gemv", x.device())?;
    a.device().check_same("gemv", y.device())?;
    if x.len() == a.cols && y.len() == a.rows {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "gemv",
        expected: format!("x of {} and y of {} for A of {} x {}", a.cols, a.rows, a.rows, a.cols),
        found: format!("x of {} and y of {}", x.len(), y.len()),
    })
}

fn on_host<T: Scalar>(alpha: T, a: &MatrixView<'_, T>, x: &VectorView<'_, T>, beta: T, y: &mut VectorViewMut<'_, T>) {
    let values = a.buffer.host();
    for (i, y) in y.host_mut().enumerate() {
        let row = a.offset + i * a.row_stride;
        let sum = x
            .host()
            .enumerate()
            .fold(T::zero(), |sum, (j, x)| values[row + j * a.col_stride].mul_add(*x, sum));
        let product = alpha * sum;
        *y = if beta.is_zero() {
            product
        } else {
            beta.mul_add(*y, product)
        };
    }
}

const INTEGERS: &[&str] = &[
    "rows",
    "cols",
    "a_offset",
    "a_leading",
    "x_offset",
    "x_stride",
    "y_offset",
    "y_stride",
    "reads_y",
];

pub(super) static GEMV: Kernel = kernel(
    "gemv",
    fragment!("dense/gemv.wgsl"),
    &[
        fragment!("lib/grid.wgsl"),
        fragment!("lib/workgroup_combine.wgsl"),
        fragment!("dense/gemv_operands.wgsl"),
    ],
);

pub(super) static GEMV_TRANSPOSED: Kernel = kernel(
    "gemv_transposed",
    fragment!("dense/gemv_transposed.wgsl"),
    &[fragment!("lib/grid.wgsl"), fragment!("dense/gemv_operands.wgsl")],
);

const fn kernel(name: &'static str, source: Fragment, library: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: name,
        source,
        library,
        bindings: &[Access::Read, Access::Read, Access::ReadWrite],
        integers: INTEGERS,
        scalars: &["alpha", "beta"],
        constants: &[WORKGROUP],
        vocabulary: Vocabulary::Elements,
    }
}
