//! Blocks of columns, one after the other, each with what it asks of the columns to its right ([`super::update`]): right-looking at
//! two levels. Where panels are in registers, most of a block's product waits until the next block, and is done beside its panels
//! ([`look_ahead`]); where that cannot be and much is left, blocks share the product that changes all of it.

use super::diagonal::{self, Exchanges};
use super::diagonal_ahead;
use super::diagonal_and_borders;
use super::options::{Options, Pivoting};
use super::shape::Shape;
use super::state::{BLOCK, Block, Order, State, Workspace};
use super::trailing::{Tiles, Trailing};
use super::update::{Done, Lower};
use super::{
    PANEL, exchange, exchange_and_borders, look_ahead, panel, panel_alone, reorder, shape, stages, step, tournament,
};
use crate::dense::Matrix;
use crate::device::{AdapterKind, Device, Gpu, Ground};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// Up to this many columns, which may be behind other blocks, the panels of a block bring everything to their right up to date; above,
/// only the block, and one product of the block's depth does the rest. As measured on GPUs of 132 multiprocessors, on which the panels'
/// strips take no longer than a panel up to here (BENCHMARKS.md).
fn one_level<T: Scalar>(device: &Device, is_behind: bool) -> usize {
    match (device.adapter().kind, T::KIND) {
        // What the block before is owed would come before all else, instead of beside the next block.
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F32) if is_behind => 1024,
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F32 | ScalarKind::F64) => 1536,
        (AdapterKind::Discrete | AdapterKind::Virtual, _) => 1024,
        _ => 512,
    }
}

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
    if looks_ahead(a, first, options).is_some() || diagonal_ahead::suits(a, first, options) {
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
    let done = Done {
        first,
        steps: end - first,
        lower: Lower::Known,
    };
    done.update(a, a.cols(), workspace)?;
    Ok(done.steps)
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

/// The most words that workgroups of one dispatch send each other ([`super::letters`]).
pub(super) fn most_letters<T: Scalar>(a: &Matrix<T>, options: Options) -> usize {
    match options.pivoting {
        Pivoting::Partial => shape::most_letters::<T>(a.device(), a.rows()),
        Pivoting::None => diagonal_and_borders::most_letters(a, options),
        Pivoting::Tournament => 0,
    }
}

/// The shape of the panels of the block that begins at `first`, if they are held in registers.
fn shape_of<T: Scalar>(a: &Matrix<T>, first: usize, options: Options) -> Option<Shape> {
    let device = a.device();
    let held = options.pivoting == Pivoting::Partial && !device.is_host() && options.panels.in_registers(device);
    let limit = brought_up_to_date(a, first, a.cols());
    held.then(|| Shape::of::<T>(device, a.rows() - first, limit)).flatten()
}

/// The same, if beside them what the block before asks may be done.
fn looks_ahead<T: Scalar>(a: &Matrix<T>, first: usize, options: Options) -> Option<Shape> {
    shape_of(a, first, options).filter(|shape| {
        options.depth.is_none() && look_ahead::tiles_by_the_way::<T>(a.device(), a.rows() - first, *shape) > 0
    })
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
    if let (Ground::Gpu(gpu), Some(_)) = (device.ground(), shape_of(a, first, options)) {
        return in_registers(gpu, a, order, first, end, options, workspace);
    }
    let steps = block_of(a, first);
    if options.pivoting == Pivoting::None {
        return without_exchanges(a, order, first, end, options, workspace);
    }
    by_panels(a, order, first, steps, options, workspace)?;
    let done = Done {
        first,
        steps,
        lower: Lower::Known,
    };
    done.update(a, end, workspace)?;
    Ok(steps)
}

/// [`factor_block`] without exchanges: its product may wait until the next block is factored beside it.
fn without_exchanges<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    end: usize,
    options: Options,
    workspace: &mut Workspace<T>,
) -> Result<usize> {
    let device = a.device().clone();
    let steps = block_of(a, first);
    let done = Done {
        first,
        steps,
        lower: Lower::Unknown,
    };
    match (device.ground(), workspace.owed.take()) {
        (Ground::Gpu(gpu), owed) if diagonal_and_borders::suits(a, (first, steps), end, options) => {
            diagonal_and_borders::factor(gpu, a, (first, steps), owed.as_ref(), order, workspace)?;
        }
        (Ground::Gpu(gpu), Some(owed)) => {
            diagonal_ahead::factor(gpu, a, (first, steps), &owed, order)?;
            done.solve_borders(a, end, workspace)?;
        }
        _ => {
            diagonal::factor(a, first, steps, (Exchanges::None, options.panels), order)?;
            done.solve_borders(a, end, workspace)?;
        }
    }
    let next = first + steps;
    if next < a.rows().min(a.cols()) && end == a.cols() && diagonal_ahead::suits(a, next, options) {
        let size = block_of(a, next);
        let with_borders = diagonal_and_borders::suits(a, (next, size), end, options);
        let middle = diagonal_ahead::first_to_wait(a, next, with_borders);
        if middle > next {
            done.subtract(a, middle, workspace)?;
        } else {
            done.subtract_from_block(a, size, workspace)?;
        }
        workspace.owed = Some(Trailing {
            first,
            steps,
            columns: middle..end,
        });
        return Ok(steps);
    }
    done.subtract(a, end, workspace)?;
    Ok(steps)
}

/// [`factor_block`] with panels that are held in registers ([`step`]).
fn in_registers<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    order: &Order,
    first: usize,
    end: usize,
    options: Options,
    workspace: &mut Workspace<T>,
) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    let limit = brought_up_to_date(a, first, end);
    // What brings everything up to date waits for nothing else, so it goes on to the end.
    let steps = if first + limit == cols {
        rows.min(cols) - first
    } else {
        block_of(a, first)
    };
    let block = Block { first, steps, limit };
    let (dispatches, steps) = stages::steps::<T>(a.device(), rows - first, block);
    let block = Block { steps, ..block };
    let state = State::new::<T>(gpu, order, block)?;
    let owed = workspace.owed.take();
    for step in &dispatches {
        let tiles = match &owed {
            Some(owed) => owed.share(rows, step.shape.tile, step.number, dispatches.len()),
            None => Tiles::default(),
        };
        step::launch(gpu, a, &state, block, step, &tiles, &mut workspace.letters)?;
    }
    let last = dispatches.iter().rfind(|step| step.width > 0);
    // Behind all panels in one dispatch, strips need nothing else of the block.
    let with_borders = last
        .filter(|step| step.shape.panels > 1 && first + limit < end && options.panels.keep_triangles::<T>(a.device()));
    match (with_borders, last.map_or((0, 0), |panel| (panel.stage, panel.number))) {
        (Some(step), _) => {
            let copies = workspace.copies(a, first)?;
            exchange_and_borders::launch(gpu, a, &state, (block, step), end, copies)?;
        }
        (None, (0, number)) => {
            let places = number % 2 * (rows - first);
            let away = last.filter(|_| number + 1 == dispatches.len());
            exchange::launch(gpu, a, &state, block, places, away)?;
        }
        (None, (stage, _)) => reorder::launch(gpu, a, &state, block, stage)?,
    }
    drop(state);
    if first + limit == end {
        return Ok(steps);
    }
    let next = first + steps;
    let middle = match looks_ahead(a, next, options) {
        Some(shape) if next < rows.min(cols) => {
            let soon = next + brought_up_to_date(a, next, end);
            look_ahead::first_to_wait(a, next, soon, shape, shape.dispatches(block_of(a, next)))
        }
        _ => end,
    };
    let done = Done {
        first,
        steps,
        lower: Lower::Known,
    };
    if with_borders.is_none() {
        done.solve_borders(a, end, workspace)?;
    }
    done.subtract(a, middle, workspace)?;
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
    if is_one_level(a, first, end) {
        cols - first
    } else {
        block_of(a, first)
    }
}

/// Whether panels from `first` on bring all columns up to date; not if those right of `end` wait for the blocks before.
fn is_one_level<T: Scalar>(a: &Matrix<T>, first: usize, end: usize) -> bool {
    end == a.cols() && a.cols() - first <= one_level::<T>(a.device(), first > 0)
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
            match a.device().clone().ground() {
                Ground::Gpu(gpu) if panel_alone::suits(a, at, options) => {
                    panel_alone::factor(gpu, a, at, width, order)?;
                }
                _ => panel::factor(a, at, width, order)?,
            }
            Lower::Known
        };
        let done = Done {
            first: at,
            steps: width,
            lower,
        };
        done.update(a, end, workspace)?;
    }
    Ok(())
}

/// The columns of the block that begins at `first`.
fn block_of<T: Scalar>(a: &Matrix<T>, first: usize) -> usize {
    // The host gains nothing by a second level.
    let most = if a.device().is_host() { PANEL } else { BLOCK };
    (most.default as usize).min(a.rows().min(a.cols()) - first)
}
