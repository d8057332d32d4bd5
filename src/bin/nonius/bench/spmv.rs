//! `nonius bench spmv A`: y ← Ax with a sparse matrix, format by format, against the device's own copy bandwidth; Y ← AX with
//! `--columns`.

use std::time::Instant;

use nonius::dense::{Matrix, Vector};
use nonius::device::Elapsed;
use nonius::sparse::{Csr, DeviceMatrix, Footprint, Format, Schedule, Stored, spmm, spmv};
use nonius::{Blocking, Device, Error, Result, Scalar};
use serde_json::{Value, json};

use super::{Common, NotMeasured, OfScalar, clock, extent, sample, show_clocks};
use crate::{info, print};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The matrix: a Matrix Market file, gzipped or not, or a generator and its size: stencil27:64.
    matrix: String,
    /// csr, ell, ell-r, sell, rbp-csr, rbp-ell, rbp-ell-r, packed-csr, packed-sell, the one that auto chooses, or all.
    #[arg(long, default_value = "all")]
    format: String,
    /// How CSR's rows are shared out: auto, per-row, streamed, or the lanes of a row, a power of two from 2 to 256.
    #[arg(long, default_value = "auto", value_parser = schedule)]
    schedule: Schedule,
    /// The columns of X: with more than one, formats are those of SpMM, and X lies by rows.
    #[arg(long, default_value = "1", value_parser = extent)]
    columns: usize,
    #[command(flatten)]
    common: Common,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    matrix: Csr<f64>,
    footprint: Footprint,
    formats: Vec<Format>,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
    /// Scalars whose copies were not measured, and why.
    unlimited: Vec<(&'static str, String)>,
}

/// One format in one scalar.
struct Figure {
    scalar: &'static str,
    format: Format,
    /// Of the matrix.
    bytes: u64,
    /// Of x and y.
    vectors: usize,
    /// Multiply-adds.
    products: usize,
    /// From CSR, on the host.
    conversion: f64,
    upload: f64,
    elapsed: Elapsed,
    /// Bytes a second of a copy.
    limit: Option<f64>,
}

/// What products are held against: those of the host in CSR, and how far from them others may be.
struct Reference<T> {
    x: Vec<T>,
    product: Vec<T>,
    bound: Vec<f64>,
}

/// With `--format all`, formats that take so many times CSR's bytes are left out: they measure padding.
const MOST_PADDING: u64 = 8;

/// The formats that several columns are multiplied in.
const WITH_COLUMNS: [Format; 3] = [Format::Csr, Format::PackedCsr, Format::PackedSell];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let formats = arguments.formats()?;
    let matrix = info::matrix(&arguments.matrix)?;
    let opened = arguments.common.open()?;
    let mut bench = Bench {
        arguments,
        footprint: Footprint::of(matrix.pattern()),
        matrix,
        formats,
        figures: Vec::new(),
        missed: Vec::new(),
        unlimited: Vec::new(),
    };
    arguments.common.each_scalar(&opened.device, &mut bench)?;
    if arguments.common.json {
        let mut object = opened.object();
        object.insert("matrix".to_owned(), json!(arguments.matrix));
        object.insert("schedule_of_csr".to_owned(), json!(format!("{:?}", arguments.schedule)));
        for (name, number) in [
            ("rows", bench.matrix.rows()),
            ("cols", bench.matrix.cols()),
            ("nnz", bench.matrix.nnz()),
            ("columns", arguments.columns),
        ] {
            object.insert(name.to_owned(), json!(number));
        }
        object.insert("spmv".to_owned(), bench.figures.iter().map(Figure::object).collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        let unlimited = bench
            .unlimited
            .into_iter()
            .map(|(scalar, reason)| (scalar.to_owned(), json!(reason)));
        object.insert("copy_not_measured".to_owned(), Value::Object(unlimited.collect()));
        println!("{:#}", Value::Object(object));
        return Ok(());
    }
    let [rows, cols, nnz] = [bench.matrix.rows(), bench.matrix.cols(), bench.matrix.nnz()].map(print::count);
    println!("matrix     {rows} x {cols}, {nnz} non-zeros, {}", arguments.matrix);
    if arguments.columns > 1 {
        println!("X          {cols} x {}", arguments.columns);
    }
    println!(
        "{:<5} {:<11} {:>15} {:>10} {:>10} {:>10} {:>8} {:>6} {:>9}",
        "", "A x", "bytes", "converted", "uploaded", "time", "GB/s", "copy", "GFLOP/s"
    );
    bench.figures.iter().for_each(Figure::show);
    bench.missed.iter().for_each(NotMeasured::show);
    for (scalar, reason) in &bench.unlimited {
        println!("{scalar:<5} copies were not measured: {reason}");
    }
    show_clocks(bench.figures.iter().map(|figure| &figure.elapsed));
    Ok(())
}

impl Arguments {
    fn formats(&self) -> Result<Vec<Format>> {
        if self.format == "all" {
            let by_rows = Format::ALL.into_iter().filter(|format| *format != Format::Csc);
            let by_rows = by_rows.filter(|format| self.columns == 1 || WITH_COLUMNS.contains(format));
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

impl OfScalar for Bench<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        device.supports::<T>()?;
        let runs = self.arguments.common.runs;
        let limit = match sample::copy_rate::<T>(device, runs)? {
            Ok(limit) => Some(limit),
            Err(reason) => {
                self.unlimited.push((T::NAME, reason));
                None
            }
        };
        let matrix = self.matrix.map(T::from_f64);
        let reference = Reference::of(&matrix, self.footprint.longest)?;
        for format in self.formats.clone() {
            match self.one(device, &matrix, &reference, format) {
                Ok(mut figure) => {
                    figure.limit = limit;
                    self.figures.push(figure);
                }
                Err(Error::Shape { expected, found, .. }) => self.missed.push(NotMeasured {
                    scalar: T::NAME,
                    size: format.name().to_owned(),
                    reason: format!("expected {expected}, found {found}"),
                }),
                Err(error) => {
                    let missed = NotMeasured::note(T::NAME, format.name().to_owned(), error)?;
                    self.missed.push(missed);
                }
            }
        }
        Ok(())
    }
}

impl Bench<'_> {
    fn one<T: Scalar>(
        &self,
        device: &Device,
        matrix: &Csr<T>,
        reference: &Reference<T>,
        format: Format,
    ) -> Result<Figure> {
        let value_bytes = size_of::<T>() as u64;
        let [bytes, csr_bytes] = [format, Format::Csr].map(|format| self.footprint.bytes(format, value_bytes));
        if self.formats.len() > 1 && bytes / MOST_PADDING > csr_bytes {
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: format!("at most {MOST_PADDING} times the {csr_bytes} bytes of csr"),
                found: format!("{bytes} (--format {format} measures it)"),
            });
        }
        let start = Instant::now();
        let stored = Stored::new(matrix, format)?;
        let conversion = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let there = match &stored {
            Stored::Csr(csr) => DeviceMatrix::with_schedule(device, csr, self.arguments.schedule)?,
            other => DeviceMatrix::from_stored(device, other)?,
        };
        device.synchronize().block_on()?;
        let upload = start.elapsed().as_secs_f64();
        drop(stored);
        let columns = self.arguments.columns;
        let runs = self.arguments.common.runs;
        let elapsed = if columns == 1 {
            let x = Vector::from_slice(device, &reference.x)?;
            let mut y = Vector::zeros(device, matrix.rows())?;
            spmv(T::one(), &there, &x, T::zero(), &mut y)?;
            reference.check(there.format(), &y.to_host().block_on()?, 1)?;
            sample::median(device, runs, &mut || spmv(T::one(), &there, &x, T::zero(), &mut y))?
        } else {
            let x = Matrix::from_rows(device, matrix.cols(), columns, &reference.columns(columns))?;
            let mut y = Matrix::zeros(device, matrix.rows(), columns)?;
            spmm(T::one(), &there, &x, T::zero(), &mut y)?;
            reference.check(there.format(), &y.to_host().block_on()?, columns)?;
            sample::median(device, runs, &mut || spmm(T::one(), &there, &x, T::zero(), &mut y))?
        };
        Ok(Figure {
            scalar: T::NAME,
            format: there.format(),
            bytes: there.bytes(),
            vectors: (matrix.rows() + matrix.cols()) * columns * size_of::<T>(),
            products: matrix.nnz() * columns,
            conversion,
            upload,
            elapsed,
            limit: None,
        })
    }
}

/// By what a column of X is x: powers of two, so that products differ among columns and are as exact.
fn factor(column: usize) -> f64 {
    [1.0, -0.5, 0.25, -2.0, 4.0][column % 5]
}

impl<T: Scalar> Reference<T> {
    fn of(matrix: &Csr<T>, longest: u64) -> Result<Self> {
        let x: Vec<T> = sample::values(matrix.cols(), 2);
        let multiply = |matrix: &Csr<T>, x: &[T]| -> Result<Vec<T>> {
            let mut y = vec![T::zero(); matrix.rows()];
            matrix.multiply(T::one(), x, T::zero(), &mut y)?;
            Ok(y)
        };
        let product = multiply(matrix, &x)?;
        let magnitudes: Vec<T> = x.iter().map(|x| x.abs()).collect();
        let scale = multiply(&matrix.map(|value| value.abs()), &magnitudes)?;
        // Both err by gamma_k |A||x| at most (Higham 2002, section 3.5), and so does this scale itself.
        let k = (longest + 3) as f64 * T::ROUNDING;
        let gamma = if k < 0.5 { k / (1.0 - k) } else { f64::INFINITY };
        let bound = scale
            .iter()
            .map(|scale| 2.0 * gamma * scale.to_f64() * (1.0 + gamma))
            .collect();
        Ok(Self { x, product, bound })
    }

    /// X by rows: x by the factor of each column.
    fn columns(&self, columns: usize) -> Vec<T> {
        let of_row = |x: &T| {
            let x = *x;
            (0..columns).map(move |column| x * T::from_f64(factor(column)))
        };
        self.x.iter().flat_map(of_row).collect()
    }

    /// Refuses to time a product that is wrong: `found` by rows, of so many columns.
    fn check(&self, format: Format, found: &[T], columns: usize) -> Result<()> {
        for (at, found) in found.iter().enumerate() {
            let (row, factor) = (at / columns, factor(at % columns));
            let expected = self.product[row] * T::from_f64(factor);
            let error = (*found - expected).to_f64().abs();
            // An infinite bound would let anything pass.
            if !(error <= self.bound[row] * factor.abs() && self.bound[row].is_finite()) {
                return Err(Error::Refused {
                    what: format!("the product as {format}"),
                    device: "the check against the host".to_owned(),
                    reason: format!(
                        "row {row} is {found}, expected {expected}, an error of {:e} at most",
                        self.bound[row]
                    ),
                });
            }
        }
        Ok(())
    }
}

impl Figure {
    /// What must be moved: the matrix, x and y, each once.
    fn moved(&self) -> f64 {
        self.bytes as f64 + self.vectors as f64
    }

    fn rate(&self) -> f64 {
        self.moved() / self.elapsed.seconds()
    }

    fn share(&self) -> Option<f64> {
        self.limit.map(|limit| self.rate() / limit)
    }

    fn flops(&self) -> f64 {
        2.0 * self.products as f64 / self.elapsed.seconds()
    }

    fn object(&self) -> Value {
        json!({
            "scalar": self.scalar,
            "format": self.format.name(),
            "bytes": self.bytes,
            "bytes_moved": self.moved(),
            "conversion_seconds": self.conversion,
            "upload_seconds": self.upload,
            "seconds": self.elapsed.seconds(),
            "clock": clock(&self.elapsed),
            "gigabytes_per_second": print::number(self.rate() / 1e9),
            "share_of_copy": self.share().map(print::number),
            "copy_gigabytes_per_second": self.limit.map(|limit| print::number(limit / 1e9)),
            "gigaflops": print::number(self.flops() / 1e9),
        })
    }

    fn show(&self) {
        let share = self
            .share()
            .map_or("-".to_owned(), |share| format!("{:.0}%", 100.0 * share));
        let bytes = print::count(usize::try_from(self.bytes).unwrap_or(usize::MAX));
        let [conversion, upload, time] = [self.conversion, self.upload, self.elapsed.seconds()].map(print::seconds);
        println!(
            "{:<5} {:<11} {bytes:>15} {conversion:>10} {upload:>10} {time:>10} {:>8.1} {share:>6} {:>9.2}",
            self.scalar,
            self.format,
            self.rate() / 1e9,
            self.flops() / 1e9
        );
    }
}
