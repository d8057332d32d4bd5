//! The inverses of the blocks on the diagonals of L and U.

use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Rows of a block: more than are substituted in a dispatch, since none of them waits for another. On an H200, a
/// solve of 4,096 rows took 0.55 ms with 128, 1.0 with 64 (BENCHMARKS.md).
pub(super) const BLOCK: Constant = Constant {
    name: "BLOCK",
    default: 128,
};

/// Of the square `factors`: those of L, then those of U, each by rows.
///
/// Cost: one dispatch, n·128²/3 multiply-adds, 256 n scalars.
pub(super) fn inverses<T: Scalar>(gpu: &Gpu, factors: &Matrix<T>) -> Result<Matrix<T>> {
    let (n, block) = (factors.rows(), BLOCK.default as usize);
    debug_assert!(n == factors.cols());
    let blocks = n.div_ceil(block);
    let inverses = Matrix::zeros(factors.device(), 2 * blocks * block, block)?;
    if blocks > 0 {
        gpu.launch(&Launch {
            kernel: &INVERT_BLOCKS,
            precision: Precision::of::<T>(Width::Single),
            constants: &[],
            params: Params::new().size("rows", n).size("blocks", blocks).size("leading", n),
            buffers: &[factors.buffer().gpu(), inverses.buffer().gpu()],
            grid: Grid::of(2 * blocks as u64),
            work: Work {
                bytes: (4 * n * block * size_of::<T>()) as u64,
                operations: (n * block * block) as u64 / 3,
            },
        })?;
    }
    Ok(inverses)
}

pub(super) static INVERT_BLOCKS: Kernel = Kernel {
    name: "lu::invert_blocks",
    entry: "invert_blocks",
    source: fragment!("lu/invert_blocks.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["rows", "blocks", "leading"],
    scalars: &[],
    constants: &[BLOCK],
    vocabulary: Vocabulary::Elements,
};
