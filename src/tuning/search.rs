//! The search: Imamura (2011, section 3.2.4) without a person, for one operation in one precision.
//!
//! In each regime: every variant Λ is timed at the sampling sizes X, and gets points by rank (steps 1 to 5). The best
//! M, and whatever a size would miss, are timed afresh; the first line is swept for the period of their saws; each
//! gets the cost model that its times ask for (step 6, `fit`). The model then chooses for any size (step 7,
//! [`super::Tuning::choose`]).
//!
//! The sizes of a sweep are multiples of a power of two. A few that are not are looked at beside them, and what loses there
//! is not chosen.
//!
//! What comes out is never slower than the default where that was measured: see `selection::selected`.

use super::entry::{Candidate, Choice, Entry};
use super::model::{Model, Sample};
use super::plan::{Effort, Plan};
use super::selection::{LEAST_GAIN, Measured, Times, doubtful, least, places, selected, winners};
use super::timing::{Repetition, measure};
use super::{Extents, Regime, Shape, Tunable, Variant, rank};
use crate::device::Adapter;
use crate::device::precision::Precision;
use crate::error::Result;
use crate::observer::{Observer, tell};

/// One sample of a variant at a shape, in seconds.
pub type Measure<'a> = dyn FnMut(&Variant, Shape) -> Result<f64> + 'a;

/// How many times as many samples the best are given as the others before them.
const DUEL: usize = 3;
/// How often sizes are measured again that alone keep a set from being chosen.
const AGAIN: usize = 2;

/// Searches regimes of a tunable: all of its own, or those of their sizes that a device can measure. The entry says
/// nothing of others.
///
/// `measure` takes one sample in seconds, and the observer hears of every size. A variant that cannot run is passed
/// over, unless the device is lost or the search cancelled; the default must run.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) by the observer; what `measure` reports of the default or the
/// device.
///
/// # Cost
/// For each regime: variants times sampling sizes, then candidates times sizes of the sweep and those beside it, each a few
/// samples.
pub fn search(
    tunable: &Tunable,
    adapter: &Adapter,
    precision: Precision,
    regimes: &[Regime<'_>],
    effort: &Effort,
    measure: &mut Measure<'_>,
    observer: &mut dyn Observer,
) -> Result<Entry> {
    let steps = regimes.iter().map(|regime| Plan::new(regime, effort).steps());
    let mut search = Search {
        tunable,
        adapter,
        precision,
        effort,
        measure,
        observer,
        done: 0,
        total: steps.sum(),
    };
    let choices = regimes.iter().map(|regime| search.regime(regime));
    Ok(Entry::new(
        tunable,
        adapter.kind,
        precision,
        choices.collect::<Result<_>>()?,
    ))
}

pub(super) struct Search<'a> {
    tunable: &'a Tunable,
    adapter: &'a Adapter,
    precision: Precision,
    pub(super) effort: &'a Effort,
    measure: &'a mut Measure<'a>,
    observer: &'a mut dyn Observer,
    done: usize,
    total: usize,
}

impl Search<'_> {
    fn regime(&mut self, regime: &Regime<'_>) -> Result<Choice> {
        let end = self.done + Plan::new(regime, self.effort).steps();
        let candidates = self.candidates(regime)?;
        // Regimes that keep their default skip steps.
        self.done = end - 1;
        self.advance()?;
        Ok(Choice {
            regime: regime.name.to_owned(),
            candidates,
        })
    }

    fn candidates(&mut self, regime: &Regime<'_>) -> Result<Vec<Candidate>> {
        let plan = Plan::new(regime, self.effort);
        let Some(line) = regime.lines.first().filter(|_| !plan.sampling.is_empty()) else {
            return Ok(Vec::new());
        };
        let [sweep, checks] =
            [&plan.sweep, &plan.checks].map(|sizes| -> Vec<Shape> { sizes.iter().map(|n| (line.shape)(*n)).collect() });
        // What is chosen is held against the default of every size, and that may be another in the sweep.
        let everywhere = plan.sampling.iter().chain(&sweep).chain(&checks);
        let defaults: Vec<Variant> = everywhere.map(|shape| self.default(*shape)).collect();
        let variants = self.variants(&plan, &defaults)?;
        let brief = self.effort.repetition;
        let times = self.times(&variants, &plan.sampling, &brief, true)?;
        let winners = winners(&times, &places(&defaults, &variants), self.effort.winners);
        let winners: Vec<Variant> = winners.into_iter().map(|k| variants[k].clone()).collect();
        let default = places(&defaults, &winners);

        // Of many times the least is too small by luck; so once more, and nobody leaves early. These are few, and who is
        // the fastest of them is what another search should find again.
        let thorough = Repetition {
            hopeless: f64::INFINITY,
            ..brief
        };
        let duel = Repetition {
            least: DUEL * brief.least,
            most: DUEL * brief.most,
            ..thorough
        };
        let times = self.times(&winners, &plan.sampling, &duel, true)?;
        let gain = |(row, default): (&Vec<Option<f64>>, &usize)| row[*default].map_or(1.0, |time| time / least(row));
        if !(times.iter().zip(&default).map(gain).fold(1.0, f64::max) >= LEAST_GAIN) {
            return Ok(Vec::new());
        }
        let swept = self.times(&winners, &sweep, &thorough, true)?;
        let checked = self.times(&winners, &checks, &thorough, true)?;
        let mut fitted = Vec::new();
        for (index, variant) in winners.iter().enumerate() {
            let sampling = self.samples(variant, &plan.sampling, &times, index);
            let swept = self.samples(variant, &sweep, &swept, index);
            fitted.push(self.fit(variant, line, &sampling, &swept)?);
        }
        let shapes = [plan.sampling, sweep, checks].concat();
        let mut times = [times, swept, checked].concat();
        let mut measured = self.measured(&winners, &fitted, &shapes, &times);
        for _ in 0..AGAIN {
            let doubtful = doubtful(winners.len(), &measured);
            for &at in &doubtful {
                let again = self.times(&winners, &shapes[at..=at], &duel, false)?;
                for (known, again) in times[at].iter_mut().zip(again.into_iter().flatten()) {
                    *known = known.zip(again).map(|(known, again)| known.min(again));
                }
            }
            if doubtful.is_empty() {
                break;
            }
            measured = self.measured(&winners, &fitted, &shapes, &times);
        }
        let chosen = selected(winners.len(), &measured);
        let candidate = |k: usize| Some(Candidate::new(&winners[k], fitted[k]?.0, fitted[k]?.1));
        Ok(chosen.into_iter().filter_map(candidate).collect())
    }

    fn default(&self, shape: Shape) -> Variant {
        (self.tunable.default)(self.adapter, self.precision, shape)
    }

    /// What candidates took at shapes beside what their models say.
    fn measured(
        &self,
        variants: &[Variant],
        fitted: &[Option<(Model, f64)>],
        shapes: &[Shape],
        times: &Times,
    ) -> Vec<Measured> {
        let defaults: Vec<Variant> = shapes.iter().map(|shape| self.default(*shape)).collect();
        let rows = shapes.iter().zip(times).zip(places(&defaults, variants));
        let measured = rows.map(|((shape, row), default)| {
            let modelled = |(variant, fitted): (&Variant, &Option<(Model, f64)>)| {
                fitted.map_or(f64::INFINITY, |(model, _)| model.predict(self.extents(variant, *shape)))
            };
            Measured::new(row, variants.iter().zip(fitted).map(modelled).collect(), default)
        });
        measured.collect()
    }

    pub(super) fn extents(&self, variant: &Variant, shape: Shape) -> Extents {
        (self.tunable.extents)(variant, self.precision, shape)
    }

    /// Λ with the defaults; where there are too many, those that are fastest at the size in the middle.
    fn variants(&mut self, plan: &Plan, defaults: &[Variant]) -> Result<Vec<Variant>> {
        let mut variants = self.tunable.variants(self.adapter, self.precision);
        for default in defaults {
            if !variants.contains(default) {
                variants.push(default.clone());
            }
        }
        if variants.len() <= self.effort.variants {
            return Ok(variants);
        }
        let middle = plan.sampling[plan.sampling.len() / 2];
        let glance = Repetition {
            most: self.effort.repetition.least,
            ..self.effort.repetition
        };
        let times = self.times(&variants, &[middle], &glance, false)?;
        let mut kept = rank::order(&times);
        kept.truncate(self.effort.variants);
        let chosen = |(k, variant): &(usize, Variant)| kept.contains(k) || defaults.contains(variant);
        Ok((0..).zip(variants).filter(chosen).map(|(_, variant)| variant).collect())
    }

    fn advance(&mut self) -> Result<()> {
        self.done += 1;
        tell(self.observer, self.tunable.name, self.done, self.total)
    }

    /// The median times of variants at shapes, interleaved at each. A default that cannot run is an error.
    pub(super) fn times(
        &mut self,
        variants: &[Variant],
        shapes: &[Shape],
        repetition: &Repetition,
        counted: bool,
    ) -> Result<Times> {
        let mut times = Vec::new();
        for shape in shapes {
            let default = self.default(*shape);
            let sample = &mut |index: usize| (self.measure)(&variants[index], *shape);
            let mut row = Vec::new();
            for (variant, timing) in variants.iter().zip(measure(variants.len(), repetition, sample)?) {
                match timing {
                    Ok(timing) => row.push(Some(timing.median)),
                    Err(error) if *variant == default => return Err(error),
                    Err(error) => {
                        log::warn!("{variant} is passed over: {error}");
                        row.push(None);
                    }
                }
            }
            times.push(row);
            if counted {
                self.advance()?;
            }
        }
        Ok(times)
    }

    pub(super) fn samples(&self, variant: &Variant, shapes: &[Shape], times: &Times, index: usize) -> Vec<Sample> {
        let sample = |(shape, row): (&Shape, &Vec<Option<f64>>)| {
            Some(Sample {
                extents: self.extents(variant, *shape),
                seconds: row[index]?,
            })
        };
        shapes.iter().zip(times).filter_map(sample).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::error::Error;
    use crate::tuning::Line;
    use crate::tuning::synthetic::{PRECISION, TUNABLE, adapter, noisy, seconds};

    #[test]
    fn the_default_stays_where_nothing_is_faster() {
        let default = TUNABLE.families[0].variant(&[128, 1]);
        for (gain, kept) in [(1.0, true), (1.01, true), (1.10, false)] {
            let mut measure = |variant: &Variant, shape: Shape| {
                let time = 1e-5 + 1e-11 * (shape.rows * shape.depth) as f64;
                Ok(if *variant == default { gain * time } else { time })
            };
            let entry = search(
                &TUNABLE,
                &adapter(),
                PRECISION,
                TUNABLE.regimes,
                &Effort::default(),
                &mut measure,
                &mut (),
            );
            let entry = entry.expect("it runs");
            assert_eq!(
                entry.regimes.iter().all(|choice| choice.candidates.is_empty()),
                kept,
                "{gain}"
            );
        }
    }

    /// As blocks that are as narrow as a line of a cache are.
    #[test]
    fn what_is_faster_at_multiples_only_is_not_chosen() {
        let narrow = TUNABLE.families[0].variant(&[256, 1]);
        let default = TUNABLE.families[0].variant(&[128, 1]);
        // Of sizes that are multiples all.
        let lines = [Line {
            sizes: &[1024, 2560, 4096, 5632, 8192],
            ..TUNABLE.regimes[0].lines[0]
        }];
        let regime = Regime {
            lines: &lines,
            ..TUNABLE.regimes[0]
        };
        for (elsewhere, kept) in [(1.1, true), (0.9, false)] {
            let mut measure = |variant: &Variant, shape: Shape| {
                let time = 1e-5 + 1e-11 * (shape.rows * shape.depth) as f64;
                let factor = match shape.rows % 32 {
                    0 => 0.9,
                    _ => elsewhere,
                };
                Ok(if *variant == narrow {
                    factor * time
                } else if *variant == default {
                    time
                } else {
                    2.0 * time
                })
            };
            let entry = search(
                &TUNABLE,
                &adapter(),
                PRECISION,
                std::slice::from_ref(&regime),
                &Effort::default(),
                &mut measure,
                &mut (),
            );
            let entry = entry.expect("it runs");
            assert_eq!(entry.regimes[0].candidates.is_empty(), kept, "{elsewhere}");
        }
    }

    /// Twice as long for a moment: the median of a size's samples, and no more.
    #[test]
    fn a_moment_of_other_work_refuses_nothing() {
        let fast = TUNABLE.families[0].variant(&[256, 1]);
        let mut disturbed = 0;
        let mut measure = |variant: &Variant, shape: Shape| {
            let time = 1e-5 + 1e-11 * (shape.rows * shape.depth) as f64;
            if *variant != fast {
                return Ok(time);
            }
            let in_a_sweep = shape.rows == 4096 + 128 && disturbed < 10;
            disturbed += usize::from(in_a_sweep);
            Ok(0.7 * time * if in_a_sweep { 2.0 } else { 1.0 })
        };
        let entry = search(
            &TUNABLE,
            &adapter(),
            PRECISION,
            &TUNABLE.regimes[..1],
            &Effort::default(),
            &mut measure,
            &mut (),
        );
        let entry = entry.expect("it runs");
        assert_eq!(disturbed, 10);
        assert!(
            entry.regimes[0]
                .candidates
                .iter()
                .any(|candidate| candidate.constants["WORKGROUP"] == 256),
            "{entry:?}"
        );
    }

    #[test]
    fn what_cannot_run_is_passed_over_unless_it_is_the_default() {
        let refused = || Error::Refused {
            what: "a kernel".to_owned(),
            device: "test".to_owned(),
            reason: "no".to_owned(),
        };
        let run = |broken: u32| {
            let mut measure = |variant: &Variant, shape| {
                let broken = variant.value("WORKGROUP") == broken;
                if broken {
                    Err(refused())
                } else {
                    Ok(seconds(3, variant, shape))
                }
            };
            search(
                &TUNABLE,
                &adapter(),
                PRECISION,
                TUNABLE.regimes,
                &Effort::quick(),
                &mut measure,
                &mut (),
            )
        };
        let entry = run(64).expect("the others run");
        let candidates = entry.regimes.iter().flat_map(|choice| &choice.candidates);
        assert!(candidates.clone().count() > 0 && candidates.clone().all(|c| c.constants["WORKGROUP"] != 64));
        assert_eq!(run(128), Err(refused()));
    }

    struct Watch(Vec<(usize, usize)>, usize);

    impl Observer for Watch {
        fn progress(&mut self, _: &'static str, done: usize, total: usize) -> ControlFlow<()> {
            self.0.push((done, total));
            if self.0.len() >= self.1 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }

    #[test]
    fn the_observer_hears_every_step_and_may_cancel() {
        let run = |watch: &mut Watch| {
            search(
                &TUNABLE,
                &adapter(),
                PRECISION,
                TUNABLE.regimes,
                &Effort::quick(),
                &mut noisy(1, 0.0, 0.0),
                watch,
            )
        };
        let mut watch = Watch(Vec::new(), usize::MAX);
        assert!(run(&mut watch).is_ok());
        assert!(watch.0.windows(2).all(|pair| pair[0].0 < pair[1].0), "{:?}", watch.0);
        assert!(
            watch.0.last().is_some_and(|(done, total)| done == total),
            "{:?}",
            watch.0
        );
        for after in [1, 4, 10] {
            let cancelled = run(&mut Watch(Vec::new(), after));
            assert_eq!(cancelled, Err(Error::Cancelled { operation: "rows" }));
        }
    }
}
