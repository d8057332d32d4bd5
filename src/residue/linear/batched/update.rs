//! What a panel asks of everything below and right of it.

use super::{BLOCK, BLOCK_COLS, Batch, ELIMINATION};
use crate::device::kernel::{Access, Kernel, Vocabulary, fragment};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::residue::map::no_scalar;

/// The side of a workgroup's tile, as the shader has it.
const TILE: usize = 64;

/// Subtracts L U in the columns from `first` on. Rows that are left begin at `top` or below it. Cost: one dispatch, 32
/// multiply-adds an element, which is read and written once.
pub(super) fn launch(gpu: &Gpu, batch: &Batch, first: usize, top: usize) -> Result<()> {
    let (down, across) = (
        (batch.rows.saturating_sub(top)).div_ceil(TILE),
        (batch.width - first).div_ceil(TILE),
    );
    let tiles = (down * across) as u64 * batch.primes as u64;
    if tiles == 0 {
        return Ok(());
    }
    let elements = tiles * (TILE * TILE) as u64;
    gpu.launch(&Launch {
        kernel: &UPDATE,
        precision: no_scalar(),
        constants: &[],
        params: Params::new()
            .size("rows", batch.rows)
            .size("width", batch.width)
            .size("first", first)
            .size("across", across)
            .size("down", down)
            .size("primes", batch.primes),
        buffers: &[batch.table.gpu(), batch.a.gpu(), batch.lower.gpu(), batch.state.gpu()],
        grid: Grid::of(tiles),
        work: Work {
            bytes: 12 * elements,
            operations: 3 * elements * BLOCK_COLS as u64,
        },
    })
}

pub(super) static UPDATE: Kernel = Kernel {
    name: "residue linear update",
    entry: "update",
    source: fragment!("residue/linear/batched/update.wgsl"),
    fragments: ELIMINATION,
    bindings: &[Access::Read, Access::ReadWrite, Access::Read, Access::Read],
    integers: &["rows", "width", "first", "across", "down", "primes"],
    scalars: &[],
    constants: &[BLOCK],
    vocabulary: Vocabulary::Integers,
};
