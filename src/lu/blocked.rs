//! Blocks of columns, one after the other: right-looking at two levels.

use super::borders::{self, Block};
use super::diagonal::{self, Exchanges};
use super::factor::{Options, Panels, Pivoting};
use super::state::{Copies, Order, State};
use super::step::{self, Shape};
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

/// Factors the block of columns that begins at `first`, and brings what is right of it up to date; returns its columns.
pub(super) fn factor_block<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    options: Options,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let device = a.device().clone();
    match (options.pivoting, device.ground()) {
        (Pivoting::None, _) => without_pivoting(a, order, first, options.panels, copies),
        (Pivoting::Partial, Ground::Gpu(gpu))
            if options.panels.in_registers(&device)
                && let Some(shape) = Shape::of::<T>(&device, a.rows() - first) =>
        {
            in_registers(gpu, a, order, first, shape, copies)
        }
        _ => by_panels(a, order, first, options, copies),
    }
}

/// A block whose panels are held in the registers of one workgroup each ([`step`]); returns its columns.
fn in_registers<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    order: &Order,
    first: usize,
    shape: Shape,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    let steps = (exchange::BLOCK.default as usize).min(rows.min(cols) - first);
    let limit = if cols - first <= ONE_LEVEL { cols - first } else { steps };
    let block = step::Block { first, steps, limit };
    let state = State::new::<T>(gpu, order, cols)?;
    for number in 0..=steps.div_ceil(shape.width as usize) {
        step::launch(gpu, a, &state, block, shape, number)?;
    }
    let width = shape.width as usize;
    let places = (steps.div_ceil(width) - 1) % 2 * (rows - first);
    exchange::launch(gpu, a, &state, block, width, places)?;
    drop(state);
    if limit < cols - first {
        update(a, first, steps, cols, Lower::Known, copies)?;
    }
    Ok(steps)
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
    copies: &mut Option<Copies<T>>,
) -> Result<()> {
    let next = first + steps;
    let (below, right) = (a.rows() - next, end - next);
    if right == 0 && (below == 0 || lower == Lower::Known) {
        return Ok(());
    }
    let copies = match copies {
        Some(copies) => copies,
        None => copies.insert(Copies::new(a.device(), a.rows() - first, a.cols() - first, steps)?),
    };
    let block = Block {
        first,
        size: steps,
        below: lower == Lower::Unknown,
        right: next..end,
    };
    if lower == Lower::Known && a.device().adapter().kind == AdapterKind::Software {
        upper_by_products(a, &block, copies)?;
    } else {
        borders::solve(a, &block, copies)?;
    }
    if below == 0 || right == 0 {
        return Ok(());
    }
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

/// U right of a block, [`SUBSTITUTED`] rows at a time: what they take off the rows below them is a product. On a driver that
/// computes on the CPU, where a product keeps more of what it reads than a substitution; elsewhere, dispatches cost more.
fn upper_by_products<T: Scalar>(a: &mut Matrix<T>, block: &Block, copies: &mut Copies<T>) -> Result<()> {
    let (first, end, right) = (block.first, block.first + block.size, block.right.clone());
    for at in (first..end).step_by(SUBSTITUTED) {
        let rows = SUBSTITUTED.min(end - at);
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
    if block.size > SUBSTITUTED {
        copy_block(
            a.block(first, right.start, block.size, right.len())?,
            copies.upper.block_mut(0, 0, block.size, right.len())?,
        )?;
    }
    Ok(())
}

/// A block of which the part on the diagonal is factored alone; returns its columns.
fn without_pivoting<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    panels: Panels,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let steps = block_of(a, first);
    diagonal::factor(a, first, steps, (Exchanges::None, panels), order)?;
    update(a, first, steps, a.cols(), Lower::Unknown, copies)?;
    Ok(steps)
}

/// A block whose panels are worked on in memory; returns its columns.
fn by_panels<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    options: Options,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let steps = block_of(a, first);
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
        update(a, at, width, end, lower, copies)?;
    }
    update(a, first, steps, a.cols(), Lower::Known, copies)?;
    Ok(steps)
}

/// The columns of the block that begins at `first`.
fn block_of<T: Scalar>(a: &Matrix<T>, first: usize) -> usize {
    // The host gains nothing by a second level.
    let most = if a.device().is_host() { PANEL } else { exchange::BLOCK };
    (most.default as usize).min(a.rows().min(a.cols()) - first)
}
