//! C ← αAB + βC on the host.

use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::scalar::{Scalar, ScalarKind};

/// Words through matrixmultiply, which blocks for the cache; pairs by the definition. (Not through nalgebra: its gemm
/// writes past the end of a strided operand that is small.)
pub(super) fn gemm<T: Scalar>(
    alpha: T,
    a: &MatrixView<'_, T>,
    b: &MatrixView<'_, T>,
    beta: T,
    c: MatrixViewMut<'_, T>,
) {
    let blocks = Blocks {
        a: (a.buffer.host(), a),
        b: (b.buffer.host(), b),
    };
    let (rows, cols, leading, offset) = (c.rows, c.cols, c.leading, c.offset);
    let values = &mut c.buffer.host_mut()[offset..];
    match T::KIND {
        ScalarKind::F32 => blocks.in_words(matrixmultiply::sgemm, alpha, beta, values, [rows, cols, leading]),
        ScalarKind::F64 => blocks.in_words(matrixmultiply::dgemm, alpha, beta, values, [rows, cols, leading]),
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
        [rows, cols, leading]: [usize; 3],
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
