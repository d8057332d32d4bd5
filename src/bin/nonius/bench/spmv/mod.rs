//! `nonius bench spmv A`: y ← Ax with a sparse matrix, format by format, against the device's own copy bandwidth; Y ← AX with
//! `--columns`, and many matrices with `--table`.

mod product;
mod table;

use std::path::PathBuf;
use std::time::Instant;

use nonius::sparse::reorder::{self, Permutation};
use nonius::sparse::{Csr, Footprint, Format, Schedule};
use nonius::{Device, Error, Result, Scalar};
use serde_json::{Value, json};

use super::copies::Copies;
use super::{Common, NotMeasured, OfScalar, any_measured, extent, show_clocks};
use crate::table::entries_a_run;
use crate::{info, print};
use product::{Figure, Reference};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The matrix: a Matrix Market file, gzipped or not, or a generator and its size: stencil27:64. With --table, any number
    /// of them and of folders of files.
    #[arg(required = true)]
    matrix: Vec<PathBuf>,
    /// csr, ell, ell-r, sell, rbp-csr, rbp-ell, rbp-ell-r, packed-csr, packed-sell, the one that auto chooses, or all.
    #[arg(long, default_value = "all")]
    format: String,
    /// How the rows of csr, packed-csr and rbp-csr are shared out: auto, per-row, streamed (but rbp-csr), or the lanes of a row, a
    /// power of two from 2 to 256.
    #[arg(long, default_value = "auto", value_parser = schedule)]
    schedule: Schedule,
    /// Constants of csr, sell, packed-csr and packed-sell in place of what was tuned, such as UNROLL=8,WORKGROUP=128: what nonius tune
    /// chooses from. Rows must be even.
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', value_parser = constant, conflicts_with_all = ["schedule", "columns", "table"])]
    set: Vec<(String, u32)>,
    /// The columns of X: with more than one, products are those of SpMM, and X lies by rows.
    #[arg(long, default_value = "1", value_parser = extent)]
    columns: usize,
    /// How rows and columns are renumbered first, both alike.
    #[arg(long, value_enum, default_value = "none")]
    reorder: Reorder,
    /// One line a matrix and scalar: for every format its bytes, what that saves against CSR, and microseconds.
    #[arg(long, conflicts_with_all = ["format", "columns"])]
    table: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Reorder {
    /// As the matrix comes.
    None,
    /// Reverse Cuthill–McKee: a narrow band.
    Rcm,
    /// Columns that share rows next to each other: long runs.
    Runs,
}

/// A matrix as it is multiplied.
struct Input {
    name: String,
    matrix: Csr<f64>,
    footprint: Footprint,
    before: Option<Before>,
}

/// A matrix before it was renumbered.
struct Before {
    matrix: Csr<f64>,
    footprint: Footprint,
    order: Permutation,
    /// What finding the order and applying it took.
    seconds: f64,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    input: Input,
    formats: Vec<Format>,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
    copies: Copies,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.table {
        return table::run(arguments);
    }
    let [from] = &arguments.matrix[..] else {
        return Err(Error::Shape {
            operation: "bench spmv",
            expected: "one matrix without --table".to_owned(),
            found: format!("{}", arguments.matrix.len()),
        });
    };
    let formats = arguments.formats()?;
    let input = Input::new(from.display().to_string(), info::matrix(from)?, arguments.reorder)?;
    let opened = arguments.common.open()?;
    let mut bench = Bench {
        arguments,
        input,
        formats,
        figures: Vec::new(),
        missed: Vec::new(),
        copies: Copies::default(),
    };
    arguments.common.each_scalar(&opened.device, &mut bench)?;
    if arguments.common.json {
        let mut object = opened.object();
        object.insert("matrix".to_owned(), print::path(from));
        object.insert("schedule".to_owned(), json!(format!("{:?}", arguments.schedule)));
        object.insert("reorder".to_owned(), bench.input.reordered());
        for (name, number) in [
            ("rows", bench.input.matrix.rows()),
            ("cols", bench.input.matrix.cols()),
            ("nnz", bench.input.matrix.nnz()),
            ("columns", arguments.columns),
        ] {
            object.insert(name.to_owned(), json!(number));
        }
        object.insert("spmv".to_owned(), bench.figures.iter().map(Figure::object).collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        object.insert("copy_not_measured".to_owned(), bench.copies.object());
        println!("{:#}", Value::Object(object));
        return any_measured("bench spmv", bench.figures.len(), &bench.missed);
    }
    bench.show();
    any_measured("bench spmv", bench.figures.len(), &bench.missed)
}

impl Arguments {
    fn formats(&self) -> Result<Vec<Format>> {
        if self.format == "all" {
            let by_rows = Format::ALL.into_iter().filter(|format| *format != Format::Csc);
            return Ok(by_rows.collect());
        }
        match self.format.parse()? {
            Format::Csc => Err(Error::Shape {
                operation: "bench spmv",
                expected: "a format by rows".to_owned(),
                found: "csc, which multiplies by its transpose".to_owned(),
            }),
            format => Ok(vec![format]),
        }
    }
}

fn constant(text: &str) -> std::result::Result<(String, u32), String> {
    let pair = text.split_once('=');
    let pair = pair.and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    pair.ok_or_else(|| format!("{text:?} is no name and value, such as UNROLL=8"))
}

fn schedule(text: &str) -> std::result::Result<Schedule, String> {
    match text {
        "auto" => Ok(Schedule::Auto),
        "per-row" => Ok(Schedule::PerRow),
        "streamed" => Ok(Schedule::Streamed),
        lanes => match lanes.parse() {
            Ok(lanes @ 2..=256_u32) if lanes.is_power_of_two() => Ok(Schedule::Lanes(lanes)),
            _ => Err(format!(
                "{text:?} is neither auto, per-row, streamed nor a power of two from 2 to 256"
            )),
        },
    }
}

impl Reorder {
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rcm => "rcm",
            Self::Runs => "runs",
        }
    }
}

impl Input {
    /// A matrix, renumbered. One without non-zeros is refused.
    fn new(name: String, matrix: Csr<f64>, reorder: Reorder) -> Result<Self> {
        if matrix.nnz() == 0 {
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: "a matrix with non-zeros, since a product without any takes no time".to_owned(),
                found: format!("{name}, which is {} x {} and has none", matrix.rows(), matrix.cols()),
            });
        }
        let footprint = Footprint::of(matrix.pattern());
        let start = Instant::now();
        let order = match reorder {
            Reorder::None => {
                return Ok(Self {
                    name,
                    matrix,
                    footprint,
                    before: None,
                });
            }
            Reorder::Rcm => reorder::rcm(matrix.pattern())?,
            Reorder::Runs => reorder::runs(matrix.pattern())?,
        };
        let renumbered = order.apply_symmetric(&matrix)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Self {
            name,
            footprint: Footprint::of(renumbered.pattern()),
            matrix: renumbered,
            before: Some(Before {
                matrix,
                footprint,
                order,
                seconds,
            }),
        })
    }

    /// The bytes of a format before the matrix was renumbered, if it was.
    fn bytes_before(&self, format: Format, value_bytes: u64) -> Option<u64> {
        let before = self.before.as_ref()?;
        Some(before.footprint.bytes(format, value_bytes))
    }

    fn reordered(&self) -> Value {
        let of = |before: &Before| {
            json!({
                "seconds": before.seconds,
                "entries_a_run_before": entries_a_run(&before.footprint),
                "entries_a_run": entries_a_run(&self.footprint),
            })
        };
        self.before.as_ref().map_or(Value::Null, of)
    }
}

impl OfScalar for Bench<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        device.supports::<T>()?;
        let limit = self.copies.rate::<T>(device, self.arguments.common.runs, T::NAME)?;
        let reference = match Reference::<T>::of(&self.input) {
            // Other scalars may hold it.
            Err(error @ Error::Shape { .. }) => {
                self.missed.push(NotMeasured {
                    scalar: T::NAME,
                    size: "all formats".to_owned(),
                    reason: product::not_measured(error)?,
                });
                return Ok(());
            }
            reference => reference?,
        };
        for format in self.formats.clone() {
            let sparing = self.formats.len() > 1;
            match reference.measure(device, format, self.arguments, sparing) {
                Ok(mut figure) => {
                    figure.moved.limit = limit;
                    self.figures.push(figure);
                }
                Err(error) => {
                    let reason = product::not_measured(error)?;
                    self.missed.push(NotMeasured {
                        scalar: T::NAME,
                        size: format.name().to_owned(),
                        reason,
                    });
                }
            }
        }
        Ok(())
    }
}

impl Bench<'_> {
    fn show(&self) {
        let matrix = &self.input.matrix;
        let [rows, cols, nnz] = [matrix.rows(), matrix.cols(), matrix.nnz()].map(print::count);
        println!("matrix     {rows} x {cols}, {nnz} non-zeros, {}", self.input.name);
        if let Some(before) = &self.input.before {
            println!(
                "reordered  by {} in {}: {:.2} entries a run before, {:.2} now",
                self.arguments.reorder.name(),
                print::seconds(before.seconds),
                entries_a_run(&before.footprint),
                entries_a_run(&self.input.footprint)
            );
        }
        let columns = self.arguments.columns;
        if columns > 1 {
            println!("X          {cols} x {columns}");
        }
        let before = self.input.before.as_ref();
        let before = before.map_or_else(String::new, |_| format!(" {:>15}", "before"));
        println!(
            "{:<5} {:<11} {:>15}{before} {:>10} {:>10} {:>10} {:>8} {:>6} {:>9}",
            "", "A x", "bytes", "converted", "uploaded", "time", "GB/s", "copy", "GFLOP/s"
        );
        self.figures.iter().for_each(Figure::show);
        self.missed.iter().for_each(NotMeasured::show);
        self.copies.show();
        show_clocks(self.figures.iter().map(|figure| &figure.moved.elapsed));
    }
}
