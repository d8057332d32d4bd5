//! `nonius bench lu`: P A = L U of square matrices.

use nonius::dense::{Matrix, copy_block};
use nonius::device::Elapsed;
use nonius::lu::{Lu, Pivoting};
use nonius::{Device, Result, Scalar};
use serde_json::{Value, json};

use super::{Common, NotMeasured, OfScalar, clock, extent, is_hardware, sample, show_clocks};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Sides of matrices, as numbers or powers such as 2^12. By default 256 to 16384 (on a software adapter and the host,
    /// 128 to 1024).
    #[arg(long, value_delimiter = ',', value_parser = extent)]
    n: Vec<usize>,
    /// How pivots are chosen.
    #[arg(long, default_value = "partial")]
    pivoting: Choice,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Choice {
    Partial,
    Tournament,
    None,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    sides: Vec<usize>,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
}

/// One factorisation in one scalar.
struct Figure {
    scalar: &'static str,
    n: usize,
    elapsed: Elapsed,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let opened = arguments.common.open()?;
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
        object.insert("lu".to_owned(), bench.figures.iter().map(Figure::object).collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        println!("{:#}", Value::Object(object));
        return Ok(());
    }
    println!("{:<5} {:<22} {:>10} {:>10}", "", "n", "time", "GFLOP/s");
    bench.figures.iter().for_each(Figure::show);
    bench.missed.iter().for_each(NotMeasured::show);
    show_clocks(bench.figures.iter().map(|figure| &figure.elapsed));
    Ok(())
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
            (true, true) => (8..=14).map(|power| 1 << power).collect(),
            (true, false) => (7..=10).map(|power| 1 << power).collect(),
        }
    }

    fn elapsed<T: Scalar>(&self, device: &Device, n: usize) -> Result<Elapsed> {
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
            &mut |copy| Lu::factor_with(copy, pivoting).map(drop),
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
                    elapsed,
                }),
                Err(error) => self.missed.push(NotMeasured::note(T::NAME, n.to_string(), error)?),
            }
        }
        Ok(())
    }
}

impl Figure {
    /// Floating-point operations a second: 2n³/3 of them.
    fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        let n = self.n as f64;
        n * n * n * 2.0 / 3.0 / self.elapsed.seconds()
    }

    fn object(&self) -> Value {
        json!({
            "scalar": self.scalar,
            "n": self.n,
            "seconds": self.elapsed.seconds(),
            "wall_seconds": self.elapsed.wall,
            "clock": clock(&self.elapsed),
            "gigaflops": print::number(self.rate() / 1e9),
        })
    }

    fn show(&self) {
        let (n, time) = (print::count(self.n), print::seconds(self.elapsed.seconds()));
        println!("{:<5} {n:<22} {time:>10} {:>10.1}", self.scalar, self.rate() / 1e9);
    }
}
