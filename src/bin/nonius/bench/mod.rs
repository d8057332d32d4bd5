//! `nonius bench`: operations against what the device itself can move and multiply.

mod copies;
mod exact;
mod gemm;
mod gemv;
mod level1;
mod lu;
mod mixed;
mod plot;
mod sample;
mod sign;
mod spmv;

use std::time::Instant;

use nonius::device::{AdapterKind, Elapsed};
use nonius::{Blocking, Dd, Device, Df64, Error, Result, Scalar, Select};
use serde_json::{Map, Value, json};

use crate::{print, warnings};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[group(skip)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    level1: level1::Arguments,
}

#[derive(clap::Subcommand)]
enum What {
    /// Level-1 operations against the device's own copy bandwidth; what `bench` alone does.
    Level1(level1::Arguments),
    /// Matrix-vector products against the device's own copy bandwidth.
    Gemv(gemv::Arguments),
    /// Matrix products against the multiply-adds that the device does from registers.
    Gemm(gemm::Arguments),
    /// LU factorisations.
    Lu(lu::Arguments),
    /// Exact determinants of matrices with entries of two digits.
    Exact(exact::Arguments),
    /// Products with a sparse matrix in its formats, against the device's own copy bandwidth.
    Spmv(spmv::Arguments),
    /// Signs of integers in residues: the fraction against full mixed radix conversion.
    Sign(sign::Arguments),
    /// Implicit plots: the steps of Suzuki and Murao (2010), and whole plots.
    Plot(plot::Arguments),
}

/// What all of them have.
#[derive(clap::Args)]
struct Common {
    /// f32, df64, f64 or dd; all that the device computes in by default.
    #[arg(long, value_name = "SCALAR")]
    scalar: Option<String>,
    /// A part of an adapter's name, its index, or host.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Timed runs of which the median is taken.
    #[arg(long, default_value_t = 11, value_parser = runs)]
    runs: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A device, and how long it took to open it.
struct Opened {
    device: Device,
    seconds: f64,
}

/// What is measured of every scalar.
trait OfScalar {
    fn measure<T: Scalar>(&mut self, device: &Device) -> Result<()>;
}

/// A size that was asked for and not measured.
struct NotMeasured {
    scalar: &'static str,
    size: String,
    reason: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        None => level1::run(&arguments.level1),
        Some(What::Level1(arguments)) => level1::run(arguments),
        Some(What::Gemv(arguments)) => gemv::run(arguments),
        Some(What::Gemm(arguments)) => gemm::run(arguments),
        Some(What::Lu(arguments)) => lu::run(arguments),
        Some(What::Exact(arguments)) => exact::run(arguments),
        Some(What::Spmv(arguments)) => spmv::run(arguments),
        Some(What::Sign(arguments)) => sign::run(arguments),
        Some(What::Plot(arguments)) => plot::run(arguments),
    }
}

impl Common {
    fn open(&self) -> Result<Opened> {
        let start = Instant::now();
        let device = Device::open(self.device.clone().unwrap_or_default()).block_on()?;
        let seconds = start.elapsed().as_secs_f64();
        if !self.json {
            println!("device     {}", print::adapter(device.adapter()));
            let self_test = device.arithmetic().map_or(0.0, |arithmetic| arithmetic.seconds);
            let (opened, self_test) = (print::seconds(seconds), print::seconds(self_test));
            println!("opened in  {opened}, of which self-test {self_test}");
        }
        warnings::of_tuning(&device);
        Ok(Opened { device, seconds })
    }

    /// Measures in the scalar that was asked for; else in every one that the device computes in.
    fn each_scalar(&self, device: &Device, bench: &mut impl OfScalar) -> Result<()> {
        let known = ["f32", "df64", "f64", "dd"];
        let wanted: Vec<&str> = match &self.scalar {
            None => known.into(),
            Some(name) => known.into_iter().filter(|known| known == name).collect(),
        };
        if wanted.is_empty() {
            return Err(Error::Shape {
                operation: "bench",
                expected: format!("one of {}", known.join(", ")),
                found: self.scalar.clone().unwrap_or_default(),
            });
        }
        for name in wanted {
            let measured = match name {
                "f32" => bench.measure::<f32>(device),
                "df64" => bench.measure::<Df64>(device),
                "f64" => bench.measure::<f64>(device),
                _ => bench.measure::<Dd>(device),
            };
            match measured {
                Err(error @ Error::UnsupportedScalar { .. }) if self.scalar.is_none() => {
                    if !self.json {
                        println!("{error}");
                    }
                }
                measured => measured?,
            }
        }
        Ok(())
    }
}

impl Opened {
    /// What every JSON object begins with.
    fn object(&self) -> Map<String, Value> {
        let self_test = self.device.arithmetic().map(|arithmetic| arithmetic.seconds);
        let fields = [
            ("device", json!(self.device.name())),
            ("backend", json!(self.device.adapter().backend)),
            ("driver", json!(self.device.adapter().driver)),
            ("seconds", json!({ "open": self.seconds, "self_test": self_test })),
        ];
        fields.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
    }
}

impl NotMeasured {
    /// Notes what does not fit, so that other sizes go on; other errors end the bench.
    fn note(scalar: &'static str, size: String, error: Error) -> Result<Self> {
        match error {
            Error::TooLarge { .. } | Error::OutOfMemory { .. } => Ok(Self {
                scalar,
                size,
                reason: error.to_string(),
            }),
            error => Err(error),
        }
    }

    fn object(&self) -> Value {
        json!({ "scalar": self.scalar, "size": self.size, "reason": self.reason })
    }

    fn show(&self) {
        println!("{:<5} {:<22} not measured: {}", self.scalar, self.size, self.reason);
    }
}

/// A bench that measured nothing of what was asked for has failed, and its table says why.
fn any_measured(operation: &'static str, measured: usize, missed: &[NotMeasured]) -> Result<()> {
    match missed.first() {
        Some(first) if measured == 0 => Err(Error::Shape {
            operation,
            expected: "something that can be measured".to_owned(),
            found: format!("none of {}: {}", missed.len(), first.reason),
        }),
        _ => Ok(()),
    }
}

/// Whether the device is hardware of its own: those get sizes that would keep a CPU busy for minutes.
pub(crate) fn is_hardware(device: &Device) -> bool {
    device.adapter().kind < AdapterKind::Software
}

/// `device` or `wall`: by which clock a time was taken.
fn clock(elapsed: &Elapsed) -> &'static str {
    elapsed.device.map_or("wall", |_| "device")
}

/// Says below a table whose clock it is from.
fn show_clocks<'a>(figures: impl Iterator<Item = &'a Elapsed>) {
    let (mut all, mut by_device) = (0, 0);
    for elapsed in figures {
        all += 1;
        by_device += usize::from(elapsed.device.is_some());
    }
    match by_device {
        // Nothing was measured, and the rows above say why.
        _ if all == 0 => {}
        0 => println!("times by the host's clock: the device has none, or it cannot be believed"),
        by_device if by_device == all => println!("times by the device's clock"),
        by_device => println!("times by the device's clock in {by_device} of {all} rows, else by the host's"),
    }
}

/// A number, or a power such as 2^28.
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

/// Runs of which a median is taken: there is none of nothing.
pub(crate) fn runs(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("there is no median of 0 runs".to_owned()),
        Ok(runs) => Ok(runs),
        Err(_) => Err(format!("{text:?} is no number of runs")),
    }
}

/// As [`elements`], and not zero: nothing can be timed of nothing.
fn extent(text: &str) -> std::result::Result<usize, String> {
    match elements(text)? {
        0 => Err("a size of 0 takes no time".to_owned()),
        extent => Ok(extent),
    }
}
