//! Blocks of columns, one after the other: right-looking at two levels.

use super::exchange;
use super::factor::{Options, Panels, Pivoting};
use super::panel;
use super::solve_block::{self, Triangle};
use super::state::{Order, State};
use super::step::{self, Block, Shape};
use super::{PANEL, swap_rows};
use crate::dense::{Matrix, copy_block, gemm};
use crate::device::{AdapterKind, Device, Gpu, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// Up to this many columns, the panels of a block bring everything to their right up to date; above, only the block, and
/// one product of the block's depth does the rest.
const ONE_LEVEL: usize = 1024;

/// Factors the block of columns that begins at `first`, and brings what is right of it up to date; returns its columns.
pub(super) fn factor_block<T: Scalar>(
    a: &mut Matrix<T>,
    order: &mut Order,
    first: usize,
    options: Options,
) -> Result<usize> {
    let device = a.device().clone();
    if let Ground::Gpu(gpu) = device.ground()
        && registers_pay(options.panels, &device)
        && let Some(shape) = Shape::of::<T>(&device, a.rows() - first)
    {
        return in_registers(gpu, a, order, first, shape, options.pivoting);
    }
    in_memory(a, order, first, options.pivoting)
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
) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    let steps = (exchange::BLOCK.default as usize).min(rows.min(cols) - first);
    let limit = if cols - first <= ONE_LEVEL { cols - first } else { steps };
    let block = Block { first, steps, limit };
    let state = State::new::<T>(gpu, order, cols)?;
    for number in 0..=steps.div_ceil(shape.width as usize) {
        step::launch(gpu, a, &state, block, shape, number, pivoting == Pivoting::Partial)?;
    }
    exchange::launch(gpu, a, &state, block, shape)?;
    drop(state);
    if limit < cols - first {
        update(a, first, steps)?;
    }
    Ok(steps)
}

/// U right of a block, and what is left of the matrix below it.
fn update<T: Scalar>(a: &mut Matrix<T>, first: usize, steps: usize) -> Result<()> {
    let device = a.device().clone();
    let (rows, cols) = (a.rows(), a.cols());
    let next = first + steps;
    let panel = PANEL.default as usize;
    let mut lower = Matrix::zeros(&device, rows - first, steps)?;
    let mut upper = Matrix::zeros(&device, steps, cols - next)?;
    copy_block(a.block(first, first, rows - first, steps)?, &mut lower)?;
    let mut solved = Matrix::zeros(&device, panel, cols - next)?;
    for at in (0..steps).step_by(panel) {
        let width = panel.min(steps - at);
        let diagonal = lower.block(at, at, width, width)?;
        solve_block::solve(
            Triangle::UnitLower,
            diagonal,
            a.block_mut(first + at, next, width, cols - next)?,
            &mut solved,
        )?;
        gemm(
            -T::one(),
            lower.block(at + width, at, steps - at - width, width)?,
            solved.block(0, 0, width, cols - next)?,
            T::one(),
            a.block_mut(first + at + width, next, steps - at - width, cols - next)?,
        )?;
    }
    copy_block(a.block(first, next, steps, cols - next)?, &mut upper)?;
    gemm(
        -T::one(),
        lower.block(steps, 0, rows - next, steps)?,
        &upper,
        T::one(),
        a.block_mut(next, next, rows - next, cols - next)?,
    )
}

/// A panel that is worked on in memory; returns its columns.
fn in_memory<T: Scalar>(a: &mut Matrix<T>, order: &mut Order, first: usize, pivoting: Pivoting) -> Result<usize> {
    let (rows, cols) = (a.rows(), a.cols());
    let width = (PANEL.default as usize).min(rows.min(cols) - first);
    panel::factor(a, first, width, order, pivoting == Pivoting::Partial)?;
    swap_rows::apply(a, first, width, order)?;
    update(a, first, width)?;
    Ok(width)
}
