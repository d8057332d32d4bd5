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

/// The smallest double above zero.
const SMALLEST: f64 = f64::from_bits(1);

/// Measures `x` against the entries of A, duplicates summed, and b: products and sums in double-double, on the host.
///
/// All is scaled by powers of two on the way, so that nothing over- or underflows before the end. A measure that is then too
/// small for a double is the smallest there is: zero means that double-double knows no residual. One that is too large is
/// infinite. NaN where A, x or b is not finite, or x or b has another length than A has columns or rows.
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
    let fit = x.len() == a.cols() && b.len() == a.rows();
    if !fit || !a.values().iter().chain(x).chain(b).all(|x| x.is_finite()) {
        return Accuracy {
            residual: f64::NAN,
            backward_error: f64::NAN,
        };
    }
    // Every row in the unit of its largest term, so that no residual is lost beside a larger row.
    let unit = |a: f64, x: f64| Some(Scalar::exponent(a)? + Scalar::exponent(x)?);
    let mut units: Vec<Option<i32>> = b.iter().map(|b| Scalar::exponent(*b)).collect();
    for (row, col, value) in a.iter() {
        units[row] = units[row].max(unit(value, x[col]));
    }
    let units: Vec<i32> = units.into_iter().map(|unit| unit.unwrap_or(0)).collect();
    let a_exponent = top_exponent(a.values());
    let x_exponent = top_exponent(x);
    let b_exponent = top_exponent(b);
    let scaled = |b: &f64, exponent: i32| Dd::from(*b).scale_exponent(-exponent);
    let mut r: Vec<Dd> = b.iter().zip(&units).map(|(b, unit)| scaled(b, *unit)).collect();
    let mut row_sums = vec![Dd::from(0.0); b.len()];
    for (row, col, value) in a.iter() {
        if let Some(exponent) = unit(value, x[col]) {
            let factor_exponent = Scalar::exponent(value).unwrap_or(0);
            let product = scaled(&value, factor_exponent) * scaled(&x[col], exponent - factor_exponent);
            r[row] -= product.scale_exponent(exponent - units[row]);
        }
        row_sums[row] += scaled(&value.abs(), a_exponent);
    }
    let tops = r.iter().zip(&units).filter_map(|(r, unit)| Some(r.exponent()? + unit));
    let r_exponent = tops.max().unwrap_or(0);
    r.iter_mut()
        .zip(&units)
        .for_each(|(r, unit)| *r = r.scale_exponent(unit - r_exponent));
    let largest = |values: &mut dyn Iterator<Item = Dd>| values.map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let norm_r = largest(&mut r.iter().copied());
    let norm_a = largest(&mut row_sums.iter().copied());
    let norm_x = largest(&mut x.iter().map(|x| scaled(x, x_exponent)));
    let norm_b = largest(&mut b.iter().map(|b| scaled(b, b_exponent)));
    let root_of_squares =
        |values: &mut dyn Iterator<Item = Dd>| values.fold(Dd::from(0.0), |sum, x| x.mul_add(x, sum)).sqrt();
    let r2 = root_of_squares(&mut r.iter().copied());
    let b2 = root_of_squares(&mut b.iter().map(|b| scaled(b, b_exponent)));
    let residual = if b2 == Dd::from(0.0) {
        r2.to_f64().scale_exponent(r_exponent)
    } else {
        (r2 / b2).to_f64().scale_exponent(r_exponent - b_exponent)
    };
    // Zero only where the residual is.
    let residual = if norm_r == 0.0 { 0.0 } else { residual.max(SMALLEST) };
    let product_exponent = a_exponent + x_exponent;
    let scale_exponent = if norm_a * norm_x == 0.0 {
        b_exponent
    } else if norm_b == 0.0 {
        product_exponent
    } else {
        product_exponent.max(b_exponent)
    };
    let scale = (norm_a * norm_x).scale_exponent(product_exponent - scale_exponent)
        + norm_b.scale_exponent(b_exponent - scale_exponent);
    let backward_error = if norm_r == 0.0 {
        0.0
    } else {
        // Zero only where the residual is.
        (norm_r / scale)
            .scale_exponent(r_exponent - scale_exponent)
            .max(f64::MIN_POSITIVE)
    };
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
