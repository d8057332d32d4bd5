//! Blocks of columns, one after the other: right-looking at two levels.

use super::borders::{self, Block};
use super::diagonal::{self, Exchanges};
use super::factor::{Options, Panels, Pivoting};
use super::state::{Copies, Order, State};
use super::step::{self, Shape};
use super::{PANEL, exchange, panel, tournament};
use crate::dense::{Matrix, copy_block, gemm};
use crate::device::{AdapterKind, Device, Gpu, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// Up to this many columns, the panels of a block bring everything to their right up to date; above, only the block, and
/// one product of the block's depth does the rest.
const ONE_LEVEL: usize = 512;

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
        (Pivoting::None, _) => without_pivoting(a, order, first, copies),
        (Pivoting::Partial, Ground::Gpu(gpu))
            if registers_pay(options.panels, &device)
                && let Some(shape) = Shape::of::<T>(&device, a.rows() - first) =>
        {
            in_registers(gpu, a, order, first, shape, copies)
        }
        _ => by_panels(a, order, first, options.pivoting, copies),
    }
}

/// Drivers that compute on the CPU keep what a kernel calls registers in memory, and move it in every column.
fn registers_pay(panels: Panels, device: &Device) -> bool {
    match panels {
        Panels::Auto => device.adapter().kind != AdapterKind::Software,
        Panels::Registers => true,
        Panels::Memory => false,
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
    if lower == Lower::Known && below > 0 {
        copy_block(
            a.block(next, first, below, steps)?,
            copies.lower.block_mut(0, 0, below, steps)?,
        )?;
    }
    let block = Block {
        first,
        size: steps,
        below: lower == Lower::Unknown,
        right: next..end,
    };
    borders::solve(a, &block, copies)?;
    if below == 0 || right == 0 {
        return Ok(());
    }
    gemm(
        -T::one(),
        copies.lower.block(0, 0, below, steps)?,
        copies.upper.block(0, 0, steps, right)?,
        T::one(),
        a.block_mut(next, next, below, right)?,
    )
}

/// A block of which the part on the diagonal is factored alone; returns its columns.
fn without_pivoting<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let steps = block_of(a, first);
    diagonal::factor(a, first, steps, Exchanges::None, order)?;
    update(a, first, steps, a.cols(), Lower::Unknown, copies)?;
    Ok(steps)
}

/// A block whose panels are worked on in memory; returns its columns.
fn by_panels<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    pivoting: Pivoting,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let steps = block_of(a, first);
    let end = first + steps;
    let width = panel::width::<T>(a.device());
    for at in (first..end).step_by(width) {
        let width = width.min(end - at);
        let lower = if pivoting == Pivoting::Tournament {
            tournament::exchange(a, at, width, order)?;
            diagonal::factor(a, at, width, Exchanges::Done, order)?;
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
