//! Least squares with coefficients that are not negative (Lawson and Hanson 1974, chapter 23).

use nalgebra::{DMatrix, DVector};

/// x ≥ 0 that minimises ‖Ax − b‖₂, for a few columns.
///
/// Columns are scaled to unit length first, since those of a cost model differ by many orders. A column that depends on
/// those in use has no gradient left and is not taken up, so rank deficiency leaves it at zero.
pub(super) fn solve(a: &DMatrix<f64>, b: &DVector<f64>) -> Vec<f64> {
    let lengths: Vec<f64> = a.column_iter().map(|column| column.norm()).collect();
    let mut scaled = a.clone();
    for (mut column, length) in scaled.column_iter_mut().zip(&lengths) {
        if *length > 0.0 {
            column /= *length;
        }
    }
    let tolerance = 1e-12 * b.norm();
    let mut x = DVector::zeros(a.ncols());
    let mut passive = vec![false; a.ncols()];
    // In exact arithmetic the residual falls at every turn, so that no passive set comes back; in floating point the
    // count sees to the end.
    for _ in 0..8 * a.ncols() {
        let gradient = scaled.tr_mul(&(b - &scaled * &x));
        let steepest = (0..a.ncols())
            .filter(|k| !passive[*k] && gradient[*k] > tolerance)
            .max_by(|p, q| gradient[*p].total_cmp(&gradient[*q]).then(q.cmp(p)));
        let Some(steepest) = steepest else { break };
        passive[steepest] = true;
        x = settle(&scaled, b, x, &mut passive);
    }
    let unscaled = x.iter().zip(&lengths);
    unscaled
        .map(|(x, length)| if *length > 0.0 { x / length } else { 0.0 })
        .collect()
}

/// From a feasible x to the unconstrained minimum over the passive columns; those that would turn negative on the way
/// leave the set.
fn settle(a: &DMatrix<f64>, b: &DVector<f64>, mut x: DVector<f64>, passive: &mut [bool]) -> DVector<f64> {
    while passive.contains(&true) {
        let aim = unconstrained(a, b, passive);
        let blocking = |k: &usize| passive[*k] && aim[*k] <= 0.0;
        let blocked: Vec<usize> = (0..a.ncols()).filter(blocking).collect();
        if blocked.is_empty() {
            return aim;
        }
        let step = |k: usize| if x[k] > 0.0 { x[k] / (x[k] - aim[k]) } else { 0.0 };
        let least = blocked.iter().map(|k| step(*k)).fold(1.0, f64::min);
        let stopped: Vec<usize> = blocked.into_iter().filter(|k| step(*k) <= least).collect();
        x += (aim - &x) * least;
        for k in stopped {
            passive[k] = false;
            x[k] = 0.0;
        }
    }
    DVector::zeros(a.ncols())
}

fn unconstrained(a: &DMatrix<f64>, b: &DVector<f64>, passive: &[bool]) -> DVector<f64> {
    let chosen: Vec<usize> = (0..a.ncols()).filter(|k| passive[*k]).collect();
    // Nearly dependent columns share what they explain, instead of cancelling each other.
    let solution = a.select_columns(&chosen).svd(true, true).solve(b, 1e-10);
    let mut x = DVector::zeros(a.ncols());
    if let Ok(solution) = solution {
        chosen.iter().zip(solution.iter()).for_each(|(k, value)| x[*k] = *value);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::Random;

    /// The minimum over every set of columns whose unconstrained solution is not negative: the definition.
    fn by_enumeration(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
        let mut least = b.norm();
        for set in 1_u32..1 << a.ncols() {
            let passive: Vec<bool> = (0..a.ncols()).map(|k| set >> k & 1 == 1).collect();
            let x = unconstrained(a, b, &passive);
            if x.iter().all(|x| *x >= 0.0) {
                least = least.min((a * x - b).norm());
            }
        }
        least
    }

    #[test]
    fn it_finds_the_least_of_all_sets() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            // Columns that are alike, as those of a cost model are, so that one taken up early must leave again.
            let common = DVector::from_fn(12, |_, _| 2.0 * random.normal());
            let a = DMatrix::from_fn(12, 7, |row, _| common[row] + random.normal());
            let b = DVector::from_fn(12, |row, _| common[row] + random.normal());
            let x = DVector::from_vec(solve(&a, &b));
            assert!(x.iter().all(|x| *x >= 0.0), "seed {seed}: {x}");
            let (found, least) = ((&a * x - &b).norm(), by_enumeration(&a, &b));
            assert!(found <= least * (1.0 + 1e-9), "seed {seed}: {found} above {least}");
        }
    }

    #[test]
    fn dependent_and_empty_columns_do_no_harm() {
        let mut random = Random::new(7);
        let mut a = DMatrix::from_fn(9, 5, |_, _| random.normal().abs());
        let twice = a.column(1) * 2.0;
        a.set_column(3, &twice);
        a.column_mut(4).fill(0.0);
        let b = &a * DVector::from_vec(vec![3.0, 1.0, 2.0, 1.0, 0.0]);
        let x = DVector::from_vec(solve(&a, &b));
        assert!(x.iter().all(|x| *x >= 0.0 && x.is_finite()));
        let error = (a * x - &b).norm();
        assert!(error <= 1e-9 * b.norm(), "{error}");
    }
}
