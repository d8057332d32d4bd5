//! C ← P B.

use crate::dense::{Matrix, MatrixView};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// A new matrix whose row i is row `order[i]` of `b`; `order` is a permutation of b's rows.
pub(super) fn permuted<T: Scalar>(order: &Buffer<u32>, b: &MatrixView<'_, T>) -> Result<Matrix<T>> {
    debug_assert!(order.len() == b.rows && b.col_stride == 1);
    let mut c = Matrix::zeros(b.device(), b.rows, b.cols)?;
    if b.rows == 0 || b.cols == 0 {
        return Ok(c);
    }
    match b.device().ground() {
        Ground::Host => {
            let from = b.buffer.host();
            let rows = c.buffer_mut().host_mut().chunks_exact_mut(b.cols);
            for (row, source) in rows.zip(order.host()) {
                row.copy_from_slice(&from[b.offset + *source as usize * b.row_stride..][..b.cols]);
            }
        }
        Ground::Gpu(gpu) => {
            let entries = (b.rows * b.cols) as u64;
            gpu.launch(&Launch {
                kernel: &PERMUTE_ROWS,
                precision: Precision::of::<T>(Width::Single),
                constants: &[],
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

pub(super) static PERMUTE_ROWS: Kernel = Kernel {
    name: "lu::permute_rows",
    entry: "permute_rows",
    source: fragment!("lu/permute_rows.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["rows", "cols", "b_offset", "b_leading"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};
