//! C ← P B, and C ← Pᵀ B.

use crate::dense::{Matrix, MatrixView};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Which way rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permutation {
    /// P: row i comes from row `order[i]`.
    Forth,
    /// Pᵀ: row i goes to row `order[i]`.
    Back,
}

/// A new matrix with the rows of `b` in another order; `order` is a permutation of them.
pub(super) fn permuted<T: Scalar>(
    permutation: Permutation,
    order: &Buffer<u32>,
    b: &MatrixView<'_, T>,
) -> Result<Matrix<T>> {
    debug_assert!(order.len() == b.rows && b.col_stride == 1);
    let mut c = Matrix::zeros(b.device(), b.rows, b.cols)?;
    if b.rows == 0 || b.cols == 0 {
        return Ok(c);
    }
    match b.device().ground() {
        Ground::Host => {
            let from = b.buffer.host();
            let to = c.buffer_mut().host_mut();
            for (i, other) in order.host().iter().enumerate() {
                let (target, source) = match permutation {
                    Permutation::Forth => (i, *other as usize),
                    Permutation::Back => (*other as usize, i),
                };
                to[target * b.cols..][..b.cols].copy_from_slice(&from[b.offset + source * b.row_stride..][..b.cols]);
            }
        }
        Ground::Gpu(gpu) => {
            let entries = (b.rows * b.cols) as u64;
            gpu.launch(&Launch {
                kernel: &PERMUTE_ROWS,
                precision: Precision::of::<T>(Width::Single),
                constants: &[(BACK.name, u32::from(permutation == Permutation::Back))],
                params: Params::new()
                    .size("rows", b.rows)
                    .size("cols", b.cols)
                    .size("b_offset", b.offset)
                    .size("b_leading", b.row_stride),
                buffers: &[order.gpu(), b.buffer.gpu(), c.buffer().gpu()],
                grid: Grid::covering(entries, WORKGROUP.default.into()),
                work: Work {
                    bytes: 2 * entries * size_of::<T>() as u64,
                    operations: 0,
                },
            })?;
        }
    }
    Ok(c)
}

const BACK: Constant = Constant {
    name: "BACK",
    default: 0,
};

pub(super) static PERMUTE_ROWS: Kernel = Kernel {
    name: "lu::permute_rows",
    entry: "permute_rows",
    source: fragment!("lu/permute_rows.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["rows", "cols", "b_offset", "b_leading"],
    scalars: &[],
    constants: &[WORKGROUP, BACK],
    vocabulary: Vocabulary::Elements,
};
