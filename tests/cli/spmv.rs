//! `nonius bench spmv`, as its users run it.

use std::process::Output;

use nonius::sparse::{Footprint, Format, auto, generate, reorder};
use serde_json::Value;

use crate::{data, directory, json, refused, text, write};

fn on_host(arguments: &[&str]) -> Output {
    crate::on_host(&[&["bench", "spmv"], arguments].concat())
}

fn bench(arguments: &[&str]) -> [Value; 2] {
    crate::bench::bench(&[&["spmv"], arguments].concat())
}

#[test]
fn bench_multiplies_sparse_matrices() {
    let footprint = Footprint::of(generate::stencil27(6, 6, 6).expect("small").pattern());
    for object in bench(&["stencil27:6", "--scalar", "df64"]) {
        assert_eq!([&object["rows"], &object["nnz"]], [216, 4096]);
        let figures = object["spmv"].as_array().expect("figures");
        let formats: Vec<_> = figures.iter().map(|figure| &figure["format"]).collect();
        assert_eq!(formats.len(), 9, "{formats:?}");
        for figure in figures {
            let format: Format = figure["format"].as_str().expect("a name").parse().expect("a format");
            let [padded, unpadded] = [footprint.bytes(format, 8), footprint.unpadded_bytes(format, 8)];
            assert_eq!(figure["bytes"], padded);
            let read = if object["device"] == "host" { unpadded } else { padded };
            let [moved, seconds, rate] =
                ["bytes_moved", "seconds", "gigabytes_per_second"].map(|key| figure[key].as_f64().expect("a number"));
            assert_eq!(moved, (read + 2 * 216 * 8) as f64);
            assert!((rate - moved / seconds / 1e9).abs() <= 1e-9 * rate, "{figure}");
        }
    }
    // Padding to the longest row of an arrow is not what anybody wants measured, unless asked.
    let [object, _] = bench(&["arrow:400", "--scalar", "f32"]);
    let missed = object["not_measured"].as_array().expect("a list");
    let formats: Vec<_> = missed.iter().map(|missed| missed["size"].as_str()).collect();
    assert!(formats.starts_with(&[Some("ell"), Some("ell-r")]), "{missed:?}");
    let figures = object["spmv"].as_array().expect("figures");
    assert!(figures.len() + missed.len() == 9 && figures.len() >= 3, "{object}");
    for missed in missed {
        let reason = missed["reason"].as_str().expect("a sentence");
        assert!(reason.starts_with("expected at most 8 times"), "{reason}");
    }
    let [object, _] = bench(&["arrow:400", "--format", "ell", "--scalar", "f32"]);
    assert_eq!(object["spmv"][0]["format"], "ell");
    for [asked, shown] in [["per-row", "PerRow"], ["streamed", "Streamed"], ["8", "Lanes(8)"]] {
        for format in ["csr", "rbp-csr", "packed-csr"] {
            // Which has no blocks of rows.
            if [format, asked] == ["rbp-csr", "streamed"] {
                continue;
            }
            for object in bench(&["arrow:400", "--format", format, "--scalar", "f32", "--schedule", asked]) {
                assert_eq!(object["schedule"], shown);
                assert_eq!(object["spmv"].as_array().map(Vec::len), Some(1), "{object}");
            }
        }
    }
    let output = on_host(&["arrow:400", "--schedule", "3"]);
    assert!(!output.status.success(), "{output:?}");
    for wrong in [
        ["stencil26:5", "all"],
        ["stencil27:5", "csc"],
        ["stencil27:5", "coo"],
        ["no-such-file.mtx", "all"],
    ] {
        let output = on_host(&[wrong[0], "--format", wrong[1]]);
        assert!(
            !output.status.success() && !output.stderr.is_empty(),
            "{wrong:?}: {output:?}"
        );
    }
}

/// A product that multiplies nothing has no time: a sentence instead of rows of zeros.
#[test]
fn nothing_is_not_timed() {
    for (empty, extent) in [
        ("stencil27:0", 0),
        ("stencil5:0", 0),
        ("arrow:0", 0),
        ("elasticity:0", 0),
        ("wathen:0", 0),
    ] {
        let found = format!("found {empty}, which is {extent} x {extent} and has none");
        for options in [&[][..], &["--json"], &["--reorder", "rcm"]] {
            let output = on_host(&[&[empty], options].concat());
            refused(&output, &["a matrix with non-zeros", &found]);
        }
    }
}

/// More columns than any host has room for.
#[test]
fn what_does_not_fit_is_not_timed() {
    for columns in ["2^40", "2^62"] {
        let arguments = [
            "stencil5:4",
            "--format",
            "sell",
            "--scalar",
            "f32",
            "--columns",
            columns,
        ];
        let output = on_host(&arguments);
        let out = text(&output.stdout);
        assert!(
            output.status.code() == Some(1) && out.contains("not measured"),
            "{output:?}"
        );
    }
}

#[test]
fn renumbering_tells_the_bytes_before_and_after() {
    let a = generate::by_name("elasticity:4").expect("small");
    for name in ["rcm", "runs"] {
        let order = match name {
            "rcm" => reorder::rcm(a.pattern()),
            _ => reorder::runs(a.pattern()),
        };
        let after = order.and_then(|order| order.apply_symmetric(&a)).expect("it is square");
        let [before, after] = [&a, &after].map(|a| Footprint::of(a.pattern()));
        // A wrong permutation of x or y does not pass the check against the matrix as it came, nor does it end in success.
        for object in bench(&["elasticity:4", "--scalar", "df64", "--reorder", name]) {
            assert!(
                object["reorder"]["seconds"]
                    .as_f64()
                    .is_some_and(|seconds| seconds > 0.0),
                "{object}"
            );
            let figures = object["spmv"].as_array().expect("figures");
            assert_eq!(figures.len(), 9, "{object}");
            for figure in figures {
                let format: Format = figure["format"].as_str().expect("a name").parse().expect("a format");
                assert_eq!(figure["bytes"], after.bytes(format, 8), "{figure}");
                assert_eq!(figure["bytes_before"], before.bytes(format, 8), "{figure}");
            }
        }
        let columns = ["elasticity:4", "--scalar", "f32", "--reorder", name, "--columns", "3"];
        for object in bench(&columns) {
            assert_eq!(object["spmv"].as_array().map(Vec::len), Some(9), "{object}");
        }
        let human = on_host(&["elasticity:4", "--scalar", "f32", "--reorder", name, "--runs", "1"]);
        let human = text(&human.stdout);
        for word in [&format!("by {name} in"), "entries a run before", "before  converted"] {
            assert!(human.contains(word), "{word:?} is not in:\n{human}");
        }
    }
    let [object, _] = bench(&["elasticity:4", "--scalar", "f32"]);
    assert!(
        object["reorder"].is_null() && object["spmv"][0]["bytes_before"].is_null(),
        "{object}"
    );
    refused(
        &on_host(&[&data("ash219.mtx"), "--reorder", "rcm"]),
        &["a square matrix", "219 x 85"],
    );
}

#[test]
fn a_table_has_a_line_for_every_matrix_and_scalar() {
    let inputs = [
        "elasticity:3",
        "arrow:400",
        &data("ash219.mtx"),
        "stencil7:0",
        "no-such-file.mtx",
    ];
    let arguments = [&inputs[..], &["--table", "--scalar", "f64", "--device", "host"]].concat();
    let object = json(&on_host(&[&arguments[..], &["--runs", "1", "--json"]].concat()));
    let lines = object["table"].as_array().expect("lines");
    let names: Vec<_> = lines.iter().map(|line| line["matrix"].as_str()).collect();
    assert_eq!(names, [Some("elasticity:3"), Some("arrow:400"), Some("ash219")]);
    let not_measured = object["not_measured"].as_array().expect("sentences");
    assert_eq!(not_measured.len(), 2, "{object}");
    assert!(
        not_measured[0]
            .as_str()
            .is_some_and(|reason| reason.contains("non-zeros")),
        "{object}"
    );
    for (line, name) in lines.iter().zip(["elasticity:3", "arrow:400"]) {
        let footprint = Footprint::of(generate::by_name(name).expect("small").pattern());
        assert_eq!([&line["rows"], &line["nnz"]], [footprint.rows, footprint.nnz]);
        let formats = line["formats"].as_object().expect("formats");
        assert_eq!(formats.len(), 10, "{line}");
        let csr = footprint.bytes(Format::Csr, 8);
        for (name, cell) in formats {
            let format: Format = name.parse().expect("a format");
            let bytes = footprint.bytes(format, 8);
            assert_eq!(cell["bytes"], bytes, "{name}");
            let saving = cell["saving_percent"].as_f64().expect("a number");
            assert!(
                (saving - 100.0 * (1.0 - bytes as f64 / csr as f64)).abs() < 1e-9,
                "{name}: {saving}"
            );
            let timed = cell["microseconds"].as_f64().is_some_and(|time| time > 0.0);
            assert_eq!(timed, bytes / 8 <= csr, "{name}: {cell}");
            assert_eq!(timed, cell["not_measured"].is_null(), "{name}: {cell}");
        }
        let chosen = auto::choose(&footprint, 8).format.name();
        assert_eq!(formats["auto"]["format"], chosen);
        assert_eq!(formats["auto"]["microseconds"], formats[chosen]["microseconds"]);
    }
    let summary = object["summary"].as_array().expect("a summary");
    let ell = summary.iter().find(|row| row["format"] == "ell").expect("a row of ell");
    assert_eq!(ell["matrices"], 2, "the arrow's padding is not timed: {ell}");

    let human = on_host(&[&arguments[..], &["--runs", "1"]].concat());
    let human = text(&human.stdout);
    for line in [
        "| elasticity:3 | f64 | ",
        "| arrow:400 | f64 | 400 | 1,198 | ",
        "| ash219 | f64 | 219 | 438 | ",
    ] {
        assert!(human.contains(line), "{line:?} is not in:\n{human}");
    }
    for word in [
        "by the host's clock",
        "| packed-sell | f64 | ",
        "not measured: stencil7:0",
        " / -\u{20}",
    ] {
        assert!(human.contains(word), "{word:?} is not in:\n{human}");
    }
    refused(
        &on_host(&["arrow:4", "arrow:5"]),
        &["one matrix without --table", "found 2"],
    );
}

/// Constants that are set reach the kernel that is timed, and what cannot be set is said.
#[test]
fn constants_of_kernels_are_set() {
    let arguments = ["stencil27:6", "--scalar", "f32", "--format"];
    for (format, set, kernel) in [
        (
            "packed-sell",
            "UNROLL=8,WORKGROUP=128",
            "spmv packed-sell HEIGHT=32 ORDERED=1 WORKGROUP=128 UNROLL=8",
        ),
        (
            "sell",
            "WORKGROUP=64,UNROLL=4",
            "spmv sell HEIGHT=32 ORDERED=1 WORKGROUP=64 UNROLL=4",
        ),
        (
            "csr",
            "LANES=2,UNROLL=4",
            "spmv csr (lanes) WORKGROUP=256 LANES=2 UNROLL=4",
        ),
        (
            "csr",
            "LANES=16,UNROLL=8",
            "spmv csr (lanes) WORKGROUP=256 LANES=16 UNROLL=8",
        ),
        (
            "packed-csr",
            "LANES=8,UNROLL=2",
            "spmv packed-csr (lanes) WORKGROUP=256 LANES=8 UNROLL=2",
        ),
    ] {
        let arguments = [
            &["bench", "spmv"],
            &arguments[..],
            &[format, "--set", set, "--runs", "1", "--json"],
        ]
        .concat();
        for output in [crate::on_host(&arguments), crate::run(&arguments)] {
            let object: Value =
                serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
            // The host sums in one way, and a bench without a figure fails.
            let on_host = object["backend"] == "host";
            assert_eq!(output.status.code(), Some(i32::from(on_host)), "{output:?}");
            if on_host {
                let missed = &object["not_measured"][0]["reason"];
                assert!(
                    missed
                        .as_str()
                        .is_some_and(|reason| reason.ends_with("the host's own way")),
                    "{object}"
                );
            } else {
                let found = object["spmv"][0]["kernel"].as_str().unwrap_or_default();
                // On drivers that compute on the CPU CSR has an order as well, which is nothing to its lanes.
                assert_eq!(found.replace("(lanes) ORDERED=1", "(lanes)"), kernel, "{object}");
            }
        }
    }
    let wrong = |format: &str, set: &str| {
        let arguments = [&arguments[..], &[format, "--set", set, "--runs", "1"]].concat();
        on_host(&arguments)
    };
    for (format, set, word) in [("packed-sell", "UNROLL=3", "found 3"), ("sell", "LANES=8", "LANES")] {
        let output = wrong(format, set);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error = text(&output.stderr);
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
    let output = wrong("ell", "UNROLL=4");
    let human = text(&output.stdout);
    assert!(
        human.contains("of csr, sell, packed-csr, packed-sell, found ell"),
        "{output:?}"
    );
    assert_eq!(wrong("sell", "UNROLL").status.code(), Some(2));
}

/// A matrix whose vectors fit nowhere does not hide those that come after it.
#[cfg(target_os = "linux")]
#[test]
fn a_table_goes_on_after_a_matrix_that_does_not_fit() {
    let directory = directory("a_table_goes_on");
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let wide = write(&directory, "wide.mtx", &format!("{header}2 1000000000 1\n1 1 1.0\n"));
    let small = data("LFAT5.mtx");
    let arguments = ["bench", "spmv", "--table", "--device", "host", "--runs", "1"];
    let scalar = ["--scalar", "f64"];
    let table = |matrices: &[&str], more: &[&str]| {
        crate::with_memory(4_000_000, &[&arguments[..], &scalar, matrices, more].concat())
    };
    let human = table(&[&wide, &small], &[]);
    assert!(human.status.success(), "{human:?}");
    let out = text(&human.stdout);
    assert!(out.contains("| LFAT5 | f64 |"), "{out}");
    assert!(
        out.contains("not measured: wide in f64: host is out of memory"),
        "{out}"
    );
    let object = json(&table(&[&wide, &small], &["--json"]));
    assert_eq!(object["table"].as_array().map(Vec::len), Some(1), "{object}");
    let missed = object["not_measured"][0].as_str().expect("a sentence");
    assert!(missed.starts_with("wide in f64: host is out of memory"), "{missed}");
    // A table of nothing is a failure.
    let nothing = table(&[&wide], &[]);
    assert_eq!(nothing.status.code(), Some(1), "{nothing:?}");
}

/// What overflows in f32 need not in f64, and hides no other matrix.
#[test]
fn a_matrix_that_overflows_is_not_measured_and_hides_nothing() {
    let banner = "%%MatrixMarket matrix coordinate real general";
    let large = write(
        &directory("overflow"),
        "large.mtx",
        &format!("{banner}\n2 2 2\n1 1 1e39\n2 2 1\n"),
    );
    let object = json(&on_host(&[&large, "--runs", "1", "--json"]));
    let scalars = |key: &str| -> Vec<String> {
        let list = object[key].as_array().expect("a list").iter();
        list.map(|figure| figure["scalar"].as_str().expect("a name").to_owned())
            .collect()
    };
    // In the others, formats that are mostly padding.
    assert_eq!(scalars("not_measured")[..2], ["f32", "df64"]);
    assert!(scalars("spmv").contains(&"f64".to_owned()));
    let table = json(&on_host(&[
        "--table",
        &large,
        &data("bcsstk01.mtx"),
        "--runs",
        "1",
        "--json",
    ]));
    let lines = table["table"].as_array().expect("lines");
    let of = |name: &str| lines.iter().filter(|line| line["matrix"] == name).count();
    assert_eq!((of("large"), of("bcsstk01")), (2, 4), "{table}");
    assert_eq!(table["not_measured"].as_array().map(Vec::len), Some(2), "{table}");
}
