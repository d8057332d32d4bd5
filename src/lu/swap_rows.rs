//! A panel's row exchanges, in the columns outside it.

use super::shape::WIDTH;
use super::state::Order;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Launch, Params, Work, narrow};
use crate::error::Result;
use crate::scalar::Scalar;

/// Exchanges rows `c` and `pivots[c]` for `c` in `first..first + width`, in order, in all columns but these, and in the order
/// of the rows.
pub(super) fn on_host<T: Scalar>(a: &mut Matrix<T>, first: usize, width: usize, order: &mut Order) {
    let cols = a.cols();
    let values = a.buffer_mut().host_mut();
    for c in first..first + width {
        let pivot = order.pivots.host()[c] as usize;
        for j in (0..first).chain(first + width..cols) {
            values.swap(c * cols + j, pivot * cols + j);
        }
        order.rows.host_mut().swap(c, pivot);
    }
}

/// As [`on_host`], of at most `widest` exchanges, of which it is known where each row comes from: row `i` below `first` from
/// `origins[origins_at + i]` below `first`.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    first: usize,
    width: usize,
    order: &Order,
    (origins, origins_at): (&GpuBuffer, usize),
    widest: usize,
) -> Result<()> {
    let cols = a.cols();
    let others = (cols - width + 1) as u64;
    gpu.launch(&Launch {
        kernel: &SWAP_ROWS,
        precision: Precision::of::<T>(Width::Single),
        constants: &[(WIDTH.name, narrow(widest))],
        params: Params::new()
            .size("cols", cols)
            .size("first", first)
            .size("width", width)
            .size("leading", cols)
            .size("origins_at", origins_at),
        buffers: &[a.buffer().gpu(), order.pivots.gpu(), origins, order.rows.gpu()],
        grid: Grid::covering(others, WORKGROUP.default.into()),
        work: Work {
            bytes: 4 * others * (width * size_of::<T>()) as u64,
            operations: 0,
        },
    })
}

pub(super) static SWAP_ROWS: Kernel = Kernel {
    name: "lu::swap_rows",
    entry: "swap_rows",
    source: fragment!("lu/swap_rows.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::ReadWrite, Access::Read, Access::Read, Access::ReadWrite],
    integers: &["cols", "first", "width", "leading", "origins_at"],
    scalars: &[],
    constants: &[WORKGROUP, WIDTH],
    vocabulary: Vocabulary::Elements,
};
