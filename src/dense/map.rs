//! Element-by-element kernels: three skeletons, by the vectors that they touch, and the choice of how wide to read.
//!
//! Bound by memory: every element is read and written once, 16 bytes at a time where the operands lie so.

use super::vector::{VectorView, VectorViewMut};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// The invocations of a workgroup: 128 with 2 packs each were the fastest of 16 pairs on an H200 (BENCHMARKS.md).
const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 128,
};

/// Packs that one invocation updates.
const UNROLL: Constant = Constant {
    name: "UNROLL",
    default: 2,
};

const fn kernel(
    name: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    bindings: &'static [Access],
    integers: &'static [&'static str],
) -> Kernel {
    let constants = &[WORKGROUP, UNROLL];
    Kernel {
        name,
        entry: "map",
        source,
        fragments,
        bindings,
        integers,
        scalars: &["alpha"],
        constants,
        vocabulary: Vocabulary::Packs,
    }
}

/// y ← f(α, y).
pub(super) const fn kernel_y(name: &'static str, source: Fragment) -> Kernel {
    const LIBRARY: &[Fragment] = &[fragment!("lib/grid.wgsl"), fragment!("lib/map_y.wgsl")];
    kernel(
        name,
        source,
        LIBRARY,
        &[Access::ReadWrite],
        &["n", "y_offset", "y_stride"],
    )
}

/// y ← f(α, x, y).
pub(super) const fn kernel_xy(name: &'static str, source: Fragment) -> Kernel {
    const LIBRARY: &[Fragment] = &[fragment!("lib/grid.wgsl"), fragment!("lib/map_xy.wgsl")];
    const INTEGERS: &[&str] = &["n", "x_offset", "x_stride", "y_offset", "y_stride"];
    kernel(name, source, LIBRARY, &[Access::Read, Access::ReadWrite], INTEGERS)
}

/// z ← f(α, x, y).
pub(super) const fn kernel_xyz(name: &'static str, source: Fragment) -> Kernel {
    const LIBRARY: &[Fragment] = &[fragment!("lib/grid.wgsl"), fragment!("lib/map_xyz.wgsl")];
    const INTEGERS: &[&str] = &[
        "n", "x_offset", "x_stride", "y_offset", "y_stride", "z_offset", "z_stride",
    ];
    kernel(
        name,
        source,
        LIBRARY,
        &[Access::Read, Access::Read, Access::ReadWrite],
        INTEGERS,
    )
}

/// Launches a map over what is read, in the kernel's order, and what is written.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    kernel: &'static Kernel,
    alpha: T,
    read: &[VectorView<'_, T>],
    written: &VectorViewMut<'_, T>,
) -> Result<()> {
    let written = written.as_view();
    let n = written.len();
    if n == 0 {
        return Ok(());
    }
    let views = || read.iter().chain([&written]);
    let width = width(views());
    let precision = Precision::of::<T>(width);
    let mut params = Params::new().size("n", n);
    let names = kernel.integers[1..].chunks_exact(2);
    for (view, name) in views().zip(names) {
        let (offset, stride) = in_packs(view, precision);
        params = params.size(name[0], offset).size(name[1], stride);
    }
    let buffers: Vec<_> = views().map(|view| view.buffer.gpu()).collect();
    let packs = n.div_ceil(precision.pack() as usize) as u64;
    let work = Work {
        bytes: n as u64 * (size_of::<T>() * (read.len() + 2)) as u64,
        operations: n as u64,
    };
    gpu.launch(&Launch {
        kernel,
        precision,
        constants: &[],
        params: params.scalar("alpha", alpha),
        buffers: &buffers,
        grid: Grid::covering(packs, u64::from(WORKGROUP.default * UNROLL.default)),
        work,
    })
}

/// Packs where every operand is contiguous and begins on 16 bytes.
pub(super) fn width<'a, 'b: 'a, T: Scalar>(mut views: impl Iterator<Item = &'a VectorView<'b, T>>) -> Width {
    let packable = |view: &VectorView<'_, T>| view.stride == 1 && (view.offset * size_of::<T>()).is_multiple_of(16);
    if views.all(packable) {
        Width::Pack
    } else {
        Width::Single
    }
}

/// A view's offset and stride, counted in packs.
pub(super) fn in_packs<T>(view: &VectorView<'_, T>, precision: Precision) -> (usize, usize) {
    match precision.width {
        Width::Single => (view.offset, view.stride),
        Width::Pack => (view.offset / precision.pack() as usize, 1),
    }
}
