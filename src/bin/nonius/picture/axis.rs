//! Axes: where numbers lie, and at which of them stand ticks.

use crate::print;

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
    /// Sizes, of which there is one at least: by powers of two where they span some and were chosen so, else evenly.
    pub(super) fn across(mut sizes: Vec<f64>, from: f64, to: f64) -> Self {
        sizes.sort_by(f64::total_cmp);
        let (low, high) = (sizes[0], sizes[sizes.len() - 1]);
        let (median, geometric) = (sizes[sizes.len() / 2], (low * high).sqrt());
        let logarithmic = low > 0.0 && high > 16.0 * low && median < (geometric * (low + high) / 2.0).sqrt();
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
        let (ticks, digits) = if logarithmic {
            let powers = (0..64).map(|k| 2.0_f64.powi(k));
            let all: Vec<f64> = powers.filter(|power| (low..=high).contains(power)).collect();
            (all.iter().rev().step_by(all.len().div_ceil(9)).copied().collect(), 0)
        } else {
            even_ticks(low, high, 8.0)
        };
        Self {
            low,
            high,
            logarithmic,
            ticks,
            digits,
            from,
            to,
        }
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
