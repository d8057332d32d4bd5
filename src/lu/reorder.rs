//! The rows of a block of several stages in the order of their places, all at once.

use super::shape::LANES;
use super::state::{Block, State};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Moves the rows to where [`super::step`] has placed them in stages, of which `stage` was the last, in all columns, and the order
/// of the rows with them.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    state: &State<'_>,
    block: Block,
    stage: usize,
) -> Result<()> {
    let rows = a.rows() - block.first;
    let shape = Shape::of::<T>(a.device().adapter(), rows);
    let strips = a.cols().div_ceil(shape.lanes as usize);
    gpu.launch(&Launch {
        kernel: &REORDER,
        precision: Precision::of::<T>(Width::Single),
        constants: &[
            (WORKGROUP.name, shape.workgroup),
            (LANES.name, shape.lanes),
            (ROWS.name, shape.rows),
        ],
        params: Params::new()
            .size("first", block.first)
            .size("rows", rows)
            .size("steps", block.steps)
            .size("limit", block.limit)
            .size("cols", a.cols())
            .size("stage", stage)
            .size("strips", strips),
        buffers: &[
            a.buffer().gpu(),
            &state.upper,
            &state.place,
            &state.source,
            state.order.gpu(),
        ],
        grid: Grid::of(strips as u64 + 1),
        work: Work {
            bytes: 2 * (rows * a.cols() * size_of::<T>()) as u64,
            operations: 0,
        },
    })
}

/// How rows lie over a workgroup: it has `lanes` columns, and each invocation `rows` rows of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    workgroup: u32,
    lanes: u32,
    rows: u32,
}

/// Bytes of a row that a workgroup has, what GPUs read at least; fewer where an invocation would have more than so many bytes.
const BROAD: usize = 32;
const HELD: usize = 128;

impl Shape {
    fn of<T: Scalar>(adapter: &Adapter, rows: usize) -> Self {
        let largest = adapter.limit("maxComputeInvocationsPerWorkgroup").unwrap_or(256);
        let workgroup = largest.min(512) as usize;
        let each = |lanes: usize| rows.div_ceil(workgroup / lanes).next_power_of_two();
        let mut lanes = BROAD / size_of::<T>();
        while lanes > 1 && each(lanes) * size_of::<T>() > HELD {
            lanes /= 2;
        }
        Self {
            workgroup: crate::device::narrow(workgroup),
            lanes: crate::device::narrow(lanes),
            rows: crate::device::narrow(each(lanes)),
        }
    }
}

const ROWS: Constant = Constant {
    name: "ROWS",
    default: 4,
};

pub(super) static REORDER: Kernel = Kernel {
    name: "lu::reorder",
    entry: "reorder",
    source: fragment!("lu/reorder.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl"), fragment!("lu/places.wgsl")],
    bindings: &[
        Access::ReadWrite,
        Access::Read,
        Access::Read,
        Access::Read,
        Access::ReadWrite,
    ],
    integers: &["first", "rows", "steps", "limit", "cols", "stage", "strips"],
    scalars: &[],
    constants: &[WORKGROUP, LANES, ROWS],
    vocabulary: Vocabulary::Elements,
};
