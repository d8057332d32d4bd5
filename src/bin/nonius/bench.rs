//! `nonius bench`: the level-1 operations against the device's own copy bandwidth.

use std::time::Instant;

use nonius::dense::{
    Vector, asum_into, axpy, axpyz, copy, dot_into, fill, hadamard, iamax, nrm2_into, scal, sum_into, xpay,
};
use nonius::{Blocking, Dd, Device, Df64, Error, Result, Scalar, Select};
use serde_json::json;

use crate::print;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Elements of every vector, as a number or as a power of two such as 2^28. By default as many as fill 256 MiB (on a
    /// software adapter and the host, 16 MiB).
    #[arg(long, value_parser = elements)]
    n: Option<usize>,
    /// f32, df64, f64 or dd; all that the device computes in by default.
    #[arg(long, value_name = "SCALAR")]
    scalar: Option<String>,
    /// A part of an adapter's name, its index, or host.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Timed runs of which the median is taken.
    #[arg(long, default_value_t = 11)]
    runs: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// One operation on vectors of one scalar.
struct Figure {
    scalar: &'static str,
    operation: &'static str,
    n: usize,
    bytes: usize,
    seconds: f64,
}

fn elements(text: &str) -> std::result::Result<usize, String> {
    let wrong = || format!("{text:?} is neither a number nor a power such as 2^28");
    match text.split_once('^') {
        None => text.parse().map_err(|_| wrong()),
        Some((base, exponent)) => {
            let (base, exponent): (usize, u32) = base.parse().ok().zip(exponent.parse().ok()).ok_or_else(wrong)?;
            base.checked_pow(exponent).ok_or_else(wrong)
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let device = Device::open(arguments.device.clone().unwrap_or_default()).block_on()?;
    let open = start.elapsed().as_secs_f64();
    if !arguments.json {
        println!("device     {}", print::adapter(device.adapter()));
        let self_test = device.arithmetic().map_or(0.0, |arithmetic| arithmetic.seconds);
        println!(
            "opened in  {}, of which self-test {}",
            print::seconds(open),
            print::seconds(self_test)
        );
    }
    let mut figures = Vec::new();
    let wanted = |name: &str| arguments.scalar.as_deref().is_none_or(|scalar| scalar == name);
    let mut known = false;
    let mut measure = |name: &str, scalar: &dyn Fn() -> Result<Vec<Figure>>| -> Result<()> {
        if !wanted(name) {
            return Ok(());
        }
        known = true;
        match scalar() {
            Ok(found) => figures.extend(found),
            Err(error @ Error::UnsupportedScalar { .. }) if arguments.scalar.is_none() => {
                if !arguments.json {
                    println!("{error}");
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    };
    measure("f32", &|| level1::<f32>(&device, arguments))?;
    measure("df64", &|| level1::<Df64>(&device, arguments))?;
    measure("f64", &|| level1::<f64>(&device, arguments))?;
    measure("dd", &|| level1::<Dd>(&device, arguments))?;
    if !known {
        let found = arguments.scalar.clone().unwrap_or_default();
        return Err(Error::Shape {
            operation: "bench",
            expected: "one of f32, df64, f64, dd".to_owned(),
            found,
        });
    }
    // All shares are of the same figure: what the device copies in f32, or in the first scalar measured.
    let limit = figures
        .iter()
        .find(|figure| figure.operation == "copy")
        .map_or(f64::NAN, Figure::rate);
    if arguments.json {
        let rows: Vec<_> = figures.iter().map(|figure| figure.object(limit)).collect();
        let arithmetic = device.arithmetic().map(|arithmetic| arithmetic.seconds);
        println!(
            "{:#}",
            json!({
                "device": device.name(),
                "backend": device.adapter().backend,
                "driver": device.adapter().driver,
                "seconds": { "open": open, "self_test": arithmetic },
                "copy_bytes_per_second": print::number(limit),
                "level1": rows,
            })
        );
    } else {
        println!(
            "{:<5} {:<9} {:>12} {:>10} {:>10} {:>7}",
            "", "", "n", "time", "GB/s", "copy"
        );
        for figure in &figures {
            let (rate, share) = (figure.rate() / 1e9, 100.0 * figure.rate() / limit);
            let time = print::seconds(figure.seconds);
            println!(
                "{:<5} {:<9} {:>12} {time:>10} {rate:>10.1} {share:>6.0}%",
                figure.scalar, figure.operation, figure.n
            );
        }
    }
    Ok(())
}

impl Figure {
    fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        let bytes = self.bytes as f64;
        bytes / self.seconds
    }

    fn object(&self, limit: f64) -> serde_json::Value {
        json!({
            "scalar": self.scalar,
            "operation": self.operation,
            "n": self.n,
            "bytes": self.bytes,
            "seconds": self.seconds,
            "gigabytes_per_second": print::number(self.rate() / 1e9),
            "share_of_copy": print::number(self.rate() / limit),
        })
    }
}

fn level1<T: Scalar>(device: &Device, arguments: &Arguments) -> Result<Vec<Figure>> {
    device.supports::<T>()?;
    let is_gpu = device.adapter().kind < nonius::device::AdapterKind::Software;
    let bytes: usize = if is_gpu { 1 << 28 } else { 1 << 24 };
    let n = arguments.n.unwrap_or(bytes / size_of::<T>());
    // First what the device may refuse, then what the host must hold.
    let mut z = Vector::zeros(device, n)?;
    // Values that neither grow nor vanish under repetition; never zeros, on which hardware is faster.
    #[expect(clippy::cast_precision_loss, reason = "a pattern")]
    let values: Vec<T> = (0..n).map(|i| T::from_f64(0.5 + (i % 1021) as f64 / 2048.0)).collect();
    let x = Vector::from_slice(device, &values)?;
    let mut y = Vector::from_slice(device, &values)?;
    let mut result = Vector::zeros(device, 1)?;
    let small = T::from_f64(1e-3);
    let mut figures = Vec::new();
    let mut time = |operation: &'static str, vectors: usize, run: &mut dyn FnMut() -> Result<()>| -> Result<()> {
        let seconds = median_seconds(device, arguments.runs, run)?;
        figures.push(Figure {
            scalar: T::NAME,
            operation,
            n,
            bytes: vectors * n * size_of::<T>(),
            seconds,
        });
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
    // With its read-back, which it cannot do without.
    time("iamax", 1, &mut || iamax(&x).block_on().map(|_| ()))?;
    Ok(figures)
}

/// The median over `runs` of the time of one call, measured over enough of them that waiting does not count.
fn median_seconds(device: &Device, runs: usize, run: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut once = |calls: u32| -> Result<f64> {
        let start = Instant::now();
        for _ in 0..calls {
            run()?;
        }
        device.synchronize().block_on()?;
        Ok(start.elapsed().as_secs_f64() / f64::from(calls))
    };
    // The first call compiles, the second warms up.
    once(1)?;
    let estimate = once(1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and 50"
    )]
    let calls = (0.02 / estimate.max(1e-6)).clamp(1.0, 50.0) as u32;
    let mut times = (0..runs.max(1)).map(|_| once(calls)).collect::<Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
