//! The first LU factorisation on a GPU, as it was designed for fragment processors: the study of Matsui, Ino and Hagihara
//! (IPSJ Transactions on Advanced Computing Systems, 2005), repeated on the devices of today.
//!
//! A matrix was a texture, and a step of right-looking elimination without pivoting one or two draws of a rectangle, each
//! texel of which a fragment program updates (their figures 2 to 5). Two questions make four variants:
//!
//! | variant | a step is | who decides what belongs to L and what to U | a texel holds |
//! | --- | --- | --- | --- |
//! | I1 | two draws, the column of L and the block of U | the host | one element |
//! | I2 | one draw, in which U divides again | the fragment, by its column | one element |
//! | I3 | as I1, with four programs for the rows that a texel has left | the host | four rows of a column |
//! | I4 | as I3, with one program | the fragment, by its rows | four rows of a column |
//!
//! and a third, how a step's result reaches the next, two handovers ([`Handover`]). Here a draw is a compute dispatch
//! with an invocation for each texel. All eight compute the same operations on the same operands, so they agree bit for
//! bit with each other and with [`host::factor`]: products and differences are kept as written by the word layer that the
//! device was found to need, and quotients are correctly rounded ([`Division::Corrected`]). The paper's results never
//! agreed with a CPU's for N > 4.
//!
//! What a variant costs is known in closed form ([`model`], their tables 1 and 2) and counted by the code that issues the
//! draws ([`Counts`]). [`study`] times a variant, [`cache`] measures what its references are held against, and
//! [`error_growth`] does what the authors left for later: how the error grows with N, and how much of it is the division's.
//!
//! To solve systems, use [`Lu`](super::Lu), which pivots and works in blocks. This is for learning.

pub mod cache;
pub mod error_growth;
pub mod host;
pub mod model;
mod passes;
mod program;
pub mod study;

use std::fmt;

pub use model::Counts;

use crate::dense::Matrix;
use crate::device::kernel::Kernel;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use passes::{Elimination, Parts};

/// How a step of the elimination is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Two draws of elements: the host decides.
    I1,
    /// One draw of elements: the fragment decides, and divides again.
    I2,
    /// Texels of four rows, and four programs: the host decides.
    I3,
    /// Texels of four rows, and one program: the fragment decides.
    I4,
}

/// How the result of a draw becomes the input of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handover {
    /// Into a scratch buffer, from which the changed region is copied back (the paper's pixel buffer).
    Copy,
    /// Into the other of two buffers, which are exchanged after every step (the paper's render texture). Both draws of a
    /// step write into the same one: the second reads the block that the step before has left in the source, and the
    /// column of L where the first has just written it, so that nothing has to be carried over from buffer to buffer.
    PingPong,
}

/// How words are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Division {
    /// As the device does: WGSL allows an error of 2.5 units in the last place.
    Native,
    /// Rounded to nearest: the device's quotient, corrected by its exact remainder.
    Corrected,
}

/// One of the ways to factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// How a step is drawn.
    pub variant: Variant,
    /// How its result is handed over.
    pub handover: Handover,
    /// How words are divided.
    pub division: Division,
}

/// Computes `A = L U` without pivoting, as the study of 2005 did; L without its unit diagonal and U in one matrix.
///
/// For steps k = 0, 1, ...: `l_jk = a_jk / a_kk` for j > k, then `a_jc ← a_jc − a_kc·l_jk` for j, c > k. Quotient, product
/// and difference are each rounded to nearest, so that the result is the host's bit for bit, whatever the variant, the
/// handover and the device; zeros are of either sign, NaNs have any bits, and subnormals are kept where the device keeps
/// them (`nonius doctor`). A zero pivot gives infinities and NaNs, as it does on the host.
///
/// # Shapes
/// A is n x n, of `f32` or [`Df64`](crate::Df64) (on the host, of any scalar).
///
/// # Errors
/// [`Error::Shape`] when A is not square; [`Error::UnsupportedScalar`] for other scalars on a GPU, and where the device
/// has no arithmetic that is kept as written; [`Error::TooLarge`], [`Error::OutOfMemory`].
///
/// # Accuracy
/// `A + ΔA = LU` with |ΔA| ≤ γₙ·|L||U| (Higham 2002, theorem 9.3), and no bound on the growth of |L||U|: without pivoting,
/// A has to be of a kind that needs none, such as diagonally dominant.
///
/// # Cost
/// [`model::counts`], and two dispatches or three that bring A into texels and the factors back.
///
/// ```
/// use nonius::lu::fragment::{Handover, Variant, factor};
/// use nonius::{Blocking, Device, dense::Matrix};
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[2.0_f32, 1.0, 4.0, 5.0])?;
/// let lu = factor(a, Variant::I3, Handover::PingPong)?;
/// assert_eq!(lu.to_host().block_on()?, [2.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn factor<T: Scalar>(a: Matrix<T>, variant: Variant, handover: Handover) -> Result<Matrix<T>> {
    let plan = Plan {
        variant,
        handover,
        division: Division::Corrected,
    };
    factor_counted(a, plan).map(|(factors, _)| factors)
}

/// As [`factor`], with the division that is asked for, and with the counts of what was issued. With
/// [`Division::Native`] the result is the device's own.
///
/// # Errors
/// As [`factor`].
///
/// ```
/// use nonius::lu::fragment::{Division, Handover, Plan, Variant, factor_counted, model};
/// use nonius::{Blocking, Device, dense::Matrix};
/// let plan = Plan { variant: Variant::I1, handover: Handover::Copy, division: Division::Native };
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[2.0_f32, 1.0, 4.0, 5.0])?;
/// let (_, counts) = factor_counted(a, plan)?;
/// assert_eq!(counts, model::counts(plan.variant, plan.handover, 2, 4));
/// assert_eq!((counts.passes, counts.copies, counts.flops), (4, 4, 4));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn factor_counted<T: Scalar>(a: Matrix<T>, plan: Plan) -> Result<(Matrix<T>, Counts)> {
    let mut elimination = Elimination::new(&a, plan)?;
    elimination.begin(&a)?;
    let counts = elimination.run(Parts::All)?;
    // A's memory takes the factors.
    Ok((elimination.collect(a)?, counts))
}

impl Variant {
    /// All four.
    pub const ALL: [Self; 4] = [Self::I1, Self::I2, Self::I3, Self::I4];

    /// The rows of a texel: 1 or 4.
    #[must_use]
    pub const fn texel_rows(self) -> usize {
        match self {
            Self::I1 | Self::I2 => 1,
            Self::I3 | Self::I4 => 4,
        }
    }
}

impl Handover {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Copy, Self::PingPong];
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::I1 => "I1",
            Self::I2 => "I2",
            Self::I3 => "I3",
            Self::I4 => "I4",
        })
    }
}

impl fmt::Display for Handover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Copy => "copy",
            Self::PingPong => "ping-pong",
        })
    }
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::Corrected => "corrected",
        })
    }
}

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    let mut kernels = program::kernels();
    kernels.push(&cache::CACHE_BANDWIDTH);
    kernels
}

fn check_square<T>(a: &Matrix<T>) -> Result<usize> {
    if a.rows() == a.cols() {
        return Ok(a.rows());
    }
    Err(Error::Shape {
        operation: "lu::fragment::factor",
        expected: "a square matrix".to_owned(),
        found: format!("{} x {}", a.rows(), a.cols()),
    })
}
