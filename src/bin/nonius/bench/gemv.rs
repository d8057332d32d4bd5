//! `nonius bench gemv`: y ← Ax or Aᵀx, bound by memory, against the device's own copy bandwidth.

use nonius::dense::{MatrixView, Vector, gemv, gemv_in_df64};
use nonius::device::Elapsed;
use nonius::{Device, Df64, Result, Scalar};
use serde_json::{Value, json};

use super::copies::{Copies, Moved};
use super::{Common, NotMeasured, OfScalar, any_measured, extent, is_hardware, sample, show_clocks};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Sides of square matrices, as numbers or powers such as 2^12. By default 1024 to 16384 (on a software adapter and
    /// the host, 256 to 2048), and tall and wide matrices.
    #[arg(long, value_delimiter = ',', value_parser = extent, conflicts_with_all = ["rows", "cols"])]
    n: Vec<usize>,
    /// Rows of one matrix.
    #[arg(long, value_parser = extent, requires = "cols")]
    rows: Option<usize>,
    /// Columns of one matrix.
    #[arg(long, value_parser = extent, requires = "rows")]
    cols: Option<usize>,
    /// Multiply by the transpose.
    #[arg(long)]
    transposed: bool,
    /// Of f32 data, with products and sums in df64.
    #[arg(long, value_name = "df64", value_parser = ["df64"], conflicts_with = "scalar")]
    accumulate: Option<String>,
    #[command(flatten)]
    common: Common,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    shapes: Vec<(usize, usize)>,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
    copies: Copies,
}

/// One matrix in one scalar.
struct Figure {
    scalar: &'static str,
    rows: usize,
    cols: usize,
    moved: Moved,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let opened = arguments.common.open()?;
    let mut bench = Bench {
        arguments,
        shapes: arguments.shapes(&opened.device),
        figures: Vec::new(),
        missed: Vec::new(),
        copies: Copies::default(),
    };
    if arguments.accumulate.is_some() {
        opened.device.supports::<Df64>()?;
        bench.over::<f32>(&opened.device, "f32 in df64", |a, x, y| gemv_in_df64(1.0, a, x, 0.0, y))?;
    } else {
        arguments.common.each_scalar(&opened.device, &mut bench)?;
    }
    if arguments.common.json {
        let mut object = opened.object();
        let figures = bench.figures.iter().map(|figure| figure.object(arguments.transposed));
        object.insert("gemv".to_owned(), figures.collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        object.insert("copy_not_measured".to_owned(), bench.copies.object());
        println!("{:#}", Value::Object(object));
        return any_measured("bench gemv", bench.figures.len(), &bench.missed);
    }
    let name = if arguments.transposed { "A^T x" } else { "A x" };
    println!("{:<11} {name:<22} {:>10} {:>10} {:>7}", "", "time", "GB/s", "copy");
    bench.figures.iter().for_each(Figure::show);
    bench.missed.iter().for_each(NotMeasured::show);
    bench.copies.show();
    show_clocks(bench.figures.iter().map(|figure| &figure.moved.elapsed));
    any_measured("bench gemv", bench.figures.len(), &bench.missed)
}

impl Arguments {
    fn shapes(&self, device: &Device) -> Vec<(usize, usize)> {
        if let Some(shape) = self.rows.zip(self.cols) {
            return vec![shape];
        }
        let square = |n: &usize| (*n, *n);
        if !self.n.is_empty() {
            return self.n.iter().map(square).collect();
        }
        let sides: &[usize] = if is_hardware(device) {
            &[1024, 2048, 4096, 8192, 16_384]
        } else {
            &[256, 512, 1024, 2048]
        };
        let others = [(65_536, 64), (65_536, 256), (64, 65_536), (256, 65_536)];
        sides.iter().map(square).chain(others).collect()
    }
}

impl OfScalar for Bench<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        device.supports::<T>()?;
        self.over::<T>(device, T::NAME, |a, x, y| gemv(T::one(), a, x, T::zero(), y))
    }
}

impl Bench<'_> {
    /// One product over all shapes.
    fn over<T: Scalar>(
        &mut self,
        device: &Device,
        name: &'static str,
        multiply: impl Fn(MatrixView<'_, T>, &Vector<T>, &mut Vector<T>) -> Result<()>,
    ) -> Result<()> {
        let limit = self.copies.rate::<T>(device, self.arguments.common.runs, name)?;
        for &(rows, cols) in &self.shapes {
            match elapsed(device, rows, cols, self.arguments, &multiply) {
                Ok(elapsed) => {
                    #[expect(clippy::cast_precision_loss, reason = "a figure")]
                    let bytes = (rows * cols + rows + cols) as f64 * size_of::<T>() as f64;
                    self.figures.push(Figure {
                        scalar: name,
                        rows,
                        cols,
                        moved: Moved { bytes, elapsed, limit },
                    });
                }
                Err(error) => {
                    let missed = NotMeasured::note(name, format!("{rows} x {cols}"), error)?;
                    self.missed.push(missed);
                }
            }
        }
        Ok(())
    }
}

fn elapsed<T: Scalar>(
    device: &Device,
    rows: usize,
    cols: usize,
    arguments: &Arguments,
    multiply: &impl Fn(MatrixView<'_, T>, &Vector<T>, &mut Vector<T>) -> Result<()>,
) -> Result<Elapsed> {
    let a = sample::matrix::<T>(device, rows, cols, 1)?;
    let (from, to) = if arguments.transposed {
        (rows, cols)
    } else {
        (cols, rows)
    };
    let x = Vector::from_slice(device, &sample::values(from, 2))?;
    let mut y = Vector::zeros(device, to)?;
    sample::median(device, arguments.common.runs, &mut || {
        let a = if arguments.transposed { a.view().t() } else { a.view() };
        multiply(a, &x, &mut y)
    })
}

impl Figure {
    fn object(&self, transposed: bool) -> Value {
        let mut object = self.moved.fields();
        for (key, value) in [
            ("scalar", json!(self.scalar)),
            ("rows", json!(self.rows)),
            ("cols", json!(self.cols)),
            ("transposed", json!(transposed)),
            ("bytes", json!(self.moved.bytes)),
        ] {
            object.insert(key.to_owned(), value);
        }
        Value::Object(object)
    }

    fn show(&self) {
        let shape = format!("{} x {}", print::count(self.rows), print::count(self.cols));
        let moved = &self.moved;
        let (time, rate) = (print::seconds(moved.elapsed.seconds()), moved.rate() / 1e9);
        println!(
            "{:<11} {shape:<22} {time:>10} {rate:>10.1} {:>7}",
            self.scalar,
            moved.percent()
        );
    }
}
