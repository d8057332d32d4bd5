//! The factorisation of a panel of columns.

use super::PANEL;
use super::state::Order;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// How a panel finds its pivots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// As they come.
    InOrder = 0,
    /// The largest of what is left of a column.
    Largest = 1,
    /// As they come, since they were found before, and the exchanges are noted.
    Done = 2,
}

/// Factors columns `first..first + width` of the rows `first..rows`; L without its unit diagonal and U overwrite
/// them. Rows are exchanged inside the panel only. A column without a non-zero pivot is left as it is, as in LAPACK.
/// A NaN is taken for a pivot, so that it spreads and is seen.
pub(super) fn factor<T: Scalar>(
    a: &mut Matrix<T>,
    first: usize,
    width: usize,
    rows: usize,
    order: &mut Order,
    search: Search,
) -> Result<()> {
    let leading = a.cols();
    match a.device().clone().ground() {
        Ground::Host => {
            on_host(a.buffer_mut().host_mut(), rows, leading, first, width, order, search);
            Ok(())
        }
        Ground::Gpu(gpu) => {
            let operations = ((rows - first) * width * width) as u64;
            gpu.launch(&Launch {
                kernel: &PANEL_KERNEL,
                precision: Precision::of::<T>(Width::Single),
                constants: &[(WORKGROUP.name, super::waiting_invocations(a.device()))],
                params: Params::new()
                    .size("rows", rows)
                    .size("first", first)
                    .size("width", width)
                    .size("leading", leading)
                    .integer("search", search as u32),
                buffers: &[a.buffer().gpu(), order.pivots.gpu(), order.status.gpu()],
                grid: Grid::of(1),
                // One workgroup has a small part of the device to itself.
                work: Work {
                    bytes: 0,
                    operations: operations * 16,
                },
            })
        }
    }
}

fn on_host<T: Scalar>(
    a: &mut [T],
    rows: usize,
    leading: usize,
    first: usize,
    width: usize,
    order: &mut Order,
    search: Search,
) {
    for c in first..first + width {
        let mut pivot = c;
        let end = if search == Search::Largest { rows } else { c + 1 };
        for r in c + 1..end {
            let (best, next) = (a[pivot * leading + c].abs(), a[r * leading + c].abs());
            if !best.is_nan() && (next > best || next.is_nan()) {
                pivot = r;
            }
        }
        if search != Search::Done {
            order.pivots.host_mut()[c] = crate::device::narrow(pivot);
        }
        for j in first..first + width {
            a.swap(c * leading + j, pivot * leading + j);
        }
        let (upper, lower) = a.split_at_mut((c + 1) * leading);
        let pivot_row = &upper[c * leading + c..c * leading + first + width];
        if pivot_row[0].is_zero() {
            let status = &mut order.status.host_mut()[0];
            if *status == 0 {
                *status = crate::device::narrow(c + 1);
            }
            continue;
        }
        for row in lower.chunks_exact_mut(leading).take(rows - c - 1) {
            let row = &mut row[c..first + width];
            row[0] /= pivot_row[0];
            let negative = -row[0];
            row[1..]
                .iter_mut()
                .zip(&pivot_row[1..])
                .for_each(|(x, u)| *x = negative.mul_add(*u, *x));
        }
    }
}

pub(super) static PANEL_KERNEL: Kernel = Kernel {
    name: "lu::panel",
    entry: "panel",
    source: fragment!("lu/panel.wgsl"),
    library: &[fragment!("lib/workgroup_combine.wgsl"), fragment!("dense/iamax.wgsl")],
    bindings: &[Access::ReadWrite, Access::ReadWrite, Access::ReadWrite],
    integers: &["rows", "first", "width", "leading", "search"],
    scalars: &[],
    constants: &[WORKGROUP, PANEL],
    vocabulary: Vocabulary::Elements,
};
