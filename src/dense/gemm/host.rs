//! `C ← αAB + βC` on the host: words through matrixmultiply, which blocks for the cache; pairs by the definition. (Not
//! through nalgebra: its gemm writes past the end of a strided operand that is small.) Rows of C are shared among threads;
//! every element is summed in the same order whatever their number.

use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::scalar::{Scalar, ScalarKind};
use crate::threads;

pub(super) fn gemm<T: Scalar>(
    alpha: T,
    a: &MatrixView<'_, T>,
    b: &MatrixView<'_, T>,
    beta: T,
    c: MatrixViewMut<'_, T>,
) {
    let (a, b) = (Operand::of(a), Operand::of(b));
    let (rows, cols, leading) = (c.rows, c.cols, c.leading);
    let values = &mut c.buffer.host_mut()[c.offset..];
    let band = rows.div_ceil(worth::<T>(rows, cols * a.cols)).next_multiple_of(BAND);
    let product = |(a, c): (Operand<'_, T>, &mut [T])| match T::KIND {
        // What is not finite would come in block by block of the sums, and not at all without any.
        _ if !alpha.is_finite() => by_definition(alpha, a, b, beta, c, [cols, leading]),
        ScalarKind::F32 => by_sums(matrixmultiply::sgemm, alpha, a, b, beta, c, [cols, leading]),
        ScalarKind::F64 => by_sums(matrixmultiply::dgemm, alpha, a, b, beta, c, [cols, leading]),
        ScalarKind::Df64 | ScalarKind::Dd => by_definition(alpha, a, b, beta, c, [cols, leading]),
    };
    let bands = values
        .chunks_mut(band * leading)
        .take(rows.div_ceil(band))
        .enumerate()
        .map(|(index, c)| (a.rows(index * band, band), c));
    threads::map(bands.collect(), product);
}

/// Rows of a band are a multiple of this, so that blocks of registers fit.
const BAND: usize = 32;

/// Multiply-adds, times the bytes of a scalar, below which another thread brings nothing (BENCHMARKS.md).
const WORTH_A_THREAD: usize = 1 << 23;

/// The threads that so many rows are worth.
fn worth<T>(rows: usize, per_row: usize) -> usize {
    let work = rows.saturating_mul(per_row).saturating_mul(size_of::<T>());
    threads::at_most(work / WORTH_A_THREAD)
}

/// A matrix in a slice that begins with its first element.
#[derive(Clone, Copy)]
struct Operand<'a, T> {
    values: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a, T: Scalar> Operand<'a, T> {
    fn of(view: &MatrixView<'a, T>) -> Self {
        let values = view.buffer.host();
        Self {
            // A block without rows may begin behind all there are.
            values: &values[view.offset.min(values.len())..],
            rows: view.rows,
            cols: view.cols,
            row_stride: view.row_stride,
            col_stride: view.col_stride,
        }
    }

    /// At most `count` rows from `first` on.
    fn rows(&self, first: usize, count: usize) -> Self {
        let begin = (first * self.row_stride).min(self.values.len());
        Self {
            values: &self.values[begin..],
            rows: count.min(self.rows - first),
            ..*self
        }
    }

    /// At most `count` columns from `first` on.
    fn cols(&self, first: usize, count: usize) -> Self {
        let begin = (first * self.col_stride).min(self.values.len());
        Self {
            values: &self.values[begin..],
            cols: count.min(self.cols - first),
            ..*self
        }
    }
}

/// `sgemm` and `dgemm` of matrixmultiply: m, k, n, α; A, B each with the strides of its rows and columns; β; C likewise.
type WordGemm<F> =
    unsafe fn(usize, usize, usize, F, *const F, isize, isize, *const F, isize, isize, F, *mut F, isize, isize);

/// The depth up to which matrixmultiply makes whole sums before it takes α times them to C.
const DEPTH: usize = 256;

/// Rows and columns of the sums that are made apart where there is more depth: enough for what is packed of A and B to be used again.
const PIECE: [usize; 2] = [256, 1024];

/// `F` is `T`, by its kind. Of more depth, sums come to C as a whole as well: block by block, C would be rounded as often, and lose what
/// is small beside it, and α times a part could overflow where α times the sum does not.
fn by_sums<T: Scalar, F: Scalar>(
    gemm: WordGemm<F>,
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    beta: T,
    c: &mut [T],
    [cols, leading]: [usize; 2],
) {
    if a.cols <= DEPTH || (alpha == T::one() && beta.is_zero()) {
        return in_words(gemm, alpha, a, b, beta, c, [cols, leading]);
    }
    let [high, wide] = PIECE;
    let mut sums = vec![T::zero(); high.min(a.rows) * wide.min(cols)];
    for (top, c) in (0..a.rows).step_by(high).zip(c.chunks_mut(high * leading)) {
        let a = a.rows(top, high);
        for left in (0..cols).step_by(wide) {
            let b = b.cols(left, wide);
            let sums = &mut sums[..a.rows * b.cols];
            in_words(gemm, T::one(), a, b, T::zero(), sums, [b.cols; 2]);
            for (c, sums) in c.chunks_mut(leading).zip(sums.chunks(b.cols)) {
                add(alpha, sums, beta, &mut c[left..]);
            }
        }
    }
}

/// C ← α times sums + βC, of a row; with `β = 0`, C is not read.
fn add<T: Scalar>(alpha: T, sums: &[T], beta: T, c: &mut [T]) {
    for (c, sum) in c.iter_mut().zip(sums) {
        let product = alpha * *sum;
        *c = if beta.is_zero() {
            product
        } else {
            beta.mul_add(*c, product)
        };
    }
}

/// `F` is `T`, by its kind. With `β = 0`, C is not read.
fn in_words<T: Scalar, F: Scalar>(
    gemm: WordGemm<F>,
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    beta: T,
    c: &mut [T],
    [cols, leading]: [usize; 2],
) {
    let word = |x: T| bytemuck::cast::<T, F>(x);
    let operand = |operand: Operand<'_, T>| {
        let reach = |extent: usize, stride: usize| extent.saturating_sub(1) * stride;
        let last = reach(operand.rows, operand.row_stride) + reach(operand.cols, operand.col_stride);
        let values: &[F] = bytemuck::cast_slice(operand.values);
        assert!(
            operand.rows * operand.cols == 0 || last < values.len(),
            "a view lies in its buffer"
        );
        (
            values.as_ptr(),
            operand.row_stride.cast_signed(),
            operand.col_stride.cast_signed(),
        )
    };
    let ((from_a, a_row, a_col), (from_b, b_row, b_col)) = (operand(a), operand(b));
    let (rows, depth, c_row) = (a.rows, a.cols, leading.cast_signed());
    assert!((rows - 1) * leading + cols <= c.len(), "a view lies in its buffer");
    let c = bytemuck::cast_slice_mut::<T, F>(c).as_mut_ptr();
    #[expect(unsafe_code, reason = "matrixmultiply takes pointers")]
    // SAFETY: the lines above have checked that the last element of each operand lies within its slice. C is borrowed
    // mutably, so it is neither A nor B; rows of it do not overlap, since `leading` is at least `cols`.
    unsafe {
        gemm(
            rows,
            depth,
            cols,
            word(alpha),
            from_a,
            a_row,
            a_col,
            from_b,
            b_row,
            b_col,
            word(beta),
            c,
            c_row,
            1,
        );
    }
}

fn by_definition<T: Scalar>(
    alpha: T,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    beta: T,
    c: &mut [T],
    [cols, leading]: [usize; 2],
) {
    let mut sums = vec![T::zero(); cols];
    for (i, c) in c.chunks_mut(leading).take(a.rows).enumerate() {
        sums.fill(T::zero());
        for k in 0..a.cols {
            let factor = a.values[i * a.row_stride + k * a.col_stride];
            let from_b = b.values[k * b.row_stride..].iter().step_by(b.col_stride.max(1));
            sums.iter_mut()
                .zip(from_b)
                .for_each(|(sum, b)| *sum = factor.mul_add(*b, *sum));
        }
        add(alpha, &sums, beta, c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use crate::dense::Matrix;

    /// A small product beside C comes to it as a whole, and α times the sum of what overflows when α times a part does; whole pieces and a
    /// part of one.
    fn sums_are_whole<T: Scalar>(least: f64, most: f64) {
        let host = Device::host();
        let (m, k, n) = (PIECE[0] + 3, 10 * DEPTH, PIECE[1] + 5);
        let ones = Matrix::filled(&host, k, n, T::one()).expect("it fits");
        let product = |row: &dyn Fn(usize) -> f64, alpha: f64, beta: f64| {
            let row: Vec<T> = (0..k).map(|l| T::from_f64(row(l))).collect();
            let a = Matrix::from_rows(&host, m, k, &row.repeat(m)).expect("it fits");
            let mut c = Matrix::filled(&host, m, n, T::one()).expect("it fits");
            let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
            gemm(alpha, &a.view(), &ones.view(), beta, c.view_mut());
            c.view().buffer.host().to_vec()
        };
        // 0.4 of a unit in the last place of 1 in every DEPTH terms, ten times that in all.
        let small = product(&|_| 0.4 * least / DEPTH as f64, 1.0, 1.0);
        let expected = T::from_f64(1.0 + 4.0 * least);
        assert!(
            small.iter().all(|c| *c == expected),
            "{}: {:?} for {expected:?}",
            T::NAME,
            small[0]
        );
        let parts = |l: usize| match l {
            0 => 1e4,
            400 => 1.0,
            2000 => -1e4,
            _ => 0.0,
        };
        let large = product(&parts, most, 0.0);
        let expected = T::from_f64(most);
        assert!(
            large.iter().all(|c| *c == expected),
            "{}: {:?} for {expected:?}",
            T::NAME,
            large[0]
        );
    }

    #[test]
    fn sums_come_to_c_as_a_whole() {
        sums_are_whole::<f32>(2.0_f64.powi(-23), 3e38);
        sums_are_whole::<f64>(2.0_f64.powi(-52), 1.7e308);
    }

    #[test]
    fn threads_are_worth_their_while_and_never_too_many() {
        assert_eq!(worth::<f32>(0, 0), 1);
        assert_eq!(worth::<f32>(128, 128 * 128), 1);
        assert_eq!(worth::<f32>(usize::MAX, usize::MAX), threads::available());
    }

    /// Whole bands and a part of one, in a block of a larger matrix; integers, so that every order of the sum is exact.
    #[test]
    fn bands_make_up_the_whole_product() {
        let host = Device::host();
        let (m, k, n) = (400, 300, 170);
        assert!(threads::available() == 1 || worth::<f64>(m, k * n) > 1);
        let value = |i: usize, j: usize| ((i * 7 + j * 5) % 17) as f64 - 8.0;
        let filled = |rows: usize, cols: usize| {
            let values: Vec<f64> = (0..rows * cols).map(|at| value(at / cols, at % cols)).collect();
            Matrix::from_rows(&host, rows, cols, &values).expect("it fits")
        };
        let (a, b, mut c) = (filled(m, k), filled(n, k), filled(m + 2, n + 3));
        gemm(
            2.0,
            &a.view(),
            &b.view().t(),
            -1.0,
            c.block_mut(1, 2, m, n).expect("it lies within"),
        );
        let found = c.view().buffer.host().to_vec();
        for i in 0..m + 2 {
            for j in 0..n + 3 {
                let within = (1..=m).contains(&i) && (2..n + 2).contains(&j);
                let sum = || (0..k).map(|l| value(i - 1, l) * value(j - 2, l)).sum::<f64>();
                let expected = if within { 2.0 * sum() - value(i, j) } else { value(i, j) };
                assert_eq!(found[i * (n + 3) + j], expected, "at {i}, {j}");
            }
        }
    }
}
