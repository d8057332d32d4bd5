//! Points by rank (Imamura 2011, section 3.2.4, steps 3 to 5).

/// The points of every candidate, summed over the sampling sizes: with k candidates the fastest at a size gets k
/// points, the next k − 1, the last 1; equal times share theirs, and a candidate that could not run gets none.
///
/// `times[size][candidate]` in seconds. Points, unlike sums of times, let no size outweigh the others.
///
/// ```
/// use nonius::tuning::points;
/// let times = [vec![Some(1.0), Some(2.0), Some(3.0)], vec![Some(9.0), Some(8.0), None]];
/// assert_eq!(points(&times), [5.0, 5.0, 1.0]);
/// ```
///
/// # Cost
/// A sort for every size.
#[must_use]
pub fn points(times: &[Vec<Option<f64>>]) -> Vec<f64> {
    let count = times.iter().map(Vec::len).max().unwrap_or(0);
    let mut sums = vec![0.0; count];
    for row in times {
        let mut ranked: Vec<(usize, f64)> = (0..).zip(row).filter_map(|(k, time)| Some((k, (*time)?))).collect();
        ranked.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        let mut first = 0;
        for group in ranked.chunk_by(|(_, a), (_, b)| a == b) {
            // The mean of k − first, …, k − last.
            let shared = count as f64 - first as f64 - (group.len() - 1) as f64 / 2.0;
            group.iter().for_each(|(candidate, _)| sums[*candidate] += shared);
            first += group.len();
        }
    }
    sums
}

/// Candidates by their points, most first; among equals the lesser sum of times relative to each size's best, then the
/// earlier. Those without points are left out.
pub(super) fn order(times: &[Vec<Option<f64>>]) -> Vec<usize> {
    let sums = points(times);
    let mut relative = vec![0.0; sums.len()];
    for row in times {
        let best = row.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        (0..)
            .zip(row)
            .for_each(|(k, time): (usize, _)| relative[k] += time.map_or(0.0, |time| time / best));
    }
    let mut order: Vec<usize> = (0..sums.len()).filter(|k| sums[*k] > 0.0).collect();
    order.sort_by(|a, b| {
        sums[*b]
            .total_cmp(&sums[*a])
            .then(relative[*a].total_cmp(&relative[*b]))
            .then(a.cmp(b))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_share_points() {
        assert_eq!(points(&[vec![Some(2.0), Some(1.0), Some(2.0)]]), [1.5, 3.0, 1.5]);
        assert!(points(&[]).is_empty());
    }

    #[test]
    fn one_slow_size_does_not_outweigh_the_others() {
        let times = [
            vec![Some(1.0), Some(1.1), Some(1.2)],
            vec![Some(1.0), Some(1.1), Some(1.2)],
            vec![Some(90.0), Some(80.0), None],
        ];
        assert_eq!(points(&times), [8.0, 7.0, 2.0]);
        assert_eq!(order(&times), [0, 1, 2]);
    }

    #[test]
    fn who_never_ran_is_not_ranked() {
        assert_eq!(order(&[vec![None, Some(1.0)], vec![None, Some(2.0)]]), [1]);
    }
}
