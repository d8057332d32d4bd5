//! The kernels of GEMM, and how a plan is launched: in one dispatch, or in partial products and their sum.

use super::variants::{Layout, Plan};
use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Records `C ← αAB + βC` as planned. C is not empty.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    plan: &Plan,
    (alpha, beta): (T, T),
    a: &MatrixView<'_, T>,
    b: &MatrixView<'_, T>,
    c: &MatrixViewMut<'_, T>,
) -> Result<()> {
    match plan.layout {
        Layout::Direct(kernel) => direct(gpu, kernel, plan, (alpha, beta), a, b, c),
        Layout::Tiles { .. } => tiled(gpu, plan, (alpha, beta), a, b, c),
    }
}

fn direct<T: Scalar>(
    gpu: &Gpu,
    kernel: &'static Kernel,
    plan: &Plan,
    (alpha, beta): (T, T),
    a: &MatrixView<'_, T>,
    b: &MatrixView<'_, T>,
    c: &MatrixViewMut<'_, T>,
) -> Result<()> {
    // Packs lie along A's columns and B's: these strides are 1.
    let pack = plan.precision.pack() as usize;
    gpu.launch(&Launch {
        kernel,
        precision: plan.precision,
        constants: &plan.constants,
        params: Params::new()
            .size("rows", c.rows)
            .size("cols", c.cols)
            .size("depth", a.cols)
            .size("a_offset", a.offset / pack)
            .size("a_row", a.row_stride / pack)
            .size("a_col", a.col_stride)
            .size("b_offset", b.offset / pack)
            .size("b_row", b.row_stride / pack)
            .size("b_col", b.col_stride)
            .size("c_offset", c.offset / pack)
            .size("c_leading", c.leading / pack)
            .size("tiles_across", plan.across)
            .integer("reads_c", u32::from(!beta.is_zero()))
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &[a.buffer.gpu(), b.buffer.gpu(), c.buffer.gpu()],
        grid: Grid::of((plan.down * plan.across) as u64),
        work: plan.work(size_of::<T>(), c.rows, c.cols, a.cols),
    })
}

fn tiled<T: Scalar>(
    gpu: &Gpu,
    plan: &Plan,
    (alpha, beta): (T, T),
    a: &MatrixView<'_, T>,
    b: &MatrixView<'_, T>,
    c: &MatrixViewMut<'_, T>,
) -> Result<()> {
    let Layout::Tiles {
        a_leading,
        b_leading,
        splits,
        chunk,
    } = plan.layout
    else {
        unreachable!("the caller has looked")
    };
    let pack = plan.precision.pack() as usize;
    // Partial products are plain products: their sum brings in α, β and C.
    let leading = c.cols.next_multiple_of(pack);
    let stride = c.rows * leading;
    let space = match splits {
        1 => None,
        _ => Some(gpu.scratch("partial products", (splits * stride * size_of::<T>()) as u64)?),
    };
    let whole = space.is_none();
    gpu.launch(&Launch {
        kernel: &TILES,
        precision: plan.precision,
        constants: &plan.constants,
        params: Params::new()
            .size("rows", c.rows)
            .size("cols", c.cols)
            .size("depth", a.cols)
            .size("a_offset", a.offset / pack)
            .size("a_leading", a_leading / pack)
            .size("b_offset", b.offset / pack)
            .size("b_leading", b_leading / pack)
            .size("c_offset", if whole { c.offset / pack } else { 0 })
            .size("c_leading", if whole { c.leading } else { leading } / pack)
            .size("tiles_across", plan.across)
            .size("tiles", plan.down * plan.across)
            .size("splits", splits)
            .size("chunk", chunk)
            .size("split_stride", stride / pack)
            .integer("reads_c", u32::from(whole && !beta.is_zero()))
            .scalar("alpha", if whole { alpha } else { T::one() })
            .scalar("beta", beta),
        buffers: &[
            a.buffer.gpu(),
            b.buffer.gpu(),
            space.as_deref().unwrap_or(c.buffer.gpu()),
        ],
        grid: Grid::of((plan.down * plan.across * splits) as u64),
        work: plan.work(size_of::<T>(), c.rows, c.cols, a.cols),
    })?;
    let Some(space) = space else { return Ok(()) };
    let elements = (c.rows * c.cols) as u64;
    gpu.launch(&Launch {
        kernel: &FINISH,
        precision: Precision {
            width: Width::Single,
            ..plan.precision
        },
        constants: &[],
        params: Params::new()
            .size("rows", c.rows)
            .size("cols", c.cols)
            .size("splits", splits)
            .size("w_leading", leading)
            .size("w_stride", stride)
            .size("c_offset", c.offset)
            .size("c_leading", c.leading)
            .integer("reads_c", u32::from(!beta.is_zero()))
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &[&space, c.buffer.gpu()],
        grid: Grid::covering(elements, WORKGROUP.default.into()),
        work: Work {
            bytes: (splits + 1) as u64 * elements * size_of::<T>() as u64,
            operations: splits as u64 * elements,
        },
    })
}

const fn constant(name: &'static str, default: u32) -> Constant {
    Constant { name, default }
}

/// Every kernel of this operation.
pub(crate) static KERNELS: [&Kernel; 4] = [&TILES, &FINISH, &DIRECT, &SUBGROUP];

/// Tiles through workgroup memory. The defaults need no more than WebGPU gives everywhere, in any scalar.
pub(super) static TILES: Kernel = Kernel {
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
        "a_leading",
        "b_offset",
        "b_leading",
        "c_offset",
        "c_leading",
        "tiles_across",
        "tiles",
        "splits",
        "chunk",
        "split_stride",
        "reads_c",
    ],
    scalars: &["alpha", "beta"],
    constants: &[
        constant("TILE_ROWS", 32),
        constant("TILE_COLS", 32),
        constant("DEPTH", 8),
        constant("ROWS", 4),
        constant("COLS", 4),
        constant("A_TURNED", 1),
        constant("B_TURNED", 0),
    ],
    vocabulary: Vocabulary::Packs,
};

static FINISH: Kernel = Kernel {
    name: "gemm_finish",
    entry: "gemm_finish",
    source: fragment!("dense/gemm_finish.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &[
        "rows",
        "cols",
        "splits",
        "w_leading",
        "w_stride",
        "c_offset",
        "c_leading",
        "reads_c",
    ],
    scalars: &["alpha", "beta"],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};

/// Without workgroup memory: 4 x 4 elements an invocation, the fastest of seven shapes on lavapipe (BENCHMARKS.md).
pub(super) static DIRECT: Kernel = Kernel {
    name: "gemm_direct",
    entry: "gemm_direct",
    source: fragment!("dense/gemm_direct.wgsl"),
    library: &[fragment!("lib/grid.wgsl"), STRIDES],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: DIRECT_INTEGERS,
    scalars: &["alpha", "beta"],
    constants: &[constant("WORKGROUP", 16), constant("ROWS", 4), constant("COLS", 4)],
    vocabulary: Vocabulary::Elements,
};

/// Likewise, with shuffles and packs.
pub(super) static SUBGROUP: Kernel = Kernel {
    name: "gemm_subgroup",
    entry: "gemm_subgroup",
    source: fragment!("dense/gemm_subgroup.wgsl"),
    library: &[fragment!("lib/grid.wgsl"), fragment!("lib/subgroup.wgsl"), STRIDES],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: DIRECT_INTEGERS,
    scalars: &["alpha", "beta"],
    constants: &[constant("WORKGROUP", 8), constant("ROWS", 8), constant("COLS", 4)],
    vocabulary: Vocabulary::Packs,
};

/// What both of them read their operands by.
const STRIDES: Fragment = fragment!("dense/gemm_strides.wgsl");

const DIRECT_INTEGERS: &[&str] = &[
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
];
