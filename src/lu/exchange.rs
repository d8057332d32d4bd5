//! The row exchanges of a block of columns, all at once.

use super::borders::SIZE;
use super::shape::LANES;
use super::state::{BLOCK, Block, State, WIDEST};
use super::step::Step;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Moves the rows to where [`super::step`] has placed them in one stage, or [`super::tournament`] (in the table of places, from
/// `places` on), in all columns, and the order of the rows with them. Takes to A the L of a step that is `away`, since none followed.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    state: &State<'_>,
    block: Block,
    places: usize,
    away: Option<&Step>,
) -> Result<()> {
    debug_assert!(block.steps <= BLOCK.default as usize, "so many rows move at once");
    let strips = a.cols().div_ceil(LANES.default as usize);
    let rows = a.rows() - block.first;
    let homes = away.map_or(0, |step| {
        rows.div_ceil(BLOCK.default as usize) * step.width.div_ceil(LANES.default as usize)
    });
    gpu.launch(&Launch {
        kernel: &EXCHANGE,
        precision: Precision::of::<T>(Width::Single),
        constants: &[(SIZE.name, BLOCK.default)],
        params: Params::new()
            .size("first", block.first)
            .size("size", block.steps)
            .size("leading", a.cols())
            .size("limit", block.limit)
            .size("places", places)
            .size("strips", strips)
            .size("height", rows)
            .size("away", away.map_or(block.steps, |step| step.column))
            .size("lower", away.map_or(0, |step| (2 + step.number % 2) * WIDEST * rows)),
        buffers: &[
            a.buffer().gpu(),
            &state.upper,
            &state.place,
            &state.source,
            state.order.gpu(),
            &state.panels,
        ],
        grid: Grid::of((strips + 1 + homes) as u64),
        work: Work {
            bytes: 4 * (block.steps * a.cols() * size_of::<T>()) as u64,
            operations: 0,
        },
    })
}

pub(super) static EXCHANGE: Kernel = Kernel {
    name: "lu::exchange",
    entry: "exchange",
    source: fragment!("lu/exchange.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl"), fragment!("lu/moves.wgsl")],
    bindings: &[
        Access::ReadWrite,
        Access::Read,
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::Read,
    ],
    integers: &[
        "first", "size", "leading", "limit", "places", "strips", "height", "away", "lower",
    ],
    scalars: &[],
    constants: &[WORKGROUP, LANES, SIZE],
    vocabulary: Vocabulary::Elements,
};
