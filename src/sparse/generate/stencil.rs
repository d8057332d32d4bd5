//! Differences on grids, numbered along x, then y, then z, with the value zero beyond the boundary.

use super::counted;
use crate::sparse::Csr;
use crate::{Error, Result};

/// The Laplacian on an nx x ny grid: 4 on the diagonal, −1 for each of the four neighbours. Symmetric positive definite.
///
/// # Errors
/// [`Error::Shape`] for more than 2³² − 1 unknowns or entries, [`Error::OutOfMemory`] if the host cannot hold them.
///
/// ```
/// use nonius::sparse::generate::stencil5;
///
/// let a = stencil5(2, 2)?;
/// assert_eq!(a.row(0).collect::<Vec<_>>(), [(0, 4.0), (1, -1.0), (2, -1.0)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn stencil5(nx: usize, ny: usize) -> Result<Csr<f64>> {
    on_grid("stencil5", [nx, ny, 1], |offset| match offset {
        [0, 0, 0] => Some(4.0),
        [_, _, 0] => (distance(offset) == 1).then_some(-1.0),
        _ => None,
    })
}

/// The Laplacian on an nx x ny x nz grid: 6 on the diagonal, −1 for each of the six neighbours. Symmetric positive
/// definite.
///
/// # Errors
/// As [`stencil5`].
///
/// ```
/// use nonius::sparse::generate::stencil7;
///
/// let a = stencil7(1, 1, 2)?;
/// assert_eq!(a.values(), [6.0, -1.0, -1.0, 6.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn stencil7(nx: usize, ny: usize, nz: usize) -> Result<Csr<f64>> {
    on_grid("stencil7", [nx, ny, nz], |offset| match distance(offset) {
        0 => Some(6.0),
        1 => Some(-1.0),
        _ => None,
    })
}

/// 26 on the diagonal, −1 for each of the 26 neighbours on an nx x ny x nz grid, as in the benchmark HPCG: runs of three.
/// Symmetric positive definite.
///
/// # Errors
/// As [`stencil5`].
///
/// ```
/// use nonius::sparse::generate::stencil27;
///
/// let a = stencil27(3, 3, 3)?;
/// assert_eq!((a.row(13).len(), a.row(0).len()), (27, 8));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn stencil27(nx: usize, ny: usize, nz: usize) -> Result<Csr<f64>> {
    on_grid("stencil27", [nx, ny, nz], |offset| match offset {
        [0, 0, 0] => Some(26.0),
        _ => Some(-1.0),
    })
}

/// −Δu + c·∇u in central differences on a grid of these extents, times h²: 6 on the diagonal, −1 − γ towards smaller and
/// −1 + γ towards larger coordinates, γ = c h/2 for each direction. Unsymmetric where γ is not zero; an M-matrix for
/// |γ| ≤ 1.
///
/// # Errors
/// As [`stencil5`], and [`Error::NotFinite`] for a γ that is not.
///
/// ```
/// use nonius::sparse::generate::convection_diffusion;
///
/// let a = convection_diffusion([3, 1, 1], [0.5, 0.0, 0.0])?;
/// assert_eq!(a.row(1).collect::<Vec<_>>(), [(0, -1.5), (1, 6.0), (2, -0.5)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn convection_diffusion(extents: [usize; 3], gamma: [f64; 3]) -> Result<Csr<f64>> {
    for (axis, value) in ["x", "y", "z"].into_iter().zip(gamma) {
        if !value.is_finite() {
            let what = format!("the convection along {axis}");
            return Err(Error::NotFinite { what, value });
        }
    }
    on_grid("convection_diffusion", extents, |offset| {
        let along = |axis: usize| f64::from(offset[axis]).mul_add(gamma[axis], -1.0);
        match distance(offset) {
            0 => Some(6.0),
            1 => (0..3).find(|axis| offset[*axis] != 0).map(along),
            _ => None,
        }
    })
}

/// The steps between two points of the grid.
fn distance(offset: [i8; 3]) -> i8 {
    offset.iter().map(|step| step.abs()).sum()
}

/// The matrix that couples each point with those neighbours, of the 27 and itself, for which there is a coefficient.
fn on_grid(
    operation: &'static str,
    extents: [usize; 3],
    coefficient: impl Fn([i8; 3]) -> Option<f64>,
) -> Result<Csr<f64>> {
    let [nx, ny, nz] = extents;
    let n = counted(operation, "unknowns", &extents)?;
    let mut neighbours = Vec::new();
    for z in -1..=1 {
        for y in -1..=1 {
            for x in -1..=1 {
                neighbours.extend(coefficient([x, y, z]).map(|value| ([x, y, z], value)));
            }
        }
    }
    // So many are known before the first is made.
    let entries: u128 = neighbours
        .iter()
        .map(|(by, _)| {
            let along = extents.iter().zip(by);
            along
                .map(|(extent, step)| extent.saturating_sub(step.unsigned_abs().into()) as u128)
                .product::<u128>()
        })
        .sum();
    if entries > u32::MAX.into() {
        return Err(Error::Shape {
            operation,
            expected: format!("at most {} entries", u32::MAX),
            found: format!("{entries}"),
        });
    }
    let step = |at: usize, by: i8, extent: usize| at.checked_add_signed(by.into()).filter(|at| *at < extent);
    Csr::from_rows(n, n, |row, entries| {
        let (x, y, z) = (row % nx, row / nx % ny, row / (nx * ny));
        entries.extend(neighbours.iter().filter_map(|(by, value)| {
            let (x, y, z) = (step(x, by[0], nx)?, step(y, by[1], ny)?, step(z, by[2], nz)?);
            Some(((z * ny + y) * nx + x, *value))
        }));
    })
}
