//! The tight method on a GPU: what blocks of 32, 8, 2 and 1 cells are judged by, level by level.
//!
//! The host keeps the lists of blocks; for each, kernels shift the expansion about the grid's corner to the block's
//! (`shift.wgsl`, d³ products modulo each of r primes, the same however far), take the signs of its C coefficients, compute
//! what its parts are judged by (`values.wgsl`, r·6C multiplications for each sign, of which a part asks two, and a cell
//! six), and take the signs of that. What is neither empty nor crossed comes back as blocks of the next level; what is left
//! of the last, cells whose corners have one sign and that low and high leave open, is inspected on the host (`tight.rs`).
//!
//! The same verdicts as the host's, since both decide the same signs of the same integers.

use super::Method;
use super::bands;
use super::cells::{Cell, Cells};
use super::expansion::Expansion;
use super::grid::Grid;
use super::on_device::{PIECE_BYTES, PIECE_OPERATIONS, basis};
use super::polynomial::Polynomial;
use super::tight::{BLOCKS, Verdict, inspected};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::{Buffer, Device, Gpu, GpuBuffer, Grid as Workgroups, Launch, Params, Scratch, Work, narrow};
use crate::error::Result;
use crate::observer::{Observer, tell};
use crate::residue::kernel_parts::{DIGITS, MODULAR, PRIMES, SIGN, WORKGROUP, no_scalar};
use crate::residue::{Table, residue};

/// Blocks of the first level that are taken down to single cells at a time: the observer sees their rows.
const FIRST_BLOCKS: usize = 4096;

pub(super) async fn classify(
    device: &Device,
    gpu: &Gpu,
    f: &Polynomial,
    grid: &Grid,
    observer: &mut dyn Observer,
) -> Result<Cells> {
    let (width, height) = (grid.width(), grid.height());
    tell(observer, "plot", 0, height)?;
    let blocks = Blocks::new(device, gpu, f, grid)?;
    let across = width.div_ceil(BLOCKS[0]);
    let rows = BLOCKS[0] * (FIRST_BLOCKS / across).max(1);
    let mut cells = vec![Cell::Empty; width * height];
    for first in (0..height).step_by(rows) {
        let end = height.min(first + rows);
        let corners = |j| (0..width).step_by(BLOCKS[0]).map(move |i| [i, j]);
        let mut level: Vec<[usize; 2]> = (first..end).step_by(BLOCKS[0]).flat_map(corners).collect();
        for (side, part) in BLOCKS.into_iter().zip(BLOCKS.into_iter().skip(1).chain([1])) {
            let mut left = Vec::new();
            for piece in level.chunks(blocks.most) {
                // Rows are done when the last level is; until then an observer that ends it is still heard.
                tell(observer, "plot", first, height)?;
                for ([i, j], verdict) in blocks.judge(piece, side, part).await? {
                    match verdict {
                        Verdict::Empty => {}
                        Verdict::Crossed if part == 1 => cells[j * width + i] = Cell::Crossed,
                        _ => left.push([i, j]),
                    }
                }
            }
            level = left;
        }
        inspect(
            &blocks.root,
            &level,
            &mut cells,
            width,
            &mut Within(observer, first, height),
        )?;
        tell(observer, "plot", end, height)?;
    }
    Ok(Cells::from_rows(width, cells))
}

/// What signs leave open, shared out among threads.
fn inspect(
    root: &Expansion,
    open: &[[usize; 2]],
    cells: &mut [Cell],
    width: usize,
    observer: &mut dyn Observer,
) -> Result<()> {
    if open.is_empty() {
        return Ok(());
    }
    let found = bands::map("plot", (1, open.len()), 1, observer, |which| {
        let of = |[i, j]: &[usize; 2]| inspected(&root.shifted(*i, *j));
        open[which].iter().map(of).collect()
    })?;
    for ([i, j], found) in open.iter().zip(found.rows()) {
        cells[j * width + i] = found[0];
    }
    Ok(())
}

/// Rows that are done, whatever part of the next ones is.
struct Within<'a>(&'a mut dyn Observer, usize, usize);

impl Observer for Within<'_> {
    fn progress(&mut self, operation: &'static str, _done: usize, _total: usize) -> std::ops::ControlFlow<()> {
        self.0.progress(operation, self.1, self.2)
    }
}

struct Blocks<'a> {
    device: &'a Device,
    gpu: &'a Gpu,
    table: Table,
    root: Expansion,
    /// The coefficients of the root, prime by prime.
    coefficients: Buffer<u32>,
    /// Powers of u and of v, and the degree.
    powers: [usize; 2],
    degree: usize,
    width: usize,
    height: usize,
    /// Blocks of a piece.
    most: usize,
}

impl<'a> Blocks<'a> {
    fn new(device: &'a Device, gpu: &'a Gpu, f: &Polynomial, grid: &Grid) -> Result<Self> {
        let basis = basis(f, grid, Method::Tight, false)?;
        let table = Table::new(device, &basis)?;
        let root = Expansion::of(f, grid);
        let all = || root.rows().iter().flatten();
        let residues: Vec<u32> = basis
            .primes()
            .flat_map(|prime| all().map(move |coefficient| residue(prime, coefficient)))
            .collect();
        let powers = [root.rows().len(), root.rows()[0].len()];
        // Of digits: nothing else has so many.
        device.check_turns("plot", basis.len() * (basis.len() / 2 + 4))?;
        let count = powers[0] * powers[1];
        // 16 parts of a block ask for two signs each, and at the next to last level 4 for six.
        let most = (PIECE_BYTES / (4 * (count + 32) * (basis.len() + 1)))
            .min(PIECE_OPERATIONS / (32 * basis.len() * 6 * count));
        Ok(Self {
            coefficients: Buffer::from_slice(device, &residues)?,
            device,
            gpu,
            table,
            powers,
            degree: f.degree() as usize,
            root,
            width: grid.width(),
            height: grid.height(),
            most: most.max(1),
        })
    }

    /// The verdict of every part of blocks of `side` cells, and the corner of the part.
    async fn judge(&self, corners: &[[usize; 2]], side: usize, part: usize) -> Result<Vec<([usize; 2], Verdict)>> {
        let (blocks, across) = (corners.len(), side / part);
        let parts = blocks * across * across;
        let signs = self.record(corners, side, part)?.to_host().await?;
        let answers: Vec<&[i32]> = signs.chunks_exact(parts).collect();
        let judged = (0..parts).filter_map(|at| {
            let ([i, j], of) = (corners[at % blocks], at / blocks);
            let corner = [i + part * (of % across), j + part * (of / across)];
            let within = corner[0] < self.width && corner[1] < self.height;
            within.then(|| (corner, verdict(answers.iter().map(|answer| answer[at]))))
        });
        Ok(judged.collect())
    }

    /// The signs of all answers, question by question, part by part, of all blocks together.
    fn record(&self, corners: &[[usize; 2]], side: usize, part: usize) -> Result<Buffer<i32>> {
        let places: Vec<u32> = corners.iter().flatten().map(|k| narrow(*k)).collect();
        let places = Buffer::from_slice(self.device, &places)?;
        let (blocks, primes) = (corners.len(), self.table.basis().len());
        let count = self.powers[0] * self.powers[1];
        let shifted = self.scratch("expansions about blocks", count * primes * blocks)?;
        self.shift(&places, blocks, &shifted)?;
        let signs = self.scratch("signs of coefficients", count * blocks)?;
        self.signs(count * blocks, &shifted, &signs)?;
        let across = side / part;
        let answers = blocks * across * across * questions(part);
        let values = self.scratch("what blocks are judged by", answers * primes)?;
        self.gpu.launch(&Launch {
            kernel: &VALUES,
            precision: no_scalar(),
            constants: &[QUESTIONS.of(questions(part))],
            params: Params::new()
                .size("blocks", blocks)
                .size("across", across)
                .size("part", part)
                .size("side", side)
                .size("width", self.width)
                .size("height", self.height)
                .size("powers_u", self.powers[0])
                .size("powers_v", self.powers[1])
                .size("degree", self.degree)
                .size("primes", primes),
            buffers: &[self.table.buffer().gpu(), places.gpu(), &shifted, &signs, &values],
            grid: Workgroups::covering((answers * primes) as u64, u64::from(WORKGROUP.default)),
            work: Work {
                bytes: bytes((primes + 1) * count * blocks + answers * primes),
                operations: (6 * answers * primes) as u64 * count as u64,
            },
        })?;
        let found = Buffer::zeros(self.device, answers)?;
        self.signs(answers, &values, found.gpu())?;
        Ok(found)
    }

    /// First along y, in the lines of one power of x; then along x.
    fn shift(&self, places: &Buffer<u32>, blocks: usize, shifted: &GpuBuffer) -> Result<()> {
        let ([u, v], primes) = (self.powers, self.table.basis().len());
        for (axis, lines, line_stride, stride, length) in [(1, u, v, 1, v), (0, v, 1, v, u)] {
            let invocations = blocks * lines * primes;
            self.gpu.launch(&Launch {
                kernel: &SHIFT,
                precision: no_scalar(),
                constants: &[],
                params: Params::new()
                    .size("blocks", blocks)
                    .size("lines", lines)
                    .size("line_stride", line_stride)
                    .size("stride", stride)
                    .size("length", length)
                    .size("coefficients", u * v)
                    .size("primes", primes)
                    .integer("axis", axis)
                    .integer("fresh", axis),
                buffers: &[
                    self.table.buffer().gpu(),
                    self.coefficients.gpu(),
                    places.gpu(),
                    shifted,
                ],
                grid: Workgroups::covering(invocations as u64, u64::from(WORKGROUP.default)),
                work: Work {
                    bytes: bytes(invocations * length * length),
                    operations: 2 * invocations as u64 * (length * length) as u64,
                },
            })?;
        }
        Ok(())
    }

    fn signs(&self, numbers: usize, of: &GpuBuffer, signs: &GpuBuffer) -> Result<()> {
        let primes = self.table.basis().len();
        self.gpu.launch(&Launch {
            kernel: &SIGN.narrow,
            precision: no_scalar(),
            constants: &[PRIMES.of(primes), DIGITS.of(primes)],
            params: Params::new().size("n", numbers),
            buffers: &[self.table.buffer().gpu(), of, of, signs],
            grid: Workgroups::covering(numbers as u64, u64::from(WORKGROUP.default)),
            work: Work {
                bytes: bytes((primes + 1) * numbers),
                operations: (8 * primes * numbers) as u64,
            },
        })
    }

    fn scratch(&self, what: &str, words: usize) -> Result<Scratch<'_>> {
        self.gpu.scratch(what, bytes(words))
    }
}

fn bytes(words: usize) -> u64 {
    4 * words as u64
}

/// Signs that are asked for: low and high, and f at four corners where parts are cells.
fn questions(part: usize) -> usize {
    if part == 1 { 6 } else { 2 }
}

/// From the signs of low, of high, and of f at corners, if they were asked for.
fn verdict(mut signs: impl Iterator<Item = i32>) -> Verdict {
    if signs.next() == Some(1) || signs.next() == Some(-1) {
        return Verdict::Empty;
    }
    match signs.next() {
        Some(first) if first == 0 || signs.any(|sign| sign != first) => Verdict::Crossed,
        _ => Verdict::Unknown,
    }
}

pub(super) static SHIFT: Kernel = Kernel {
    name: "plot shift",
    entry: "shift",
    source: fragment!("plot/shift.wgsl"),
    fragments: MODULAR,
    bindings: &[Access::Read, Access::Read, Access::Read, Access::ReadWrite],
    integers: &[
        "blocks",
        "lines",
        "line_stride",
        "stride",
        "length",
        "coefficients",
        "primes",
        "axis",
        "fresh",
    ],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};

const QUESTIONS: Constant = Constant {
    name: "QUESTIONS",
    default: 6,
};

pub(super) static VALUES: Kernel = Kernel {
    name: "plot values",
    entry: "values",
    source: fragment!("plot/values.wgsl"),
    fragments: MODULAR,
    bindings: &[
        Access::Read,
        Access::Read,
        Access::Read,
        Access::Read,
        Access::ReadWrite,
    ],
    integers: &[
        "blocks", "across", "part", "side", "width", "height", "powers_u", "powers_v", "degree", "primes",
    ],
    scalars: &[],
    constants: &[WORKGROUP, QUESTIONS],
    vocabulary: Vocabulary::Integers,
};
