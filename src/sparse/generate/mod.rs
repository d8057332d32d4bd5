//! Matrices of the kinds that solvers meet, of any size: for tests, measurements and examples.
//!
//! All are given as [`Csr<f64>`](Csr); [`map`](super::SparseMatrix::map) converts the values. What is random follows from
//! a seed, the same on every machine.

mod elasticity;
mod random;
mod stencil;
mod structured;
mod wathen;

pub use elasticity::elasticity;
pub use random::r_mat;
pub use stencil::{convection_diffusion, stencil5, stencil7, stencil27};
pub use structured::{arrow, banded};
pub use wathen::wathen;

use super::Csr;
use crate::{Error, Result};

/// The names that [`by_name`] knows, with their parameters.
pub const NAMES: [&str; 9] = [
    "stencil5:N",
    "stencil7:N",
    "stencil27:N",
    "convection-diffusion:N",
    "elasticity:N",
    "wathen:N",
    "r-mat:SCALE",
    "arrow:N",
    "banded:N",
];

/// A matrix by its name and one size, `stencil27:64`: grids with N points or elements along each side, R-MAT with 16
/// edges a vertex and seed 1, Wathen's with seed 1, a band of half-width 4, and convection of (0.5, 0.3, 0.1) a cell.
///
/// # Errors
/// [`Error::Name`] for a name or a size that is none, and what the generator says.
///
/// ```
/// use nonius::sparse::generate;
///
/// assert_eq!(generate::by_name("stencil5:3")?, generate::stencil5(3, 3)?);
/// assert!(generate::by_name("stencil6:3").is_err());
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn by_name(text: &str) -> Result<Csr<f64>> {
    let error = |reason: String| Error::Name { reason };
    let unknown = || error(format!("no matrix {text}; there are: {}", NAMES.join(", ")));
    let (name, size) = text.split_once(':').ok_or_else(unknown)?;
    let known = NAMES.iter().any(|known| known.split(':').next() == Some(name));
    if !known {
        return Err(unknown());
    }
    let n: usize = size
        .parse()
        .map_err(|_| error(format!("the size of {name} is {size:?}, expected a number")))?;
    match name {
        "stencil5" => stencil5(n, n),
        "stencil7" => stencil7(n, n, n),
        "stencil27" => stencil27(n, n, n),
        "convection-diffusion" => convection_diffusion([n, n, n], [0.5, 0.3, 0.1]),
        "elasticity" => elasticity(n, n, n),
        "wathen" => wathen(n, n, 1),
        "r-mat" => {
            let scale =
                u32::try_from(n).map_err(|_| error(format!("the scale of {name} is {size}, expected one below 32")))?;
            r_mat(scale, 16, 1)
        }
        "arrow" => arrow(n),
        "banded" => banded(n, 4, 4),
        _ => Err(unknown()),
    }
}

/// The product of extents, if `what` there are so many of can be numbered by 32 bits.
fn counted(operation: &'static str, what: &str, factors: &[usize]) -> Result<usize> {
    let product = factors
        .iter()
        .try_fold(1_usize, |product, factor| product.checked_mul(*factor))
        .filter(|product| u32::try_from(*product).is_ok());
    product.ok_or_else(|| Error::Shape {
        operation,
        expected: format!("at most {} {what}", u32::MAX),
        found: factors.iter().map(usize::to_string).collect::<Vec<_>>().join(" x "),
    })
}
