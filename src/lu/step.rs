//! One dispatch of the factorisation: a panel is factored, while what the panel before it asks is done to the right.

use super::letters::{Letters, Turn};
use super::shape::{BATCH, CHUNK, CREW, GROUP, LANES, LINE, PARTS, ROWS, SLOTS, SPAN, Shape, WIDTH};
use super::state::{Block, State};
use super::trailing::{self, BROAD, DEEP, DOWN, TALL, Tiles};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Fragment, Kernel, SEALED, SUBGROUP, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// A dispatch: a panel, or none behind the last, and what surrounds it. Columns count from the block's first, rows from its stage's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) shape: Shape,
    pub(super) number: usize,
    pub(super) column: usize,
    /// Columns of the panel, of the one before it, and of the one behind it.
    pub(super) width: usize,
    pub(super) before: usize,
    pub(super) next: usize,
    /// The rows of its stage, in which rows have numbers of their own.
    pub(super) height: usize,
    pub(super) stage: usize,
    /// It is the first of a stage behind another.
    pub(super) renumbered: bool,
    /// It is the last panel of its stage.
    pub(super) closes: bool,
}

/// What the status says instead of a column without a pivot (`lu/step_subgroups.wgsl`, `lu/patience.wgsl`).
pub(super) const FEWER_INVOCATIONS: u32 = u32::MAX;
pub(super) const WAITED: u32 = u32::MAX - 1;

/// Factors a panel of a block, if there is one, and does what the panel before it asks in the columns to its right; and by the
/// way, some tiles of what the block before asks of the trailing matrix.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    state: &State<'_>,
    block: Block,
    step: &Step,
    by_the_way: &Tiles,
    letters: &mut Letters,
) -> Result<()> {
    let shape = step.shape;
    let (column, height, width) = (step.column, step.height, shape.width as usize);
    let members = shape.members(height);
    let in_work = members * step.width.div_ceil(width).min(shape.crews as usize);
    let across = if step.before == 0 {
        step.next
    } else {
        block.limit - column - step.width
    };
    let [strip_rows, strip_columns] = shape.strip();
    let tiles = height.div_ceil(strip_rows as usize);
    // Of no columns: what the panel before asks of the others, it asks of itself.
    let strips = match (step.before, step.next) {
        (0, 0) => 0,
        _ => across.div_ceil(strip_columns as usize).max(1) * tiles,
    };
    let besides = by_the_way.numbers.len();
    let groups = in_work + strips + besides;
    let work_besides = by_the_way.work::<T>(shape.tile);
    let [first_strip, first_tile] = if trailing::tiles_come_first::<T>(shape.crew) {
        [besides, 0]
    } else {
        [0, strips]
    };
    let (kernel, turn) = match shape {
        Shape { crew: 1.., .. } => (&STEP_CREW, letters.next(shape.letters::<T>(height))),
        Shape { subgroup: 2.., .. } => (&STEP_SUBGROUPS, Turn::default()),
        _ => (&STEP_WORKGROUP, Turn::default()),
    };
    gpu.launch(&Launch {
        kernel,
        precision: Precision::of::<T>(Width::Single),
        constants: &shape.constants::<T>(),
        params: Params::new()
            .size("pitch", a.rows() - block.first)
            .size("height", height)
            .size("first", block.first)
            .size("leading", a.cols())
            .size("column", column)
            .size("width", step.width)
            .size("number", step.number)
            .size("before", step.before)
            .size("stage", step.stage)
            .size("renumbered", usize::from(step.renumbered))
            .size("closes", usize::from(step.closes))
            .size("next", step.next)
            .size("limit", block.limit)
            .size("first_strip", first_strip)
            .size("strips", strips)
            .size("tiles", tiles)
            .size("first_tile", first_tile)
            .size("besides", besides)
            .size("done", by_the_way.first)
            .size("left", by_the_way.columns.start)
            .size("right", by_the_way.columns.end)
            .size("across", by_the_way.across)
            .size("tile", by_the_way.numbers.start)
            .size("crew", members)
            .size("crews", shape.crews as usize)
            .size("letters", turn.at)
            .size("former_letters", turn.former)
            .size("former_words", turn.former_words),
        buffers: &[
            a.buffer().gpu(),
            &state.panels,
            &state.upper,
            &state.place,
            &state.source,
            state.pivots.gpu(),
            state.status.gpu(),
        ],
        grid: Grid::of(groups as u64),
        work: Work {
            bytes: 2 * (height * (block.limit - column) * size_of::<T>()) as u64 + work_besides.bytes,
            operations: (height * width) as u64 * (8 * width + block.limit - column) as u64 + work_besides.operations,
        },
    })
}

const fn kernel(name: &'static str, entry: &'static str, fragments: &'static [Fragment], source: Fragment) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings: &[Access::ReadWrite; 7],
        integers: &[
            "pitch",
            "height",
            "first",
            "leading",
            "column",
            "width",
            "number",
            "before",
            "stage",
            "renumbered",
            "closes",
            "next",
            "limit",
            "first_strip",
            "strips",
            "tiles",
            "first_tile",
            "besides",
            "done",
            "left",
            "right",
            "across",
            "tile",
            "crew",
            "crews",
            "letters",
            "former_letters",
            "former_words",
        ],
        scalars: &[],
        constants: &[
            WORKGROUP, ROWS, WIDTH, CHUNK, SLOTS, LANES, SPAN, BATCH, DOWN, TALL, BROAD, DEEP, CREW, PARTS, GROUP, LINE,
        ],
        vocabulary: Vocabulary::Elements,
    }
}

pub(super) static STEP_SUBGROUPS: Kernel = kernel(
    "lu::step_subgroups",
    "step_subgroups",
    &[
        fragment!("lib/grid.wgsl"),
        SUBGROUP,
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/trailing.wgsl"),
        fragment!("lu/places.wgsl"),
        fragment!("lu/step.wgsl"),
        fragment!("lu/step_strips.wgsl"),
        fragment!("lu/step_alone.wgsl"),
        fragment!("lu/election.wgsl"),
    ],
    fragment!("lu/step_subgroups.wgsl"),
);

pub(super) static STEP_CREW: Kernel = kernel(
    "lu::step_crew",
    "step_crew",
    &[
        fragment!("lib/grid.wgsl"),
        SUBGROUP,
        SEALED,
        fragment!("lu/patience.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/trailing.wgsl"),
        fragment!("lu/places.wgsl"),
        fragment!("lu/step.wgsl"),
        fragment!("lu/step_strips.wgsl"),
        fragment!("lu/step_follow.wgsl"),
        fragment!("lu/letters.wgsl"),
        fragment!("lu/election.wgsl"),
    ],
    fragment!("lu/step_crew.wgsl"),
);

pub(super) static STEP_WORKGROUP: Kernel = kernel(
    "lu::step_workgroup",
    "step_workgroup",
    &[
        fragment!("lib/grid.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/trailing.wgsl"),
        fragment!("lu/places.wgsl"),
        fragment!("lu/step.wgsl"),
        fragment!("lu/step_strips.wgsl"),
        fragment!("lu/step_alone.wgsl"),
    ],
    fragment!("lu/step_workgroup.wgsl"),
);
