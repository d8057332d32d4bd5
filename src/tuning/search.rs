//! The search: Imamura (2011, section 3.2.4) without a person, for one operation in one precision.
//!
//! In each regime: every variant Λ is timed at the sampling sizes X, and gets points by rank (steps 1 to 5). The best
//! M, and whatever a size would miss, are timed afresh; the first line is swept for the period of their saws; each
//! gets the cost model that its times ask for (step 6). The model then chooses for any size (step 7,
//! [`super::Tuning::choose`]).
//!
//! What comes out is never slower than the default where that was measured: see `selection::selected`.

use super::entry::{Candidate, Choice, Entry};
use super::model::{Model, Sample};
use super::period::{Saw, find_period};
use super::plan::{Effort, Plan, thinned};
use super::selection::{LEAST_GAIN, Measured, Times, least, places, selected, winners};
use super::timing::{Repetition, measure};
use super::{Extents, Line, Regime, Shape, Tunable, Variant, rank};
use crate::device::Adapter;
use crate::device::precision::Precision;
use crate::error::Result;
use crate::observer::{Observer, tell};

/// One sample of a variant at a shape, in seconds.
pub type Measure<'a> = dyn FnMut(&Variant, Shape) -> Result<f64> + 'a;

/// How many times as many samples the best are given as the others before them.
const DUEL: usize = 3;
/// Samples at most by which a period is narrowed down, and the share of it at which that ends.
const MOST_HALVINGS: usize = 6;
const SETTLED_PERIOD: f64 = 0.004;
/// Teeth at most whose edges are measured.
const MOST_TEETH: usize = 8;

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
/// For each regime: variants times sampling sizes, then candidates times sizes of the sweep, each a few samples.
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

struct Search<'a> {
    tunable: &'a Tunable,
    adapter: &'a Adapter,
    precision: Precision,
    effort: &'a Effort,
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
        let shapes: Vec<Shape> = plan.sweep.iter().map(|n| (line.shape)(*n)).collect();
        // What is chosen is held against the default of every size, and that may be another in the sweep.
        let everywhere = plan.sampling.iter().chain(&shapes);
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
        let swept = self.times(&winners, &shapes, &thorough, true)?;
        let mut fitted = Vec::new();
        for (index, variant) in winners.iter().enumerate() {
            let sampling = self.samples(variant, &plan.sampling, &times, index);
            let sweep = self.samples(variant, &shapes, &swept, index);
            fitted.push(self.fit(variant, line, &sampling, &sweep)?);
        }
        let shapes = [plan.sampling, shapes].concat();
        let times = [times, swept].concat();
        let chosen = selected(winners.len(), &self.measured(&winners, &fitted, &shapes, &times));
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

    fn extents(&self, variant: &Variant, shape: Shape) -> Extents {
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
    fn times(
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

    fn samples(&self, variant: &Variant, shapes: &[Shape], times: &Times, index: usize) -> Vec<Sample> {
        let sample = |(shape, row): (&Shape, &Vec<Option<f64>>)| {
            Some(Sample {
                extents: self.extents(variant, *shape),
                seconds: row[index]?,
            })
        };
        shapes.iter().zip(times).filter_map(sample).collect()
    }

    /// The model of a variant, and its largest relative error over everything that was measured.
    ///
    /// The paper fits at the crests only, where its saw has no smooth part. Here aq and o₁⌈q/β⌉ are alike at the
    /// crests, so each crest is measured with its foot, the next size, where the round begins; between the two lies
    /// the whole saw. Of the fit to these edges, the fit to everything, and the fit without a saw, that with the least
    /// error over everything counts; a period that is not quite right puts crests behind the edge, and loses here.
    fn fit(
        &mut self,
        variant: &Variant,
        line: &Line<'_>,
        sampling: &[Sample],
        sweep: &[Sample],
    ) -> Result<Option<(Model, f64)>> {
        let mut all = [sampling, sweep].concat();
        let mut models = vec![Model::fit(&all, None)];
        if let Some(saw) = self.saw(variant, line, &mut all, sweep)? {
            let sizes = self.edges(variant, line, saw.period);
            let shapes: Vec<Shape> = sizes.into_iter().map(line.shape).collect();
            let repetition = self.effort.repetition;
            let times = self.times(std::slice::from_ref(variant), &shapes, &repetition, false)?;
            let edges = self.samples(variant, &shapes, &times, 0);
            models.push(Model::fit(&[sampling, &edges].concat(), Some(saw.period)));
            all.extend(edges);
            models.push(Model::fit(&all, Some(saw.period)));
            models.push(Model::fit(&all, None));
        }
        let models = models.into_iter().flatten().map(|model| (model, model.deviation(&all)));
        let best = models.min_by(|(_, a), (_, b)| a.rms.total_cmp(&b.rms));
        Ok(best.map(|(model, deviation)| (model, deviation.largest)))
    }

    /// The saw of a sweep. Between two sizes of a sweep an edge may lie anywhere; it is cornered by halves, as far as
    /// that moves the period. What is measured for it joins the samples.
    fn saw(
        &mut self,
        variant: &Variant,
        line: &Line<'_>,
        all: &mut Vec<Sample>,
        sweep: &[Sample],
    ) -> Result<Option<Saw>> {
        let mut sweep = sweep.to_vec();
        let mut saw = find_period(&sweep);
        for _ in 0..MOST_HALVINGS {
            let Some(Saw { interval, .. }) = saw else { break };
            let Some(last) = sweep.iter().map(|sample| sample.extents.quantised).max() else {
                break;
            };
            let edges = (last as f64 / interval.1).floor();
            if interval.1 - interval.0 <= SETTLED_PERIOD * interval.0 || edges < 1.0 {
                break;
            }
            let size = self.last_within(variant, line, edges * f64::midpoint(interval.0, interval.1));
            let shape = (line.shape)(size);
            let repetition = self.effort.repetition;
            let times = self.times(std::slice::from_ref(variant), &[shape], &repetition, false)?;
            let halving = self.samples(variant, &[shape], &times, 0);
            if halving
                .iter()
                .any(|new| sweep.iter().any(|known| known.extents == new.extents))
            {
                break;
            }
            all.extend_from_slice(&halving);
            sweep.extend(halving);
            // A saw that one sample more refutes was none.
            saw = find_period(&sweep);
        }
        Ok(saw)
    }

    /// The last N of a line with q ≤ a bound; q does not fall along a line.
    fn last_within(&self, variant: &Variant, line: &Line<'_>, bound: f64) -> usize {
        let mut low = line.sizes.iter().copied().min().unwrap_or(0);
        let mut high = line.sizes.iter().copied().max().unwrap_or(0);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.extents(variant, (line.shape)(middle)).quantised as f64 <= bound {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    /// N of the crests and feet along a line: the last size with q ≤ kβ, and the next.
    fn edges(&self, variant: &Variant, line: &Line<'_>, period: f64) -> Vec<usize> {
        let (Some(first), Some(last)) = (line.sizes.iter().min(), line.sizes.iter().max()) else {
            return Vec::new();
        };
        let q = |n: usize| self.extents(variant, (line.shape)(n)).quantised as f64;
        let mut crests = Vec::new();
        let mut bound = period * (q(*first) / period).ceil();
        while bound < q(*last) {
            crests.push(self.last_within(variant, line, bound));
            bound += period;
        }
        crests.dedup();
        thinned(&crests, MOST_TEETH)
            .into_iter()
            .flat_map(|n| [n, n + 1])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::error::Error;
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
