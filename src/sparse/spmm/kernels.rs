//! The kernels of products with several columns, one a format, those that split long rows, and their launch.

use super::super::format::Format;
use super::super::packed::csr::{EXPAND, SUM_TO};
use super::super::spmv::form::{GRID, HEIGHT, ORDERED, PACKED_RUNS, TILE, bindings};
use super::super::spmv::kernels::{LongRows, Numbers, OnGpu};
use crate::dense::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Launch, Params, Work, narrow};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Columns of one dispatch.
const MOST: usize = 64;

/// What differs among the launches of one product.
struct Pass<'a> {
    kernel: &'static Kernel,
    matrix: &'a [&'a GpuBuffer],
    y: &'a GpuBuffer,
    /// Workgroups, all of which have something to do but those by which a folded grid runs over.
    groups: u64,
    work: Work,
}

/// Records `Y ← αAX + βY`. X and Y have the matrix's extents, and all is on one device.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    format: Format,
    matrix: &OnGpu,
    factors: (T, T),
    x: &MatrixView<'_, T>,
    y: &MatrixViewMut<'_, T>,
) -> Result<()> {
    if matrix.rows == 0 {
        return Ok(());
    }
    // Runs and isolated entries have a loop each, and a neighbour may have a longest row of the others.
    let most = y.buffer.device().adapter().kind.most_turns() / 2;
    if matrix.longest > most && matrix.long.is_none() {
        return Err(Error::Shape {
            operation: "spmm",
            expected: format!("rows of at most {most} entries, or streamed, on a driver that may end loops there"),
            found: format!("one of {}", matrix.longest),
        });
    }
    for first in (0..x.cols).step_by(MOST) {
        let columns = Columns {
            first,
            k: (x.cols - first).min(MOST),
        };
        let record = |pass: &Pass<'_>| record(gpu, matrix, factors, &columns, pass, x, y);
        let mut arrays = vec![&matrix.values];
        arrays.extend(&matrix.arrays);
        record(&Pass {
            kernel: of(format),
            matrix: &arrays,
            y: y.buffer.gpu(),
            groups: ((matrix.rows * columns.lanes()) as u64).div_ceil(WORKGROUP.default.into()),
            work: Work {
                bytes: matrix.bytes + ((x.rows + y.rows) * columns.k * size_of::<T>()) as u64,
                operations: matrix.slots as u64 * columns.k as u64,
            },
        })?;
        let Some(LongRows { chunks, rows, .. }) = &matrix.long else {
            continue;
        };
        let bytes = (chunks.1 * columns.k * size_of::<T>()) as u64;
        let sums = gpu.scratch("sums of chunks", bytes)?;
        record(&Pass {
            kernel: chunks_of(format),
            matrix: &[&matrix.values, &matrix.arrays[0], &chunks.0],
            y: &sums,
            groups: chunks.1 as u64,
            // What they read was counted above.
            work: Work::default(),
        })?;
        record(&Pass {
            kernel: &LONG_ROWS,
            matrix: &[&sums, &rows.0],
            y: y.buffer.gpu(),
            groups: rows.1 as u64,
            work: Work {
                bytes: 2 * bytes,
                operations: (chunks.1 * columns.k) as u64,
            },
        })?;
    }
    Ok(())
}

/// The columns of one dispatch.
struct Columns {
    first: usize,
    k: usize,
}

impl Columns {
    /// The invocations that share an entry.
    fn lanes(&self) -> usize {
        self.k.div_ceil(EACH.default as usize).next_power_of_two()
    }
}

fn record<T: Scalar>(
    gpu: &Gpu,
    matrix: &OnGpu,
    (alpha, beta): (T, T),
    columns: &Columns,
    pass: &Pass<'_>,
    x: &MatrixView<'_, T>,
    y: &MatrixViewMut<'_, T>,
) -> Result<()> {
    let Columns { first, k } = *columns;
    // What the matrix' own products ask of a kernel is not asked here, but for how its arrays lie.
    let lies = |(name, _): &&(&str, u32)| [HEIGHT.name, ORDERED.name, TILE.name].contains(name);
    let mut constants: Vec<_> = matrix.constants.iter().filter(lies).copied().collect();
    constants.push(LANES.of(columns.lanes()));
    if matrix.long.is_some() {
        constants.push((LONGEST.name, TILE.value(&constants)));
    }
    let mut buffers = pass.matrix.to_vec();
    buffers.extend([x.buffer.gpu(), pass.y]);
    let Numbers {
        width,
        isolated_values,
        isolated_columns,
        column_bits,
        fours: _,
    } = matrix.numbers;
    gpu.launch(&Launch {
        kernel: pass.kernel,
        precision: Precision::of::<T>(Width::Single),
        constants: &constants,
        params: Params::new()
            .size("rows", matrix.rows)
            .size("k", k)
            .size("width", width)
            .size("isolated_values", isolated_values)
            .size("isolated_columns", isolated_columns)
            .integer("column_bits", column_bits)
            .integer("blocks", narrow(pass.groups))
            .size("x_offset", x.offset + first * x.col_stride)
            .size("x_row", x.row_stride)
            .size("x_column", x.col_stride)
            .size("y_offset", y.offset + first)
            .size("y_row", y.leading)
            .integer("reads_y", u32::from(!beta.is_zero()))
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &buffers,
        grid: Grid::of(pass.groups),
        work: pass.work,
    })
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

/// The entries of a row that is summed in one place, at most.
const LONGEST: Constant = Constant {
    name: "LONGEST",
    default: u32::MAX,
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

/// The kernel that sums the chunks of long rows: of packed CSR, or of CSR, the only others that are split.
fn chunks_of(format: Format) -> &'static Kernel {
    match format {
        Format::PackedCsr => &PACKED_CSR_CHUNKS,
        _ => &CSR_CHUNKS,
    }
}

/// The kernel that sums the rows of a format with so many arrays, from its own file and those it shares.
macro_rules! rows {
    ($name:literal, $arrays:literal, $source:literal $(, $fragment:expr)*) => {
        kernel(
            concat!("spmm ", $name),
            "spmm",
            fragment!($source),
            &[GRID, OPERANDS, fragment!("sparse/spmm/rows.wgsl") $(, $fragment)*],
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

static CSR_CHUNKS: Kernel = kernel(
    "spmm csr (chunks of long rows)",
    "spmm_chunks",
    fragment!("sparse/spmm/csr_chunks.wgsl"),
    &[GRID, OPERANDS, SHARES, CHUNK],
    3,
);
static PACKED_CSR_CHUNKS: Kernel = kernel(
    "spmm packed-csr (chunks of long rows)",
    "spmm_chunks",
    fragment!("sparse/spmm/packed_csr_chunks.wgsl"),
    &[GRID, OPERANDS, SHARES, CHUNK, SUM_TO, EXPAND],
    3,
);
static LONG_ROWS: Kernel = kernel(
    "spmm (long rows)",
    "spmm_long_rows",
    fragment!("sparse/spmm/long_rows.wgsl"),
    &[GRID, OPERANDS, SHARES],
    2,
);

/// Every kernel of this operation.
pub(in crate::sparse) static KERNELS: [&Kernel; 12] = [
    &CSR,
    &ELL,
    &ELL_R,
    &SELL,
    &RBP_CSR,
    &RBP_ELL,
    &RBP_ELL_R,
    &PACKED_CSR,
    &PACKED_SELL,
    &CSR_CHUNKS,
    &PACKED_CSR_CHUNKS,
    &LONG_ROWS,
];

const OPERANDS: Fragment = fragment!("sparse/spmm/operands.wgsl");
const PADDED: Fragment = fragment!("sparse/spmm/padded.wgsl");
const SHARES: Fragment = fragment!("sparse/spmm/shares.wgsl");
const CHUNK: Fragment = fragment!("sparse/spmm/chunk.wgsl");
const ISOLATED: Fragment = fragment!("sparse/spmm/isolated.wgsl");
/// The columns of runs, first and last.
const RBP_RUNS: Fragment = fragment!("sparse/rbp/runs.wgsl");

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    arrays: usize,
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings: bindings(arrays, 0),
        integers: &[
            "rows",
            "k",
            "width",
            "isolated_values",
            "isolated_columns",
            "column_bits",
            "blocks",
            "x_offset",
            "x_row",
            "x_column",
            "y_offset",
            "y_row",
            "reads_y",
        ],
        scalars: &["alpha", "beta"],
        constants: &[WORKGROUP, LANES, EACH, HEIGHT, ORDERED, TILE, LONGEST],
        vocabulary: Vocabulary::Elements,
    }
}
