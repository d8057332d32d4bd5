//! What n² operations tell of factors: the product with one random vector (Freivalds 1977), and the largest multiplier.

use nonius::{Dd, Scalar};

use crate::devices::Random;
use crate::ratios::{Factored, relative, worse};

impl<T: Scalar> Factored<T> {
    /// The largest |L| below the diagonal.
    pub(crate) fn largest_multiplier(&self) -> f64 {
        let factors = &self.factors;
        let below =
            (0..factors.rows).flat_map(|i| (0..factors.cols.min(i)).map(move |j| factors.at(i, j).to_f64().abs()));
        below.fold(0.0, worse)
    }

    /// ‖P A x − L U x‖ / (n ‖A‖ ‖x‖ eps) in the ∞ norm, of a vector x of ones and minus ones, or of as small a power of two (Freivalds 1977): as LAPACK's ratio,
    /// in n² operations of double-double arithmetic.
    pub(crate) fn product_ratio(&self) -> f64 {
        let (a, factors) = (&self.a, &self.factors);
        if !factors.values.iter().all(|x| x.is_finite()) {
            return f64::NAN;
        }
        let weight = self.weight();
        let worst = self.residuals().into_iter().fold(0.0, worse);
        let sums = (0..a.rows).map(|i| a.row(i).iter().map(|a| weight * a.to_f64().abs()).sum());
        relative(worst, a.cols as f64 * sums.fold(0.0, worse) * T::ROUNDING)
    }

    /// The largest |P A x − L U x|ᵢ over its bound (k + 1) u (|L| |U| |x|)ᵢ, k = min(m, n) (Higham 2002, theorem 9.3, and one for the
    /// reciprocal of a pivot), of the same x: that sees what a norm that dominates hides. Of words, whose residuals double-doubles hold.
    pub(crate) fn bound_ratio(&self) -> f64 {
        let (a, factors) = (&self.a, &self.factors);
        let steps = a.rows.min(a.cols);
        let weight = self.weight();
        let sum = |part: &[T]| part.iter().map(|x| weight * x.to_f64().abs()).sum::<f64>();
        let upper: Vec<f64> = (0..steps).map(|i| sum(&factors.row(i)[i..])).collect();
        let ratios = self.residuals().into_iter().enumerate().map(|(i, residual)| {
            let row = factors.row(i)[..i.min(steps)].iter().zip(&upper);
            let lower: f64 = row.map(|(l, u)| l.to_f64().abs() * u).sum();
            let size = lower + upper.get(i).unwrap_or(&0.0);
            relative(residual, (steps + 1) as f64 * T::ROUNDING * size)
        });
        ratios.fold(0.0, worse)
    }

    /// The magnitude of all entries of x, with which no sum is beyond the range of doubles: a power of two.
    fn weight(&self) -> f64 {
        let is_huge = |x: &T| x.exponent().is_some_and(|exponent| exponent > 900);
        if self.factors.values.iter().any(is_huge) {
            1.0_f64.scale_exponent(-60)
        } else {
            1.0
        }
    }

    /// |P A x − L U x|, of a vector x of [`weight`](Self::weight) of both signs.
    fn residuals(&self) -> Vec<f64> {
        let (a, factors) = (&self.a, &self.factors);
        let steps = a.rows.min(a.cols);
        let weight = self.weight();
        let mut random = Random::new(a.rows + a.cols);
        let x: Vec<Dd> = (0..a.cols)
            .map(|_| Dd::from(if random.bits() & 1 == 0 { weight } else { -weight }))
            .collect();
        let zero = Dd::from(0.0);
        let dot = |row: &[T], y: &[Dd]| row.iter().zip(y).fold(zero, |sum, (a, y)| sum + a.to_dd() * *y);
        let ux: Vec<Dd> = (0..steps).map(|i| dot(&factors.row(i)[i..], &x[i..])).collect();
        let of_row = |i: usize| {
            let lower = dot(&factors.row(i)[..i.min(steps)], &ux);
            let lux = if i < steps { lower + ux[i] } else { lower };
            (dot(a.row(self.order[i]), &x) - lux).to_f64().abs()
        };
        (0..a.rows).map(of_row).collect()
    }
}
