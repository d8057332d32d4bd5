//! Who gets a model, and whose model may choose.

use super::model::Model;
use super::{Shape, Tunable, Variant, rank};
use crate::device::precision::Precision;

/// A gain below this is not worth leaving the default for.
pub(super) const LEAST_GAIN: f64 = 1.02;
/// What the modelled choice may lose to the best that was measured.
const TOLERATED_LOSS: f64 = 1.03;
/// Candidates at most: sets of them are tried one by one.
const MOST_CANDIDATES: usize = 10;
/// `times[shape][candidate]`; none for what could not run.
pub(super) type Times = Vec<Vec<Option<f64>>>;

pub(super) fn least(row: &[Option<f64>]) -> f64 {
    row.iter().flatten().copied().fold(f64::INFINITY, f64::min)
}

/// Where each of the defaults stands among the variants, which hold them all.
pub(super) fn places(defaults: &[Variant], variants: &[Variant]) -> Vec<usize> {
    let place = |default: &Variant| variants.iter().position(|variant| variant == default);
    defaults.iter().map(|default| place(default).unwrap_or(0)).collect()
}

/// The defaults, the best `count` by points, and at each size where all of these lose more than is tolerated, the
/// fastest: points ask who is good everywhere, and one that is best in one place only would be lost.
pub(super) fn winners(times: &Times, defaults: &[usize], count: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    let take = |k: usize, chosen: &mut Vec<usize>| {
        if !chosen.contains(&k) {
            chosen.push(k);
        }
    };
    defaults.iter().for_each(|k| take(*k, &mut chosen));
    rank::order(times)
        .into_iter()
        .take(count)
        .for_each(|k| take(k, &mut chosen));
    for row in times {
        let known = chosen.iter().filter_map(|k| row[*k]).fold(f64::INFINITY, f64::min);
        let fastest = (0..row.len())
            .filter(|k| row[*k].is_some_and(|time| time == least(row)))
            .min();
        if let Some(fastest) = fastest.filter(|_| known > TOLERATED_LOSS * least(row) && chosen.len() < MOST_CANDIDATES)
        {
            take(fastest, &mut chosen);
        }
    }
    chosen
}

/// What candidates took at one shape, and what the models say.
pub(super) struct Sampled {
    times: Vec<Option<f64>>,
    models: Vec<f64>,
    default: f64,
}

impl Sampled {
    pub(super) fn new(
        (tunable, precision): (&Tunable, Precision),
        variants: &[Variant],
        fitted: &[Option<(Model, f64)>],
        shape: Shape,
        times: &[Option<f64>],
        default: usize,
    ) -> Self {
        let modelled = |(variant, fitted): (&Variant, &Option<(Model, f64)>)| {
            fitted.map_or(f64::INFINITY, |(model, _)| {
                model.predict((tunable.extents)(variant, precision, shape))
            })
        };
        Self {
            times: times.to_vec(),
            models: variants.iter().zip(fitted).map(modelled).collect(),
            default: times[default].unwrap_or(f64::INFINITY),
        }
    }

    /// The measured time of what the models choose from a set.
    fn chosen(&self, set: u32) -> f64 {
        let members = (0..self.models.len()).filter(|k| set >> k & 1 == 1);
        let best = members.min_by(|a, b| self.models[*a].total_cmp(&self.models[*b]));
        best.and_then(|k| self.times[k]).unwrap_or(f64::INFINITY)
    }
}

/// Which candidates stay, so that the choice by models is right where it can be checked.
///
/// All of them, if what their models choose loses at most 3 % to the best at every sampling size. Else some model
/// misleads, and of all sets that is taken whose worst loss is least (the larger among equals). Last, what is chosen
/// must not lose 3 % to the default at any sampling size, nor anything to it in the mean over the sweep, and must gain
/// 2 % somewhere: otherwise the default alone is kept, and nothing is returned.
pub(super) fn selected(count: usize, sampled: &[Sampled], sweep: &[Sampled]) -> Vec<usize> {
    let loss = |set: u32| {
        let losses = sampled
            .iter()
            .map(|sampled| sampled.chosen(set) / least(&sampled.times));
        losses.fold(1.0, f64::max)
    };
    let all = (1 << count) - 1;
    let mut best = (all, loss(all));
    if !(best.1 <= TOLERATED_LOSS) {
        for set in 1..all {
            let loss = loss(set);
            if loss < best.1 || (loss == best.1 && set.count_ones() > u32::count_ones(best.0)) {
                best = (set, loss);
            }
        }
    }
    let set = best.0;
    let gains: Vec<f64> = sampled
        .iter()
        .map(|sampled| sampled.default / sampled.chosen(set))
        .collect();
    let never_slower = gains.iter().all(|gain| *gain * TOLERATED_LOSS >= 1.0);
    let worthwhile = gains.iter().any(|gain| *gain >= LEAST_GAIN);
    let between: f64 = sweep
        .iter()
        .map(|sampled| (sampled.default / sampled.chosen(set)).ln())
        .sum();
    if !(never_slower && worthwhile && between >= 0.0) {
        return Vec::new();
    }
    (0..count).filter(|k| set >> k & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_misleads_is_dropped() {
        // The first is modelled as the fastest everywhere, and is half as fast at the second size.
        let sampled = |first: f64| Sampled {
            times: vec![Some(first), Some(1.0), Some(1.2)],
            models: vec![0.9, 1.0, 1.1],
            default: 1.2,
        };
        assert_eq!(selected(3, &[sampled(1.0), sampled(1.02)], &[]), [0, 1, 2]);
        assert_eq!(selected(3, &[sampled(1.0), sampled(2.0)], &[]), [1, 2]);
        assert!(selected(3, &[sampled(1.0)], &[sampled(2.0)]).is_empty());
        let slow = Sampled {
            times: vec![Some(1.0), Some(1.1)],
            models: vec![2.0, 1.0],
            default: 1.0,
        };
        assert!(selected(2, &[slow], &[]).is_empty());
    }

    #[test]
    fn who_is_best_at_one_size_only_is_a_winner_too() {
        let row = |times: [f64; 4]| times.map(Some).to_vec();
        let times = vec![
            row([1.0, 1.1, 2.0, 1.5]),
            row([1.0, 1.1, 2.0, 1.5]),
            row([1.0, 1.1, 0.5, 1.5]),
        ];
        assert_eq!(winners(&times, &[3, 3, 3], 1), [3, 0, 2]);
    }
}
