//! `C ← αAB + βC`. Bound by arithmetic: m·n·k multiply-adds over m·k + k·n + m·n scalars.

mod default;
mod families;
mod host;
mod kernels;
mod parts;
mod plan;
mod variants;

use super::matrix::{MatrixView, MatrixViewMut};
use crate::device::{Gpu, Ground};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

pub(crate) use kernels::KERNELS;
pub(crate) use variants::GEMM;

/// Computes `C ← αAB + βC`. `A` is m x k, `B` is k x n, `C` is m x n; with `β = 0`, `C` is not read. For transposes,
/// pass `a.view().t()`. A and B are read whatever α is: with `α = 0`, what is not finite there makes C NaN.
///
/// Accuracy: componentwise |error| ≤ γ·|α||A||B| with γ = k + 2 roundings (Higham 2002, section 3.5), and one rounding
/// of βC. Cost: one dispatch, or two where the last tiles of C, which would not fill the device, are computed in parts of the depth
/// (which takes a workspace of 1,020 tiles at the most); on a driver that computes on the CPU one, and a
/// rounding of C, for every 32,760 of the depth, of which α times each is to be finite; m·n·k multiply-adds. Deterministic: the
/// order of the sums depends on the shape and on the variant that [tuning](crate::tuning) has chosen for it, and on
/// nothing else.
///
/// # Errors
/// [`Error::Shape`], [`Error::DeviceMismatch`], [`Error::OutOfMemory`] (partial products).
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, gemm}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// let mut c = Matrix::zeros(&host, 2, 2)?;
/// gemm(1.0, &a, a.view().t(), 0.0, &mut c)?;
/// assert_eq!(c.to_host().block_on()?, [5.0, 11.0, 11.0, 25.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
///
/// What is written is nothing that is read: C is borrowed mutably, so no part of it can be in A or B.
///
/// ```compile_fail,E0502
/// use nonius::{Device, dense::{Matrix, gemm}};
/// let host = Device::host();
/// let mut a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// gemm(1.0, &a, &a, 0.0, a.block_mut(0, 0, 2, 2)?)?;
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn gemm<'a, T: Scalar>(
    alpha: T,
    a: impl Into<MatrixView<'a, T>>,
    b: impl Into<MatrixView<'a, T>>,
    beta: T,
    c: impl Into<MatrixViewMut<'a, T>>,
) -> Result<()> {
    let (a, b, c) = (a.into(), b.into(), c.into());
    check(&a, &b, &c)?;
    if c.rows == 0 || c.cols == 0 {
        return Ok(());
    }
    match a.device().ground() {
        Ground::Host => host::gemm(alpha, &a, &b, beta, c),
        Ground::Gpu(gpu) => on_gpu(gpu, (alpha, beta), &a, &b, &c)?,
    }
    Ok(())
}

/// In one piece; on a driver that ends long loops, in pieces of the depth.
fn on_gpu<T: Scalar>(
    gpu: &Gpu,
    (alpha, mut beta): (T, T),
    a: &MatrixView<'_, T>,
    b: &MatrixView<'_, T>,
    c: &MatrixViewMut<'_, T>,
) -> Result<()> {
    // A turn for each term at the most, and some beside; packs stay whole.
    let most = a.device().adapter().kind.most_turns() / 16 * 8;
    let mut first = 0;
    loop {
        let depth = most.min(a.cols - first);
        let piece_of_a = MatrixView {
            offset: a.offset + first * a.col_stride,
            cols: depth,
            ..*a
        };
        let piece_of_b = MatrixView {
            offset: b.offset + first * b.row_stride,
            rows: depth,
            ..*b
        };
        let plan = variants::plan(&piece_of_a, &piece_of_b, c);
        plan::launch(gpu, &plan, (alpha, beta), &piece_of_a, &piece_of_b, c)?;
        first += depth;
        if first == a.cols {
            return Ok(());
        }
        beta = T::one();
    }
}

fn check<T>(a: &MatrixView<'_, T>, b: &MatrixView<'_, T>, c: &MatrixViewMut<'_, T>) -> Result<()> {
    a.device().check_same("gemm", b.device())?;
    a.device().check_same("gemm", c.device())?;
    if a.cols == b.rows && c.rows == a.rows && c.cols == b.cols {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "gemm",
        expected: "A of m x k, B of k x n and C of m x n".to_owned(),
        found: format!(
            "{} x {}, {} x {} and {} x {}",
            a.rows, a.cols, b.rows, b.cols, c.rows, c.cols
        ),
    })
}
