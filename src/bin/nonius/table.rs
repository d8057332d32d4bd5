//! `nonius info --table`: what many matrices take in every format, one line each, and what packing saves.

use std::path::{Path, PathBuf};

use nonius::sparse::{Footprint, Format, auto};
use nonius::{Error, Result};
use serde_json::{Value, json};

use crate::{info, print};

/// The formats beside CSR that are told, in the order of their columns.
pub(crate) const FORMATS: [Format; 9] = [
    Format::Ell,
    Format::EllR,
    Format::Sell,
    Format::RbpCsr,
    Format::RbpEll,
    Format::RbpEllR,
    Format::PackedCsr,
    Format::PackedSell,
    Format::Auto,
];

/// What the paper holds its formats against, which is the format that each packs (Kawamura et al. 2020, section 4.2); RBP-CSR
/// is among those held against CSR.
const PACKED: [(Format, Format); 2] = [(Format::RbpEll, Format::Ell), (Format::RbpEllR, Format::EllR)];

struct Line {
    name: String,
    footprint: Footprint,
}

/// Savings of one kind, over all matrices.
struct Summary {
    what: String,
    scalar: &'static str,
    mean: f64,
    best: (f64, String),
    worst: (f64, String),
    larger: usize,
}

pub(crate) fn run(arguments: &info::Arguments) -> Result<()> {
    let (mut lines, mut fewer, mut unread) = (Vec::new(), 0, Vec::new());
    let paths = files(&arguments.matrix)?;
    let named = paths.len();
    for path in paths {
        match info::findings(&path) {
            Ok(findings) if findings.footprint.nnz < arguments.least => fewer += 1,
            Ok(findings) => lines.push(Line {
                name: stem(&path),
                footprint: findings.footprint,
            }),
            // One file that is no matrix does not hide the others.
            Err(error) => unread.push(error.to_string()),
        }
    }
    let summaries = summaries(&lines);
    if arguments.json {
        println!(
            "{:#}",
            json!({
                "least_non_zeros": arguments.least,
                "matrices": lines.iter().map(Line::object).collect::<Vec<_>>(),
                "summary": summaries.iter().map(Summary::object).collect::<Vec<_>>(),
                "fewer_non_zeros": fewer,
                "not_read": unread,
            })
        );
        return any_read("info", named, unread.len());
    }
    let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
    println!("| matrix | rows | non-zeros | a run | {} |", names.join(" | "));
    println!("| --- | {}", "--- | ".repeat(3 + FORMATS.len()).trim_end());
    lines.iter().for_each(Line::show);
    println!();
    println!("| saving, % | scalar | mean | best | worst | larger |");
    println!("| --- | --- | --- | --- | --- | --- |");
    summaries.iter().for_each(Summary::show);
    println!();
    println!(
        "{} matrices of at least {} non-zeros; {fewer} have fewer, {} were not read.",
        lines.len(),
        print::count(usize::try_from(arguments.least).unwrap_or(usize::MAX)),
        unread.len()
    );
    unread.iter().for_each(|reason| println!("not read: {reason}"));
    any_read("info", named, unread.len())
}

/// A table without a line, since nothing of what was named is a matrix that fits, is a failure.
pub(crate) fn any_read(operation: &'static str, named: usize, without: usize) -> Result<()> {
    if named == 0 || without < named {
        return Ok(());
    }
    Err(Error::Shape {
        operation,
        expected: "a matrix that can be read".to_owned(),
        found: format!("none of {named}"),
    })
}

/// The files and generators that are named, and the Matrix Market files of the folders that are, by name.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let error = |error: std::io::Error| Error::File {
            path: path.clone(),
            reason: error.to_string(),
        };
        let mut within = Vec::new();
        for entry in std::fs::read_dir(path).map_err(error)? {
            let entry = entry.map_err(error)?.path();
            if stem(&entry) != entry.file_name().unwrap_or_default().to_string_lossy() {
                within.push(entry);
            }
        }
        within.sort();
        files.extend(within);
    }
    Ok(files)
}

/// A file's name without what says that it is a Matrix Market file.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unpacked = name.strip_suffix(".gz").unwrap_or(&name);
    unpacked.strip_suffix(".mtx").unwrap_or(&name).to_owned()
}

/// What is saved against so many bytes: 100 (1 - packed / plain) %.
pub(crate) fn saving(packed: u64, plain: u64) -> f64 {
    if plain == 0 {
        return 0.0;
    }
    100.0 * (1.0 - packed as f64 / plain as f64)
}

/// Isolated ones included.
pub(crate) fn entries_a_run(footprint: &Footprint) -> f64 {
    let runs = footprint.runs() + footprint.isolated;
    footprint.nnz as f64 / runs.max(1) as f64
}

fn summaries(lines: &[Line]) -> Vec<Summary> {
    let against_csr = FORMATS.map(|format| (format, Format::Csr));
    let mut summaries = Vec::new();
    for (packed, plain) in against_csr.into_iter().chain(PACKED) {
        for (scalar, value_bytes) in info::SCALARS {
            let of = |line: &Line| {
                let [packed, plain] = [packed, plain].map(|format| line.footprint.bytes(format, value_bytes));
                (saving(packed, plain), line.name.clone(), packed > plain)
            };
            let mut savings: Vec<_> = lines.iter().map(of).collect();
            savings.sort_by(|left, right| left.0.total_cmp(&right.0));
            let (Some(worst), Some(best)) = (savings.first(), savings.last()) else {
                continue;
            };
            summaries.push(Summary {
                what: format!("{packed} against {plain}"),
                scalar,
                mean: savings.iter().map(|saving| saving.0).sum::<f64>() / savings.len() as f64,
                best: (best.0, best.1.clone()),
                worst: (worst.0, worst.1.clone()),
                larger: savings.iter().filter(|saving| saving.2).count(),
            });
        }
    }
    summaries
}

impl Line {
    /// What is saved against CSR: with values of f64, and of f32.
    fn show(&self) {
        let count = |number: u64| print::count(usize::try_from(number).unwrap_or(usize::MAX));
        let footprint = &self.footprint;
        let cells = FORMATS.map(|format| {
            let [f32, f64] = info::SCALARS.map(|(_, value_bytes)| {
                let [packed, plain] = [format, Format::Csr].map(|format| footprint.bytes(format, value_bytes));
                saving(packed, plain)
            });
            let name = match format {
                Format::Auto => format!("{} ", auto::choose(footprint, 8).format),
                _ => String::new(),
            };
            format!("{name}{f64:.1} / {f32:.1}")
        });
        println!(
            "| {} | {} | {} | {:.2} | {} |",
            self.name,
            count(footprint.rows),
            count(footprint.nnz),
            entries_a_run(footprint),
            cells.join(" | ")
        );
    }

    fn object(&self) -> Value {
        let footprint = &self.footprint;
        let mut object =
            json!({ "matrix": self.name, "rows": footprint.rows, "cols": footprint.cols, "nnz": footprint.nnz });
        for (scalar, value_bytes) in info::SCALARS {
            let mut by_format = json!({ "csr": footprint.bytes(Format::Csr, value_bytes) });
            for format in FORMATS {
                by_format[format.name()] = json!(footprint.bytes(format, value_bytes));
            }
            object["bytes"][scalar] = by_format;
        }
        object
    }
}

impl Summary {
    fn show(&self) {
        println!(
            "| {} | {} | {:.1} | {:.1} ({}) | {:.1} ({}) | {} |",
            self.what, self.scalar, self.mean, self.best.0, self.best.1, self.worst.0, self.worst.1, self.larger
        );
    }

    fn object(&self) -> Value {
        json!({
            "saving": self.what,
            "scalar": self.scalar,
            "mean": self.mean,
            "best": { "percent": self.best.0, "matrix": self.best.1 },
            "worst": { "percent": self.worst.0, "matrix": self.worst.1 },
            "larger": self.larger,
        })
    }
}
