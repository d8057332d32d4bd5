//! The rows of a block of several stages in the order of their places: in all columns, and the order of the rows with them.

use super::state::State;
use super::step::Block;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Moves the rows to where [`super::step`] has placed them in stages, of which `stage` was the last. Columns left of the block go
/// through its workspace, as many at once as it has columns.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    state: &State<'_>,
    block: Block,
    stage: usize,
) -> Result<()> {
    let own = block.first..block.first + block.limit;
    let left = (0..block.first).step_by(block.limit);
    let left = left.map(|begin| begin..block.first.min(begin + block.limit));
    // Its own first: their rows of U are in the workspace.
    for columns in [own.clone()].into_iter().chain(left) {
        for back in [0, 1] {
            let elements = ((a.rows() - block.first) * columns.len()) as u64;
            gpu.launch(&Launch {
                kernel: &REORDER,
                precision: Precision::of::<T>(Width::Single),
                constants: &[(BACK.name, back)],
                params: Params::new()
                    .size("first", block.first)
                    .size("rows", a.rows() - block.first)
                    .size("leading", a.cols())
                    .size("steps", block.steps)
                    .size("stage", stage)
                    .size("begin", columns.start)
                    .size("cols", columns.len())
                    .size("own", usize::from(columns == own)),
                buffers: &[
                    a.buffer().gpu(),
                    &state.upper,
                    &state.place,
                    &state.source,
                    state.order.gpu(),
                ],
                grid: Grid::covering(elements, MOVES * u64::from(WORKGROUP.default)),
                work: Work {
                    bytes: 2 * elements * size_of::<T>() as u64,
                    operations: 0,
                },
            })?;
        }
    }
    Ok(())
}

/// Elements of an invocation (`MOVES` in the kernel).
const MOVES: u64 = 4;

const BACK: Constant = Constant {
    name: "BACK",
    default: 0,
};

pub(super) static REORDER: Kernel = Kernel {
    name: "lu::reorder",
    entry: "reorder",
    source: fragment!("lu/reorder.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl"), fragment!("lu/places.wgsl")],
    bindings: &[
        Access::ReadWrite,
        Access::ReadWrite,
        Access::ReadWrite,
        Access::Read,
        Access::ReadWrite,
    ],
    integers: &["first", "rows", "leading", "steps", "stage", "begin", "cols", "own"],
    scalars: &[],
    constants: &[WORKGROUP, BACK],
    vocabulary: Vocabulary::Elements,
};
