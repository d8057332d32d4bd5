//! `nonius bench spmv --table`: the table of Kawamura et al. (2020), section 4, with the time of every product beside its
//! bytes, and our formats beside theirs.

use nonius::device::Elapsed;
use nonius::sparse::Format;
use nonius::{Device, Error, Result, Scalar};
use serde_json::{Map, Value, json};

use super::product::{self, MOST_PADDING, Reference};
use super::{Arguments, Input};
use crate::bench::{OfScalar, clock, show_clocks};
use crate::table::{FORMATS, any_read, files, saving, stem};
use crate::{info, print};

/// One matrix in one scalar.
struct Line {
    name: String,
    scalar: &'static str,
    rows: usize,
    cols: usize,
    nnz: usize,
    /// CSR, the others, and last what `auto` chooses, with the time of its format.
    cells: Vec<Cell>,
}

/// One format.
struct Cell {
    /// The column it stands in.
    column: Format,
    /// What it is: `auto` is another.
    format: Format,
    bytes: u64,
    before: Option<u64>,
    /// Whether that is mostly padding, so that it is not measured.
    padding: bool,
    /// Or why there is no time.
    elapsed: std::result::Result<Elapsed, String>,
}

/// One format against CSR, over all matrices in one scalar.
struct Summary {
    format: Format,
    scalar: &'static str,
    saving: f64,
    /// CSR's time over its own, and over how many matrices.
    speed: f64,
    measured: usize,
    faster: usize,
}

struct Lines<'a> {
    arguments: &'a Arguments,
    input: &'a Input,
    lines: &'a mut Vec<Line>,
    /// Scalars in which there is no line, and why.
    missed: Vec<String>,
    /// Scalars that the device does not compute in, and why.
    refused: &'a mut Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let paths = files(&arguments.matrix)?;
    let named = paths.len();
    let opened = arguments.common.open()?;
    let (mut lines, mut refused) = (Vec::new(), Vec::new());
    // Why lines are missing, and of how many matrices there is none.
    let (mut missed, mut without) = (Vec::new(), 0);
    if !arguments.common.json {
        heading();
    }
    for path in paths {
        let matrix = info::matrix(&path);
        let input = match matrix.and_then(|matrix| Input::new(stem(&path), matrix, arguments.reorder)) {
            Ok(input) => input,
            // One that is no matrix, or cannot be renumbered, does not hide the others.
            Err(error) => {
                missed.push(format!("{}: {error}", stem(&path)));
                without += 1;
                continue;
            }
        };
        let first = lines.len();
        let mut of_matrix = Lines {
            arguments,
            input: &input,
            lines: &mut lines,
            missed: Vec::new(),
            refused: &mut refused,
        };
        arguments.common.each_scalar(&opened.device, &mut of_matrix)?;
        let in_scalars = of_matrix.missed;
        without += usize::from(!in_scalars.is_empty() && lines.len() == first);
        missed.extend(in_scalars);
        if !arguments.common.json {
            lines[first..].iter().for_each(Line::show);
        }
    }
    let summaries = summaries(&lines);
    if arguments.common.json {
        let mut object = opened.object();
        for (key, value) in [
            ("reorder", json!(arguments.reorder.name())),
            ("schedule", json!(format!("{:?}", arguments.schedule))),
            ("table", lines.iter().map(Line::object).collect()),
            ("summary", summaries.iter().map(Summary::object).collect()),
            ("not_measured", json!(missed)),
            ("not_computed", json!(refused)),
        ] {
            object.insert(key.to_owned(), value);
        }
        println!("{:#}", Value::Object(object));
        return any_read("bench spmv", named, without);
    }
    println!();
    println!("| against csr | scalar | bytes saved, mean % | speed, geometric mean | matrices | faster on |");
    println!("| --- | --- | --- | --- | --- | --- |");
    summaries.iter().for_each(Summary::show);
    println!();
    println!(
        "-: not measured, since it takes more than {MOST_PADDING} times the bytes of csr, or for what is said below"
    );
    lines.iter().for_each(Line::show_missed);
    missed.iter().for_each(|reason| println!("not measured: {reason}"));
    refused.iter().for_each(|reason| println!("{reason}"));
    let cells = lines.iter().flat_map(|line| &line.cells);
    show_clocks(cells.filter_map(|cell| cell.elapsed.as_ref().ok()));
    any_read("bench spmv", named, without)
}

fn heading() {
    println!("of every format: bytes / saved against csr, % / microseconds");
    println!();
    let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
    println!("| matrix | scalar | rows | non-zeros | csr | {} |", names.join(" | "));
    println!("| --- | {}", "--- | ".repeat(4 + FORMATS.len()).trim_end());
}

impl OfScalar for Lines<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        match device.supports::<T>() {
            // Said once, and not with every matrix.
            Err(error @ Error::UnsupportedScalar { .. }) if self.arguments.common.scalar.is_none() => {
                let reason = error.to_string();
                if !self.refused.contains(&reason) {
                    self.refused.push(reason);
                }
                return Ok(());
            }
            supported => supported?,
        }
        let reference = match Reference::<T>::of(self.input) {
            // Nor does one whose vectors the host has no room for hide the others, or whose products are infinite.
            Err(error @ (Error::OutOfMemory { .. } | Error::Shape { .. })) => {
                let reason = product::not_measured(error)?;
                self.missed
                    .push(format!("{} in {}: {reason}", self.input.name, T::NAME));
                return Ok(());
            }
            reference => reference?,
        };
        let value_bytes = size_of::<T>() as u64;
        let footprint = &self.input.footprint;
        let mut cells = Vec::new();
        for column in [Format::Csr].into_iter().chain(FORMATS) {
            let cell = |format, elapsed| Cell {
                column,
                format,
                bytes: footprint.bytes(column, value_bytes),
                before: self.input.bytes_before(column, value_bytes),
                padding: product::is_padding(footprint, column, value_bytes),
                elapsed,
            };
            let chosen = nonius::sparse::auto::choose(footprint, value_bytes).format;
            let known = cells.iter().find(|cell: &&Cell| cell.format == chosen);
            if let (Format::Auto, Some(known)) = (column, known) {
                cells.push(cell(chosen, known.elapsed.clone()));
                continue;
            }
            let elapsed = match reference.measure(device, column, self.arguments, true) {
                Ok(figure) => Ok(figure.moved.elapsed),
                Err(error) => Err(product::not_measured(error)?),
            };
            cells.push(cell(column, elapsed));
        }
        self.lines.push(Line {
            name: self.input.name.clone(),
            scalar: T::NAME,
            rows: self.input.matrix.rows(),
            cols: self.input.matrix.cols(),
            nnz: self.input.matrix.nnz(),
            cells,
        });
        Ok(())
    }
}

fn microseconds(elapsed: &Elapsed) -> f64 {
    1e6 * elapsed.seconds()
}

fn count(bytes: u64) -> String {
    print::count(usize::try_from(bytes).unwrap_or(usize::MAX))
}

impl Line {
    fn csr(&self) -> &Cell {
        &self.cells[0]
    }

    fn show(&self) {
        let csr = self.csr();
        let cells: Vec<_> = self.cells.iter().map(|cell| cell.text(csr)).collect();
        let [rows, nnz] = [self.rows, self.nnz].map(print::count);
        println!(
            "| {} | {} | {rows} | {nnz} | {} |",
            self.name,
            self.scalar,
            cells.join(" | ")
        );
    }

    fn show_missed(&self) {
        for cell in &self.cells {
            if let (Err(reason), false) = (&cell.elapsed, cell.padding) {
                println!(
                    "not measured: {} as {} of {}: {reason}",
                    self.name, cell.format, self.scalar
                );
            }
        }
    }

    fn object(&self) -> Value {
        let csr = self.csr();
        let formats = self
            .cells
            .iter()
            .map(|cell| (cell.column.name().to_owned(), cell.object(csr)));
        json!({
            "matrix": self.name,
            "scalar": self.scalar,
            "rows": self.rows,
            "cols": self.cols,
            "nnz": self.nnz,
            "formats": formats.collect::<Map<_, _>>(),
        })
    }
}

impl Cell {
    fn saving(&self, csr: &Self) -> f64 {
        saving(self.bytes, csr.bytes)
    }

    fn text(&self, csr: &Self) -> String {
        let name = if self.column == self.format {
            String::new()
        } else {
            format!("{} ", self.format)
        };
        let before = self
            .before
            .map_or_else(String::new, |before| format!(" (before {})", count(before)));
        let time = match &self.elapsed {
            Ok(elapsed) => format!("{:.1}", microseconds(elapsed)),
            Err(_) => "-".to_owned(),
        };
        format!("{name}{}{before} / {:.1} / {time}", count(self.bytes), self.saving(csr))
    }

    fn object(&self, csr: &Self) -> Value {
        let mut object = json!({
            "format": self.format.name(),
            "bytes": self.bytes,
            "bytes_before": self.before,
            "saving_percent": self.saving(csr),
        });
        match &self.elapsed {
            Ok(elapsed) => {
                object["microseconds"] = json!(microseconds(elapsed));
                object["clock"] = json!(clock(elapsed));
            }
            Err(reason) => object["not_measured"] = json!(reason),
        }
        object
    }
}

fn summaries(lines: &[Line]) -> Vec<Summary> {
    let (mut scalars, mut summaries) = (Vec::new(), Vec::new());
    for line in lines {
        if !scalars.contains(&line.scalar) {
            scalars.push(line.scalar);
        }
    }
    for scalar in scalars {
        for format in FORMATS {
            let of_line = |line: &Line| {
                let cell = line.cells.iter().find(|cell| cell.column == format)?;
                let times = cell.elapsed.as_ref().ok().zip(line.csr().elapsed.as_ref().ok());
                let speed = times.map(|(own, csr)| csr.seconds() / own.seconds());
                Some((cell.saving(line.csr()), speed))
            };
            let of_scalar = lines.iter().filter(|line| line.scalar == scalar);
            let found: Vec<_> = of_scalar.filter_map(of_line).collect();
            let speeds: Vec<f64> = found.iter().filter_map(|(_, speed)| *speed).collect();
            let logarithms: f64 = speeds.iter().map(|speed| speed.ln()).sum();
            summaries.push(Summary {
                format,
                scalar,
                saving: found.iter().map(|(saving, _)| saving).sum::<f64>() / found.len() as f64,
                speed: (logarithms / speeds.len() as f64).exp(),
                measured: speeds.len(),
                faster: speeds.iter().filter(|speed| **speed > 1.0).count(),
            });
        }
    }
    summaries
}

impl Summary {
    fn show(&self) {
        let speed = if self.measured > 0 {
            format!("{:.2}", self.speed)
        } else {
            "-".to_owned()
        };
        println!(
            "| {} | {} | {:.1} | {speed} | {} | {} |",
            self.format, self.scalar, self.saving, self.measured, self.faster
        );
    }

    fn object(&self) -> Value {
        json!({
            "format": self.format.name(),
            "scalar": self.scalar,
            "saving_percent_mean": print::number(self.saving),
            "speed_geometric_mean": print::number(self.speed),
            "matrices": self.measured,
            "faster_on": self.faster,
        })
    }
}
