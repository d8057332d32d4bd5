//! Runs: consecutive columns of one row. What the packed formats store once a run, others store once an entry.

use crate::scalar::Scalar;

/// Columns `first`, `first + 1`, …, `last` of a row, all stored, with neither neighbour stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Run {
    pub(super) fn len(self) -> u64 {
        u64::from(self.last - self.first) + 1
    }

    /// A run of one has no neighbour: the paper's formats keep it apart.
    pub(super) fn is_isolated(self) -> bool {
        self.first == self.last
    }
}

/// The runs of a row whose columns are strictly ascending.
pub(super) fn of(columns: &[u32]) -> impl Iterator<Item = Run> + '_ {
    columns
        .chunk_by(|left, right| right - left == 1)
        .filter_map(|run| match run {
            [] => None,
            [first, .., last] => Some(Run {
                first: *first,
                last: *last,
            }),
            [only] => Some(Run {
                first: *only,
                last: *only,
            }),
        })
}

/// Adds a run's values times its x to the sum of its row, one after the other. Short runs, of which most matrices are made,
/// are spared the loop.
#[inline]
pub(super) fn add<T: Scalar>(values: &[T], x: &[T], sum: T) -> T {
    match (values, x) {
        ([value], [x]) => value.mul_add(*x, sum),
        ([value, second], [x, y]) => second.mul_add(*y, value.mul_add(*x, sum)),
        ([value, second, third], [x, y, z]) => third.mul_add(*z, second.mul_add(*y, value.mul_add(*x, sum))),
        _ => values.iter().zip(x).fold(sum, |sum, (value, x)| value.mul_add(*x, sum)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal() {
        let runs: Vec<_> = of(&[0, 1, 2, 4, 6, 7, u32::MAX - 1])
            .map(|run| (run.first, run.last))
            .collect();
        assert_eq!(runs, [(0, 2), (4, 4), (6, 7), (u32::MAX - 1, u32::MAX - 1)]);
        assert_eq!(of(&[]).count(), 0);
        let run = Run {
            first: 0,
            last: u32::MAX - 1,
        };
        assert_eq!((run.len(), run.is_isolated()), (u64::from(u32::MAX), false));
    }
}
