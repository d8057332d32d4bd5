//! Matrix Market files that are refused: with the line and with a reason that helps.

use std::io::Write;

use nonius::Error;
use nonius::sparse::matrix_market;

const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";

/// (text, line, what the reason must contain)
#[rustfmt::skip]
const MALFORMED: &[(&str, usize, &str)] = &[
    // No banner.
    ("", 1, "this is empty"),
    ("\n\n  \n", 1, "this is empty"),
    ("3 3 1\n1 1 2.0\n", 1, "a list of numbers without a banner"),
    ("% comment\n3 3 1\n", 1, "no banner"),
    ("\n\nhello\n", 3, "beginning \"hello\""),
    ("<!DOCTYPE html>\n<html>404</html>\n", 1, "a web page"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", 1, "Git LFS"),
    ("Some title    KEY\n 3 1 1 1 0\nRUA    3 3 4 0\n(16I5) (16I5)\n", 1, "Harwell-Boeing"),
    ("PK\u{3}\u{4}rest", 1, "a zip archive"),
    ("abc\0def", 1, "a binary file"),
    ("%%MatrixMarkets matrix coordinate real general\n1 1 0\n", 1, "no banner"),
    ("%%Matrix Market matrix coordinate real general\n1 1 0\n", 1, "no banner"),
    ("%%%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, "no banner"),
    // A broken banner.
    ("%%MatrixMarket\n", 1, "ends before its object"),
    ("%%MatrixMarket matrix format\n", 1, "the banner's format is \"format\""),
    ("%%MatrixMarket matrix array real\n1 1\n1\n", 1, "ends before its symmetry"),
    ("%%MatrixMarket tensor coordinate real general\n1 1 0\n", 1, "object is \"tensor\""),
    ("%%MatrixMarket matrix coordinate float general\n1 1 0\n", 1, "field is \"float\""),
    ("%%MatrixMarket matrix coordinate real skew\n1 1 0\n", 1, "symmetry is \"skew\""),
    ("%%MatrixMarket matrix coordinate real general sorted\n1 1 0\n", 1, "a word too many, \"sorted\""),
    ("%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 2\r", 1, "carriage return"),
    ("%%MatrixMarket matrix array pattern general\n1 1\n", 1, "cannot be a pattern"),
    ("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 1, "cannot be skew-symmetric"),
    ("%%MatrixMarket matrix coordinate pattern hermitian\n2 2 1\n2 1\n", 1, "cannot be hermitian"),
    ("%%MatrixMarket vector coordinate real symmetric\n1 1\n1 1\n", 1, "a vector cannot be symmetric"),
    // Sizes.
    ("%%MatrixMarket matrix coordinate real general\n% only\n", 2, "ends before the line of sizes"),
    ("%%MatrixMarket matrix coordinate real general\n3 3\n", 2, "found 2"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1 1\n1 1 1\n", 2, "found 4"),
    ("%%MatrixMarket matrix coordinate real general\n\n%\n-3 3 1\n", 4, "the number of rows \"-3\" is not a whole"),
    ("%%MatrixMarket matrix coordinate real general\n3 3.0 1\n", 2, "the number of columns \"3.0\" is not a whole"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1e3\n", 2, "the number of entries \"1e3\" is not a whole"),
    ("%%MatrixMarket matrix coordinate real general\n4294967296 1 1\n", 2, "number of rows is 4294967296, more than"),
    ("%%MatrixMarket matrix coordinate real general\n1 1 4294967296\n", 2, "number of entries is 4294967296"),
    ("%%MatrixMarket matrix coordinate real general\n1 99999999999999999999 1\n", 2, "beyond 64 bits"),
    ("%%MatrixMarket matrix coordinate real symmetric\n3 2 0\n", 2, "symmetric matrix is square, but this one is 3 x 2"),
    ("%%MatrixMarket matrix array complex hermitian\n1 2\n", 2, "hermitian matrix is square"),
    ("%%MatrixMarket vector coordinate real general\n4 1 1\n", 2, "found 3"),
    // Counts.
    ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n", 3, "declares 2 entries, but the file ends after 1"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n% c\n2 2 2\n", 5, "declares 1 entries, but number 2 follows"),
    ("%%MatrixMarket matrix coordinate real general\n1 1 4294967295\n1 1 1\n", 3, "ends after 1"),
    ("%%MatrixMarket matrix array real general\n4294967295 4294967295\n1\n", 3, "ends after 1"),
    ("%%MatrixMarket matrix array real symmetric\n4294967295 4294967295\n1\n", 3, "9223372034707292160 values"),
    ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, "that is 4 values, but the file ends after 3"),
    ("%%MatrixMarket matrix array real general\n1 1\n1\n2\n", 4, "number 2 follows: \"2\""),
    // Positions.
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n0 1 1\n", 3, "the row is 0"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 0 1\n", 3, "the column is 0"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n", 3, "the row is 4, but the matrix has 3"),
    ("%%MatrixMarket matrix coordinate real general\n3 2 1\n1 3 1\n", 3, "the column is 3, but the matrix has 2"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n-1 1 1\n", 3, "the row \"-1\" is not a whole"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1.0 1 1\n", 3, "the row \"1.0\" is not a whole"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 99999999999999999999 1\n", 3, "beyond 64 bits"),
    ("%%MatrixMarket vector coordinate real general\n4 1\n5 1\n", 3, "the row is 5"),
    // Values.
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1\n", 3, "expected row, column, value, found"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 % 5\n", 3, "expected row, column, value, found"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 one\n", 3, "\"one\" is not a number"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1,5\n", 3, "\"1,5\" is not a number"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1 2\n", 3, "expected row, column, value, found \"1 1 1 2\""),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1e400\n", 3, "\"1e400\" is too large for f64"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n", 3, "expected row, column, found \"1 1 1\""),
    ("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n", 3, "\"1.5\" is not a whole number"),
    ("%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 1.5\n", 3, "expected row, column, real part, imaginary part"),
    ("%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 1 1D400\n", 3, "too large"),
    ("%%MatrixMarket matrix array real general\n2 1\n1 2\n", 3, "expected value, found \"1 2\""),
    // Symmetry.
    ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 5\n", 3, "diagonal of a skew-symmetric"),
    ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 nan\n", 3, "diagonal of a skew-symmetric"),
    ("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 1 5 1\n", 3, "diagonal of a Hermitian"),
    ("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 1\n5 1\n", 5, "diagonal of a Hermitian"),
    ("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n1 2 5\n2 1 5\n", 2, "stores both (2, 1) and (1, 2)"),
];

#[test]
fn malformed_files_are_refused_with_line_and_reason() {
    for &(text, line, reason) in MALFORMED {
        assert_refused(text.as_bytes(), line, reason);
    }
}

#[test]
fn lines_without_end_are_refused_early() {
    let endless = || std::io::BufReader::new(std::io::repeat(b'1'));
    let refused = |reader: &mut dyn std::io::BufRead, line: usize| {
        let error = matrix_market::read_from(reader).expect_err("endless");
        assert!(
            matches!(&error, Error::Parse { line: found, reason } if *found == line && reason.contains("longer than 65536")),
            "{error}"
        );
    };
    refused(&mut endless(), 1);
    refused(&mut std::io::Read::chain(GENERAL.as_bytes(), endless()), 2);
    let long = format!("{GENERAL}1 1 1{}\n1 1 2\n", " ".repeat(60_000));
    assert!(matrix_market::read_from(long.as_bytes()).is_ok());
}

#[test]
fn binary_files_are_named() {
    let mut tar = b"west0479/west0479.mtx".to_vec();
    tar.resize(257, 0);
    tar.extend_from_slice(b"ustar  \0");
    tar.resize(512, 0);
    tar.extend_from_slice(GENERAL.as_bytes());
    assert_refused(&tar, 1, "a tar archive");
    assert_refused(&gzip(&tar), 1, "a tar archive");
    assert_refused(&gzip(&gzip(GENERAL.as_bytes())), 1, "gzip within gzip");
    assert_refused(b"\xff\xfe%\0%\0", 1, "UTF-16");
    assert_refused(b"\xfd7zXZ\0", 1, "xz");
    let whole = gzip(format!("{GENERAL}1 1 1\n1 1 2\n").as_bytes());
    assert!(matrix_market::read_from(whole.as_slice()).is_ok());
    assert_refused(&whole[..whole.len() - 9], 1, "cannot be read");
}

fn assert_refused(text: &[u8], line: usize, part: &str) {
    match matrix_market::read_from(text) {
        Err(Error::Parse { line: found, reason }) => {
            let text = String::from_utf8_lossy(text);
            assert_eq!(found, line, "{text:?}: {reason}");
            assert!(reason.contains(part), "{text:?}: expected {part:?} in {reason:?}");
        }
        other => panic!("{:?}: {other:?}", String::from_utf8_lossy(text)),
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}
