//! Linear elasticity on trilinear hexahedra: the matrices that run packing was made for.

use super::counted;
use crate::Result;
use crate::sparse::Csr;

/// Poisson's ratio; Young's modulus is 1.
const POISSON: f64 = 0.3;

/// The stiffness matrix of an elastic block of nx x ny x nz unit cubes, held fast at x = 0: three unknowns at each of the
/// nx (ny + 1)(nz + 1) nodes that are free, coupled with those of up to 27 nodes in dense blocks of 3 x 3. Runs of nine.
/// Symmetric, to the bit, and positive definite; Young's modulus 1, Poisson's ratio 0.3.
///
/// Trilinear elements, integrated exactly by 2 x 2 x 2 Gauss points (Hughes, *The Finite Element Method*, 2000, §3.5 and
/// §2.8). Nodes are numbered along x, then y, then z. What cancels stays stored as zero.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for more than 2³² − 1 unknowns or entries.
///
/// ```
/// use nonius::sparse::generate::elasticity;
///
/// let a = elasticity(4, 4, 4)?;
/// assert_eq!(a.rows(), 3 * 4 * 5 * 5);
/// assert_eq!(a.row(3 * (4 * 6 + 1)).len(), 81);
/// assert_eq!(a, a.transpose()?);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn elasticity(nx: usize, ny: usize, nz: usize) -> Result<Csr<f64>> {
    let beyond = |extent: usize| extent.saturating_add(1);
    let (my, mz) = (beyond(ny), beyond(nz));
    let n = counted("elasticity", "unknowns", &[3, nx, my, mz])?;
    let element = stiffness();
    // Without elements across y or z, nodes hang on nothing: a matrix of no rows.
    let n = if ny == 0 || nz == 0 { 0 } else { n };
    Csr::from_rows(n, n, |row, entries| {
        let (node, component) = (row / 3, row % 3);
        // The coordinates x = 0 belong to nodes that are fixed.
        let at = [node % nx + 1, node / nx % my, node / (nx * my)];
        let extents = [nx, ny, nz];
        for offset in 0..27 {
            let Some(to) = neighbour(at, offset, extents).filter(|to| to[0] > 0) else {
                continue;
            };
            let block = coupling(&element, at, to, extents);
            let column = 3 * ((to[2] * my + to[1]) * nx + to[0] - 1);
            entries.extend((0..3).map(|other| (column + other, block[component][other])));
        }
    })
}

/// Node number `offset` of the 27 around a node, if it is within the block.
fn neighbour(at: [usize; 3], offset: usize, extents: [usize; 3]) -> Option<[usize; 3]> {
    let steps = [offset % 3, offset / 3 % 3, offset / 9];
    let mut to = at;
    for axis in 0..3 {
        to[axis] = (at[axis] + steps[axis])
            .checked_sub(1)
            .filter(|to| *to <= extents[axis])?;
    }
    Some(to)
}

/// The sum over the elements that have both nodes. The order of the elements is the same for (a, b) and (b, a), so that
/// the matrix is symmetric to the bit.
fn coupling(element: &Stiffness, from: [usize; 3], to: [usize; 3], extents: [usize; 3]) -> [[f64; 3]; 3] {
    let mut block = [[0.0; 3]; 3];
    for cell in 0..8 {
        // The element whose corner `corner` the first node is.
        let mut corners = [0, 0];
        let inside = (0..3).all(|axis| {
            let low = from[axis].min(to[axis]);
            // Along an axis on which the nodes differ there is one element; else there are two.
            let bit = cell >> axis & 1;
            let begin = if from[axis] == to[axis] {
                low.checked_sub(1 - bit)
            } else {
                (bit == 0).then_some(low)
            };
            begin.filter(|begin| *begin < extents[axis]).is_some_and(|begin| {
                corners[0] |= (from[axis] - begin) << axis;
                corners[1] |= (to[axis] - begin) << axis;
                true
            })
        });
        if inside {
            for (a, row) in block.iter_mut().enumerate() {
                for (b, sum) in row.iter_mut().enumerate() {
                    *sum += element[3 * corners[0] + a][3 * corners[1] + b];
                }
            }
        }
    }
    block
}

type Stiffness = [[f64; 24]; 24];

/// ∫ Bᵀ D B over the unit cube. Corner c lies at (c & 1, c >> 1 & 1, c >> 2); unknown 3c + d is its displacement along d.
fn stiffness() -> Stiffness {
    let lambda = POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let mu = 0.5 / (1.0 + POISSON);
    let gauss = 0.5 / 3.0_f64.sqrt();
    let mut element = [[0.0; 24]; 24];
    for point in 0..8 {
        let at = [0, 1, 2].map(|axis| {
            if point >> axis & 1 == 0 {
                0.5 - gauss
            } else {
                0.5 + gauss
            }
        });
        let gradients: [[f64; 3]; 8] = std::array::from_fn(|corner| gradient(corner, at));
        for (a, ga) in gradients.iter().enumerate() {
            for (b, gb) in gradients.iter().enumerate().skip(a) {
                let dot: f64 = ga.iter().zip(gb).map(|(x, y)| x * y).sum();
                for i in 0..3 {
                    for j in 0..3 {
                        // σ = λ tr(ε) I + 2μ ε, tested with the displacement of the other corner.
                        let shear = if i == j { dot } else { 0.0 };
                        let value = lambda * (ga[i] * gb[j]) + mu * (ga[j] * gb[i] + shear);
                        // The weight of each point is one eighth.
                        element[3 * a + i][3 * b + j] += value / 8.0;
                        if a != b {
                            element[3 * b + j][3 * a + i] += value / 8.0;
                        }
                    }
                }
            }
        }
    }
    element
}

/// The gradient of a corner's trilinear function.
fn gradient(corner: usize, at: [f64; 3]) -> [f64; 3] {
    let factor = |axis: usize| {
        if corner >> axis & 1 == 0 {
            1.0 - at[axis]
        } else {
            at[axis]
        }
    };
    let slope = |axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
    [
        slope(0) * factor(1) * factor(2),
        factor(0) * slope(1) * factor(2),
        factor(0) * factor(1) * slope(2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moved as a whole or turned, the element has no stress: K u = 0 for the six rigid motions; stretched, it has.
    #[test]
    fn rigid_motions_cost_nothing_and_strain_does() {
        let element = stiffness();
        let place = |corner: usize| [0, 1, 2].map(|axis| (corner >> axis & 1) as f64);
        let energy = |motion: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let u: Vec<f64> = (0..8).flat_map(|corner| motion(place(corner))).collect();
            let force = element.map(|row| row.iter().zip(&u).map(|(k, u)| k * u).sum::<f64>());
            let largest = force.iter().fold(0.0_f64, |largest, force| largest.max(force.abs()));
            (largest, force.iter().zip(&u).map(|(f, u)| f * u).sum::<f64>())
        };
        // Each force sums 24 products of entries that stem from 8 points, of size 1 at most.
        let bound = (24.0 + 8.0 * 8.0) * f64::EPSILON;
        let rigid: [&dyn Fn([f64; 3]) -> [f64; 3]; 6] = [
            &|_| [1.0, 0.0, 0.0],
            &|_| [0.0, 1.0, 0.0],
            &|_| [0.0, 0.0, 1.0],
            &|[x, y, _]| [-y, x, 0.0],
            &|[x, _, z]| [z, 0.0, -x],
            &|[_, y, z]| [0.0, -z, y],
        ];
        for (number, motion) in rigid.into_iter().enumerate() {
            let (force, _) = energy(motion);
            assert!(force <= bound, "motion {number}: {force:e}");
        }
        // Stretched by one along x: (λ + 2μ)/1 · volume; sheared: μ.
        let (lambda, mu) = (0.3 / (1.3 * 0.4), 0.5 / 1.3);
        for (found, expected) in [
            (energy(&|[x, _, _]| [x, 0.0, 0.0]).1, lambda + 2.0 * mu),
            (energy(&|[_, y, _]| [y, 0.0, 0.0]).1, mu),
        ] {
            assert!((found - expected).abs() <= 24.0 * bound, "{found} for {expected}");
        }
    }
}
