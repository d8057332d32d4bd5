//! C ← A in a narrower scalar.

use super::matrix::{MatrixView, MatrixViewMut};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Computes `C ← A`, every element rounded to `L`, which has no more bits than `H`; `A` is not transposed. What is too large
/// for `L` is infinite, what is too small is zero.
///
/// Accuracy: one rounding of `L`, to nearest, the same on every device, subnormal words of pairs included. Cost: one dispatch, m·n
/// reads and writes.
///
/// # Errors
/// [`Error::Shape`], also where `L` has more bits than `H`; [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, dense::{Matrix, round}};
/// let host = Device::host();
/// let a = Matrix::from_rows(&host, 1, 2, &[1.0 + 1e-9, 0.1_f64])?;
/// let mut c = Matrix::<f32>::zeros(&host, 1, 2)?;
/// round(&a, &mut c)?;
/// assert_eq!(c.to_host().block_on()?, [1.0, 0.1]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn round<'a, H: Scalar, L: Scalar>(
    a: impl Into<MatrixView<'a, H>>,
    c: impl Into<MatrixViewMut<'a, L>>,
) -> Result<()> {
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
                let row = &mut to[c.offset + i * c.leading..][..a.cols];
                row.iter_mut().zip(source).for_each(|(c, a)| *c = L::from_dd(a.to_dd()));
            }
            Ok(())
        }
        Ground::Gpu(gpu) => {
            let entries = (a.rows * a.cols) as u64;
            gpu.launch(&Launch {
                kernel: &ROUND,
                precision: Precision::between::<H, L>(),
                constants: &[],
                params: Params::new()
                    .size("rows", a.rows)
                    .size("cols", a.cols)
                    .size("a_offset", a.offset)
                    .size("a_leading", a.row_stride)
                    .size("c_offset", c.offset)
                    .size("c_leading", c.leading),
                buffers: &[a.buffer.gpu(), c.buffer.gpu()],
                grid: Grid::covering(entries, (WORKGROUP.default * EACH.default).into()),
                work: Work {
                    bytes: entries * (size_of::<H>() + size_of::<L>()) as u64,
                    operations: 0,
                },
            })
        }
    }
}

fn check<H: Scalar, L: Scalar>(a: &MatrixView<'_, H>, c: &MatrixViewMut<'_, L>) -> Result<()> {
    check_narrower::<H, L>("round")?;
    a.device().check_same("round", c.device())?;
    if a.rows == c.rows && a.cols == c.cols && a.col_stride == 1 {
        return Ok(());
    }
    let turned = if a.col_stride == 1 { "" } else { ", transposed" };
    Err(Error::Shape {
        operation: "round",
        expected: format!("a block of {} x {}, not transposed", c.rows, c.cols),
        found: format!("{} x {}{turned}", a.rows, a.cols),
    })
}

/// `L` has no more bits than `H`.
pub(crate) fn check_narrower<H: Scalar, L: Scalar>(operation: &'static str) -> Result<()> {
    if Precision::holds(H::KIND, L::KIND) {
        return Ok(());
    }
    Err(Error::Shape {
        operation,
        expected: format!("a scalar with no more bits than {}", H::NAME),
        found: L::NAME.to_owned(),
    })
}

/// Elements of an invocation: a workgroup for every 256 took longer to begin than to round.
const EACH: Constant = Constant {
    name: "EACH",
    default: 4,
};

pub(super) static ROUND: Kernel = Kernel {
    name: "round",
    entry: "round_block",
    source: fragment!("dense/round.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["rows", "cols", "a_offset", "a_leading", "c_offset", "c_leading"],
    scalars: &[],
    constants: &[WORKGROUP, EACH],
    vocabulary: Vocabulary::Mixed,
};
