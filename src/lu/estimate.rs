//! ‖B‖₁ of a matrix that is known by its products only: Hager's and Higham's estimator.

use super::solve::Side;
use crate::error::Result;

/// Products with B or Bᵀ at most for one more look at a column (LAPACK's `ITMAX`).
const LOOKS: usize = 5;

/// A lower bound of ‖B‖₁ for an n x n matrix B, almost always within a factor of 3 of it: Higham 2002, algorithm 15.1, with
/// the stops and the alternating vector of LAPACK's `dlacn2`. `apply` multiplies a vector by B, or by Bᵀ.
///
/// Infinite where a product is not finite: then B is beyond the range of the scalar that it was computed in.
/// Cost: 4 or 5 products as a rule, 11 at most.
pub(super) async fn norm1(n: usize, mut apply: impl AsyncFnMut(Side, Vec<f64>) -> Result<Vec<f64>>) -> Result<f64> {
    if n == 0 {
        return Ok(0.0);
    }
    let mut x = apply(Side::Plain, vec![1.0 / n as f64; n]).await?;
    let mut estimate = sum(&x);
    if n == 1 || !estimate.is_finite() {
        return Ok(finite_or_infinite(estimate));
    }
    let mut signs = signs_of(&x);
    let mut column = None;
    for _ in 1..LOOKS {
        let gradient = apply(Side::Transposed, signs.clone()).await?;
        if !sum(&gradient).is_finite() {
            return Ok(f64::INFINITY);
        }
        let steepest = largest(&gradient);
        // The gradient says that no column is better than the last.
        if column.is_some_and(|last: usize| gradient[last].abs() >= gradient[steepest].abs()) {
            break;
        }
        column = Some(steepest);
        let mut unit = vec![0.0; n];
        unit[steepest] = 1.0;
        x = apply(Side::Plain, unit).await?;
        let found = sum(&x);
        if !found.is_finite() {
            return Ok(f64::INFINITY);
        }
        let before = estimate;
        estimate = estimate.max(found);
        let turned = signs_of(&x);
        if turned == signs || found <= before {
            break;
        }
        signs = turned;
    }
    // Columns that cancel in every product so far are seen by this one.
    let alternating = (0..n).map(|i| {
        let size = 1.0 + i as f64 / (n - 1) as f64;
        if i % 2 == 0 { size } else { -size }
    });
    let last = sum(&apply(Side::Plain, alternating.collect()).await?);
    Ok(estimate.max(finite_or_infinite(2.0 * last / (3.0 * n as f64))))
}

fn sum(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

fn signs_of(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| if *x < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// The first of the largest.
fn largest(x: &[f64]) -> usize {
    let larger = |best: usize, i: usize| if x[i].abs() > x[best].abs() { i } else { best };
    (0..x.len()).fold(0, larger)
}

fn finite_or_infinite(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimated(n: usize, b: &[f64]) -> f64 {
        let product = async |side, x: Vec<f64>| {
            let entry = |i: usize, j: usize| match side {
                Side::Plain => b[i * n + j],
                Side::Transposed => b[j * n + i],
            };
            Ok((0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect())
        };
        pollster::block_on(norm1(n, product)).expect("nothing fails")
    }

    #[test]
    fn small_norms_are_exact_and_counterexamples_are_not_missed() {
        assert_eq!(estimated(0, &[]), 0.0);
        assert_eq!(estimated(1, &[-3.0]), 3.0);
        assert_eq!(estimated(2, &[1.0, -4.0, 2.0, 5.0]), 9.0);
        assert_eq!(estimated(2, &[1.0, f64::INFINITY, 2.0, 5.0]), f64::INFINITY);
        assert_eq!(estimated(2, &[f64::NAN, 1.0, 2.0, 5.0]), f64::INFINITY);
        // Products with ones, with their signs and with the first unit vector see a norm of 1; only the alternating
        // vector sees more (Higham 2002, section 15.3): I + θ C with C e = Cᵗ e = C e₁ = 0.
        let n = 9;
        let theta = 1e6_f64;
        let b: Vec<f64> = (0..n * n)
            .map(|k| {
                let (i, j) = (k / n, k % n);
                let sign = |k: usize| match k {
                    0 => 0.0,
                    k if k.is_multiple_of(2) => 1.0,
                    _ => -1.0,
                };
                theta.mul_add(sign(i) * sign(j), f64::from(u8::from(i == j)))
            })
            .collect();
        let exact = (0..n).map(|i| b[i * n + 1].abs()).sum::<f64>();
        let found = estimated(n, &b);
        assert!(found <= exact && found >= exact / 3.0, "{found:e} of {exact:e}");
    }
}
