//! The factorisation of a panel of columns with partial pivoting, in memory: any device, and any height.

use super::shape::WIDTH;
use super::state::Order;
use super::{PANEL, swap_rows};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{AdapterKind, Device, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// The most columns of a panel. On a GPU, an invocation has as many elements of two rows in its registers where rows are
/// exchanged.
pub(super) fn width<T>(device: &Device) -> usize {
    match size_of::<T>() {
        _ if device.is_host() => PANEL.default as usize,
        4 | 8 => 16,
        _ => 8,
    }
}

/// Factors columns `first..first + columns` of the rows from `first` on, and does the exchanges in all columns. L without its
/// unit diagonal and U overwrite them. A column without a non-zero pivot is left as it is, as in LAPACK. A NaN is taken for
/// a pivot, so that it spreads and is seen.
///
/// Cost on a GPU: a dispatch a column, and two; it depends little on the height until caches no longer hold the panel.
pub(super) fn factor<T: Scalar>(a: &mut Matrix<T>, first: usize, columns: usize, order: &mut Order) -> Result<()> {
    match a.device().clone().ground() {
        Ground::Host => {
            let cols = a.cols();
            on_host(a.buffer_mut().host_mut(), cols, first, columns, order);
            swap_rows::on_host(a, first, columns, order);
            Ok(())
        }
        Ground::Gpu(gpu) => on_gpu(gpu, a, first, columns, order),
    }
}

fn on_gpu<T: Scalar>(gpu: &Gpu, a: &mut Matrix<T>, first: usize, columns: usize, order: &Order) -> Result<()> {
    let (height, leading) = (a.rows() - first, a.cols());
    let width = width::<T>(a.device());
    let workgroup = super::waiting_invocations(a.device());
    let groups = height.div_ceil(ROWS.default as usize);
    let rolled = u32::from(a.device().adapter().kind == AdapterKind::Software);
    let panels = gpu.scratch("two panels", (2 * (width * height + groups) * size_of::<T>()) as u64)?;
    let origins = gpu.scratch("origins of rows", (2 * (height + groups) * size_of::<u32>()) as u64)?;
    for step in 0..=columns {
        gpu.launch(&Launch {
            kernel: &PANEL_KERNEL,
            precision: Precision::of::<T>(Width::Single),
            constants: &[
                (WORKGROUP.name, workgroup),
                (WIDTH.name, crate::device::narrow(width)),
                (ROLLED.name, rolled),
            ],
            params: Params::new()
                .size("first", first)
                .size("height", height)
                .size("leading", leading)
                .size("width", columns)
                .size("step", step)
                .size("groups", groups),
            buffers: &[
                a.buffer().gpu(),
                &panels,
                &origins,
                order.pivots.gpu(),
                order.status.gpu(),
            ],
            grid: Grid::of(groups as u64),
            work: Work {
                bytes: 2 * (height * (columns + 1 - step.max(1)) * size_of::<T>()) as u64,
                operations: (height * columns) as u64,
            },
        })?;
    }
    swap_rows::launch(gpu, a, first, columns, order, (&origins, columns % 2 * height), width)
}

fn on_host<T: Scalar>(a: &mut [T], leading: usize, first: usize, columns: usize, order: &mut Order) {
    let rows = a.len() / leading.max(1);
    for c in first..first + columns {
        let mut pivot = c;
        for r in c + 1..rows {
            let (best, next) = (a[pivot * leading + c].abs(), a[r * leading + c].abs());
            if !best.is_nan() && (next > best || next.is_nan()) {
                pivot = r;
            }
        }
        order.pivots.host_mut()[c] = crate::device::narrow(pivot);
        for j in first..first + columns {
            a.swap(c * leading + j, pivot * leading + j);
        }
        let (upper, lower) = a.split_at_mut((c + 1) * leading);
        let pivot_row = &upper[c * leading + c..c * leading + first + columns];
        if pivot_row[0].is_zero() {
            let status = &mut order.status.host_mut()[0];
            if *status == 0 {
                *status = crate::device::narrow(c + 1);
            }
            continue;
        }
        for row in lower.chunks_exact_mut(leading) {
            let row = &mut row[c..first + columns];
            row[0] /= pivot_row[0];
            let negative = -row[0];
            row[1..]
                .iter_mut()
                .zip(&pivot_row[1..])
                .for_each(|(x, u)| *x = negative.mul_add(*u, *x));
        }
    }
}

/// Rows of a workgroup, however many invocations it has: a driver on the CPU begins a workgroup as slowly as it does a
/// hundred rows.
const ROWS: Constant = Constant {
    name: "ROWS",
    default: 256,
};

/// Whether loops over columns stay loops.
const ROLLED: Constant = Constant {
    name: "ROLLED",
    default: 0,
};

pub(super) static PANEL_KERNEL: Kernel = Kernel {
    name: "lu::panel",
    entry: "panel",
    source: fragment!("lu/panel.wgsl"),
    fragments: &[
        fragment!("lib/grid.wgsl"),
        fragment!("lib/workgroup_combine.wgsl"),
        fragment!("dense/iamax.wgsl"),
        fragment!("lu/divisor.wgsl"),
    ],
    bindings: &[Access::ReadWrite; 5],
    integers: &["first", "height", "leading", "width", "step", "groups"],
    scalars: &[],
    constants: &[WORKGROUP, WIDTH, ROWS, ROLLED],
    vocabulary: Vocabulary::Elements,
};
