//! `Y ← αAX + βY` with a sparse A and several columns: the matrix is read once for up to 64 of them.

use super::device_matrix::{DeviceMatrix, Place, Rows};
use super::format::Format;
use super::spmv::kernels::{HEIGHT, ORDERED, OnGpu, PACKED_RUNS};
use crate::dense::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Computes `Y ← αAX + βY`. A is m x n in [`Format::Csr`], [`Format::PackedCsr`] or [`Format::PackedSell`], `X` is n x k
/// and `Y` m x k; with `β = 0`, `Y` is not read. Fastest where rows of X lie together.
///
/// Accuracy: every column as [`spmv`](super::spmv). Cost: a dispatch, and the matrix's bytes, for each 64 columns; 2k·nnz
/// flops. A row is summed by as many invocations as there are fours of columns, in the host's order; long rows are not
/// split. Source: Yang, Buluç and Owens, *Design principles for sparse matrix multiplication on the GPU*, Euro-Par 2018
/// (row split).
///
/// # Errors
/// [`Error::Shape`], also for other formats; [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, dense::Matrix, sparse::{Csr, DeviceMatrix, spmm}};
/// let host = Device::host();
/// let a = DeviceMatrix::new(&host, &Csr::new(1, 2, vec![0, 2], vec![0, 1], vec![2.0, 3.0])?)?;
/// let x = Matrix::from_rows(&host, 2, 2, &[1.0, 10.0, 1.0, 20.0])?;
/// let mut y = Matrix::zeros(&host, 1, 2)?;
/// spmm(1.0, &a, &x, 0.0, &mut y)?;
/// assert_eq!(y.to_host().block_on()?, [5.0, 80.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn spmm<'a, T: Scalar>(
    alpha: T,
    a: &DeviceMatrix<T>,
    x: impl Into<MatrixView<'a, T>>,
    beta: T,
    y: impl Into<MatrixViewMut<'a, T>>,
) -> Result<()> {
    let (x, mut y) = (x.into(), y.into());
    let kernel = check(a, &x, &y)?;
    match (a.place(), a.device().ground()) {
        (Place::Host(rows), _) => on_host(&**rows, alpha, &x, beta, &mut y),
        (Place::Gpu(matrix, _), Ground::Gpu(gpu)) => launch(gpu, kernel, matrix, (alpha, beta), &x, &y),
        (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
    }
}

/// The kernel of the format, if all fits.
fn check<T: Scalar>(a: &DeviceMatrix<T>, x: &MatrixView<'_, T>, y: &MatrixViewMut<'_, T>) -> Result<&'static Kernel> {
    let error = |expected: String, found: String| {
        Err(Error::Shape {
            operation: "spmm",
            expected,
            found,
        })
    };
    a.device().check_same("spmm", x.buffer.device())?;
    a.device().check_same("spmm", y.buffer.device())?;
    if x.rows != a.cols() || y.rows != a.rows() || x.cols != y.cols {
        let expected = format!("X of {} x k and Y of {} x k", a.cols(), a.rows());
        return error(expected, format!("{} x {} and {} x {}", x.rows, x.cols, y.rows, y.cols));
    }
    match a.format() {
        Format::Csr => Ok(&CSR),
        Format::PackedCsr => Ok(&PACKED_CSR),
        Format::PackedSell => Ok(&PACKED_SELL),
        other => error("csr, packed-csr or packed-sell".to_owned(), other.to_string()),
    }
}

fn on_host<T: Scalar>(
    rows: &dyn Rows<T>,
    alpha: T,
    x: &MatrixView<'_, T>,
    beta: T,
    y: &mut MatrixViewMut<'_, T>,
) -> Result<()> {
    for column in 0..x.cols {
        let at = |i: usize| x.offset + i * x.row_stride + column * x.col_stride;
        let from: Vec<T> = (0..x.rows).map(|i| x.buffer.host()[at(i)]).collect();
        let at = |i: usize| y.offset + i * y.leading + column;
        let mut into: Vec<T> = (0..y.rows).map(|i| y.buffer.host()[at(i)]).collect();
        rows.multiply(alpha, &from, beta, &mut into)?;
        let values = y.buffer.host_mut();
        into.into_iter()
            .enumerate()
            .for_each(|(i, value)| values[at(i)] = value);
    }
    Ok(())
}

/// Columns of one dispatch.
const MOST: usize = 64;

fn launch<T: Scalar>(
    gpu: &Gpu,
    kernel: &'static Kernel,
    matrix: &OnGpu,
    (alpha, beta): (T, T),
    x: &MatrixView<'_, T>,
    y: &MatrixViewMut<'_, T>,
) -> Result<()> {
    let most = y.buffer.device().adapter().most_turns();
    if matrix.longest > most {
        return Err(Error::Shape {
            operation: "spmm",
            expected: format!("rows of at most {most} entries on a driver that may end loops there"),
            found: format!("one of {}", matrix.longest),
        });
    }
    for first in (0..x.cols).step_by(MOST) {
        let k = (x.cols - first).min(MOST);
        let lanes = k.div_ceil(EACH.default as usize).next_power_of_two();
        if matrix.rows == 0 {
            continue;
        }
        // What the matrix' own products ask of a kernel is not asked here, but for how its arrays lie.
        let lies = |(name, _): &&(&str, u32)| [HEIGHT.name, ORDERED.name].contains(name);
        let mut constants: Vec<_> = matrix.constants.iter().filter(lies).copied().collect();
        constants.push((LANES.name, crate::device::narrow(lanes)));
        let mut buffers = vec![&matrix.values];
        buffers.extend(&matrix.arrays);
        buffers.extend([x.buffer.gpu(), y.buffer.gpu()]);
        gpu.launch(&Launch {
            kernel,
            precision: Precision::of::<T>(Width::Single),
            constants: &constants,
            params: Params::new()
                .size("rows", matrix.rows)
                .size("k", k)
                .integer("column_bits", matrix.numbers.column_bits)
                .size("x_offset", x.offset + first * x.col_stride)
                .size("x_row", x.row_stride)
                .size("x_column", x.col_stride)
                .size("y_offset", y.offset + first)
                .size("y_row", y.leading)
                .integer("reads_y", u32::from(!beta.is_zero()))
                .scalar("alpha", alpha)
                .scalar("beta", beta),
            buffers: &buffers,
            grid: Grid::covering((matrix.rows * lanes) as u64, WORKGROUP.default.into()),
            work: Work {
                bytes: matrix.bytes + ((x.rows + y.rows) * k * size_of::<T>()) as u64,
                operations: (matrix.slots * k) as u64,
            },
        })?;
    }
    Ok(())
}

/// Invocations of a row.
const LANES: Constant = Constant {
    name: "LANES",
    default: 4,
};
/// Columns of an invocation.
const EACH: Constant = Constant {
    name: "EACH",
    default: 4,
};

static CSR: Kernel = kernel("spmm csr", fragment!("sparse/spmm/csr.wgsl"), &[GRID, OPERANDS]);
static PACKED_CSR: Kernel = kernel(
    "spmm packed-csr",
    fragment!("sparse/spmm/packed_csr.wgsl"),
    &[GRID, OPERANDS, PACKED_RUNS],
);
static PACKED_SELL: Kernel = kernel(
    "spmm packed-sell",
    fragment!("sparse/spmm/packed_sell.wgsl"),
    &[GRID, OPERANDS, PACKED_RUNS],
);

/// Every kernel of this operation.
pub(super) static KERNELS: [&Kernel; 3] = [&CSR, &PACKED_CSR, &PACKED_SELL];

const GRID: Fragment = fragment!("lib/grid.wgsl");
const OPERANDS: Fragment = fragment!("sparse/spmm/operands.wgsl");

const fn kernel(name: &'static str, source: Fragment, library: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: "spmm",
        source,
        library,
        bindings: &[
            Access::Read,
            Access::Read,
            Access::Read,
            Access::Read,
            Access::ReadWrite,
        ],
        integers: &[
            "rows",
            "k",
            "column_bits",
            "x_offset",
            "x_row",
            "x_column",
            "y_offset",
            "y_row",
            "reads_y",
        ],
        scalars: &["alpha", "beta"],
        constants: &[WORKGROUP, LANES, EACH, HEIGHT, ORDERED],
        vocabulary: Vocabulary::Elements,
    }
}
