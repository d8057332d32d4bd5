//! `nonius bench lu`: P A = L U of square matrices, one by one or many small ones at once.

use nonius::dense::{Matrix, copy_block};
use nonius::device::Elapsed;
use nonius::lu::batched::{Batch, BatchedLu};
use nonius::lu::{Lu, Options, Panels, Pivoting};
use nonius::{Device, Error, Result, Scalar};
use serde_json::{Value, json};

use super::{Common, NotMeasured, OfScalar, any_measured, clock, extent, is_hardware, mixed, sample, show_clocks};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Sides of matrices, as numbers or powers such as 2^12. By default 256 to 16384 (on a software adapter and the host,
    /// 128 to 1024; with --batch, 8 to 64).
    #[arg(long, value_delimiter = ',', value_parser = extent)]
    n: Vec<usize>,
    /// So many matrices at once, of 64 rows at most; pivots are chosen by partial pivoting.
    #[arg(long, value_name = "COUNT", value_parser = extent, conflicts_with = "pivoting")]
    batch: Option<usize>,
    /// A x = b to the accuracy of a wide scalar by factors of a narrow one and corrections, against factors of the wide one.
    #[arg(long, conflicts_with_all = ["batch", "pivoting", "panels"])]
    mixed: bool,
    /// How pivots are chosen.
    #[arg(long, default_value = "partial")]
    pivoting: Choice,
    /// Where panels are worked on with partial pivoting.
    #[arg(long, default_value = "auto", conflicts_with = "batch")]
    panels: Place,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Choice {
    Partial,
    Tournament,
    None,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Place {
    Auto,
    Registers,
    Memory,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    sides: Vec<usize>,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
}

/// One factorisation in one scalar, or one of a whole batch.
struct Figure {
    scalar: &'static str,
    n: usize,
    batch: Option<usize>,
    /// Bytes of a scalar.
    size: usize,
    elapsed: Elapsed,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let opened = arguments.common.open()?;
    if arguments.mixed {
        let sides = arguments.sides(&opened.device);
        return mixed::run(&arguments.common, &opened, &sides);
    }
    let mut bench = Bench {
        arguments,
        sides: arguments.sides(&opened.device),
        figures: Vec::new(),
        missed: Vec::new(),
    };
    arguments.common.each_scalar(&opened.device, &mut bench)?;
    if arguments.common.json {
        let mut object = opened.object();
        object.insert("pivoting".to_owned(), json!(arguments.pivoting.name()));
        if let Some(batch) = arguments.batch {
            object.insert("batch".to_owned(), json!(batch));
        }
        object.insert("lu".to_owned(), bench.figures.iter().map(Figure::object).collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        println!("{:#}", Value::Object(object));
        return any_measured("bench lu", bench.figures.len(), &bench.missed);
    }
    let bytes = if arguments.batch.is_some() { "GB/s" } else { "" };
    println!("{:<5} {:<22} {:>10} {:>10} {bytes:>10}", "", "n", "time", "GFLOP/s");
    bench.figures.iter().for_each(Figure::show);
    bench.missed.iter().for_each(NotMeasured::show);
    show_clocks(bench.figures.iter().map(|figure| &figure.elapsed));
    any_measured("bench lu", bench.figures.len(), &bench.missed)
}

impl Choice {
    fn name(self) -> &'static str {
        match self {
            Self::Partial => "partial",
            Self::Tournament => "tournament",
            Self::None => "none",
        }
    }
}

impl Arguments {
    fn sides(&self, device: &Device) -> Vec<usize> {
        match (self.n.is_empty(), is_hardware(device)) {
            (false, _) => self.n.clone(),
            (true, _) if self.batch.is_some() => (3..=6).map(|power| 1 << power).collect(),
            (true, true) => (8..=14).map(|power| 1 << power).collect(),
            (true, false) => (7..=10).map(|power| 1 << power).collect(),
        }
    }

    fn elapsed<T: Scalar>(&self, device: &Device, n: usize) -> Result<Elapsed> {
        match self.batch {
            Some(count) => self.elapsed_of_batch::<T>(device, count, n),
            None => self.elapsed_of_one::<T>(device, n),
        }
    }

    fn elapsed_of_batch<T: Scalar>(&self, device: &Device, count: usize, n: usize) -> Result<Elapsed> {
        let rows = count.checked_mul(n).ok_or_else(|| Error::Shape {
            operation: "bench",
            expected: "fewer rows than can be counted".to_owned(),
            found: format!("{count} matrices of {n}"),
        })?;
        let a = sample::matrix::<T>(device, rows, n, 1)?;
        sample::median_of(
            device,
            self.common.runs,
            &mut || {
                let mut copy = Matrix::zeros(device, rows, n)?;
                copy_block(&a, &mut copy)?;
                Batch::from_matrix(copy, count)
            },
            &mut BatchedLu::factor,
        )
    }

    fn elapsed_of_one<T: Scalar>(&self, device: &Device, n: usize) -> Result<Elapsed> {
        // First what the device may refuse, then what the host must hold.
        drop(Matrix::<T>::zeros(device, n, n)?);
        let mut values = sample::values::<T>(n * n, 1);
        let pivoting = match self.pivoting {
            Choice::Partial => Pivoting::Partial,
            Choice::Tournament => Pivoting::Tournament,
            Choice::None => {
                // Diagonally dominant, so that no exchanges are needed.
                #[expect(clippy::cast_precision_loss, reason = "a figure")]
                let dominant = T::from_f64(n as f64);
                (0..n).for_each(|i| values[i * n + i] += dominant);
                Pivoting::None
            }
        };
        let mut options = Options::from(pivoting);
        options.panels = match self.panels {
            Place::Auto => Panels::Auto,
            Place::Registers => Panels::Registers,
            Place::Memory => Panels::Memory,
        };
        let a = Matrix::from_rows(device, n, n, &values)?;
        drop(values);
        sample::median_of(
            device,
            self.common.runs,
            &mut || {
                let mut copy = Matrix::zeros(device, n, n)?;
                copy_block(&a, &mut copy)?;
                Ok(copy)
            },
            &mut |copy| Lu::factor_with(copy, options),
        )
    }
}

impl OfScalar for Bench<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        for &n in &self.sides {
            match self.arguments.elapsed::<T>(device, n) {
                Ok(elapsed) => self.figures.push(Figure {
                    scalar: T::NAME,
                    n,
                    batch: self.arguments.batch,
                    size: size_of::<T>(),
                    elapsed,
                }),
                Err(error) => self.missed.push(NotMeasured::note(T::NAME, n.to_string(), error)?),
            }
        }
        Ok(())
    }
}

impl Figure {
    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    fn side(&self) -> f64 {
        self.n as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    fn count(&self) -> f64 {
        self.batch.unwrap_or(1) as f64
    }

    /// Floating-point operations a second: 2n³/3 of them for each matrix.
    fn rate(&self) -> f64 {
        self.count() * self.side().powi(3) * 2.0 / 3.0 / self.elapsed.seconds()
    }

    /// Bytes a second, if each element is read once and written once: what bounds a batch of small matrices.
    fn bytes(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "4 to 16")]
        let moved = 2.0 * self.count() * self.side().powi(2) * self.size as f64;
        self.batch.map(|_| moved / self.elapsed.seconds())
    }

    fn object(&self) -> Value {
        let mut object = json!({
            "scalar": self.scalar,
            "n": self.n,
            "seconds": self.elapsed.seconds(),
            "wall_seconds": self.elapsed.wall,
            "clock": clock(&self.elapsed),
            "gigaflops": print::number(self.rate() / 1e9),
        });
        if let Some(bytes) = self.bytes() {
            object["gigabytes_per_second"] = print::number(bytes / 1e9);
        }
        object
    }

    fn show(&self) {
        let (n, time) = (print::count(self.n), print::seconds(self.elapsed.seconds()));
        let bytes = self
            .bytes()
            .map_or(String::new(), |bytes| format!("{:>10.1}", bytes / 1e9));
        println!(
            "{:<5} {n:<22} {time:>10} {:>10.1} {bytes}",
            self.scalar,
            self.rate() / 1e9
        );
    }
}
