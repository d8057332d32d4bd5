//! The paper's method on a GPU, with all that neighbours share computed once.
//!
//! An end of a cell's interval is Σ c·X^a·Y^b over the terms, X and Y each the lower or the upper end of a side, chosen by the
//! signs of the sides (`choices.rs`). So a column has powers of its two abscissae, a row has Σ c·Y^b for every a, each of the
//! two abscissae, each end and each class of columns, and a cell has 2(dₓ + 1) products an end, without a single
//! comparison, and two signs: r(2(dₓ + 1) + 17) multiplications an end, r primes. For Spade on 256 × 256 cells, with 30
//! primes and dₓ = 8, that is 30·35·2·65,536 ≈ 138 million 32-bit multiplications, for Heart with 5 primes and dₓ = 6 it is
//! 20 million; the paper's way takes 4 products and 4 comparisons of r²/2 products for every term of every cell, 25·(30·16 +
//! 4·450)·3·65,536 ≈ 11 thousand millions.

use num_bigint::BigInt;

use super::Method;
use super::cells::{Cell, Cells};
use super::choices::{Class, Classes, choice};
use super::grid::Grid;
use super::on_device::{PIECE_BYTES, PIECE_OPERATIONS, Residues, basis, undecided_unless_zero};
use super::polynomial::Polynomial;
use crate::device::kernel::{Access, Kernel, Vocabulary, fragment};
use crate::device::{Buffer, Device, Gpu, Grid as Workgroups, Launch, Params, Work};
use crate::error::Result;
use crate::observer::{Observer, tell};
use crate::residue::kernel_parts::{DIGITS, METHOD, MODULAR, NUMBERS, PRIMES, WORKGROUP, no_scalar};

/// Rows of `rows.wgsl` for every row of cells: 3 classes, 2 ends and 2 abscissae, for each power of x.
const SLOTS: usize = 12;

/// The cells, in pieces of rows between which the observer is asked.
pub(super) async fn classify(
    device: &Device,
    gpu: &Gpu,
    f: &Polynomial,
    grid: &Grid,
    observer: &mut dyn Observer,
) -> Result<Cells> {
    let (width, height) = (grid.width(), grid.height());
    tell(observer, "plot", 0, height)?;
    let hoisted = Hoisted::new(device, f, grid)?;
    hoisted.record_powers(gpu)?;
    let mut cells: Vec<Cell> = Vec::with_capacity(width * height);
    for first in (0..height).step_by(hoisted.rows) {
        let rows = hoisted.rows.min(height - first);
        hoisted.record_rows(gpu, first, rows)?;
        let found = hoisted.cells.read(0, rows * width).await?;
        cells.extend(undecided_unless_zero(&found));
        tell(observer, "plot", first + rows, height)?;
    }
    Ok(Cells::from_rows(width, cells))
}

/// Buffers for one polynomial on one grid.
pub(super) struct Hoisted {
    residues: Residues,
    /// dₓ + 1.
    powers: usize,
    width: usize,
    height: usize,
    columns: Classes,
    lines: Classes,
    terms: Buffer<u32>,
    abscissae: Buffer<u32>,
    shared: Buffer<u32>,
    cells: Buffer<u32>,
    /// Rows of a piece.
    rows: usize,
}

impl Hoisted {
    pub(super) fn new(device: &Device, f: &Polynomial, grid: &Grid) -> Result<Self> {
        let residues = Residues::new(device, &basis(f, grid, Method::Paper, false)?, f, grid)?;
        let (width, height) = (grid.width(), grid.height());
        let (columns, lines) = (Classes::of(grid.x(), width), Classes::of(grid.y(), height));
        let powers = f.degrees().0 as usize + 1;
        let primes = residues.primes();
        // For two ends the sum, and once more for digits, whose conversion has r²/2 turns.
        device.check_turns("plot", 2 * primes * (2 * powers + 4 + primes / 2))?;
        let operations = width * Self::operations(primes, powers) + primes * residues.terms.len() * 128;
        let bytes = 4 * (SLOTS * powers * primes).max(width);
        let rows = (PIECE_OPERATIONS / operations)
            .min(PIECE_BYTES / bytes)
            .clamp(1, height);
        Ok(Self {
            terms: Buffer::from_slice(device, &terms(&residues.terms, powers, &columns, &lines))?,
            abscissae: Buffer::zeros(device, primes * powers * (width + 1))?,
            shared: Buffer::zeros(device, SLOTS * powers * primes * rows)?,
            cells: Buffer::zeros(device, width * rows)?,
            residues,
            powers,
            width,
            height,
            columns,
            lines,
            rows,
        })
    }

    /// Multiplications of a cell.
    fn operations(primes: usize, powers: usize) -> usize {
        2 * primes * (2 * powers + 17)
    }

    /// Everything, as one would time it.
    pub(super) fn record(&self, gpu: &Gpu) -> Result<()> {
        self.record_powers(gpu)?;
        for first in (0..self.height).step_by(self.rows) {
            self.record_rows(gpu, first, self.rows.min(self.height - first))?;
        }
        Ok(())
    }

    /// The cells of the last piece, for grids of one.
    pub(super) fn cells(&self) -> Option<&Buffer<u32>> {
        (self.rows == self.height).then_some(&self.cells)
    }

    pub(super) fn primes(&self) -> usize {
        self.residues.primes()
    }

    fn record_powers(&self, gpu: &Gpu) -> Result<()> {
        let (points, primes) = (self.width + 1, self.primes());
        gpu.launch(&Launch {
            kernel: &POWERS,
            precision: no_scalar(),
            constants: &[],
            params: Params::new()
                .size("points", points)
                .size("powers", self.powers)
                .size("primes", primes)
                .size("stride", self.residues.stride()),
            buffers: &[
                self.residues.table.buffer().gpu(),
                self.residues.numbers.gpu(),
                self.abscissae.gpu(),
            ],
            grid: Workgroups::covering((points * primes) as u64, u64::from(WORKGROUP.default)),
            work: Work {
                bytes: 4 * self.abscissae.len() as u64,
                operations: 3 * self.abscissae.len() as u64,
            },
        })
    }

    fn record_rows(&self, gpu: &Gpu, first: usize, rows: usize) -> Result<()> {
        let primes = self.primes();
        let table = self.residues.table.buffer().gpu();
        let slots = SLOTS * self.powers * primes * rows;
        gpu.launch(&Launch {
            kernel: &ROWS,
            precision: no_scalar(),
            constants: &[],
            params: Params::new()
                .size("rows", rows)
                .size("first", first)
                .size("powers", self.powers)
                .size("primes", primes)
                .size("terms", self.residues.terms.len())
                .size("stride", self.residues.stride())
                .size("below", self.lines.below)
                .size("above", self.lines.above),
            buffers: &[table, self.residues.numbers.gpu(), self.terms.gpu(), self.shared.gpu()],
            grid: Workgroups::covering(slots as u64, u64::from(WORKGROUP.default)),
            work: Work {
                bytes: 4 * slots as u64,
                // A power of at most 128 is 14 products of 3 multiplications, and each term is in two slots of each class
                // and end.
                operations: (rows * self.residues.terms.len()) as u64 * (SLOTS * primes * 24) as u64,
            },
        })?;
        let blocks = self.width.div_ceil(WORKGROUP.default as usize);
        gpu.launch(&Launch {
            kernel: &CELLS,
            precision: no_scalar(),
            constants: &[PRIMES.of(primes), DIGITS.of(primes)],
            params: Params::new()
                .size("width", self.width)
                .size("rows", rows)
                .size("powers", self.powers)
                .size("blocks", blocks)
                .size("below", self.columns.below)
                .size("above", self.columns.above),
            buffers: &[table, self.abscissae.gpu(), self.shared.gpu(), self.cells.gpu()],
            grid: Workgroups::of((blocks * rows) as u64),
            work: Work {
                bytes: 4 * (self.abscissae.len() + slots + rows * self.width) as u64,
                operations: (rows * self.width) as u64 * Self::operations(primes, self.powers) as u64,
            },
        })
    }
}

/// The first term of each power of x and where they end, each term's power of y, and the choices for each class of rows and
/// each class of columns. Terms come by ascending powers of x.
fn terms(terms: &[(u32, u32, BigInt)], powers: usize, columns: &Classes, lines: &Classes) -> Vec<u32> {
    let first = |a: usize| terms.partition_point(|term| (term.0 as usize) < a);
    let mut all: Vec<u32> = (0..=powers).map(|a| crate::device::narrow(first(a))).collect();
    all.extend(terms.iter().map(|term| term.1));
    for line in Class::ALL {
        for column in Class::ALL {
            all.extend(terms.iter().map(|term| choice(term, (columns, column), (lines, line))));
        }
    }
    all
}

pub(super) static POWERS: Kernel = Kernel {
    name: "plot powers",
    entry: "powers",
    source: fragment!("plot/powers.wgsl"),
    fragments: MODULAR,
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["points", "powers", "primes", "stride"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};

pub(super) static ROWS: Kernel = Kernel {
    name: "plot rows",
    entry: "rows",
    source: fragment!("plot/rows.wgsl"),
    fragments: MODULAR,
    bindings: &[Access::Read, Access::Read, Access::Read, Access::ReadWrite],
    integers: &["rows", "first", "powers", "primes", "terms", "stride", "below", "above"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};

pub(super) static CELLS: Kernel = Kernel {
    name: "plot cells",
    entry: "cells",
    source: fragment!("plot/cells.wgsl"),
    fragments: NUMBERS,
    bindings: &[Access::Read, Access::Read, Access::Read, Access::ReadWrite],
    integers: &["width", "rows", "powers", "blocks", "below", "above"],
    scalars: &[],
    constants: &[WORKGROUP, PRIMES, DIGITS, METHOD],
    vocabulary: Vocabulary::Integers,
};
