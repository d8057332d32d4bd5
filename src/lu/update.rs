//! What a factored block of columns asks of the columns to its right: U there, and what L and U take off the rows below.

use super::borders::{self, Below, Block};
use super::state::{BLOCK, Copies, Workspace};
use super::upper_rows;
use crate::dense::{Matrix, copy_block, gemm};
use crate::device::{AdapterKind, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// Rows of U that are substituted at a time where the rest is a product.
const SUBSTITUTED: usize = upper_rows::ROWS;

/// L below a block on the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lower {
    Known,
    Unknown,
}

/// A block of columns that is factored, at least on the diagonal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done {
    /// Its first row and column.
    pub(super) first: usize,
    /// Its columns.
    pub(super) steps: usize,
    pub(super) lower: Lower,
}

impl Done {
    /// All that it asks of the columns up to `end`.
    pub(super) fn update<T: Scalar>(self, a: &mut Matrix<T>, end: usize, workspace: &mut Workspace<T>) -> Result<()> {
        self.solve_borders(a, end, workspace)?;
        self.subtract(a, end, workspace)
    }

    /// U up to column `end`, and L where it is unknown; and copies of both for the product that follows.
    pub(super) fn solve_borders<T: Scalar>(
        self,
        a: &mut Matrix<T>,
        end: usize,
        workspace: &mut Workspace<T>,
    ) -> Result<()> {
        let next = self.first + self.steps;
        if next == end && (next == a.rows() || self.lower == Lower::Known) {
            return Ok(());
        }
        let block = Block {
            first: self.first,
            size: self.steps,
            below: match self.lower {
                Lower::Unknown => Below::Solution,
                Lower::Known => Below::Copy,
            },
            right: next..end,
            panels: workspace.panels,
        };
        let copies = workspace.copies(a, self.first)?;
        let most = BLOCK.default as usize;
        let software = a.device().adapter().kind == AdapterKind::Software;
        let at_once = if self.lower == Lower::Known && software {
            SUBSTITUTED
        } else {
            most
        };
        let in_registers = self.lower == Lower::Known && upper_rows::suits(a, self.first, &block.right, copies);
        if self.steps <= at_once && !in_registers {
            return borders::solve(a, &block, copies);
        }
        debug_assert_eq!(self.lower, Lower::Known, "L is solved for in one piece");
        upper_by_products(a, &block, at_once, copies)?;
        let below = a.rows() - next;
        copy_block(
            a.block(next, self.first, below, self.steps)?,
            copies.lower.block_mut(0, 0, below, self.steps)?,
        )
    }

    /// A -= L U below it, up to column `end`, once both are solved for and copied.
    pub(super) fn subtract<T: Scalar>(self, a: &mut Matrix<T>, end: usize, workspace: &mut Workspace<T>) -> Result<()> {
        let next = self.first + self.steps;
        let below = a.rows() - next;
        self.subtract_from(a, below, end - next, workspace)
    }

    /// The same of the next block on the diagonal alone, of `size` rows and columns.
    pub(super) fn subtract_from_block<T: Scalar>(
        self,
        a: &mut Matrix<T>,
        size: usize,
        workspace: &mut Workspace<T>,
    ) -> Result<()> {
        self.subtract_from(a, size, size, workspace)
    }

    /// The same of as many rows and columns.
    fn subtract_from<T: Scalar>(
        self,
        a: &mut Matrix<T>,
        below: usize,
        right: usize,
        workspace: &mut Workspace<T>,
    ) -> Result<()> {
        if below == 0 || right == 0 {
            return Ok(());
        }
        let next = self.first + self.steps;
        let copies = workspace.copies(a, self.first)?;
        gemm(
            -T::one(),
            copies.lower.block(0, 0, below, self.steps)?,
            copies.upper.block(0, 0, self.steps, right)?,
            T::one(),
            a.block_mut(next, next, below, right)?,
        )
    }
}

/// U right of a block, `at_once` rows at a time: what they take off the rows below them is a product. Of few rows on a driver
/// that computes on the CPU, where a product keeps more of what it reads than a substitution; elsewhere, dispatches cost more.
fn upper_by_products<T: Scalar>(
    a: &mut Matrix<T>,
    block: &Block,
    at_once: usize,
    copies: &mut Copies<T>,
) -> Result<()> {
    let device = a.device().clone();
    let (first, end, right) = (block.first, block.first + block.size, block.right.clone());
    // Each has its place among the copies then.
    let in_place = at_once <= upper_rows::ROWS && upper_rows::suits(a, first, &right, copies);
    for at in (first..end).step_by(at_once) {
        let rows = at_once.min(end - at);
        let to = match device.ground() {
            Ground::Gpu(gpu) if in_place => {
                upper_rows::solve(gpu, a, (at, rows), &right, at - first, copies)?;
                at - first
            }
            _ => {
                let part = Block {
                    first: at,
                    size: rows,
                    below: Below::Nothing,
                    ..block.clone()
                };
                borders::solve(a, &part, copies)?;
                0
            }
        };
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
            copies.upper.block(to, 0, rows, right.len())?,
            T::one(),
            a.block_mut(next, right.start, below, right.len())?,
        )?;
    }
    if in_place {
        return Ok(());
    }
    copy_block(
        a.block(first, right.start, block.size, right.len())?,
        copies.upper.block_mut(0, 0, block.size, right.len())?,
    )
}
