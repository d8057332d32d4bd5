//! The study of Suzuki and Murao (2010, Table 2), to be made again on another device.

use std::fmt;

use super::Method;
use super::cells::Cells;
use super::grid::Grid;
use super::hoisted::Hoisted;
use super::on_device::undecided_unless_zero;
use super::polynomial::Polynomial;
use super::term_by_term::TermByTerm;
use crate::device::{Device, Gpu, Ground};
use crate::error::{Error, Result};

/// What has been done to the paper's method, each together with all before it. The cells are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A comparison converts both numbers to mixed radix; sums are reduced by a division. (Products are Montgomery's at every
    /// step; the paper reduces them by a division.)
    AsWritten,
    /// Section 5.1: a comparison is the sign of the difference.
    Differences,
    /// Section 5.2: sums are reduced by a conditional subtraction.
    Sums,
    /// Section 5.3: fewer numbers live at the same time.
    Registers,
    /// Section 5.4: primes and inverses in fast memory. (WGSL has no constant memory for tables: a workgroup's own.)
    Constants,
    /// Signs by 88-bit fractions, in 8r multiplications and not 3r²/2.
    Fractions,
    /// Interval powers without divergence.
    Powers,
    /// What neighbours share is computed once, and signs of sides decide which ends a term takes: what
    /// [`classify_on`](super::classify_on) does.
    Hoisted,
}

impl Step {
    /// All of them, in their order.
    pub const ALL: [Self; 8] = [
        Self::AsWritten,
        Self::Differences,
        Self::Sums,
        Self::Registers,
        Self::Constants,
        Self::Fractions,
        Self::Powers,
        Self::Hoisted,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AsWritten => "as written",
            Self::Differences => "1 sign of the difference",
            Self::Sums => "2 conditional subtraction",
            Self::Registers => "3 fewer registers",
            Self::Constants => "4 primes in fast memory",
            Self::Fractions => "5 signs by fractions",
            Self::Powers => "6 powers without branches",
            Self::Hoisted => "7 shared work hoisted",
        })
    }
}

/// [`Method::Paper`] on a GPU at one step of its history, with everything uploaded: what is left is to be timed.
///
/// ```no_run
/// use nonius::{Blocking, Device, Select, plot::{Grid, Step, Study, curves}};
/// let device = Device::open_blocking(Select::Auto)?;
/// let heart = curves::by_name("heart")?.polynomial()?;
/// let grid = Grid::new("-1.28,1.28,-1.28,1.28".parse()?, 256, 256)?;
/// let study = Study::new(&device, &heart, &grid, Step::AsWritten)?;
/// study.record()?; // compiles
/// let elapsed = device.time(&mut || study.record()).block_on()?;
/// println!("{} ms", 1e3 * elapsed.seconds());
/// # Ok::<(), nonius::Error>(())
/// ```
pub struct Study {
    device: Device,
    width: usize,
    way: Way,
}

enum Way {
    Hoisted(Box<Hoisted>),
    TermByTerm(Box<TermByTerm>),
}

impl Study {
    /// Uploads f on a grid.
    ///
    /// # Errors
    /// [`Error::Shape`] on the host, which has no kernels, where the table of primes has no room in a workgroup's memory, and
    /// where a grid is too large for one piece; [`Error::Basis`], [`Error::TooLarge`], [`Error::OutOfMemory`].
    pub fn new(device: &Device, f: &Polynomial, grid: &Grid, step: Step) -> Result<Self> {
        let refused = |expected: &str, found: String| Error::Shape {
            operation: "a study of plots",
            expected: expected.to_owned(),
            found,
        };
        if device.is_host() {
            return Err(refused("a device that runs kernels", "the host".to_owned()));
        }
        let way = if step == Step::Hoisted {
            let hoisted = Hoisted::new(device, f, grid)?;
            if hoisted.cells().is_none() {
                let found = format!("{} x {}", grid.width(), grid.height());
                return Err(refused("a grid that is done in one piece", found));
            }
            Way::Hoisted(Box::new(hoisted))
        } else {
            Way::TermByTerm(Box::new(TermByTerm::new(device, f, grid, step)?))
        };
        Ok(Self {
            device: device.clone(),
            width: grid.width(),
            way,
        })
    }

    /// Records all launches, and waits for nothing.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub fn record(&self) -> Result<()> {
        match &self.way {
            Way::Hoisted(hoisted) => hoisted.record(self.gpu()),
            Way::TermByTerm(term_by_term) => term_by_term.record(self.gpu()),
        }
    }

    /// The cells that were recorded last: those of [`Method::Paper`].
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn cells(&self) -> Result<Cells> {
        let found = match &self.way {
            Way::Hoisted(hoisted) => match hoisted.cells() {
                Some(cells) => cells.to_host().await?,
                None => unreachable!("checked when it was made"),
            },
            Way::TermByTerm(term_by_term) => term_by_term.cells().await?,
        };
        Ok(Cells::from_rows(self.width, undecided_unless_zero(&found).collect()))
    }

    /// r, the number of primes.
    #[must_use]
    pub fn primes(&self) -> usize {
        match &self.way {
            Way::Hoisted(hoisted) => hoisted.primes(),
            Way::TermByTerm(term_by_term) => term_by_term.primes(),
        }
    }

    /// What it computes.
    #[must_use]
    pub const fn method(&self) -> Method {
        Method::Paper
    }

    fn gpu(&self) -> &Gpu {
        match self.device.ground() {
            Ground::Gpu(gpu) => gpu,
            Ground::Host => unreachable!("refused when it was made"),
        }
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study")
            .field("device", &self.device)
            .field("primes", &self.primes())
            .finish_non_exhaustive()
    }
}
