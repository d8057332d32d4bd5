//! Implicit plots that do not lie: which cells of a grid the curve f(x, y) = 0 passes through, f a polynomial with
//! rational coefficients.
//!
//! Every cell is proved empty, or proved crossed, or said to be undecided ([`Cell`]). A cell is closed; all corners are
//! fractions, all arithmetic is that of integers, and nothing is rounded anywhere.
//!
//! | [`Method`] | what is computed | Heart on \[-2, 2\]², 128 × 128: not proved empty, of these crossed | Spade |
//! | --- | --- | --- | --- |
//! | [`Paper`](Method::Paper) | the interval of f over every cell (Suzuki and Murao 2010) | 6,090, none | 8,330, none |
//! | [`Tight`](Method::Tight) | signs about nearby corners, zeros on edges, quarters of cells | 370, all | 464, 462 |
//!
//! Beside the figures these two equations have isolated points, 4 and 2 of them there; the latter are what is undecided.
//!
//! Polynomials are read from texts ([`parse`]) or taken from [`curves`].

mod bands;
mod blocks;
mod cells;
mod choices;
pub mod curves;
mod expansion;
mod grid;
mod hoisted;
mod interval;
mod isolated;
mod on_device;
mod paper;
pub mod parse;
mod polynomial;
mod study;
mod sturm;
mod term_by_term;
mod tight;
mod view;

use std::fmt;
use std::str::FromStr;

pub use cells::{Cell, Cells};
pub use grid::{Grid, MAX_CELLS};
pub use polynomial::{MAX_BITS, MAX_DEGREE, Polynomial};
pub use study::{Step, Study};
pub use tight::MAX_HALVINGS;
pub use view::View;

use crate::device::kernel::Kernel;
use crate::device::{Device, Ground};
use crate::error::{Error, Result};
use crate::observer::Observer;
use crate::rational;
pub use crate::rational::Rational;

/// How cells are decided. Both are exact; what one proves, the other never contradicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// As Suzuki and Murao (2010) have it: the terms' intervals over the cell are added, and a cell whose sum has no
    /// zero in it is empty. Nothing is proved crossed.
    Paper,
    /// f about the corners of ever smaller blocks of cells, split into its positive and its negative terms; then exact
    /// signs at a cell's corners, and zeros on its edges; then up to [`MAX_HALVINGS`] halvings of what is left, and a search
    /// for isolated points with a simple coordinate. What stays undecided has a part of 2⁻⁸ of its side in which f comes
    /// too near to 0 to tell: at other isolated points, tiny ovals, and where there nearly is one.
    #[default]
    Tight,
}

/// Decides, for every cell of the grid, whether the curve f = 0 passes through it.
///
/// Exact: what is called empty or crossed is so. The same result for any number of threads.
///
/// Cost: of the paper's method, 4 products of integers for every term and cell; of the tight one, about d³ for every block
/// that the curve is near (d the degree), so that a grid twice as fine takes little more than twice as long. Integers have
/// [`bits`] bits. The observer sees rows, and can end it.
///
/// # Errors
/// [`Error::Cancelled`].
///
/// ```
/// use nonius::plot::{Cell, Grid, Method, Polynomial, classify};
/// let circle: Polynomial = "x^2 + y^2 = 1".parse()?;
/// let grid = Grid::new("-2,2,-2,2".parse()?, 4, 4)?;
/// let cells = classify(&circle, &grid, Method::Tight, &mut ())?;
/// // The four cells in the middle have the circle in them; eight more touch it, in (±1, 0) and (0, ±1).
/// assert_eq!(cells.get(1, 1), Some(Cell::Crossed));
/// assert_eq!(cells.get(0, 0), Some(Cell::Empty));
/// assert_eq!((cells.count(Cell::Crossed), cells.count(Cell::Undecided)), (12, 0));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn classify(f: &Polynomial, grid: &Grid, method: Method, observer: &mut dyn Observer) -> Result<Cells> {
    match method {
        Method::Paper => paper::classify(f, grid, observer),
        Method::Tight => tight::classify(f, grid, observer),
    }
}

/// [`classify`] on a device: the same answer for every cell, on any device, since everything is integers. On the host it
/// is [`classify`].
///
/// On a GPU integers are residues modulo [`primes`] primes. Of the paper's method all that neighbours share is computed once;
/// then a cell takes r(4dₓ + 38) 32-bit multiplications, with r primes and dₓ the degree in x: 138 million for Spade on
/// 256 × 256 cells, 20 million for Heart. Of the tight one the GPU judges blocks of 32, 8, 2 and 1 cells, and the host
/// inspects the cells that signs leave open. Waits for read-backs: one for every piece of rows, and one for every level of
/// blocks and piece.
///
/// # Errors
/// As [`classify`]; [`Error::Basis`] where integers have more bits than there are primes for; whatever the device reports.
///
/// ```
/// use nonius::{Blocking, Device, plot::{Grid, Method, Polynomial, classify, classify_on}};
/// let circle: Polynomial = "x^2 + y^2 = 1".parse()?;
/// let grid = Grid::new("-2,2,-2,2".parse()?, 4, 4)?;
/// let cells = classify_on(&Device::host(), &circle, &grid, Method::Tight, &mut ()).block_on()?;
/// assert_eq!(cells, classify(&circle, &grid, Method::Tight, &mut ())?);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn classify_on(
    device: &Device,
    f: &Polynomial,
    grid: &Grid,
    method: Method,
    observer: &mut dyn Observer,
) -> Result<Cells> {
    match (device.ground(), method) {
        (Ground::Host, _) => classify(f, grid, method, observer),
        (Ground::Gpu(gpu), Method::Paper) => hoisted::classify(device, gpu, f, grid, observer).await,
        (Ground::Gpu(gpu), Method::Tight) => blocks::classify(device, gpu, f, grid, observer).await,
    }
}

/// How many primes integers are held by on a GPU: the fewest of the largest below 2¹⁶ whose product M has
/// 2^[`bits`] ≤ ⌊M/2⌋.
///
/// # Errors
/// [`Error::Basis`] where there are not so many.
///
/// ```
/// use nonius::plot::{Grid, Method, curves, primes};
/// let spade = curves::by_name("spade")?.polynomial()?;
/// let grid = Grid::new("-1.28,1.28,-1.28,1.28".parse()?, 256, 256)?;
/// assert!(primes(&spade, &grid, Method::Paper)? <= 30);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn primes(f: &Polynomial, grid: &Grid, method: Method) -> Result<usize> {
    Ok(on_device::basis(f, grid, method, false)?.len())
}

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    vec![
        &hoisted::POWERS,
        &hoisted::ROWS,
        &hoisted::CELLS,
        &blocks::SHIFT,
        &blocks::VALUES,
        &term_by_term::BY_DIVISION,
        &term_by_term::IN_MEMORY,
        &term_by_term::ON_CHIP,
    ]
}

/// A proved bound of what is computed, in bits: every integer whose sign decides something about whole cells (not about
/// their parts) is below 2^bits in magnitude. Residues that hold 2^(bits + 1) values, and one bit more where the paper's
/// method compares products, compute the same.
///
/// ```
/// use nonius::plot::{Grid, Method, bits, curves};
/// let spade = curves::by_name("spade")?.polynomial()?;
/// let grid = Grid::new("-2,2,-2,2".parse()?, 256, 256)?;
/// assert!(bits(&spade, &grid, Method::Paper) < 470);
/// # Ok::<(), nonius::Error>(())
/// ```
#[must_use]
pub fn bits(f: &Polynomial, grid: &Grid, method: Method) -> u64 {
    match method {
        Method::Paper => paper::bits(f, grid),
        Method::Tight => tight::bits(f, grid),
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Paper => "paper",
            Self::Tight => "tight",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "paper" => Ok(Self::Paper),
            "tight" => Ok(Self::Tight),
            _ => Err(Error::Shape {
                operation: "plot",
                expected: "the method paper or tight".to_owned(),
                found: rational::shortened(text),
            }),
        }
    }
}
