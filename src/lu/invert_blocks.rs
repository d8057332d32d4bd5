//! The inverses of the triangles on the diagonal of L and U.

use super::substitution::BLOCK;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Inverses of the diagonal blocks of factors, for [`solve_by`](super::substitution::solve_by).
pub(super) struct Inverses<T> {
    /// Those of L, 64 rows and columns each, one below the other, and those of U below them.
    pub(super) blocks: Matrix<T>,
}

/// The inverses of the diagonal blocks of square factors, column by column by substitution; `None` on the host, whose
/// substitution waits for nothing. Where U is singular, they are not finite.
///
/// Accuracy: `|T X − I| ≤ γ|T||X|`, γ = 64 roundings (Higham 2002, method 1 of section 14.2). Cost: one dispatch, 64²n/3
/// multiply-adds, and 128n scalars written.
pub(super) fn invert_blocks<T: Scalar>(factors: &Matrix<T>) -> Result<Option<Inverses<T>>> {
    debug_assert_eq!(factors.rows(), factors.cols());
    let n = factors.rows();
    let block = BLOCK.default as usize;
    let Ground::Gpu(gpu) = factors.device().ground() else {
        return Ok(None);
    };
    if n == 0 {
        return Ok(None);
    }
    let blocks = Matrix::zeros(factors.device(), 2 * n, block)?;
    let view = factors.view();
    gpu.launch(&Launch {
        kernel: &INVERT_BLOCKS,
        precision: Precision::of::<T>(Width::Single),
        constants: &[],
        params: Params::new()
            .size("n", n)
            .size("leading", view.row_stride)
            .size("blocks", n.div_ceil(block)),
        buffers: &[factors.buffer().gpu(), blocks.buffer().gpu()],
        grid: Grid::of(2 * n.div_ceil(block) as u64),
        work: Work {
            bytes: (4 * n * block * size_of::<T>()) as u64,
            operations: (n * block * block) as u64,
        },
    })?;
    Ok(Some(Inverses { blocks }))
}

pub(super) static INVERT_BLOCKS: Kernel = Kernel {
    name: "lu::invert_blocks",
    entry: "invert_blocks",
    source: fragment!("lu/invert_blocks.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["n", "leading", "blocks"],
    scalars: &[],
    constants: &[BLOCK],
    vocabulary: Vocabulary::Elements,
};
