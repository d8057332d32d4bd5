//! How a variant of GEMM shares out a call, and how that is launched: in one dispatch, or in partial products and their sum.

use super::kernels::{FINISH, SUBGROUP, TILES};
use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Kernel, WORKGROUP};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;
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
    /// Panels of A and B, whose lines are so many elements apart, and the depth in parts.
    Tiles {
        a_leading: usize,
        b_leading: usize,
        splits: usize,
        chunk: usize,
    },
}

impl Plan {
    fn work(&self, size: usize, rows: usize, cols: usize, depth: usize) -> Work {
        let scalars = rows * cols + (rows * depth).saturating_mul(self.across);
        Work {
            bytes: scalars.saturating_mul(size) as u64,
            operations: (rows * cols) as u64 * depth as u64,
        }
    }
}

/// How a variant shares out a call.
pub(super) fn share_out(variant: &Variant, precision: Precision, operands: Operands) -> Plan {
    let Shape { rows, cols, depth } = operands.shape;
    let value = |name: &str| variant.value(name) as usize;
    let mut constants: Vec<_> = variant
        .constants
        .iter()
        .copied()
        .filter(|(name, _)| *name != "SPLITS")
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
    ]);
    let chunk = depth.div_ceil(value("SPLITS")).next_multiple_of(value("DEPTH")).max(1);
    Plan {
        precision,
        constants,
        down: rows.div_ceil(value("TILE_ROWS")),
        across: cols.div_ceil(value("TILE_COLS")),
        layout: Layout::Tiles {
            a_leading: operands.a.1,
            b_leading: operands.b.1,
            splits: depth.div_ceil(chunk).max(1),
            chunk,
        },
    }
}

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
