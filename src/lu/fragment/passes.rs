//! The elimination, step by step: which rectangles are drawn with which programs, and what is copied or exchanged.

use super::model::Counts;
use super::program::{self, Part, Program, Rectangle, Trial};
use super::{Division, Handover, Plan, Variant, check_square};
use crate::dense::{Matrix, copy_block};
use crate::error::Result;
use crate::scalar::Scalar;

/// What is issued: all that computes the factors, or one half of it, for its time alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    All,
    Draws,
    Copies,
}

/// A matrix in the two buffers of a plan. Their rows are rows of texels, which lie one after the other.
pub(super) struct Elimination<T> {
    pub(super) plan: Plan,
    pub(super) n: usize,
    pub(super) buffers: [Matrix<T>; 2],
    /// What tests change, to see that it does not matter.
    pub(super) trial: Trial,
}

impl<T: Scalar> Elimination<T> {
    pub(super) fn new(a: &Matrix<T>, plan: Plan) -> Result<Self> {
        let n = check_square(a)?;
        program::check::<T>(a.device())?;
        let width = plan.variant.texel_rows();
        let buffer = || Matrix::zeros(a.device(), n.div_ceil(width), width.saturating_mul(n));
        Ok(Self {
            plan,
            n,
            buffers: [buffer()?, buffer()?],
            trial: Trial::default(),
        })
    }

    /// Brings A into texels: into both buffers where one is the scratch that regions are copied from, since a copied
    /// region has texels that the draw before did not change.
    pub(super) fn begin(&mut self, a: &Matrix<T>) -> Result<()> {
        let [first, second] = &mut self.buffers;
        program::pack(self.plan.variant, a, first)?;
        if self.plan.handover == Handover::Copy {
            program::pack(self.plan.variant, a, second)?;
        }
        Ok(())
    }

    /// All N steps; the last has nothing left to draw, and is drawn as it was in 2005.
    pub(super) fn run(&mut self, parts: Parts) -> Result<Counts> {
        let mut counts = Counts::default();
        for step in 0..self.n {
            match self.plan.variant {
                Variant::I1 => {
                    let region = self.below(step, step, self.n - step);
                    self.draw(
                        parts,
                        Program::I1(Part::Lower),
                        step,
                        self.below(step, step, 1),
                        &mut counts,
                    )?;
                    self.copy_back(parts, region, &mut counts)?;
                    let block = self.below(step, step + 1, self.n - step - 1);
                    self.draw(parts, Program::I1(Part::Upper), step, block, &mut counts)?;
                    self.copy_back(parts, region, &mut counts)?;
                }
                Variant::I2 => {
                    let region = self.below(step, step, self.n - step);
                    self.draw(parts, Program::I2, step, region, &mut counts)?;
                    self.copy_back(parts, region, &mut counts)?;
                }
                Variant::I3 | Variant::I4 => {
                    let columns = self.n - step - 1;
                    self.draw_texels(parts, Part::Lower, step, (step, 1), &mut counts)?;
                    self.copy_back(parts, self.texels_below(step, step, columns), &mut counts)?;
                    self.draw_texels(parts, Part::Upper, step, (step + 1, columns), &mut counts)?;
                    self.copy_back(parts, self.texels_below(step, step + 1, columns), &mut counts)?;
                }
            }
        }
        Ok(counts)
    }

    /// The factors, by rows, in the memory of `into`.
    pub(super) fn collect(&self, mut into: Matrix<T>) -> Result<Matrix<T>> {
        program::collect(self.plan, &self.buffers, &mut into)?;
        Ok(into)
    }

    /// Elements below the pivot's row.
    fn below(&self, step: usize, left: usize, width: usize) -> Rectangle {
        Rectangle {
            top: step + 1,
            left,
            height: self.n - step - 1,
            width,
        }
    }

    /// Texels that hold rows below the pivot's; none where there are no such rows.
    fn texels_below(&self, step: usize, left: usize, width: usize) -> Rectangle {
        let (top, bottom) = ((step + 1) / 4, self.n.div_ceil(4));
        Rectangle {
            top,
            left,
            height: if step + 1 < self.n { bottom - top } else { 0 },
            width,
        }
    }

    /// Of I3, the four programs: RGBA for whole texels, and GBA, BA or A for the one that the pivot's row, or rows above
    /// it, share. Three are drawn with nothing, or two. Of I4, that texel and whole ones, by the same program.
    fn draw_texels(
        &mut self,
        parts: Parts,
        part: Part,
        step: usize,
        (left, width): (usize, usize),
        counts: &mut Counts,
    ) -> Result<()> {
        let all = self.texels_below(step, left, width);
        let finished = (step + 1) % 4;
        let shared = usize::from(finished > 0).min(all.height);
        let whole = Rectangle {
            top: all.top + shared,
            height: all.height - shared,
            ..all
        };
        let partial = |wanted: bool| Rectangle {
            height: if wanted { shared } else { 0 },
            ..all
        };
        if self.plan.variant == Variant::I4 {
            self.draw(parts, Program::I4(part), step, partial(true), counts)?;
            return self.draw(parts, Program::I4(part), step, whole, counts);
        }
        self.draw(parts, Program::I3(part, 0), step, whole, counts)?;
        (1..4).try_for_each(|first| {
            self.draw(
                parts,
                Program::I3(part, first),
                step,
                partial(first == finished),
                counts,
            )
        })
    }

    fn draw(
        &mut self,
        parts: Parts,
        program: Program,
        step: usize,
        rectangle: Rectangle,
        counts: &mut Counts,
    ) -> Result<()> {
        if parts == Parts::Copies {
            return Ok(());
        }
        counts.passes += 1;
        let [first, second] = &mut self.buffers;
        let exchanged = self.plan.handover == Handover::PingPong && step % 2 == 1;
        let (source, destination) = if exchanged { (second, first) } else { (first, second) };
        let draw = program::Draw {
            program,
            plan: self.plan,
            n: self.n,
            step,
            rectangle,
            trial: self.trial,
        };
        draw.issue(source, destination, counts)
    }

    fn copy_back(&mut self, parts: Parts, region: Rectangle, counts: &mut Counts) -> Result<()> {
        if self.plan.handover == Handover::PingPong || parts == Parts::Draws {
            return Ok(());
        }
        counts.copies += 1;
        let width = self.plan.variant.texel_rows();
        let texels = (region.height * region.width) as u64;
        counts.copied_bytes += texels * (width * size_of::<T>()) as u64;
        let [source, scratch] = &mut self.buffers;
        let Rectangle { top, left, height, .. } = region;
        copy_block(
            scratch.block(top, width * left, height, width * region.width)?,
            source.block_mut(top, width * left, height, width * region.width)?,
        )
    }
}

impl Plan {
    /// The plan of [`super::factor`].
    pub(super) fn is_corrected(self) -> bool {
        self.division == Division::Corrected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::precision::Words;
    use crate::device::{Device, Select};
    use crate::error::Error;
    use crate::lu::fragment::host;
    use pollster::FutureExt as _;

    /// Bits without a pattern (Numerical Recipes' ranqd1).
    struct Bits(u32);

    impl Bits {
        fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 ^ (self.0 >> 15)).wrapping_mul(0x2c1b_3c6d) ^ (self.0 >> 7)
        }
    }

    /// Quotients of the first column by the corner, everything else being the identity: what a division gives is seen, and
    /// nothing else happens to it.
    fn quotients(device: &Device, seed_error: i32, column: &[f32]) -> Vec<f32> {
        let n = column.len();
        let a: Vec<f32> = (0..n * n)
            .map(|at| match (at / n, at % n) {
                (row, 0) => column[row],
                (row, column) => f32::from(u8::from(row == column)),
            })
            .collect();
        let plan = Plan {
            variant: Variant::I3,
            handover: Handover::PingPong,
            division: Division::Corrected,
        };
        let a = Matrix::from_rows(device, n, n, &a).expect("it fits");
        let mut elimination = Elimination::new(&a, plan).expect("square");
        elimination.trial.seed_error = seed_error;
        elimination.begin(&a).expect("it runs");
        elimination.run(Parts::All).expect("it runs");
        let factors = elimination.collect(a).expect("it runs").to_host().block_on();
        let factors = factors.expect("it comes back");
        (0..n).map(|row| factors[row * n]).collect()
    }

    /// Whatever the device's quotient is: its errors are up to 2.5 units in the last place, which are five of a seed's.
    #[test]
    fn corrected_quotients_are_rounded_to_nearest() {
        const N: usize = 48;
        let special = [
            0.0,
            -0.0,
            1.0,
            1.5,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::INFINITY,
            -3.0,
            5.877_472e-39,
            1e-45,
        ];
        for adapter in Device::list().block_on() {
            let select = adapter.index.map_or(Select::Host, Select::Index);
            let device = Device::open(select).block_on().expect("it opens");
            let mut bits = Bits(2005);
            for round in 0_u32..40 {
                // Divisors with random bits, such that quotients have any exponent, and neighbours of powers of two.
                let mut word = |near: bool| {
                    let word = bits.next();
                    let exponent = if near {
                        120 + (word >> 23) % 14
                    } else {
                        (word >> 23) & 0xff
                    };
                    let fraction = match word & 7 {
                        0 => 0,
                        1 => 0x7f_ffff,
                        2 => 1,
                        _ => bits.next() & 0x7f_ffff,
                    };
                    f32::from_bits((bits.next() & 0x8000_0000) | (exponent.min(254) << 23) | fraction)
                };
                let near = round % 2 == 0;
                let mut column: Vec<f32> = (0..N).map(|_| word(near)).collect();
                if let Some(divisor) = special.get(round as usize) {
                    column[0] = *divisor;
                }
                if round % 4 == 0 {
                    column[1..=special.len()].copy_from_slice(&special);
                }
                for seed_error in [0, 1, -1, 5, -6] {
                    let found = quotients(&device, seed_error, &column);
                    for (found, a) in found.iter().zip(&column).skip(1) {
                        let expected = a / column[0];
                        // Drivers may flush subnormals on their way through a buffer's floats.
                        let subnormal = [*a, column[0], expected].iter().any(|x| x.is_subnormal());
                        let alike = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                        let flushed = subnormal && *found == 0.0 && expected.abs() < f32::MIN_POSITIVE;
                        assert!(
                            alike || flushed,
                            "{} with {seed_error}: {a:e} / {:e} = {found:e}, expected {expected:e}",
                            device.name(),
                            column[0]
                        );
                    }
                }
            }
        }
    }

    /// A GPU that needs another way to keep operations as they are written gets the same bits.
    #[test]
    fn every_way_to_keep_operations_gives_the_host_s_bits() {
        let n = 21;
        let mut bits = Bits(1542);
        let a: Vec<f32> = (0..n * n)
            .map(|at| {
                let unit = (bits.next() >> 8) as f32 / (1_u32 << 23) as f32 - 1.0;
                unit + if at / n == at % n { 4.6 } else { 0.0 }
            })
            .collect();
        let mut expected = a.clone();
        host::factor(&mut expected, n).expect("square");
        for adapter in Device::list().block_on() {
            let select = adapter.index.map_or(Select::Host, Select::Index);
            let device = Device::open(select).block_on().expect("it opens");
            let on_device = Matrix::from_rows(&device, n, n, &a).expect("it fits");
            for words in [Words::NoContraction, Words::Barrier, Words::Integer] {
                let plan = Plan {
                    variant: Variant::I3,
                    handover: Handover::Copy,
                    division: Division::Corrected,
                };
                let mut elimination = Elimination::new(&on_device, plan).expect("square");
                elimination.trial.words = Some(words);
                elimination.begin(&on_device).expect("it runs");
                match elimination.run(Parts::All) {
                    Err(Error::Refused { .. }) if words == Words::NoContraction => continue,
                    run => run.expect("it runs"),
                };
                let into = Matrix::zeros(&device, n, n).expect("it fits");
                let factors = elimination.collect(into).expect("it runs").to_host().block_on();
                assert_eq!(
                    factors.expect("it comes back"),
                    expected,
                    "{words} on {}",
                    device.name()
                );
            }
        }
    }

    /// Halves that are timed are the halves of the whole, and the host's tally is what a GPU's rectangles say.
    #[test]
    fn halves_add_up_to_the_whole() {
        for n in [1, 5, 12, 33] {
            let a = Matrix::<f32>::zeros(&Device::host(), n, n).expect("it fits");
            for variant in Variant::ALL {
                for handover in Handover::ALL {
                    let plan = Plan {
                        variant,
                        handover,
                        division: Division::Native,
                    };
                    let mut elimination = Elimination::new(&a, plan).expect("square");
                    let mut run = |parts| elimination.run(parts).expect("it runs");
                    let [all, draws, copies] = [Parts::All, Parts::Draws, Parts::Copies].map(&mut run);
                    assert_eq!((draws.passes, draws.flops), (all.passes, all.flops));
                    assert_eq!((copies.copies, copies.copied_bytes), (all.copies, all.copied_bytes));
                    assert_eq!((draws.copies, copies.passes, copies.flops), (0, 0, 0));
                }
            }
        }
    }

    #[test]
    fn the_oracle_checks_its_operand() {
        assert!(host::factor(&mut [1.0_f32; 5], 2).is_err());
    }
}
