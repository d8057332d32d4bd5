//! The paper's method on a GPU as the paper has it: every cell by itself, term by term, with what its section 5 changes to be
//! switched on and off. What it takes is what [`Study`](super::Study) measures; plots are made by `hoisted.rs`.

use super::grid::Grid;
use super::on_device::{PIECE_OPERATIONS, Residues, basis};
use super::polynomial::Polynomial;
use super::{Method, Step};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, fragment};
use crate::device::{Buffer, Device, Gpu, Grid as Workgroups, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::residue::kernel_parts::{DIGITS, METHOD, PRIMES, WORKGROUP, no_scalar};

/// 0: a comparison converts both; 1: it is the sign of the difference (section 5.1).
const COMPARE: Constant = Constant {
    name: "COMPARE",
    default: 1,
};

/// 0: all four products of a term live at the same time; 1: as few numbers as there can be (section 5.3).
const LEAN: Constant = Constant {
    name: "LEAN",
    default: 1,
};

/// 0: powers case by case; 1: without a branch that neighbours take differently.
const POWERS: Constant = Constant {
    name: "POWERS",
    default: 1,
};

/// Words of the table that workgroup memory of 16 KiB has room for.
const ON_CHIP_WORDS: usize = 4096;

/// Buffers for one polynomial on one grid, computed in one way.
pub(super) struct TermByTerm {
    residues: Residues,
    step: Step,
    width: usize,
    height: usize,
    terms: Buffer<u32>,
    cells: Vec<Buffer<u32>>,
    rows: usize,
}

impl TermByTerm {
    pub(super) fn new(device: &Device, f: &Polynomial, grid: &Grid, step: Step) -> Result<Self> {
        let residues = Residues::new(device, &basis(f, grid, Method::Paper, true)?, f, grid)?;
        let (width, height) = (grid.width(), grid.height());
        let words = residues.table.buffer().len();
        if step >= Step::Constants && words > ON_CHIP_WORDS {
            return Err(Error::Shape {
                operation: "a study of plots",
                expected: format!("primes whose table has at most {ON_CHIP_WORDS} words, for workgroup memory"),
                found: format!("{} primes, with {words} words", residues.primes()),
            });
        }
        let r = residues.primes();
        // Of every term four powers of at most 8 turns, products, and 10 conversions at most of two numbers each.
        device.check_turns("plot", residues.terms.len() * r * (4 * 8 + 24 + 20 * (r / 2 + 4)))?;
        let rows = (PIECE_OPERATIONS / (width * operations(&residues, step))).clamp(1, height);
        let of = |(a, b, weight): &(u32, u32, num_bigint::BigInt)| {
            [*a, *b, u32::from(weight.sign() == num_bigint::Sign::Minus)]
        };
        let terms: Vec<u32> = residues.terms.iter().flat_map(of).collect();
        let pieces = (0..height).step_by(rows).map(|first| rows.min(height - first) * width);
        Ok(Self {
            terms: Buffer::from_slice(device, &terms)?,
            cells: pieces
                .map(|cells| Buffer::zeros(device, cells))
                .collect::<Result<_>>()?,
            residues,
            step,
            width,
            height,
            rows,
        })
    }

    /// Launches by rows, since drivers end what lasts (section 4.4).
    pub(super) fn record(&self, gpu: &Gpu) -> Result<()> {
        let primes = self.residues.primes();
        let blocks = self.width.div_ceil(WORKGROUP.default as usize);
        let at_least = |step: Step| usize::from(self.step >= step);
        for (first, cells) in (0..self.height).step_by(self.rows).zip(&self.cells) {
            let rows = self.rows.min(self.height - first);
            gpu.launch(&Launch {
                kernel: if self.step >= Step::Constants {
                    &ON_CHIP
                } else if self.step >= Step::Sums {
                    &IN_MEMORY
                } else {
                    &BY_DIVISION
                },
                precision: no_scalar(),
                constants: &[
                    PRIMES.of(primes),
                    DIGITS.of(primes),
                    METHOD.of(at_least(Step::Fractions)),
                    COMPARE.of(at_least(Step::Differences)),
                    LEAN.of(at_least(Step::Registers)),
                    POWERS.of(at_least(Step::Powers)),
                ],
                params: Params::new()
                    .size("width", self.width)
                    .size("rows", rows)
                    .size("first", first)
                    .size("blocks", blocks)
                    .size("terms", self.residues.terms.len())
                    .size("stride", self.residues.stride()),
                buffers: &[
                    self.residues.table.buffer().gpu(),
                    self.residues.numbers.gpu(),
                    self.terms.gpu(),
                    cells.gpu(),
                ],
                grid: Workgroups::of((blocks * rows) as u64),
                work: Work {
                    bytes: 4 * cells.len() as u64,
                    operations: (rows * self.width) as u64 * operations(&self.residues, self.step) as u64,
                },
            })?;
        }
        Ok(())
    }

    pub(super) fn primes(&self) -> usize {
        self.residues.primes()
    }

    pub(super) async fn cells(&self) -> Result<Vec<u32>> {
        let mut all = Vec::with_capacity(self.width * self.height);
        for piece in &self.cells {
            all.extend(piece.to_host().await?);
        }
        Ok(all)
    }
}

/// 32-bit multiplications of a cell: of every term 12 powers' and products', and about 6 comparisons.
fn operations(residues: &Residues, step: Step) -> usize {
    let r = residues.primes();
    let conversion = 3 * r * r / 2;
    let comparison = match step {
        Step::AsWritten => 2 * conversion,
        step if step < Step::Fractions => conversion,
        _ => 7 * r,
    };
    residues.terms.len().max(1) * (3 * 12 * r + 6 * comparison)
}

/// The kernel with a choice of where the table is and of how sums are corrected.
macro_rules! kernel {
    ($name:literal, [$($part:literal),*]) => {
        Kernel {
            name: $name,
            entry: "term_by_term",
            source: SOURCE,
            fragments: &[
                $(fragment!($part),)*
                fragment!("lib/grid.wgsl"),
                fragment!("residue/lib/modular.wgsl"),
                fragment!("residue/lib/narrow.wgsl"),
                fragment!("residue/lib/residues.wgsl"),
                fragment!("residue/lib/number.wgsl"),
                fragment!("residue/lib/fraction.wgsl"),
                fragment!("residue/lib/mixed_radix.wgsl"),
                fragment!("residue/lib/interval.wgsl"),
            ],
            bindings: &[Access::Read, Access::Read, Access::Read, Access::ReadWrite],
            integers: &["width", "rows", "first", "blocks", "terms", "stride"],
            scalars: &[],
            constants: &[WORKGROUP, PRIMES, DIGITS, METHOD, COMPARE, LEAN, POWERS],
            vocabulary: Vocabulary::Integers,
        }
    };
}

const SOURCE: Fragment = fragment!("plot/term_by_term.wgsl");

pub(super) static BY_DIVISION: Kernel = kernel!(
    "plot term by term, sums by division",
    [
        "residue/lib/table.wgsl",
        "plot/table_in_memory.wgsl",
        "plot/sums_by_division.wgsl"
    ]
);

pub(super) static IN_MEMORY: Kernel = kernel!(
    "plot term by term, table in memory",
    [
        "residue/lib/table.wgsl",
        "plot/table_in_memory.wgsl",
        "residue/lib/sums.wgsl"
    ]
);

pub(super) static ON_CHIP: Kernel = kernel!(
    "plot term by term, table on chip",
    ["plot/table_on_chip.wgsl", "residue/lib/sums.wgsl"]
);
