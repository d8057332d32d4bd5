//! How much elements grew in the elimination: what partial pivoting cannot promise to be little.

use super::Lu;
use crate::dense::{MatrixView, Vector};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

impl<T: Scalar> Lu<T> {
    /// The reciprocal pivot growth minⱼ (maxᵢ |aᵢⱼ| / maxᵢ |uᵢⱼ|), column by column as LAPACK's `gerpvgrw` has it; `a`
    /// is the matrix as it was before it was factored. With a zero pivot, of the columns up to it. 1 for an empty
    /// matrix, NaN where A or U has one.
    ///
    /// Near 1, the factorisation is backward stable. Much less than 1, the factors, and every solution and condition
    /// number made from them, may have lost as many digits as this has zeros: 2^(1−n) for Wilkinson's matrix.
    ///
    /// Accuracy: one rounding of a double. Cost: one dispatch, m·n + n²/2 reads, 2n scalars read back.
    ///
    /// # Errors
    /// [`Error::Shape`] when `a` has another shape than the factors or is transposed; [`Error::DeviceMismatch`]; whatever
    /// the device reports.
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
                let result = Vector::zeros(a.device(), 2 * cols)?;
                launch(gpu, &a, self, &result)?;
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
                growth = growth.min(a.to_f64() / u.to_f64());
            }
        }
        Ok(growth)
    }

    /// `a` is, by its shape and its device, the matrix that was factored.
    pub(super) fn check_same_shape(&self, operation: &'static str, a: &MatrixView<'_, T>) -> Result<()> {
        self.factors.device().check_same(operation, a.device())?;
        let (rows, cols) = (self.factors.rows(), self.factors.cols());
        if (a.rows, a.cols, a.col_stride) == (rows, cols, 1) {
            return Ok(());
        }
        let turned = if a.col_stride == 1 { "" } else { ", transposed" };
        Err(Error::Shape {
            operation,
            expected: format!("the matrix that was factored, {rows} x {cols}, not transposed"),
            found: format!("{} x {}{turned}", a.rows, a.cols),
        })
    }
}

fn on_host<T: Scalar>(a: &MatrixView<'_, T>, factors: &[T]) -> Vec<T> {
    let larger = |x: T, y: T| if !x.is_nan() && (y > x || y.is_nan()) { y } else { x };
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

fn launch<T: Scalar>(gpu: &Gpu, a: &MatrixView<'_, T>, lu: &Lu<T>, result: &Vector<T>) -> Result<()> {
    /// Columns of a workgroup.
    const LINES: u64 = WORKGROUP.default as u64 / 8;
    if a.cols == 0 {
        return Ok(());
    }
    let entries = (a.rows * a.cols) as u64;
    gpu.launch(&Launch {
        kernel: &GROWTH,
        precision: Precision::of::<T>(Width::Single),
        constants: &[],
        params: Params::new()
            .size("rows", a.rows)
            .size("cols", a.cols)
            .size("a_offset", a.offset)
            .size("a_leading", a.row_stride),
        buffers: &[a.buffer.gpu(), lu.factors.buffer().gpu(), result.buffer().gpu()],
        grid: Grid::covering(a.cols as u64, LINES),
        work: Work {
            bytes: 2 * entries * size_of::<T>() as u64,
            operations: 2 * entries,
        },
    })
}

pub(super) static GROWTH: Kernel = Kernel {
    name: "lu::growth",
    entry: "growth",
    source: fragment!("lu/growth.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["rows", "cols", "a_offset", "a_leading"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};
