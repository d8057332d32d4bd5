//! The model of one variant: the period of its saw, the edges of the teeth, and the fit to all of it (step 6 of the search).

use super::model::{Model, Sample};
use super::period::{Saw, find_period};
use super::plan::thinned;
use super::search::Search;
use super::{Line, Shape, Variant};
use crate::error::Result;

/// Samples at most by which a period is narrowed down, and the share of it at which that ends.
const MOST_HALVINGS: usize = 6;
const SETTLED_PERIOD: f64 = 0.004;
/// Teeth at most whose edges are measured.
const MOST_TEETH: usize = 8;

impl Search<'_> {
    /// The model of a variant, and its largest relative error over everything that was measured.
    ///
    /// The paper fits at the crests only, where its saw has no smooth part. Here aq and o₁⌈q/β⌉ are alike at the
    /// crests, so each crest is measured with its foot, the next size, where the round begins; between the two lies
    /// the whole saw. Of the fit to these edges, the fit to everything, and the fit without a saw, that with the least
    /// error over everything counts; a period that is not quite right puts crests behind the edge, and loses here.
    pub(super) fn fit(
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
