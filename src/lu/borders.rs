//! L below, and U right of, a factored block on the diagonal.

use std::ops::Range;

use super::options::Panels;
use super::shape::{LANES, WIDTH};
use super::state::{BLOCK, Copies};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Device, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// A block on the diagonal that is factored, and what is beside it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Its first row and column.
    pub(super) first: usize,
    /// Its rows and columns, at most [`BLOCK`].
    pub(super) size: usize,
    pub(super) below: Below,
    /// The columns in which U is.
    pub(super) right: Range<usize>,
    /// Where strips are worked on.
    pub(super) panels: Panels,
}

/// What is asked for in the rows below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    /// L, which is solved for.
    Solution,
    /// A copy of L, which is known.
    Copy,
    Nothing,
}

/// Solves `X U = A` in all rows below the block, if asked, and `L X = A` in the columns right of it. X overwrites A, and
/// goes to the copies, and so does L below the block if it is known. Where a pivot is zero, L's column is.
///
/// Cost on a GPU: one dispatch.
pub(super) fn solve<T: Scalar>(a: &mut Matrix<T>, block: &Block, copies: &mut Copies<T>) -> Result<()> {
    let (rows, cols) = (a.rows(), a.cols());
    let below = match block.below {
        Below::Nothing => 0,
        Below::Solution | Below::Copy => rows - block.first - block.size,
    };
    let solved = if block.below == Below::Solution { below } else { 0 };
    let right = block.right.len();
    debug_assert!(block.size <= BLOCK.default as usize && block.right.end <= cols);
    debug_assert!(copies.lower.rows() >= below && copies.upper.cols() >= right);
    match a.device().clone().ground() {
        Ground::Host => {
            on_host(a, block, below, copies);
            Ok(())
        }
        Ground::Gpu(gpu) => {
            let (kernel, lanes, constants) = variant::<T>(a.device(), block.panels, solved + right);
            let groups = |of: usize| of.div_ceil(lanes as usize);
            gpu.launch(&Launch {
                kernel,
                precision: Precision::of::<T>(Width::Single),
                constants: &constants,
                params: Params::new()
                    .size("first", block.first)
                    .size("size", block.size)
                    .size("leading", cols)
                    .size("rows", rows)
                    .size("begin", block.right.start)
                    .size("end", block.right.end)
                    .size("below", groups(below))
                    .size("known", usize::from(block.below == Below::Copy))
                    .size("lower_leading", copies.lower.cols())
                    .size("upper_leading", copies.upper.cols()),
                buffers: &[
                    a.buffer().gpu(),
                    copies.lower.buffer().gpu(),
                    copies.upper.buffer().gpu(),
                ],
                grid: Grid::of((groups(below) + groups(right)) as u64),
                work: Work {
                    // What is only copied is written once.
                    bytes: (block.size * (3 * (solved + right) + 2 * (below - solved)) * size_of::<T>()) as u64,
                    operations: (block.size * block.size) as u64 * (solved + right) as u64 / 2,
                },
            })
        }
    }
}

fn on_host<T: Scalar>(a: &mut Matrix<T>, block: &Block, below: usize, copies: &mut Copies<T>) {
    let (first, size, cols) = (block.first, block.size, a.cols());
    let (lower_leading, upper_leading) = (copies.lower.cols(), copies.upper.cols());
    let a = a.buffer_mut().host_mut();
    let (top, rest) = a.split_at_mut((first + size) * cols);
    let lower = copies
        .lower
        .buffer_mut()
        .host_mut()
        .chunks_exact_mut(lower_leading.max(1));
    let unknown = if block.below == Below::Solution { size } else { 0 };
    for (row, copy) in rest.chunks_exact_mut(cols.max(1)).take(below).zip(lower) {
        for j in 0..unknown {
            let u = |k: usize| top[(first + k) * cols + first + j];
            let sum = (0..j).fold(row[first + j], |sum, k| (-row[first + k]).mul_add(u(k), sum));
            row[first + j] = if u(j).is_zero() { T::zero() } else { sum / u(j) };
        }
        copy[..size].copy_from_slice(&row[first..first + size]);
    }
    let upper = copies.upper.buffer_mut().host_mut();
    for i in 0..size {
        let (before, row) = top.split_at_mut((first + i) * cols);
        for k in 0..i {
            let negative = -row[first + k];
            let solved = &before[(first + k) * cols..][block.right.clone()];
            row[block.right.clone()]
                .iter_mut()
                .zip(solved)
                .for_each(|(x, u)| *x = negative.mul_add(*u, *x));
        }
        upper[i * upper_leading..][..block.right.len()].copy_from_slice(&row[block.right.clone()]);
    }
}

/// Kernel, lanes of a strip, and constants, for so many rows and columns together.
fn variant<T: Scalar>(
    device: &Device,
    panels: Panels,
    lines: usize,
) -> (&'static Kernel, u32, Vec<(&'static str, u32)>) {
    if panels.keep_triangles::<T>(device) {
        let (lanes, constants) = in_registers::<T>(lines);
        return (&BORDERS_REGISTERS, lanes, constants.into());
    }
    let (lanes, width) = tile::<T>();
    let constants = vec![
        (LANES.name, lanes),
        (WIDTH.name, width),
        (SIZE.name, BLOCK.default),
        (WORKGROUP.name, super::waiting_invocations(device)),
    ];
    (&BORDERS, lanes, constants)
}

/// Lanes and constants of strips in registers, for so many rows and columns together.
pub(super) fn in_registers<T: Scalar>(lines: usize) -> (u32, [(&'static str, u32); 5]) {
    // So many unknowns that with columns of a block they fill less than 16 KiB of workgroup memory.
    let [wide, narrow] = match T::KIND {
        ScalarKind::F32 => [[32, 16, 2], [16, 16, 1]],
        _ => [[16, 8, 1], [8, 8, 1]],
    };
    let is_narrow = lines <= NARROW_STRIPS * narrow[0] as usize;
    let [lanes, width, abreast] = if is_narrow { narrow } else { wide };
    let constants = [
        (LANES.name, lanes),
        (WIDTH_IN_REGISTERS.name, width),
        (ABREAST.name, abreast),
        (SIZE.name, BLOCK.default),
        (WORKGROUP.name, lanes / abreast * width),
    ];
    (lanes, constants)
}

/// Lanes and width, so that strip and columns fill at most 16 KiB of workgroup memory.
pub(super) fn tile<T>() -> (u32, u32) {
    match size_of::<T>() {
        4 => (16, 16),
        8 => (8, 8),
        _ => (4, 4),
    }
}

/// Up to so many strips they are narrow: about one for each multiprocessor of what that was measured on (BENCHMARKS.md).
pub(super) const NARROW_STRIPS: usize = 128;

/// Unknowns of a step in registers: a fourth of a block at most, which are multiplied together.
pub(super) const WIDTH_IN_REGISTERS: Constant = Constant {
    name: "WIDTH",
    default: 8,
};

/// Neighbouring lanes of an invocation.
pub(super) const ABREAST: Constant = Constant {
    name: "ABREAST",
    default: 1,
};

/// The most rows and columns of a block.
pub(super) const SIZE: Constant = Constant {
    name: "SIZE",
    default: 32,
};

pub(super) static BORDERS: Kernel = kernel(
    "lu::borders",
    "borders",
    fragment!("lu/borders.wgsl"),
    &[
        fragment!("lib/grid.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/strips.wgsl"),
        fragment!("lu/strip.wgsl"),
    ],
    &[WORKGROUP, LANES, WIDTH, SIZE],
);

pub(super) static BORDERS_REGISTERS: Kernel = kernel(
    "lu::borders_registers",
    "borders_registers",
    fragment!("lu/borders_registers.wgsl"),
    &[
        fragment!("lib/grid.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/strips.wgsl"),
        fragment!("lu/strip.wgsl"),
        fragment!("lu/strip_registers.wgsl"),
    ],
    &[WORKGROUP, LANES, WIDTH_IN_REGISTERS, ABREAST, SIZE],
);

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    constants: &'static [Constant],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings: &[Access::ReadWrite; 3],
        integers: &[
            "first",
            "size",
            "leading",
            "rows",
            "begin",
            "end",
            "below",
            "known",
            "lower_leading",
            "upper_leading",
        ],
        scalars: &[],
        constants,
        vocabulary: Vocabulary::Elements,
    }
}
