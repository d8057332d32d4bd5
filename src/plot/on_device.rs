//! What plots on a GPU share: the residues of a polynomial and a grid, and rows of cells on their way back.

use num_bigint::{BigInt, BigUint};

use super::cells::Cell;
use super::grid::Grid;
use super::paper::weights;
use super::polynomial::Polynomial;
use super::{Method, bits};
use crate::device::{Buffer, Device};
use crate::error::Result;
use crate::residue::{Basis, Table, residue};

/// The largest piece of a buffer that is worth having: what a launch writes is cut to it.
pub(super) const PIECE_BYTES: usize = 64 << 20;

/// The most work of a launch. No submission can be shorter than a launch, and drivers end those that last.
pub(super) const PIECE_OPERATIONS: usize = 1 << 31;

/// The fewest primes that tell apart what a method computes. `products_are_compared` where differences of products are
/// asked for their sign.
pub(super) fn basis(f: &Polynomial, grid: &Grid, method: Method, products_are_compared: bool) -> Result<Basis> {
    let bits = bits(f, grid, method) + u64::from(products_are_compared);
    Basis::for_bound(&(BigUint::from(1_u32) << bits))
}

/// Numbers of a prime before the weights: x0, dx, y0, dy.
pub(super) const POSITIONS: usize = 4;

/// f on a grid, in residues.
pub(super) struct Residues {
    pub(super) table: Table,
    pub(super) terms: Vec<(u32, u32, BigInt)>,
    /// For each prime x0, dx, y0, dy, and the weights of the terms.
    pub(super) numbers: Buffer<u32>,
}

impl Residues {
    pub(super) fn new(device: &Device, basis: &Basis, f: &Polynomial, grid: &Grid) -> Result<Self> {
        let table = Table::new(device, basis)?;
        let terms = weights(f, grid);
        let axes = [grid.x(), grid.y()];
        let positions = axes.into_iter().flat_map(|axis| [&axis.origin, &axis.step]);
        let all: Vec<&BigInt> = positions.chain(terms.iter().map(|(_, _, weight)| weight)).collect();
        let numbers: Vec<u32> = basis
            .primes()
            .flat_map(|prime| all.iter().map(move |number| residue(prime, number)))
            .collect();
        let numbers = Buffer::from_slice(device, &numbers)?;
        Ok(Self { table, terms, numbers })
    }

    pub(super) fn primes(&self) -> usize {
        self.table.basis().len()
    }

    /// Numbers of a prime.
    pub(super) fn stride(&self) -> usize {
        POSITIONS + self.terms.len()
    }
}

/// 0 is empty; the paper's method proves nothing else.
pub(super) fn undecided_unless_zero(found: &[u32]) -> impl Iterator<Item = Cell> + '_ {
    let cell = |word: &u32| if *word == 0 { Cell::Empty } else { Cell::Undecided };
    found.iter().map(cell)
}
