//! The next block on the diagonal with L below and U right of it, which wait in one dispatch for its columns as they are finished, and
//! beside them what the block before asks of all else.

use std::ops::Range;

use super::borders::{self, ABREAST, WIDTH_IN_REGISTERS};
use super::options::{Options, Pivoting};
use super::shape::LANES;
use super::state::{BLOCK, Order, Workspace};
use super::trailing::{BROAD, DEEP, DOWN, TALL, Tile, Trailing};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, SEALED, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width, sealed_words};
use crate::device::{AdapterKind, Device, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// Invocations: 16 x 16 have a block, and as many have a strip.
const INVOCATIONS: u32 = 256;

/// Whether L and U up to column `end` are solved for beside the block of `size` rows and columns at (`first`, `first`): if there are any
/// and that is quicker, if the device was seen to run workgroups at once, of which strips wait for the block's, and if the kernel's memory
/// is there.
pub(super) fn suits<T: Scalar>(a: &Matrix<T>, (first, size): (usize, usize), end: usize, options: Options) -> bool {
    let beside = a.rows().max(a.cols()) - first - size;
    end == a.cols() && (1..=worth_it::<T>(a.device())).contains(&beside) && waits(a, options)
}

/// The same of all blocks of `a`, whatever is quicker.
fn waits<T: Scalar>(a: &Matrix<T>, options: Options) -> bool {
    let device = a.device();
    let memory = device.adapter().limit("maxComputeWorkgroupStorageSize");
    options.pivoting == Pivoting::None
        && options.panels.keep_triangles::<T>(device)
        && bytes::<T>(device) <= memory.unwrap_or(16 << 10)
        && match device.adapter().kind {
            AdapterKind::Software => a.rows() > BESIDE_ON_CPUS,
            _ => device.workgroups_at_once() > 1,
        }
}

/// Drivers that compute on the CPU do so in matrices of more rows, so that both ways run there.
const BESIDE_ON_CPUS: usize = 400;

/// The most rows or columns beside a block up to which the block takes longer than the products beside it, of which strips take more time
/// than tiles. As measured on an H100 (BENCHMARKS.md).
fn worth_it<T: Scalar>(device: &Device) -> usize {
    match (device.adapter().kind, T::KIND) {
        (AdapterKind::Software, _) => usize::MAX,
        (_, ScalarKind::F32) => 2048,
        _ => 384,
    }
}

/// The most words that are sent while `a` is factored.
pub(super) fn most_letters<T: Scalar>(a: &Matrix<T>, options: Options) -> usize {
    // One block with nothing beside it.
    let is_alone = a.rows() == a.cols() && a.rows() <= BLOCK.default as usize;
    if is_alone || !waits(a, options) {
        0
    } else {
        words::<T>()
    }
}

/// The words of a block.
fn words<T: Scalar>() -> usize {
    (BLOCK.default * BLOCK.default * sealed_words(T::KIND)) as usize
}

/// Lanes of a strip, unknowns of a step, and lanes of an invocation, of so many rows and columns together. Wide strips are as good at
/// products as tiles are, and leave more workgroups to these, but need more workgroup memory than drivers on the CPU have.
fn strip<T: Scalar>(device: &Device, lines: usize) -> [u32; 3] {
    let are_narrow = lines <= borders::NARROW_STRIPS * 16 || device.adapter().kind == AdapterKind::Software;
    match T::KIND {
        ScalarKind::F32 if are_narrow => [16, 16, 1],
        ScalarKind::F32 => [64, 16, 4],
        _ => [32, 8, 1],
    }
}

/// Workgroup memory of the kernel with the widest strips.
fn bytes<T: Scalar>(device: &Device) -> u64 {
    let run = 16 / crate::device::narrow(size_of::<T>());
    let [lower, upper] = Tile::beside_a_block::<T>().scalars::<T>();
    let [lanes, width, _] = strip::<T>(device, usize::MAX);
    let triangle = width * (width + run) + width * (BLOCK.default + run) + BLOCK.default;
    let scalars = 4 * BLOCK.default + lower + upper + triangle + 2 * width * (lanes + run);
    u64::from(scalars) * size_of::<T>() as u64 + 4
}

/// Tiles that come before the strips: strips that are begun later wait less, but leave more behind the block. As measured on an H100
/// (BENCHMARKS.md).
const EARLY: usize = 66;

/// Turns of 1,024 looks at a word that is not there: some tenths of a second, if a look takes a third of a microsecond.
const PATIENCE: u32 = 1 << 10;

/// Factors the block of `size` rows and columns at (`first`, `first`), which is up to date, solves `X U = A` in all rows below it and
/// `L X = A` in all columns right of it, and takes off what is `owed`. X overwrites A, and goes to the copies. Where a pivot is zero,
/// L's column is.
///
/// Cost: one dispatch, in which the shorter of the two is hidden, the block or the products. On drivers that compute on the CPU the block has
/// one before the others: lavapipe ends all loops of an invocation without a word once they have taken 65,535 turns together, so that one
/// that has waited for long computes garbage, as was seen beside other work for the CPU.
pub(super) fn factor<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    (first, size): (usize, usize),
    owed: Option<&Trailing>,
    order: &Order,
    workspace: &mut Workspace<T>,
) -> Result<()> {
    let (rows, cols, next) = (a.rows(), a.cols(), first + size);
    let [below, right] = [rows - next, cols - next];
    let [lanes, width, abreast] = strip::<T>(a.device(), below + right);
    let groups = |of: usize| of.div_ceil(lanes as usize);
    let strips = groups(below) + groups(right);
    let tile = Tile::beside_a_block::<T>();
    let [tile_rows, tile_cols] = tile.extent();
    // Nothing is owed where the block before has none.
    let (done, columns) = owed.map_or((first, cols..cols), |owed| (owed.first, owed.columns.clone()));
    let left = columns.start.max(next);
    let across = (cols - left).div_ceil(tile_cols);
    let tiles = across * below.div_ceil(tile_rows);
    debug_assert!(columns.end == cols, "all that is left waits");
    debug_assert!(
        left == cols || (left - next).is_multiple_of(lanes as usize),
        "whole strips"
    );
    debug_assert!(
        tiles == 0 || size == BLOCK.default as usize,
        "tiles begin behind a whole block"
    );
    let turn = workspace.letters.next(words::<T>());
    let copies = workspace.copies(a, first)?;
    let lines = below + right;
    let terms = size + first - done;
    let groups_of_all = 1 + tiles + strips;
    let behind_the_block = match a.device().adapter().kind {
        AdapterKind::Software => 1,
        _ => groups_of_all,
    };
    let work = Work {
        bytes: ((2 * tiles * tile_rows * tile_cols + 3 * size * lines) * size_of::<T>()) as u64,
        operations: (tiles * tile_rows * tile_cols * (first - done) + size * lines * terms + size * size * size * 16)
            as u64,
    };
    let launch = |numbers: Range<usize>| {
        gpu.launch(&Launch {
            kernel: &DIAGONAL_AND_BORDERS,
            precision: Precision::of::<T>(Width::Single),
            constants: &[
                &tile.constants()[..],
                &[
                    (WORKGROUP.name, INVOCATIONS),
                    (TILES.name, BLOCK.default / 16),
                    (LANES.name, lanes),
                    (WIDTH_IN_REGISTERS.name, width),
                    (ABREAST.name, abreast),
                ],
            ]
            .concat(),
            params: Params::new()
                .size("before", numbers.start)
                .size("first", first)
                .size("size", size)
                .size("leading", cols)
                .size("rows", rows)
                .size("begin", next)
                .size("end", cols)
                .size("below", groups(below))
                .size("lower_leading", copies.lower.cols())
                .size("upper_leading", copies.upper.cols())
                .size("done", done)
                .size("height", rows - first)
                .size("left", left)
                .size("right", cols)
                .size("across", across)
                .size("early", EARLY.min(tiles))
                .size("strips", strips)
                .size("owed_lower", usize::from(columns.start == first))
                .size("owed_upper", columns.start)
                .size("letters", turn.at)
                .size("former_letters", turn.former)
                .size("former_words", turn.former_words)
                .integer("patience", PATIENCE),
            buffers: &[
                a.buffer().gpu(),
                order.pivots.gpu(),
                order.status.gpu(),
                copies.lower.buffer().gpu(),
                copies.upper.buffer().gpu(),
            ],
            grid: Grid::of(numbers.len() as u64),
            work: match numbers.end {
                1 => Work::default(),
                _ => work,
            },
        })
    };
    launch(0..behind_the_block)?;
    if behind_the_block < groups_of_all {
        launch(behind_the_block..groups_of_all)?;
    }
    Ok(())
}

/// Elements of a row, and of a column, of the block that an invocation holds: 16 invocations hold [`BLOCK`].
const TILES: Constant = Constant {
    name: "TILES",
    default: 2,
};
const LANES_OF_STRIP: Constant = Constant {
    name: LANES.name,
    default: 8,
};
const DEPTH: Constant = Constant {
    name: DEEP.name,
    default: 1,
};

pub(super) static DIAGONAL_AND_BORDERS: Kernel = Kernel {
    name: "lu::diagonal_and_borders",
    entry: "diagonal_and_borders",
    source: fragment!("lu/diagonal_and_borders.wgsl"),
    fragments: &[
        fragment!("lib/grid.wgsl"),
        SEALED,
        fragment!("lu/patience.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/diagonal_block.wgsl"),
        fragment!("lu/strip.wgsl"),
        fragment!("lu/strip_registers.wgsl"),
        fragment!("lu/trailing.wgsl"),
    ],
    bindings: &[Access::ReadWrite; 5],
    integers: &[
        "before",
        "first",
        "size",
        "leading",
        "rows",
        "begin",
        "end",
        "below",
        "lower_leading",
        "upper_leading",
        "done",
        "height",
        "left",
        "right",
        "across",
        "early",
        "strips",
        "owed_lower",
        "owed_upper",
        "letters",
        "former_letters",
        "former_words",
        "patience",
    ],
    scalars: &[],
    constants: &[
        WORKGROUP,
        TILES,
        DOWN,
        TALL,
        BROAD,
        DEPTH,
        LANES_OF_STRIP,
        WIDTH_IN_REGISTERS,
        ABREAST,
    ],
    vocabulary: Vocabulary::Elements,
};
