//! How a variant of GEMV shares out a call, and how that is launched: in one dispatch, or in partial sums and their end.

use super::kernels::{FINISH, FINISH_LANES, Form, ON_CPU, SHORT_SUM};
use crate::dense::map::in_packs;
use crate::dense::matrix::MatrixView;
use crate::dense::vector::{VectorView, VectorViewMut};
use crate::device::kernel::Kernel;
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, AdapterKind, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};
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
    /// Workgroups for a split, and how many blocks of elements of y one of them takes at most, one after the other.
    abreast: usize,
    takes: usize,
    splits: usize,
    /// Terms of a split; packs of them by rows.
    chunk: usize,
}

/// Workgroups that fill any device.
pub(super) const FILLING: usize = 1024;

/// Bytes of A.
pub(super) fn bytes(precision: Precision, shape: Shape) -> usize {
    let entries = shape.rows.saturating_mul(shape.depth);
    entries.saturating_mul(precision.element.size())
}

/// Whether A is gone through from both ends in turns.
pub(super) fn in_turns(precision: Precision, shape: Shape, adapter: &Adapter) -> bool {
    let entries = shape.rows.saturating_mul(shape.depth);
    !adapter.hardware().caches(entries, precision.element.size())
}

/// So many lanes' sums are sooner added up by one invocation than by several with barriers between them: a sum of pairs takes
/// as long as a barrier.
const fn short_sum(scalar: ScalarKind) -> u32 {
    match scalar {
        ScalarKind::F32 | ScalarKind::F64 => 32,
        ScalarKind::Df64 | ScalarKind::Dd => 8,
    }
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
    adapter: &Adapter,
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
    let most = (adapter.kind.most_turns() / 2).saturating_mul(a_turn);
    let splits = (variant.value("SPLITS") as usize).max(terms.div_ceil(most));
    let chunk = terms.div_ceil(splits).next_multiple_of(step).max(step);
    let splits = terms.div_ceil(chunk).max(1);
    let blocks = shape.rows.div_ceil(block);
    // Columns have segments instead, and what is staged goes one way. Elsewhere one kernel serves matrices of all sizes.
    let on_cpu = adapter.kind == AdapterKind::Software;
    let may_take_many = by_rows && !form.staged && !on_cpu;
    let takes_many = may_take_many && in_turns(precision, shape, adapter);
    let abreast = if takes_many {
        let mostly_cached = bytes(precision, shape) <= adapter.hardware().mostly_cached;
        side_by_side(blocks, splits, mostly_cached, precision.element, adapter)
    } else {
        blocks
    };
    Plan {
        kernel: variant.kernel,
        precision,
        constants: variant
            .constants
            .iter()
            .copied()
            .chain([
                (ON_CPU.name, u32::from(on_cpu)),
                (SHORT_SUM.name, short_sum(precision.scalar)),
            ])
            .filter(|(name, _)| variant.kernel.constants.iter().any(|constant| constant.name == *name))
            .collect(),
        by_rows,
        stored_rows,
        stored_cols,
        leading,
        abreast,
        takes: blocks.div_ceil(abreast).max(1),
        splits,
        chunk,
    }
}

/// Workgroups, so many on each multiprocessor.
pub(super) fn workgroups(each: usize, adapter: &Adapter) -> usize {
    each * adapter.hardware().multiprocessors as usize
}

/// Workgroups that run at once, each of one block.
pub(super) fn at_once(adapter: &Adapter) -> usize {
    workgroups(8, adapter)
}

/// Workgroups that go through the blocks of each split in turns: as many as run at once, so that each stays where it is. Where
/// most comes from memory, they are one fewer for each multiprocessor if that leaves fewer idle in the last turn.
fn side_by_side(blocks: usize, splits: usize, mostly_cached: bool, element: ScalarKind, adapter: &Adapter) -> usize {
    // With sums of f64 or Df64 a multiprocessor of an H100 has registers for seven (BENCHMARKS.md).
    let most = if element.size() == 8 { 7 } else { 8 };
    let of = |each| (workgroups(each, adapter) / splits).max(1);
    let turns = |abreast: usize| abreast * blocks.div_ceil(abreast);
    let (all, fewer) = (of(most), of(most - 1));
    let abreast = if mostly_cached || turns(all) <= turns(fewer) {
        all
    } else {
        fewer
    };
    abreast.min(blocks)
}

/// Records `y ← αAx + βy` as planned, from A's end or from its beginning: the bits are the same. A is not empty of rows.
pub(super) fn launch<T: Scalar, R: Scalar>(
    gpu: &Gpu,
    plan: &Plan,
    (alpha, beta): (R, R),
    a: &MatrixView<'_, T>,
    x: &VectorView<'_, T>,
    y: &VectorViewMut<'_, T>,
    backwards: bool,
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
            .size("abreast", plan.abreast)
            .size("takes", plan.takes)
            .size("splits", plan.splits)
            .size("chunk", plan.chunk)
            .integer("backwards", u32::from(backwards))
            .scalar("alpha", alpha)
            .scalar("beta", beta),
        buffers: &[
            a.buffer.gpu(),
            x.buffer.gpu(),
            space.as_deref().unwrap_or(y.buffer.gpu()),
        ],
        grid: Grid::of((plan.abreast * plan.splits) as u64),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemv::{GEMV, GEMV_TRANSPOSED};
    use crate::dense::{Matrix, Vector};
    use crate::device::{Device, Ground};
    use crate::tuning::Tunable;
    use crate::{Blocking as _, Select};

    #[test]
    fn as_many_workgroups_as_run_at_once_go_through_blocks_together() {
        let adapter = Adapter {
            name: "NVIDIA H200".to_owned(),
            ..Adapter::with_workgroups(AdapterKind::Discrete, 1024, 48 << 10)
        };
        let of = |blocks, splits, element| side_by_side(blocks, splits, false, element, &adapter);
        // Eight for each of 132 multiprocessors in two turns, and seven where eight would have eight blocks left for a third.
        assert_eq!(of(2104, 1, ScalarKind::F32), 8 * 132);
        assert_eq!(of(2120, 1, ScalarKind::F32), 7 * 132);
        assert_eq!(of(2120, 1, ScalarKind::F64), 6 * 132);
        // But while most comes from a cache, as many as run at once.
        assert_eq!(side_by_side(2120, 1, true, ScalarKind::F32, &adapter), 8 * 132);
        // Not more than there are blocks, and at least one for a split.
        assert_eq!(of(1000, 1, ScalarKind::F32), 1000);
        assert_eq!(of(300, 4, ScalarKind::F32), 7 * 33);
        assert_eq!(of(5, 2000, ScalarKind::F32), 1);
    }

    /// Blocks by one workgroup each, or three by one, and without a loop over them; from the beginning or from the end; in one
    /// dispatch, and in two.
    #[test]
    fn every_way_through_a_matrix_gives_the_same_bits() -> Result<()> {
        for adapter in Device::list().block_on() {
            let Some(index) = adapter.index else { continue };
            let device = Device::open(Select::Index(index)).block_on()?;
            for values in [[64, 16, 1, 4, 1], [256, 16, 2, 4, 1], [64, 64, 1, 4, 2]] {
                same_bits(&device, &GEMV, &GEMV.families[0].variant(&values), 3)?;
                // By subgroups, where there are any.
                let by_subgroups = GEMV.families[1].variant(&values);
                if GEMV.admits(&by_subgroups, device.adapter(), Precision::of::<f32>(Width::Pack)) {
                    same_bits(&device, &GEMV, &by_subgroups, 3)?;
                }
            }
            for values in [[256, 32, 4, 1, 8], [256, 32, 4, 4, 8], [128, 8, 4, 4, 1]] {
                let by_columns = GEMV_TRANSPOSED.families[0].variant(&values);
                same_bits(&device, &GEMV_TRANSPOSED, &by_columns, 1)?;
            }
        }
        Ok(())
    }

    fn same_bits(device: &Device, tunable: &Tunable, variant: &Variant, takes: usize) -> Result<()> {
        let precision = Precision::of::<f32>(Width::Pack);
        assert!(tunable.admits(variant, device.adapter(), precision), "{variant}");
        let by_rows = std::ptr::eq(tunable, &GEMV);
        let Ground::Gpu(gpu) = device.ground() else {
            return Ok(());
        };
        let (rows, depth) = (183, 1304);
        let fraction = |at: usize| ((at * 7919) % 1009) as f32 / 1024.0 - 0.4;
        let entries: Vec<f32> = (0..rows * depth).map(fraction).collect();
        let (down, across) = if by_rows { (rows, depth) } else { (depth, rows + 1) };
        let entries = [entries, vec![0.5; depth]].concat();
        let a = Matrix::from_rows(device, down, across, &entries[..down * across])?;
        let x = Vector::from_slice(device, &(0..depth).map(|at| fraction(at + 5)).collect::<Vec<_>>())?;
        let product = |(kind, takes, backwards): (AdapterKind, usize, bool)| {
            let view = if by_rows { a.view() } else { a.view().t() };
            let mut y = Vector::<f32>::zeros(device, view.rows)?;
            let shape = Shape::new(view.rows, 1, depth);
            let whole = share_out(
                variant,
                precision,
                shape,
                across,
                &Adapter::with_workgroups(kind, 1024, 48 << 10),
            );
            let plan = Plan {
                abreast: whole.abreast.div_ceil(takes),
                takes,
                ..whole
            };
            launch(gpu, &plan, (1.5_f32, 0.0), &view, &x.view(), &y.view_mut(), backwards)?;
            y.to_host().block_on()
        };
        let (gpu_kind, cpu_kind) = (AdapterKind::Discrete, AdapterKind::Software);
        let expected = product((gpu_kind, 1, false))?;
        assert!(expected.iter().all(|y| y.abs() > 1e-6), "{expected:?}");
        let on_gpus = [(1, true), (takes, false), (takes, true)].map(|(takes, back)| (gpu_kind, takes, back));
        for way in on_gpus.into_iter().chain([(cpu_kind, 1, false)]) {
            let found = product(way)?;
            assert!(
                bytemuck::cast_slice::<f32, u8>(&found) == bytemuck::cast_slice::<f32, u8>(&expected),
                "{variant} by {way:?} on {}",
                device.name()
            );
        }
        Ok(())
    }
}
