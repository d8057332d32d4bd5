//! What is not a sparse matrix is refused, with the numbers that say why; so no format can hold anything else.

use nonius::Error;
use nonius::sparse::reorder::Permutation;
use nonius::sparse::{Coo, Csc, Csr, CsrPattern, Slices};

/// Rows, columns, row pointers, columns of the entries, and what is said of them.
type Case<'a> = (usize, usize, &'a [u32], &'a [u32], &'a str);

/// One entry in a row of 2·10⁹ columns, or in a column of as many rows: by the others, that is 8 GB of offsets.
#[test]
#[ignore = "run by the next one, with little memory"]
fn a_wide_row_by_columns() {
    let wide = Csr::new(1, 2_000_000_000, vec![0, 1], vec![7], vec![1.0]).expect("it is sound");
    let mut tall = Csc::new(2_000_000_000, 1, vec![0, 1], vec![7], vec![1.0]).expect("it is sound");
    tall.set_values(&[2.0]).expect("that takes no room");
    assert_eq!(tall.values(), [2.0]);
    let errors = [
        tall.to_csr().err(),
        Csc::from_csr(&wide).err(),
        wide.transpose().err(),
        wide.pattern().transpose().err(),
        Permutation::identity(2_000_000_000).err(),
    ];
    for error in errors {
        assert!(matches!(error, Some(Error::OutOfMemory { .. })), "{error:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn columns_without_entries_are_not_what_ends_it() {
    crate::little_memory::passes_within(2_000_000, "a_wide_row_by_columns");
}

#[test]
fn corrupt_patterns_are_refused_with_numbers() {
    let cases: [Case<'_>; 11] = [
        (2, 3, &[0, 1], &[0], "expected 3 row pointers, found 2"),
        (2, 3, &[], &[], "expected 3 row pointers, found 0"),
        (
            2,
            3,
            &[1, 1, 2],
            &[0, 1],
            "expected row pointers from 0 to 2, found 1 to 2",
        ),
        (
            2,
            3,
            &[0, 1, 3],
            &[0, 1],
            "expected row pointers from 0 to 2, found 0 to 3",
        ),
        (
            2,
            3,
            &[0, 0, 0],
            &[0, 1],
            "expected row pointers from 0 to 2, found 0 to 0",
        ),
        (3, 3, &[0, 2, 1, 2], &[0, 1], "found 2 before 1 at row 1"),
        (2, 3, &[0, u32::MAX, 2], &[0, 1], "found 4294967295 before 2 at row 1"),
        (
            2,
            3,
            &[0, 1, 2],
            &[0, 3],
            "expected columns below 3, found column 3 in row 1",
        ),
        (2, 3, &[0, 1, 2], &[0, u32::MAX], "found column 4294967295 in row 1"),
        (2, 3, &[0, 0, 2], &[2, 1], "found 2 before 1 in row 1"),
        (2, 3, &[0, 2, 2], &[1, 1], "found 1 before 1 in row 0"),
    ];
    for (rows, cols, row_ptr, columns, expected) in cases {
        let error = CsrPattern::new(rows, cols, row_ptr.to_vec(), columns.to_vec()).expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}, not {expected}");
    }
    assert!(CsrPattern::new(0, 0, vec![0], vec![]).is_ok());
}

/// A matrix by columns is spoken of as one, whatever it is kept as.
#[test]
fn corrupt_columns_are_refused_in_their_own_words() {
    for (col_ptr, rows_of_entries, expected) in [
        (&[0, 1][..], &[0][..], "expected 3 column pointers, found 2"),
        (
            &[0, 1, 3],
            &[0, 1],
            "expected column pointers from 0 to 2, found 0 to 3",
        ),
        (&[0, 3, 2], &[0, 1], "found 3 before 2 at column 1"),
        (&[0, 1, 2], &[0, 5], "expected rows below 5, found row 5 in column 1"),
        (
            &[0, 0, 2],
            &[4, 4],
            "expected strictly ascending rows in each column, found 4 before 4 in column 1",
        ),
    ] {
        let error = Csc::new(5, 2, col_ptr.to_vec(), rows_of_entries.to_vec(), vec![1.0, 2.0]).expect_err(expected);
        let error = error.to_string();
        assert!(
            error.starts_with("Csc::new: ") && error.ends_with(expected),
            "{error}, not {expected}"
        );
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn what_32_bits_do_not_number_is_refused() {
    let beyond = u32::MAX as usize + 1;
    for (rows, cols) in [(1, beyond), (beyond, 1), (usize::MAX, usize::MAX)] {
        let error = CsrPattern::new(rows, cols, vec![0, 0], vec![]).expect_err("too many");
        assert!(error.to_string().contains(&format!("{rows} x {cols}")), "{error}");
        assert!(Csr::<f64>::from_rows(rows, cols, |_, _| {}).is_err());
        let error = Csc::<f64>::new(rows, cols, vec![0, 0], vec![], vec![]).expect_err("too many");
        assert!(error.to_string().contains(&format!("{rows} x {cols}")), "{error}");
    }
    assert!(Csr::from_rows(1, 5, |_, entries| entries.push((beyond, 1.0))).is_err());
    assert!(CsrPattern::new(1, u32::MAX as usize, vec![0, 1], vec![u32::MAX - 1]).is_ok());
}

#[test]
fn values_and_vectors_of_another_length_are_refused_and_change_nothing() {
    let error = Csr::new(1, 3, vec![0, 2], vec![0, 2], vec![1.0_f32]).expect_err("one value for two");
    assert!(
        error
            .to_string()
            .contains("expected 2 values, one for each entry, found 1"),
        "{error}"
    );
    let mut a = Csr::new(1, 3, vec![0, 2], vec![0, 2], vec![1.0_f32, 2.0]).expect("sound");
    assert!(a.set_values(&[1.0, 2.0, 3.0]).is_err());
    assert_eq!(a.values(), [1.0, 2.0]);
    let mut y = [7.0];
    for (x, y) in [(&[1.0; 2][..], &mut y[..]), (&[1.0; 3], &mut [])] {
        let error = a.multiply(1.0, x, 0.0, y).expect_err("shapes differ").to_string();
        assert!(error.contains("1 x 3"), "{error}");
    }
    assert_eq!(y, [7.0]);
}

#[test]
fn padding_beyond_32_bits_is_refused_with_its_extents() {
    // A dense row of 70,000 in 70,000 rows pads ELL to 4.9e9 values; the paper's packing keeps one run of it.
    let arrow = nonius::sparse::generate::arrow(70_000).expect("small");
    let error = nonius::sparse::Ell::from_csr(&arrow).expect_err("too long").to_string();
    assert!(error.contains("70000 rows padded to 70000"), "{error}");
    assert!(nonius::sparse::EllR::from_csr(&arrow).is_err());
    assert!(nonius::sparse::RbpEll::from_csr(&arrow).is_err());
    assert!(nonius::sparse::Sell::from_csr(&arrow).is_ok());
}

#[test]
fn triplets_outside_and_slices_that_are_none_are_refused() {
    let error = Coo::from_triplets(2, 2, [(0, 0, 1.0), (2, 1, 1.0)]).expect_err("outside");
    assert!(error.to_string().contains("(2, 1)"), "{error}");
    for (height, window) in [(0, 1), (1025, 1), (32, 0), (32, 33), (32, 16)] {
        let error = Slices::new(height, window).expect_err("no slices").to_string();
        assert!(error.contains(&format!("C = {height}, σ = {window}")), "{error}");
    }
}
