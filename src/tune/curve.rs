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

/// A fall between neighbours that is measured again, and how often.
const FALL: f64 = 0.03;
const AGAIN: usize = 3;

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
        let total = (last - first) / step + 1;
        for (done, n) in (first..=last).step_by(step).enumerate() {
            let shape = shape(n);
            if self.trials.forbidden(shape)?.is_some() {
                break;
            }
            let variants = self.variants(shape);
            let [before, after] = self.times(&variants, shape)?;
            let amount = self.amount(limit, shape);
            tuned.before.sizes.push(n);
            tuned.before.rates.push(amount / before);
            tuned.after.sizes.push(n);
            tuned.after.rates.push(amount / after);
            tell(observer, "before, after", done + 1, total)?;
        }
        for _ in 0..AGAIN {
            self.falls_again(&mut tuned, shape)?;
        }
        self.draw_model(&mut tuned, shape, first..=last);
        Ok(tuned)
    }

    /// Measures the two sizes of every fall again, and keeps the faster: a tooth of a saw repeats, a hiccup does not.
    fn falls_again(&mut self, tuned: &mut Tuned, shape: fn(usize) -> Shape) -> Result<()> {
        let falls = |rates: &[f64], i: usize| rates.get(i + 1).is_some_and(|next| !(*next >= rates[i] * (1.0 - FALL)));
        let here = |tuned: &Tuned, i: usize| falls(&tuned.before.rates, i) || falls(&tuned.after.rates, i);
        let doubtful: Vec<usize> = (0..tuned.after.sizes.len())
            .filter(|i| here(tuned, *i) || i.checked_sub(1).is_some_and(|i| here(tuned, i)))
            .collect();
        for i in doubtful {
            let at = shape(tuned.after.sizes[i]);
            let variants = self.variants(at);
            let [before, after] = self.times(&variants, at)?;
            let amount = self.amount(tuned.limit, at);
            tuned.before.rates[i] = tuned.before.rates[i].max(amount / before);
            tuned.after.rates[i] = tuned.after.rates[i].max(amount / after);
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
