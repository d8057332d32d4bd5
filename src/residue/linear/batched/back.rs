//! U x = y, one workgroup a right-hand side and prime.

use super::Batch;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::{Buffer, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::residue::kernel_parts::MODULAR;
use crate::residue::map::no_scalar;

/// A row's sum is short, and every row waits for the one below.
const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 64,
};

/// Writes the solutions, one column after the other for each prime. Cost: one dispatch, n²/2 products for each column.
pub(super) fn launch(gpu: &Gpu, batch: &Batch, sides: usize, x: &Buffer<u32>) -> Result<()> {
    let columns = (batch.primes * sides) as u64;
    let products = columns * (batch.rows * batch.rows / 2) as u64;
    gpu.launch(&Launch {
        kernel: &BACK,
        precision: no_scalar(),
        constants: &[],
        params: Params::new()
            .size("n", batch.rows)
            .size("sides", sides)
            .size("primes", batch.primes),
        buffers: &[batch.table.gpu(), batch.a.gpu(), x.gpu()],
        grid: Grid::of(columns),
        work: Work {
            bytes: 8 * products,
            operations: 10 * products,
        },
    })
}

pub(super) static BACK: Kernel = Kernel {
    name: "residue linear back",
    entry: "back",
    source: fragment!("residue/linear/batched/back.wgsl"),
    fragments: MODULAR,
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["n", "sides", "primes"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};
