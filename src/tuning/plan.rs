//! How thoroughly a search looks, and at which shapes.

use std::time::Duration;

use super::timing::Repetition;
use super::{Line, Regime, Shape};

/// How thoroughly a search looks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Effort {
    /// Sampling sizes of a line at most; the ends stay, and what is between is thinned out.
    pub sizes: usize,
    /// Variants that are timed at every size; where there are more, one size in the middle decides which.
    pub variants: usize,
    /// M: how many get a model; ten at most, those included that are the default of a size.
    pub winners: usize,
    /// Sizes of the sweep, about: the step is a power of two.
    pub sweep: usize,
    /// How often each time is taken.
    pub repetition: Repetition,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            sizes: usize::MAX,
            variants: usize::MAX,
            winners: 4,
            sweep: 64,
            repetition: Repetition {
                warm_up: 1,
                wake: Duration::from_millis(500),
                least: 3,
                most: 9,
                hopeless: 1.3,
                budget: Duration::from_secs(10),
            },
        }
    }
}

impl Effort {
    /// A few minutes at most, for most of the gain.
    #[must_use]
    pub fn quick() -> Self {
        let full = Self::default();
        Self {
            sizes: 3,
            variants: 16,
            winners: 3,
            sweep: 32,
            repetition: Repetition {
                most: 5,
                budget: Duration::from_secs(2),
                ..full.repetition
            },
        }
    }
}

/// The shapes at which a regime is measured.
pub(super) struct Plan {
    /// X, over all lines.
    pub(super) sampling: Vec<Shape>,
    /// N of the sweep, in the order in which they are measured.
    pub(super) sweep: Vec<usize>,
    /// Other N of the same line.
    pub(super) checks: Vec<usize>,
}

/// So many sizes at most are looked at beside a sweep.
const CHECKS: usize = 12;

impl Plan {
    pub(super) fn new(regime: &Regime<'_>, effort: &Effort) -> Self {
        let sampling = |line: &Line<'_>| -> Vec<Shape> {
            let sizes = thinned(line.sizes, effort.sizes);
            sizes.into_iter().map(|n| (line.shape)(n)).collect()
        };
        let within = |mut sizes: Vec<usize>, line: &Line<'_>| {
            sizes.retain(|n| regime.contains.contain((line.shape)(*n)));
            sizes
        };
        let first = regime.lines.first();
        Self {
            sampling: regime.lines.iter().flat_map(sampling).collect(),
            sweep: first.map_or(Vec::new(), |line| within(sweep(line, effort.sweep), line)),
            checks: first.map_or(Vec::new(), |line| within(line.askew(CHECKS.min(effort.sweep)), line)),
        }
    }

    pub(super) fn steps(&self) -> usize {
        2 * self.sampling.len() + self.sweep.len() + self.checks.len() + 1
    }
}

/// At most `count` of the values, evenly, with both ends.
pub(super) fn thinned(values: &[usize], count: usize) -> Vec<usize> {
    if values.len() <= count {
        return values.to_vec();
    }
    let last = count.max(2) - 1;
    (0..=last).map(|k| values[k * (values.len() - 1) / last]).collect()
}

/// About `count` sizes at uniform steps. The step is a power of two, as the sizes of tiles are: a step that is no
/// multiple of a tile would show the tile's short period as a long one, like a wheel in a film. The order jumps about
/// (by the golden section), so that a clock that drifts is noise and not a wave.
fn sweep(line: &Line<'_>, count: usize) -> Vec<usize> {
    let (Some(first), Some(last)) = (line.sizes.iter().min(), line.sizes.iter().max()) else {
        return Vec::new();
    };
    let step = ((last - first) / count.max(1)).max(1).next_power_of_two();
    let sizes: Vec<usize> = (first.div_ceil(step)..=last / step).map(|k| k * step).collect();
    let mut stride = (sizes.len() * 618 / 1000).max(1);
    while gcd(stride, sizes.len()) > 1 {
        stride += 1;
    }
    (0..sizes.len()).map(|k| sizes[k * stride % sizes.len()]).collect()
}

impl Line<'_> {
    /// At most `count` sizes over the line that are multiples of 4 and of nothing larger. Those of a sweep are multiples of its
    /// step, so that each row of such a matrix begins a line of a cache, which the rows of most matrices do not: blocks of 64 bytes
    /// across were 5 % faster than others at N = 2,752 on an H100, and 9 % slower at 3,100 (BENCHMARKS.md).
    pub(crate) fn askew(&self, count: usize) -> Vec<usize> {
        let (Some(first), Some(last)) = (self.sizes.iter().min(), self.sizes.iter().max()) else {
            return Vec::new();
        };
        let at = |k: usize| first + (last - first) * (2 * k + 1) / (2 * count);
        let mut sizes: Vec<usize> = (0..count).map(|k| at(k) / 8 * 8 + 4).collect();
        sizes.retain(|n| (first..=last).contains(&n));
        sizes.dedup();
        sizes
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::TUNABLE;

    #[test]
    fn the_sweep_is_uniform_and_in_no_order() {
        let line = &TUNABLE.regimes[0].lines[0];
        let mut sizes = sweep(line, 64);
        assert!(!sizes.is_sorted());
        sizes.sort_unstable();
        assert_eq!(sizes.len(), 55);
        assert!(sizes.windows(2).all(|pair| pair[1] - pair[0] == 128));
        assert_eq!(thinned(&[1, 2, 3, 4, 5], 3), [1, 3, 5]);
        assert_eq!(thinned(&[1, 2], 3), [1, 2]);
    }

    #[test]
    fn sizes_beside_a_sweep_begin_no_line_of_a_cache() {
        let line = &TUNABLE.regimes[0].lines[0];
        let sizes = line.askew(12);
        assert_eq!(sizes.len(), 12);
        assert!(sizes.is_sorted() && sizes.iter().all(|n| n % 8 == 4), "{sizes:?}");
        assert!(line.sizes[0] < sizes[0] && sizes[11] < line.sizes[line.sizes.len() - 1]);
        let short = Line {
            sizes: &[5, 7],
            ..*line
        };
        assert!(short.askew(12).is_empty());
    }
}
