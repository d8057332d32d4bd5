//! Matrices of nalgebra-sparse and sprs come in and go out as they are.

use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use nonius::sparse::{Coo, Csc, Csr, generate};
use sprs::{CsMat, TriMat};

/// Unsymmetric, rectangular, with a row and a column that are empty and a zero that is stored.
fn small() -> Csr<f64> {
    let columns = vec![1, 4, 0, 1, 2];
    Csr::new(4, 5, vec![0, 2, 2, 5, 5], columns, vec![1.5, 0.0, -2.0, 3.0, 4.0]).expect("sound")
}

fn matrices() -> Vec<Csr<f64>> {
    let empty = |rows, cols| Csr::new(rows, cols, vec![0; rows + 1], vec![], vec![]).expect("sound");
    let random = generate::r_mat(7, 4, 1).expect("small");
    vec![small(), random, empty(0, 0), empty(3, 0), empty(0, 3)]
}

#[test]
fn nalgebra_sparse_gives_back_what_it_got() {
    for a in matrices() {
        let by_rows = CsrMatrix::from(&a);
        assert_eq!(
            (by_rows.nrows(), by_rows.ncols(), by_rows.nnz()),
            (a.rows(), a.cols(), a.nnz())
        );
        for (row, column, value) in a.iter() {
            let entry = by_rows.get_entry(row, column).map(|entry| entry.into_value());
            assert_eq!(entry, Some(value), "({row}, {column})");
        }
        assert_eq!(Csr::try_from(&by_rows).as_ref(), Ok(&a));
        let by_columns = Csc::from_csr(&a).expect("small");
        let theirs = CscMatrix::from(&by_columns);
        assert_eq!(theirs, CscMatrix::from(&by_rows));
        assert_eq!(Csc::try_from(&theirs), Ok(by_columns));
        let triplets = a.to_coo().expect("small");
        let theirs = CooMatrix::from(&triplets);
        assert_eq!(CsrMatrix::from(&theirs), by_rows);
        assert_eq!(Coo::try_from(&theirs), Ok(triplets));
    }
}

#[test]
fn sprs_gives_back_what_it_got() {
    for a in matrices() {
        let by_columns = Csc::from_csr(&a).expect("small");
        for theirs in [CsMat::from(&a), CsMat::from(&by_columns)] {
            assert_eq!(
                (theirs.rows(), theirs.cols(), theirs.nnz()),
                (a.rows(), a.cols(), a.nnz())
            );
            for (row, column, value) in a.iter() {
                assert_eq!(theirs.get(row, column), Some(&value), "({row}, {column})");
            }
            assert_eq!(Csr::try_from(&theirs).as_ref(), Ok(&a));
            assert_eq!(Csc::try_from(&theirs).as_ref(), Ok(&by_columns));
        }
    }
    let mut triplets = TriMat::new((4, 5));
    small()
        .iter()
        .for_each(|(row, column, value)| triplets.add_triplet(row, column, value));
    assert_eq!(Csr::try_from(&triplets.to_csr::<usize>()), Ok(small()));
    assert_eq!(Csr::try_from(&triplets.to_csc::<usize>()), Ok(small()));
}

#[cfg(target_pointer_width = "64")]
#[test]
fn extents_beyond_32_bits_are_refused() {
    let beyond = u32::MAX as usize + 1;
    let wide =
        CsrMatrix::try_from_csr_data(1, beyond + 1, vec![0, 1], vec![beyond], vec![1.0]).expect("theirs is wide");
    let error = Csr::try_from(&wide).expect_err("too wide").to_string();
    assert!(error.contains("4294967296"), "{error}");
    let wide = CsMat::new((1, beyond), vec![0, 0], vec![], Vec::<f64>::new());
    let error = Csr::try_from(&wide).expect_err("too wide").to_string();
    assert!(error.contains("1 x 4294967296"), "{error}");
}
