//! The factorisation of a panel of columns with partial pivoting in one dispatch, on drivers that compute on the CPU.

use super::options::{Options, Panels};
use super::shape::WIDTH;
use super::state::Order;
use super::{panel, swap_rows};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
use crate::device::{AdapterKind, Gpu, Grid, Launch, Params, Work, narrow};
use crate::error::Result;
use crate::scalar::Scalar;

/// Whether a panel of the rows from `first` on is to be factored so, and may be: its loops end before the driver ends them.
pub(super) fn suits<T: Scalar>(a: &Matrix<T>, first: usize, options: Options) -> bool {
    let device = a.device();
    let kind = device.adapter().kind;
    let width = panel::width::<T>(device);
    let groups = width / GROUP.default as usize;
    // A turn for each column, for each pair of groups, and to take the panel from A and back.
    let turns_of_a_row = width + groups * (groups - 1) / 2 + 2;
    let turns = (a.rows() - first).div_ceil(INVOCATIONS as usize) * turns_of_a_row;
    // With room for what does not depend on the rows.
    kind == AdapterKind::Software && options.panels == Panels::Auto && turns <= kind.most_turns() / 10 * 9
}

/// Factors columns `first..first + columns` of the rows from `first` on, and does the exchanges in all columns, as
/// [`panel::factor`].
///
/// Cost: two dispatches, the first of one workgroup.
pub(super) fn factor<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    first: usize,
    columns: usize,
    order: &Order,
) -> Result<()> {
    let (height, leading) = (a.rows() - first, a.cols());
    let width = panel::width::<T>(a.device());
    let adapter = a.device().adapter();
    let precision = Precision::for_counts::<T>(adapter, &[leading, first, columns]);
    let scratch = gpu.scratch("a panel by rows", (width * height * size_of::<T>()) as u64)?;
    let origins = gpu.scratch("origins of rows", (height * size_of::<u32>()) as u64)?;
    gpu.launch(&Launch {
        kernel: if precision.is_long_on(adapter) {
            &PANEL_ALONE_LONG
        } else {
            &PANEL_ALONE
        },
        precision,
        constants: &[(WORKGROUP.name, INVOCATIONS), (WIDTH.name, narrow(width))],
        params: Params::new()
            .size("first", first)
            .size("height", height)
            .size("leading", leading)
            .size("width", columns),
        buffers: &[
            a.buffer().gpu(),
            &scratch,
            &origins,
            order.pivots.gpu(),
            order.status.gpu(),
        ],
        grid: Grid::of(1),
        work: Work {
            bytes: (2 * height * columns * size_of::<T>()) as u64,
            operations: (height * columns * columns) as u64 / 2,
        },
    })?;
    swap_rows::launch(gpu, a, first, columns, order, (&origins, 0), width)
}

/// As many as lavapipe has lanes, so that nobody waits.
const INVOCATIONS: u32 = 8;

/// Columns that are eliminated one by one before those behind them are.
const GROUP: Constant = Constant {
    name: "GROUP",
    default: 4,
};

pub(super) static PANEL_ALONE: Kernel = kernel("lu::panel_alone", Vocabulary::Packs);
pub(super) static PANEL_ALONE_LONG: Kernel = kernel("lu::panel_alone_long", Vocabulary::LongPacks);

const fn kernel(name: &'static str, vocabulary: Vocabulary) -> Kernel {
    Kernel {
        name,
        entry: "panel_alone",
        source: fragment!("lu/panel_alone.wgsl"),
        fragments: &[
            fragment!("lib/workgroup_combine.wgsl"),
            fragment!("dense/iamax.wgsl"),
            fragment!("lu/divisor.wgsl"),
        ],
        bindings: &[Access::ReadWrite; 5],
        integers: &["first", "height", "leading", "width"],
        scalars: &[],
        constants: CONSTANTS,
        vocabulary,
    }
}

const CONSTANTS: &[Constant] = &[WORKGROUP, WIDTH, GROUP];
