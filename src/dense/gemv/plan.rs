//! How a variant of GEMV shares out a call, and how that is launched: in one dispatch, or in partial sums and their end.

use super::kernels::{FINISH, FINISH_LANES, Form};
use crate::dense::map::in_packs;
use crate::dense::matrix::MatrixView;
use crate::dense::vector::{VectorView, VectorViewMut};
use crate::device::kernel::Kernel;
use crate::device::precision::{Precision, Width};
use crate::device::{AdapterKind, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;
use crate::tuning::{Shape, Variant};

/// A call, in the terms of its kernel: A as it lies, and how it is shared out.
pub(super) struct Plan {
    kernel: &'static Kernel,
    precision: Precision,
    constants: Vec<(&'static str, u32)>,
    /// Whether rows of A are rows in memory.
    by_rows: bool,
    stored_rows: usize,
    stored_cols: usize,
    leading: usize,
    /// Workgroups for one split.
    blocks: usize,
    splits: usize,
    /// Terms of a split; packs of them by rows.
    chunk: usize,
}

impl Plan {
    /// How many partial sums a split leaves, if there is more than one split.
    fn partials(&self) -> Option<usize> {
        let elements = if self.by_rows {
            self.stored_rows
        } else {
            self.stored_cols
        };
        (self.splits > 1).then_some(elements)
    }
}

/// How a variant shares out a shape. A variant that splits more finely than there are terms splits less, and one whose loops
/// a driver would end before their end splits more.
pub(super) fn share_out(
    variant: &Variant,
    precision: Precision,
    shape: Shape,
    leading: usize,
    kind: AdapterKind,
) -> Plan {
    let form = Form::of(variant.kernel);
    let by_rows = form.by_rows;
    let (stored_rows, stored_cols) = if by_rows {
        (shape.rows, shape.depth)
    } else {
        (shape.depth, shape.rows)
    };
    let (block, step) = form.block_and_step(|name| variant.value(name), precision);
    let (block, step) = (block as usize, step as usize);
    let terms = if by_rows {
        stored_cols / precision.pack() as usize
    } else {
        stored_rows
    };
    // By stages a turn takes one term at least, else a step.
    let a_turn = if form.staged { 1 } else { step };
    let most = (kind.most_turns() / 2).saturating_mul(a_turn);
    let splits = (variant.value("SPLITS") as usize).max(terms.div_ceil(most));
    let chunk = terms.div_ceil(splits).next_multiple_of(step).max(step);
    Plan {
        kernel: variant.kernel,
        precision,
        constants: variant
            .constants
            .iter()
            .copied()
            .filter(|(name, _)| *name != "SPLITS")
            .collect(),
        by_rows,
        stored_rows,
        stored_cols,
        leading,
        blocks: shape.rows.div_ceil(block),
        splits: terms.div_ceil(chunk).max(1),
        chunk,
    }
}

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
            (Form::of(plan.kernel).partial, Some(gpu.scratch("partial sums", bytes)?))
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
