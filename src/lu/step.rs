//! One dispatch of the factorisation: a panel is factored, while what the panel before it asks is done to the right.

use super::state::State;
use super::trailing::{BROAD, DEEP, DOWN, TALL, Tile, Tiles};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, SUBGROUP, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, Device, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// How a panel is laid out over a workgroup, `rows` rows of `width` columns in each invocation; and a strip beside it,
/// `span` columns and `batch` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) workgroup: u32,
    pub(super) rows: u32,
    pub(super) width: u32,
    span: u32,
    batch: u32,
    /// The smallest subgroup that may run it; 1 for the election without subgroups.
    pub(super) subgroup: u32,
    /// A tile of the trailing matrix.
    pub(super) tile: Tile,
}

/// A block of columns in work: its first row and column, its columns, and the columns that its panels bring up to date.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) first: usize,
    pub(super) steps: usize,
    /// From `first` on.
    pub(super) limit: usize,
}

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

/// Columns of a strip, as `LANES` times `SPAN`.
const LANES_OF_STRIP: u32 = 16;

impl Shape {
    /// For panels of `height` rows; none if no workgroup of the device holds them.
    pub(super) fn of<T: Scalar>(device: &Device, height: usize) -> Option<Self> {
        let adapter = device.adapter();
        let limit = |name, least| adapter.limit(name).unwrap_or(least);
        let largest = limit("maxComputeInvocationsPerWorkgroup", 256).min(1024);
        let bytes = limit("maxComputeWorkgroupStorageSize", 16 << 10);
        shapes::<T>()
            .flat_map(|[workgroup, rows, width, span, batch]| {
                debug_assert!(
                    LANES_OF_STRIP * span <= workgroup,
                    "one invocation for each column of a strip"
                );
                // Small subgroups publish more rows than there may be room for.
                [subgroup(adapter, workgroup), 1].into_iter().flat_map(move |subgroup| {
                    Tile::of::<T>(workgroup).map(|tile| Self {
                        workgroup,
                        rows,
                        width,
                        span,
                        batch,
                        subgroup,
                        tile,
                    })
                })
            })
            .find(|shape| {
                u64::from(shape.workgroup) <= largest
                    && (shape.workgroup * shape.rows) as usize >= height
                    && shape.bytes::<T>() <= bytes
            })
    }

    /// Dispatches for a block of `steps` columns in one stage: one a panel, and one for what the last panel asks.
    pub(super) fn dispatches(self, steps: usize) -> usize {
        steps.div_ceil(self.width as usize) + 1
    }

    /// Pivot rows that are published side by side.
    fn slots(self) -> u32 {
        if self.subgroup > 1 {
            self.workgroup / self.subgroup
        } else {
            1
        }
    }

    /// Rows and columns of a strip.
    fn strip(self) -> [u32; 2] {
        [self.workgroup / LANES_OF_STRIP * self.batch, LANES_OF_STRIP * self.span]
    }

    /// Workgroup memory of the kernel, of pairs a little more than it takes.
    fn bytes<T>(self) -> u64 {
        let candidate = 16;
        let run = 16 / crate::device::narrow(size_of::<T>());
        let stride = self.width.next_multiple_of(run);
        let published = self.slots() * self.width * stride;
        let squares = self.width * (stride + self.width);
        // A tile or a strip.
        let [lower, upper] = self.tile.scalars::<T>();
        let [rows, columns] = self.strip();
        let products = lower.max(rows * self.width) + upper.max(columns * self.width);
        let election = if self.subgroup > 1 {
            self.slots() * self.width * crate::device::narrow(size_of::<T>())
        } else {
            (self.workgroup + 16) * candidate
        };
        u64::from(published + squares + products) * size_of::<T>() as u64
            + u64::from(self.slots() * self.width * candidate + 4 * self.width + 4 * rows + election)
    }

    /// Columns of L that a panel reads ahead: fewer, the more rows an invocation has.
    pub(super) fn chunk(self) -> u32 {
        if self.width.is_multiple_of(2) {
            1 + 3 / self.rows.div_ceil(2)
        } else {
            1
        }
    }

    /// Whether its panels can be brought up to date by the last one of another shape, of which they read as many columns as they
    /// have themselves, in whole chunks.
    pub(super) fn follows(self, before: Self) -> bool {
        before.width <= self.width && before.width.is_multiple_of(self.chunk())
    }

    fn constants(self) -> [(&'static str, u32); 12] {
        let [down, tall, broad, deep] = self.tile.constants();
        [
            (WORKGROUP.name, self.workgroup),
            (ROWS.name, self.rows),
            (WIDTH.name, self.width),
            (CHUNK.name, self.chunk()),
            (SLOTS.name, self.slots()),
            (LANES.name, LANES_OF_STRIP),
            (SPAN.name, self.span),
            (BATCH.name, self.batch),
            down,
            tall,
            broad,
            deep,
        ]
    }
}

/// Workgroup, rows, width, span and batch, those for the fewest rows first; measured on an H200 (BENCHMARKS.md). Where devices
/// allow no more, workgroups of 256.
fn shapes<T: Scalar>() -> impl Iterator<Item = [u32; 5]> {
    let all: &[[u32; 5]] = match T::KIND {
        ScalarKind::F32 => &[
            [128, 1, 16, 1, 2],
            [128, 2, 16, 1, 4],
            [256, 2, 16, 2, 4],
            [384, 2, 16, 4, 4],
            [512, 2, 16, 4, 4],
            [256, 4, 16, 4, 4],
            [512, 3, 12, 4, 4],
            [512, 4, 12, 4, 4],
            [256, 8, 8, 4, 4],
            [512, 5, 8, 4, 4],
            [512, 6, 8, 4, 4],
            [512, 8, 8, 4, 4],
            [1024, 5, 6, 4, 2],
            [1024, 6, 5, 4, 2],
            [1024, 7, 4, 4, 2],
            [1024, 8, 4, 4, 2],
            [1024, 10, 3, 4, 2],
            [1024, 12, 3, 4, 2],
            [1024, 14, 2, 4, 2],
            [1024, 16, 2, 4, 2],
        ],
        ScalarKind::F64 => &[
            [128, 1, 16, 1, 4],
            [128, 2, 16, 1, 4],
            [256, 2, 16, 2, 4],
            [384, 2, 8, 4, 4],
            [512, 2, 8, 4, 4],
            [256, 4, 8, 2, 4],
            [512, 3, 8, 2, 4],
            [512, 4, 6, 2, 4],
            [256, 8, 4, 2, 4],
            [512, 6, 4, 2, 4],
            [512, 7, 4, 2, 4],
            [1024, 4, 4, 2, 4],
            [512, 8, 4, 2, 4],
            [512, 10, 4, 2, 4],
            [512, 12, 3, 2, 4],
            [512, 14, 2, 2, 4],
            [512, 16, 2, 2, 4],
        ],
        _ => &[
            [128, 1, 8, 1, 2],
            [128, 2, 8, 1, 4],
            [256, 2, 8, 1, 4],
            [384, 2, 8, 2, 2],
            [512, 2, 8, 2, 2],
            [256, 4, 8, 1, 2],
            [512, 3, 6, 2, 2],
            [512, 4, 4, 2, 2],
            [256, 8, 4, 1, 2],
            [512, 5, 6, 2, 2],
            [512, 8, 4, 2, 2],
            [512, 10, 3, 2, 2],
            [512, 12, 3, 2, 2],
            [512, 16, 2, 2, 2],
        ],
    };
    all.iter().copied()
}

fn subgroup(adapter: &Adapter, workgroup: u32) -> u32 {
    match adapter.subgroups() {
        Some((smallest, _)) if workgroup >= smallest => smallest,
        _ => 1,
    }
}

/// Factors a panel of a block, if there is one, and does what the panel before it asks in the columns to its right; and by the
/// way, some tiles of what the block before asks of the trailing matrix.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    state: &State<'_>,
    block: Block,
    step: &Step,
    by_the_way: &Tiles,
) -> Result<()> {
    let shape = step.shape;
    let (column, height, width) = (step.column, step.height, shape.width as usize);
    let across = if step.before == 0 {
        step.next
    } else {
        block.limit - column - step.width
    };
    let [strip_rows, strip_columns] = shape.strip();
    let strips = across.div_ceil(strip_columns as usize).max(1);
    let tiles = height.div_ceil(strip_rows as usize);
    let groups = usize::from(step.width > 0) + by_the_way.numbers.len() + strips * tiles;
    let besides = by_the_way.work::<T>(shape.tile);
    let kernel = if shape.subgroup > 1 {
        &STEP_SUBGROUPS
    } else {
        &STEP_WORKGROUP
    };
    gpu.launch(&Launch {
        kernel,
        precision: Precision::of::<T>(Width::Single),
        constants: &shape.constants(),
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
            .size("tiles", tiles)
            .size("besides", by_the_way.numbers.len())
            .size("done", by_the_way.first)
            .size("left", by_the_way.columns.start)
            .size("right", by_the_way.columns.end)
            .size("across", by_the_way.across)
            .size("tile", by_the_way.numbers.start),
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
            bytes: 2 * (height * (block.limit - column) * size_of::<T>()) as u64 + besides.bytes,
            operations: (height * width) as u64 * (8 * width + block.limit - column) as u64 + besides.operations,
        },
    })
}

pub(super) const WIDTH: Constant = Constant {
    name: "WIDTH",
    default: 4,
};
const ROWS: Constant = Constant {
    name: "ROWS",
    default: 2,
};
const CHUNK: Constant = Constant {
    name: "CHUNK",
    default: 2,
};
const SLOTS: Constant = Constant {
    name: "SLOTS",
    default: 8,
};
pub(super) const LANES: Constant = Constant {
    name: "LANES",
    default: 16,
};
const BATCH: Constant = Constant {
    name: "BATCH",
    default: 2,
};
const SPAN: Constant = Constant {
    name: "SPAN",
    default: 2,
};

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
            "tiles",
            "besides",
            "done",
            "left",
            "right",
            "across",
            "tile",
        ],
        scalars: &[],
        constants: &[
            WORKGROUP, ROWS, WIDTH, CHUNK, SLOTS, LANES, SPAN, BATCH, DOWN, TALL, BROAD, DEEP,
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
    ],
    fragment!("lu/step_subgroups.wgsl"),
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
    ],
    fragment!("lu/step_workgroup.wgsl"),
);
