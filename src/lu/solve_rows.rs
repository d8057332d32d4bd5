//! L X = B for the rows of U right of a block of columns.

use super::exchange::BLOCK;
use super::step::{LANES, WIDTH};
use crate::dense::{Matrix, MatrixViewMut};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Solves `L X = B` with the unit lower triangle of the first rows of `lower`; X overwrites `b`, and goes to the first rows
/// of `copy`. `b` has at most [`BLOCK`] rows.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    lower: &Matrix<T>,
    b: MatrixViewMut<'_, T>,
    copy: &mut Matrix<T>,
) -> Result<()> {
    debug_assert!(
        b.rows <= BLOCK.default as usize && b.rows <= lower.rows().min(lower.cols()) && b.cols <= copy.cols()
    );
    let (lanes, width) = tile::<T>();
    gpu.launch(&Launch {
        kernel: &SOLVE_ROWS,
        precision: Precision::of::<T>(Width::Single),
        constants: &[
            (LANES.name, lanes),
            (WIDTH.name, width),
            (SIZE.name, BLOCK.default),
            (WORKGROUP.name, super::waiting_invocations(lower.device())),
        ],
        params: Params::new()
            .size("size", b.rows)
            .size("cols", b.cols)
            .size("l_leading", lower.cols())
            .size("b_offset", b.offset)
            .size("b_leading", b.leading)
            .size("copy_leading", copy.cols()),
        buffers: &[lower.buffer().gpu(), b.buffer.gpu(), copy.buffer().gpu()],
        grid: Grid::covering(b.cols as u64, lanes.into()),
        work: Work {
            bytes: (3 * b.rows * b.cols * size_of::<T>()) as u64,
            operations: (b.rows * b.rows * b.cols) as u64 / 2,
        },
    })
}

/// Lanes and width, so that strip and columns fill at most 16 KiB of workgroup memory.
fn tile<T>() -> (u32, u32) {
    match size_of::<T>() {
        4 => (16, 16),
        8 => (8, 8),
        _ => (4, 4),
    }
}

const SIZE: Constant = Constant {
    name: "SIZE",
    default: 32,
};

pub(super) static SOLVE_ROWS: Kernel = Kernel {
    name: "lu::solve_rows",
    entry: "solve_rows",
    source: fragment!("lu/solve_rows.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite, Access::ReadWrite],
    integers: &["size", "cols", "l_leading", "b_offset", "b_leading", "copy_leading"],
    scalars: &[],
    constants: &[WORKGROUP, LANES, WIDTH, SIZE],
    vocabulary: Vocabulary::Elements,
};
