//! `nonius bench gemm`: C ← AB + βC, bound by arithmetic, against the multiply-adds that the device does from registers.

use nonius::dense::{Matrix, gemm};
use nonius::device::Elapsed;
use nonius::{Blocking, Device, Result, Scalar};
use serde_json::{Value, json};

use super::{Common, NotMeasured, OfScalar, any_measured, clock, extent, is_hardware, sample, show_clocks};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Sides of square matrices, as numbers or powers such as 2^12. By default 512 to 8192 and a product of depth 128 (on a
    /// software adapter and the host, 128 to 512).
    #[arg(long, value_delimiter = ',', value_parser = extent, conflicts_with_all = ["rows", "cols", "depth"])]
    n: Vec<usize>,
    /// Rows of A and C.
    #[arg(long, value_parser = extent, requires_all = ["cols", "depth"])]
    rows: Option<usize>,
    /// Columns of B and C.
    #[arg(long, value_parser = extent, requires_all = ["rows", "depth"])]
    cols: Option<usize>,
    /// Columns of A, which are rows of B.
    #[arg(long, value_parser = extent, requires_all = ["rows", "cols"])]
    depth: Option<usize>,
    /// β of C ← AB + βC: with 1, C is read as factorisations have it.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = finite)]
    beta: f64,
    #[command(flatten)]
    common: Common,
}

/// Products of NaN or infinities take as long as others, but C would hold nothing else from the first call on.
fn finite(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("{text:?} is not finite")),
        Err(_) => Err(format!("{text:?} is no number")),
    }
}

struct Bench<'a> {
    arguments: &'a Arguments,
    shapes: Vec<[usize; 3]>,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
}

/// One product in one scalar.
struct Figure {
    scalar: &'static str,
    shape: [usize; 3],
    beta: f64,
    elapsed: Elapsed,
    /// Multiply-adds a second from registers.
    limit: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let opened = arguments.common.open()?;
    let mut bench = Bench {
        arguments,
        shapes: arguments.shapes(&opened.device),
        figures: Vec::new(),
        missed: Vec::new(),
    };
    arguments.common.each_scalar(&opened.device, &mut bench)?;
    if arguments.common.json {
        let mut object = opened.object();
        object.insert("gemm".to_owned(), bench.figures.iter().map(Figure::object).collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        println!("{:#}", Value::Object(object));
        return any_measured("bench gemm", bench.figures.len(), &bench.missed);
    }
    if arguments.beta != 0.0 {
        println!("beta       {}", arguments.beta);
    }
    println!(
        "{:<5} {:<22} {:>10} {:>10} {:>13}",
        "", "rows x cols x depth", "time", "GFLOP/s", "multiply-adds"
    );
    bench.figures.iter().for_each(Figure::show);
    bench.missed.iter().for_each(NotMeasured::show);
    show_clocks(bench.figures.iter().map(|figure| &figure.elapsed));
    any_measured("bench gemm", bench.figures.len(), &bench.missed)
}

impl Arguments {
    fn shapes(&self, device: &Device) -> Vec<[usize; 3]> {
        if let (Some(rows), Some(cols), Some(depth)) = (self.rows, self.cols, self.depth) {
            return vec![[rows, cols, depth]];
        }
        let square = |n: &usize| [*n; 3];
        if !self.n.is_empty() {
            return self.n.iter().map(square).collect();
        }
        // And one as they come up in blocked factorisations.
        let (sides, update): (&[usize], _) = if is_hardware(device) {
            (&[512, 1024, 2048, 4096, 8192], [4096, 4096, 128])
        } else {
            (&[128, 256, 512], [1024, 1024, 128])
        };
        sides.iter().map(square).chain([update]).collect()
    }
}

impl OfScalar for Bench<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        let limit = device.multiply_add_rate::<T>().block_on()?;
        for &shape in &self.shapes {
            match elapsed::<T>(device, shape, self.arguments.beta, self.arguments.common.runs) {
                Ok(elapsed) => self.figures.push(Figure {
                    scalar: T::NAME,
                    shape,
                    beta: self.arguments.beta,
                    elapsed,
                    limit,
                }),
                Err(error) => {
                    let [rows, cols, depth] = shape;
                    let missed = NotMeasured::note(T::NAME, format!("{rows} x {cols} x {depth}"), error)?;
                    self.missed.push(missed);
                }
            }
        }
        Ok(())
    }
}

fn elapsed<T: Scalar>(device: &Device, [rows, cols, depth]: [usize; 3], beta: f64, runs: usize) -> Result<Elapsed> {
    let mut c = Matrix::zeros(device, rows, cols)?;
    let a = sample::matrix::<T>(device, rows, depth, 1)?;
    let b = sample::matrix::<T>(device, depth, cols, 2)?;
    sample::median(device, runs, &mut || gemm(T::one(), &a, &b, T::from_f64(beta), &mut c))
}

impl Figure {
    /// Multiply-adds a second.
    fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        let operations: f64 = self.shape.iter().map(|extent| *extent as f64).product();
        operations / self.elapsed.seconds()
    }

    fn object(&self) -> Value {
        let [rows, cols, depth] = self.shape;
        json!({
            "scalar": self.scalar,
            "rows": rows,
            "cols": cols,
            "depth": depth,
            "beta": self.beta,
            "seconds": self.elapsed.seconds(),
            "clock": clock(&self.elapsed),
            "gigaflops": print::number(2.0 * self.rate() / 1e9),
            "share_of_multiply_adds": print::number(self.rate() / self.limit),
            "multiply_adds_per_second": print::number(self.limit),
        })
    }

    fn show(&self) {
        let shape = self.shape.map(print::count).join(" x ");
        let (time, rate) = (print::seconds(self.elapsed.seconds()), 2.0 * self.rate() / 1e9);
        let share = 100.0 * self.rate() / self.limit;
        println!("{:<5} {shape:<22} {time:>10} {rate:>10.1} {share:>12.0}%", self.scalar);
    }
}
