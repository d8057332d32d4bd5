//! C ← A, block by block.

use super::matrix::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Computes `C ← A` for blocks of one shape; `A` is not transposed. Exact. Cost: one dispatch, m·n reads and writes.
///
/// # Errors
/// [`Error::Shape`], [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, copy_block}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 2, 2, &[1.0, 2.0, 3.0, 4.0])?;
/// let mut c = Matrix::zeros(&host, 1, 2)?;
/// copy_block(a.block(1, 0, 1, 2)?, &mut c)?;
/// assert_eq!(c.to_host().block_on()?, [3.0, 4.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn copy_block<'a, T: Scalar>(a: impl Into<MatrixView<'a, T>>, c: impl Into<MatrixViewMut<'a, T>>) -> Result<()> {
    let (a, c) = (a.into(), c.into());
    check(&a, &c)?;
    if a.rows == 0 || a.cols == 0 {
        return Ok(());
    }
    match a.device().ground() {
        Ground::Host => {
            let from = a.buffer.host();
            let to = c.buffer.host_mut();
            for i in 0..a.rows {
                let source = &from[a.offset + i * a.row_stride..][..a.cols];
                to[c.offset + i * c.leading..][..a.cols].copy_from_slice(source);
            }
        }
        Ground::Gpu(gpu) => {
            let adapter = a.device().adapter();
            let counts = [a.offset, a.row_stride, a.cols, c.offset, c.leading];
            let precision = Precision::for_counts::<T>(adapter, &counts);
            let pack = precision.pack() as usize;
            let entries = (a.rows * a.cols) as u64;
            gpu.launch(&Launch {
                kernel: if precision.is_long_on(adapter) {
                    &COPY_BLOCK_LONG
                } else {
                    &COPY_BLOCK
                },
                precision,
                constants: &[],
                params: Params::new()
                    .size("rows", a.rows)
                    .size("cols", a.cols / pack)
                    .size("a_offset", a.offset / pack)
                    .size("a_leading", a.row_stride / pack)
                    .size("c_offset", c.offset / pack)
                    .size("c_leading", c.leading / pack),
                buffers: &[a.buffer.gpu(), c.buffer.gpu()],
                grid: Grid::covering(entries / pack as u64, WORKGROUP.default.into()),
                work: Work {
                    bytes: 2 * entries * size_of::<T>() as u64,
                    operations: 0,
                },
            })?;
        }
    }
    Ok(())
}

fn check<T>(a: &MatrixView<'_, T>, c: &MatrixViewMut<'_, T>) -> Result<()> {
    a.device().check_same("copy_block", c.device())?;
    if a.rows == c.rows && a.cols == c.cols && a.col_stride == 1 {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "copy_block",
        expected: format!("a block of {} x {}, not transposed", c.rows, c.cols),
        found: format!(
            "{} x {}{}",
            a.rows,
            a.cols,
            if a.col_stride == 1 { "" } else { ", transposed" }
        ),
    })
}

pub(super) static COPY_BLOCK: Kernel = kernel("copy_block", Vocabulary::Packs);
pub(super) static COPY_BLOCK_LONG: Kernel = kernel("copy_block_long", Vocabulary::LongPacks);

const fn kernel(name: &'static str, vocabulary: Vocabulary) -> Kernel {
    Kernel {
        name,
        entry: "copy_block",
        source: fragment!("dense/copy_block.wgsl"),
        fragments: &[fragment!("lib/grid.wgsl")],
        bindings: &[Access::Read, Access::ReadWrite],
        integers: &["rows", "cols", "a_offset", "a_leading", "c_offset", "c_leading"],
        scalars: &[],
        constants: &[WORKGROUP],
        vocabulary,
    }
}
