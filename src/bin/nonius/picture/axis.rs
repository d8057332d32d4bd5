//! Axes: where numbers lie, and at which of them stand ticks.

use super::svg::width;
use crate::print;

/// So many sizes have a tick each.
const FEW: usize = 12;
/// The size of the letters below ticks.
pub(super) const LETTERS: f64 = 12.5;

/// A scale of numbers along an axis.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    logarithmic: bool,
    pub(super) ticks: Vec<f64>,
    /// Digits behind the point.
    pub(super) digits: usize,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Axis {
    /// Sizes, of which there is one at least: by their logarithms where they were chosen so, else evenly. Ticks stand at the
    /// sizes themselves where these are few, at powers of two or at round numbers where they are many.
    pub(super) fn across(mut sizes: Vec<f64>, from: f64, to: f64) -> Self {
        sizes.sort_by(f64::total_cmp);
        let (low, high) = (sizes[0], sizes[sizes.len() - 1]);
        let (median, geometric) = (sizes[sizes.len() / 2], (low * high).sqrt());
        let spans = high > 16.0 * low && median < (geometric * (low + high) / 2.0).sqrt();
        sizes.dedup();
        let few = sizes.len() <= FEW && sizes.iter().all(|size| size.fract() == 0.0);
        let logarithmic = low > 0.0 && (spans || few && are_geometric(&sizes));
        // An axis that begins near zero begins there.
        let low = if !logarithmic && low > 0.0 && low < 0.2 * high {
            0.0
        } else {
            low
        };
        let (low, high) = if low < high {
            (low, high)
        } else {
            (low - 1.0, high + 1.0)
        };
        let powers = (0..64).map(|k| 2.0_f64.powi(k));
        let powers: Vec<f64> = powers.filter(|power| (low..=high).contains(power)).collect();
        let (ticks, digits) = if logarithmic && !powers.is_empty() {
            (
                powers.iter().rev().step_by(powers.len().div_ceil(9)).copied().collect(),
                0,
            )
        } else {
            even_ticks(low, high, 8.0)
        };
        let axis = Self {
            low,
            high,
            logarithmic,
            ticks,
            digits,
            from,
            to,
        };
        if !few {
            return axis;
        }
        let begin = (low == 0.0 && sizes[0] > 0.0).then_some(0.0);
        Self {
            ticks: axis.apart(begin.into_iter().chain(sizes).collect()),
            digits: 0,
            ..axis
        }
    }

    /// Of ascending numbers, the last and those before it whose letters do not touch.
    fn apart(&self, numbers: Vec<f64>) -> Vec<f64> {
        let mut free = f64::INFINITY;
        let fits = |value: &f64| {
            let (at, half) = (self.at(*value), width(&number(*value, 0), LETTERS) / 2.0);
            let fits = at + half <= free;
            if fits {
                free = at - half - LETTERS;
            }
            fits
        };
        numbers.into_iter().rev().filter(fits).collect()
    }

    /// Speeds: from zero, since half as high should be half as fast, to a tick above all.
    pub(super) fn up(top: f64, from: f64, to: f64) -> Self {
        let top = if top > 0.0 { top } else { 1.0 };
        let (mut ticks, digits) = even_ticks(0.0, top * 1.02, 6.0);
        let step = ticks.get(1).copied().unwrap_or(top);
        let mut high = ticks.last().copied().unwrap_or(top);
        if high < top * 1.02 {
            high += step;
            ticks.push(high);
        }
        Self {
            low: 0.0,
            high,
            logarithmic: false,
            ticks,
            digits,
            from,
            to,
        }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }
}

/// Whether ascending sizes grow by factors rather than by steps: the factors differ less than the steps.
fn are_geometric(sizes: &[f64]) -> bool {
    let spread = |of: fn(f64, f64) -> f64| {
        let steps = || sizes.windows(2).map(|pair| of(pair[0], pair[1]));
        steps().fold(0.0, f64::max) / steps().fold(f64::INFINITY, f64::min)
    };
    sizes.len() > 2 && spread(|a, b| (b / a).ln()) < spread(|a, b| b - a)
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten, about so many, and the digits that they need.
pub(super) fn even_ticks(low: f64, high: f64, about: f64) -> (Vec<f64>, usize) {
    let rough = (high - low) / about;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let digits = (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
    let first = (low / step - 1e-9).ceil();
    let ticks = (0..64).map(|k| (first + f64::from(k)) * step);
    (ticks.take_while(|tick| *tick <= high + 1e-9 * step).collect(), digits)
}

/// `1,234.5`.
pub(super) fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or(whole.to_owned(), print::count);
    if fraction.is_empty() || value == 0.0 {
        whole
    } else {
        format!("{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(sizes: &[f64]) -> (Vec<f64>, bool) {
        let axis = Axis::across(sizes.to_vec(), 78.0, 900.0);
        let mut ticks = axis.ticks.clone();
        ticks.sort_by(f64::total_cmp);
        (ticks, axis.logarithmic)
    }

    #[test]
    fn few_sizes_have_a_tick_each() {
        let doubled = [32.0, 64.0, 128.0, 256.0];
        assert_eq!(ticks(&doubled), (doubled.to_vec(), true));
        let powers: Vec<f64> = (5..12).map(|k| 2.0_f64.powi(k)).collect();
        assert_eq!(ticks(&powers), (powers.clone(), true));
        assert_eq!(ticks(&[3.0, 6.0, 12.0]), (vec![3.0, 6.0, 12.0], true));
        let even = [1000.0, 3000.0, 5000.0, 7000.0, 9000.0];
        assert_eq!(ticks(&even), ([&[0.0], &even[..]].concat(), false));
        assert_eq!(ticks(&[64.0]), (vec![64.0], false));
        // A curve for each of several variants has the same sizes.
        assert_eq!(ticks(&[doubled, doubled].concat()), (doubled.to_vec(), true));
        // Letters that would touch: those of the larger size stay.
        assert_eq!(ticks(&[31.0, 32.0, 33.0, 2048.0]).0, [33.0, 2048.0]);
    }

    #[test]
    fn many_sizes_have_round_ticks() {
        let many: Vec<f64> = (1..=160).map(|k| f64::from(k) * 51.2).collect();
        assert_eq!(ticks(&many).0, [0.0, 2000.0, 4000.0, 6000.0, 8000.0]);
        let wide: Vec<f64> = (0..32).map(|k| 2.0_f64.powf(f64::from(k) / 4.0)).collect();
        assert_eq!(ticks(&wide).0, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        // No power of two is within.
        assert_eq!(ticks(&[0.001, 0.002, 0.1]).0[0], 0.02);
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(even_ticks(0.0, 10.0, 5.0), (vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0], 0));
        assert_eq!(even_ticks(0.0, 0.1, 5.0).1, 2);
        assert_eq!(
            even_ticks(950.0, 2100.0, 6.0),
            (vec![1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0], 0)
        );
        assert_eq!(number(1_234_567.0, 0), "1,234,567");
        assert_eq!(number(0.25, 2), "0.25");
        assert_eq!(number(-2.0, 0), "-2");
    }
}
