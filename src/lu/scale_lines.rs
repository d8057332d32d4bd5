//! aᵢⱼ ← 2^(rᵢ + cⱼ) aᵢⱼ.

use crate::dense::MatrixViewMut;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Scales rows and columns by powers of two, of which there are as many exponents.
pub(super) fn scale<T: Scalar>(a: MatrixViewMut<'_, T>, rows: &[i32], cols: &[i32]) -> Result<()> {
    debug_assert!(rows.len() == a.rows && cols.len() == a.cols);
    if a.rows == 0 || a.cols == 0 {
        return Ok(());
    }
    match a.device().clone().ground() {
        Ground::Host => {
            let values = a.buffer.host_mut();
            for (i, row) in rows.iter().enumerate() {
                let entries = &mut values[a.offset + i * a.leading..][..a.cols];
                for (x, col) in entries.iter_mut().zip(cols) {
                    *x = x.scale_exponent(row + col);
                }
            }
            Ok(())
        }
        Ground::Gpu(gpu) => launch(gpu, &a, rows, cols),
    }
}

fn launch<T: Scalar>(gpu: &Gpu, a: &MatrixViewMut<'_, T>, rows: &[i32], cols: &[i32]) -> Result<()> {
    // Powers of two whose inverse is a normal number too.
    let end = T::MAX_EXPONENT - 3;
    let powers: Vec<T> = (-end..=end).map(|exponent| T::one().scale_exponent(exponent)).collect();
    let powers = Buffer::from_slice(a.device(), &powers)?;
    let rows = Buffer::from_slice(a.device(), rows)?;
    let cols = Buffer::from_slice(a.device(), cols)?;
    let entries = (a.rows * a.cols) as u64;
    gpu.launch(&Launch {
        kernel: &SCALE_LINES,
        precision: Precision::of::<T>(Width::Single),
        constants: &[],
        params: Params::new()
            .size("rows", a.rows)
            .size("cols", a.cols)
            .size("leading", a.leading)
            .size("offset", a.offset)
            .integer("zero", end.unsigned_abs()),
        buffers: &[a.buffer.gpu(), rows.gpu(), cols.gpu(), powers.gpu()],
        grid: Grid::covering(entries, WORKGROUP.default.into()),
        work: Work {
            bytes: 2 * entries * size_of::<T>() as u64,
            operations: 2 * entries,
        },
    })
}

pub(super) static SCALE_LINES: Kernel = Kernel {
    name: "lu::scale_lines",
    entry: "scale_lines",
    source: fragment!("lu/scale_lines.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::ReadWrite, Access::Read, Access::Read, Access::Read],
    integers: &["rows", "cols", "leading", "offset", "zero"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};
