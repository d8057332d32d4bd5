//! Single wrong times among the right ones of a saw, found before there is a curve to compare them with.

use super::model::Sample;
use super::span::Span;

/// Median distances from their neighbours at which samples stand alone.
const ALONE: f64 = 5.0;
/// Nearer to its neighbours than this, in logarithms, no sample is an outlier.
const LEAST_OUTLIER: f64 = 0.1;
/// Which samples stand alone: far from the five before and from the five after, as no edge of a tooth is.
///
/// The level is a power law fitted to the logarithms by least absolute values. The smooth curve of the sweep would not
/// do, since it bends towards an outlier near an end and hides it.
pub(super) fn outliers(sorted: &[&Sample]) -> Vec<bool> {
    let n = sorted.len();
    let place: Vec<f64> = sorted
        .iter()
        .map(|sample| (sample.extents.quantised.max(1) as f64).ln())
        .collect();
    let level: Vec<f64> = sorted.iter().map(|sample| sample.seconds.ln()).collect();
    let mut rest = level.clone();
    let mut weight = vec![1.0; n];
    // Least absolute values by reweighted least squares (Schlossmacher 1973).
    for _ in 0..10 {
        let mut curve = Span::default();
        for power in 0..=2 {
            curve.add(place.iter().zip(&weight).map(|(x, w)| w * x.powi(power)).collect());
        }
        let left = curve.remainder(level.iter().zip(&weight).map(|(y, w)| w * y).collect());
        rest = left.iter().zip(&weight).map(|(y, w)| y / w).collect();
        weight = rest.iter().map(|y| y.abs().max(1e-3).sqrt().recip()).collect();
    }
    // A tooth slopes, so a side speaks by its line (Theil and Sen: the median of the slopes of pairs).
    let from = |i: usize, side: std::ops::Range<usize>| {
        let pairs = side.clone().flat_map(|j| (side.start..j).map(move |k| (j, k)));
        let slopes = pairs.map(|(j, k)| (rest[j] - rest[k]) / (place[j] - place[k]).max(1e-9));
        let slope = median(slopes.collect()).filter(|_| side.len() > 2).unwrap_or(0.0);
        let ahead = side.map(|j| rest[j] + slope * (place[i] - place[j]));
        median(ahead.collect()).map_or(f64::INFINITY, |ahead| (rest[i] - ahead).abs())
    };
    let apart = |i: usize| from(i, i.saturating_sub(5)..i).min(from(i, i + 1..(i + 6).min(n)));
    let apart: Vec<f64> = (0..n).map(apart).collect();
    let limit = (ALONE * median(apart.clone()).unwrap_or(0.0)).max(LEAST_OUTLIER);
    apart.into_iter().map(|apart| apart > limit).collect()
}

/// The upper of the two in the middle.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Extents;

    #[test]
    fn outliers_are_found_and_edges_are_not() {
        let sweep = |wrong: &[usize]| -> Vec<Sample> {
            let sample = |k: u32| {
                let q = f64::from(1600 + 128 * k);
                let time = 1e-6 + 1e-11 * q * (q + 1500.0 * (q / 1500.0).ceil());
                let factor = if wrong.contains(&(k as usize)) { 1.4 } else { 1.0 };
                Sample {
                    extents: Extents {
                        quantised: u64::from(1600 + 128 * k),
                        streaming: 1,
                    },
                    seconds: factor * time,
                }
            };
            (0..50).map(sample).collect()
        };
        for wrong in [
            vec![],
            vec![0],
            vec![49],
            vec![20],
            vec![20, 22],
            vec![30, 31],
            vec![7, 40],
        ] {
            let samples = sweep(&wrong);
            let found = outliers(&samples.iter().collect::<Vec<_>>());
            let found: Vec<usize> = (0..50).filter(|k| found[*k]).collect();
            assert_eq!(found, wrong);
        }
    }
}
