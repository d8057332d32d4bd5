//! How a variant of GEMM shares out a call, and how that is launched: in one dispatch, or with parts of the depth and their sum.

use super::kernels::{FINISH, SUBGROUP, SUBGROUP_LONG, TILE_COLS, TILE_ROWS, TILES};
use super::parts::{Parts, Tiling};
use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Constant, Kernel, WORKGROUP};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};
use crate::tuning::{Shape, Variant};

/// How the operands of a call lie.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    pub(super) shape: Shape,
    /// Whether A lies along the depth, and how far apart its lines are; and B.
    pub(super) a: (bool, usize),
    pub(super) b: (bool, usize),
    pub(super) packable: bool,
}

impl Operands {
    pub(super) fn of<T>(a: &MatrixView<'_, T>, b: &MatrixView<'_, T>, c: &MatrixViewMut<'_, T>) -> Self {
        let line = |along: bool, stride: usize, other: usize| (along, if along { stride } else { other });
        Self {
            shape: Shape::new(c.rows, c.cols, a.cols),
            a: line(a.col_stride == 1, a.row_stride, a.col_stride),
            b: line(b.col_stride != 1, b.col_stride, b.row_stride),
            packable: [a.offset, b.offset, c.offset, c.leading]
                .into_iter()
                .chain([a.row_stride.max(a.col_stride), b.row_stride.max(b.col_stride)])
                .all(|count| (count * size_of::<T>()).is_multiple_of(16)),
        }
    }

    /// Whether A along the depth, and B and C along the columns, are made of packs, of which none is cut.
    fn in_whole_packs(&self, wide: Precision) -> bool {
        let pack = wide.pack() as usize;
        let [along, across] = [self.a.0, !self.b.0];
        let whole = self.shape.cols.is_multiple_of(pack) && self.shape.depth.is_multiple_of(pack);
        self.packable && along && across && whole
    }
}

/// A call, in the terms of its kernel.
pub(super) struct Plan {
    precision: Precision,
    constants: Vec<(&'static str, u32)>,
    /// Tiles of C, down and across.
    down: usize,
    across: usize,
    layout: Layout,
}

/// What the kernels need beyond that.
#[derive(Clone, Copy)]
enum Layout {
    /// One of those without workgroup memory: strides of any kind, if elements are read one by one.
    Direct(&'static Kernel),
    /// Panels of A and B, whose lines are so many elements apart, and tiles of so many elements.
    Tiles {
        a_leading: usize,
        b_leading: usize,
        parts: Parts,
        area: usize,
    },
}

impl Plan {
    fn work(&self, size: usize, rows: usize, cols: usize, depth: usize) -> Work {
        let [rows, cols, depth] = [rows, cols, depth].map(|size| size as u64);
        let scalars = rows * cols + (rows * depth).saturating_mul(self.across as u64);
        Work {
            bytes: scalars.saturating_mul(size as u64),
            operations: (rows * cols).saturating_mul(depth),
        }
    }
}

/// How a variant shares out a call, on a device that stores parts of vectors alone or does not.
pub(super) fn share_out(variant: &Variant, precision: Precision, operands: Operands, stores_parts: bool) -> Plan {
    let Shape { rows, cols, depth } = operands.shape;
    let value = |name: &str| variant.value(name) as usize;
    let mut constants: Vec<_> = variant
        .constants
        .iter()
        .copied()
        .filter(|(name, _)| *name != "MULTIPROCESSORS")
        .collect();
    if !std::ptr::eq(variant.kernel, &TILES) {
        let packs = std::ptr::eq(variant.kernel, &SUBGROUP) && operands.in_whole_packs(precision);
        let width = if packs { Width::Pack } else { Width::Single };
        let precision = Precision { width, ..precision };
        let cols_each = value("COLS").next_multiple_of(precision.pack() as usize);
        return Plan {
            precision,
            constants,
            down: rows.div_ceil(value("ROWS")),
            across: cols.div_ceil(value("WORKGROUP") * cols_each),
            layout: Layout::Direct(variant.kernel),
        };
    }
    constants.extend([
        ("A_TURNED", u32::from(operands.a.0)),
        ("B_TURNED", u32::from(operands.b.0)),
        ("STORES_PARTS", u32::from(stores_parts)),
    ]);
    let (down, across) = tiles(variant, operands.shape);
    Plan {
        precision,
        constants,
        down,
        across,
        layout: Layout::Tiles {
            a_leading: operands.a.1,
            b_leading: operands.b.1,
            parts: tiling(variant, precision, depth).share_out(down * across),
            area: value("TILE_ROWS") * value("TILE_COLS"),
        },
    }
}

/// Tiles of C, down and across.
pub(super) fn tiles(variant: &Variant, shape: Shape) -> (usize, usize) {
    let value = |name: &str| variant.value(name) as usize;
    (
        shape.rows.div_ceil(value("TILE_ROWS")),
        shape.cols.div_ceil(value("TILE_COLS")),
    )
}

/// How the tiles of a variant run.
pub(super) fn tiling(variant: &Variant, precision: Precision, depth: usize) -> Tiling {
    let value = |name: &str| variant.value(name) as usize;
    let [rows, cols, step] = ["ROWS", "COLS", "DEPTH"].map(value);
    let [tile_rows, tile_cols] = ["TILE_ROWS", "TILE_COLS"].map(value);
    let invocations = tile_rows * tile_cols / (rows * cols);
    // Sums, what is multiplied, twice where the next are read meanwhile, and what is on its way from memory; for addresses there
    // are some more. Of pairs a compiler keeps fewer.
    let scalars = rows * cols + (rows + cols) + (tile_rows + tile_cols) * step / invocations;
    let words = precision.scalar.size() / REGISTER;
    let registers = match precision.scalar {
        ScalarKind::F32 | ScalarKind::F64 => (scalars + rows + cols) * words + ADDRESSES,
        ScalarKind::Df64 | ScalarKind::Dd => scalars * words,
    };
    let most = REGISTERS / (registers.next_multiple_of(8) * invocations);
    Tiling {
        multiprocessors: value("MULTIPROCESSORS"),
        occupancy: most.clamp(1, INVOCATIONS / invocations),
        invocations,
        depth,
        step,
        scalar: precision.scalar,
    }
}

/// The registers and the invocations of a multiprocessor of NVIDIA, and the bytes of a register. Others have as many or more.
const REGISTERS: usize = 65_536;
const INVOCATIONS: usize = 2048;
const REGISTER: usize = 4;

/// Registers of an invocation for addresses: with these, as many workgroups share a multiprocessor as do on an H200, but for one
/// or two tiles (BENCHMARKS.md).
const ADDRESSES: usize = 24;

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
        // Only one of these kernels reads packs.
        Layout::Direct(_) if plan.precision.is_long_on(a.device().adapter()) => {
            direct(gpu, &SUBGROUP_LONG, plan, (alpha, beta), a, b, c)
        }
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
        parts,
        area,
    } = plan.layout
    else {
        unreachable!("the caller has looked")
    };
    let pack = plan.precision.pack() as usize;
    let kept = parts.rest * parts.parts * area;
    // Bound also where nothing is kept: of a kernel without it, compilers made a slower one (BENCHMARKS.md).
    let space = gpu.scratch("parts of products", (kept.max(4) * size_of::<T>()) as u64)?;
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
            .size("c_offset", c.offset / pack)
            .size("c_leading", c.leading / pack)
            .size("tiles_across", plan.across)
            .size("whole", parts.whole)
            .size("rest", parts.rest)
            .size("parts", parts.parts)
            .size("chunk", parts.chunk)
            .integer("reads_c", u32::from(!beta.is_zero()))
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &[a.buffer.gpu(), b.buffer.gpu(), c.buffer.gpu(), &space],
        grid: Grid::of(parts.workgroups() as u64),
        work: plan.work(size_of::<T>(), c.rows, c.cols, a.cols),
    })?;
    if parts.rest == 0 {
        return Ok(());
    }
    let tile = |constant: &Constant| (constant.name, constant.value(&plan.constants));
    gpu.launch(&Launch {
        kernel: &FINISH,
        precision: Precision {
            width: Width::Single,
            ..plan.precision
        },
        constants: &[tile(&TILE_ROWS), tile(&TILE_COLS)],
        params: Params::new()
            .size("rows", c.rows)
            .size("cols", c.cols)
            .size("tiles_across", plan.across)
            .size("whole", parts.whole)
            .size("rest", parts.rest)
            .size("parts", parts.parts)
            .size("c_offset", c.offset)
            .size("c_leading", c.leading)
            .integer("reads_c", u32::from(!beta.is_zero()))
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &[&space, c.buffer.gpu()],
        grid: Grid::covering((parts.rest * area) as u64, WORKGROUP.default.into()),
        work: Work {
            bytes: ((kept + parts.rest * area) * size_of::<T>()) as u64,
            operations: kept as u64,
        },
    })
}
