//! y ← x + αd, with d in a narrower scalar: a correction by factors of low precision.

use crate::dense::{Matrix, Vector};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// `y ← x + αd`, all of one length; `L` has no more bits than `H`, and α is a power of two whose products with d are exact
/// but for underflow.
pub(super) fn correct<L: Scalar, H: Scalar>(alpha: H, d: &Matrix<L>, x: &Vector<H>, y: &mut Vector<H>) -> Result<()> {
    debug_assert!(d.rows() == x.len() && d.cols() == 1 && x.len() == y.len());
    let n = x.len();
    match x.device().clone().ground() {
        _ if n == 0 => Ok(()),
        Ground::Host => {
            let corrections = x.buffer().host().iter().zip(d.buffer().host());
            for (y, (x, d)) in y.view_mut().host_mut().zip(corrections) {
                *y = *x + alpha * H::from_dd(d.to_dd());
            }
            Ok(())
        }
        Ground::Gpu(gpu) => gpu.launch(&Launch {
            kernel: &CORRECT,
            precision: Precision::between::<H, L>(),
            constants: &[],
            params: Params::new().size("n", n).scalar("alpha", alpha),
            buffers: &[d.buffer().gpu(), x.buffer().gpu(), y.buffer().gpu()],
            grid: Grid::covering(n as u64, WORKGROUP.default.into()),
            work: Work {
                bytes: (n * (2 * size_of::<H>() + size_of::<L>())) as u64,
                operations: 2 * n as u64,
            },
        }),
    }
}

pub(super) static CORRECT: Kernel = Kernel {
    name: "lu::correct",
    entry: "correct",
    source: fragment!("lu/correct.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["n"],
    scalars: &["alpha"],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Mixed,
};
