//! What Kawamura et al. (2020) print, held against our arrays.

use nonius::sparse::{Csr, Ell, PADDING, PackedCsr, RbpCsr, RbpEll, RbpEllR};

/// The matrix of Fig. 2, the letters being 1, 2, 3, ….
fn figure_2() -> Csr<f32> {
    let columns = vec![0, 1, 2, 1, 3, 4, 1, 2, 2, 3, 1, 4];
    let values = (1_u8..=12).map(f32::from).collect();
    Csr::new(5, 5, vec![0, 3, 6, 8, 10, 12], columns, values).expect("sound")
}

/// Fig. 2 prints BCRS (Pinar and Heath 1999) of it: `A_f`, `Colind`, `Rowptr` and `Nzptr`. Packed CSR holds the same runs, the
/// lengths being the differences of `Nzptr`.
#[test]
fn packed_csr_has_the_blocks_of_figure_2() {
    let packed = PackedCsr::from_csr(&figure_2()).expect("small");
    let pattern = packed.pattern();
    let runs: Vec<_> = pattern
        .descriptors()
        .iter()
        .map(|run| pattern.packing().unpack(*run))
        .collect();
    let colind = [0, 1, 3, 1, 2, 1, 4];
    let nzptr = [0, 3, 4, 6, 8, 10, 11, 12];
    let lengths = nzptr.windows(2).map(|ends| ends[1] - ends[0]);
    assert_eq!(runs, colind.into_iter().zip(lengths).collect::<Vec<_>>());
    assert_eq!(pattern.run_ptr(), [0, 1, 3, 4, 5, 7]);
    assert_eq!(packed.values(), figure_2().values());
}

/// Algorithm 3 on the same matrix, by hand.
#[test]
fn rbp_csr_follows_algorithm_3() {
    let packed = RbpCsr::from_csr(&figure_2()).expect("small");
    let pattern = packed.pattern();
    assert_eq!(pattern.val_ptr(), [0, 3, 5, 7, 9, 9]);
    assert_eq!(pattern.col_ptr(), [0, 2, 4, 6, 8, 8]);
    assert_eq!(pattern.run_columns(), [0, 2, 3, 4, 1, 2, 2, 3]);
    assert_eq!(pattern.row_ptr(), [0, 0, 1, 1, 1, 3]);
    assert_eq!(pattern.isolated_columns(), [1, 1, 4]);
    assert_eq!(
        packed.values(),
        [1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 4.0, 11.0, 12.0]
    );
}

/// §3.3 on the same matrix, by hand: values and columns left-aligned, padded with 0, and stored column by column.
#[test]
fn rbp_ell_pads_runs_with_zeros() {
    let packed = RbpEll::from_csr(&figure_2()).expect("small");
    let pattern = packed.pattern();
    assert_eq!((pattern.value_width(), pattern.column_width()), (3, 2));
    assert_eq!(pattern.run_columns(), [0, 3, 1, 2, 0, 2, 4, 2, 3, 0]);
    let runs = [
        1.0, 5.0, 7.0, 9.0, 0.0, 2.0, 6.0, 8.0, 10.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0,
    ];
    assert_eq!(packed.values()[..pattern.run_slots()], runs);
    assert_eq!(packed.values()[pattern.run_slots()..], [4.0, 11.0, 12.0]);
    let with_lengths = RbpEllR::from_csr(&figure_2()).expect("small");
    assert_eq!(with_lengths.pattern().lengths(), [3, 2, 2, 2, 0]);
    assert_eq!(with_lengths.values(), packed.values());
    let ell = Ell::from_csr(&figure_2()).expect("small");
    let columns = [0, 1, 1, 2, 1, 1, 3, 2, 3, 4, 2, 4, PADDING, PADDING, PADDING];
    assert_eq!(ell.pattern().columns(), columns);
}

/// Fig. 4 is a drawing; §3.2 says in words what it shows. Row 0 holds a to d in columns 0 to 3 and e, f in columns 6, 7,
/// nothing isolated; `Val_ptr` and `Col_ptr` of row 1 are 6 and 4; `RowPtr` begins 0, 0, 1, as the first isolated entry
/// is g, in row 1; row 5 has no run, so that its two pointers repeat. The rest of this matrix is free.
#[test]
fn rbp_csr_is_as_figure_4_is_described() {
    let rows: [&[usize]; 6] = [&[0, 1, 2, 3, 6, 7], &[1, 4, 5], &[2, 3, 4], &[0, 5, 6, 7], &[], &[4]];
    let mut letter = 0.0;
    let a = Csr::from_rows(6, 8, |row, entries| {
        for column in rows[row] {
            letter += 1.0;
            entries.push((*column, letter));
        }
    });
    let packed = RbpCsr::from_csr(&a.expect("sound")).expect("small");
    let pattern = packed.pattern();
    assert_eq!(packed.values()[..6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(pattern.run_columns()[..4], [0, 3, 6, 7]);
    assert_eq!((pattern.val_ptr()[1], pattern.col_ptr()[1]), (6, 4));
    assert_eq!(pattern.row_ptr()[..3], [0, 0, 1]);
    assert_eq!(
        (packed.values()[pattern.run_values()], pattern.isolated_columns()[0]),
        (7.0, 1)
    );
    assert_eq!(pattern.val_ptr()[5], pattern.val_ptr()[6]);
    assert_eq!(pattern.col_ptr()[5], pattern.col_ptr()[6]);
}
