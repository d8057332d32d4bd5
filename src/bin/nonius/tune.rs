//! `nonius tune`: finds the fastest variants on a device, keeps them, and draws what that changed.

use std::fs;
use std::path::{Path, PathBuf};

use nonius::tune::{Chosen, LeftOut, Limit, Options, Report, Tuned};
use nonius::tuning::{Curve, Shape};
use nonius::{Blocking, Device, Error, Result, ScalarKind, Select};
use serde_json::{Value, json};

use crate::output::make_folder;
use crate::picture::Picture;
use crate::print;
use crate::progress::Progress;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Operations: gemv, gemv_transposed, gemm, spmv_csr, spmv_sell, spmv_packed_csr, spmv_packed_sell; all by default.
    #[arg(value_name = "OP")]
    operations: Vec<String>,
    /// Fewer variants, sizes and samples.
    #[arg(long)]
    quick: bool,
    /// f32, df64, f64 or dd; of the first three by default those that the device computes in.
    #[arg(long, value_name = "SCALAR", value_delimiter = ',', value_parser = scalar)]
    scalar: Vec<ScalarKind>,
    /// A part of an adapter's name, its index, or host.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Where pictures are written; by default where the tuning is kept.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Keep nothing: neither the tuning nor, unless --pictures says where, pictures.
    #[arg(long)]
    no_save: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What one operation in one scalar is drawn in.
type Pictures = Vec<[PathBuf; 2]>;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let device = Device::open(arguments.device.clone().unwrap_or_default()).block_on()?;
    if !arguments.json {
        println!("device     {}", print::adapter(device.adapter()));
    }
    let options = Options {
        operations: arguments.operations.clone(),
        scalars: arguments.scalar.clone(),
        quick: arguments.quick,
    };
    // What cannot be written should be known before what lasts.
    let folder = arguments.folder(&device);
    for folder in folder.iter().chain(&arguments.kept(&device)) {
        make_folder(folder)?;
    }
    // Each is kept as soon as it is there: all of them take minutes, and may be ended before.
    let mut progress = Progress::new(!arguments.json);
    let (mut report, mut saved, mut ended) = (Report::default(), Ok(None), Ok(()));
    for one in options.each(&device)? {
        match device.tune(&one, &mut progress) {
            Ok(part) => {
                let found = !part.tuned.is_empty();
                report.tuned.extend(part.tuned);
                report.left_out.extend(part.left_out);
                if found && !arguments.no_save {
                    saved = device.tuning().save();
                }
            }
            Err(error) => {
                ended = Err(error);
                break;
            }
        }
    }
    progress.finish();
    let pictures = match &folder {
        Some(folder) => draw_all(folder, &device, &report),
        None => Ok(Vec::new()),
    };
    // What was measured is told, whatever became of the files and of what was to follow.
    let (file, drawn) = (
        saved.as_ref().ok().and_then(Option::as_deref),
        pictures.as_deref().unwrap_or_default(),
    );
    if arguments.json {
        println!("{:#}", object(&device, &report, file, drawn));
    } else {
        show(&device, &report, file, drawn);
    }
    ended.and(saved).and(pictures).map(|_| ())
}

impl Arguments {
    /// Where pictures go.
    fn folder(&self, device: &Device) -> Option<PathBuf> {
        self.pictures.clone().or_else(|| self.kept(device))
    }

    /// Where the tuning is kept.
    fn kept(&self, device: &Device) -> Option<PathBuf> {
        let file = device.tuning().file().filter(|_| !self.no_save)?;
        Some(file.parent()?.to_owned())
    }
}

fn scalar(name: &str) -> std::result::Result<ScalarKind, String> {
    let known = [ScalarKind::F32, ScalarKind::Df64, ScalarKind::F64, ScalarKind::Dd];
    let found = known.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| format!("expected one of {}", known.map(ScalarKind::name).join(", ")))
}

fn draw_all(folder: &Path, device: &Device, report: &Report) -> Result<Pictures> {
    if report.tuned.is_empty() {
        return Ok(Vec::new());
    }
    fs::create_dir_all(folder).map_err(|error| Error::File {
        path: folder.to_owned(),
        reason: error.to_string(),
    })?;
    let draw = |tuned: &Tuned| picture(device, tuned).write(&folder.join(file_name(device, tuned)));
    report.tuned.iter().map(draw).collect()
}

/// Of letters, digits and dashes: beside the files of other devices.
fn file_name(device: &Device, tuned: &Tuned) -> String {
    let name = format!("{} {} {}", tuned.operation, tuned.scalar.name(), device.name());
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn is_sparse(tuned: &Tuned) -> bool {
    let sparse = nonius::sparse::tunables();
    sparse.iter().any(|tunable| tunable.name == tuned.operation)
}

fn picture(device: &Device, tuned: &Tuned) -> Picture {
    // A multiply-add is two operations, as everybody counts.
    let (unit, factor, limit) = match tuned.limit {
        Limit::Bytes(_) => ("GB/s", 1e-9, "copy"),
        Limit::MultiplyAdds(_) => ("GFLOP/s", 2e-9, "multiply-adds"),
    };
    #[expect(clippy::cast_precision_loss, reason = "a size")]
    let points = |curve: &Curve| -> Vec<(f64, f64)> {
        let rates = curve.rates.iter().map(|rate| rate * factor);
        curve.sizes.iter().map(|n| *n as f64).zip(rates).collect()
    };
    #[expect(clippy::cast_precision_loss, reason = "a size")]
    let rounds = tuned.rounds.iter().map(|n| *n as f64).collect();
    let period = tuned.period().map(|period| format!("rounds of {period:.0}"));
    let [before, after] = [&tuned.before, &tuned.after].map(|curve| 100.0 * curve.amplitude());
    Picture {
        title: format!("{}, {}", tuned.operation, tuned.scalar.name()),
        subtitle: format!(
            "{}; largest fall from one size to the next {before:.1} % before, {after:.1} % after",
            device.name()
        ),
        x: if is_sparse(tuned) {
            "N, the rows"
        } else {
            "N, all extents"
        }
        .to_owned(),
        unit: unit.to_owned(),
        before: points(&tuned.before),
        after: points(&tuned.after),
        model: points(&tuned.model),
        periods: (rounds, period.unwrap_or_else(|| "rounds".to_owned())),
        limit: Some((tuned.limit.per_second() * factor, limit.to_owned())),
        curves: Vec::new(),
    }
}

fn object(device: &Device, report: &Report, saved: Option<&Path>, pictures: &[[PathBuf; 2]]) -> Value {
    let pictures = pictures.iter().map(Some).chain(std::iter::repeat(None));
    let tuned = report.tuned.iter().zip(pictures);
    let tuned = tuned.map(|(tuned, pictures)| tuned_object(tuned, pictures));
    json!({
        "device": device.name(),
        "backend": device.adapter().backend,
        "driver": device.adapter().driver,
        "tuned": tuned.collect::<Value>(),
        "left_out": report.left_out.iter().map(left_out_object).collect::<Value>(),
        "saved": saved.map(print::path),
    })
}

fn tuned_object(tuned: &Tuned, pictures: Option<&[PathBuf; 2]>) -> Value {
    let (limit, name) = match tuned.limit {
        Limit::Bytes(rate) => (rate, "copied bytes per second"),
        Limit::MultiplyAdds(rate) => (rate, "multiply-adds per second"),
    };
    let rates = |curve: &Curve| curve.rates.iter().map(|rate| print::number(*rate)).collect::<Value>();
    json!({
        "operation": tuned.operation,
        "scalar": tuned.scalar.name(),
        "best": tuned.regimes.iter().map(chosen_object).collect::<Value>(),
        "period": tuned.period(),
        "fit_error": tuned.fit_error(),
        "amplitude_before": print::number(tuned.before.amplitude()),
        "amplitude_after": print::number(tuned.after.amplitude()),
        "step": tuned.step,
        "limit": { "what": name, "rate": print::number(limit) },
        "curve": {
            "sizes": tuned.after.sizes,
            "before": rates(&tuned.before),
            "after": rates(&tuned.after),
        },
        "pictures": pictures.map(|pictures| pictures.each_ref().map(|picture| print::path(picture))),
    })
}

fn chosen_object(chosen: &Chosen) -> Value {
    let Shape { rows, cols, depth } = chosen.shape;
    json!({
        "sizes": chosen.regime,
        "variant": chosen.variant,
        "default": chosen.candidate.is_none(),
        "at": { "rows": rows, "cols": cols, "depth": depth },
        "seconds_before": print::number(chosen.before),
        "seconds_after": print::number(chosen.after),
        "gain": print::number(chosen.before / chosen.after),
        "period": chosen.candidate.as_ref().and_then(|candidate| candidate.model.period),
        "fit_error": chosen.candidate.as_ref().map(|candidate| candidate.fit_error),
    })
}

fn left_out_object(left_out: &LeftOut) -> Value {
    json!({
        "operation": left_out.operation,
        "scalar": left_out.scalar.name(),
        "what": left_out.what,
        "reason": left_out.reason,
    })
}

fn show(device: &Device, report: &Report, saved: Option<&Path>, pictures: &[[PathBuf; 2]]) {
    if device.is_host() {
        println!("the host has one version of everything: there is nothing to tune");
        return;
    }
    for (index, tuned) in report.tuned.iter().enumerate() {
        println!();
        // Names of kernels and constants differ in length from one operation to the next.
        let variants: Vec<String> = tuned.regimes.iter().map(variant).collect();
        let width = variants.iter().map(String::len).max().unwrap_or(0);
        println!(
            "{:<28} {:<width$} {:>6} {:>8} {:>6}",
            format!("{}, {}", tuned.operation, tuned.scalar.name()),
            "variant",
            "gain",
            "period",
            "fit"
        );
        for (chosen, variant) in tuned.regimes.iter().zip(&variants) {
            println!("{}", row(chosen, variant, width));
        }
        let [before, after] = [&tuned.before, &tuned.after].map(|curve| 100.0 * curve.amplitude());
        println!(
            "  the largest fall between sizes {} apart: {before:.1} % before, {after:.1} % after",
            tuned.step
        );
        if let Some([svg, png]) = pictures.get(index) {
            println!("  drawn in {} and {}", png.display(), svg.display());
        }
    }
    if !report.left_out.is_empty() {
        println!();
        println!("left out:");
    }
    for left_out in &report.left_out {
        let (operation, scalar) = (left_out.operation, left_out.scalar.name());
        println!("  {operation} {scalar}, {}: {}", left_out.what, left_out.reason);
    }
    println!();
    match saved {
        Some(path) => println!("kept in {}", path.display()),
        None => println!("not kept"),
    }
}

fn variant(chosen: &Chosen) -> String {
    match chosen.candidate {
        Some(_) => chosen.variant.clone(),
        None => format!("{} (the default)", chosen.variant),
    }
}

fn row(chosen: &Chosen, variant: &str, width: usize) -> String {
    let gain = match chosen.candidate {
        Some(_) => format!("{:.2}x", chosen.before / chosen.after),
        None => "-".to_owned(),
    };
    let model = chosen.candidate.as_ref();
    let period = model.and_then(|candidate| candidate.model.period);
    let period = period.map_or("-".to_owned(), |period| format!("{period:.0}"));
    let fit = model.map_or("-".to_owned(), |candidate| {
        format!("{:.1}%", 100.0 * candidate.fit_error)
    });
    format!(
        "  {:<26} {variant:<width$} {gain:>6} {period:>8} {fit:>6}",
        chosen.regime
    )
}
