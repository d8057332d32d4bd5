//! Whatever the bytes, reading ends without a panic; what was written is read back bit for bit.

use nonius::sparse::Coo;
use nonius::sparse::matrix_market::{self, ColumnMajor, Data, Storage};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn random_bytes_are_survived(bytes in vec(any::<u8>(), 0..2000)) {
        let _ = matrix_market::read_from(bytes.as_slice());
        let _ = matrix_market::read_from([b"\x1f\x8b\x08\0".as_slice(), &bytes].concat().as_slice());
    }

    #[test]
    fn random_data_under_a_banner_is_survived(header in header(), text in "[-+0-9.eEdDinfa% \n\t\r]{0,300}") {
        consume(format!("{header}{text}").as_bytes());
    }

    #[test]
    fn mutated_files_are_survived(file in valid_file(), mutations in vec((any::<prop::sample::Index>(), 0..4, any::<u8>()), 1..6)) {
        let mut bytes = file.into_bytes();
        for (position, kind, byte) in mutations {
            let at = position.index(bytes.len().max(1)).min(bytes.len());
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        consume(&bytes);
    }

    #[test]
    fn coordinate_files_come_back_bit_for_bit(
        (rows, cols) in (1..50_usize, 1..50_usize),
        entries in vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), number()), 0..60),
    ) {
        let triplets = entries.iter().map(|(row, col, value)| (row.index(rows), col.index(cols), *value));
        let a = Coo::from_triplets(rows, cols, triplets).expect("in bounds");
        let mut text = Vec::new();
        matrix_market::write_to(&mut text, &a, &["a comment"]).expect("memory takes it");
        let b = matrix_market::read_from(text.as_slice()).expect("valid").into_coo().expect("real");
        prop_assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        prop_assert_eq!((a.row_indices(), a.col_indices()), (b.row_indices(), b.col_indices()));
        prop_assert_eq!(bits(a.values()), bits(b.values()));
    }

    #[test]
    fn array_files_come_back_bit_for_bit(rows in 0..9_usize, cols in 0..9_usize, pool in vec(number(), 81)) {
        let a = ColumnMajor::new(rows, cols, pool[..rows * cols].to_vec()).expect("the extents' product");
        let mut text = Vec::new();
        matrix_market::write_to(&mut text, &a, &[]).expect("memory takes it");
        let file = matrix_market::read_from(text.as_slice()).expect("valid");
        let Data::Real(Storage::Dense(b)) = file.data else { panic!("an array of reals") };
        prop_assert_eq!((b.rows(), b.cols()), (rows, cols));
        prop_assert_eq!(bits(a.values()), bits(b.values()));
    }
}

fn consume(text: &[u8]) {
    if let Ok(file) = matrix_market::read_from(text) {
        assert!(file.nnz() >= file.stored);
        if file.rows().saturating_mul(file.cols()) < 1_000_000 {
            let _ = file.clone().into_row_major();
        }
        let _ = file.into_coo();
    }
}

fn header() -> impl Strategy<Value = String> {
    let words: [&[&str]; 4] = [
        &["matrix", "vector"],
        &["coordinate", "array"],
        &["real", "integer", "complex", "pattern"],
        &["general", "symmetric", "skew-symmetric", "hermitian"],
    ];
    let [object, format, field, symmetry] = words.map(prop::sample::select);
    let sizes = vec(0..6_u32, 1..4).prop_map(|sizes| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    (object, format, field, symmetry, sizes).prop_map(|(object, format, field, symmetry, sizes)| {
        format!("%%MatrixMarket {object} {format} {field} {symmetry}\n{sizes}\n")
    })
}

/// A symmetric or a general file with entries below the diagonal.
fn valid_file() -> impl Strategy<Value = String> {
    (any::<bool>(), vec((1..9_u32, 1..9_u32, number()), 0..20)).prop_map(|(symmetric, entries)| {
        let symmetry = if symmetric { "symmetric" } else { "general" };
        let mut text = format!(
            "%%MatrixMarket matrix coordinate real {symmetry}\n% comment\n9 9 {}\n",
            entries.len()
        );
        for (i, j, value) in entries {
            text.push_str(&format!("{} {} {value:?}\n", i.max(j), i.min(j)));
        }
        text
    })
}

/// Every f64 but the payloads of NaN, which text does not keep.
fn number() -> impl Strategy<Value = f64> {
    any::<u64>()
        .prop_map(f64::from_bits)
        .prop_map(|value| if value.is_nan() { f64::NAN } else { value })
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}
