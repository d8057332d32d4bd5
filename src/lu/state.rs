//! What a factorisation keeps on the device beside the matrix.

use super::letters::Letters;
use super::options::Panels;
use super::trailing::Trailing;
use crate::dense::Matrix;
use crate::device::kernel::Constant;
use crate::device::{Buffer, Gpu, Scratch};
use crate::error::Result;
use crate::scalar::Scalar;

/// Columns of a block: a device's rows are exchanged after so many steps.
pub(super) const BLOCK: Constant = Constant {
    name: "BLOCK",
    default: 128,
};

/// The most columns of a panel.
pub(super) const WIDEST: usize = 16;

/// A block of columns in work: its first row and column, its columns, and the columns that its panels bring up to date.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) first: usize,
    pub(super) steps: usize,
    /// From `first` on.
    pub(super) limit: usize,
}

/// The order of the rows, the exchanges that lead to it, and the first column without a pivot: what outlives the
/// factorisation.
#[derive(Debug)]
pub(super) struct Order {
    /// Row i of P A is this row of A.
    pub(super) rows: Buffer<u32>,
    /// LAPACK's `ipiv`, from 0.
    pub(super) pivots: Buffer<u32>,
    /// The first column without a pivot, plus one; 0 if there is none. Behind it, what workgroups send each other.
    pub(super) status: Buffer<u32>,
}

impl Order {
    /// For dispatches in which workgroups send each other `letters` words at most.
    pub(super) fn new<T: Scalar>(a: &Matrix<T>, letters: usize) -> Result<Self> {
        let (device, rows, steps) = (a.device(), a.rows(), a.rows().min(a.cols()));
        let identity: Vec<u32> = (0..rows).map(crate::device::narrow).collect();
        Ok(Self {
            rows: Buffer::from_slice(device, &identity)?,
            pivots: Buffer::zeros(device, steps)?,
            status: Buffer::zeros(device, 1 + 2 * letters)?,
        })
    }

    /// Before workgroups send each other anything.
    pub(super) fn letters(&self) -> Letters {
        Letters::new(self.status.len() / 2)
    }
}

/// What the products right of a block read, since a kernel may not read and write one buffer.
#[derive(Debug)]
pub(super) struct Copies<T> {
    /// The block's columns of L.
    pub(super) lower: Matrix<T>,
    /// Its rows of U.
    pub(super) upper: Matrix<T>,
}

/// [`Copies`], made when they are first needed.
pub(super) struct Workspace<T> {
    depth: usize,
    /// Where triangles are worked on.
    pub(super) panels: Panels,
    copies: Option<Copies<T>>,
    /// What the block before still asks.
    pub(super) owed: Option<Trailing>,
    /// What workgroups have sent each other.
    pub(super) letters: Letters,
}

impl<T: Scalar> Workspace<T> {
    /// For products of so many terms at most.
    pub(super) fn new(depth: usize, panels: Panels, letters: Letters) -> Self {
        Self {
            depth,
            panels,
            copies: None,
            owed: None,
            letters,
        }
    }

    /// For what is left of `a` from row and column `first` on, and therefore for all that is left later.
    pub(super) fn copies(&mut self, a: &Matrix<T>, first: usize) -> Result<&mut Copies<T>> {
        if self.copies.is_none() {
            self.copies = Some(Copies {
                lower: Matrix::unwritten(a.device(), a.rows() - first, self.depth)?,
                upper: Matrix::unwritten(a.device(), self.depth, a.cols() - first)?,
            });
        }
        Ok(self
            .copies
            .as_mut()
            .unwrap_or_else(|| unreachable!("the lines above made them")))
    }
}

/// Workspaces of a GPU, and the order that it fills in.
pub(super) struct State<'a> {
    /// Four panels, by columns, or two and L of a whole block (`lu/step.wgsl`).
    pub(super) panels: Scratch<'a>,
    /// Rows of U of a block of columns, until they are moved; and left of them their L, where the block was one dispatch.
    pub(super) upper: Scratch<'a>,
    /// Where each row of the block will go, and what numbers rows have in its stages (`lu/places.wgsl`).
    pub(super) place: Scratch<'a>,
    /// The row of each pivot, by the number that it had and by its own.
    pub(super) source: Scratch<'a>,
    pub(super) order: &'a Buffer<u32>,
    pub(super) pivots: &'a Buffer<u32>,
    pub(super) status: &'a Buffer<u32>,
}

/// Tables in [`State::place`], and in [`State::source`].
const PLACES: usize = 6;
const SOURCES: usize = 2;

impl<'a> State<'a> {
    pub(super) fn new<T: Scalar>(gpu: &'a Gpu, order: &'a Order, block: Block) -> Result<Self> {
        let rows = order.rows.len() - block.first;
        let bytes = |count: usize, each: usize| (count.max(1) * each) as u64;
        Ok(Self {
            panels: gpu.scratch(
                "panels",
                bytes((2 * WIDEST + BLOCK.default as usize) * rows, size_of::<T>()),
            )?,
            upper: gpu.scratch("rows of U", bytes(block.steps * block.limit, size_of::<T>()))?,
            place: gpu.scratch("places of rows", bytes(PLACES * rows, 4))?,
            source: gpu.scratch("pivot rows", bytes(SOURCES * rows, 4))?,
            order: &order.rows,
            pivots: &order.pivots,
            status: &order.status,
        })
    }
}
