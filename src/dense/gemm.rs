//! `C ← αAB + βC`. Bound by arithmetic: m·n·k multiply-adds over m·k + k·n + m·n scalars.

use super::matrix::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::{Scalar, ScalarKind};

/// Computes `C ← αAB + βC`. `A` is m x k, `B` is k x n, `C` is m x n; with `β = 0`, `C` is not read. For transposes,
/// pass `a.view().t()`.
///
/// Accuracy: componentwise |error| ≤ γ·|α||A||B| with γ = k + 2 roundings (Higham 2002, section 3.5), and one rounding
/// of βC. Cost: one dispatch, m·n·k multiply-adds.
///
/// # Errors
/// [`Error::Shape`], [`Error::DeviceMismatch`].
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
        Ground::Host => on_host(alpha, &a, &b, beta, c),
        Ground::Gpu(gpu) => {
            let tile = TILE.default as usize;
            let across = c.cols.div_ceil(tile);
            let operations = (c.rows * c.cols) as u64 * a.cols as u64;
            let scalars = c.rows * c.cols + (a.rows * a.cols).saturating_mul(across);
            gpu.launch(&Launch {
                kernel: &GEMM,
                precision: Precision::of::<T>(Width::Single),
                constants: &[],
                params: Params::new()
                    .size("rows", c.rows)
                    .size("cols", c.cols)
                    .size("depth", a.cols)
                    .size("a_offset", a.offset)
                    .size("a_row", a.row_stride)
                    .size("a_col", a.col_stride)
                    .size("b_offset", b.offset)
                    .size("b_row", b.row_stride)
                    .size("b_col", b.col_stride)
                    .size("c_offset", c.offset)
                    .size("c_leading", c.leading)
                    .size("tiles_across", across)
                    .integer("reads_c", u32::from(!beta.is_zero()))
                    .scalar("alpha", alpha)
                    .scalar("beta", beta),
                buffers: &[a.buffer.gpu(), b.buffer.gpu(), c.buffer.gpu()],
                grid: Grid::of((c.rows.div_ceil(tile) * across) as u64),
                work: Work {
                    bytes: (scalars * size_of::<T>()) as u64,
                    operations,
                },
            })?;
        }
    }
    Ok(())
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

/// Words through matrixmultiply, which blocks for the cache; pairs by the definition. (Not through nalgebra: its gemm
/// writes past the end of a strided operand that is small.)
fn on_host<T: Scalar>(alpha: T, a: &MatrixView<'_, T>, b: &MatrixView<'_, T>, beta: T, c: MatrixViewMut<'_, T>) {
    let blocks = Blocks {
        a: (a.buffer.host(), a),
        b: (b.buffer.host(), b),
    };
    let (rows, cols, leading, offset) = (c.rows, c.cols, c.leading, c.offset);
    let values = &mut c.buffer.host_mut()[offset..];
    match T::KIND {
        ScalarKind::F32 => blocks.in_words(matrixmultiply::sgemm, alpha, beta, values, rows, cols, leading),
        ScalarKind::F64 => blocks.in_words(matrixmultiply::dgemm, alpha, beta, values, rows, cols, leading),
        ScalarKind::Df64 | ScalarKind::Dd => blocks.by_definition(alpha, beta, values, rows, cols, leading),
    }
}

struct Blocks<'a, 'v, T> {
    a: (&'a [T], &'a MatrixView<'v, T>),
    b: (&'a [T], &'a MatrixView<'v, T>),
}

/// `sgemm` and `dgemm` of matrixmultiply: m, k, n, α; A, B each with the strides of its rows and columns; β; C likewise.
type WordGemm<F> =
    unsafe fn(usize, usize, usize, F, *const F, isize, isize, *const F, isize, isize, F, *mut F, isize, isize);

impl<T: Scalar> Blocks<'_, '_, T> {
    /// `F` is `T`, by its kind. With `β = 0`, C is not read.
    fn in_words<F: Scalar>(
        &self,
        gemm: WordGemm<F>,
        alpha: T,
        beta: T,
        c: &mut [T],
        rows: usize,
        cols: usize,
        leading: usize,
    ) {
        let word = |x: T| bytemuck::cast::<T, F>(x);
        let operand = |(values, view): (&[T], &MatrixView<'_, T>)| {
            let reach = |extent: usize, stride: usize| extent.saturating_sub(1) * stride;
            let last = reach(view.rows, view.row_stride) + reach(view.cols, view.col_stride);
            let values: &[F] = bytemuck::cast_slice(&values[view.offset..]);
            assert!(
                view.rows * view.cols == 0 || last < values.len(),
                "a view lies in its buffer"
            );
            (
                values.as_ptr(),
                view.row_stride.cast_signed(),
                view.col_stride.cast_signed(),
            )
        };
        let ((a, a_row, a_col), (b, b_row, b_col)) = (operand(self.a), operand(self.b));
        assert!((rows - 1) * leading + cols <= c.len(), "a view lies in its buffer");
        let c = bytemuck::cast_slice_mut::<T, F>(c).as_mut_ptr();
        let (depth, c_row) = (self.a.1.cols, leading.cast_signed());
        #[expect(unsafe_code, reason = "matrixmultiply takes pointers")]
        // SAFETY: the lines above have checked that the last element of each operand lies within its slice. C is
        // borrowed mutably, so it is neither A nor B; rows of it do not overlap, since `leading` is at least `cols`.
        unsafe {
            gemm(
                rows,
                depth,
                cols,
                word(alpha),
                a,
                a_row,
                a_col,
                b,
                b_row,
                b_col,
                word(beta),
                c,
                c_row,
                1,
            );
        }
    }

    fn by_definition(&self, alpha: T, beta: T, c: &mut [T], rows: usize, cols: usize, leading: usize) {
        let ((a_values, a), (b_values, b)) = (self.a, self.b);
        let mut sums = vec![T::zero(); cols];
        for i in 0..rows {
            sums.fill(T::zero());
            for k in 0..a.cols {
                let factor = a_values[a.offset + i * a.row_stride + k * a.col_stride];
                let from_b = b_values[b.offset + k * b.row_stride..]
                    .iter()
                    .step_by(b.col_stride.max(1));
                sums.iter_mut()
                    .zip(from_b)
                    .for_each(|(sum, b)| *sum = factor.mul_add(*b, *sum));
            }
            for (c, sum) in c[i * leading..].iter_mut().zip(&sums) {
                let product = alpha * *sum;
                *c = if beta.is_zero() {
                    product
                } else {
                    beta.mul_add(*c, product)
                };
            }
        }
    }
}

/// The side of the tile of C that a workgroup computes, one element an invocation.
const TILE: Constant = Constant {
    name: "TILE",
    default: 16,
};

pub(super) static GEMM: Kernel = Kernel {
    name: "gemm",
    entry: "gemm",
    source: fragment!("dense/gemm.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &[
        "rows",
        "cols",
        "depth",
        "a_offset",
        "a_row",
        "a_col",
        "b_offset",
        "b_row",
        "b_col",
        "c_offset",
        "c_leading",
        "tiles_across",
        "reads_c",
    ],
    scalars: &["alpha", "beta"],
    constants: &[TILE],
    vocabulary: Vocabulary::Elements,
};
