//! A matrix in a format that is chosen when the program runs.

use super::auto;
use super::csr::Csr;
use super::footprint::Footprint;
use super::format::Format;
use super::{Csc, Ell, EllR, PackedCsr, PackedSell, RbpCsr, RbpEll, RbpEllR, Sell};
use crate::Result;
use crate::scalar::Scalar;

/// A sparse matrix in any format.
///
/// ```
/// use nonius::sparse::{Format, Stored, generate};
///
/// let a = generate::stencil27(32, 32, 32)?;
/// let stored = Stored::new(&a, Format::Auto)?;
/// assert!(stored.bytes() < a.bytes());
/// assert_eq!(stored.to_csr()?, a);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Stored<T> {
    /// Compressed sparse rows.
    Csr(Csr<T>),
    /// Compressed sparse columns.
    Csc(Csc<T>),
    /// ELLPACK.
    Ell(Ell<T>),
    /// ELLPACK-R.
    EllR(EllR<T>),
    /// RBP-CSR.
    RbpCsr(RbpCsr<T>),
    /// RBP-ELL.
    RbpEll(RbpEll<T>),
    /// RBP-ELL-R.
    RbpEllR(RbpEllR<T>),
    /// Packed CSR.
    PackedCsr(PackedCsr<T>),
    /// Packed SELL-C-σ.
    PackedSell(PackedSell<T>),
    /// SELL-C-σ.
    Sell(Sell<T>),
}

/// The same expression for the matrix of every variant.
macro_rules! each {
    ($stored:expr, $matrix:ident => $what:expr) => {
        match $stored {
            Stored::Csr($matrix) => $what,
            Stored::Csc($matrix) => $what,
            Stored::Ell($matrix) => $what,
            Stored::EllR($matrix) => $what,
            Stored::RbpCsr($matrix) => $what,
            Stored::RbpEll($matrix) => $what,
            Stored::RbpEllR($matrix) => $what,
            Stored::PackedCsr($matrix) => $what,
            Stored::PackedSell($matrix) => $what,
            Stored::Sell($matrix) => $what,
        }
    };
}

impl<T: Scalar> Stored<T> {
    /// The matrix in this format; with [`Format::Auto`], in the one that [`auto::choose`] names.
    ///
    /// # Errors
    /// As [`Pattern::from_csr`](super::Pattern::from_csr).
    pub fn new(csr: &Csr<T>, format: Format) -> Result<Self> {
        Ok(match format {
            Format::Auto => {
                let footprint = Footprint::of(csr.pattern());
                let format = auto::choose(&footprint, size_of::<T>() as u64).format;
                return Self::new(csr, format);
            }
            Format::Csr => Self::Csr(csr.clone()),
            Format::Csc => Self::Csc(Csc::from_csr(csr)?),
            Format::Ell => Self::Ell(Ell::from_csr(csr)?),
            Format::EllR => Self::EllR(EllR::from_csr(csr)?),
            Format::RbpCsr => Self::RbpCsr(RbpCsr::from_csr(csr)?),
            Format::RbpEll => Self::RbpEll(RbpEll::from_csr(csr)?),
            Format::RbpEllR => Self::RbpEllR(RbpEllR::from_csr(csr)?),
            Format::PackedCsr => Self::PackedCsr(PackedCsr::from_csr(csr)?),
            Format::PackedSell => Self::PackedSell(PackedSell::from_csr(csr)?),
            Format::Sell => Self::Sell(Sell::from_csr(csr)?),
        })
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        each!(self, matrix => matrix.format())
    }

    /// The bytes of its arrays.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        each!(self, matrix => matrix.bytes())
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        each!(self, matrix => matrix.rows())
    }

    /// The number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        each!(self, matrix => matrix.cols())
    }

    /// The number of entries, explicit zeros included and padding not.
    #[must_use]
    pub fn nnz(&self) -> usize {
        each!(self, matrix => matrix.nnz())
    }

    /// The same matrix as CSR.
    ///
    /// # Errors
    /// As [`SparseMatrix::to_csr`](super::SparseMatrix::to_csr).
    pub fn to_csr(&self) -> Result<Csr<T>> {
        each!(self, matrix => matrix.to_csr())
    }

    /// Replaces the values, in CSR's order: [`SparseMatrix::set_values`](super::SparseMatrix::set_values).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many values as entries.
    pub fn set_values(&mut self, values: &[T]) -> Result<()> {
        each!(self, matrix => matrix.set_values(values))
    }

    /// Computes `y ← αAx + βy` on the host: [`SparseMatrix::multiply`](super::SparseMatrix::multiply).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape).
    pub fn multiply(&self, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        each!(self, matrix => matrix.multiply(alpha, x, beta, y))
    }
}
