//! Matrix Market files: real ones, those of `SciPy`, and odd ones that are read all the same.

use std::fs;
use std::path::{Path, PathBuf};

use nalgebra::Complex;
use nonius::Error;
use nonius::residue::linear::Rational;
use nonius::sparse::matrix_market::{self, Data, Field, Format, MatrixFile, Storage, Symmetry};
use num_bigint::BigInt;

const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";
const SYMMETRIC: &str = "%%MatrixMarket matrix coordinate real symmetric\n";

#[test]
fn odd_but_unambiguous_spellings_are_read() {
    let plain = read(&format!("{GENERAL}2 2 2\n1 1 1000\n2 1 -0.5\n"));
    for text in [
        "%%matrixmarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1000\n2 1 -0.5\n",
        "%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1000\n2 1 -0.5\n",
        "  %%MatrixMarket  matrix\tcoordinate   double general  \n2 2 2\n1 1 1000\n2 1 -0.5\n",
        "\u{feff}%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1000\n2 1 -0.5\n",
        "\n\n%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1000\n2 1 -0.5\n",
        "%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1000\r\n2 1 -0.5\r\n",
        "%%MatrixMarket matrix coordinate real general\n\n 2\t2 2 \n\n\n1 1 1.0D+3\n\n\t2 1 -5.d-1\n\n",
        "\u{b}\n\u{b}%%MatrixMarket matrix coordinate real general\n\u{b}\n2 2 2\n\u{c}\n1\u{b}1 1000\n \u{b}\n\u{b}% tab\n2 1 -0.5\n\u{b}",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n+1 +1 +1E3\n% between\n2 1 -.5 % behind\n% after",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0+3\n0000000000000000000000002 1 -5-1",
    ] {
        assert_eq!(read(text).data, plain.data, "{text:?}");
    }
    let special = read(&format!("{GENERAL}1 4 4\n1 1 Inf\n1 2 -infinity\n1 3 NaN\n1 4 -0\n"));
    let special = special.into_coo().expect("real");
    let values = special.values();
    assert_eq!(values[..2], [f64::INFINITY, f64::NEG_INFINITY]);
    assert!(values[2].is_nan());
    assert_eq!(values[3].to_bits(), (-0.0_f64).to_bits());
}

#[test]
fn comments_of_the_header_are_kept_as_they_are() {
    let file = read(&format!(
        "{}%%GraphBLAS type double\n% name: x\n%\n1 1 1\n% not this\n1 1 2\n",
        GENERAL
    ));
    assert_eq!(file.comments, ["%GraphBLAS type double", " name: x", ""]);
    let latin1 = [GENERAL.as_bytes(), b"% Erd\xf6s\n1 1 0\n"].concat();
    let file = matrix_market::read_from(latin1.as_slice()).expect("comments may be in any encoding");
    assert_eq!(file.comments, [" Erd\u{fffd}s"]);
    let many = format!("{GENERAL}{}1 1 0\n", "%\n".repeat(500_000));
    assert!(read(&many).comments.len() < 50_000);
}

#[test]
fn symmetry_is_expanded_in_the_order_of_the_file() {
    let triplets = |text: &str| read(text).into_coo().expect("real").iter().collect::<Vec<_>>();
    let mirrored = [(1, 0, 5.0), (0, 1, 5.0), (1, 1, 2.0)];
    assert_eq!(triplets(&format!("{SYMMETRIC}2 2 2\n2 1 5\n2 2 2\n")), mirrored);
    assert_eq!(
        triplets("%%MatrixMarket matrix coordinate real hermitian\n2 2 2\n2 1 5\n2 2 2\n"),
        mirrored
    );
    // The upper triangle, as LDBC writes graphs.
    assert_eq!(
        triplets(&format!("{SYMMETRIC}2 2 2\n1 2 5\n2 2 2\n")),
        [(0, 1, 5.0), (1, 0, 5.0), (1, 1, 2.0)]
    );
    // Both triangles, but not one position twice.
    assert_eq!(triplets(&format!("{SYMMETRIC}3 3 2\n1 2 5\n3 1 6\n")).len(), 4);
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 2\n2 1 5\n1 1 0\n";
    assert_eq!(triplets(skew), [(1, 0, 5.0), (0, 1, -5.0), (0, 0, 0.0)]);
    let skew = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n";
    assert_eq!(
        read(skew).into_row_major().expect("real"),
        [0.0, -1.0, -2.0, 1.0, 0.0, -3.0, 2.0, 3.0, 0.0]
    );
}

#[test]
fn repeated_entries_stay_apart_and_count_as_their_sum() {
    let file = read(&format!("{GENERAL}2 2 3\n1 2 1\n2 2 0\n1 2 0.5\n"));
    assert_eq!((file.stored, file.nnz()), (3, 3));
    assert_eq!(file.clone().into_row_major(), Ok(vec![0.0, 1.5, 0.0, 0.0]));
    let mut coo = file.into_coo().expect("real");
    coo.sum_duplicates().expect("there is room");
    assert_eq!(coo.iter().collect::<Vec<_>>(), [(0, 1, 1.5), (1, 1, 0.0)]);
}

#[test]
fn vectors_are_one_column() {
    let sparse = read("%%MatrixMarket vector coordinate real general\n4 2\n2 7\n4 -1\n");
    assert!(sparse.header.vector);
    assert_eq!((sparse.rows(), sparse.cols(), sparse.stored), (4, 1, 2));
    assert_eq!(sparse.into_row_major(), Ok(vec![0.0, 7.0, 0.0, -1.0]));
    let dense = read("%%MatrixMarket vector array integer general\n2\n7\n-1\n");
    assert_eq!(dense.into_row_major(), Ok(vec![7.0, -1.0]));
}

#[test]
fn empty_matrices_are_read() {
    for (text, rows, cols) in [
        (format!("{GENERAL}0 0 0\n"), 0, 0),
        (format!("{GENERAL}3 4 0"), 3, 4),
        ("%%MatrixMarket matrix array real general\n3 0\n".to_owned(), 3, 0),
        (
            "%%MatrixMarket matrix array real general\n0 4294967295\n".to_owned(),
            0,
            4_294_967_295,
        ),
        (
            "%%MatrixMarket matrix array real skew-symmetric\n1 1\n".to_owned(),
            1,
            1,
        ),
        (
            "%%MatrixMarket matrix array real skew-symmetric\n0 0\n".to_owned(),
            0,
            0,
        ),
    ] {
        let file = read(&text);
        assert_eq!((file.rows(), file.cols()), (rows, cols), "{text:?}");
        assert_eq!(file.stored, 0);
        assert_eq!(file.into_row_major().map(|values| values.len()), Ok(rows * cols));
    }
}

#[test]
fn dense_matrices_beyond_memory_are_an_error() {
    let error = read(&format!("{GENERAL}4294967295 4294967295 0\n"))
        .into_row_major()
        .expect_err("2^67 bytes");
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}

#[test]
fn complex_matrices_are_real_if_no_imaginary_part_is_left() {
    let real = read("%%MatrixMarket matrix coordinate complex general\n2 2 1\n2 1 5 0\n");
    assert!(matches!(real.data, Data::Complex(_)));
    assert_eq!(real.into_row_major(), Ok(vec![0.0, 0.0, 5.0, 0.0]));
    let complex = read("%%MatrixMarket matrix array complex general\n2 1\n5 0\n1 2\n");
    let message = complex.into_real().expect_err("2i").to_string();
    assert!(message.contains("1.0 +2.0i in row 2, column 1"), "{message}");
}

#[test]
fn real_matrices_hold_what_the_collection_says() {
    for (name, rows, cols, stored, nnz, zeros) in [
        ("west0479", 479, 479, 1910, 1910, 22),
        ("fs_183_1", 183, 183, 1069, 1069, 71),
        ("bcsstk01", 48, 48, 224, 400, 0),
        ("494_bus", 494, 494, 1080, 1666, 0),
        ("LFAT5", 14, 14, 30, 46, 0),
        ("ash219", 219, 85, 438, 438, 0),
    ] {
        let file = read_data(&format!("{name}.mtx"));
        assert_eq!(
            (file.rows(), file.cols(), file.stored, file.nnz()),
            (rows, cols, stored, nnz),
            "{name}"
        );
        assert!(
            file.comments
                .iter()
                .any(|comment| comment.contains(&format!("/{name}"))),
            "{name}"
        );
        let coo = file.into_coo().expect("real");
        assert_eq!(
            coo.values().iter().filter(|&&value| value == 0.0).count(),
            zeros,
            "{name}"
        );
    }
}

#[test]
fn what_scipy_writes_is_read() {
    let dense = |name: &str| read_data(&format!("scipy/{name}.mtx")).into_row_major().expect("real");
    let general = [0.1, 0.0, 0.0, 1.0 / 3.0, 0.0, 0.0, -2.5, 0.0, 0.0, 1e300, 0.0, 5e-324];
    let symmetric = [4.0, -1.0, 0.0, -1.0, 4.0, 0.1, 0.0, 0.1, 2.0];
    let skew = [0.0, -1.0, 2.5, 1.0, 0.0, 0.0, -2.5, 0.0, 0.0];
    assert_eq!(dense("general_real"), general);
    assert_eq!(
        dense("general_pattern"),
        [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    );
    assert_eq!(dense("symmetric_real"), symmetric);
    assert_eq!(dense("array_symmetric"), symmetric);
    assert_eq!(
        dense("symmetric_pattern"),
        symmetric.map(|value| f64::from(value != 0.0))
    );
    assert_eq!(dense("skew_real"), skew);
    assert_eq!(dense("array_skew"), skew);
    assert_eq!(
        dense("general_integer"),
        [1.0, 0.0, -7.0, 0.0, 9_007_199_254_740_992.0, 0.0]
    );
    assert_eq!(dense("array_real"), [1.5, -2.0, 3e-8, 0.0, 0.1, 7.0]);
    let special = dense("array_special");
    assert_eq!(special[..2], [f64::INFINITY, f64::NEG_INFINITY]);
    assert!(special[2].is_nan() && special[3].is_sign_negative());
    assert_eq!(
        read_data("scipy/general_real.mtx").comments,
        ["a comment", "of two lines"]
    );

    let c = Complex::new;
    let hermitian = read_data("scipy/hermitian_complex.mtx");
    assert_eq!(hermitian.header.symmetry, Symmetry::Hermitian);
    let Data::Complex(Storage::Sparse(coo)) = hermitian.data else {
        panic!("complex coordinates")
    };
    let expected = [
        (0, 0, c(1.0, 0.0)),
        (0, 1, c(2.0, -1.0)),
        (1, 0, c(2.0, 1.0)),
        (1, 1, c(3.0, 0.0)),
    ];
    assert_eq!(coo.sorted().collect::<Vec<_>>(), expected);
    let hermitian = read_data("scipy/array_hermitian.mtx");
    assert_eq!(
        (hermitian.header.format, hermitian.header.field),
        (Format::Array, Field::Complex)
    );
    let Data::Complex(Storage::Dense(dense)) = hermitian.data else {
        panic!("a complex array")
    };
    assert_eq!(dense.values(), [c(1.0, 0.0), c(2.0, 1.0), c(2.0, -1.0), c(3.0, 0.0)]);
    let Data::Complex(Storage::Sparse(coo)) = read_data("scipy/general_complex.mtx").data else {
        panic!("complex coordinates")
    };
    assert_eq!(coo.values(), [c(1.0, 0.5), c(0.0, -3.25), c(2.0, 0.0)]);
}

#[test]
fn files_are_found_and_named_in_errors() {
    let directory = std::env::temp_dir().join(format!("nonius-matrix-market-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a temporary directory");
    let a = read_data("west0479.mtx").into_coo().expect("real");
    for name in ["a.mtx", "a.mtx.gz", "a.GZ"] {
        let path = directory.join(name);
        matrix_market::write(&path, &a, &[" one\ntwo"]).expect("a writable directory");
        let compressed = fs::read(&path).expect("just written").starts_with(b"\x1f\x8b");
        assert_eq!(compressed, name != "a.mtx");
        let back = matrix_market::read(&path).expect("just written");
        assert_eq!(back.comments, [" one", "two"]);
        assert_eq!(back.into_coo().expect("real"), a);
    }
    let bad = directory.join("bad.mtx");
    fs::write(&bad, format!("{GENERAL}1 1 1\n1 2 3\n")).expect("a writable directory");
    let message = matrix_market::read(&bad).expect_err("column 2 of 1").to_string();
    assert!(
        message.ends_with("bad.mtx: line 3: the column is 2, but the matrix has 1"),
        "{message}"
    );
    let missing = directory.join("none").join("a.mtx");
    assert!(matches!(matrix_market::read(&missing), Err(Error::File { path, .. }) if path == missing));
    assert!(matches!(matrix_market::write(&missing, &a, &[]), Err(Error::File { path, .. }) if path == missing));
    let long = "x".repeat(65_536);
    assert!(matrix_market::write(directory.join("long.mtx"), &a, &[&long]).is_err());
    fs::remove_dir_all(&directory).expect("our own directory");
}

fn read(text: &str) -> MatrixFile {
    matrix_market::read_from(text.as_bytes()).unwrap_or_else(|error| panic!("{text:.200}: {error}"))
}

fn read_data(name: &str) -> MatrixFile {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    matrix_market::read(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// The double that is read is the nearest to the fraction: no other is nearer than half the way to its neighbours.
#[test]
fn doubles_are_the_nearest_to_what_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let files = [folder.clone(), folder.join("scipy")].map(|folder| fs::read_dir(folder).expect("it is there"));
    let (mut compared, mut refused) = (0, 0);
    for path in files.into_iter().flatten().map(|file| file.expect("readable").path()) {
        if path.extension().is_none_or(|extension| extension != "mtx") {
            continue;
        }
        let name = path.display();
        let rounded = matrix_market::read(&path).expect("it is one").into_real();
        let exact = matrix_market::read_exact(&path);
        let finite = rounded
            .as_ref()
            .is_ok_and(|storage| doubles(storage).iter().all(|value| value.is_finite()));
        assert_eq!(exact.is_ok(), finite, "{name}: {exact:?}");
        let (Ok(rounded), Ok(exact)) = (rounded, exact) else {
            refused += 1;
            continue;
        };
        assert_eq!((exact.rows(), exact.cols()), (rounded.rows(), rounded.cols()), "{name}");
        let exact = match exact {
            Storage::Sparse(coo) => coo.values().to_vec(),
            Storage::Dense(dense) => dense.into_values(),
        };
        let rounded = doubles(&rounded);
        assert_eq!(exact.len(), rounded.len(), "{name}");
        for (exact, rounded) in exact.into_iter().zip(rounded) {
            let between = |neighbour: f64| (fraction(neighbour) + fraction(rounded)) / BigInt::from(2);
            let (below, above) = (between(rounded.next_down()), between(rounded.next_up()));
            assert!(below <= exact && exact <= above, "{name}: {exact} {rounded:e}");
            compared += 1;
        }
    }
    assert!(compared > 5000 && refused >= 3, "{compared} {refused}");
}

fn doubles(storage: &Storage<f64>) -> Vec<f64> {
    match storage {
        Storage::Sparse(coo) => coo.values().to_vec(),
        Storage::Dense(dense) => dense.values().to_vec(),
    }
}

fn fraction(value: f64) -> Rational {
    let (mantissa, exponent, sign) = num_traits::Float::integer_decode(value);
    let (mantissa, power) = (
        BigInt::from(mantissa) * sign,
        BigInt::from(1) << exponent.unsigned_abs(),
    );
    if exponent < 0 {
        Rational::new(mantissa, power)
    } else {
        Rational::from_integer(mantissa * power)
    }
}
