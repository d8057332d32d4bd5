//! `nonius bench sign`: the signs of a curve's exact values in residues, by full mixed radix conversion and by the fraction.

use std::time::Instant;

use nonius::device::Elapsed;
use nonius::plot::{Grid, Polynomial, curves};
use nonius::residue::{Basis, Method, Vector, Width, sign};
use nonius::{Blocking, Device, Error, Result, Select};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::Zero as _;
use serde_json::{Value, json};

use super::{Common, Opened, clock, extent, is_hardware, runs};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The curve whose values are judged, on its own view.
    #[arg(long, default_value = "spade")]
    curve: String,
    /// How many primes the values are held by: the largest below 2^16.
    #[arg(long, default_value_t = 31)]
    primes: usize,
    /// Time signs by as many primes between 2^30 and 2^31 as hold the same range, too; a GPU needs shader-int64 for them.
    #[arg(long)]
    wide: bool,
    /// Cells of a side of the grid, whose corners the values are taken at.
    #[arg(long, default_value = "256", value_parser = extent)]
    width: usize,
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

const METHODS: [Method; 2] = [Method::MixedRadix, Method::Fraction];

/// Signs of one timing on hardware: a launch of fewer would be timed with what it costs to launch.
const SIGNS: usize = 1 << 22;

/// What the signs of one place cost, by both methods.
struct Figures {
    place: &'static str,
    primes: usize,
    width: Width,
    /// Seconds for one sign.
    each: [f64; 2],
    clock: &'static str,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let common = Common {
        scalar: None,
        device: arguments.device.clone(),
        runs: arguments.runs,
        json: arguments.json,
    };
    let opened = common.open()?;
    let curve = curves::by_name(&arguments.curve)?;
    let grid = Grid::new(curve.view()?, arguments.width, arguments.width)?;
    let values = values(&curve.polynomial()?, &grid);
    let basis = Basis::largest(arguments.primes)?;
    let mut bases = vec![basis.clone()];
    if arguments.wide {
        bases.push(Basis::for_bound_in(Width::Wide, basis.half())?);
    }
    let host = Vector::from_integers(&Device::host(), &basis, &values)?;
    let mut figures = Vec::new();
    for basis in &bases {
        let x = Vector::from_integers(&Device::host(), basis, &values)?;
        figures.push(on_host(&x, &values, arguments.runs)?);
        if !opened.device.is_host() {
            let x = Vector::from_integers(&opened.device, basis, &values)?;
            figures.push(on_device(&opened.device, &x, &values, arguments.runs)?);
        }
    }
    let shares = bases.iter().map(|basis| silent(basis, &values));
    let shares = shares.collect::<Result<Vec<_>>>()?;
    if arguments.json {
        println!("{:#}", object(&opened, arguments, &host, &shares, &figures));
        return Ok(());
    }
    let (count, bits) = (print::count(values.len()), host.bound().bits());
    println!(
        "values     {count} of {} at the corners of {2} x {2} cells, of {bits} bits; {1} primes hold {3}",
        arguments.curve,
        basis.len(),
        arguments.width,
        basis.half().bits()
    );
    for (basis, share) in bases.iter().zip(&shares) {
        println!(
            "fallback   {:.4} % of the signs the fraction leaves to mixed radix digits, of {} primes",
            1e2 * share,
            basis.len()
        );
    }
    println!("{:<17} {:>11} {:>11} {:>7}", "", "mixed radix", "fraction", "ratio");
    figures.iter().for_each(Figures::show);
    println!("equal      all signs, to those of the integers");
    Ok(())
}

/// Dᵈ f at every corner, row by row upwards, with D the denominator of all corners: integers, by Horner's rule in x.
fn values(f: &Polynomial, grid: &Grid) -> Vec<BigInt> {
    let ((x0, y0), (x1, y1)) = (grid.corner(0, 0), grid.corner(1, 1));
    // Corners are x0 + i (x1 - x0), so their denominators divide that of these four.
    let denominator = [&x0, &x1, &y0, &y1]
        .iter()
        .fold(BigInt::from(1), |all, at| all.lcm(at.denom()));
    let whole = |at: &nonius::plot::Rational| at.numer() * (&denominator / at.denom());
    let abscissae: Vec<BigInt> = (0..=grid.width()).map(|i| whole(&grid.corner(i, 0).0)).collect();
    let (degree, primitive) = (f.degree(), f.primitive());
    let mut values = Vec::with_capacity(abscissae.len() * (grid.height() + 1));
    for j in 0..=grid.height() {
        let y = whole(&grid.corner(0, j).1);
        let mut in_x = vec![BigInt::zero(); f.degrees().0 as usize + 1];
        for (a, b, c) in primitive.terms() {
            in_x[a as usize] += c.numer() * y.pow(b) * denominator.pow(degree - a - b);
        }
        let at = |x: &BigInt| in_x.iter().rev().fold(BigInt::zero(), |sum, c| sum * x + c);
        values.extend(abscissae.iter().map(at));
    }
    values
}

/// The share of the signs that the fraction alone does not say.
fn silent(basis: &Basis, values: &[BigInt]) -> Result<f64> {
    let mut silent = 0_usize;
    for value in values {
        silent += usize::from(basis.sign_by_fraction(&basis.residues(value)?)?.is_none());
    }
    Ok(silent as f64 / values.len() as f64)
}

fn on_host(x: &Vector, values: &[BigInt], runs: usize) -> Result<Figures> {
    let mut each = [0.0; 2];
    for (method, each) in METHODS.into_iter().zip(&mut each) {
        check(x, method, values)?;
        let mut times = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            sign(x, method)?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        *each = times[times.len() / 2] / values.len() as f64;
    }
    Ok(Figures {
        place: "host",
        primes: x.basis().len(),
        width: x.basis().width(),
        each,
        clock: "wall",
    })
}

fn on_device(device: &Device, x: &Vector, values: &[BigInt], runs: usize) -> Result<Figures> {
    let launches = if is_hardware(device) {
        SIGNS.div_ceil(values.len())
    } else {
        1
    };
    let mut medians: Vec<Elapsed> = Vec::new();
    for method in METHODS {
        // Compiles, too.
        check(x, method, values)?;
        let mut work = || (0..launches).try_for_each(|_| sign(x, method).map(drop));
        let times = (0..runs).map(|_| device.time(&mut work).block_on());
        let mut times = times.collect::<Result<Vec<_>>>()?;
        times.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        medians.push(times.swap_remove(times.len() / 2));
    }
    let signs = (launches * values.len()) as f64;
    Ok(Figures {
        place: "device",
        primes: x.basis().len(),
        width: x.basis().width(),
        each: [medians[0].seconds() / signs, medians[1].seconds() / signs],
        clock: clock(&medians[1]),
    })
}

/// What is timed is checked: the signs are those of the integers.
fn check(x: &Vector, method: Method, values: &[BigInt]) -> Result<()> {
    let found = sign(x, method)?.to_host().block_on()?;
    let expected = values.iter().map(|value| match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    });
    let wrong = found
        .iter()
        .zip(expected)
        .filter(|(found, expected)| *found != expected);
    match wrong.count() {
        0 => Ok(()),
        wrong => Err(Error::Shape {
            operation: "bench sign",
            expected: format!("the signs of {} integers", values.len()),
            found: format!("{wrong} others, by {method:?} on {}", x.device().name()),
        }),
    }
}

fn object(opened: &Opened, arguments: &Arguments, x: &Vector, shares: &[f64], figures: &[Figures]) -> Value {
    let mut object = opened.object();
    let fields = [
        ("curve", json!(arguments.curve)),
        ("primes", json!(arguments.primes)),
        ("width", json!(arguments.width)),
        ("values", json!(x.len())),
        ("bits", json!(x.bound().bits())),
        ("fallback_share", json!(shares[0])),
        ("wide_fallback_share", json!(shares.get(1))),
        ("equal", json!(true)),
        ("sign", figures.iter().map(Figures::object).collect()),
    ];
    object.extend(fields.map(|(key, value)| (key.to_owned(), value)));
    Value::Object(object)
}

impl Figures {
    fn ratio(&self) -> f64 {
        self.each[0] / self.each[1]
    }

    fn show(&self) {
        println!(
            "{:<6} {:>3} primes {:>8.1} ns {:>8.1} ns {:>6.1}x  by the {} clock",
            self.place,
            self.primes,
            1e9 * self.each[0],
            1e9 * self.each[1],
            self.ratio(),
            if self.clock == "device" { "device's" } else { "host's" }
        );
    }

    fn object(&self) -> Value {
        json!({
            "place": self.place,
            "primes": self.primes,
            "wide": self.width == Width::Wide,
            "seconds": { "mixed_radix": self.each[0], "fraction": self.each[1] },
            "ratio": self.ratio(),
            "clock": self.clock,
        })
    }
}
