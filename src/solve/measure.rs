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
    /// maxᵢ |b − A x|ᵢ / (|A||x| + |b|)ᵢ: the smallest relative change of any entry of A and b for which x is exact (Oettli and
    /// Prager 1964), LAPACK's `berr`. Never below the other; far above it where rows or elements of x are much smaller than
    /// others, and solved less well.
    pub componentwise_backward_error: f64,
}

/// The smallest double above zero.
const SMALLEST: f64 = f64::from_bits(1);

/// Measures `x` against the entries of A, duplicates summed, and b: products and sums, those of duplicates too, in
/// double-double, on the host.
///
/// All is scaled by powers of two on the way, so that nothing over- or underflows before the end. A measure that is then too
/// small for a double is the smallest there is: zero means that double-double knows no residual. One that is too large is
/// infinite. NaN where A, x or b is not finite, or x or b has another length than A has columns or rows.
///
/// Cost: the entries are ordered by their positions, in 8 bytes each, and gone through once.
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
            componentwise_backward_error: f64::NAN,
        };
    }
    let Rows {
        residuals: r,
        sums: row_sums,
        sizes,
    } = Rows::of(a, x, b);
    let a_exponent = top(&row_sums);
    let r_exponent = top(&r);
    let x_exponent = top_exponent(x);
    let b_exponent = top_exponent(b);
    let scaled = |b: &f64, exponent: i32| Dd::from(*b).scale_exponent(-exponent);
    let largest = |values: &mut dyn Iterator<Item = Dd>| values.map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let norm_r = largest(&mut r.iter().map(|r| r.in_unit(r_exponent)));
    let norm_a = largest(&mut row_sums.iter().map(|sum| sum.in_unit(a_exponent)));
    let norm_x = largest(&mut x.iter().map(|x| scaled(x, x_exponent)));
    let norm_b = largest(&mut b.iter().map(|b| scaled(b, b_exponent)));
    let root_of_squares =
        |values: &mut dyn Iterator<Item = Dd>| values.fold(Dd::from(0.0), |sum, x| x.mul_add(x, sum)).sqrt();
    let r2 = root_of_squares(&mut r.iter().map(|r| r.in_unit(r_exponent)));
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
            .max(SMALLEST)
    };
    let componentwise = r.iter().zip(&sizes).map(|(r, size)| r.over(*size));
    Accuracy {
        residual,
        backward_error,
        componentwise_backward_error: componentwise.fold(0.0, f64::max),
    }
}

struct Rows {
    /// b − A x.
    residuals: Vec<Scaled>,
    /// The sums of the magnitudes in each row of A.
    sums: Vec<Scaled>,
    /// |A||x| + |b|.
    sizes: Vec<Scaled>,
}

impl Rows {
    fn of(a: &Coo<f64>, x: &[f64], b: &[f64]) -> Self {
        let x: Vec<Scaled> = x.iter().copied().map(Scaled::from).collect();
        let mut r: Vec<Scaled> = b.iter().copied().map(Scaled::from).collect();
        let mut sizes: Vec<Scaled> = r.iter().map(|r| r.abs()).collect();
        let mut row_sums = vec![Scaled::zero(); b.len()];
        let mut entries = a.sorted().peekable();
        while let Some((row, col, value)) = entries.next() {
            let mut element = Scaled::from(value);
            let mut repeated = false;
            while let Some((_, _, value)) = entries.next_if(|(i, j, _)| (*i, *j) == (row, col)) {
                element.add(Scaled::from(value));
                repeated = true;
            }
            if repeated {
                // Larger entries that cancelled are no part of the matrix.
                element = Scaled::new(element.mantissa, element.exponent);
            }
            row_sums[row].add(element.abs());
            let product = Scaled {
                mantissa: element.mantissa * x[col].mantissa,
                exponent: element.exponent + x[col].exponent,
            };
            sizes[row].add(product.abs());
            r[row].add(Scaled {
                mantissa: -product.mantissa,
                ..product
            });
        }
        Self {
            residuals: r,
            sums: row_sums,
            sizes,
        }
    }
}

/// mantissa · 2^exponent: of a number, the mantissa is in [1, 2); a sum is in the unit of its largest term, so that nothing
/// over- or underflows, and no residual is lost beside that of a larger row.
#[derive(Debug, Clone, Copy)]
struct Scaled {
    mantissa: Dd,
    exponent: i32,
}

impl From<f64> for Scaled {
    fn from(x: f64) -> Self {
        match Scalar::exponent(x) {
            Some(exponent) => Self {
                mantissa: Dd::from(x.scale_exponent(-exponent)),
                exponent,
            },
            None => Self::zero(),
        }
    }
}

impl Scaled {
    /// In a unit below that of any product of doubles, where this is a factor too.
    fn zero() -> Self {
        Self {
            mantissa: Dd::from(0.0),
            exponent: -4400,
        }
    }

    fn new(mantissa: Dd, exponent: i32) -> Self {
        match mantissa.exponent() {
            Some(shift) => Self {
                mantissa: mantissa.scale_exponent(-shift),
                exponent: exponent + shift,
            },
            None => Self::zero(),
        }
    }

    fn add(&mut self, term: Self) {
        if self.mantissa == Dd::from(0.0) {
            // Whatever cancelled was as large as it may have been.
            *self = term;
            return;
        }
        if term.exponent > self.exponent {
            self.mantissa = self.in_unit(term.exponent);
            self.exponent = term.exponent;
        }
        self.mantissa += term.in_unit(self.exponent);
    }

    fn abs(self) -> Self {
        Self {
            mantissa: self.mantissa.abs(),
            ..self
        }
    }

    /// |self| / size: zero only where this is.
    fn over(self, size: Self) -> f64 {
        if self.mantissa == Dd::from(0.0) {
            return 0.0;
        }
        let ratio = (self.mantissa.abs() / size.mantissa).to_f64();
        ratio.scale_exponent(self.exponent - size.exponent).max(SMALLEST)
    }

    /// In units of 2^exponent.
    fn in_unit(self, exponent: i32) -> Dd {
        self.mantissa.scale_exponent(self.exponent - exponent)
    }
}

/// The exponent of the largest magnitude; 0 if all are zero.
fn top(values: &[Scaled]) -> i32 {
    let exponents = values.iter().filter_map(|x| Some(x.mantissa.exponent()? + x.exponent));
    exponents.max().unwrap_or(0)
}

/// The exponent of the largest magnitude; 0 if all are zero.
pub(super) fn top_exponent(values: &[f64]) -> i32 {
    values
        .iter()
        .filter_map(|value| Scalar::exponent(*value))
        .max()
        .unwrap_or(0)
}
