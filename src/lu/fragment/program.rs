//! Fragment programs: what one texel of a draw becomes, on a GPU and on the host, and what that costs.

use super::model::Counts;
use super::{Handover, Plan, Variant};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Version, Width, Words};
use crate::device::{Device, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::{Df64, Scalar, ScalarKind};

/// Of a step's two draws, the column of L or the block of U.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Lower,
    Upper,
}

/// A fragment program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    I1(Part),
    I2,
    /// With the first row of its texels that it changes.
    I3(Part, usize),
    I4(Part),
}

/// Texels that are drawn, or copied: whole numbers of rows of texels, and of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) height: usize,
    pub(super) width: usize,
}

/// A program over a rectangle.
pub(super) struct Draw {
    pub(super) program: Program,
    pub(super) plan: Plan,
    pub(super) n: usize,
    pub(super) step: usize,
    pub(super) rectangle: Rectangle,
    pub(super) trial: Trial,
}

/// What tests change: what is added to the seed of a corrected division, and how operations are kept as written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trial {
    pub(super) seed_error: i32,
    pub(super) words: Option<Words>,
}

impl Draw {
    /// Runs it, and counts what it does: on the host as it does it, on a GPU as the rectangle says.
    pub(super) fn issue<T: Scalar>(
        &self,
        source: &Matrix<T>,
        destination: &mut Matrix<T>,
        counts: &mut Counts,
    ) -> Result<()> {
        match source.device().ground() {
            Ground::Host => {
                self.on_host(source.buffer().host(), destination.buffer_mut().host_mut(), counts);
                Ok(())
            }
            Ground::Gpu(gpu) => {
                self.count::<T>(counts);
                self.launch(gpu, source, destination)
            }
        }
    }

    /// What a fragment reads, and the operations for each row that it changes. A division is two, as in the paper; the
    /// fragment of I2 does all that either branch needs.
    fn cost(&self) -> (usize, usize) {
        match self.program {
            Program::I1(Part::Lower) | Program::I3(Part::Lower, _) | Program::I4(Part::Lower) => (2, 2),
            Program::I1(Part::Upper) | Program::I3(Part::Upper, _) | Program::I4(Part::Upper) => (3, 2),
            Program::I2 => (4, 4),
        }
    }

    /// Rows of elements that the rectangle's programs change.
    fn rows(&self) -> usize {
        let Rectangle { top, height, .. } = self.rectangle;
        let first = match self.program {
            Program::I1(_) | Program::I2 => return height,
            Program::I3(_, first) => 4 * top + first,
            Program::I4(_) => (4 * top).max(self.step + 1),
        };
        (4 * (top + height)).min(self.n).saturating_sub(first)
    }

    fn count<T>(&self, counts: &mut Counts) {
        let Rectangle { height, width, .. } = self.rectangle;
        let (references, operations) = self.cost();
        let texel = self.plan.variant.texel_rows() * size_of::<T>();
        counts.referenced_bytes += (height * width) as u64 * (references * texel) as u64;
        if height > 0 {
            counts.flops += (self.rows() * width) as u64 * operations as u64;
        }
    }

    fn launch<T: Scalar>(&self, gpu: &Gpu, source: &Matrix<T>, destination: &Matrix<T>) -> Result<()> {
        let kernels = of::<T>()?;
        let (kernel, part, first) = match self.program {
            Program::I1(part) => (&kernels.i1, part, 0),
            Program::I2 => (&kernels.i2, Part::Upper, 0),
            Program::I3(part, first) => (&kernels.i3, part, first),
            Program::I4(part) => (&kernels.i4, part, 0),
        };
        let Rectangle {
            top,
            left,
            height,
            width,
        } = self.rectangle;
        let texels = (height * width) as u64;
        let mut counts = Counts::default();
        self.count::<T>(&mut counts);
        // A corrected quotient is some 40 operations, and those of pairs some 20 each.
        let weight = if self.plan.is_corrected() { 20 } else { 4 } * T::KIND.words() as u64;
        let launch = Launch {
            kernel,
            precision: SINGLES,
            constants: &[
                (DIVISION.name, u32::from(self.plan.is_corrected())),
                (SEED_ERROR.name, self.trial.seed_error.cast_unsigned()),
                (HANDOVER.name, u32::from(self.plan.handover == Handover::PingPong)),
                (PART.name, u32::from(part == Part::Upper)),
                (FIRST.name, crate::device::narrow(first)),
                (RAGGED.name, u32::from(!self.n.is_multiple_of(4))),
            ],
            params: Params::new()
                .size("n", self.n)
                .size("step", self.step)
                .size("top", top)
                .size("left", left)
                .size("height", height)
                .size("width", width),
            buffers: &[source.buffer().gpu(), destination.buffer().gpu()],
            grid: Grid::covering(texels, WORKGROUP.default.into()),
            work: Work {
                bytes: counts.referenced_bytes,
                operations: counts.flops * weight,
            },
        };
        match self.trial.words {
            None => gpu.launch(&launch),
            Some(words) => gpu.launch_as(
                Version {
                    words,
                    ..Version::PLAIN
                },
                &launch,
            ),
        }
    }

    fn on_host<T: Scalar>(&self, source: &[T], destination: &mut [T], counts: &mut Counts) {
        let Rectangle {
            top,
            left,
            height,
            width,
        } = self.rectangle;
        for row in top..top + height {
            for column in left..left + width {
                self.fragment(source, destination, (row, column), counts);
            }
        }
    }

    /// One texel, as the shaders of the same names do it.
    fn fragment<T: Scalar>(
        &self,
        source: &[T],
        destination: &mut [T],
        (row, column): (usize, usize),
        counts: &mut Counts,
    ) {
        let (n, step) = (self.n, self.step);
        let rows = self.plan.variant.texel_rows();
        let place = |row: usize, column: usize| rows * (row * n + column)..rows * (row * n + column) + rows;
        let mut bytes = 0;
        let mut read = |texels: &[T], row: usize, column: usize| {
            bytes += (rows * size_of::<T>()) as u64;
            let mut texel = [T::zero(); 4];
            texel[..rows].copy_from_slice(&texels[place(row, column)]);
            texel
        };
        let mut flops = 0;
        let mut quotient = |a: T, b: T| {
            flops += 2;
            a / b
        };
        let mut texel = read(source, row, column);
        let (first, exists) = match self.program {
            Program::I1(_) | Program::I2 => (0, 1),
            Program::I3(_, first) => (first, 4),
            Program::I4(_) => ((step + 1).saturating_sub(4 * row), 4),
        };
        let last = exists.min(n - rows * row);
        let changed = first.min(last)..last;
        let pivots = |texel: [T; 4]| texel[step % rows];
        let mut updates = 0;
        match self.program {
            Program::I2 => {
                let pivot = pivots(read(source, step / rows, step));
                let l = quotient(read(source, row, step)[0], pivot);
                let u = pivots(read(source, step / rows, column));
                let new = texel[0] - u * l;
                updates += 1;
                texel[0] = if column == step { l } else { new };
            }
            Program::I1(Part::Lower) | Program::I3(Part::Lower, _) | Program::I4(Part::Lower) => {
                let pivot = pivots(read(source, step / rows, step));
                texel[changed].iter_mut().for_each(|a| *a = quotient(*a, pivot));
            }
            Program::I1(Part::Upper) | Program::I3(Part::Upper, _) | Program::I4(Part::Upper) => {
                let u = pivots(read(source, step / rows, column));
                let lower = match self.plan.handover {
                    Handover::Copy => source,
                    Handover::PingPong => &*destination,
                };
                let l = read(lower, row, step);
                for (a, l) in texel[changed.clone()].iter_mut().zip(&l[changed]) {
                    *a -= u * *l;
                    updates += 1;
                }
            }
        }
        destination[place(row, column)].copy_from_slice(&texel[..rows]);
        counts.referenced_bytes += bytes;
        counts.flops += flops + 2 * updates;
    }
}

/// Whether a device can run the programs in `T`.
pub(super) fn check<T: Scalar>(device: &Device) -> Result<()> {
    if device.is_host() {
        return Ok(());
    }
    // Singles are kept as written by what Df64 is made of.
    device.supports::<Df64>()?;
    of::<T>().map(|_| ()).map_err(|error| match error {
        Error::UnsupportedScalar { scalar, reason, .. } => Error::UnsupportedScalar {
            scalar,
            device: device.name().to_owned(),
            reason,
        },
        error => error,
    })
}

/// Elements by rows, into texels.
pub(super) fn pack<T: Scalar>(variant: Variant, a: &Matrix<T>, texels: &mut Matrix<T>) -> Result<()> {
    let (n, rows) = (a.rows(), variant.texel_rows());
    let height = n.div_ceil(rows) * rows;
    match a.device().clone().ground() {
        Ground::Host => {
            let (from, to) = (a.buffer().host(), texels.buffer_mut().host_mut());
            for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
                to[rows * (row / rows * n + column) + row % rows] = from[row * n + column];
            }
            Ok(())
        }
        Ground::Gpu(gpu) => {
            let elements = (height * n) as u64;
            gpu.launch(&Launch {
                kernel: &of::<T>()?.pack,
                precision: SINGLES,
                constants: &[(WIDTH.name, crate::device::narrow(rows))],
                params: Params::new().size("n", n).size("rows", height),
                buffers: &[a.buffer().gpu(), texels.buffer().gpu()],
                grid: Grid::covering(elements, WORKGROUP.default.into()),
                work: moved::<T>(elements),
            })
        }
    }
}

/// The factors by rows, from where the plan's last steps have left them.
pub(super) fn collect<T: Scalar>(plan: Plan, buffers: &[Matrix<T>; 2], into: &mut Matrix<T>) -> Result<()> {
    let (n, rows) = (into.rows(), plan.variant.texel_rows());
    let [first, second] = buffers.each_ref().map(Matrix::buffer);
    let exchanged = plan.handover == Handover::PingPong;
    match into.device().clone().ground() {
        Ground::Host => {
            let (first, second, to) = (first.host(), second.host(), into.buffer_mut().host_mut());
            for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let from = if exchanged && row.min(column + 1) % 2 == 1 {
                    second
                } else {
                    first
                };
                to[row * n + column] = from[rows * (row / rows * n + column) + row % rows];
            }
            Ok(())
        }
        Ground::Gpu(gpu) => {
            let elements = (n * n) as u64;
            gpu.launch(&Launch {
                kernel: &of::<T>()?.collect,
                precision: SINGLES,
                constants: &[
                    (WIDTH.name, crate::device::narrow(rows)),
                    (HANDOVER.name, u32::from(exchanged)),
                ],
                params: Params::new().size("n", n),
                buffers: &[first.gpu(), second.gpu(), into.buffer().gpu()],
                grid: Grid::covering(elements, WORKGROUP.default.into()),
                work: moved::<T>(elements),
            })
        }
    }
}

fn moved<T>(elements: u64) -> Work {
    Work {
        bytes: 2 * elements * size_of::<T>() as u64,
        operations: 0,
    }
}

/// The kernels of one kind of channel.
struct Kernels {
    i1: Kernel,
    i2: Kernel,
    i3: Kernel,
    i4: Kernel,
    pack: Kernel,
    collect: Kernel,
}

pub(super) fn kernels() -> Vec<&'static Kernel> {
    let of = |kernels: &'static Kernels| {
        let Kernels {
            i1,
            i2,
            i3,
            i4,
            pack,
            collect,
        } = kernels;
        [i1, i2, i3, i4, pack, collect]
    };
    [&OF_SINGLES, &OF_PAIRS].into_iter().flat_map(of).collect()
}

fn of<T: Scalar>() -> Result<&'static Kernels> {
    match T::KIND {
        ScalarKind::F32 => Ok(&OF_SINGLES),
        ScalarKind::Df64 => Ok(&OF_PAIRS),
        ScalarKind::F64 | ScalarKind::Dd => Err(Error::UnsupportedScalar {
            scalar: T::NAME,
            device: "a fragment program".to_owned(),
            reason: "channels of texels are f32, or pairs of them (df64)".to_owned(),
        }),
    }
}

/// What kernels are composed with and launched in, whichever channels they have.
const SINGLES: Precision = Precision {
    scalar: ScalarKind::Df64,
    element: ScalarKind::Df64,
    width: Width::Single,
};

/// 0 for the device's own division, 1 for the corrected one.
const DIVISION: Constant = named("DIVISION", 1);
const SEED_ERROR: Constant = named("SEED_ERROR", 0);
/// 0 where results are copied back, 1 where buffers are exchanged.
const HANDOVER: Constant = named("HANDOVER", 0);
/// 0 for L, 1 for U.
const PART: Constant = named("PART", 0);
/// The rows of a texel that are finished.
const FIRST: Constant = named("FIRST", 0);
/// Whether the last texels have rows that are not there.
const RAGGED: Constant = named("RAGGED", 1);
/// The rows of a texel.
const WIDTH: Constant = named("WIDTH", 4);

const fn named(name: &'static str, default: u32) -> Constant {
    Constant { name, default }
}

const GRID: Fragment = fragment!("lib/grid.wgsl");
const DRAW: Fragment = fragment!("lu/fragment/draw.wgsl");
const QUOTIENT: Fragment = fragment!("lu/fragment/quotient.wgsl");
const SINGLE: Fragment = fragment!("lu/fragment/single.wgsl");
const PAIR: Fragment = fragment!("lu/fragment/pair.wgsl");

static OF_SINGLES: Kernels = Kernels {
    i1: drawn("lu::fragment::i1", I1, &[GRID, QUOTIENT, SINGLE, DRAW], TWO_DRAWS),
    i2: drawn("lu::fragment::i2", I2, &[GRID, QUOTIENT, SINGLE, DRAW], ONE_DRAW),
    i3: drawn("lu::fragment::i3", I3, &[GRID, QUOTIENT, SINGLE, DRAW], FOUR_PROGRAMS),
    i4: drawn("lu::fragment::i4", I4, &[GRID, QUOTIENT, SINGLE, DRAW], TWO_DRAWS),
    pack: packed("lu::fragment::pack", &[GRID, QUOTIENT, SINGLE]),
    collect: collected("lu::fragment::collect", &[GRID, QUOTIENT, SINGLE]),
};

static OF_PAIRS: Kernels = Kernels {
    i1: drawn("lu::fragment::i1_pair", I1, &[GRID, QUOTIENT, PAIR, DRAW], TWO_DRAWS),
    i2: drawn("lu::fragment::i2_pair", I2, &[GRID, QUOTIENT, PAIR, DRAW], ONE_DRAW),
    i3: drawn(
        "lu::fragment::i3_pair",
        I3,
        &[GRID, QUOTIENT, PAIR, DRAW],
        FOUR_PROGRAMS,
    ),
    i4: drawn("lu::fragment::i4_pair", I4, &[GRID, QUOTIENT, PAIR, DRAW], TWO_DRAWS),
    pack: packed("lu::fragment::pack_pair", &[GRID, QUOTIENT, PAIR]),
    collect: collected("lu::fragment::collect_pair", &[GRID, QUOTIENT, PAIR]),
};

const I1: Fragment = fragment!("lu/fragment/i1.wgsl");
const I2: Fragment = fragment!("lu/fragment/i2.wgsl");
const I3: Fragment = fragment!("lu/fragment/i3.wgsl");
const I4: Fragment = fragment!("lu/fragment/i4.wgsl");

const ONE_DRAW: &[Constant] = &[WORKGROUP, DIVISION, SEED_ERROR];
const TWO_DRAWS: &[Constant] = &[WORKGROUP, DIVISION, SEED_ERROR, HANDOVER, PART];
const FOUR_PROGRAMS: &[Constant] = &[WORKGROUP, DIVISION, SEED_ERROR, HANDOVER, PART, FIRST, RAGGED];

const fn drawn(
    name: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    constants: &'static [Constant],
) -> Kernel {
    Kernel {
        name,
        entry: "draw",
        source,
        fragments,
        bindings: &[Access::Read, Access::ReadWrite],
        integers: &["n", "step", "top", "left", "height", "width"],
        scalars: &[],
        constants,
        vocabulary: Vocabulary::Singles,
    }
}

const fn packed(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: "pack",
        source: fragment!("lu/fragment/pack.wgsl"),
        fragments,
        bindings: &[Access::Read, Access::ReadWrite],
        integers: &["n", "rows"],
        scalars: &[],
        constants: &[WORKGROUP, DIVISION, SEED_ERROR, WIDTH],
        vocabulary: Vocabulary::Singles,
    }
}

const fn collected(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: "collect",
        source: fragment!("lu/fragment/collect.wgsl"),
        fragments,
        bindings: &[Access::Read, Access::Read, Access::ReadWrite],
        integers: &["n"],
        scalars: &[],
        constants: &[WORKGROUP, DIVISION, SEED_ERROR, WIDTH, HANDOVER],
        vocabulary: Vocabulary::Singles,
    }
}
