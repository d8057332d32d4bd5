//! The period of the saw, found without a person: what Imamura (2011, section 5) leaves as future work.
//!
//! What a smooth curve explains is removed from the times, and the rest is analysed by frequencies. Every peak of the
//! spectrum, and the fundamentals of which it might be a harmonic (those of a saw fall as 1/k), proposes periods; near
//! each, ⌈q/β⌉ itself is fitted, since jumps say more than waves. The best is accepted if noise does not do as well and
//! if it explains much of what neither a smooth curve nor a single cliff can.

use super::model::Sample;
use super::outliers::{median, outliers};
use super::span::{Span, dot};
use super::spectrum;

/// A saw that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saw {
    /// β, in units of q.
    pub period: f64,
    /// The periods that cut the samples into the same rounds: from the first to just below the second.
    pub interval: (f64, f64),
    /// The height of a tooth relative to the time, in the middle of the sweep.
    pub amplitude: f64,
    /// The share of the variance about a smooth curve that it explains.
    pub explained: f64,
    /// The natural logarithm of a bound of the chance that noise does as well.
    pub false_alarm: f64,
}

/// Fewer samples than this show nothing.
const LEAST_SAMPLES: usize = 16;
/// A sweep that holds fewer periods cannot tell a saw from a bend.
const LEAST_PERIODS: f64 = 1.8;
/// A period of fewer samples is short, and the model treats those as smooth (paper, section 3.1).
const LEAST_SAMPLES_IN_PERIOD: f64 = 3.0;
/// Samples of a sweep that began at 0 with the same step, for each that there is: with a finer step there would be no end of
/// frequencies to look at.
const MOST_STEPS: f64 = 64.0;
/// ln 10⁻³.
const FALSE_ALARM: f64 = -6.9;
/// A lower tooth is of no consequence: the field tolerates 5 %.
const LEAST_AMPLITUDE: f64 = 0.01;
/// Of the variance about the smooth curve, the saw must explain this much…
const LEAST_EXPLAINED: f64 = 0.45;
/// …and of that about the smooth curve with one free cliff, this much.
const LEAST_BEYOND_CLIFF: f64 = 0.1;
/// Median absolute deviations to an outlier: six standard deviations of 1.4826 each, if noise is normal.
const OUTLIER: f64 = 6.0 * 1.4826;
/// Peaks of the spectrum that are followed.
const PEAKS: usize = 6;

/// The period of the saw in a sweep; none where there is none, or where it cannot be told from noise.
///
/// Samples are best at uniform steps in q, and must hold about two periods with at least three samples in each. Single
/// outliers are passed over. The period need not be an integer.
///
/// # Cost
/// O(n²) for the spectrum, and O(n²) for each of at most some thirty candidates: milliseconds for a hundred samples.
#[must_use]
pub fn find_period(samples: &[Sample]) -> Option<Saw> {
    let mut sweep = Sweep::new(samples)?;
    let (mut period, mut teeth) = sweep.best()?;
    // Outliers that have company are seen only beside a saw; without them its period may be another.
    if let Some(cleaned) = sweep.without_outliers(period, &teeth) {
        sweep = cleaned;
        (period, teeth) = sweep.best()?;
    }
    sweep.judge(period, &teeth)
}

/// Samples of a sweep relative to their own times, with what is smooth removed.
struct Sweep {
    samples: Vec<Sample>,
    q: Vec<f64>,
    s: Vec<f64>,
    /// 1/t: the weight of a relative error.
    weight: Vec<f64>,
    smooth: Span,
    /// What the smooth curve leaves of 1 = t/t.
    residual: Vec<f64>,
    /// Between neighbours, in the median.
    step: f64,
    /// From the first to the last.
    width: f64,
}

/// ⌈q/β⌉ fitted to what the smooth curve leaves.
struct Teeth {
    /// o₁ and α₁.
    cost: [f64; 2],
    /// The sum of squares that remains.
    rest: f64,
}

impl Sweep {
    fn new(samples: &[Sample]) -> Option<Self> {
        let usable = |sample: &&Sample| sample.seconds.is_finite() && sample.seconds > 0.0;
        let mut sorted: Vec<&Sample> = samples.iter().filter(usable).collect();
        sorted.sort_by_key(|sample| sample.extents.quantised);
        let kept = outliers(&sorted).into_iter().map(|outlier| !outlier);
        let kept: Vec<&Sample> = sorted
            .iter()
            .zip(kept)
            .filter(|(_, kept)| *kept)
            .map(|(sample, _)| *sample)
            .collect();
        Self::of(&kept)
    }

    /// The period whose teeth fit best, near those that the spectrum proposes.
    fn best(&self) -> Option<(f64, Teeth)> {
        let mut best: Option<(f64, Teeth)> = None;
        for frequency in self.candidates() {
            let margin = 0.6 / self.width;
            let (low, high) = self.frequencies();
            let mut at = (frequency - margin).max(low);
            while at <= (frequency + margin).min(high) {
                let teeth = self.teeth(1.0 / at);
                if best.as_ref().is_none_or(|(_, known)| teeth.rest < known.rest) {
                    best = Some((1.0 / at, teeth));
                }
                // The last jump moves by a quarter of a step.
                at *= 1.0 + 0.25 * self.step / self.last();
            }
        }
        best
    }

    /// The sweep without samples far from what the teeth say; none if there are no such samples, or more than a tenth.
    fn without_outliers(&self, period: f64, teeth: &Teeth) -> Option<Self> {
        let mut apart = self.residual.clone();
        for (cost, term) in teeth.cost.iter().zip(self.terms(period)) {
            apart.iter_mut().zip(term).for_each(|(rest, term)| *rest -= cost * term);
        }
        apart.iter_mut().for_each(|rest| *rest = rest.abs());
        let limit = OUTLIER * median(apart.clone())?;
        let kept = self.samples.iter().zip(apart).filter(|(_, apart)| *apart <= limit);
        let kept: Vec<&Sample> = kept.map(|(sample, _)| sample).collect();
        let few = (1..=self.samples.len() / 10).contains(&(self.samples.len() - kept.len()));
        few.then(|| Self::of(&kept)).flatten()
    }

    fn of(sorted: &[&Sample]) -> Option<Self> {
        if sorted.len() < LEAST_SAMPLES {
            return None;
        }
        let q: Vec<f64> = sorted.iter().map(|sample| sample.extents.quantised as f64).collect();
        let s: Vec<f64> = sorted.iter().map(|sample| sample.extents.streaming as f64).collect();
        let weight: Vec<f64> = sorted.iter().map(|sample| sample.seconds.recip()).collect();
        let width = q[q.len() - 1] - q[0];
        let step = median(
            q.windows(2)
                .map(|pair| pair[1] - pair[0])
                .filter(|step| *step > 0.0)
                .collect(),
        )?
        .max(q[q.len() - 1] / (MOST_STEPS * q.len() as f64));
        let mut smooth = Span::default();
        let mut explain = |term: &dyn Fn(usize) -> f64| smooth.add((0..q.len()).map(term).collect());
        explain(&|i| weight[i]);
        explain(&|i| q[i] * weight[i]);
        explain(&|i| q[i] * s[i] * weight[i]);
        explain(&|i| s[i] * weight[i]);
        // Caches and clocks bend real curves in ways that the model does not know: a polynomial in the relative time,
        // so that a bend is not taken for two teeth.
        for power in 1..=4 {
            explain(&|i| (2.0 * (q[i] - q[0]) / width - 1.0).powi(power));
        }
        let residual = smooth.remainder(vec![1.0; q.len()]);
        Some(Self {
            samples: sorted.iter().map(|sample| **sample).collect(),
            q,
            s,
            weight,
            smooth,
            residual,
            step,
            width,
        })
    }

    fn last(&self) -> f64 {
        self.q[self.q.len() - 1]
    }

    /// The lowest and the highest frequency that the sweep can show.
    fn frequencies(&self) -> (f64, f64) {
        (LEAST_PERIODS / self.width, 1.0 / (LEAST_SAMPLES_IN_PERIOD * self.step))
    }

    /// The frequencies of the highest peaks, and those of which they might be harmonics.
    fn candidates(&self) -> Vec<f64> {
        let (low, high) = self.frequencies();
        if low > high {
            // Too few samples, or too few rounds: a small product has few workgroups.
            return Vec::new();
        }
        let spacing = 1.0 / (8.0 * self.width);
        let peaks = spectrum::peaks(&self.q, &self.residual, (low, high), spacing);
        let mut found: Vec<f64> = Vec::new();
        for frequency in peaks.into_iter().take(PEAKS) {
            // The smooth curve can swallow the fundamental of a short sweep, and leave its harmonics.
            for harmonic in [1.0, 2.0, 3.0, 0.5] {
                let fundamental = (frequency / harmonic).clamp(low, high);
                if found.iter().all(|known| (known - fundamental).abs() > 0.3 / self.width) {
                    found.push(fundamental);
                }
            }
        }
        found
    }

    /// What the smooth curve leaves of ⌈q/β⌉ and s⌈q/β⌉.
    fn terms(&self, period: f64) -> [Vec<f64>; 2] {
        let rounds = self
            .q
            .iter()
            .zip(&self.weight)
            .map(|(q, weight)| (q / period).ceil() * weight);
        let rounds: Vec<f64> = rounds.collect();
        let streamed = rounds.iter().zip(&self.s).map(|(rounds, s)| rounds * s).collect();
        [rounds, streamed].map(|term| self.smooth.remainder(term))
    }

    /// The least squares of o₁⌈q/β⌉ + α₁s⌈q/β⌉ beside the smooth curve, with o₁, α₁ ≥ 0.
    fn teeth(&self, period: f64) -> Teeth {
        let terms = self.terms(period);
        let length = terms.each_ref().map(|term| dot(term, term));
        let along = terms.each_ref().map(|term| dot(term, &self.residual));
        let across = dot(&terms[0], &terms[1]);
        let whole = dot(&self.residual, &self.residual);
        let mut best = Teeth {
            cost: [0.0; 2],
            rest: whole,
        };
        let mut offer = |cost: [f64; 2]| {
            let gain = 2.0 * dot(&cost, &along)
                - cost[0] * cost[0] * length[0]
                - 2.0 * cost[0] * cost[1] * across
                - cost[1] * cost[1] * length[1];
            if cost.iter().all(|cost| *cost >= 0.0) && whole - gain < best.rest {
                best = Teeth {
                    cost,
                    rest: whole - gain,
                };
            }
        };
        offer([along[0] / length[0].max(f64::MIN_POSITIVE), 0.0]);
        offer([0.0, along[1] / length[1].max(f64::MIN_POSITIVE)]);
        let determinant = length[0] * length[1] - across * across;
        if determinant > 1e-9 * length[0] * length[1] {
            offer([
                (along[0] * length[1] - along[1] * across) / determinant,
                (along[1] * length[0] - along[0] * across) / determinant,
            ]);
        }
        best.rest = best.rest.max(0.0);
        best
    }

    /// The sum of squares that one free cliff leaves.
    fn cliff(&self) -> f64 {
        let whole = dot(&self.residual, &self.residual);
        let left = |at: &f64| {
            let step = self.q.iter().map(|q| f64::from(u8::from(q > at))).collect();
            let term = self.smooth.remainder(step);
            let along = dot(&term, &self.residual);
            whole - along * along / dot(&term, &term).max(1e-9)
        };
        // With fewer samples on one side it is no cliff, but an outlier.
        let inner = &self.q[2..self.q.len() - 3];
        inner.iter().map(left).fold(whole, f64::min)
    }

    fn judge(&self, period: f64, teeth: &Teeth) -> Option<Saw> {
        let whole = dot(&self.residual, &self.residual);
        let n = self.q.len();
        let amplitude = (teeth.cost[0] + teeth.cost[1] * self.s[n / 2]) * self.weight[n / 2];
        let explained = 1.0 - teeth.rest / whole.max(f64::MIN_POSITIVE);
        if !(amplitude >= LEAST_AMPLITUDE && explained >= LEAST_EXPLAINED) {
            return None;
        }
        if !(teeth.rest <= (1.0 - LEAST_BEYOND_CLIFF) * self.cliff()) {
            return None;
        }
        // The tail of F with 2 and ν degrees of freedom is (rest/whole)^(ν/2) (Zechmeister and Kürster 2009, table 1).
        // Times the number of ways in which periods can cut the samples into rounds, since the best was taken.
        let freedom = n.checked_sub(self.smooth.len() + 3)? as f64;
        let (low, high) = self.frequencies();
        let trials = n as f64 * (self.last() * (high - low)).max(1.0);
        let false_alarm = trials.ln() + freedom / 2.0 * (teeth.rest / whole).ln();
        let interval = self.interval(period);
        let period = roundest(interval);
        (false_alarm <= FALSE_ALARM).then_some(Saw {
            period,
            interval,
            amplitude,
            explained,
            false_alarm,
        })
    }

    /// ⌈q/β⌉ = k as long as q/k ≤ β < q/(k − 1).
    fn interval(&self, period: f64) -> (f64, f64) {
        let mut interval = (0.0_f64, f64::INFINITY);
        for q in &self.q {
            let rounds = (q / period).ceil();
            if rounds >= 1.0 {
                interval.0 = interval.0.max(q / rounds);
            }
            if rounds > 1.0 {
                interval.1 = interval.1.min(q / (rounds - 1.0));
            }
        }
        // q/k rounds to a neighbour of the period that it came from.
        (interval.0.min(period), interval.1.max(period))
    }
}

/// Of an interval the number with the most factors of two, of which hardware is made, then that nearest the middle.
/// Where the samples leave much open, the middle: there, round numbers are far from the truth.
fn roundest((low, high): (f64, f64)) -> f64 {
    let middle = f64::midpoint(low, high);
    if !(high - low <= 0.02 * middle) {
        return middle;
    }
    let mut powers = (-20..=50).rev().map(|power| 2.0_f64.powi(power));
    let found = powers.find_map(|unit| {
        let nearest = (middle / unit).round() * unit;
        (nearest >= low && nearest < high && nearest > 0.0).then_some(nearest)
    });
    found.unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Extents;
    use crate::tuning::synthetic::Random;

    /// `count` samples at uniform steps from `first`, with s = q.
    fn sweep(first: u64, step: u64, count: u64, mut seconds: impl FnMut(f64) -> f64) -> Vec<Sample> {
        let sample = |n: u64| Sample {
            extents: Extents {
                quantised: n,
                streaming: n,
            },
            seconds: seconds(n as f64),
        };
        (0..count).map(|i| first + i * step).map(sample).collect()
    }

    /// A saw over a smooth part that costs as much.
    fn saw(period: f64, n: f64) -> f64 {
        4e-6 + 1e-11 * n * n + 1e-11 * n * period * (n / period).ceil()
    }

    #[test]
    fn a_known_period_is_found_within_two_per_cent() {
        for period in [640.0, 1280.0, 1000.0, 937.3, 2240.0, 2816.0] {
            let mut missed = Vec::new();
            for seed in 0..100 {
                let mut random = Random::new(seed);
                let samples = sweep(1024, 64, 110, |n| saw(period, n) * random.factor(0.01, 0.04));
                let found = find_period(&samples);
                if !found.is_some_and(|found| (found.period / period - 1.0).abs() <= 0.02) {
                    missed.push((seed, found));
                }
            }
            assert!(
                missed.len() <= 1,
                "{period}: {} missed, {:?}",
                missed.len(),
                missed.first()
            );
        }
    }

    #[test]
    fn a_round_period_without_noise_is_found_exactly() {
        for period in [640.0, 1280.0, 960.0] {
            let found = find_period(&sweep(1024, 64, 110, |n| saw(period, n)));
            assert_eq!(found.map(|found| found.period), Some(period));
        }
    }

    #[test]
    fn a_sweep_of_two_periods_is_enough() {
        for (outliers, tolerated) in [(0.0, 0), (0.02, 4)] {
            let found = (0..100).map(|seed| {
                let mut random = Random::new(seed);
                let samples = sweep(2048, 128, 48, |n| saw(2700.0, n) * random.factor(0.005, outliers));
                find_period(&samples).map(|found| found.period)
            });
            // Before the first of two edges, an outlier is as good as a tooth.
            let missed = found.filter(|found| !found.is_some_and(|found| (found / 2700.0 - 1.0).abs() <= 0.02));
            let missed: Vec<Option<f64>> = missed.collect();
            assert!(missed.len() <= tolerated, "{outliers}: {missed:?}");
        }
    }

    #[test]
    fn steps_need_not_be_uniform() {
        // Workgroups of a matrix product: tiles of 64, and 528 of them at once.
        let tiles = |n: u64| n.div_ceil(64).pow(2);
        let samples: Vec<Sample> = (8..=64)
            .map(|k| Sample {
                extents: Extents {
                    quantised: tiles(64 * k),
                    streaming: 64 * k,
                },
                seconds: 5e-6 + 1e-9 * 64.0 * k as f64 * (tiles(64 * k) as f64 / 528.0).ceil(),
            })
            .collect();
        let found = find_period(&samples).expect("a saw");
        assert!((found.period / 528.0 - 1.0).abs() <= 0.02, "{found:?}");
    }

    #[test]
    fn noise_has_no_period() {
        for (sigma, outliers) in [(0.01, 0.0), (0.05, 0.0), (0.02, 0.05), (0.1, 0.1)] {
            let mut alarms = Vec::new();
            for seed in 0..200 {
                let mut random = Random::new(seed);
                let samples = sweep(1024, 64, 16 + seed % 60, |n| {
                    (4e-6 + 2e-11 * n * n) * random.factor(sigma, outliers)
                });
                alarms.extend(find_period(&samples));
            }
            assert!(
                alarms.len() <= 2,
                "{sigma}, {outliers}: {} of 200, {:?}",
                alarms.len(),
                alarms[0]
            );
        }
    }

    #[test]
    fn smooth_curves_have_no_period() {
        type Curve = fn(f64) -> f64;
        let curves: [(&str, Curve); 7] = [
            ("quadratic", |n| 4e-6 + 3e-9 * n + 2e-11 * n * n),
            ("a power", |n| 1e-6 + 1e-11 * n.powf(2.4)),
            ("a logarithm", |n| 1e-6 * n.ln()),
            ("constant", |_| 1e-5),
            ("a cache that fills", |n| {
                2e-11 * n * n * (1.0 + 0.5 / (1.0 + (-(n - 4000.0) / 400.0).exp()))
            }),
            ("a cliff", |n| 2e-11 * n * n * if n > 4000.0 { 1.5 } else { 1.0 }),
            ("two cliffs", |n| {
                2e-11
                    * n
                    * n
                    * if n > 6100.0 {
                        2.0
                    } else if n > 2000.0 {
                        1.5
                    } else {
                        1.0
                    }
            }),
        ];
        for (name, curve) in curves {
            for (step, count) in [(64, 110), (128, 55), (256, 28)] {
                for seed in 0..10 {
                    let mut random = Random::new(seed);
                    let sigma = [0.0, 0.002, 0.01][usize::try_from(seed % 3).expect("small")];
                    let samples = sweep(1024, step, count, |n| curve(n) * random.factor(sigma, 0.0));
                    let found = find_period(&samples);
                    assert_eq!(found, None, "{name}, {count} samples, noise {sigma}");
                }
            }
        }
    }

    #[test]
    fn too_little_is_nothing() {
        assert_eq!(find_period(&[]), None);
        assert_eq!(find_period(&sweep(64, 64, 15, |n| saw(200.0, n))), None);
        assert_eq!(find_period(&sweep(64, 0, 40, |n| saw(200.0, n))), None);
        assert_eq!(find_period(&sweep(64, 64, 40, |_| f64::NAN)), None);
        assert_eq!(find_period(&sweep(64, 64, 40, |_| 0.0)), None);
    }

    #[test]
    fn samples_that_are_no_sweep_do_not_last() {
        let far = sweep(100_000_000_000_000_000, 16, 20, |n| 1e-6 * (1.0 + n / 16.0 % 5.0));
        let ends = sweep(u64::MAX - 40_000_000, 1_000_000, 40, |n| {
            1e-6 * (1.0 + n / 2048.0 % 5.0)
        });
        let mut doubled = sweep(0, 1, 40, |n| 1e-6 * (1.0 + n % 5.0));
        for (power, sample) in doubled.iter_mut().enumerate() {
            sample.extents.quantised = 1 << power;
        }
        for samples in [far, ends, doubled] {
            let began = std::time::Instant::now();
            let found = find_period(&samples);
            assert!(began.elapsed().as_secs() < 5, "{found:?}");
        }
    }
}
