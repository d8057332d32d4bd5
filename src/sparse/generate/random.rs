//! Random numbers that are the same everywhere, and the power-law graphs that are made of them.

use super::counted;
use crate::sparse::{Coo, Csr};
use crate::{Error, Result};

/// SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014).
pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1), a multiple of 2⁻⁵³.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2.0_f64.powi(-53)
    }
}

/// R-MAT, a graph with 2^`scale` vertices and `edges` edges each on average, whose degrees follow a power law; its
/// adjacency matrix, an edge that is drawn k times having the value k.
///
/// Every edge falls, bit by bit of its ends, into one of four quadrants with probabilities 0.57, 0.19, 0.19 and 0.05
/// (Chakrabarti, Zhan and Faloutsos, *R-MAT: a recursive model for graph mining*, SDM 2004; these are Graph500's). The
/// same seed gives the same matrix.
///
/// # Errors
/// [`Error::Shape`] for more than 2³¹ vertices, or more than 2³² − 1 edges;
/// [`Error::OutOfMemory`] if the host cannot hold them.
///
/// ```
/// use nonius::sparse::generate::r_mat;
///
/// let a = r_mat(8, 4, 42)?;
/// assert_eq!((a.rows(), a.values().iter().sum::<f64>()), (256, 1024.0));
/// assert_eq!(a, r_mat(8, 4, 42)?);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn r_mat(scale: u32, edges: usize, seed: u64) -> Result<Csr<f64>> {
    let n = 1_usize
        .checked_shl(scale)
        .filter(|_| scale < 32)
        .ok_or_else(|| Error::Shape {
            operation: "r_mat",
            expected: "a scale below 32".to_owned(),
            found: format!("{scale}"),
        })?;
    let count = counted("r_mat", "edges", &[n, edges])?;
    let mut random = SplitMix64(seed);
    let mut coo = Coo::new(n, n)?;
    coo.reserve(count)?;
    for _ in 0..count {
        let (mut row, mut column) = (0, 0);
        for _ in 0..scale {
            let draw = random.unit();
            let (below, right) = (draw >= 0.76, (0.57..0.76).contains(&draw) || draw >= 0.95);
            row = 2 * row + usize::from(below);
            column = 2 * column + usize::from(right);
        }
        coo.push(row, column, 1.0)?;
    }
    Csr::from_coo(&coo)
}
