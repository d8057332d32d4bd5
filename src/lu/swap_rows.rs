//! A panel's row exchanges, in the columns outside it.

use super::shape::WIDTH;
use super::state::Order;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
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
    let adapter = a.device().adapter();
    let precision = Precision::for_counts::<T>(adapter, &[cols, first, width]);
    // One more than the packs: for the order.
    let others = ((cols - width) / precision.pack() as usize + 1) as u64;
    gpu.launch(&Launch {
        kernel: if precision.is_long_on(adapter) {
            &SWAP_ROWS_LONG
        } else {
            &SWAP_ROWS
        },
        precision,
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
            bytes: 4 * ((cols - width + 1) * width * size_of::<T>()) as u64,
            operations: 0,
        },
    })
}

pub(super) static SWAP_ROWS: Kernel = kernel("lu::swap_rows", Vocabulary::Packs);
pub(super) static SWAP_ROWS_LONG: Kernel = kernel("lu::swap_rows_long", Vocabulary::LongPacks);

const fn kernel(name: &'static str, vocabulary: Vocabulary) -> Kernel {
    Kernel {
        name,
        entry: "swap_rows",
        source: fragment!("lu/swap_rows.wgsl"),
        fragments: &[fragment!("lib/grid.wgsl")],
        bindings: &[Access::ReadWrite, Access::Read, Access::Read, Access::ReadWrite],
        integers: &["cols", "first", "width", "leading", "origins_at"],
        scalars: &[],
        constants: CONSTANTS,
        vocabulary,
    }
}

const CONSTANTS: &[Constant] = &[WORKGROUP, WIDTH];
