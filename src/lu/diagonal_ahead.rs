//! The next block on the diagonal, and beside it what the block before asks of all else.

use super::diagonal::TILES;
use super::options::{Options, Pivoting};
use super::state::{BLOCK, Order};
use super::trailing::{BROAD, DEEP, DOWN, TALL, Tile, Trailing};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{AdapterKind, Device, Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// Invocations: 16 x 16 have a block.
const INVOCATIONS: u32 = 256;

/// Whether the block that begins at `next` is factored beside the product of the one before: if that is quicker, if all that the
/// block covers is its own, and if the kernel's memory is there.
pub(super) fn suits<T: Scalar>(a: &Matrix<T>, next: usize, options: Options) -> bool {
    let (down, right) = (a.rows() - next, a.cols() - next);
    let block = BLOCK.default as usize;
    let device = a.device();
    let [lower, upper] = Tile::beside_a_block::<T>().scalars::<T>();
    let scalars = (lower + upper + 4 * BLOCK.default) as usize;
    let memory = device.adapter().limit("maxComputeWorkgroupStorageSize");
    options.pivoting == Pivoting::None
        && options.depth.is_none()
        && options.panels.keep_triangles::<T>(device)
        && (down.min(right) >= block || down == right)
        && (scalars * size_of::<T>()) as u64 <= memory.unwrap_or(16 << 10)
        && down.max(right) >= worth_it(device)
}

/// The rows or columns that are left from which on the product takes long enough (BENCHMARKS.md).
fn worth_it(device: &Device) -> usize {
    match device.adapter().kind {
        AdapterKind::Software => 0,
        AdapterKind::Discrete | AdapterKind::Virtual => 512,
        _ => usize::MAX,
    }
}

/// The first column whose product waits until the block at `next` is factored: its own, if all is little enough. More columns are
/// quicker in a product of their own; fewer are, where strips wait beside the block and take workgroups from it. As measured on an H100
/// (BENCHMARKS.md), of 132 multiprocessors.
pub(super) fn first_to_wait<T: Scalar>(a: &Matrix<T>, next: usize, with_borders: bool) -> usize {
    let (beside, all) = match (a.device().adapter().kind, T::KIND) {
        (AdapterKind::Software, _) => (8, 16),
        (_, ScalarKind::F32) if with_borders => (264, 264),
        (_, ScalarKind::F32) => (1056, 2112),
        _ if with_borders => (0, 0),
        _ => (396, 792),
    };
    let [tile_rows, tile_cols] = Tile::beside_a_block::<T>().extent();
    let down = (a.rows() - next).div_ceil(tile_rows);
    if down * (a.cols() - next).div_ceil(tile_cols) <= all {
        return next;
    }
    // Whole strips are owed something, or nothing.
    let block = BLOCK.default as usize;
    let middle = a.cols().saturating_sub(beside / down * tile_cols).max(next + block);
    (next + (middle - next).next_multiple_of(block)).min(a.cols())
}

/// Factors the block of `size` rows and columns at (`first`, `first`), which is up to date, as [`super::diagonal::factor`], and takes
/// off columns to its right what the block before owes them.
///
/// Cost: one dispatch, in which the shorter of the two is hidden.
pub(super) fn factor<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    (first, size): (usize, usize),
    owed: &Trailing,
    order: &Order,
) -> Result<()> {
    debug_assert!(owed.first + owed.steps == first && owed.columns.end == a.cols());
    let tile = Tile::beside_a_block::<T>();
    let all = owed.share(a.rows(), tile, 0, 1);
    let [tile_rows, tile_cols] = tile.extent();
    let covered = if owed.columns.start == first {
        size.div_ceil(tile_rows) * size.div_ceil(tile_cols)
    } else {
        0
    };
    let tiles = all.numbers.len() - covered;
    let work = all.work::<T>(tile);
    gpu.launch(&Launch {
        kernel: &DIAGONAL_AHEAD,
        precision: Precision::of::<T>(Width::Single),
        constants: &[&tile.constants()[..], &[(WORKGROUP.name, INVOCATIONS)]].concat(),
        params: Params::new()
            .size("first", first)
            .size("size", size)
            .size("leading", a.cols())
            .size("done", owed.first)
            .size("height", a.rows() - first)
            .size("left", owed.columns.start)
            .size("right", owed.columns.end)
            .size("across", all.across),
        buffers: &[a.buffer().gpu(), order.pivots.gpu(), order.status.gpu()],
        grid: Grid::of(tiles as u64 + 1),
        work: Work {
            bytes: work.bytes,
            operations: work.operations + (size * size * size * 16) as u64,
        },
    })
}

pub(super) static DIAGONAL_AHEAD: Kernel = Kernel {
    name: "lu::diagonal_ahead",
    entry: "diagonal_ahead",
    source: fragment!("lu/diagonal_ahead.wgsl"),
    fragments: &[
        fragment!("lib/grid.wgsl"),
        fragment!("lu/divisor.wgsl"),
        fragment!("lu/diagonal_block.wgsl"),
        fragment!("lu/trailing.wgsl"),
    ],
    bindings: &[Access::ReadWrite; 3],
    integers: &["first", "size", "leading", "done", "height", "left", "right", "across"],
    scalars: &[],
    constants: &[WORKGROUP, TILES, DOWN, TALL, BROAD, DEEP],
    vocabulary: Vocabulary::Elements,
};
