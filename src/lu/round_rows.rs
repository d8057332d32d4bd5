//! c ← P (αb), in a narrower scalar: what factors of low precision are given to solve.

use crate::dense::{Matrix, Vector};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
use crate::device::{Buffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// A new column of `αb` with its rows in another order, rounded to `L`, which has no more bits than `H`. `order` is a
/// permutation of them, and α a power of two whose products with b are exact but for underflow.
pub(super) fn rounded_rows<L: Scalar, H: Scalar>(alpha: H, order: &Buffer<u32>, b: &Vector<H>) -> Result<Matrix<L>> {
    debug_assert!(order.len() == b.len() && Precision::holds(H::KIND, L::KIND));
    let n = b.len();
    let mut c = Matrix::zeros(b.device(), n, 1)?;
    match b.device().ground() {
        _ if n == 0 => {}
        Ground::Host => {
            let b = b.buffer().host();
            let rows = c.buffer_mut().host_mut().iter_mut().zip(order.host());
            rows.for_each(|(c, row)| *c = L::from_dd((alpha * b[*row as usize]).to_dd()));
        }
        Ground::Gpu(gpu) => gpu.launch(&Launch {
            kernel: &ROUND_ROWS,
            precision: Precision::between::<H, L>(),
            constants: &[],
            params: Params::new().size("n", n).scalar("alpha", alpha),
            buffers: &[order.gpu(), b.buffer().gpu(), c.buffer().gpu()],
            grid: Grid::covering(n as u64, WORKGROUP.default.into()),
            work: Work {
                bytes: (n * (size_of::<H>() + size_of::<L>())) as u64,
                operations: n as u64,
            },
        })?,
    }
    Ok(c)
}

pub(super) static ROUND_ROWS: Kernel = Kernel {
    name: "lu::round_rows",
    entry: "round_rows",
    source: fragment!("lu/round_rows.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["n"],
    scalars: &["alpha"],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Mixed,
};
