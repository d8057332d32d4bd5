//! `nonius solve`, and what every command does with files and devices that are none.

use std::path::Path;

use nonius::sparse::matrix_market;
use serde_json::Value;

use crate::{command, data, directory, json, on_host, refused, text, write};

#[test]
fn solve_knows_its_methods() {
    let lu = on_host(&["solve", &data("west0479.mtx"), "--method", "lu"]);
    assert_eq!(lu.status.code(), Some(0), "{lu:?}");
    assert!(text(&lu.stdout).contains("method     dense LU"), "{lu:?}");
    let unknown = on_host(&["solve", &data("west0479.mtx"), "--method", "guess"]);
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
    assert!(
        text(&unknown.stderr).contains("possible values: auto, lu"),
        "{unknown:?}"
    );
}

#[test]
fn solve_says_what_it_did() {
    let output = on_host(&["solve", &data("west0479.mtx")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let out = text(&output.stdout);
    for word in [
        "device     host",
        "matrix     479 x 479, 1,910 non-zeros",
        "west0479.mtx",
        "method     dense LU",
        "precision  factored in f32, residuals in f64",
        "residual   ",
        "backward error, meets 7.1e-15",
        "time       open ",
        "factor ",
    ] {
        assert!(out.contains(word), "{word:?} is not in:\n{out}");
    }
    assert!(!out.contains("NaN") && output.stderr.is_empty(), "{output:?}");
    let symmetric = text(&on_host(&["solve", &data("bcsstk01.mtx")]).stdout);
    assert!(symmetric.contains("400 non-zeros (224 stored)"), "{symmetric}");
}

/// Entries that differ by more than 2^40 are scaled in every precision, for which f32's range is a reason in one of them only.
#[test]
fn scaling_has_the_same_reason_in_every_precision() {
    let directory = directory("scaled");
    let wide = write(
        &directory,
        "wide.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1e20\n1 2 1\n2 2 1e-20\n",
    );
    for precision in ["f32", "f64"] {
        let output = on_host(&["solve", &wide, "--precision", precision]);
        let out = text(&output.stdout);
        let line = out.lines().find(|line| line.contains("rows and columns scaled"));
        assert!(
            line.is_some_and(|line| line.contains("differ by more than 2^40")),
            "{output:?}"
        );
        assert_eq!(out.contains("f32"), precision == "f32", "{out}");
        assert!(out.contains("componentwise"), "{out}");
    }
}

fn has_every_key(object: &Value) {
    for key in ["device", "backend", "method", "precision"] {
        assert!(
            object[key].as_str().is_some_and(|text| !text.is_empty()),
            "{key}: {object}"
        );
    }
    for key in ["rows", "cols", "nnz", "iterations"] {
        assert!(object[key].is_u64(), "{key}: {object}");
    }
    for key in ["residual", "backward_error", "componentwise_backward_error"] {
        assert!(object[key].is_f64(), "{key}: {object}");
    }
    for key in ["open", "read", "setup", "solve"] {
        let seconds = object["seconds"][key].as_f64();
        assert!(seconds.is_some_and(|seconds| seconds >= 0.0), "{key}: {object}");
    }
    assert!(object["converged"].is_boolean(), "{object}");
}

#[test]
fn solve_prints_one_object() {
    let object = json(&on_host(&["solve", "--json", &data("west0479.mtx")]));
    has_every_key(&object);
    assert_eq!(object["device"], "host");
    assert_eq!([&object["rows"], &object["cols"], &object["nnz"]], [479, 479, 1910]);
    assert_eq!(object["converged"], true);
    let componentwise = &object["stages"][0]["componentwise_history"];
    assert_eq!(componentwise.as_array().map(Vec::len), Some(2), "{object}");
    assert_eq!(componentwise[1], object["componentwise_backward_error"], "{object}");
    let out = text(&on_host(&["solve", &data("west0479.mtx")]).stdout);
    assert!(out.contains("own terms, after 1 more correction\n"), "{out}");
    assert!(object["backward_error"].as_f64().expect("a number") <= 2.0_f64.powi(-47));
}

/// On whatever is best here, without being told.
#[test]
fn solve_runs_on_the_best_device() {
    let output = command(&["solve", "--json", &data("fs_183_1.mtx")])
        .output()
        .expect("it runs");
    let object = json(&output);
    has_every_key(&object);
    assert_eq!(object["converged"], true, "{object}");
}

#[test]
fn what_is_written_solves_the_system() {
    let directory = directory("out");
    let n = 3;
    let a = write(
        &directory,
        "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n1 3 1\n2 2 2\n3 1 1\n3 3 3\n",
    );
    let b = write(
        &directory,
        "b.mtx",
        "%%MatrixMarket matrix array real general\n3 1\n7\n4\n10\n",
    );
    let x = directory.join("x.mtx");
    let output = on_host(&["solve", &a, "--rhs", &b, "--out", x.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).contains("written    "), "{output:?}");
    let read = |path: &Path| {
        let file = matrix_market::read(path).expect("it is one");
        file.into_row_major().expect("it is real")
    };
    let (a, b, x) = (read(a.as_ref()), read(b.as_ref()), read(&x));
    for i in 0..n {
        let product: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
        assert!(
            (product - b[i]).abs() <= 16.0 * f64::EPSILON * b[i],
            "row {i}: {product} {}",
            b[i]
        );
    }
}

#[test]
fn a_precision_can_be_asked_for() {
    let directory = directory("precision");
    let a = write(
        &directory,
        "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 3\n2 1 1\n2 2 7\n",
    );
    for precision in ["f32", "df64", "f64"] {
        let object = json(&on_host(&["solve", "--json", "--precision", precision, &a]));
        let expected = format!("{precision} factors, {precision} residuals");
        assert_eq!(object["precision"], expected.as_str());
    }
}

#[test]
fn a_device_can_be_asked_for() {
    let a = data("LFAT5.mtx");
    let by_option = command(&["solve", "--json", "--device", "host", &a])
        .output()
        .expect("it runs");
    assert_eq!(json(&by_option)["device"], "host");
    let by_environment = on_host(&["solve", "--json", &a]);
    assert_eq!(json(&by_environment)["device"], "host");
    // The option goes before the environment.
    let mut both = command(&["solve", "--json", "--device", "host", &a]);
    let both = both.env("NONIUS_DEVICE", "no such device").output().expect("it runs");
    assert_eq!(json(&both)["device"], "host");
    for device in ["no such device", "99"] {
        let output = command(&["solve", "--device", device, &a]).output().expect("it runs");
        refused(&output, &["no device", device, "there are: ", "host"]);
    }
}

#[test]
fn bad_input_is_refused_with_a_sentence() {
    let directory = directory("bad");
    let file = |name: &str, contents: &str| write(&directory, name, contents);
    let coordinate = "%%MatrixMarket matrix coordinate real general\n";
    let array = "%%MatrixMarket matrix array real general\n";
    let good = file("good.mtx", &format!("{coordinate}2 2 2\n1 1 1\n2 2 1\n"));
    let cases: [(&str, String, &[&str]); 8] = [
        ("cut", format!("{coordinate}3 3 3\n1 1 1.0\n2 2"), &["cut", "line 4"]),
        ("empty", String::new(), &["empty"]),
        ("nothing", format!("{coordinate}0 0 0\n"), &["empty matrix"]),
        ("wide", format!("{coordinate}2 3 1\n1 1 1\n"), &["square", "2 x 3"]),
        (
            "nan",
            format!("{coordinate}2 2 2\n1 1 1\n2 1 nan\n"),
            &["row 1, column 0 (counted from 0)", "NaN"],
        ),
        (
            "singular",
            format!("{array}2 2\n1\n2\n2\n4\n"),
            &["singular", "column 1"],
        ),
        (
            "complex",
            "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n".to_owned(),
            &["complex", "row 1"],
        ),
        ("words", "hello\n".to_owned(), &["words", "line 1"]),
    ];
    for (name, contents, words) in cases {
        let path = file(&format!("{name}.mtx"), &contents);
        refused(&on_host(&["solve", &path]), words);
        let output = on_host(&["solve", "--json", &path]);
        refused(&output, words);
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    refused(
        &on_host(&["solve", "no-such-file.mtx"]),
        &["no-such-file.mtx", "o such file"],
    );
    for (name, contents, words) in [
        ("long", format!("{array}3 1\n1\n2\n3\n"), ["right-hand side of 2", "3"]),
        (
            "two",
            format!("{array}2 2\n1\n2\n3\n4\n"),
            ["one right-hand side", "2 columns"],
        ),
        (
            "hole",
            format!("{array}2 1\n1\nnan\n"),
            ["right-hand side at row 1 (counted from 0)", "NaN"],
        ),
    ] {
        let b = file(&format!("{name}.mtx"), &contents);
        refused(&on_host(&["solve", "--rhs", &b, &good]), &words);
    }
    let unwritable = directory.join("no/such/directory/x.mtx");
    let output = on_host(&["solve", "--out", unwritable.to_str().expect("UTF-8"), &good]);
    refused(&output, &["x.mtx"]);
}

/// What a header declares is not believed: the file has one entry, and nothing of the declared size is made.
#[test]
fn a_hostile_header_costs_nothing() {
    let directory = directory("hostile");
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let hostile = write(
        &directory,
        "hostile.mtx",
        &format!("{header}4000000000 4000000000 1\n1 1 1\n"),
    );
    for output in [
        on_host(&["solve", &hostile]),
        command(&["solve", &hostile]).output().expect("it runs"),
    ] {
        refused(&output, &["singular", "column 1"]);
    }
    let [small, tall] = [
        ("small.mtx", "2 2 2\n1 1 1\n2 2 1\n"),
        ("tall.mtx", "4000000000 1 1\n1 1 1\n"),
    ]
    .map(|(name, text)| write(&directory, name, &format!("{header}{text}")));
    let output = on_host(&["solve", "--rhs", &tall, &small]);
    refused(&output, &["a right-hand side of 2, found one of 4000000000"]);
    let output = on_host(&["bench", "--scalar", "f32", "--n", "2^50"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("out of memory"),
        "{output:?}"
    );
}

/// What needs more than any machine has.
#[test]
fn a_matrix_that_is_too_large_is_refused() {
    let directory = directory("large");
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let diagonal: String = (1..=1_000_000).map(|i| format!("{i} {i} 1\n")).collect();
    let huge = write(
        &directory,
        "huge.mtx",
        &format!("{header}1000000 1000000 1000000\n{diagonal}"),
    );
    let outputs = [
        on_host(&["solve", &huge]),
        command(&["solve", &huge]).output().expect("it runs"),
    ];
    for output in outputs {
        refused(&output, &["1000000 x 1000000", "bytes"]);
    }
}

#[test]
fn a_target_that_is_missed_is_a_failure() {
    let directory = directory("missed");
    let n = 11;
    let mut hilbert = format!("%%MatrixMarket matrix array real general\n{n} {n}\n");
    for k in 0..n * n {
        hilbert.push_str(&format!("{:e}\n", 1.0 / f64::from(k / n + k % n + 1)));
    }
    let a = write(&directory, "hilbert.mtx", &hilbert);
    let object = on_host(&["solve", "--json", "--precision", "f32", &a]);
    let parsed: Value = serde_json::from_slice(&object.stdout).expect("it says how far it came");
    has_every_key(&parsed);
    // By its own account.
    let code = if parsed["converged"] == true { 0 } else { 1 };
    assert_eq!(object.status.code(), Some(code), "{object:?}");
    let warned = parsed["warnings"]
        .as_array()
        .is_some_and(|warnings| !warnings.is_empty());
    assert!(warned, "f32 knows nothing of this matrix: {parsed}");
}

#[test]
fn positions_are_counted_from_0_and_that_is_said() {
    let directory = directory("positions");
    let a = |name: &str, values: &str| {
        write(
            &directory,
            name,
            &format!("%%MatrixMarket matrix array real general\n2 2\n{values}\n"),
        )
    };
    // Of rank 1 in f32.
    let doubtful = on_host(&["solve", &a("doubtful.mtx", "1\n1\n1\n1.0000000001")]);
    let said = text(&doubtful.stdout);
    assert!(said.contains("no pivot in column 1 (counted from 0)"), "{said}");
    for (name, values, position) in [
        (
            "singular.mtx",
            "1\n1\n1\n1",
            "column 1 depends on the columns before it (counted from 0)",
        ),
        ("nan.mtx", "1\nnan\n1\n1", "row 1, column 0 (counted from 0)"),
    ] {
        let output = on_host(&["solve", &a(name, values)]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(position), "{said}");
    }
}
