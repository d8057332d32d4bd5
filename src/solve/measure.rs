//! How good a solution is, in arithmetic far finer than it was found in.

use crate::scalar::{Dd, Scalar};
use crate::sparse::Coo;

/// The accuracy of an x for A x = b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// ‖b − A x‖₂ / ‖b‖₂; the numerator alone where b is zero.
    pub residual: f64,
    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞): the smallest relative change of A and b for which x is exact (Rigal and Gaches
    /// 1967). Zero where x and b are.
    pub backward_error: f64,
}

/// Measures `x` against the entries of A, duplicates summed, and b: products and sums in double-double, on the host.
///
/// All is scaled by powers of two on the way, so that nothing over- or underflows. NaN where x is not finite.
///
/// ```
/// use nonius::{solve::measure, sparse::Coo};
/// let a = Coo::from_triplets(1, 1, [(0, 0, 3.0)])?;
/// let third = measure(&a, &[1.0 / 3.0], &[1.0]);
/// assert!(third.residual > 0.0 && third.residual < 1e-16);
/// # Ok::<(), nonius::Error>(())
/// ```
#[must_use]
pub fn measure(a: &Coo<f64>, x: &[f64], b: &[f64]) -> Accuracy {
    if x.iter().any(|x| !x.is_finite()) {
        return Accuracy {
            residual: f64::NAN,
            backward_error: f64::NAN,
        };
    }
    // With A below 2^e and x below 2^k, products of scaled factors are below 4, and b is scaled as they are.
    let a_exponent = top_exponent(a.values());
    let x_exponent = top_exponent(x);
    let b_exponent = top_exponent(b);
    let shift = a_exponent + x_exponent;
    // Residuals are relative to the larger of A x and b.
    let unit = shift.max(b_exponent);
    let mut r: Vec<Dd> = b.iter().map(|b| Dd::from(*b).scale_exponent(-unit)).collect();
    let mut row_sums = vec![Dd::from(0.0); b.len()];
    for (row, col, value) in a.iter() {
        let entry = Dd::from(value).scale_exponent(-a_exponent);
        let product = entry * Dd::from(x[col]).scale_exponent(-x_exponent);
        r[row] -= product.scale_exponent(shift - unit);
        row_sums[row] += if value < 0.0 { -entry } else { entry };
    }
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let norm_a = largest(&mut row_sums.iter().map(|sum| sum.to_f64()));
    let norm_x = largest(&mut x.iter().map(|x| x.abs().scale_exponent(-x_exponent)));
    let norm_b = largest(&mut b.iter().map(|b| b.abs().scale_exponent(-unit)));
    let norm_r = largest(&mut r.iter().map(|r| r.to_f64().abs()));
    let root_of_squares =
        |values: &mut dyn Iterator<Item = Dd>| values.fold(Dd::from(0.0), |sum, x| x.mul_add(x, sum)).sqrt();
    let r2 = root_of_squares(&mut r.iter().copied());
    let b2 = root_of_squares(&mut b.iter().map(|b| Dd::from(*b).scale_exponent(-b_exponent)));
    let residual = if b2 == Dd::from(0.0) {
        r2.to_f64().scale_exponent(unit)
    } else {
        (r2 / b2).to_f64().scale_exponent(unit - b_exponent)
    };
    let scale = (norm_a * norm_x).scale_exponent(shift - unit) + norm_b;
    let backward_error = if norm_r == 0.0 { 0.0 } else { norm_r / scale };
    Accuracy {
        residual,
        backward_error,
    }
}

/// The exponent of the largest magnitude; 0 if all are zero.
pub(super) fn top_exponent(values: &[f64]) -> i32 {
    values
        .iter()
        .filter_map(|value| Scalar::exponent(*value))
        .max()
        .unwrap_or(0)
}
