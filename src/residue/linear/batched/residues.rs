//! The residues of integers, modulo all primes of a batch.

use super::Batch;
use crate::device::kernel::{Access, Kernel, Vocabulary, fragment};
use crate::device::{Buffer, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::residue::kernel_parts::MODULAR;
use crate::residue::map::{WORKGROUP, no_scalar};

/// Writes the matrix modulo each prime. Cost: one dispatch, `words` `u32`s read and one written for each residue, 4 products
/// for each word.
pub(super) fn launch(gpu: &Gpu, batch: &Batch, integers: &Buffer<u32>, words: usize) -> Result<()> {
    let n = batch.rows * batch.width;
    let blocks = n.div_ceil(WORKGROUP.default as usize);
    let residues = (n * batch.primes) as u64;
    gpu.launch(&Launch {
        kernel: &RESIDUES,
        precision: no_scalar(),
        constants: &[],
        params: Params::new()
            .size("n", n)
            .size("blocks", blocks)
            .size("primes", batch.primes)
            .size("words", words),
        buffers: &[batch.table.gpu(), integers.gpu(), batch.a.gpu()],
        grid: Grid::of(blocks as u64 * batch.primes as u64),
        work: Work {
            bytes: 4 * residues * (words as u64 + 1),
            operations: 12 * residues * words as u64,
        },
    })
}

pub(super) static RESIDUES: Kernel = Kernel {
    name: "residue linear residues",
    entry: "residues",
    source: fragment!("residue/linear/batched/residues.wgsl"),
    fragments: MODULAR,
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["n", "blocks", "primes", "words"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};
