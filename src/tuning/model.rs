//! What a call costs: Imamura's model with one long period over a smooth part (2011, equation 7), for q and s that need
//! not be the same N.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::{Extents, nnls};

/// T(q, s) = o + aq + bqs + (o₁ + α₁s)⌈q/β⌉ in seconds; without a period, ⌈q/β⌉ is 1.
///
/// With q = s = N it is the paper's P = 2N² / (o + aN + bN² + (o₁ + α₁N)⌈N/β₁⌉).
///
/// ```
/// use nonius::tuning::{Extents, Model};
/// let model = Model { start: 1.0, round_term: 0.5, period: Some(640.0), ..Model::default() };
/// assert_eq!(model.predict(Extents { quantised: 640, streaming: 8 }), 5.0);
/// assert_eq!(model.predict(Extents { quantised: 641, streaming: 8 }), 9.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// o: what every call costs.
    pub start: f64,
    /// a: a unit of q.
    pub unit: f64,
    /// b: a unit of q for a unit of s.
    pub term: f64,
    /// o₁: a round.
    pub round: f64,
    /// α₁: a round for a unit of s.
    pub round_term: f64,
    /// β: the units of q in a round.
    pub period: Option<f64>,
}

/// A measured time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// What was called.
    pub extents: Extents,
    /// What it took.
    pub seconds: f64,
}

/// How far a model is from samples: |T − t| / t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// The largest.
    pub largest: f64,
    /// The root of the mean square.
    pub rms: f64,
}

/// Coefficients beyond these are damage, not a device: no unit of work takes a day.
const ABSURD_SECONDS: f64 = 86_400.0;
/// Nor does a round hold more than this.
const ABSURD_PERIOD: f64 = 1e15;

/// A failed or absurd measurement is no sample.
fn usable(sample: &&Sample) -> bool {
    sample.seconds.is_finite() && sample.seconds > 0.0
}

impl Model {
    /// The modelled time in seconds.
    #[must_use]
    pub fn predict(&self, extents: Extents) -> f64 {
        let (q, s) = (extents.quantised as f64, extents.streaming as f64);
        let rounds = self.period.map_or(1.0, |period| (q / period).ceil());
        self.start + self.unit * q + self.term * q * s + (self.round + self.round_term * s) * rounds
    }

    /// The coefficients ≥ 0 that minimise Σ ((T(qᵢ, sᵢ) − tᵢ) / tᵢ)²; none without samples of positive time.
    ///
    /// Where samples cannot tell terms apart (one s for all of them, or crests only), what is left out is zero.
    ///
    /// # Cost
    /// A few singular value decompositions of a matrix of five columns and a row for each sample.
    #[must_use]
    pub fn fit(samples: &[Sample], period: Option<f64>) -> Option<Self> {
        let samples: Vec<&Sample> = samples.iter().filter(usable).collect();
        if samples.is_empty() {
            return None;
        }
        let columns = 5;
        let terms = DMatrix::from_fn(samples.len(), columns, |row, column| {
            let unit = |index: usize| f64::from(u8::from(index == column));
            let only = Self {
                start: unit(0),
                unit: unit(1),
                term: unit(2),
                // Without a period a round is a call, and its cost that of the start.
                round: if period.is_some() { unit(3) } else { 0.0 },
                round_term: unit(4),
                period,
            };
            only.predict(samples[row].extents) / samples[row].seconds
        });
        let found = nnls::solve(&terms, &DVector::repeat(samples.len(), 1.0));
        let model = Self {
            start: found[0],
            unit: found[1],
            term: found[2],
            round: found[3],
            round_term: found[4],
            period,
        };
        model.check().is_ok().then_some(model)
    }

    /// How far this model is from samples of positive, finite time, which are those that [`fit`](Self::fit) sees; zero without any.
    #[must_use]
    pub fn deviation(&self, samples: &[Sample]) -> Deviation {
        let errors = samples
            .iter()
            .filter(usable)
            .map(|sample| (self.predict(sample.extents) / sample.seconds - 1.0).abs());
        let (count, largest, squares) = errors.fold((0_u32, 0.0_f64, 0.0), |(count, largest, squares), error| {
            (count + 1, largest.max(error), squares + error * error)
        });
        Deviation {
            largest,
            rms: (squares / f64::from(count.max(1))).sqrt(),
        }
    }

    /// What no search would have written.
    pub(super) fn check(&self) -> Result<(), String> {
        let coefficients = [
            ("start", self.start),
            ("unit", self.unit),
            ("term", self.term),
            ("round", self.round),
            ("round_term", self.round_term),
        ];
        let absurd = coefficients
            .iter()
            .find(|(_, value)| !(0.0..=ABSURD_SECONDS).contains(value));
        if let Some((name, value)) = absurd {
            return Err(format!("{name} is {value:e} s, expected 0 to {ABSURD_SECONDS:e}"));
        }
        if coefficients.iter().all(|(_, value)| *value == 0.0) {
            return Err("every coefficient is zero".to_owned());
        }
        match self.period {
            Some(period) if !(1.0..=ABSURD_PERIOD).contains(&period) => {
                Err(format!("period is {period:e}, expected 1 to {ABSURD_PERIOD:e}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::Random;

    fn samples(model: &Model, shapes: impl Iterator<Item = (u64, u64)>) -> Vec<Sample> {
        let sample = |(quantised, streaming)| {
            let extents = Extents { quantised, streaming };
            Sample {
                extents,
                seconds: model.predict(extents),
            }
        };
        shapes.map(sample).collect()
    }

    fn grid() -> impl Iterator<Item = (u64, u64)> {
        (1..40).flat_map(|k| [(k * 137, 1024), (k * 137, 5000), (k * 137, k * 137)])
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-6 * expected.abs() + 1e-18
    }

    #[test]
    fn known_coefficients_are_found() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            // Every third coefficient is zero.
            let mut coefficient = |scale: f64| scale * (random.uniform() * 1.5 - 0.5).max(0.0);
            let truth = Model {
                start: 1e-6 + coefficient(1e-5),
                unit: coefficient(1e-8),
                term: coefficient(1e-11),
                round: coefficient(1e-5),
                round_term: coefficient(1e-8),
                period: Some(640.0),
            };
            let found = Model::fit(&samples(&truth, grid()), truth.period).expect("samples");
            assert!(close(found.start, truth.start), "{found:?} {truth:?}");
            assert!(close(found.unit, truth.unit), "{found:?} {truth:?}");
            assert!(close(found.term, truth.term), "{found:?} {truth:?}");
            assert!(close(found.round, truth.round), "{found:?} {truth:?}");
            assert!(close(found.round_term, truth.round_term), "{found:?} {truth:?}");
        }
    }

    #[test]
    fn one_streaming_extent_for_all_is_no_obstacle() {
        let truth = Model {
            start: 1e-6,
            term: 1e-11,
            round_term: 1e-8,
            period: Some(500.5),
            ..Model::default()
        };
        for period in [Some(500.5), None] {
            let samples = samples(&truth, (1..60).map(|k| (k * 100, 2048)));
            let found = Model::fit(&samples, period).expect("samples");
            let deviation = found.deviation(&samples);
            assert!(
                deviation.rms <= if period.is_some() { 1e-9 } else { 0.2 },
                "{deviation:?}"
            );
            assert!(deviation.largest >= deviation.rms);
        }
    }

    #[test]
    fn the_error_is_relative() {
        // One sample a thousand times as long as the others must not be the only one that is met.
        let truth = |n: u64| 1e-6 + 1e-12 * (n as f64).powf(2.2);
        let samples: Vec<Sample> = [10, 100, 1000, 10_000, 100_000]
            .map(|n| Sample {
                extents: Extents {
                    quantised: n,
                    streaming: n,
                },
                seconds: truth(n),
            })
            .to_vec();
        let found = Model::fit(&samples, None).expect("samples");
        let small = found.deviation(&samples[..3]);
        assert!(small.largest < 0.5, "{small:?} {found:?}");
    }

    #[test]
    fn what_is_no_time_is_no_deviation() {
        let model = Model {
            start: 2.0,
            ..Model::default()
        };
        let extents = Extents {
            quantised: 1,
            streaming: 1,
        };
        let of = |seconds: &[f64]| {
            let sample = |seconds: &f64| Sample {
                extents,
                seconds: *seconds,
            };
            model.deviation(&seconds.iter().map(sample).collect::<Vec<_>>())
        };
        let expected = of(&[1.0, 2.0]);
        assert_eq!((expected.largest, expected.rms), (1.0, 0.5_f64.sqrt()));
        assert_eq!(of(&[f64::NAN, 1.0, 0.0, -1.0, 2.0, f64::INFINITY]), expected);
        let none = Deviation { largest: 0.0, rms: 0.0 };
        assert_eq!((of(&[]), of(&[f64::NAN])), (none, none));
    }

    #[test]
    fn nothing_to_fit_is_none() {
        assert_eq!(Model::fit(&[], None), None);
        let extents = Extents {
            quantised: 1,
            streaming: 1,
        };
        let samples = [f64::NAN, 0.0, -1.0].map(|seconds| Sample { extents, seconds });
        assert_eq!(Model::fit(&samples, None), None);
    }
}
