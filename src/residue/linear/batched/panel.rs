//! Elimination in a block of columns, one workgroup a prime.

use super::{BLOCK, BLOCK_COLS, Batch, ELIMINATION};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::residue::map::no_scalar;

/// Turns of its loops that an invocation takes, at most.
pub(super) fn turns(rows: usize) -> usize {
    // A share of the rows is read, and for each column gone through twice, once with a sum of pairs of products; beside it
    // there are a reciprocal and two more such sums.
    let share = rows.div_ceil(WORKGROUP.default as usize);
    share * (BLOCK_COLS + BLOCK_COLS * (2 + BLOCK_COLS / 2)) + BLOCK_COLS * (33 + BLOCK_COLS)
}

/// Eliminates in `cols` columns from `first` on. Cost: one dispatch, `cols`² multiply-adds a row.
pub(super) fn launch(gpu: &Gpu, batch: &Batch, first: usize, cols: usize) -> Result<()> {
    let elements = (batch.primes * batch.rows * BLOCK_COLS) as u64;
    gpu.launch(&Launch {
        kernel: &PANEL,
        precision: no_scalar(),
        constants: &[],
        params: Params::new()
            .size("rows", batch.rows)
            .size("width", batch.width)
            .size("first", first)
            .size("cols", cols)
            .size("primes", batch.primes),
        buffers: &[
            batch.table.gpu(),
            batch.a.gpu(),
            batch.lower.gpu(),
            batch.inverses.gpu(),
            batch.state.gpu(),
        ],
        grid: Grid::of(batch.primes as u64),
        work: Work {
            bytes: 4 * elements * (3 + cols as u64),
            operations: 4 * elements * cols as u64,
        },
    })
}

pub(super) static PANEL: Kernel = Kernel {
    name: "residue linear panel",
    entry: "panel",
    source: fragment!("residue/linear/batched/panel.wgsl"),
    fragments: ELIMINATION,
    bindings: &[
        Access::Read,
        Access::ReadWrite,
        Access::ReadWrite,
        Access::ReadWrite,
        Access::ReadWrite,
    ],
    integers: &["rows", "width", "first", "cols", "primes"],
    scalars: &[],
    constants: &[WORKGROUP, BLOCK],
    vocabulary: Vocabulary::Integers,
};
