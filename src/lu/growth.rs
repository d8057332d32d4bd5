//! How much elements grew in the elimination: what partial pivoting cannot promise to be little.

use super::{Lu, original};
use crate::dense::{MatrixView, Vector, larger};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::{Grid, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// Columns of a workgroup.
const LINES: u64 = WORKGROUP.default as u64 / LANES as u64;
/// Invocations that stride over the rows of a column.
const LANES: usize = 8;

impl<T: Scalar> Lu<T> {
    /// The reciprocal pivot growth minⱼ (maxᵢ |aᵢⱼ| / maxᵢ |uᵢⱼ|), column by column as LAPACK's `gerpvgrw` has it; `a`
    /// is the matrix as it was before it was factored. With a zero pivot, of the columns up to it. 1 for an empty
    /// matrix, NaN where A or U has one, or both have an infinity in one column.
    ///
    /// Near 1, the factorisation is backward stable. Much less than 1, the factors, and every solution and condition
    /// number made from them, may have lost as many digits as this has zeros: 2^(1−n) for Wilkinson's matrix.
    ///
    /// Accuracy: one rounding of a double. Cost: one dispatch, m·n + n²/2 reads, 2n scalars read back.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) when `a` has another shape than the factors or is transposed;
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch); whatever the device reports.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Matrix, lu::Lu};
    /// let entries = [1.0, 0.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0];
    /// let a = || Matrix::from_rows(&Device::host(), 3, 3, &entries);
    /// let lu = Lu::factor(a()?)?;
    /// assert_eq!(lu.reciprocal_growth(&a()?).block_on()?, 0.25);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn reciprocal_growth<'a>(&self, a: impl Into<MatrixView<'a, T>>) -> Result<f64> {
        let a = a.into();
        self.check_same_shape("reciprocal_growth", &a)?;
        let cols = a.cols;
        let columns = match a.device().ground() {
            Ground::Host => on_host(&a, self.factors.buffer().host()),
            Ground::Gpu(gpu) => {
                a.device().check_turns("reciprocal_growth", a.rows / LANES + 16)?;
                let result = Vector::zeros(a.device(), 2 * cols)?;
                let beside = [self.factors.buffer().gpu(), result.buffer().gpu()];
                original::launch(gpu, &GROWTH, &a, &beside, Grid::covering(cols as u64, LINES))?;
                result.to_host().await?
            }
        };
        let (of_a, of_u) = columns.split_at(cols);
        let considered = self.first_zero().await?.map_or(cols, |zero| zero + 1);
        let mut growth = 1.0_f64;
        for (a, u) in of_a.iter().zip(of_u).take(considered) {
            if a.is_nan() || u.is_nan() {
                return Ok(f64::NAN);
            }
            if !u.is_zero() {
                let quotient = a.to_f64() / u.to_f64();
                // Of two infinities: `min` would leave it out.
                if quotient.is_nan() {
                    return Ok(quotient);
                }
                growth = growth.min(quotient);
            }
        }
        Ok(growth)
    }
}

fn on_host<T: Scalar>(a: &MatrixView<'_, T>, factors: &[T]) -> Vec<T> {
    let values = a.buffer.host();
    let of_a = (0..a.cols).map(|j| {
        let column = (0..a.rows).map(|i| values[a.offset + i * a.row_stride + j].abs());
        column.fold(T::zero(), larger)
    });
    let of_u = (0..a.cols).map(|j| {
        let column = (0..a.rows.min(j + 1)).map(|i| factors[i * a.cols + j].abs());
        column.fold(T::zero(), larger)
    });
    of_a.chain(of_u).collect()
}

pub(super) static GROWTH: Kernel = Kernel {
    name: "lu::growth",
    entry: "growth",
    source: fragment!("lu/growth.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: original::INTEGERS,
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};
