//! `nonius bench`; what belongs to one family of operations alone is beside it (`spmv.rs`, `exact.rs`).

use serde_json::Value;

use crate::{command, json, on_host, refused, text};

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
pub(crate) fn bench(arguments: &[&str]) -> [Value; 2] {
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
        // And a bench without a figure has failed.
        refused(&nothing, &[what, "none of 1", "out of memory"]);
        let human = text(&nothing.stdout);
        assert!(human.contains("not measured") && !human.contains("clock"), "{human}");
    }
}

#[test]
fn bench_counts_bytes_as_far_as_there_are_numbers() {
    let side = u64::MAX.to_string();
    let output = on_host(&["bench", "gemm", "--n", &side, "--scalar", "f32"]);
    refused(&output, &["needs 2^64 bytes or more"]);
}

#[test]
fn bench_multiplies_by_what_is_finite() {
    for beta in ["NaN", "inf", "-inf", "1e999", "two"] {
        let output = on_host(&["bench", "gemm", "--n", "8", &format!("--beta={beta}")]);
        assert_eq!(output.status.code(), Some(2), "{beta}: {output:?}");
        let error = text(&output.stderr);
        assert!(error.contains(beta) && output.stdout.is_empty(), "{error}");
    }
}

/// A folder for tunings that is a file is not a folder without tunings.
#[test]
fn bench_warns_of_a_tuning_that_cannot_be_read() {
    let arguments = ["bench", "gemv", "--n", "8", "--scalar", "f32", "--runs", "1", "--json"];
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-folder");
    std::fs::write(&file, "a file").expect("it can be written");
    let output = command(&arguments)
        .env("NONIUS_TUNING_DIR", &file)
        .output()
        .expect("it runs");
    let object = json(&output);
    let warning = text(&output.stderr);
    // The host is not tuned.
    assert_eq!(object["backend"] != "host", warning.contains("no-folder"), "{warning}");
}

/// What the host has no room for is refused before it is filled with numbers.
#[test]
fn bench_says_which_factorisations_do_not_fit() {
    for way in [&["--scalar", "f32"][..], &["--scalar", "f64", "--mixed"]] {
        for side in ["2^24", "2^31"] {
            let arguments = [&["bench", "lu", "--n", side, "--runs", "1", "--json"], way].concat();
            let output = on_host(&arguments);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let object: Value = serde_json::from_slice(&output.stdout).expect("an object all the same");
            let reason = &object["not_measured"][0]["reason"];
            assert!(
                reason
                    .as_str()
                    .is_some_and(|reason| reason.contains("out of memory") || reason.contains("more than")),
                "{arguments:?}: {reason}"
            );
        }
    }
}

/// Spade's values fill the range of their primes, and the fraction says nearly all of their signs; Heart's are so small
/// there that it says none but those of zeros.
#[test]
fn bench_finds_signs() {
    for (curve, width, primes, shares) in [("spade", "20", 28, 0.0..0.01), ("heart", "8", 31, 0.9..1.0)] {
        let count = primes.to_string();
        for object in bench(&["sign", "--curve", curve, "--width", width, "--primes", &count]) {
            assert!(object["curve"] == curve && object["primes"] == primes, "{object}");
            let side = width.parse::<u64>().expect("a number") + 1;
            assert!(object["values"] == side * side && object["equal"] == true, "{object}");
            let share = object["fallback_share"].as_f64().expect("a share");
            assert!(shares.contains(&share), "{object}");
            let figures = object["sign"].as_array().expect("a list");
            assert_eq!(
                figures.len(),
                if object["device"] == "host" { 1 } else { 2 },
                "{object}"
            );
            for figure in figures {
                is_positive(figure, &["ratio"]);
                let [digits, fraction] =
                    ["mixed_radix", "fraction"].map(|key| figure["seconds"][key].as_f64().expect("a number"));
                let ratio = figure["ratio"].as_f64().expect("a number");
                assert!((ratio * fraction - digits).abs() <= 1e-9 * digits, "{figure}");
            }
        }
    }
    let human = on_host(&["bench", "sign", "--width", "9", "--runs", "1"]);
    let human = text(&human.stdout);
    for word in [
        "100 of spade",
        "31 primes hold 495",
        "mixed radix",
        "fraction",
        "host's clock",
        "equal",
    ] {
        assert!(human.contains(word), "{word:?} is not in:\n{human}");
    }
    let wide = on_host(&["bench", "sign", "--width", "9", "--runs", "1", "--wide"]);
    let wide = text(&wide.stdout);
    for word in ["of 31 primes", "of 16 primes", "host    31 primes", "host    16 primes"] {
        assert!(wide.contains(word), "{word:?} is not in:\n{wide}");
    }
    for (wrong, word) in [
        (["--primes", "20"], "20 primes"),
        (["--primes", "0"], "no primes"),
        (["--curve", "club"], "one of the curves"),
    ] {
        let output = on_host(&[&["bench", "sign", "--width", "9"], &wrong[..]].concat());
        assert!(!output.status.success(), "{output:?}");
        assert!(text(&output.stderr).contains(word), "{output:?}");
    }
}
