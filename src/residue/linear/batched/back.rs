//! U x = y, one workgroup a right-hand side and prime.

use super::Batch;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::{AdapterKind, Buffer, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::residue::kernel_parts::MODULAR;
use crate::residue::map::no_scalar;

/// A row's sum is short, and every row waits for the one below.
const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 64,
};

/// Writes the solutions, one column after the other for each prime. Cost: n²/2 products for each column, in one dispatch; on drivers
/// that compute on the CPU in as many as keep to the turns of loops that they allow.
pub(super) fn launch(gpu: &Gpu, kind: AdapterKind, batch: &Batch, sides: usize, x: &Buffer<u32>) -> Result<()> {
    let (n, columns) = (batch.rows, (batch.primes * sides) as u64);
    // A row's own turn, its sum by an invocation and by halves, and the reciprocal of its pivot.
    let of_row = 1 + n.div_ceil(WORKGROUP.default as usize) + WORKGROUP.default.ilog2() as usize + 32;
    let rows = (kind.most_turns() / of_row).max(1);
    let mut bottom = n;
    while bottom > 0 {
        let top = bottom.saturating_sub(rows);
        let products = columns * (bottom - top) as u64 * (2 * n - top - bottom) as u64 / 2;
        gpu.launch(&Launch {
            kernel: &BACK,
            precision: no_scalar(),
            constants: &[],
            params: Params::new()
                .size("n", n)
                .size("sides", sides)
                .size("primes", batch.primes)
                .size("top", top)
                .size("bottom", bottom),
            buffers: &[batch.table.gpu(), batch.a.gpu(), x.gpu()],
            grid: Grid::of(columns),
            work: Work {
                bytes: 8 * products,
                operations: 10 * products,
            },
        })?;
        bottom = top;
    }
    Ok(())
}

pub(super) static BACK: Kernel = Kernel {
    name: "residue linear back",
    entry: "back",
    source: fragment!("residue/linear/batched/back.wgsl"),
    fragments: MODULAR,
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["n", "sides", "primes", "top", "bottom"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};
