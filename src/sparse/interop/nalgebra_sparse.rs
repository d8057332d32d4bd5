//! `CsrMatrix`, `CscMatrix` and `CooMatrix` of nalgebra-sparse.

use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};

use super::{narrow, wide};
use crate::scalar::Scalar;
use crate::sparse::{Coo, Csc, Csr};
use crate::{Error, Result};

impl<T: Scalar> TryFrom<&CsrMatrix<T>> for Csr<T> {
    type Error = Error;

    /// [`Error::Shape`] for more than 2³² − 1 rows, columns or entries.
    fn try_from(a: &CsrMatrix<T>) -> Result<Self> {
        let of = |numbers| narrow("Csr::try_from", numbers);
        let (row_ptr, columns) = (of(a.row_offsets())?, of(a.col_indices())?);
        Self::new(a.nrows(), a.ncols(), row_ptr, columns, a.values().to_vec())
    }
}

impl<T: Scalar> From<&Csr<T>> for CsrMatrix<T> {
    fn from(a: &Csr<T>) -> Self {
        let (row_ptr, columns) = (wide(a.pattern().row_ptr()), wide(a.pattern().columns()));
        Self::try_from_csr_data(a.rows(), a.cols(), row_ptr, columns, a.values().to_vec())
            .expect("a Csr is sound, by what nalgebra-sparse asks, too")
    }
}

impl<T: Scalar> TryFrom<&CscMatrix<T>> for Csc<T> {
    type Error = Error;

    /// [`Error::Shape`] for more than 2³² − 1 rows, columns or entries.
    fn try_from(a: &CscMatrix<T>) -> Result<Self> {
        let of = |numbers| narrow("Csc::try_from", numbers);
        let (col_ptr, rows) = (of(a.col_offsets())?, of(a.row_indices())?);
        Self::new(a.nrows(), a.ncols(), col_ptr, rows, a.values().to_vec())
    }
}

impl<T: Scalar> From<&Csc<T>> for CscMatrix<T> {
    fn from(a: &Csc<T>) -> Self {
        let (col_ptr, rows) = (wide(a.pattern().col_ptr()), wide(a.pattern().rows_of_entries()));
        Self::try_from_csc_data(a.rows(), a.cols(), col_ptr, rows, a.values().to_vec())
            .expect("a Csc is sound, by what nalgebra-sparse asks, too")
    }
}

impl<T: Scalar> TryFrom<&CooMatrix<T>> for Coo<T> {
    type Error = Error;

    /// [`Error::Shape`] for more than 2³² − 1 rows, columns or entries.
    fn try_from(a: &CooMatrix<T>) -> Result<Self> {
        let triplets = a.triplet_iter().map(|(row, column, value)| (row, column, *value));
        Self::from_triplets(a.nrows(), a.ncols(), triplets)
    }
}

impl<T: Scalar> From<&Coo<T>> for CooMatrix<T> {
    fn from(a: &Coo<T>) -> Self {
        let (rows, columns) = (wide(a.row_indices()), wide(a.col_indices()));
        Self::try_from_triplets(a.rows(), a.cols(), rows, columns, a.values().to_vec())
            .expect("the entries of a Coo lie within it")
    }
}
