//! `nonius lu-study`: every figure that it prints, against the paper's formulas and against each other.
#![cfg(feature = "cli")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Pictures go to a folder of the test's own.
fn study(test: &str, arguments: &[&str]) -> (Output, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    // What an earlier run left; nothing the first time.
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonius"));
    command
        .arg("lu-study")
        .args(arguments)
        .arg("--pictures")
        .arg(&folder)
        .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"))
        .env("NONIUS_TUNING_DIR", &folder);
    (command.output().expect("it runs"), folder)
}

fn object(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn list<'a>(object: &'a Value, key: &str) -> &'a Vec<Value> {
    object[key].as_array().unwrap_or_else(|| panic!("{key} of {object}"))
}

/// Passes, copies, bytes copied, operations, bytes referenced: tables 1 and 2 of the paper, for N that four divides.
fn of_2005(variant: &str, n: u64) -> [u64; 5] {
    let cubic = n * (n * n - 1);
    match variant {
        "I1" => [2 * n, 2 * n, 32 * cubic / 3, 2 * cubic / 3, 8 * n * (2 * n * n - n - 1)],
        "I2" => [n, n, 16 * cubic / 3, 4 * cubic / 3, 64 * cubic / 3],
        vector => {
            let passes = if vector == "I3" { 8 * n } else { 4 * n };
            let copied = 2 * n * (4 * n * n + 3 * n - 4) / 3;
            [passes, 2 * n, copied, 2 * cubic / 3, n * (4 * n * n + 7 * n + 4)]
        }
    }
}

fn is_row(row: &Value) {
    let (variant, n) = (
        row["variant"].as_str().expect("a name"),
        row["n"].as_u64().expect("an order"),
    );
    assert_eq!(row["equal"], true, "{row}");
    assert_eq!(row["as_modelled"], true, "{row}");
    let is_copy = row["handover"] == "copy";
    assert!(is_copy || row["handover"] == "ping-pong", "{row}");
    if n.is_multiple_of(4) {
        let [passes, copies, copied, flops, referenced] = of_2005(variant, n);
        let (copies, copied) = if is_copy { (copies, copied) } else { (0, 0) };
        // A texel of I1 and I2 was four times what an element is in a buffer.
        let texel = if variant < "I3" { 4 } else { 1 };
        for (key, expected) in [
            ("passes", passes),
            ("copies", copies),
            ("copied_bytes", copied / texel),
            ("flops", flops),
            ("referenced_bytes", referenced / texel),
            ("copied_bytes_of_2005", copied),
            ("referenced_bytes_of_2005", referenced),
        ] {
            assert_eq!(row[key], expected, "{key}: {row}");
        }
    }
    let end = |at: usize| row["total_ms_span"][at].as_f64().expect("a time");
    let total = row["total_ms"].as_f64().expect("the host has a clock");
    assert!(end(0) <= total && total <= end(1), "{row}");
    let [total, cpu] = ["total_ms", "cpu_ms"].map(|key| row[key].as_f64().expect("the host has a clock"));
    assert!(
        total > 0.0 && cpu > 0.0 && row["gflops"].as_f64().is_some_and(|speed| speed > 0.0),
        "{row}"
    );
    // A clock that is missing is not a time of zero.
    assert!(
        row["gpu_ms"].is_null() || row["gpu_ms"].as_f64().is_some_and(|time| time > 0.0),
        "{row}"
    );
    match is_copy {
        false => assert_eq!(row["copy_ms"], 0.0, "{row}"),
        true => assert!(
            row["copy_ms"].is_null() || row["copy_ms"].as_f64().is_some_and(|time| time > 0.0),
            "{row}"
        ),
    }
}

fn is_study(object: &Value, orders: &[u64]) {
    let rows = list(object, "variants");
    assert_eq!(rows.len(), 8 * orders.len());
    rows.iter().for_each(is_row);
    for n in orders {
        for variant in ["I1", "I2", "I3", "I4"] {
            for handover in ["copy", "ping-pong"] {
                let is_this = |row: &&Value| row["n"] == *n && row["variant"] == variant && row["handover"] == handover;
                assert_eq!(rows.iter().filter(is_this).count(), 1, "{variant} {handover} {n}");
            }
        }
    }
    for operation in ["+", "-", "*", "/"] {
        let range = &object["ulp"][operation];
        let (low, high) = (range[0].as_f64(), range[1].as_f64());
        assert!(
            low.zip(high).is_some_and(|(low, high)| low < high),
            "{operation}: {range}"
        );
    }
    assert_eq!(object["ulp_of_2005"]["/"][1], 1.37442);
    let findings = list(object, "findings");
    assert_eq!(findings.len(), 4);
    for finding in findings {
        assert!(finding["paper"].is_string() && finding["here"].is_string(), "{finding}");
        assert!(finding["holds"].is_boolean() || finding["holds"].is_null(), "{finding}");
    }
    // None of the first three is said to hold of orders so small, whatever these took.
    assert!(findings[0]["holds"].is_null(), "{}", findings[0]);
    assert_ne!(findings[1]["holds"], true, "{}", findings[1]);
    assert_ne!(findings[2]["holds"], true, "{}", findings[2]);
    // What a range of ±2^24 means is said wherever there is one.
    let means = &object["ulp_means"];
    assert!(means["all"].is_string(), "{means}");
    assert_eq!(means["fma"].is_string(), object["ulp"]["fma"].is_array(), "{means}");
    let errors = list(object, "errors");
    assert_eq!(errors.len(), 2 * orders.len());
    for [native, corrected] in errors.as_chunks().0 {
        assert!(
            native["division"] == "native" && native["same_as_native"] == false,
            "{native}"
        );
        assert!(
            corrected["division"] == "corrected" && corrected["different"] == 0,
            "{corrected}"
        );
        assert_eq!(
            corrected["same_as_native"],
            native["different"] == 0,
            "{native} {corrected}"
        );
    }
    for row in errors {
        for kind in ["backward", "forward"] {
            let part = |key: &str| row[kind][key].as_f64().expect("a number");
            let (total, parts) = (part("total"), part("division") + part("update"));
            // Norms: their parts may not be less than the whole, up to the second order.
            assert!(total > 0.0 && total <= parts * 1.001, "{kind}: {row}");
        }
    }
}

#[test]
fn the_study_is_the_paper_s_on_the_host_and_on_what_is_best_here() {
    for (device, test) in [(&["--device", "host"][..], "lu-study-host"), (&[], "lu-study-best")] {
        let arguments = [&["--n", "6,8..32", "--runs", "1", "--json"], device].concat();
        let (output, folder) = study(test, &arguments);
        let object = object(&output);
        is_study(&object, &[6, 8, 16, 32]);
        let pictures = list(&object, "pictures");
        assert_eq!(pictures.len(), 4, "two handovers, as SVG and PNG");
        for picture in pictures {
            let path = PathBuf::from(picture.as_str().expect("a path"));
            assert!(path.starts_with(&folder), "{path:?}");
            assert!(fs::metadata(&path).expect("it is there").len() > 1000, "{path:?}");
        }
        if test == "lu-study-host" {
            assert_eq!(object["device"], "host");
            assert_eq!(object["division"], "native");
            assert!(list(&object, "variants").iter().all(|row| row["gpu_ms"].is_null()));
            // The host is itself, and no device that has caches to measure.
            assert!(list(&object, "findings")[3]["holds"].is_null());
            assert!(object["cache_bytes_per_second"].is_null());
        } else if object["backend"] != "host" {
            assert!(object["cache_bytes_per_second"].as_f64().is_some_and(|rate| rate > 1e6));
        }
    }
}

#[test]
fn the_study_is_told_in_tables() {
    let (output, _) = study("lu-study-tables", &["--n", "8", "--runs", "1", "--device", "host"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let human = String::from_utf8(output.stdout).expect("UTF-8");
    for words in [
        "device     host",
        "Table 1",
        "32N(N²-1)/3",
        "what was counted is the model",
        "Table 4",
        "A total: host's clock",
        "or one that cannot be believed",
        "Figure 6",
        ".png",
        "Table 5",
        "Quadro FX 3400",
        "[-1.19902, 1.37442]",
        "Growth of the error",
        "findings of 2005",
        "4. the GPU's result is never the CPU's for N > 4",
        "not decided",
        "this is the host itself",
        "either: native and corrected division give the same factors",
    ] {
        assert!(human.contains(words), "{words:?} is not in:\n{human}");
    }
}

#[test]
fn orders_that_are_none_are_usage_errors() {
    for wrong in ["0", "8..4", "many", "", "-3", "4..", "1.5"] {
        let (output, _) = study("lu-study-wrong", &["--n", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {output:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{wrong:?}: {output:?}"
        );
    }
    // An order is not too large to be read, but to be computed with.
    let (output, _) = study("lu-study-large", &["--n", "1000000000", "--device", "host", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        error.starts_with("nonius: ") && error.contains("1000000000 x 1000000000") && output.stdout.is_empty(),
        "{error}"
    );
}
