//! `nonius tune` and `Device::tune`: what is found is kept, loaded again, and changes no result.
#![cfg(feature = "cli")]

#[path = "support/devices.rs"]
mod devices;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nonius::dense::{Matrix, Vector, gemv};
use nonius::tune::Options;
use nonius::{Blocking as _, Device, Error, Result, ScalarKind};
use serde_json::Value;

fn nonius(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonius"));
    command
        .args(arguments)
        .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"))
        .env("NONIUS_TUNING_DIR", folder);
    command.output().expect("it runs")
}

fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    // What an earlier run left; nothing the first time.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("it can be made");
    folder
}

#[test]
fn what_is_tuned_is_kept_and_loaded_again() {
    if devices::devices().iter().all(Device::is_host) {
        devices::say("not tested: tuning, since there is no adapter");
        return;
    }
    let folder = folder("tune-keeps");
    let output = nonius(&folder, &["tune", "--quick", "gemv", "--scalar", "f32", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let object: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let tuned = &object["tuned"][0];
    assert_eq!((&tuned["operation"], &tuned["scalar"]), (&"gemv".into(), &"f32".into()));
    for key in ["amplitude_before", "amplitude_after"] {
        let amplitude = tuned[key].as_f64().expect("a number");
        assert!((0.0..1.0).contains(&amplitude), "{key}: {amplitude}");
    }
    assert!(tuned["best"].as_array().is_some_and(|best| !best.is_empty()), "{tuned}");
    assert!(
        tuned["limit"]["rate"].as_f64().is_some_and(|rate| rate > 1e6),
        "{tuned}"
    );
    let saved = object["saved"].as_str().expect("a path");
    for path in tuned["pictures"]
        .as_array()
        .expect("two")
        .iter()
        .chain([&object["saved"]])
    {
        let path = path.as_str().expect("a path");
        assert!(fs::metadata(path).is_ok_and(|file| file.len() > 100), "{path}");
    }

    let bench = ["bench", "gemv", "--n", "300", "--runs", "1", "--scalar", "f32"];
    let loaded = nonius(&folder, &bench);
    assert!(loaded.status.success() && loaded.stderr.is_empty(), "{loaded:?}");

    fs::write(saved, "{ \"format\": 1,").expect("it can be written");
    let damaged = nonius(&folder, &bench);
    let warning = String::from_utf8_lossy(&damaged.stderr);
    assert!(damaged.status.success(), "{damaged:?}");
    assert!(warning.contains("ignored") && warning.contains(saved), "{warning}");
}

/// Before anything is measured.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_takes_no_file_is_refused() {
    let output = nonius(
        Path::new("/proc"),
        &["tune", "--pictures", &folder("tune-pictures").to_string_lossy()],
    );
    if devices::devices().iter().all(Device::is_host) {
        devices::say("not tested: a folder that takes no file, since there is no adapter");
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/proc"), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("gemv"), "{output:?}");
}

#[test]
fn what_cannot_be_tuned_says_so() {
    let folder = folder("tune-refuses");
    let output = nonius(&folder, &["tune", "trsv", "--device", "host"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("trsv") && error.contains("gemv_transposed"), "{error}");
    let output = nonius(&folder, &["tune", "--scalar", "f16"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let output = nonius(&folder, &["tune", "--device", "host"]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("nothing to tune"),
        "{output:?}"
    );
    assert!(fs::read_dir(&folder).expect("it is there").next().is_none());
}

fn product(device: &Device, n: usize) -> Result<Vec<f32>> {
    // Small whole numbers, whose sums are exact in any order: every variant must give the same bits.
    let numbers = |count: usize| -> Vec<f32> { (0..count).map(|k| (k * 7 % 5) as f32 - 2.0).collect() };
    let a = Matrix::from_rows(device, n, n, &numbers(n * n))?;
    let x = Vector::from_slice(device, &numbers(n))?;
    let mut y = Vector::zeros(device, n)?;
    gemv(1.0, &a, &x, 0.0, &mut y)?;
    y.to_host().block_on()
}

#[test]
fn tuning_changes_no_result_on_any_device() {
    let options = Options {
        operations: vec!["gemv".to_owned()],
        scalars: vec![ScalarKind::F32],
        quick: true,
    };
    for device in devices::devices() {
        let report = device.tune(&options, &mut ()).expect("it is tuned");
        assert_eq!(report.tuned.is_empty(), device.is_host(), "{}", device.name());
        for tuned in &report.tuned {
            assert_eq!(tuned.before.sizes, tuned.after.sizes);
            let rates = tuned.before.rates.iter().chain(&tuned.after.rates);
            assert!(rates.clone().count() > 4 && rates.clone().all(|rate| *rate > 0.0 && rate.is_finite()));
        }
        for n in [256, 301, 512, 1021] {
            let expected = product(&Device::host(), n).expect("the host computes");
            let found = product(device, n).expect("it computes");
            assert!(found == expected, "{}: n = {n}", device.name());
        }
    }
}

#[test]
fn an_unknown_operation_is_an_error() {
    let options = Options {
        operations: vec!["trsv".to_owned()],
        ..Options::default()
    };
    let refused = Device::host().tune(&options, &mut ());
    assert!(matches!(refused, Err(Error::Tuning { .. })), "{refused:?}");
}
