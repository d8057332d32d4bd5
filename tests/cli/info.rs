//! `nonius info`, as its users run it.

use nonius::Scalar;
use nonius::sparse::{Csr, Format, Stored, generate, matrix_market};
use serde_json::Value;

use crate::{data, directory, run, write};

fn object(matrix: &str) -> Value {
    crate::object(&["info", matrix])
}

/// What is told equals what the library makes: the bytes of the arrays that are there after converting.
fn tells_the_truth(object: &Value, a: &Csr<f64>) {
    assert_eq!(
        [&object["rows"], &object["cols"], &object["nnz"]],
        [a.rows(), a.cols(), a.nnz()]
    );
    for format in Format::ALL {
        let real = [
            (
                "f32",
                Stored::new(&a.map(f32::from_f64), format).expect("small").bytes(),
            ),
            ("f64", Stored::new(a, format).expect("small").bytes()),
        ];
        for (scalar, real) in real {
            assert_eq!(object["bytes"][scalar][format.name()], real, "{format} of {scalar}");
            let formula = &object["formula"][scalar][format.name()];
            assert!(formula.is_null() || *formula == real, "{format} of {scalar}: {formula}");
        }
    }
    for scalar in ["f32", "f64"] {
        assert_eq!(object["bytes"][scalar].as_object().map(serde_json::Map::len), Some(10));
        let of_the_paper = object["formula"][scalar].as_object().expect("an object");
        let names: Vec<_> = of_the_paper.keys().map(String::as_str).collect();
        assert_eq!(names, ["csr", "ell", "ell-r", "rbp-csr", "rbp-ell", "rbp-ell-r"]);
        let auto = &object["auto"][scalar];
        let chosen = auto["format"].as_str().expect("a name");
        assert_eq!(auto["bytes"], object["bytes"][scalar][chosen], "{auto}");
        assert!(
            auto["bytes"].as_u64() <= object["bytes"][scalar]["csr"].as_u64(),
            "{auto}"
        );
        assert!(
            auto["reason"].as_str().is_some_and(|reason| reason.contains("CSR")),
            "{auto}"
        );
    }
}

#[test]
fn files_are_described() {
    for (name, symmetry) in [
        ("west0479.mtx", "general"),
        ("bcsstk01.mtx", "symmetric"),
        ("ash219.mtx", "general"),
        ("scipy/skew_real.mtx", "skew-symmetric"),
        ("scipy/array_real.mtx", "general"),
    ] {
        let object = object(&data(name));
        let coo = matrix_market::read(data(name))
            .and_then(|file| file.into_coo())
            .expect("real");
        tells_the_truth(&object, &Csr::from_coo(&coo).expect("small"));
        assert_eq!(object["symmetry"], symmetry, "{name}");
    }
    // Counted by hand: rows 0, 1 and 0, 2, 3 of a matrix of which the last row is empty.
    let text = "%%MatrixMarket matrix coordinate complex general\n3 4 6\n1 1 1 0\n1 2 0 1\n2 1 1 0\n2 3 1 0\n2 4 1 0\n2 4 1 0\n";
    let object = object(&write(&directory("info"), "small.mtx", text));
    assert_eq!(
        (&object["nnz"], &object["repeated"], &object["isolated"]),
        (&5.into(), &1.into(), &1.into())
    );
    let lengths = &object["row_lengths"];
    assert_eq!((&lengths["min"], &lengths["max"]), (&0.into(), &3.into()));
    assert_eq!(lengths["mean"].as_f64(), Some(5.0 / 3.0));
    let runs = &object["runs"];
    assert_eq!((&runs["count"], &runs["longest"]), (&2.into(), &2.into()));
    assert_eq!(
        (runs["mean_length"].as_f64(), runs["share"].as_f64()),
        (Some(2.0), Some(0.8))
    );
}

#[test]
fn generators_are_described() {
    let object = object("stencil27:9");
    tells_the_truth(&object, &generate::stencil27(9, 9, 9).expect("small"));
    assert_eq!(
        (&object["symmetry"], &object["runs"]["longest"]),
        (&"symmetric".into(), &3.into())
    );
    assert_eq!(self::object("convection-diffusion:3")["symmetry"], "general");
    // No rows: nothing is divided by them.
    assert_eq!(self::object("stencil5:0")["row_lengths"]["mean"], 0.0);
}

#[test]
fn text_names_every_format() {
    let output = run(&["info", &data("bcsstk01.mtx")]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut words = vec![
        "48 x 48, 400 non-zeros",
        "symmetry     symmetric",
        "runs ",
        "isolated ",
        "auto, f32",
        "auto, f64",
    ];
    words.extend(Format::ALL.iter().map(|format| format.name()));
    for word in words {
        assert!(text.contains(word), "{word:?} is not in:\n{text}");
    }
    assert!(!text.contains("NaN"), "{text}");
}

#[test]
fn what_is_no_matrix_is_refused() {
    for (matrix, word) in [
        ("stencil27:x", "stencil27"),
        ("stencil27:99999", "99999 x 99999 x 99999"),
        ("none.mtx", "none.mtx"),
    ] {
        let output = run(&["info", matrix, "--json"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            output.stdout.is_empty() && error.contains(word) && error.lines().count() == 1,
            "{error}"
        );
    }
}

#[test]
fn a_table_of_nothing_that_could_be_read_is_a_failure() {
    let good = data("west0479.mtx");
    for command in [&["info"][..], &["bench", "spmv", "--device", "host", "--runs", "1"]] {
        let table = |files: &[&str]| run(&[command, &["--table"], files].concat());
        let output = table(&["none.mtx", "missing.mtx"]);
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("none of 2"), "{error}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("missing"));
        assert!(table(&["none.mtx", &good]).status.success());
    }
}

/// What a file or a name of a few letters asks for is refused where it is not there.
#[test]
#[cfg(target_os = "linux")]
fn what_memory_does_not_hold_is_refused() {
    let directory = directory("memory");
    let text = "%%MatrixMarket matrix coordinate real general\n1 2000000000 1\n1 1 1.0\n";
    let wide = write(&directory, "wide.mtx", text);
    for arguments in [
        &["info", "stencil27:300"][..],
        &["info", "r-mat:27"],
        &["bench", "spmv", "--device", "host", &wide],
    ] {
        let output = crate::with_memory(2_000_000, arguments);
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains("host is out of memory"), "{arguments:?}: {error}");
    }
    let error = crate::refusal(&["info", "stencil27:1000"]);
    assert!(error.contains("entries, found 26946"), "{error}");
}

/// A file of two lines asks for little more than the pointers of the rows that it declares.
#[test]
#[cfg(target_os = "linux")]
fn rows_without_entries_are_not_what_ends_it() {
    let directory = directory("info-rows");
    let text = "%%MatrixMarket matrix coordinate real general\n8000000 1 0\n";
    let file = write(&directory, "empty.mtx", text);
    let output = crate::with_memory(150_000, &["info", &file]);
    assert!(output.status.success(), "{output:?}");
}
