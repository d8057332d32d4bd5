//! What a block that crews have factored in one dispatch asks before the products to its right: its row exchanges, its rows of U, and L.

use super::borders::{self, ABREAST, SIZE, WIDTH_IN_REGISTERS};
use super::shape::LANES;
use super::state::{BLOCK, Block, Copies, State, WIDEST};
use super::step::Step;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Moves the rows of `a` to where `step`, all panels of `block`, has placed them, and the order of the rows with them; solves
/// `L X = A` in the columns from the block to `end`, where X overwrites A and goes to the copy; and takes L to `a` and to the copy of what
/// is below the block.
///
/// Cost: one dispatch.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    state: &State<'_>,
    (block, step): (Block, &Step),
    end: usize,
    copies: &mut Copies<T>,
) -> Result<()> {
    debug_assert!(block.steps == block.limit && block.steps <= BLOCK.default as usize);
    let (rows, cols, begin) = (a.rows(), a.cols(), block.first + block.steps);
    let height = rows - block.first;
    debug_assert!(copies.lower.rows() >= height - block.steps && copies.upper.cols() >= end - begin);
    let (lanes, constants) = borders::in_registers::<T>(end - begin);
    let groups = |of: usize| of.div_ceil(lanes as usize);
    let below = height.div_ceil(BLOCK.default as usize) * groups(block.steps);
    gpu.launch(&Launch {
        kernel: &EXCHANGE_AND_BORDERS,
        precision: Precision::of::<T>(Width::Single),
        constants: &constants,
        params: Params::new()
            .size("first", block.first)
            .size("size", block.steps)
            .size("leading", cols)
            .size("rows", rows)
            .size("height", height)
            .size("begin", begin)
            .size("end", end)
            .size("below", below)
            .size("lower_leading", copies.lower.cols())
            .size("upper_leading", copies.upper.cols())
            .size("limit", block.limit)
            .size("places", step.number % 2 * height)
            .size("pivot_rows", (step.number + 1) % 2 * height)
            .size("lower_at", (2 + step.number % 2) * WIDEST * height),
        buffers: &[
            a.buffer().gpu(),
            copies.lower.buffer().gpu(),
            copies.upper.buffer().gpu(),
            &state.upper,
            &state.place,
            state.order.gpu(),
            &state.panels,
        ],
        grid: Grid::of((groups(end - begin) + groups(block.first) + groups(cols - end) + 1 + below) as u64),
        work: Work {
            bytes: (block.steps * (4 * cols + end - begin + 3 * height) * size_of::<T>()) as u64,
            operations: (block.steps * block.steps * (end - begin)) as u64 / 2,
        },
    })
}

pub(super) static EXCHANGE_AND_BORDERS: Kernel = Kernel {
    name: "lu::exchange_and_borders",
    entry: "exchange_and_borders",
    source: fragment!("lu/exchange_and_borders.wgsl"),
    fragments: &[
        fragment!("lib/grid.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/moves.wgsl"),
        fragment!("lu/strip.wgsl"),
        fragment!("lu/strip_registers.wgsl"),
    ],
    bindings: &[
        Access::ReadWrite,
        Access::ReadWrite,
        Access::ReadWrite,
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::Read,
    ],
    integers: &[
        "first",
        "size",
        "leading",
        "rows",
        "height",
        "begin",
        "end",
        "below",
        "lower_leading",
        "upper_leading",
        "limit",
        "places",
        "pivot_rows",
        "lower_at",
    ],
    scalars: &[],
    constants: &[WORKGROUP, LANES, WIDTH_IN_REGISTERS, ABREAST, SIZE],
    vocabulary: Vocabulary::Elements,
};
