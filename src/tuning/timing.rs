//! Times of candidates on a machine that does other things: interleaved, so that a clock that slows down slows all of
//! them; the hopeless leave early; the median, because what disturbs a time only ever lengthens it.

use std::time::Duration;

use web_time::Instant;

use crate::error::{Error, Result};

/// How often each candidate is timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repetition {
    /// Calls of each candidate that do not count: compilation, caches, clocks that must rise.
    pub warm_up: usize,
    /// And for so long, where the first round made the device wait, as compilers do: its clocks have fallen meanwhile. An
    /// H200 computed at a fifth of its speed for 0.3 s after kernels had been compiled for 3 s.
    pub wake: Duration,
    /// Samples before a candidate may be dropped.
    pub least: usize,
    /// Samples at most.
    pub most: usize,
    /// A candidate leaves when even its fastest sample is longer than this times the best median.
    pub hopeless: f64,
    /// After this, no further round begins; each candidate has a sample even so.
    pub budget: Duration,
}

/// The samples of one candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The median, in seconds.
    pub median: f64,
    /// The median absolute deviation from it.
    pub deviation: f64,
    /// The fastest.
    pub fastest: f64,
    /// How many there are.
    pub samples: usize,
    /// Whether it left early.
    pub dropped: bool,
}

/// No clock here resolves less; a time of zero would weigh infinitely.
const SHORTEST: f64 = 1e-9;
/// A median is settled when its deviation is below this share of it.
const SETTLED: f64 = 0.002;

/// A round that is longer than the next one by this was not spent on the device.
const STALL: Duration = Duration::from_millis(50);

/// Times candidates 0, 1, …, `count` − 1 in turns: A B C A B C. What cannot run is reported by its error, in its place.
///
/// # Errors
/// [`Error::Cancelled`] and [`Error::DeviceLost`] from `sample`, which end everything.
pub fn measure(
    count: usize,
    repetition: &Repetition,
    sample: &mut dyn FnMut(usize) -> Result<f64>,
) -> Result<Vec<Result<Timing>>> {
    let began = Instant::now();
    let mut runs: Vec<Run> = (0..count).map(|_| Run::default()).collect();
    let mut warm_up = repetition.warm_up;
    let (mut first, mut awake) = (Duration::ZERO, began);
    let mut rounds = 0..;
    while let Some(round) = rounds
        .next()
        .filter(|round| *round < warm_up.saturating_add(repetition.most.max(1)))
    {
        let mut warm = round < warm_up;
        let round_began = Instant::now();
        // One round in any case, warm-up or not, so that each has a sample.
        let late = round > 0 && began.elapsed() >= repetition.budget;
        if late && runs.iter().all(|run| run.error.is_some() || !run.samples.is_empty()) {
            break;
        }
        if warm && late {
            (warm, warm_up) = (false, round);
        }
        for (index, run) in runs.iter_mut().enumerate().filter(|(_, run)| run.runs()) {
            match sample(index) {
                Ok(seconds) if seconds.is_finite() && !warm => run.samples.push(seconds.max(SHORTEST)),
                Ok(seconds) if seconds.is_finite() => {}
                Ok(value) => {
                    run.error = Some(Error::NotFinite {
                        what: format!("the time of candidate {index}"),
                        value,
                    });
                }
                Err(error @ (Error::Cancelled { .. } | Error::DeviceLost { .. })) => return Err(error),
                Err(error) => run.error = Some(error),
            }
        }
        let took = round_began.elapsed();
        if round == 0 {
            (first, awake) = (took, Instant::now());
        }
        // The second round, which no longer compiles, tells whether the first was stalled.
        let stalled = if round == 0 {
            took >= STALL
        } else {
            first >= took + STALL
        };
        if warm && stalled && awake.elapsed() < repetition.wake {
            warm_up = warm_up.max(round + 2);
        }
        if !warm && round + 1 >= warm_up.saturating_add(repetition.least) {
            drop_hopeless(&mut runs, repetition.hopeless);
            if runs.iter().filter(|run| run.runs()).all(Run::settled) {
                break;
            }
        }
    }
    Ok(runs.into_iter().map(Run::finish).collect())
}

#[derive(Default)]
struct Run {
    samples: Vec<f64>,
    dropped: bool,
    error: Option<Error>,
}

/// The best never leaves: its fastest sample is at most its own median.
fn drop_hopeless(runs: &mut [Run], factor: f64) {
    let running = runs.iter().filter(|run| run.runs());
    let best = running.map(|run| median(&run.samples)).fold(f64::INFINITY, f64::min);
    for run in runs.iter_mut() {
        run.dropped |= run.fastest() > factor.max(1.0) * best;
    }
}

impl Run {
    fn runs(&self) -> bool {
        !self.dropped && self.error.is_none()
    }

    fn fastest(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn deviation(&self) -> f64 {
        let median = median(&self.samples);
        let apart: Vec<f64> = self.samples.iter().map(|sample| (sample - median).abs()).collect();
        self::median(&apart)
    }

    fn settled(&self) -> bool {
        self.samples.len() >= 5 && self.deviation() <= SETTLED * median(&self.samples)
    }

    fn finish(self) -> Result<Timing> {
        let timing = Timing {
            median: median(&self.samples),
            deviation: self.deviation(),
            fastest: self.fastest(),
            samples: self.samples.len(),
            dropped: self.dropped,
        };
        self.error.map_or(Ok(timing), Err)
    }
}

/// The lower of the two in the middle; infinite for none.
fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len().saturating_sub(1) / 2;
    sorted.get(middle).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::Random;

    const REPETITION: Repetition = Repetition {
        warm_up: 1,
        wake: Duration::from_millis(100),
        least: 3,
        most: 9,
        hopeless: 1.3,
        budget: Duration::from_secs(60),
    };

    #[test]
    fn candidates_take_turns() {
        let mut calls = Vec::new();
        let repetition = Repetition { most: 2, ..REPETITION };
        let timings = measure(3, &repetition, &mut |index| {
            calls.push(index);
            Ok(1.0)
        });
        assert_eq!(calls, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert!(timings.is_ok_and(|timings| timings.iter().flatten().all(|timing| timing.samples == 2)));
    }

    #[test]
    fn elimination_never_drops_the_best() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let truth: Vec<f64> = (0..12).map(|_| 1e-4 * (1.0 + random.uniform())).collect();
            let timings = measure(
                12,
                &REPETITION,
                &mut |index| Ok(truth[index] * random.factor(0.05, 0.1)),
            );
            let timings: Vec<Timing> = timings
                .expect("measured")
                .into_iter()
                .map(|timing| timing.expect("ran"))
                .collect();
            let best = (0..12).min_by(|a, b| truth[*a].total_cmp(&truth[*b])).expect("twelve");
            assert!(!timings[best].dropped, "seed {seed}");
            let hopeless = (0..12).filter(|k| truth[*k] > 1.7 * truth[best]);
            let kept = hopeless.filter(|k| !timings[*k].dropped).count();
            assert_eq!(kept, 0, "seed {seed}");
        }
    }

    #[test]
    fn the_first_calls_do_not_count_and_outliers_do_not_matter() {
        let mut calls = 0;
        let timings = measure(1, &REPETITION, &mut |_| {
            calls += 1;
            Ok(match calls {
                1 => 9.0,
                4 | 7 => 3.0,
                _ => f64::from(calls).mul_add(0.01, 1.0),
            })
        });
        let timing = timings.expect("measured").remove(0).expect("ran");
        assert!(
            (timing.median - 1.08).abs() < 1e-12 && timing.samples == 9,
            "{timing:?}"
        );
        assert!(timing.fastest == 1.02 && timing.deviation < 0.05, "{timing:?}");
    }

    /// A device that is slow for 60 ms after 80 ms of something else.
    #[test]
    fn clocks_that_have_fallen_may_rise_first() {
        let sleep = |milliseconds| std::thread::sleep(Duration::from_millis(milliseconds));
        let mut compiled = None;
        let timings = measure(1, &REPETITION, &mut |_| {
            let Some(compiled) = compiled else {
                sleep(80);
                compiled = Some(Instant::now());
                return Ok(1.0);
            };
            sleep(5);
            let risen = Instant::now().duration_since(compiled) > Duration::from_millis(60);
            Ok(if risen { 1.0 } else { 5.0 })
        });
        let timing = timings.expect("measured").remove(0).expect("ran");
        assert!(timing.median == 1.0 && timing.deviation == 0.0, "{timing:?}");
    }

    #[test]
    fn what_cannot_run_says_why_and_the_others_go_on() {
        let refused = || Error::Refused {
            what: "a kernel".to_owned(),
            device: "test".to_owned(),
            reason: "no".to_owned(),
        };
        let timings = measure(3, &REPETITION, &mut |index| match index {
            0 => Err(refused()),
            1 => Ok(f64::NAN),
            _ => Ok(0.0),
        });
        let timings = timings.expect("measured");
        assert_eq!(timings[0], Err(refused()));
        assert!(matches!(timings[1], Err(Error::NotFinite { .. })));
        assert!(timings[2].as_ref().is_ok_and(|timing| timing.median == SHORTEST));
    }

    #[test]
    fn cancelling_ends_it() {
        let cancelled = Error::Cancelled { operation: "test" };
        let timings = measure(2, &REPETITION, &mut |_| Err(cancelled.clone()));
        assert_eq!(timings, Err(cancelled));
    }

    #[test]
    fn a_spent_budget_leaves_a_sample_of_each() {
        let repetition = Repetition {
            budget: Duration::ZERO,
            most: 1000,
            ..REPETITION
        };
        let timings = measure(4, &repetition, &mut |_| Ok(1.0)).expect("measured");
        assert!(
            timings.iter().flatten().all(|timing| timing.samples == 1),
            "{timings:?}"
        );
    }

    #[test]
    fn a_number_without_bound_leaves_the_end_to_the_budget() {
        let budget = Duration::from_millis(20);
        let unbounded = [
            Repetition {
                most: usize::MAX,
                budget,
                ..REPETITION
            },
            Repetition {
                warm_up: usize::MAX,
                budget,
                ..REPETITION
            },
            Repetition {
                least: usize::MAX,
                most: 20,
                ..REPETITION
            },
        ];
        for repetition in unbounded {
            let mut calls = 0;
            let timings = measure(2, &repetition, &mut |index| {
                calls += 1;
                Ok(f64::from(calls % 7).mul_add(0.1, if index == 0 { 1.0 } else { 100.0 }))
            });
            for timing in timings.expect("measured") {
                let timing = timing.expect("ran");
                assert!(
                    timing.samples > 0 && timing.median.is_finite(),
                    "{timing:?} {repetition:?}"
                );
                assert!(repetition.least < usize::MAX || !timing.dropped, "{timing:?}");
            }
        }
    }
}
