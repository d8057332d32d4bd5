//! How a panel is laid out over the invocations of a workgroup, or of several, and how many panels a dispatch has.

use super::state::BLOCK;
use super::trailing::Tile;
use crate::device::kernel::{Constant, WORKGROUP};
use crate::device::precision::sealed_words;
use crate::device::{Adapter, AdapterKind, Device};
use crate::scalar::{Scalar, ScalarKind};

/// How a panel is laid out over a workgroup, `rows` rows of `width` columns in each invocation; how many of them are factored in one
/// dispatch; and a strip beside it, `span` columns and `batch` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) workgroup: u32,
    pub(super) rows: u32,
    pub(super) width: u32,
    span: u32,
    batch: u32,
    /// The smallest subgroup that may run it; 1 for the election without subgroups.
    pub(super) subgroup: u32,
    /// The most workgroups that hold a panel together, each with so many rows; 0 where one does it by itself.
    pub(super) crew: u32,
    /// Panels of a dispatch: one, or all of a block, each behind the ones before it.
    pub(super) panels: u32,
    /// Panels that are held at once.
    pub(super) crews: u32,
    /// A tile of the trailing matrix.
    pub(super) tile: Tile,
}

/// Columns of a strip, as `LANES` times `SPAN`.
const LANES_OF_STRIP: u32 = 16;

impl Shape {
    /// For panels of `height` rows, of a block of which panels bring `limit` columns up to date; none if neither a workgroup of the
    /// device holds them nor several that run at once. All panels of a block may be one dispatch if the limit is no more than the block.
    pub(super) fn of<T: Scalar>(device: &Device, height: usize, limit: usize) -> Option<Self> {
        Self::all::<T>(device, height, limit).find(|shape| shape.members(height) <= shape.crew.max(1) as usize)
    }

    /// Those that `device` has for panels of up to `height` rows, the best first.
    fn all<T: Scalar>(device: &Device, height: usize, limit: usize) -> impl Iterator<Item = Self> {
        let is_by_itself = limit <= BLOCK.default as usize;
        let adapter = device.adapter();
        let at_most = |name, least| adapter.limit(name).unwrap_or(least);
        let largest = at_most("maxComputeInvocationsPerWorkgroup", 256).min(1024);
        let bytes = at_most("maxComputeWorkgroupStorageSize", 16 << 10);
        let at_once = device.workgroups_at_once();
        let in_turn = crews_in_turn::<T>(adapter.kind).iter().filter(move |_| is_by_itself);
        let in_turn = in_turn.filter_map(move |crew| Some((crew, crews_at_once(adapter.kind, crew.1, at_once)?)));
        let one_a_dispatch = crews::<T>(adapter.kind).iter().map(|crew| (crew, 0));
        let held = in_turn
            .chain(one_a_dispatch)
            .filter(move |((above, ..), _)| height > *above);
        let held = held.map(|((_, crew, layout), at_once)| (*crew, at_once, *layout));
        held.chain(shapes::<T>().map(|layout| (0, 0, layout)))
            .flat_map(move |(crew, crews, [workgroup, rows, width, span, batch])| {
                debug_assert!(
                    LANES_OF_STRIP * span <= workgroup,
                    "one invocation for each column of a strip"
                );
                let panels = if crews > 0 { BLOCK.default.div_ceil(width) } else { 1 };
                // Small subgroups publish more rows than there may be room for.
                [subgroup(adapter, workgroup), 1].into_iter().flat_map(move |subgroup| {
                    Tile::of::<T>(workgroup, crew).map(|tile| Self {
                        workgroup,
                        rows,
                        width,
                        span,
                        batch,
                        subgroup,
                        crew,
                        panels,
                        crews: crews.max(1),
                        tile,
                    })
                })
            })
            .filter(move |shape| {
                let waiting = shape.crews as usize * shape.members(height.min(shape.most_rows()));
                u64::from(shape.workgroup) <= largest
                    // By what was measured, there is room for twice as many.
                    && (waiting == 1 || 2 * waiting <= at_once as usize)
                    && (shape.crew == 0 || shape.subgroup > 1)
                    && shape.bytes::<T>() <= bytes
            })
    }

    /// The rows that its workgroups hold together.
    fn most_rows(self) -> usize {
        (self.crew.max(1) * self.workgroup * self.rows) as usize
    }

    /// The workgroups that hold a panel of so many rows.
    pub(super) fn members(self, height: usize) -> usize {
        height.div_ceil((self.workgroup * self.rows) as usize).max(1)
    }

    /// The words that they send each other in a dispatch (`lu/letters.wgsl`).
    pub(super) fn letters<T: Scalar>(self, height: usize) -> usize {
        let sealed = sealed_words(T::KIND);
        let candidates = (self.width * self.crew * (self.width + 1) * sealed) as usize;
        if self.panels == 1 {
            return candidates;
        }
        debug_assert!(self.width.is_multiple_of(GROUP.default), "a group is of one panel");
        let followed = (self.panels - 1) * self.width * (self.width + GROUP.default) * sealed;
        let lower = (self.width * sealed) as usize * height;
        self.panels as usize * (candidates + (self.width + followed) as usize + lower)
    }

    /// Columns of A that pass through workgroup memory at once, where a dispatch has all panels of a block.
    fn line<T>(self) -> u32 {
        // As many as memory is read by.
        let sector = 32 / crate::device::narrow(size_of::<T>());
        1 << self.width.trailing_zeros().min(sector.ilog2())
    }

    /// Columns of a dispatch.
    pub(super) fn columns(self) -> usize {
        (self.panels * self.width) as usize
    }

    /// Dispatches for a block of `steps` columns in one stage with nothing to its right.
    pub(super) fn dispatches(self, steps: usize) -> usize {
        steps.div_ceil(self.columns())
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
    pub(super) fn strip(self) -> [u32; 2] {
        [self.workgroup / LANES_OF_STRIP * self.batch, LANES_OF_STRIP * self.span]
    }

    /// Workgroup memory of the kernel, of pairs a little more than it takes.
    fn bytes<T>(self) -> u64 {
        let candidate = 16;
        // As published.
        let candidates = match self.crew {
            0 => self.slots() * self.width,
            _ => self.slots() + self.width,
        };
        let run = 16 / crate::device::narrow(size_of::<T>());
        let stride = self.width.next_multiple_of(run);
        let published = match self.crew {
            0 => self.slots() * self.width * stride,
            // Those of a column, of the workgroup and of all, and the pivots' rows.
            crew => (self.slots() + crew + self.width) * stride,
        };
        let squares = self.width * (stride + self.panels * self.width);
        let whole = if self.panels > 1 {
            self.line::<T>() * self.workgroup + GROUP.default * (self.width + GROUP.default)
        } else {
            0
        };
        let followed = if self.panels > 1 { GROUP.default + self.width } else { 0 };
        // A tile or a strip.
        let [lower, upper] = self.tile.scalars::<T>();
        let [rows, columns] = self.strip();
        let products = lower.max(rows * self.width) + upper.max(columns * self.width);
        let election = if self.subgroup > 1 {
            self.slots() * self.width * crate::device::narrow(size_of::<T>())
        } else {
            (self.workgroup + 16) * candidate
        };
        u64::from(published + squares + whole + products) * size_of::<T>() as u64
            + u64::from(candidates * candidate + 4 * (self.width + followed + rows) + election)
    }

    /// Columns of L that a panel reads ahead: fewer, the more rows an invocation has (BENCHMARKS.md).
    pub(super) fn chunk(self) -> u32 {
        // Crews were slower with more; and workgroups of 512 follow panels of 12 columns, which are no whole chunks of 8, but
        // of 4.
        if self.crew == 0 && self.rows <= 2 && self.workgroup < 512 {
            self.width / 2
        } else if self.crew == 0 && self.width == 12 {
            4
        } else if self.width.is_multiple_of(2) {
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

    pub(super) fn constants<T>(self) -> [(&'static str, u32); 16] {
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
            (CREW.name, self.crew.max(1)),
            (PARTS.name, self.panels),
            (GROUP.name, GROUP.default),
            (LINE.name, self.line::<T>()),
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

/// Above so many rows, as many workgroups as hold them, at most so many, and their layout as in [`shapes`].
type Crew = (usize, u32, [u32; 5]);

/// Those of one panel a dispatch, the best first; measured on an H100 (BENCHMARKS.md). Drivers that compute on the CPU run one
/// workgroup after the other: there one alone has some heights, so that what crews do runs everywhere.
fn crews<T: Scalar>(kind: AdapterKind) -> &'static [Crew] {
    match (kind, T::KIND) {
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F32) => &[
            (2048, 12, [384, 1, 16, 4, 4]),
            (4096, 16, [512, 1, 16, 4, 4]),
            (8192, 16, [512, 2, 16, 4, 4]),
            (8192, 32, [512, 4, 12, 4, 4]),
        ],
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F64) => &[
            (2048, 16, [256, 1, 8, 2, 4]),
            (4096, 16, [512, 1, 16, 2, 4]),
            (8192, 16, [512, 2, 8, 2, 4]),
        ],
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::Df64) => &[
            (2048, 16, [256, 1, 8, 1, 2]),
            (4096, 16, [512, 1, 8, 2, 2]),
            (8192, 16, [512, 2, 8, 2, 2]),
        ],
        (AdapterKind::Software, ScalarKind::F32 | ScalarKind::F64) => &[(128, 1, [128, 2, 16, 1, 4])],
        (AdapterKind::Software, ScalarKind::Df64) => &[(128, 1, [128, 2, 8, 1, 4])],
        _ => &[],
    }
}

/// Those that take the panels of a block in turn, in one dispatch, where that is quicker than a panel a dispatch; measured on an
/// H200 (BENCHMARKS.md).
fn crews_in_turn<T: Scalar>(kind: AdapterKind) -> &'static [Crew] {
    match (kind, T::KIND) {
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F32) => &[
            (1024, 8, [256, 1, 16, 4, 4]),
            (2048, 12, [256, 1, 16, 4, 4]),
            (3072, 12, [384, 1, 16, 4, 4]),
            (4096, 16, [512, 1, 16, 4, 4]),
            (8192, 16, [512, 2, 16, 4, 4]),
            (8192, 32, [512, 4, 12, 4, 4]),
        ],
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F64) => &[
            (1024, 8, [256, 1, 16, 2, 4]),
            (2048, 12, [256, 1, 16, 2, 4]),
            (3072, 12, [384, 1, 16, 2, 4]),
        ],
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::Df64) => &[
            (1024, 8, [256, 1, 8, 1, 2]),
            (2048, 12, [256, 1, 8, 1, 2]),
            (3072, 12, [384, 1, 8, 2, 2]),
            (4096, 16, [512, 1, 8, 2, 2]),
        ],
        (AdapterKind::Software, _) => crews::<T>(kind),
        _ => &[],
    }
}

/// How many crews work on a block at once, one behind the other; none if they are too few to be quicker. Where one workgroup runs
/// after the other, one takes all panels.
fn crews_at_once(kind: AdapterKind, members: u32, at_once: u32) -> Option<u32> {
    match kind {
        AdapterKind::Software => Some(1),
        _ => {
            // Of small crews more leave room for tiles beside them.
            let most = if members <= 8 { 8 } else { 4 };
            Some((at_once / 2 / members).min(most)).filter(|crews| *crews > 1)
        }
    }
}

/// The most words that the crews of a device send for panels of up to so many rows.
pub(super) fn most_letters<T: Scalar>(device: &Device, rows: usize) -> usize {
    let shapes = Shape::all::<T>(device, rows, 0).filter(|shape| shape.crew > 0);
    let words = shapes.map(|shape| shape.letters::<T>(rows.min(shape.most_rows())));
    words.max().unwrap_or(0)
}

fn subgroup(adapter: &Adapter, workgroup: u32) -> u32 {
    match adapter.subgroups() {
        Some((smallest, _)) if workgroup >= smallest => smallest,
        _ => 1,
    }
}

pub(super) const WIDTH: Constant = Constant {
    name: "WIDTH",
    default: 4,
};
pub(super) const ROWS: Constant = Constant {
    name: "ROWS",
    default: 2,
};
pub(super) const CHUNK: Constant = Constant {
    name: "CHUNK",
    default: 2,
};
pub(super) const SLOTS: Constant = Constant {
    name: "SLOTS",
    default: 8,
};
pub(super) const LANES: Constant = Constant {
    name: "LANES",
    default: 16,
};
pub(super) const BATCH: Constant = Constant {
    name: "BATCH",
    default: 2,
};
pub(super) const SPAN: Constant = Constant {
    name: "SPAN",
    default: 2,
};
/// Panels of a dispatch.
pub(super) const PARTS: Constant = Constant {
    name: "PARTS",
    default: 4,
};
/// Columns that a panel follows at a time.
pub(super) const GROUP: Constant = Constant {
    name: "GROUP",
    default: 4,
};
/// Columns of A that pass through workgroup memory at once.
pub(super) const LINE: Constant = Constant {
    name: "LINE",
    default: 1,
};
pub(super) const CREW: Constant = Constant {
    name: "CREW",
    default: 4,
};
