//! LAPACK's test ratios, from residuals without rounding.

use nonius::dense::Matrix;
use nonius::lu::{Lu, Options};
use nonius::{Blocking as _, Dd, Device, Result, Scalar};

use crate::exact::Exact;
use crate::matrices::Dense;

/// LAPACK's threshold: what is above it is suspect.
pub(crate) const THRESHOLD: f64 = 30.0;

/// A factorisation, with what it was made of, and its factors on the host.
pub(crate) struct Factored<T> {
    pub(crate) a: Dense<T>,
    pub(crate) lu: Lu<T>,
    pub(crate) pivots: Vec<u32>,
    pub(crate) first_zero: Option<usize>,
    pub(crate) factors: Dense<T>,
    /// Row i of P A is this row of A.
    pub(crate) order: Vec<usize>,
}

/// A matrix, its factors, and which of its rows is each row of P A.
pub(crate) struct Parts<'a, T> {
    pub(crate) a: &'a Dense<T>,
    pub(crate) factors: &'a Dense<T>,
    pub(crate) order: &'a [usize],
}

/// Which row of A is each row of P A, by LAPACK's `ipiv`, from 0.
pub(crate) fn order(pivots: &[u32], rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for (i, pivot) in pivots.iter().enumerate() {
        let pivot = *pivot as usize;
        assert!((i..rows).contains(&pivot), "the pivot of step {i} is in row {pivot}");
        order.swap(i, pivot);
    }
    order
}

impl<T: Scalar> Parts<'_, T> {
    fn lower(&self, i: usize, k: usize) -> T {
        if i == k { T::one() } else { self.factors.at(i, k) }
    }

    /// The element (i, j) of P A - L U, exactly.
    fn residual(&self, i: usize, j: usize) -> Exact {
        let mut sum = Exact::zero();
        sum.subtract(self.a.at(self.order[i], j));
        let steps = self.a.rows.min(self.a.cols);
        (0..steps.min(i + 1).min(j + 1)).for_each(|k| sum.add_product(self.lower(i, k), self.factors.at(k, j)));
        sum
    }

    /// ‖P A - L U‖ / (n ‖A‖ eps), of the 1-norm; NaN where a factor is not finite.
    pub(crate) fn factor_ratio(&self) -> f64 {
        if !self.factors.values.iter().all(|x| x.is_finite()) {
            return f64::NAN;
        }
        let exponent = top_exponent(&self.a.values);
        let unit = power(exponent);
        let columns = (0..self.a.cols).map(|j| {
            (0..self.a.rows)
                .map(|i| self.residual(i, j).ratio(unit.clone()))
                .sum::<f64>()
        });
        let residual = columns.fold(0.0, worse);
        let norm = norm1(self.a, exponent);
        relative(residual, self.a.cols as f64 * norm * T::ROUNDING)
    }
}

impl<T: Scalar> Factored<T> {
    pub(crate) fn of(device: &Device, a: &Dense<T>) -> Result<Self> {
        Self::with(device, a, Options::default())
    }

    pub(crate) fn with(device: &Device, a: &Dense<T>, options: impl Into<Options>) -> Result<Self> {
        let matrix = Matrix::from_rows(device, a.rows, a.cols, &a.values)?;
        let lu = Lu::factor_with(matrix, options)?;
        let factors = Dense {
            rows: a.rows,
            cols: a.cols,
            values: lu.factors().to_host().block_on()?,
        };
        let pivots = lu.pivots().block_on()?;
        let first_zero = lu.first_zero().block_on()?;
        assert_eq!(pivots.len(), a.rows.min(a.cols), "one pivot a step");
        let order = order(&pivots, a.rows);
        let kept = lu.order().to_host().block_on()?;
        assert!(
            kept.iter().map(|row| *row as usize).eq(order.iter().copied()),
            "rows are kept in another order than the pivots lead to: {kept:?}, not {order:?}"
        );
        Ok(Self {
            a: a.clone(),
            lu,
            pivots,
            first_zero,
            factors,
            order,
        })
    }

    fn parts(&self) -> Parts<'_, T> {
        Parts {
            a: &self.a,
            factors: &self.factors,
            order: &self.order,
        }
    }

    pub(crate) fn factor_ratio(&self) -> f64 {
        self.parts().factor_ratio()
    }

    /// The largest of |P A - L U| over γ·|L||U|, each with as many roundings as the documentation names.
    pub(crate) fn factor_bound_ratio(&self) -> f64 {
        self.factor_bound_ratio_in(0..self.a.cols)
    }

    /// The same of some columns.
    pub(crate) fn factor_bound_ratio_in(&self, columns: impl IntoIterator<Item = usize>) -> f64 {
        let steps = self.a.rows.min(self.a.cols);
        let mut worst = 0.0_f64;
        for j in columns {
            for i in 0..self.a.rows {
                let mut bound = Exact::zero();
                (0..steps.min(i + 1).min(j + 1))
                    .for_each(|k| bound.add_product(self.parts().lower(i, k).abs(), self.factors.at(k, j).abs()));
                worst = worse(
                    worst,
                    self.parts().residual(i, j).ratio(bound) / gamma::<T>(steps as f64 + 1.0),
                );
            }
        }
        worst
    }

    /// The largest of |B - A X| over γ·Pᵗ|L||U||X|, each with as many roundings as the documentation names.
    pub(crate) fn solve_bound_ratio(&self, x: &Dense<T>, b: &Dense<T>) -> f64 {
        let n = self.a.rows;
        let zero = Dd::from(0.0);
        let mut worst = 0.0_f64;
        for j in 0..x.cols {
            // Of sums of magnitudes no digit is lost: double-double is exact enough, and its range is wide.
            let below = |k: usize| {
                (k..n).fold(zero, |sum, l| {
                    sum + self.factors.at(k, l).abs().to_dd() * x.at(l, j).abs().to_dd()
                })
            };
            let products: Vec<Dd> = (0..n).map(below).collect();
            for i in 0..n {
                let bound = (0..=i).fold(zero, |sum, k| {
                    sum + self.parts().lower(i, k).abs().to_dd() * products[k]
                });
                let mut scale = Exact::zero();
                scale.add(bound);
                let residual = solve_residual(&self.a, x, b, self.order[i], j);
                worst = worse(worst, residual.ratio(scale) / gamma::<T>(3.0 * n as f64));
            }
        }
        worst
    }

    pub(crate) fn solve(&self, b: &Dense<T>) -> Result<Dense<T>> {
        let right = Matrix::from_rows(self.lu.factors().device(), b.rows, b.cols, &b.values)?;
        let x = self.lu.solve(&right).block_on()?;
        assert_eq!((x.rows(), x.cols()), (self.a.cols, b.cols));
        Ok(Dense {
            rows: x.rows(),
            cols: x.cols(),
            values: x.to_host().block_on()?,
        })
    }

    /// 1 / (‖A‖ ‖A⁻¹‖) of the 1-norm, from the inverse in double-double on the host, as LAPACK's tests have it from
    /// theirs; zero where there is none.
    pub(crate) fn reciprocal_condition(&self) -> Result<f64> {
        let n = self.a.rows;
        let exponent = top_exponent(&self.a.values);
        let scaled = Dense::from_fn(n, n, |i, j| self.a.at(i, j).to_dd().scale_exponent(-exponent));
        let identity = Dense::from_fn(n, n, |i, j| Dd::from(f64::from(u8::from(i == j))));
        let host = Factored::of(&Device::host(), &scaled)?;
        if host.first_zero.is_some() {
            return Ok(0.0);
        }
        let inverse = host.solve(&identity)?;
        Ok(1.0 / (norm1(&scaled, 0) * norm1(&inverse, 0)))
    }
}

fn solve_residual<T: Scalar>(a: &Dense<T>, x: &Dense<T>, b: &Dense<T>, i: usize, j: usize) -> Exact {
    let mut sum = Exact::zero();
    sum.subtract(b.at(i, j));
    (0..a.cols).for_each(|k| sum.add_product(a.at(i, k), x.at(k, j)));
    sum
}

/// ‖B - A X‖ / (‖A‖ ‖X‖ eps), of the 1-norm, the largest over the columns; NaN where X is not finite.
pub(crate) fn solve_ratio<T: Scalar>(a: &Dense<T>, x: &Dense<T>, b: &Dense<T>) -> f64 {
    if !x.values.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    let (a_exponent, x_exponent) = (top_exponent(&a.values), top_exponent(&x.values));
    // Each factor of the unit by itself: their product may leave every scalar's range.
    let unit = power(a_exponent).times(1.0_f64.scale_exponent(x_exponent));
    let norm_a = norm1(a, a_exponent);
    let columns = (0..x.cols).map(|j| {
        let residual: f64 = (0..a.rows)
            .map(|i| solve_residual(a, x, b, i, j).ratio(unit.clone()))
            .sum();
        let norm_x: f64 = (0..x.rows).map(|i| scaled(x.at(i, j), x_exponent)).sum();
        relative(residual, norm_a * norm_x * T::ROUNDING)
    });
    columns.fold(0.0, worse)
}

/// `‖X - X_exact‖ rcond / (‖X_exact‖ eps)`, the largest over the columns.
pub(crate) fn forward_ratio<T: Scalar>(x: &Dense<T>, exact: &Dense<T>, reciprocal_condition: f64) -> f64 {
    let columns = (0..x.cols).map(|j| {
        let error: f64 = (0..x.rows)
            .map(|i| (x.at(i, j).to_dd() - exact.at(i, j).to_dd()).to_f64().abs())
            .sum();
        let norm: f64 = (0..x.rows).map(|i| exact.at(i, j).to_f64().abs()).sum();
        relative(error * reciprocal_condition, norm * T::ROUNDING)
    });
    columns.fold(0.0, worse)
}

/// The larger, and NaN if either is, which `f64::max` forgets.
pub(crate) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// A X, rounded once.
pub(crate) fn product<T: Scalar>(a: &Dense<T>, x: &Dense<T>) -> Dense<T> {
    Dense::from_fn(a.rows, x.cols, |i, j| {
        T::from_dd((0..a.cols).fold(Dd::from(0.0), |sum, k| sum + a.at(i, k).to_dd() * x.at(k, j).to_dd()))
    })
}

pub(crate) fn relative(residual: f64, scale: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / scale }
}

/// γₖ = ku / (1 - ku).
fn gamma<T: Scalar>(roundings: f64) -> f64 {
    let k = roundings * T::ROUNDING;
    k / (1.0 - k)
}

fn top_exponent<T: Scalar>(values: &[T]) -> i32 {
    values.iter().filter_map(|x| x.exponent()).max().unwrap_or(0)
}

fn power(exponent: i32) -> Exact {
    let mut power = Exact::zero();
    power.add(1.0_f64.scale_exponent(exponent));
    power
}

fn scaled<T: Scalar>(x: T, exponent: i32) -> f64 {
    x.to_dd().scale_exponent(-exponent).to_f64().abs()
}

fn norm1<T: Scalar>(a: &Dense<T>, exponent: i32) -> f64 {
    (0..a.cols)
        .map(|j| (0..a.rows).map(|i| scaled(a.at(i, j), exponent)).sum())
        .fold(0.0, worse)
}
