//! Reductions: two passes in a fixed order, so that the same device gives the same bits every time.

use super::map::{in_packs, width};
use super::vector::{Vector, VectorView, VectorViewMut};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Gpu, GpuBuffer, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// The two kernels of a reduction, over one file that says what is summed and how.
pub(super) struct Reduction {
    /// A partial sum for every workgroup.
    pub(super) partial: Kernel,
    /// Their sum.
    pub(super) last: Kernel,
    /// The bytes of one partial sum, as a number of scalars.
    partial_scalars: usize,
}

/// Packs that one invocation has in flight.
const UNROLL: Constant = Constant {
    name: "UNROLL",
    default: 4,
};

/// Workgroups of the first pass, at most: enough to fill any device, few enough for the second pass.
const GROUPS: u64 = 2048;

impl Reduction {
    /// Over x.
    pub(super) const fn over_x(names: [&'static str; 2], source: Fragment, partial_scalars: usize) -> Self {
        const LIBRARY: &[Fragment] = &[fragment!("lib/workgroup_combine.wgsl"), fragment!("lib/reduce_x.wgsl")];
        let integers = &["n", "x_offset", "x_stride"];
        let partial = first(
            names[0],
            "reduce_x",
            source,
            LIBRARY,
            &[Access::Read, Access::ReadWrite],
            integers,
        );
        Self {
            partial,
            last: second(names[1], source),
            partial_scalars,
        }
    }

    /// Over pairs of x and y.
    pub(super) const fn over_xy(names: [&'static str; 2], source: Fragment, partial_scalars: usize) -> Self {
        const LIBRARY: &[Fragment] = &[fragment!("lib/workgroup_combine.wgsl"), fragment!("lib/reduce_xy.wgsl")];
        let integers = &["n", "x_offset", "x_stride", "y_offset", "y_stride"];
        let bindings = &[Access::Read, Access::Read, Access::ReadWrite];
        let partial = first(names[0], "reduce_xy", source, LIBRARY, bindings, integers);
        Self {
            partial,
            last: second(names[1], source),
            partial_scalars,
        }
    }

    /// Records both passes over `x`, or over `x` and `y`, in the precision of `scalar`; the result goes to `result`.
    pub(super) fn launch<T: Scalar, R>(
        &'static self,
        gpu: &Gpu,
        scalar: ScalarKind,
        read: &[VectorView<'_, T>],
        result: &VectorViewMut<'_, R>,
    ) -> Result<()> {
        let n = read[0].len();
        let precision = Precision {
            scalar,
            element: T::KIND,
            width: width(read.iter()),
        };
        let packs = n.div_ceil(precision.pack() as usize) as u64;
        let per_group = u64::from(WORKGROUP.default * UNROLL.default);
        let groups = packs.div_ceil(per_group).clamp(1, GROUPS);
        // Sums of indices are no larger than sums of the widest scalar.
        let partial_bytes = groups * (self.partial_scalars * scalar.size()) as u64;
        let partials = gpu.scratch("partial sums", partial_bytes)?;
        let mut params = Params::new().size("n", n);
        for (view, name) in read.iter().zip(self.partial.integers[1..].chunks_exact(2)) {
            let (offset, stride) = in_packs(view, precision);
            params = params.size(name[0], offset).size(name[1], stride);
        }
        let mut buffers: Vec<_> = read.iter().map(|view| view.buffer.gpu()).collect();
        buffers.push(&partials);
        let bytes = n as u64 * (size_of::<T>() * read.len()) as u64;
        gpu.launch(&Launch {
            kernel: &self.partial,
            precision,
            constants: &[],
            params,
            buffers: &buffers,
            grid: Grid::of(groups),
            work: Work {
                bytes,
                operations: n as u64,
            },
        })?;
        self.finish(gpu, precision, &partials, groups, result)
    }

    /// Records the last pass: the sum of `count` partial sums goes to `result`.
    pub(super) fn finish<R>(
        &'static self,
        gpu: &Gpu,
        precision: Precision,
        partials: &GpuBuffer,
        count: u64,
        result: &VectorViewMut<'_, R>,
    ) -> Result<()> {
        gpu.launch(&Launch {
            kernel: &self.last,
            precision: Precision {
                width: Width::Single,
                ..precision
            },
            constants: &[],
            params: Params::new()
                .integer("count", crate::device::narrow(count))
                .size("result_offset", result.offset),
            buffers: &[partials, result.buffer.gpu()],
            grid: Grid::of(1),
            work: Work {
                bytes: count * (self.partial_scalars * precision.scalar.size()) as u64,
                operations: count,
            },
        })
    }
}

/// Runs a reduction into a fresh element and reads it back.
pub(super) async fn to_host<R: Scalar>(
    device: &crate::Device,
    reduce: impl FnOnce(VectorViewMut<'_, R>) -> Result<()>,
) -> Result<R> {
    let mut result = Vector::zeros(device, 1)?;
    reduce(result.view_mut())?;
    first_of(result.buffer()).await
}

/// The only element of a buffer of one.
pub(super) async fn first_of<R: bytemuck::Pod>(buffer: &Buffer<R>) -> Result<R> {
    Ok(buffer.to_host().await?[0])
}

const fn first(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    bindings: &'static [Access],
    integers: &'static [&'static str],
) -> Kernel {
    let constants = &[WORKGROUP, UNROLL];
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings,
        integers,
        scalars: &[],
        constants,
        vocabulary: Vocabulary::Packs,
    }
}

const fn second(name: &'static str, source: Fragment) -> Kernel {
    Kernel {
        name,
        entry: "reduce_final",
        source,
        fragments: &[
            fragment!("lib/workgroup_combine.wgsl"),
            fragment!("lib/reduce_final.wgsl"),
        ],
        bindings: &[Access::Read, Access::ReadWrite],
        integers: &["count", "result_offset"],
        scalars: &[],
        constants: &[WORKGROUP],
        vocabulary: Vocabulary::Packs,
    }
}
