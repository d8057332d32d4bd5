//! How the error grows with N, and how much of it is the division's: what the authors left for later (their section 6).
//!
//! Elimination in rounded arithmetic factors another matrix exactly, `L̂Û = A + ΔA`, and ΔA is the sum of the errors of the
//! single operations (Wilkinson 1961; Higham 2002, section 9.3). With ã the value of an element when a step comes to it,
//!
//! - a division leaves `δ = l̂·û − ã`: the quotient times the pivot, less what was divided;
//! - an update leaves `ε = ã′ − (ã − û·l̂)`: what it became, less what it should have.
//!
//! So ΔA = D + E, the divisions' and the updates', element by element and without approximation. Both are found by
//! repeating the elimination on the host with the L̂ that the device has computed, whatever its division is like: its
//! products and differences are the host's, so its Û must come out, to the last bit. The error of the factors is split by
//! factoring A + D and A + E in a high precision, and comparing with the factors of A.

use super::host;
use crate::error::{Error, Result};

/// An error, relative in the Frobenius norm, and what it would be with errors of one source only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Of both together.
    pub total: f64,
    /// Of divisions alone.
    pub division: f64,
    /// Of products and differences alone.
    pub update: f64,
}

/// The errors of one factorisation in `f32`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorSplit {
    /// ‖ΔA‖ / ‖A‖ with `A + ΔA = L̂Û`.
    pub backward: Split,
    /// ‖F̂ − F‖ / ‖F‖, where F has U and, below the diagonal, L, computed in `f64`.
    pub forward: Split,
}

/// Splits the errors of `factors`, which a device has computed of the n² elements of `a` in any variant. None where an
/// update of theirs is not what the host makes of the same operands, or where there are infinities or NaNs.
///
/// # Errors
/// [`Error::Shape`] when there are not n² of either.
///
/// # Accuracy
/// Errors of single operations are found to 53 bits, and the factors compared with are those of `f64`: digits enough,
/// unless A is so ill-conditioned that its factors in `f32` have none.
///
/// # Cost
/// On the host: one elimination in `f32` and `f64`, three in `f64`; 24n² bytes.
///
/// ```
/// use nonius::lu::fragment::{error_growth, host};
/// let a = [3.0_f32, 1.0, 1.0, 3.0];
/// let mut factors = a;
/// host::factor(&mut factors, 2)?;
/// let split = error_growth::split(&a, &factors, 2)?.expect("the host repeats itself");
/// // 1/3 is rounded; 3 - 1/3 is too.
/// assert!(split.backward.division > 0.0 && split.backward.update > 0.0);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn split(a: &[f32], factors: &[f32], n: usize) -> Result<Option<ErrorSplit>> {
    let square = n.checked_mul(n);
    if square != Some(a.len()) || square != Some(factors.len()) {
        return Err(Error::Shape {
            operation: "lu::fragment::error_growth::split",
            expected: format!("{n} x {n} elements, twice"),
            found: format!("{} and {}", a.len(), factors.len()),
        });
    }
    let Some([division, update]) = backward(a, factors, n) else {
        return Ok(None);
    };
    let wide: Vec<f64> = a.iter().copied().map(f64::from).collect();
    let sum = |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x + y).collect() };
    let both = sum(&division, &update);
    let size = norm(&wide);
    let backward = Split {
        total: norm(&both) / size,
        division: norm(&division) / size,
        update: norm(&update) / size,
    };
    let mut exact = wide.clone();
    host::factor(&mut exact, n)?;
    let size = norm(&exact);
    let distance = |factors: &[f64]| {
        let difference: Vec<f64> = factors.iter().zip(&exact).map(|(found, exact)| found - exact).collect();
        norm(&difference) / size
    };
    let perturbed = |by: &[f64]| -> Result<f64> {
        let mut perturbed = sum(&wide, by);
        host::factor(&mut perturbed, n)?;
        Ok(distance(&perturbed))
    };
    let found: Vec<f64> = factors.iter().copied().map(f64::from).collect();
    let forward = Split {
        total: distance(&found),
        division: perturbed(&division)?,
        update: perturbed(&update)?,
    };
    let numbers = [backward, forward].map(|split| split.total + split.division + split.update);
    Ok(numbers
        .iter()
        .all(|number| number.is_finite())
        .then_some(ErrorSplit { backward, forward }))
}

/// D and E, of divisions and of updates.
fn backward(a: &[f32], factors: &[f32], n: usize) -> Option<[Vec<f64>; 2]> {
    let mut work = a.to_vec();
    let (mut division, mut update) = (vec![0.0; n * n], vec![0.0; n * n]);
    for k in 0..n {
        let (above, below) = work.split_at_mut((k + 1) * n);
        let pivots = &above[k * n..];
        // Row k is finished: the device has the same.
        if pivots[k..] != factors[k * n + k..(k + 1) * n] {
            return None;
        }
        for (row, j) in below.chunks_exact_mut(n).zip(k + 1..) {
            let l = factors[j * n + k];
            let wide = f64::from(l);
            // Exact: a product of 48 bits, and a difference of neighbours.
            division[j * n + k] = wide * f64::from(pivots[k]) - f64::from(row[k]);
            let errors = &mut update[j * n + k + 1..(j + 1) * n];
            for ((a, u), error) in row[k + 1..].iter_mut().zip(&pivots[k + 1..]).zip(errors) {
                let next = *a - *u * l;
                *error += f64::from(next) - (f64::from(*a) - f64::from(*u) * wide);
                *a = next;
            }
        }
    }
    Some([division, update])
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// p of the power Nᵖ that errors at several N follow: the slope of their logarithms, by least squares. None of fewer than
/// two different N, or of errors that are zero.
///
/// ```
/// use nonius::lu::fragment::error_growth::exponent;
/// let p = exponent(&[(32, 1e-7), (64, 2e-7), (128, 4e-7)]).expect("three sizes");
/// assert!((p - 1.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn exponent(errors: &[(usize, f64)]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a size, and a number of them")]
    let points: Vec<(f64, f64)> = errors.iter().map(|(n, error)| ((*n as f64).ln(), error.ln())).collect();
    #[expect(clippy::cast_precision_loss, reason = "as above")]
    let count = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |sum, point| {
        (sum.0 + point.0 / count, sum.1 + point.1 / count)
    });
    let centred = points.iter().map(|point| (point.0 - mean.0, point.1 - mean.1));
    let (covariance, variance) = centred.fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x * y, sum.1 + x * x));
    let slope = covariance / variance;
    (variance > 0.0 && slope.is_finite()).then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize) -> Vec<f32> {
        let mut state = 0x2005_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // 23 bits, so that both bounds are as they look.
            (state >> 9) as f32 / (1_u32 << 22) as f32 - 1.0
        };
        let size = n as f32;
        (0..n * n)
            .map(|at| next() + if at / n == at % n { size.sqrt() } else { 0.0 })
            .collect()
    }

    /// L̂Û = A + D + E, whichever quotients L̂ has.
    #[test]
    fn errors_of_operations_sum_to_the_backward_error() {
        for n in [1, 2, 3, 17, 60] {
            for wrong in [0, 1, -3] {
                let a = matrix(n);
                let mut factors = a.clone();
                for k in 0..n {
                    for j in k + 1..n {
                        let quotient = factors[j * n + k] / factors[k * n + k];
                        let l = f32::from_bits(quotient.to_bits().wrapping_add_signed(wrong));
                        factors[j * n + k] = l;
                        for c in k + 1..n {
                            factors[j * n + c] -= factors[k * n + c] * l;
                        }
                    }
                }
                let [division, update] = backward(&a, &factors, n).expect("the same updates");
                for (j, c) in (0..n).flat_map(|j| (0..n).map(move |c| (j, c))) {
                    let lower = |k: usize| if k == j { 1.0 } else { f64::from(factors[j * n + k]) };
                    let terms = (0..=j.min(c)).map(|k| lower(k) * f64::from(factors[k * n + c]));
                    let (product, magnitude) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term, sum.1 + term.abs()));
                    let at = j * n + c;
                    let found = f64::from(a[at]) + division[at] + update[at];
                    // Sums of n terms in f64, on either side.
                    let bound = 4.0 * n as f64 * f64::EPSILON * magnitude;
                    assert!((found - product).abs() <= bound, "{n} ({j}, {c}): {found} {product}");
                }
            }
        }
    }

    #[test]
    fn an_update_that_is_not_the_host_s_is_noticed() {
        let n = 9;
        let a = matrix(n);
        let mut factors = a.clone();
        host::factor(&mut factors, n).expect("square");
        assert!(split(&a, &factors, n).expect("square").is_some());
        let last = &mut factors[n * n - 1];
        *last = f32::from_bits(last.to_bits() + 1);
        assert_eq!(split(&a, &factors, n), Ok(None));
        assert!(split(&a, &factors, n + 1).is_err());
        assert_eq!(exponent(&[(8, 1.0)]), None);
        assert_eq!(exponent(&[(8, 0.0), (16, 1.0)]), None);
    }
}
