//! `CsMat` of sprs, which is by rows or by columns as a matter of its value; either becomes either.

use sprs::CsMat;

use super::{narrow, wide};
use crate::scalar::Scalar;
use crate::sparse::{Csc, Csr};
use crate::{Error, Result};

impl<T: Scalar> TryFrom<&CsMat<T>> for Csr<T> {
    type Error = Error;

    /// [`Error::Shape`] for more than 2³² − 1 rows, columns or entries.
    fn try_from(a: &CsMat<T>) -> Result<Self> {
        if !a.is_csr() {
            return Csc::try_from(a)?.to_csr();
        }
        let of = |numbers| narrow("Csr::try_from", numbers);
        let (row_ptr, columns) = (of(&a.proper_indptr())?, of(a.indices())?);
        Self::new(a.rows(), a.cols(), row_ptr, columns, a.data().to_vec())
    }
}

impl<T: Scalar> TryFrom<&CsMat<T>> for Csc<T> {
    type Error = Error;

    /// [`Error::Shape`] for more than 2³² − 1 rows, columns or entries.
    fn try_from(a: &CsMat<T>) -> Result<Self> {
        if a.is_csr() {
            return Self::from_csr(&Csr::try_from(a)?);
        }
        let of = |numbers| narrow("Csc::try_from", numbers);
        let (col_ptr, rows) = (of(&a.proper_indptr())?, of(a.indices())?);
        Self::new(a.rows(), a.cols(), col_ptr, rows, a.data().to_vec())
    }
}

/// By rows.
impl<T: Scalar> From<&Csr<T>> for CsMat<T> {
    fn from(a: &Csr<T>) -> Self {
        let (row_ptr, columns) = (wide(a.pattern().row_ptr()), wide(a.pattern().columns()));
        Self::new((a.rows(), a.cols()), row_ptr, columns, a.values().to_vec())
    }
}

/// By columns.
impl<T: Scalar> From<&Csc<T>> for CsMat<T> {
    fn from(a: &Csc<T>) -> Self {
        let (col_ptr, rows) = (wide(a.pattern().col_ptr()), wide(a.pattern().rows_of_entries()));
        Self::new_csc((a.rows(), a.cols()), col_ptr, rows, a.values().to_vec())
    }
}
