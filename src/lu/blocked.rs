//! Blocks of columns, one after the other, each with what it asks of the columns to its right: right-looking at two levels. Where
//! panels are in registers, most of a block's product waits until the next block, and is done beside its panels ([`trailing`]); where
//! that cannot be and much is left, blocks share the product that changes all of it.

use super::borders::{self, Block};
use super::diagonal::{self, Exchanges};
use super::options::{Options, Pivoting};
use super::state::{Copies, Order, State, Workspace};
use super::step::{self, Shape};
use super::trailing::{self, Tiles, Trailing};
use super::{PANEL, exchange, panel, tournament};
use crate::dense::{Matrix, copy_block, gemm};
use crate::device::{AdapterKind, Gpu, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// Up to this many columns, the panels of a block bring everything to their right up to date; above, only the block, and
/// one product of the block's depth does the rest.
const ONE_LEVEL: usize = 512;

/// Rows of U that are substituted at a time where the rest is a product.
const SUBSTITUTED: usize = 16;

/// Blocks that share one product with what is right of them, where so many columns are left (BENCHMARKS.md).
const SHARING: usize = 2;
const SHARED_FROM: usize = 4096;

/// Factors blocks of columns from `first` on, and brings what is right of them up to date; returns their columns.
pub(super) fn factor_blocks<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    options: Options,
    workspace: &mut Workspace<T>,
) -> Result<usize> {
    if looks_ahead(a, first, options).is_some() {
        return factor_block(a, order, first, a.cols(), options, workspace);
    }
    let end = first + columns_at_once(a, first, options);
    // What is alone brings everything up to date itself.
    let alone = end - first <= block_of(a, first);
    if alone {
        return factor_block(a, order, first, a.cols(), options, workspace);
    }
    let mut at = first;
    while at < end {
        at += factor_block(a, order, at, end, options, workspace)?;
    }
    update(a, first, end - first, a.cols(), Lower::Known, workspace)?;
    Ok(end - first)
}

/// The columns from `first` on that are factored before anything is done right of them: a product there reads and writes all
/// that is left of A, whatever its depth.
pub(super) fn columns_at_once<T: Scalar>(a: &Matrix<T>, first: usize, options: Options) -> usize {
    let block = block_of(a, first);
    let left = a.rows().min(a.cols()) - first;
    let on_a_gpu = !matches!(a.device().adapter().kind, AdapterKind::Host | AdapterKind::Software);
    let shared = on_a_gpu && left >= SHARED_FROM && looks_ahead(a, first, options).is_none();
    let depth = options.depth.unwrap_or(if shared { SHARING * block } else { block });
    depth.min(left).next_multiple_of(block.max(1)).clamp(block, left)
}

/// The shape of the panels of the block that begins at `first`, if they are held in registers.
fn shape_of<T: Scalar>(a: &Matrix<T>, first: usize, options: Options) -> Option<Shape> {
    let device = a.device();
    let held = options.pivoting == Pivoting::Partial && !device.is_host() && options.panels.in_registers(device);
    held.then(|| Shape::of::<T>(device, a.rows() - first)).flatten()
}

/// The same, if beside them what the block before asks may be done.
fn looks_ahead<T: Scalar>(a: &Matrix<T>, first: usize, options: Options) -> Option<Shape> {
    let may = options.depth.is_none() && trailing::tiles_by_the_way::<T>(a.device(), a.rows() - first) > 0;
    may.then(|| shape_of(a, first, options)).flatten()
}

/// Factors the block of columns that begins at `first`, and brings columns up to `end` up to date, or notes what they are still
/// owed; returns its columns.
fn factor_block<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    end: usize,
    options: Options,
    workspace: &mut Workspace<T>,
) -> Result<usize> {
    let device = a.device().clone();
    if let (Ground::Gpu(gpu), Some(shape)) = (device.ground(), shape_of(a, first, options)) {
        return in_registers(gpu, a, order, first, end, (shape, options), workspace);
    }
    let steps = block_of(a, first);
    let lower = if options.pivoting == Pivoting::None {
        diagonal::factor(a, first, steps, (Exchanges::None, options.panels), order)?;
        Lower::Unknown
    } else {
        by_panels(a, order, first, steps, options, workspace)?;
        Lower::Known
    };
    update(a, first, steps, end, lower, workspace)?;
    Ok(steps)
}

/// [`factor_block`] with panels that are held in the registers of one workgroup each ([`step`]).
fn in_registers<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    order: &Order,
    first: usize,
    end: usize,
    (shape, options): (Shape, Options),
    workspace: &mut Workspace<T>,
) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    let steps = block_of(a, first);
    let limit = brought_up_to_date(a, first, end);
    let block = step::Block { first, steps, limit };
    let state = State::new::<T>(gpu, order, cols)?;
    let owed = workspace.owed.take();
    let dispatches = shape.dispatches(steps);
    for number in 0..dispatches {
        let tiles = match &owed {
            Some(owed) => owed.share(rows, shape, number, dispatches),
            None => Tiles::default(),
        };
        step::launch(gpu, a, &state, block, shape, number, &tiles)?;
    }
    let width = shape.width as usize;
    let places = (steps.div_ceil(width) - 1) % 2 * (rows - first);
    exchange::launch(gpu, a, &state, block, width, places)?;
    drop(state);
    if first + limit == end {
        return Ok(steps);
    }
    let next = first + steps;
    let middle = match looks_ahead(a, next, options) {
        Some(shape) if next < rows.min(cols) => {
            let soon = next + brought_up_to_date(a, next, end);
            trailing::first_to_wait(a, next, soon, shape, block_of(a, next))
        }
        _ => end,
    };
    borders_of(a, first, steps, end, Lower::Known, workspace)?;
    product(a, first, steps, middle, Lower::Known, workspace)?;
    workspace.owed = (middle < end).then_some(Trailing {
        first,
        steps,
        columns: middle..end,
    });
    Ok(steps)
}

/// The columns from `first` on that the panels of its block bring up to date, of those before `end`.
fn brought_up_to_date<T: Scalar>(a: &Matrix<T>, first: usize, end: usize) -> usize {
    let cols = a.cols();
    // Not if columns further right wait for the blocks before.
    if end == cols && cols - first <= ONE_LEVEL {
        cols - first
    } else {
        block_of(a, first)
    }
}

/// L below a block on the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lower {
    Known,
    Unknown,
}

/// U right of a block, up to column `end`, L below it, and what is left of these columns and rows.
fn update<T: Scalar>(
    a: &mut Matrix<T>,
    first: usize,
    steps: usize,
    end: usize,
    lower: Lower,
    workspace: &mut Workspace<T>,
) -> Result<()> {
    borders_of(a, first, steps, end, lower, workspace)?;
    product(a, first, steps, end, lower, workspace)
}

/// U right of a block, up to column `end`, and L below it.
fn borders_of<T: Scalar>(
    a: &mut Matrix<T>,
    first: usize,
    steps: usize,
    end: usize,
    lower: Lower,
    workspace: &mut Workspace<T>,
) -> Result<()> {
    let next = first + steps;
    if next == end && (next == a.rows() || lower == Lower::Known) {
        return Ok(());
    }
    let copies = workspace.copies(a, first)?;
    let block = Block {
        first,
        size: steps,
        below: lower == Lower::Unknown,
        right: next..end,
    };
    if lower == Lower::Known && steps > SUBSTITUTED && a.device().adapter().kind == AdapterKind::Software {
        upper_by_products(a, &block, SUBSTITUTED, copies)
    } else if steps > exchange::BLOCK.default as usize {
        upper_by_products(a, &block, exchange::BLOCK.default as usize, copies)
    } else {
        borders::solve(a, &block, copies)
    }
}

/// What a block takes off the rows below it, up to column `end`, once its borders are known.
fn product<T: Scalar>(
    a: &mut Matrix<T>,
    first: usize,
    steps: usize,
    end: usize,
    lower: Lower,
    workspace: &mut Workspace<T>,
) -> Result<()> {
    let next = first + steps;
    let (below, right) = (a.rows() - next, end - next);
    if below == 0 || right == 0 {
        return Ok(());
    }
    let copies = workspace.copies(a, first)?;
    if lower == Lower::Known {
        copy_block(
            a.block(next, first, below, steps)?,
            copies.lower.block_mut(0, 0, below, steps)?,
        )?;
    }
    gemm(
        -T::one(),
        copies.lower.block(0, 0, below, steps)?,
        copies.upper.block(0, 0, steps, right)?,
        T::one(),
        a.block_mut(next, next, below, right)?,
    )
}

/// U right of a block, `at_once` rows at a time: what they take off the rows below them is a product. Of few rows on a driver
/// that computes on the CPU, where a product keeps more of what it reads than a substitution; elsewhere, dispatches cost more.
fn upper_by_products<T: Scalar>(
    a: &mut Matrix<T>,
    block: &Block,
    at_once: usize,
    copies: &mut Copies<T>,
) -> Result<()> {
    let (first, end, right) = (block.first, block.first + block.size, block.right.clone());
    for at in (first..end).step_by(at_once) {
        let rows = at_once.min(end - at);
        let part = Block {
            first: at,
            size: rows,
            ..block.clone()
        };
        borders::solve(a, &part, copies)?;
        let (next, below) = (at + rows, end - at - rows);
        if below == 0 {
            continue;
        }
        copy_block(
            a.block(next, at, below, rows)?,
            copies.lower.block_mut(0, 0, below, rows)?,
        )?;
        gemm(
            -T::one(),
            copies.lower.block(0, 0, below, rows)?,
            copies.upper.block(0, 0, rows, right.len())?,
            T::one(),
            a.block_mut(next, right.start, below, right.len())?,
        )?;
    }
    copy_block(
        a.block(first, right.start, block.size, right.len())?,
        copies.upper.block_mut(0, 0, block.size, right.len())?,
    )
}

/// The columns of a block by panels that are worked on in memory.
fn by_panels<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    steps: usize,
    options: Options,
    workspace: &mut Workspace<T>,
) -> Result<()> {
    let end = first + steps;
    let width = panel::width::<T>(a.device());
    for at in (first..end).step_by(width) {
        let width = width.min(end - at);
        let lower = if options.pivoting == Pivoting::Tournament {
            tournament::exchange(a, at, width, order)?;
            diagonal::factor(a, at, width, (Exchanges::Done, options.panels), order)?;
            Lower::Unknown
        } else {
            panel::factor(a, at, width, order)?;
            Lower::Known
        };
        update(a, at, width, end, lower, workspace)?;
    }
    Ok(())
}

/// The columns of the block that begins at `first`.
fn block_of<T: Scalar>(a: &Matrix<T>, first: usize) -> usize {
    // The host gains nothing by a second level.
    let most = if a.device().is_host() { PANEL } else { exchange::BLOCK };
    (most.default as usize).min(a.rows().min(a.cols()) - first)
}
