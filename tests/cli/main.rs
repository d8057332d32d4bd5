//! The command `nonius`, as its users run it: what it prints, what it writes, and how it ends. One file a command, and here
//! what all of them share.
#![cfg(feature = "cli")]

mod bench;
mod doctor;
mod exact;
mod info;
mod plot;
mod solve;
mod spmv;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonius"));
    // Without one, Mesa's drivers warn on standard error, where the command's own sentence is looked for.
    command
        .args(arguments)
        .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// On whatever is best here.
fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("it runs")
}

fn on_host(arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    command.env("NONIUS_DEVICE", "host").output().expect("it runs")
}

/// With no more than so many KiB of address space.
#[cfg(target_os = "linux")]
fn with_memory(kibibytes: u32, arguments: &[&str]) -> Output {
    let limited = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &limited, env!("CARGO_BIN_EXE_nonius")])
        .args(arguments);
    shell.output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// What it prints with `--json`, without a word beside it.
fn object(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    assert!(output.stderr.is_empty(), "{output:?}");
    json(&output)
}

/// What it says on standard error when it fails.
fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    text(&output.stderr)
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
fn wrong_usage_exits_with_2() {
    let a = data("LFAT5.mtx");
    let cases: [&[&str]; 25] = [
        &[],
        &["solve"],
        &["solve", "--no-such-flag", &a],
        &["solve", "--precision", "half", &a],
        &["solve", "--rhs"],
        &["bench", "--n", "many"],
        &["bench", "--n", "2^99"],
        &["bench", "--n", "0"],
        &["bench", "gemv", "--n", "0"],
        &["bench", "gemv", "--rows", "5"],
        &[
            "bench", "gemm", "--n", "5", "--rows", "5", "--cols", "5", "--depth", "5",
        ],
        &["bench", "--n", "5", "gemv"],
        &["bench", "lu", "--batch", "5", "--pivoting", "none"],
        &["bench", "trsv"],
        // The median of nothing.
        &["bench", "--runs", "0"],
        &["bench", "level1", "--runs", "0"],
        &["bench", "gemv", "--runs", "0"],
        &["bench", "gemm", "--runs", "0"],
        &["bench", "lu", "--runs", "0"],
        &["bench", "lu", "--batch", "5", "--runs", "0"],
        &["bench", "spmv", &a, "--runs", "0"],
        &["bench", "sign", "--runs", "0"],
        &["bench", "plot", "--runs", "0"],
        &["lu-study", "--runs", "0"],
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
        // What clap prints is small, and may have been read; else as a shell has it.
        assert!(matches!(status.code(), Some(0 | 141)), "{arguments:?}: {status}");
        assert_eq!(errors, "", "{arguments:?}");
    }
}

/// What was printed is not there: that is no success.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = fs::File::create("/dev/full").expect("Linux has it");
    let mut command = command(&["exact", "det", &data("bcsstk01.mtx"), "--json", "--device", "host"]);
    let output = command.stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(errors.starts_with("nonius: standard output: "), "{errors}");
}

/// Names of files are bytes on Unix, and need be no Unicode.
#[cfg(unix)]
#[test]
fn files_may_have_names_that_are_no_unicode() {
    use std::os::unix::ffi::OsStrExt as _;

    let directory = directory("no-unicode");
    let named = |ending: &[u8]| directory.join(std::ffi::OsStr::from_bytes(&[b"\xff", ending].concat()));
    let (matrix, curve, picture) = (named(b".mtx"), named(b".poly"), named(b".png"));
    fs::copy(data("bcsstk01.mtx"), &matrix).expect("it can be copied");
    fs::write(&curve, "x^2 + y^2 = 1").expect("it can be written");
    let object = |arguments: &[&std::ffi::OsStr]| {
        let mut command = command(&[]);
        let output = command
            .args(arguments)
            .arg("--json")
            .env("NONIUS_DEVICE", "host")
            .output();
        json(&output.expect("it runs"))
    };
    assert_eq!(object(&["info".as_ref(), matrix.as_ref()])["rows"], 48);
    let bench = ["bench", "spmv", "--runs", "1", "--scalar", "f64"].map(std::ffi::OsStr::new);
    assert_eq!(object(&[&bench[..], &[matrix.as_ref()]].concat())["rows"], 48);
    let plot = [
        "plot".as_ref(),
        curve.as_ref(),
        "--width".as_ref(),
        "16".as_ref(),
        "-o".as_ref(),
        picture.as_ref(),
    ];
    assert!(
        object(&plot)["picture"]
            .as_str()
            .is_some_and(|name| name.ends_with("\u{fffd}.png"))
    );
    assert!(picture.exists());
}

/// What has no effect is refused.
#[test]
fn arguments_without_effect_are_refused() {
    let matrix = data("bcsstk01.mtx");
    for arguments in [
        &["info", &matrix, "--least", "7"][..],
        &["plot", "heart", "--axes"],
        &["plot", "heart", "--scale", "3"],
        &["plot", "heart", "--list"],
    ] {
        let output = on_host(arguments);
        assert_eq!(
            (output.status.code(), output.stdout.is_empty()),
            (Some(2), true),
            "{output:?}"
        );
    }
}
