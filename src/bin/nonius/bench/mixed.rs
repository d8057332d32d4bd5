//! `nonius bench lu --mixed`: one system to the accuracy of a wide scalar, by `solve_mixed` and directly.

use std::time::{Duration, Instant};

use nonius::dense::{Matrix, Vector, amax, copy, copy_block, gemv, norm_inf};
use nonius::lu::{Lu, Route, solve_mixed};
use nonius::{Blocking, Device, Error, Result, Scalar, ScalarKind};
use serde_json::{Value, json};

use super::{Common, NotMeasured, OfScalar, Opened, any_measured, is_hardware, sample};
use crate::print;

struct Bench<'a> {
    sides: &'a [usize],
    runs: usize,
    /// Whether scalars are left out that are no wider than another.
    all: bool,
    figures: Vec<Figure>,
    missed: Vec<NotMeasured>,
}

/// One solve, both ways. Times by the host's clock: what it waits for between the steps counts.
struct Figure {
    high: &'static str,
    low: &'static str,
    n: usize,
    mixed: Way,
    direct: Way,
    /// Solves with the factors of the narrow scalar: one, and the corrections.
    solves: usize,
    route: Route,
    target: f64,
}

struct Way {
    seconds: f64,
    /// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞).
    backward_error: f64,
}

pub(super) fn run(common: &Common, opened: &Opened, sides: &[usize]) -> Result<()> {
    let mut bench = Bench {
        sides,
        runs: common.runs,
        all: common.scalar.is_none(),
        figures: Vec::new(),
        missed: Vec::new(),
    };
    common.each_scalar(&opened.device, &mut bench)?;
    if common.json {
        let mut object = opened.object();
        object.insert("mixed".to_owned(), bench.figures.iter().map(Figure::object).collect());
        let missed = bench.missed.iter().map(NotMeasured::object);
        object.insert("not_measured".to_owned(), missed.collect());
        println!("{:#}", Value::Object(object));
        return any_measured("bench lu --mixed", bench.figures.len(), &bench.missed);
    }
    println!(
        "{:<13} {:<7} {:>10} {:>10} {:>7} {:>9}   {:>10} {:>10} {:>9}",
        "", "n", "mixed", "GFLOP/s", "solves", "error", "direct", "GFLOP/s", "error"
    );
    bench.figures.iter().for_each(Figure::show);
    bench.missed.iter().for_each(NotMeasured::show);
    println!("one right-hand side, factors and all; times by the host's clock");
    any_measured("bench lu --mixed", bench.figures.len(), &bench.missed)
}

impl OfScalar for Bench<'_> {
    fn measure<H: Scalar>(&mut self, device: &Device) -> Result<()> {
        device.supports::<H>()?;
        match H::KIND {
            ScalarKind::Df64 | ScalarKind::F64 => self.pair::<f32, H>(device),
            ScalarKind::Dd => self.pair::<f64, H>(device),
            _ if self.all => Ok(()),
            kind => Err(Error::Shape {
                operation: "bench lu --mixed",
                expected: "df64, f64 or dd".to_owned(),
                found: kind.name().to_owned(),
            }),
        }
    }
}

impl Bench<'_> {
    fn pair<L: Scalar, H: Scalar>(&mut self, device: &Device) -> Result<()> {
        for &n in self.sides {
            match figure::<L, H>(device, n, self.runs) {
                Ok(figure) => self.figures.push(figure),
                Err(error) => self.missed.push(NotMeasured::note(H::NAME, n.to_string(), error)?),
            }
        }
        Ok(())
    }
}

fn figure<L: Scalar, H: Scalar>(device: &Device, n: usize, runs: usize) -> Result<Figure> {
    // First what the device may refuse, then what the host must hold.
    drop(Matrix::<H>::zeros(device, n, n)?);
    let a = Matrix::from_rows(device, n, n, &sample::values::<H>(n * n, 1))?;
    let b = Vector::from_slice(device, &sample::values::<H>(n, 2))?;
    let (mixed, seconds) = median(device, runs, &mut || Ok(()), &mut |()| {
        solve_mixed::<L, H>(&a, &b, &mut ()).block_on()
    })?;
    let by_mixed = Way {
        seconds,
        backward_error: mixed.residual,
    };
    let (x, seconds) = median(
        device,
        runs,
        &mut || {
            let mut own = Matrix::zeros(device, n, n)?;
            copy_block(&a, &mut own)?;
            Ok(own)
        },
        &mut |own| Lu::factor(own)?.solve_vector(&b).block_on(),
    )?;
    let mut r = Vector::zeros(device, n)?;
    copy(&b, &mut r)?;
    gemv(-H::one(), &a, &x, H::one(), &mut r)?;
    let norms = norm_inf(&a).block_on()?.to_f64() * amax(&x).block_on()?.to_f64();
    let directly = Way {
        seconds,
        backward_error: amax(&r).block_on()?.to_f64() / norms,
    };
    Ok(Figure {
        high: H::NAME,
        low: L::NAME,
        n,
        mixed: by_mixed,
        direct: directly,
        solves: mixed.history.len(),
        route: mixed.route,
        target: mixed.target,
    })
}

/// The median time of `call`, after runs that do not count: the first compiles, and clocks have fallen meanwhile. What
/// `make` makes for it is not timed.
fn median<X, Y>(
    device: &Device,
    runs: usize,
    make: &mut dyn FnMut() -> Result<X>,
    call: &mut dyn FnMut(X) -> Result<Y>,
) -> Result<(Y, f64)> {
    const WAKE: Duration = Duration::from_millis(500);
    let mut sample = || {
        let made = make()?;
        device.synchronize().block_on()?;
        let began = Instant::now();
        let result = call(made)?;
        device.synchronize().block_on()?;
        Ok::<_, Error>((result, began.elapsed().as_secs_f64()))
    };
    let mut last = sample()?.0;
    let began = Instant::now();
    while is_hardware(device) && began.elapsed() < WAKE {
        sample()?;
    }
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let (result, seconds) = sample()?;
        last = result;
        times.push(seconds);
    }
    times.sort_by(f64::total_cmp);
    Ok((last, times[times.len() / 2]))
}

impl Figure {
    /// Floating-point operations a second, if there were 2n³/3 of them.
    fn rate(&self, way: &Way) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        let n = self.n as f64;
        n.powi(3) * 2.0 / 3.0 / way.seconds
    }

    fn route(&self) -> String {
        match self.route {
            Route::Refined => "refined".to_owned(),
            other => format!("{other:?}"),
        }
    }

    fn object(&self) -> Value {
        let way = |way: &Way| {
            json!({
                "seconds": way.seconds,
                "gigaflops": print::number(self.rate(way) / 1e9),
                "backward_error": print::number(way.backward_error),
            })
        };
        json!({
            "scalar": self.high,
            "factors": self.low,
            "n": self.n,
            "clock": "wall",
            "mixed": way(&self.mixed),
            "direct": way(&self.direct),
            "solves": self.solves,
            "route": self.route(),
            "target": self.target,
        })
    }

    fn show(&self) {
        let way = |way: &Way| (print::seconds(way.seconds), self.rate(way) / 1e9, way.backward_error);
        let (time, rate, error) = way(&self.mixed);
        let (direct_time, direct_rate, direct_error) = way(&self.direct);
        let (pair, n) = (format!("{} by {}", self.high, self.low), print::count(self.n));
        let note = if self.route == Route::Refined {
            String::new()
        } else {
            format!("   {}", self.route())
        };
        println!(
            "{pair:<13} {n:<7} {time:>10} {rate:>10.1} {:>7} {error:>9.1e}   {direct_time:>10} {direct_rate:>10.1} \
             {direct_error:>9.1e}{note}",
            self.solves
        );
    }
}
