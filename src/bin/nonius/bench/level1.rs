//! `nonius bench level1`: the level-1 operations against the device's own copy bandwidth.

use nonius::dense::{
    Vector, asum_into, axpy, axpyz, copy, dot_into, fill, hadamard, iamax, nrm2_into, scal, sum_into, xpay,
};
use nonius::device::Elapsed;
use nonius::{Blocking, Device, Result, Scalar};
use serde_json::{Value, json};

use super::{Common, OfScalar, clock, extent, is_hardware, sample, show_clocks};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Elements of every vector, as a number or as a power of two such as 2^28. By default as many as fill 256 MiB (on a
    /// software adapter and the host, 16 MiB).
    #[arg(long, value_parser = extent)]
    n: Option<usize>,
    #[command(flatten)]
    common: Common,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    figures: Vec<Figure>,
}

/// One operation on vectors of one scalar.
struct Figure {
    scalar: &'static str,
    operation: &'static str,
    n: usize,
    bytes: usize,
    elapsed: Elapsed,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let opened = arguments.common.open()?;
    let mut bench = Bench {
        arguments,
        figures: Vec::new(),
    };
    arguments.common.each_scalar(&opened.device, &mut bench)?;
    let figures = bench.figures;
    // All shares are of the same figure: what the device copies in f32, or in the first scalar measured.
    let limit = figures
        .iter()
        .find(|figure| figure.operation == "copy")
        .map_or(f64::NAN, Figure::rate);
    if arguments.common.json {
        let mut object = opened.object();
        object.insert("copy_bytes_per_second".to_owned(), print::number(limit));
        let rows = figures.iter().map(|figure| figure.object(limit));
        object.insert("level1".to_owned(), rows.collect());
        println!("{:#}", Value::Object(object));
        return Ok(());
    }
    println!(
        "{:<5} {:<9} {:>12} {:>10} {:>10} {:>7}",
        "", "", "n", "time", "GB/s", "copy"
    );
    for figure in &figures {
        let (rate, share) = (figure.rate() / 1e9, 100.0 * figure.rate() / limit);
        let time = print::seconds(figure.elapsed.seconds());
        println!(
            "{:<5} {:<9} {:>12} {time:>10} {rate:>10.1} {share:>6.0}%",
            figure.scalar, figure.operation, figure.n
        );
    }
    show_clocks(figures.iter().map(|figure| &figure.elapsed));
    Ok(())
}

impl Figure {
    fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        let bytes = self.bytes as f64;
        bytes / self.elapsed.seconds()
    }

    fn object(&self, limit: f64) -> Value {
        json!({
            "scalar": self.scalar,
            "operation": self.operation,
            "n": self.n,
            "bytes": self.bytes,
            "seconds": self.elapsed.seconds(),
            "clock": clock(&self.elapsed),
            "gigabytes_per_second": print::number(self.rate() / 1e9),
            "share_of_copy": print::number(self.rate() / limit),
        })
    }
}

impl OfScalar for Bench<'_> {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()> {
        device.supports::<T>()?;
        let bytes: usize = if is_hardware(device) { 1 << 28 } else { 1 << 24 };
        let n = self.arguments.n.unwrap_or(bytes / size_of::<T>());
        // First what the device may refuse, then what the host must hold.
        let mut z = Vector::zeros(device, n)?;
        // Values that neither grow nor vanish under repetition.
        let values: Vec<T> = sample::values(n, 1);
        let x = Vector::from_slice(device, &values)?;
        let mut y = Vector::from_slice(device, &values)?;
        let mut result = Vector::zeros(device, 1)?;
        let small = T::from_f64(1e-3);
        let runs = self.arguments.common.runs;
        let mut figure = |operation: &'static str, vectors: usize, elapsed: Elapsed| {
            self.figures.push(Figure {
                scalar: T::NAME,
                operation,
                n,
                bytes: vectors * n * size_of::<T>(),
                elapsed,
            });
        };
        let mut time = |operation, vectors, call: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            figure(operation, vectors, sample::median(device, runs, call)?);
            Ok(())
        };
        time("copy", 2, &mut || copy(&x, &mut z))?;
        time("fill", 1, &mut || fill(small, &mut z))?;
        time("scal", 2, &mut || scal(T::one(), &mut y))?;
        time("axpy", 3, &mut || axpy(small, &x, &mut y))?;
        time("xpay", 3, &mut || xpay(small, &x, &mut y))?;
        time("axpyz", 3, &mut || axpyz(small, &x, &y, &mut z))?;
        time("hadamard", 3, &mut || hadamard(&x, &y, &mut z))?;
        time("dot", 2, &mut || dot_into(&x, &y, &mut result))?;
        time("nrm2", 1, &mut || nrm2_into(&x, &mut result))?;
        time("asum", 1, &mut || asum_into(&x, &mut result))?;
        time("sum", 1, &mut || sum_into(&x, &mut result))?;
        // With its read-back, which it cannot do without, and of which the device's clock knows nothing.
        let wall = sample::median(device, runs, &mut || iamax(&x).block_on().map(|_| ()))?.wall;
        figure("iamax", 1, Elapsed { device: None, wall });
        Ok(())
    }
}
