//! The command `nonius`, as its users run it: what it prints, what it writes, and how it ends.
#![cfg(feature = "cli")]

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nonius::sparse::matrix_market;
use serde_json::Value;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonius"));
    // Without one, Mesa's drivers warn on standard error, where the command's own sentence is looked for.
    command
        .args(arguments)
        .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"));
    command
}

fn on_host(arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    command.env("NONIUS_DEVICE", "host").output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn data(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// A directory of this test's own.
fn directory(test: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&directory).expect("it can be made");
    directory
}

fn write(directory: &Path, name: &str, contents: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, contents).expect("it can be written");
    path.to_str().expect("UTF-8").to_owned()
}

/// Exit code 1, nothing on standard output that looks like a result, and a sentence with these words.
fn refused(output: &Output, words: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(
        !out.contains("residual") && !out.contains("converged") && !out.contains('{'),
        "{out}"
    );
    assert!(error.starts_with("nonius: ") && error.lines().count() == 1, "{error}");
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
}

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
    for key in ["residual", "backward_error"] {
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
            &["row 2, column 1", "NaN"],
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
            ["right-hand side at row 2", "NaN"],
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
fn wrong_usage_exits_with_2() {
    let a = data("LFAT5.mtx");
    let cases: [&[&str]; 14] = [
        &[],
        &["solve"],
        &["solve", "--no-such-flag", &a],
        &["solve", "--precision", "half", &a],
        &["solve", "--rhs"],
        &["bench", "--n", "many"],
        &["bench", "--n", "2^99"],
        &["bench", "gemv", "--n", "0"],
        &["bench", "gemv", "--rows", "5"],
        &[
            "bench", "gemm", "--n", "5", "--rows", "5", "--cols", "5", "--depth", "5",
        ],
        &["bench", "--n", "5", "gemv"],
        &["bench", "lu", "--batch", "5", "--pivoting", "none"],
        &["bench", "trsv"],
        &["no-such-command"],
    ];
    for arguments in cases {
        let output = on_host(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{arguments:?}: {output:?}"
        );
    }
    let output = on_host(&["solve", "--precision", "half", &a]);
    assert!(text(&output.stderr).contains("auto, f32, df64, f64"), "{output:?}");
    for arguments in [["--help"], ["--version"]] {
        let output = on_host(&arguments);
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn doctor_examines_every_device() {
    let run = |arguments: &[&str]| command(arguments).output().expect("it runs");
    let object = json(&run(&["doctor", "--json"]));
    let devices = object["devices"].as_array().expect("a list");
    let human = run(&["doctor"]);
    assert!(human.status.success(), "{human:?}");
    let human = text(&human.stdout);
    assert_eq!(devices.last().expect("the host")["name"], "host");
    assert!(human.contains("host"), "{human}");
    for device in devices {
        let name = device["name"].as_str().expect("a name");
        assert!(human.contains(name), "{name} is not in:\n{human}");
        if name == "host" || device.get("error").is_some() {
            continue;
        }
        let single = &device["operations"]["f32"]["ulps"];
        let ranges = single.as_object().expect("of f32 at least");
        assert!(!ranges.is_empty(), "{device}");
        for (operation, range) in ranges {
            let (low, high) = (range[0].as_f64(), range[1].as_f64());
            assert!(
                low.zip(high).is_some_and(|(low, high)| low <= high),
                "{operation}: {range}"
            );
        }
        assert!(
            device["error_free_transforms"]
                .as_array()
                .is_some_and(|trials| !trials.is_empty())
        );
        for scalar in ["f32", "df64", "f64", "dd"] {
            let choice = &device["scalars"][scalar];
            assert!(
                choice["words"].is_string() || choice["refused"].is_string(),
                "{scalar}: {device}"
            );
        }
        for word in ["two_sum", "units in the last place", "scalars (self-test", "limits"] {
            assert!(human.contains(word), "{word:?} is not in:\n{human}");
        }
    }
}

#[test]
fn bench_compares_with_copying() {
    let arguments = ["bench", "--n", "1000", "--runs", "3", "--device", "host"];
    let object = json(
        &command(&[&arguments[..], &["--json"]].concat())
            .output()
            .expect("it runs"),
    );
    assert!(object["copy_bytes_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    let rows = object["level1"].as_array().expect("a list");
    for scalar in ["f32", "df64", "f64", "dd"] {
        let mut of_scalar = rows.iter().filter(|row| row["scalar"] == scalar).peekable();
        assert!(of_scalar.peek().is_some(), "{scalar}");
        for row in of_scalar {
            assert_eq!(row["n"], 1000);
            for key in ["gigabytes_per_second", "share_of_copy", "seconds"] {
                assert!(row[key].as_f64().is_some_and(|value| value > 0.0), "{key}: {row}");
            }
        }
    }
    let output = command(&arguments).output().expect("it runs");
    let human = text(&output.stdout);
    assert!(
        output.status.success() && human.contains("GB/s") && human.contains('%'),
        "{human}"
    );
    let output = on_host(&["bench", "--n", "10", "--scalar", "f16"]);
    refused(&output, &["f32, df64, f64, dd", "f16"]);
}

fn is_positive(row: &Value, keys: &[&str]) {
    for key in keys {
        assert!(row[key].as_f64().is_some_and(|value| value > 0.0), "{key}: {row}");
    }
    assert!(row["clock"] == "device" || row["clock"] == "wall", "{row}");
}

/// On the host, and on whatever is best here.
fn bench(arguments: &[&str]) -> [Value; 2] {
    let arguments = [&["bench"], arguments, &["--runs", "1", "--json"]].concat();
    let best = command(&arguments).output().expect("it runs");
    [json(&on_host(&arguments)), json(&best)]
}

#[test]
fn bench_level1_is_bench() {
    let arguments = ["--n", "100", "--scalar", "f32"];
    let names = |object: &Value| -> Vec<String> {
        let rows = object["level1"].as_array().expect("a list");
        rows.iter().map(|row| row["operation"].to_string()).collect()
    };
    let [alone, _] = bench(&arguments);
    let [named, _] = bench(&[&["level1"], &arguments[..]].concat());
    assert!(
        names(&alone).len() == 12 && names(&alone) == names(&named),
        "{alone} {named}"
    );
}

#[test]
fn bench_factors_many_small_matrices() {
    for object in bench(&["lu", "--batch", "10", "--n", "3,8", "--scalar", "f32"]) {
        assert_eq!(object["batch"], 10, "{object}");
        let rows = object["lu"].as_array().expect("a list");
        assert_eq!(rows.len(), 2, "{object}");
        for (row, n) in rows.iter().zip([3, 8]) {
            assert_eq!(row["n"], n, "{row}");
            is_positive(row, &["seconds", "gigaflops", "gigabytes_per_second"]);
        }
    }
    let output = on_host(&["bench", "lu", "--batch", "10", "--n", "65"]);
    refused(&output, &["64", "10 of 65 x 65"]);
}

#[test]
fn bench_multiplies_matrices_and_vectors() {
    for transposed in [&[][..], &["--transposed"]] {
        let arguments = [&["gemv", "--n", "100,2^7", "--scalar", "f32"], transposed].concat();
        for object in bench(&arguments) {
            let rows = object["gemv"].as_array().expect("a list");
            assert_eq!(rows.len(), 2, "{object}");
            for (row, n) in rows.iter().zip([100, 128]) {
                assert!(row["rows"] == n && row["cols"] == n && row["scalar"] == "f32", "{row}");
                assert_eq!(row["transposed"], !transposed.is_empty(), "{row}");
                assert_eq!(row["bytes"], f64::from(4 * (n * n + 2 * n)), "{row}");
                is_positive(row, &["seconds", "gigabytes_per_second", "share_of_copy"]);
            }
        }
    }
    let human = on_host(&["bench", "gemv", "--rows", "3", "--cols", "5", "--runs", "1"]);
    let human = text(&human.stdout);
    for word in ["f32", "df64", "f64", "dd", "3 x 5", "GB/s", "%", "the host's clock"] {
        assert!(human.contains(word), "{word:?} is not in:\n{human}");
    }
}

#[test]
fn bench_multiplies_matrices() {
    for object in bench(&["gemm", "--n", "64", "--scalar", "df64"]) {
        let row = &object["gemm"][0];
        assert!(row["rows"] == 64 && row["cols"] == 64 && row["depth"] == 64, "{row}");
        is_positive(row, &["seconds", "gigaflops", "share_of_multiply_adds"]);
        let (flops, seconds) = (row["gigaflops"].as_f64(), row["seconds"].as_f64());
        let product = flops.zip(seconds).map(|(flops, seconds)| flops * seconds * 1e9);
        assert!(
            product.is_some_and(|flops| (flops / f64::from(2 * 64 * 64 * 64) - 1.0).abs() < 1e-9),
            "{row}"
        );
    }
    let human = on_host(&[
        "bench", "gemm", "--rows", "30", "--cols", "20", "--depth", "10", "--scalar", "f32", "--runs", "1",
    ]);
    let human = text(&human.stdout);
    for word in ["30 x 20 x 10", "GFLOP/s", "multiply-adds", "%"] {
        assert!(human.contains(word), "{word:?} is not in:\n{human}");
    }
}

#[test]
fn bench_says_which_sizes_do_not_fit() {
    for what in ["gemv", "gemm"] {
        let arguments = ["bench", what, "--n", "20,2^24", "--scalar", "f32", "--runs", "1"];
        let object = json(&on_host(&[&arguments[..], &["--json"]].concat()));
        assert_eq!(object[what].as_array().map(Vec::len), Some(1), "{object}");
        let missed = &object["not_measured"][0];
        assert!(
            missed["size"]
                .as_str()
                .is_some_and(|size| size.starts_with("16777216 x 16777216")),
            "{object}"
        );
        assert!(
            missed["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains("out of memory")),
            "{object}"
        );
        let human = text(&on_host(&arguments).stdout);
        assert!(human.contains("not measured: host is out of memory"), "{human}");
        // A clock that measured nothing is not spoken of.
        let nothing = on_host(&["bench", what, "--n", "2^24", "--scalar", "f32", "--runs", "1"]);
        let human = text(&nothing.stdout);
        assert!(human.contains("not measured") && !human.contains("clock"), "{human}");
    }
}

/// As `nonius ... | head -c 0` does.
#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    for arguments in [
        &["solve", &data("LFAT5.mtx")][..],
        &["bench", "--n", "100"],
        &["--help"],
    ] {
        let mut command = command(arguments);
        command.env("NONIUS_DEVICE", "host");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let mut errors = String::new();
        let mut stderr = child.stderr.take().expect("it is piped");
        stderr.read_to_string(&mut errors).expect("UTF-8");
        let status = child.wait().expect("it ends");
        assert!(status.code().is_some_and(|code| code < 2), "{arguments:?}: {status}");
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    }
}
