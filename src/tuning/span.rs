//! Vectors, and what they leave of another.

/// An orthonormal basis that grows; vectors that depend on those before add nothing.
#[derive(Debug, Default)]
pub(super) struct Span(Vec<Vec<f64>>);

impl Span {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn add(&mut self, vector: Vec<f64>) {
        let before = dot(&vector, &vector).sqrt();
        let mut rest = self.remainder(vector);
        let length = dot(&rest, &rest).sqrt();
        if length > 1e-9 * before {
            rest.iter_mut().for_each(|x| *x /= length);
            self.0.push(rest);
        }
    }

    /// The part of a vector that is orthogonal to the span; removed twice, since once leaves rounding errors (Kahan).
    pub(super) fn remainder(&self, mut vector: Vec<f64>) -> Vec<f64> {
        for direction in self.0.iter().chain(&self.0) {
            let along = dot(direction, &vector);
            vector.iter_mut().zip(direction).for_each(|(x, d)| *x -= along * d);
        }
        vector
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
