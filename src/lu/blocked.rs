//! Blocks of columns, one after the other: right-looking at two levels.

use super::exchange;
use super::factor::{Options, Panels, Pivoting};
use super::panel::{self, Search};
use super::solve_block::{self, Triangle};
use super::solve_rows;
use super::state::{Copies, Order, State};
use super::step::{self, Block, Shape};
use super::{PANEL, swap_rows, tournament};
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
    if options.pivoting == Pivoting::Tournament {
        return by_tournament(a, order, first, copies);
    }
    if let Ground::Gpu(gpu) = device.ground()
        && registers_pay(options.panels, &device)
        && let Some(shape) = Shape::of::<T>(&device, a.rows() - first)
    {
        return in_registers(gpu, a, order, first, shape, options.pivoting, copies);
    }
    in_memory(a, order, first, options.pivoting, copies)
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
    pivoting: Pivoting,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    let steps = (exchange::BLOCK.default as usize).min(rows.min(cols) - first);
    let limit = if cols - first <= ONE_LEVEL { cols - first } else { steps };
    let block = Block { first, steps, limit };
    let state = State::new::<T>(gpu, order, cols)?;
    for number in 0..=steps.div_ceil(shape.width as usize) {
        step::launch(gpu, a, &state, block, shape, number, pivoting == Pivoting::Partial)?;
    }
    let width = shape.width as usize;
    let places = (steps.div_ceil(width) - 1) % 2 * (rows - first);
    exchange::launch(gpu, a, &state, block, width, places)?;
    drop(state);
    if limit < cols - first {
        update(a, first, steps, cols, copies)?;
    }
    Ok(steps)
}

/// U right of a block, up to column `end`, and what is left of these columns below it.
fn update<T: Scalar>(
    a: &mut Matrix<T>,
    first: usize,
    steps: usize,
    end: usize,
    copies: &mut Option<Copies<T>>,
) -> Result<()> {
    let rows = a.rows();
    let next = first + steps;
    let right = end - next;
    if right == 0 {
        return Ok(());
    }
    let Copies { lower, upper } = match copies {
        Some(copies) => copies,
        None => copies.insert(Copies::new(a.device(), rows - first, a.cols() - first, steps)?),
    };
    let height = rows - first;
    copy_block(
        a.block(first, first, height, steps)?,
        lower.block_mut(0, 0, height, steps)?,
    )?;
    let device = a.device().clone();
    let rows_of_u = a.block_mut(first, next, steps, right)?;
    match device.ground() {
        Ground::Gpu(gpu) => solve_rows::launch(gpu, lower, rows_of_u, upper)?,
        Ground::Host => {
            // A block is a panel here.
            let diagonal = lower.block(0, 0, steps, steps)?;
            solve_block::solve(Triangle::UnitLower, diagonal, rows_of_u, upper)?;
        }
    }
    gemm(
        -T::one(),
        lower.block(steps, 0, rows - next, steps)?,
        upper.block(0, 0, steps, right)?,
        T::one(),
        a.block_mut(next, next, rows - next, right)?,
    )
}

/// A panel that is worked on in memory; returns its columns.
fn in_memory<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    pivoting: Pivoting,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let width = (PANEL.default as usize).min(a.rows().min(a.cols()) - first);
    let search = match pivoting {
        Pivoting::None => Search::InOrder,
        Pivoting::Partial | Pivoting::Tournament => Search::Largest,
    };
    let (rows, cols) = (a.rows(), a.cols());
    panel::factor(a, first, width, rows, order, search)?;
    swap_rows::apply(a, first, width, order)?;
    update(a, first, width, cols, copies)?;
    Ok(width)
}

/// A block whose panels are the winners of tournaments; returns its columns.
fn by_tournament<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    copies: &mut Option<Copies<T>>,
) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    // Solving for rows of U takes a panel at most on the host.
    let most = if a.device().is_host() { PANEL } else { exchange::BLOCK };
    let steps = (most.default as usize).min(rows.min(cols) - first);
    let end = first + steps;
    for at in (first..end).step_by(tournament::width::<T>()) {
        let width = tournament::width::<T>().min(end - at);
        tournament::factor(a, at, width, order)?;
        update(a, at, width, end, copies)?;
    }
    update(a, first, steps, cols, copies)?;
    Ok(steps)
}
