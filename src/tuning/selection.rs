//! Who gets a model, and whose model may choose.

use super::{Variant, rank};

/// A gain below this is not worth leaving the default for.
pub(super) const LEAST_GAIN: f64 = 1.02;
/// Medians of one variant at one size differ by so much when they are taken again: less is no difference.
const NOISE: f64 = 1.03;
/// A set that is refused at more than one in so many sizes is refused rightly.
const FEW: usize = 8;
/// Sets whose losses differ by less are alike.
const ALIKE: f64 = 0.002;
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

/// The defaults, the best `count` by points as far as there is room, and at each size where all of these lose more than noise, the
/// fastest: points ask who is good everywhere, and one that is best in one place only would be lost.
pub(super) fn winners(times: &Times, defaults: &[usize], count: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    let take = |k: usize, chosen: &mut Vec<usize>| {
        if !chosen.contains(&k) {
            chosen.push(k);
        }
    };
    defaults.iter().for_each(|k| take(*k, &mut chosen));
    for k in rank::order(times).into_iter().take(count) {
        if chosen.len() < MOST_CANDIDATES {
            take(k, &mut chosen);
        }
    }
    for row in times {
        let known = chosen.iter().filter_map(|k| row[*k]).fold(f64::INFINITY, f64::min);
        let fastest = (0..row.len())
            .filter(|k| row[*k].is_some_and(|time| time == least(row)))
            .min();
        if let Some(fastest) = fastest.filter(|_| known > NOISE * least(row) && chosen.len() < MOST_CANDIDATES) {
            take(fastest, &mut chosen);
        }
    }
    chosen
}

/// What candidates took at one shape, and what the models say.
pub(super) struct Measured {
    times: Vec<Option<f64>>,
    models: Vec<f64>,
    default: f64,
}

impl Measured {
    /// The times and the modelled times of the candidates, and which of them is the default here.
    pub(super) fn new(times: &[Option<f64>], models: Vec<f64>, default: usize) -> Self {
        Self {
            times: times.to_vec(),
            models,
            default: times[default].unwrap_or(f64::INFINITY),
        }
    }

    /// The measured time of what the models choose from a set.
    fn chosen(&self, set: u32) -> f64 {
        let members = (0..self.models.len()).filter(|k| set >> k & 1 == 1);
        let best = members.min_by(|a, b| self.models[*a].total_cmp(&self.models[*b]));
        best.and_then(|k| self.times[k]).unwrap_or(f64::INFINITY)
    }

    /// What that loses to the fastest, in logarithms: 0 for the fastest.
    fn loss(&self, set: u32) -> f64 {
        (self.chosen(set) / least(&self.times)).ln()
    }

    /// What that gains on the default.
    fn gain(&self, set: u32) -> f64 {
        self.default / self.chosen(set)
    }

    /// Whether that is not slower than the default by more than noise.
    fn admits(&self, set: u32) -> bool {
        self.gain(set) * NOISE >= 1.0
    }
}

/// Of sizes, a root mean square of logarithms.
fn loss<'a>(set: u32, measured: impl ExactSizeIterator<Item = &'a Measured>) -> f64 {
    let count = measured.len().max(1) as f64;
    (measured.map(|size| size.loss(set).powi(2)).sum::<f64>() / count).sqrt()
}

/// The sizes that alone keep the set of least loss from being chosen, if they are few: where something else ran on the machine
/// for a moment, that is worth another look.
pub(super) fn doubtful(count: usize, measured: &[Measured]) -> Vec<usize> {
    let refused = |set: u32| -> Vec<usize> {
        let sizes = (0..measured.len()).filter(|at| !measured[*at].admits(set));
        sizes.collect()
    };
    let few = |set: &(u32, Vec<usize>)| set.1.len() * FEW <= measured.len();
    // What one size says must not decide which set that is.
    let without = |(set, refused): &(u32, Vec<usize>)| {
        let others = (0..measured.len()).filter(|at| !refused.contains(at));
        let others: Vec<&Measured> = others.map(|at| &measured[at]).collect();
        loss(*set, others.into_iter())
    };
    let sets = (1..1 << count).map(|set| (set, refused(set))).filter(few);
    let best = sets.min_by(|a, b| without(a).total_cmp(&without(b)));
    best.map(|(_, refused)| refused).unwrap_or_default()
}

/// Which candidates stay, so that the choice by models is right where it can be checked: at the sampling sizes and at
/// those of the sweep and beside it.
///
/// What the models choose from a set must not be slower than the default by more than noise at any size that was
/// measured. Of the sets of which that is true, that is taken whose loss to the fastest is least, as a root mean square
/// of logarithms: no size outweighs the others, and one large loss is worse than many small ones. A set that loses
/// 0.2 % more is as good, and of these the largest counts, which knows most about sizes that were not measured. What is
/// chosen must gain 2 % on the default somewhere, and something in the mean: otherwise the default alone is kept, and
/// nothing is returned.
pub(super) fn selected(count: usize, measured: &[Measured]) -> Vec<usize> {
    let mean = |f: &dyn Fn(&Measured) -> f64| measured.iter().map(f).sum::<f64>() / measured.len().max(1) as f64;
    let admitted = |set: &u32| measured.iter().all(|size| size.admits(*set));
    let sets: Vec<(u32, f64)> = (1..1 << count)
        .filter(admitted)
        .map(|set| (set, loss(set, measured.iter())))
        .collect();
    let least = sets.iter().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
    let alike = sets.iter().filter(|(_, loss)| *loss <= least + ALIKE);
    let best = alike.min_by(|(a, loss_a), (b, loss_b)| {
        let larger = b.count_ones().cmp(&a.count_ones());
        larger.then(loss_a.total_cmp(loss_b))
    });
    let Some((set, _)) = best else {
        return Vec::new();
    };
    let worthwhile = measured.iter().any(|size| size.gain(*set) >= LEAST_GAIN);
    if !(worthwhile && mean(&|size| size.gain(*set).ln()) > 0.0) {
        return Vec::new();
    }
    (0..count).filter(|k| set >> k & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three candidates, the last of them the default; the first is modelled as the fastest everywhere.
    fn misled(first: f64) -> Measured {
        Measured::new(&[Some(first), Some(1.0), Some(1.2)], vec![0.9, 1.0, 1.1], 2)
    }

    #[test]
    fn a_model_that_misleads_is_dropped() {
        assert_eq!(selected(3, &[misled(1.0), misled(1.002)]), [0, 1, 2]);
        // Half as fast at one size, and no faster than the second anywhere.
        assert_eq!(selected(3, &[misled(1.0), misled(2.0)]), [1, 2]);
        // Not slower than the default, but worse than the second: what is lost in the mean counts, not the worst only.
        assert_eq!(selected(3, &[misled(1.0), misled(1.0), misled(1.1)]), [1, 2]);
    }

    #[test]
    fn many_sizes_outweigh_one() {
        // The first is the fastest at nine sizes of ten, and loses to the second at one.
        let mut sizes: Vec<Measured> = (0..9).map(|_| misled(0.9)).collect();
        sizes.push(misled(1.1));
        assert_eq!(selected(3, &sizes), [0, 1, 2]);
    }

    #[test]
    fn nothing_is_slower_than_the_default_where_that_was_measured() {
        // Whatever is gained elsewhere: with one size at which the default wins, no set with the first stays.
        let mut sizes: Vec<Measured> = (0..40).map(|_| misled(0.5)).collect();
        assert_eq!(selected(3, &sizes), [0, 1, 2]);
        sizes.push(misled(1.2 * 1.02));
        assert_eq!(selected(3, &sizes), [0, 1, 2]);
        sizes.push(misled(1.2 * 1.05));
        assert_eq!(selected(3, &sizes), [1, 2]);
        // Two candidates, of which the models always prefer the one that loses: the default alone.
        let slow = || Measured::new(&[Some(1.0), Some(1.1)], vec![2.0, 1.0], 0);
        let fast = || Measured::new(&[Some(1.0), Some(0.8)], vec![2.0, 1.0], 0);
        assert_eq!(selected(2, &[fast(), fast()]), [0, 1]);
        assert!(selected(2, &[fast(), fast(), slow()]).is_empty());
        // Nor may a candidate that did not run at a size be chosen there.
        let broken = Measured::new(&[Some(1.0), None], vec![2.0, 1.0], 0);
        assert!(selected(2, &[fast(), broken]).is_empty());
    }

    #[test]
    fn sizes_that_alone_refuse_the_best_are_doubtful() {
        let mut sizes: Vec<Measured> = (0..15).map(|_| misled(0.5)).collect();
        assert!(doubtful(3, &sizes).is_empty());
        // Disturbed at one of sixteen.
        sizes.insert(7, misled(1.5));
        assert_eq!(doubtful(3, &sizes), [7]);
        assert_eq!(selected(3, &sizes), [1, 2]);
        // Not at two more: that is no accident.
        sizes.extend([misled(1.5), misled(1.5)]);
        assert!(doubtful(3, &sizes).is_empty());
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

    #[test]
    fn there_are_no_more_winners_than_sets_can_be_tried_of() {
        let times: Vec<Option<f64>> = (0..40).map(|k| Some(1.0 + f64::from(k))).collect();
        let found = winners(&vec![times], &[39], usize::MAX);
        assert_eq!(found, [39, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
