//! The kernels of GEMV, and how a plan is launched: in one dispatch, or in partial sums and their end.

use super::variants::Plan;
use crate::dense::map::in_packs;
use crate::dense::matrix::MatrixView;
use crate::dense::vector::{VectorView, VectorViewMut};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Records `y ← αAx + βy` as planned. A is not empty of rows.
pub(super) fn launch<T: Scalar, R: Scalar>(
    gpu: &Gpu,
    plan: &Plan,
    (alpha, beta): (R, R),
    a: &MatrixView<'_, T>,
    x: &VectorView<'_, T>,
    y: &VectorViewMut<'_, T>,
) -> Result<()> {
    let pack = plan.precision.pack() as usize;
    let (x_offset, x_stride) = if plan.by_rows {
        in_packs(x, plan.precision)
    } else {
        (x.offset, x.stride)
    };
    let partials = plan.partials();
    let work = Work {
        bytes: (a.rows * a.cols * size_of::<T>()) as u64,
        operations: (a.rows * a.cols) as u64,
    };
    // Partial sums are plain sums, row after row of them: their end brings in α, β and y.
    let (kernel, space) = match &partials {
        None => (plan.kernel, None),
        Some(count) => {
            let bytes = (count * plan.splits * size_of::<R>()) as u64;
            (partial(plan.kernel), Some(gpu.scratch("partial sums", bytes)?))
        }
    };
    let (y_offset, y_stride) = partials.map_or((y.offset, y.stride), |count| (0, count));
    gpu.launch(&Launch {
        kernel,
        precision: plan.precision,
        constants: &plan.constants,
        params: Params::new()
            .size("rows", plan.stored_rows)
            .size("cols", plan.stored_cols)
            .size("a_offset", a.offset / pack)
            .size("a_leading", plan.leading / pack)
            .size("x_offset", x_offset)
            .size("x_stride", x_stride)
            .size("y_offset", y_offset)
            .size("y_stride", y_stride)
            .integer("reads_y", u32::from(!beta.is_zero()))
            .size("blocks", plan.blocks)
            .size("splits", plan.splits)
            .size("chunk", plan.chunk)
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &[
            a.buffer.gpu(),
            x.buffer.gpu(),
            space.as_deref().unwrap_or(y.buffer.gpu()),
        ],
        grid: Grid::of((plan.blocks * plan.splits) as u64),
        work,
    })?;
    if let (Some(count), Some(space)) = (partials, space) {
        gpu.launch(&Launch {
            kernel: &FINISH,
            precision: Precision {
                width: Width::Single,
                ..plan.precision
            },
            constants: &[],
            params: Params::new()
                .size("count", count)
                .size("splits", plan.splits)
                .size("y_offset", y.offset)
                .size("y_stride", y.stride)
                .integer("reads_y", u32::from(!beta.is_zero()))
                .scalar("alpha", alpha)
                .scalar("beta", beta),
            buffers: &[&space, y.buffer.gpu()],
            grid: Grid::covering(count as u64, FINISH_LANES.default.into()),
            work: Work {
                bytes: (count * plan.splits * size_of::<R>()) as u64,
                operations: (count * plan.splits) as u64,
            },
        })?;
    }
    Ok(())
}

/// The kernel that leaves partial sums where this one writes y.
fn partial(kernel: &'static Kernel) -> &'static Kernel {
    if std::ptr::eq(kernel, &ROWS_KERNEL) {
        &ROWS_PARTIAL
    } else {
        &COLUMNS_PARTIAL
    }
}

/// The workgroup memory that a variant takes, in scalars.
pub(super) fn scalars_of_workgroup(kernel: &'static Kernel, value: impl Fn(&str) -> u32, precision: Precision) -> u32 {
    if std::ptr::eq(kernel, &ROWS_KERNEL) {
        value("WORKGROUP") / value("LANES") * value("ROWS") * (value("LANES") + 1)
    } else {
        value("WORKGROUP") * precision.pack()
    }
}

pub(super) const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 256,
};
pub(super) const LANES: Constant = Constant {
    name: "LANES",
    default: 32,
};
pub(super) const ROWS: Constant = Constant {
    name: "ROWS",
    default: 1,
};
pub(super) const UNROLL: Constant = Constant {
    name: "UNROLL",
    default: 4,
};
const FINISH_LANES: Constant = Constant {
    name: "LANES",
    default: 16,
};

/// Every kernel of this operation.
pub(crate) static KERNELS: [&Kernel; 5] = [&ROWS_KERNEL, &ROWS_PARTIAL, &COLUMNS_KERNEL, &COLUMNS_PARTIAL, &FINISH];

const TO_RESULT: &[Fragment] = &[
    fragment!("lib/grid.wgsl"),
    fragment!("dense/gemv_operands.wgsl"),
    fragment!("dense/gemv_result.wgsl"),
];
const TO_PARTIALS: &[Fragment] = &[
    fragment!("lib/grid.wgsl"),
    fragment!("dense/gemv_operands.wgsl"),
    fragment!("dense/gemv_partial.wgsl"),
];

/// Rows of A are rows in memory: dot products.
pub(super) static ROWS_KERNEL: Kernel = by_rows("gemv", TO_RESULT);
static ROWS_PARTIAL: Kernel = by_rows("gemv (partial sums)", TO_PARTIALS);

/// Rows of A are columns in memory.
pub(super) static COLUMNS_KERNEL: Kernel = by_columns("gemv_transposed", TO_RESULT);
static COLUMNS_PARTIAL: Kernel = by_columns("gemv_transposed (partial sums)", TO_PARTIALS);

static FINISH: Kernel = Kernel {
    name: "gemv_finish",
    entry: "gemv_finish",
    source: fragment!("dense/gemv_finish.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["count", "splits", "y_offset", "y_stride", "reads_y"],
    scalars: &["alpha", "beta"],
    constants: &[WORKGROUP, FINISH_LANES],
    vocabulary: Vocabulary::Packs,
};

const fn by_rows(name: &'static str, library: &'static [Fragment]) -> Kernel {
    let constants = &[WORKGROUP, LANES, ROWS, UNROLL];
    kernel(name, "gemv", fragment!("dense/gemv.wgsl"), library, constants)
}

const fn by_columns(name: &'static str, library: &'static [Fragment]) -> Kernel {
    let source = fragment!("dense/gemv_transposed.wgsl");
    kernel(name, "gemv_transposed", source, library, &[WORKGROUP, LANES, UNROLL])
}

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    library: &'static [Fragment],
    constants: &'static [Constant],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        library,
        bindings: &[Access::Read, Access::Read, Access::ReadWrite],
        integers: &[
            "rows",
            "cols",
            "a_offset",
            "a_leading",
            "x_offset",
            "x_stride",
            "y_offset",
            "y_stride",
            "reads_y",
            "blocks",
            "splits",
            "chunk",
        ],
        scalars: &["alpha", "beta"],
        constants,
        vocabulary: Vocabulary::Packs,
    }
}
