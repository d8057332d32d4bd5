//! Corrections where norms see nothing any more, until each equation is solved beside its own terms.

use super::dense::{Problem, share};
use super::measure::{Accuracy, measure};
use crate::error::Result;
use crate::lu::Lu;
use crate::scalar::{Dd, Scalar};

/// Corrections at most, as in LAPACK's `gerfs`.
const CORRECTIONS: usize = 5;

/// An x, and what is known of it.
pub(super) struct Corrected {
    pub(super) x: Vec<f64>,
    pub(super) accuracy: Accuracy,
    /// As [`super::Stage::error`].
    pub(super) error: f64,
}

impl Problem<'_> {
    /// Corrects the scaled solution y of the scaled right-hand side b while it meets the target by norms, and not componentwise: at
    /// most [`CORRECTIONS`] times, and as long as corrections halve. Returns the best x, and the componentwise backward errors of all.
    ///
    /// Elements of x may be so much larger than others that their roundings, by way of the factors' errors, are a change of the small
    /// ones that never ends, whatever the residual is computed in. So y is kept in double-double until the end (Demmel, Hida, Kahan,
    /// Li, Mukherjee and Riedy 2006). Small equations get no better before large ones leave less than their terms: what tells
    /// that corrections are of use is that these halve, not, as in `gerfs`, the backward error.
    pub(super) async fn correct_componentwise<L: Scalar>(
        &self,
        lu: &Lu<L>,
        b: &[Dd],
        mut y: Vec<Dd>,
        reliable: bool,
    ) -> Result<(Corrected, Vec<f64>)> {
        let mut correction = self.correction(lu, b.to_vec(), &y).await?;
        let mut best = self.corrected(&y, &correction);
        let mut error = best.error;
        let mut history = vec![best.accuracy.componentwise_backward_error];
        // Factors that say nothing about A have corrections that do not either.
        let worthwhile = reliable && best.accuracy.backward_error <= self.target;
        while worthwhile && best.accuracy.componentwise_backward_error > self.target && history.len() <= CORRECTIONS {
            y.iter_mut().zip(&correction).for_each(|(y, d)| *y += *d);
            correction = self.correction(lu, b.to_vec(), &y).await?;
            let mut next = self.corrected(&y, &correction);
            let halved = next.error <= 0.5 * error;
            error = next.error;
            history.push(next.accuracy.componentwise_backward_error);
            let better = next.accuracy.componentwise_backward_error < best.accuracy.componentwise_backward_error;
            if better && next.accuracy.backward_error <= self.target {
                // Of y in double-double the correction is smaller than the roundings of x.
                next.error = next.error.max(f64::ROUNDING);
                best = next;
            }
            if !halved {
                break;
            }
        }
        Ok((best, history))
    }

    /// The unscaled solution, with the correction of the scaled one.
    fn corrected(&self, y: &[Dd], correction: &[Dd]) -> Corrected {
        let unscaled = y.iter().zip(&self.scaling.cols);
        let x: Vec<f64> = unscaled
            .map(|(y, col)| y.scale_exponent(col - self.scaling.b).to_f64())
            .collect();
        Corrected {
            accuracy: measure(self.a, &x, self.b),
            x,
            // Of x as it was asked for: columns that are scaled apart have elements of x that are.
            error: share(correction, y, &self.scaling.cols),
        }
    }
}
