//! Wathen's matrix: mass of eight-node serendipity elements with random densities.

use super::counted;
use super::random::SplitMix64;
use crate::Result;
use crate::sparse::{Coo, Csr};

/// 45 times an element's matrix of unit density (Wathen, *Realistic eigenvalue bounds for the Galerkin mass matrix*,
/// IMA J. Numer. Anal. 7, 1987): two blocks of four nodes, and the coupling between them.
const WITHIN: [[f64; 4]; 4] = [
    [6.0, -6.0, 2.0, -8.0],
    [-6.0, 32.0, -6.0, 20.0],
    [2.0, -6.0, 6.0, -6.0],
    [-8.0, 20.0, -6.0, 32.0],
];
const BETWEEN: [[f64; 4]; 4] = [
    [3.0, -8.0, 2.0, -6.0],
    [-8.0, 16.0, -8.0, 20.0],
    [2.0, -8.0, 3.0, -8.0],
    [-6.0, 20.0, -8.0, 16.0],
];

/// Wathen's matrix on nx x ny elements: 3 nx ny + 2 nx + 2 ny + 1 rows, symmetric, and positive definite whatever the
/// densities but 0; they are uniform in [0, 100), 0 once in 2⁵³, and follow from the seed. Without elements there are no
/// rows. `wathen(100, 100, …)` and `wathen(120, 100, …)` have the sizes of the collections' `wathen100` and `wathen120`.
///
/// Higham, *Algorithm 694: a collection of test matrices in MATLAB*, ACM TOMS 17 (1991), whose numbering this is.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for more than 2³² − 1 rows or summands (64 an element).
///
/// ```
/// use nonius::sparse::generate::wathen;
///
/// let a = wathen(2, 1, 7)?;
/// assert_eq!(a.rows(), 13);
/// assert_eq!(a, a.transpose()?);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn wathen(nx: usize, ny: usize, seed: u64) -> Result<Csr<f64>> {
    // 64 an element, which is more than it has rows: what counts these counts rows.
    let summands = counted("wathen", "summands", &[nx, ny, 64])?;
    // A node belongs to an element: points along a line hang on nothing.
    let n = if summands == 0 {
        0
    } else {
        3 * nx * ny + 2 * nx + 2 * ny + 1
    };
    let mut random = SplitMix64(seed);
    let mut coo = Coo::new(n, n)?;
    for j in 1..=ny {
        for i in 1..=nx {
            let density = 100.0 * random.unit();
            let upper = 3 * j * nx + 2 * (i + j);
            let middle = 3 * j * nx - nx + 2 * j + i - 2;
            let lower = 3 * (j - 1) * nx + 2 * (i + j) - 4;
            let nodes = [
                upper,
                upper - 1,
                upper - 2,
                middle,
                lower,
                lower + 1,
                lower + 2,
                middle + 1,
            ];
            for (a, row) in nodes.into_iter().enumerate() {
                for (b, column) in nodes.into_iter().enumerate() {
                    let block = if a / 4 == b / 4 { &WITHIN } else { &BETWEEN };
                    coo.push(row, column, block[a % 4][b % 4] / 45.0 * density)?;
                }
            }
        }
    }
    Csr::from_coo(&coo)
}
