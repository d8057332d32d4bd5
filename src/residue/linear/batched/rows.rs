//! The rows of U right of a panel.

use super::{BLOCK, BLOCK_COLS, Batch, ELIMINATION};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::residue::map::no_scalar;

/// Columns of a workgroup, whose elements of 32 rows are in its memory.
const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 64,
};

/// Exchanges rows and finishes those of the last panel's pivots, in the columns from `first` on. Cost: one dispatch, 32 reads
/// and writes a column and 32²/2 multiply-adds.
pub(super) fn launch(gpu: &Gpu, batch: &Batch, first: usize) -> Result<()> {
    let cols = batch.width - first;
    let blocks = cols.div_ceil(WORKGROUP.default as usize);
    let elements = (batch.primes * cols * BLOCK_COLS) as u64;
    gpu.launch(&Launch {
        kernel: &ROWS,
        precision: no_scalar(),
        constants: &[],
        params: Params::new()
            .size("rows", batch.rows)
            .size("width", batch.width)
            .size("first", first)
            .size("blocks", blocks)
            .size("primes", batch.primes),
        buffers: &[
            batch.table.gpu(),
            batch.a.gpu(),
            batch.inverses.gpu(),
            batch.state.gpu(),
        ],
        grid: Grid::of(blocks as u64 * batch.primes as u64),
        work: Work {
            bytes: 8 * elements,
            operations: 2 * elements * BLOCK_COLS as u64,
        },
    })
}

pub(super) static ROWS: Kernel = Kernel {
    name: "residue linear rows",
    entry: "rows",
    source: fragment!("residue/linear/batched/rows.wgsl"),
    fragments: ELIMINATION,
    bindings: &[Access::Read, Access::ReadWrite, Access::Read, Access::Read],
    integers: &["rows", "width", "first", "blocks", "primes"],
    scalars: &[],
    constants: &[WORKGROUP, BLOCK],
    vocabulary: Vocabulary::Integers,
};
