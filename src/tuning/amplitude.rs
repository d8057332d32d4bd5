//! How far the rate of an operation swings from one size to the next.

/// A rate against the size: what a saw is seen in.
///
/// ```
/// use nonius::tuning::Curve;
/// let curve = Curve { sizes: vec![640, 641, 1280], rates: vec![24.0, 18.0, 24.0] };
/// assert_eq!(curve.amplitude(), 0.25);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// N, ascending.
    pub sizes: Vec<usize>,
    /// P(N), in any unit: the amplitude has none.
    pub rates: Vec<f64>,
}

impl Curve {
    /// max (1 − P(N′)/P(N)) over consecutive sizes N < N′, and 0 where the rate never falls.
    ///
    /// Imamura (2011) measures 20 % untuned on a GTX 280, and calls 5 % what the field tolerates. Rates that are not
    /// positive numbers are passed over.
    #[must_use]
    pub fn amplitude(&self) -> f64 {
        let usable = |rate: &&f64| rate.is_finite() && **rate > 0.0;
        let later = self.rates.iter().filter(usable).skip(1);
        self.rates
            .iter()
            .filter(usable)
            .zip(later)
            .map(|(rate, next)| 1.0 - next / rate)
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amplitude(rates: &[f64]) -> f64 {
        let sizes = (1..=rates.len()).collect();
        Curve {
            sizes,
            rates: rates.to_vec(),
        }
        .amplitude()
    }

    #[test]
    fn the_steepest_fall_counts() {
        assert_eq!(amplitude(&[]), 0.0);
        assert_eq!(amplitude(&[3.0]), 0.0);
        assert_eq!(amplitude(&[1.0, 2.0, 3.0]), 0.0);
        assert_eq!(amplitude(&[4.0, 3.0, 4.0, 2.0, 1.9]), 0.5);
        assert_eq!(amplitude(&[4.0, f64::NAN, 3.0, 0.0]), 0.25);
    }
}
