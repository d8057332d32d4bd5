//! Rates over a range of sizes, before and after, with the model between them and the limit above.

use pollster::FutureExt as _;

use super::{Chosen, Job, Limit, Tuned, candidate};
use crate::dense::{Vector, copy, fill};
use crate::device::{AdapterKind, Device};
use crate::error::{Error, Result};
use crate::observer::{Observer, tell};
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::tuning::{Curve, Entry, Line, Shape, Tunable};

/// Bytes of a vector that is copied: more than any cache holds, and less on the CPU, where that takes time.
const COPIED: usize = 1 << 28;
const COPIED_BY_SOFTWARE: usize = 1 << 25;
const COPIES: usize = 9;

/// A size of every line.
const N: usize = 1 << 10;

/// How often a curve is gone through: of a size the median counts. Each time the operands lie elsewhere, and minutes have passed
/// in which the device has done other things; of a size that is measured once, one in a hundred is 5 % off.
const PASSES: usize = 3;
/// Samples of a size in a pass.
const SAMPLES: usize = 3;
/// Sizes between which a rate falls by more than this are gone through so many times more: the largest of three hundred falls is
/// else that of the size whose median was off.
const STEEP: f64 = 0.04;
const AGAIN: usize = 4;

/// The line of shapes along which curves are drawn: square matrices, and sparse ones with rows of one length.
pub(super) fn main_line(tunable: &Tunable) -> Option<&'static Line<'static>> {
    tunable.regimes.first()?.lines.first()
}

/// First and last size, and the step, of a line with `shape` at `N`.
fn range(shape: Shape, software: bool, quick: bool) -> (usize, usize, usize) {
    let product = shape.cols > 1;
    if shape.depth != N {
        let (first, last) = if software {
            (1 << 12, 1 << 16)
        } else {
            (1 << 14, 1 << 18)
        };
        return (first, last, if quick { first } else { first / 4 });
    }
    match (product, software, quick) {
        (false, false, false) => (1000, 6000, 16),
        (false, false, true) => (1000, 6000, 128),
        (true, false, false) => (256, 4096, 64),
        (true, false, true) => (256, 4096, 512),
        (false, true, false) => (256, 1792, 64),
        (false, true, true) => (256, 1792, 128),
        (true, true, false) => (64, 448, 32),
        (true, true, true) => (64, 448, 64),
    }
}

/// Seconds of one size before and after, by passes.
type Times = [Vec<f64>; 2];

/// The medians of sizes as rates, before and after.
fn rates(amounts: &[f64], times: &[Times]) -> [Vec<f64>; 2] {
    [0, 1].map(|curve| {
        let median = |taken: &Times| {
            let mut taken = taken[curve].clone();
            taken.sort_by(f64::total_cmp);
            taken[taken.len() / 2]
        };
        amounts
            .iter()
            .zip(times)
            .map(|(amount, taken)| amount / median(taken))
            .collect()
    })
}

/// The sizes at both ends of steep falls.
fn steep(rates: &[Vec<f64>; 2]) -> Vec<usize> {
    let falls = |rates: &Vec<f64>, at: usize| rates[at + 1] < (1.0 - STEEP) * rates[at];
    let last = rates[0].len().saturating_sub(1);
    let begin: Vec<usize> = (0..last)
        .filter(|at| rates.iter().any(|rates| falls(rates, *at)))
        .collect();
    let mut ends: Vec<usize> = begin.iter().flat_map(|at| [*at, at + 1]).collect();
    ends.dedup();
    ends
}

impl Job<'_> {
    pub(super) fn curves(&mut self, entry: Entry, regimes: Vec<Chosen>, observer: &mut dyn Observer) -> Result<Tuned> {
        let software = self.device.adapter().kind >= AdapterKind::Software;
        let shape = main_line(self.tunable).map_or_else(|| unreachable!("something was measured"), |line| line.shape);
        let (first, last, step) = range(shape(N), software, self.quick);
        // Before the limit, in whose way operands would lie.
        self.trials.of_curves()?;
        let limit = self.limit(shape(last))?;
        let mut tuned = Tuned {
            operation: self.tunable.name,
            scalar: self.precision.scalar,
            entry,
            regimes,
            before: Curve::default(),
            after: Curve::default(),
            model: Curve::default(),
            rounds: Vec::new(),
            step,
            limit,
        };
        let mut sizes: Vec<usize> = (first..=last).step_by(step).collect();
        let total = PASSES * sizes.len();
        let mut times = vec![Times::default(); sizes.len()];
        for pass in 0..PASSES {
            for (at, n) in sizes.clone().into_iter().enumerate() {
                if self.trials.forbidden(shape(n))?.is_some() {
                    sizes.truncate(at);
                    times.truncate(at);
                    break;
                }
                self.take(shape(n), &mut times[at])?;
                tell(observer, "before, after", pass * (total / PASSES) + at + 1, total)?;
            }
        }
        let amounts: Vec<f64> = sizes.iter().map(|n| self.amount(limit, shape(*n))).collect();
        let steep = steep(&rates(&amounts, &times));
        for _ in 0..AGAIN {
            for &at in &steep {
                self.take(shape(sizes[at]), &mut times[at])?;
                tell(observer, "before, after", total, total)?;
            }
        }
        [tuned.before, tuned.after] = rates(&amounts, &times).map(|rates| Curve {
            sizes: sizes.clone(),
            rates,
        });
        self.draw_model(&mut tuned, shape, first..=last);
        Ok(tuned)
    }

    /// Seconds before and after at a shape.
    fn take(&mut self, shape: Shape, taken: &mut Times) -> Result<()> {
        let variants = self.variants(shape);
        for (taken, time) in taken.iter_mut().zip(self.times(&variants, shape, SAMPLES..=SAMPLES)?) {
            taken.push(time);
        }
        Ok(())
    }

    /// The model at every size, and where its rounds end: saws have edges that a step would miss.
    fn draw_model(&self, tuned: &mut Tuned, shape: fn(usize) -> Shape, sizes: std::ops::RangeInclusive<usize>) {
        let measured = tuned.after.sizes.last().copied().unwrap_or(0);
        // The variant and the rounds at the size before.
        let mut before = None;
        for n in sizes.take_while(|n| *n <= measured) {
            let at = shape(n);
            let [_, variant] = self.variants(at);
            let regime = self.tunable.regimes.iter().find(|regime| regime.contains.contain(at));
            let Some(candidate) = regime.and_then(|regime| candidate(&tuned.entry, regime.name, &variant)) else {
                before = None;
                continue;
            };
            let extents = (self.tunable.extents)(&variant, self.precision, at);
            tuned.model.sizes.push(n);
            tuned
                .model
                .rates
                .push(self.amount(tuned.limit, at) / candidate.model.predict(extents));
            let Some(period) = candidate.model.period else {
                before = None;
                continue;
            };
            #[expect(clippy::cast_precision_loss, reason = "a number of workgroups")]
            let rounds = (extents.quantised as f64 / period).ceil();
            match before.replace((variant.clone(), rounds)) {
                Some((known, fewer)) if known == variant && fewer < rounds => tuned.rounds.push(n - 1),
                _ => {}
            }
        }
    }

    /// What a call does, in the unit of a limit.
    fn amount(&self, limit: Limit, shape: Shape) -> f64 {
        let (bytes, operations) = (self.tunable.work)(self.precision, shape);
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        match limit {
            Limit::Bytes(_) => bytes as f64,
            Limit::MultiplyAdds(_) => operations as f64,
        }
    }

    /// Whichever of memory and arithmetic takes longer at a shape.
    fn limit(&self, shape: Shape) -> Result<Limit> {
        let limits = match self.precision.scalar {
            ScalarKind::F32 => limits::<f32>(self.device),
            ScalarKind::Df64 => limits::<Df64>(self.device),
            ScalarKind::F64 => limits::<f64>(self.device),
            ScalarKind::Dd => limits::<Dd>(self.device),
        };
        let seconds = |limit: &Limit| self.amount(*limit, shape) / limit.per_second();
        let [bytes, operations] = limits?;
        Ok(if seconds(&bytes) >= seconds(&operations) {
            bytes
        } else {
            operations
        })
    }
}

fn limits<T: Scalar>(device: &Device) -> Result<[Limit; 2]> {
    let operations = Limit::MultiplyAdds(device.multiply_add_rate::<T>().block_on()?);
    Ok([Limit::Bytes(copied::<T>(device)?), operations])
}

/// Bytes a second of a copy, read and written.
fn copied<T: Scalar>(device: &Device) -> Result<f64> {
    let software = device.adapter().kind >= AdapterKind::Software;
    let mut bytes = if software { COPIED_BY_SOFTWARE } else { COPIED };
    let (x, mut y) = loop {
        let n = bytes / size_of::<T>();
        match Vector::<T>::zeros(device, n).and_then(|x| Ok((x, Vector::zeros(device, n)?))) {
            Ok(vectors) => break vectors,
            Err(Error::TooLarge { .. } | Error::OutOfMemory { .. }) if bytes > 1 << 20 => bytes /= 2,
            Err(error) => return Err(error),
        }
    };
    // Hardware is faster at zeros.
    let mut x = x;
    fill(T::from_f64(0.75), &mut x)?;
    copy(&x, &mut y)?;
    let mut seconds = Vec::new();
    for _ in 0..COPIES {
        seconds.push(device.time(&mut || copy(&x, &mut y)).block_on()?.seconds());
    }
    seconds.sort_by(f64::total_cmp);
    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    let moved = 2.0 * (x.len() * size_of::<T>()) as f64;
    Ok(moved / seconds[COPIES / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falls_of_either_curve_are_steep_at_both_ends() {
        let level = vec![1.0, 0.97, 0.98, 1.0, 0.99];
        assert!(steep(&[level.clone(), level.clone()]).is_empty());
        assert!(steep(&[Vec::new(), Vec::new()]).is_empty());
        let saw = vec![1.0, 0.95, 0.90, 1.0, 0.95];
        assert_eq!(steep(&[saw.clone(), level.clone()]), [0, 1, 2, 3, 4]);
        assert_eq!(steep(&[level, vec![1.0, 1.0, 1.0, 1.0, 0.9]]), [3, 4]);
    }

    #[test]
    fn rates_are_of_the_medians() {
        let times = [
            [vec![2.0, 1.0, 9.0], vec![4.0]],
            [vec![1.0], vec![1.0, 2.0, 2.0, 9.0, 2.0]],
        ];
        assert_eq!(rates(&[8.0, 4.0], &times), [vec![4.0, 4.0], vec![2.0, 2.0]]);
    }
}
