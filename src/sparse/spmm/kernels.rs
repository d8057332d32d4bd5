//! The kernels of products with several columns, one a format, and their launch.

use super::super::format::Format;
use super::super::spmv::kernels::{GRID, HEIGHT, Numbers, ORDERED, OnGpu, PACKED_RUNS, bindings};
use crate::dense::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work, narrow};
use crate::error::Result;
use crate::scalar::Scalar;

/// Columns of one dispatch.
const MOST: usize = 64;

/// Records `Y ← αAX + βY`. X and Y have the matrix's extents, and all is on one device.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    format: Format,
    matrix: &OnGpu,
    (alpha, beta): (T, T),
    x: &MatrixView<'_, T>,
    y: &MatrixViewMut<'_, T>,
) -> Result<()> {
    if matrix.rows == 0 {
        return Ok(());
    }
    for first in (0..x.cols).step_by(MOST) {
        let k = (x.cols - first).min(MOST);
        let lanes = k.div_ceil(EACH.default as usize).next_power_of_two();
        // What the matrix' own products ask of a kernel is not asked here, but for how its arrays lie.
        let lies = |(name, _): &&(&str, u32)| [HEIGHT.name, ORDERED.name].contains(name);
        let mut constants: Vec<_> = matrix.constants.iter().filter(lies).copied().collect();
        constants.push((LANES.name, narrow(lanes)));
        let mut buffers = vec![&matrix.values];
        buffers.extend(&matrix.arrays);
        buffers.extend([x.buffer.gpu(), y.buffer.gpu()]);
        let Numbers {
            width,
            isolated_values,
            isolated_columns,
            column_bits,
        } = matrix.numbers;
        gpu.launch(&Launch {
            kernel: of(format),
            precision: Precision::of::<T>(Width::Single),
            constants: &constants,
            params: Params::new()
                .size("rows", matrix.rows)
                .size("k", k)
                .size("width", width)
                .size("isolated_values", isolated_values)
                .size("isolated_columns", isolated_columns)
                .integer("column_bits", column_bits)
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

/// The kernel of a format.
fn of(format: Format) -> &'static Kernel {
    match format {
        Format::Auto => unreachable!("a choice is a format"),
        // A CSC is there as CSR of its transpose.
        Format::Csr | Format::Csc => &CSR,
        Format::Ell => &ELL,
        Format::EllR => &ELL_R,
        Format::Sell => &SELL,
        Format::RbpCsr => &RBP_CSR,
        Format::RbpEll => &RBP_ELL,
        Format::RbpEllR => &RBP_ELL_R,
        Format::PackedCsr => &PACKED_CSR,
        Format::PackedSell => &PACKED_SELL,
    }
}

/// The kernel that sums the rows of a format with so many arrays, from its own file and those it shares.
macro_rules! rows {
    ($name:literal, $arrays:literal, $source:literal $(, $library:expr)*) => {
        kernel(
            concat!("spmm ", $name),
            "spmm",
            fragment!($source),
            &[GRID, OPERANDS, fragment!("sparse/spmm/rows.wgsl") $(, $library)*],
            $arrays,
        )
    };
}

static CSR: Kernel = rows!("csr", 3, "sparse/spmm/csr.wgsl");
static ELL: Kernel = rows!("ell", 2, "sparse/spmm/ell.wgsl", PADDED);
static ELL_R: Kernel = rows!("ell-r", 3, "sparse/spmm/ell_r.wgsl", PADDED);
static SELL: Kernel = rows!("sell", 3, "sparse/spmm/sell.wgsl", PADDED);
static RBP_CSR: Kernel = rows!("rbp-csr", 3, "sparse/spmm/rbp_csr.wgsl", RBP_RUNS, ISOLATED);
static RBP_ELL: Kernel = rows!("rbp-ell", 3, "sparse/spmm/rbp_ell.wgsl", RBP_RUNS, ISOLATED);
static RBP_ELL_R: Kernel = rows!("rbp-ell-r", 3, "sparse/spmm/rbp_ell_r.wgsl", RBP_RUNS, ISOLATED);
static PACKED_CSR: Kernel = rows!("packed-csr", 3, "sparse/spmm/packed_csr.wgsl", PACKED_RUNS);
static PACKED_SELL: Kernel = rows!("packed-sell", 3, "sparse/spmm/packed_sell.wgsl", PACKED_RUNS);

/// Every kernel of this operation.
pub(in crate::sparse) static KERNELS: [&Kernel; 9] = [
    &CSR,
    &ELL,
    &ELL_R,
    &SELL,
    &RBP_CSR,
    &RBP_ELL,
    &RBP_ELL_R,
    &PACKED_CSR,
    &PACKED_SELL,
];

const OPERANDS: Fragment = fragment!("sparse/spmm/operands.wgsl");
const PADDED: Fragment = fragment!("sparse/spmm/padded.wgsl");
const ISOLATED: Fragment = fragment!("sparse/spmm/isolated.wgsl");
/// The columns of runs, first and last.
const RBP_RUNS: Fragment = fragment!("sparse/rbp/runs.wgsl");

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    library: &'static [Fragment],
    arrays: usize,
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        library,
        bindings: bindings(arrays, 0),
        integers: &[
            "rows",
            "k",
            "width",
            "isolated_values",
            "isolated_columns",
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
