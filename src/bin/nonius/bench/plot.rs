//! `nonius bench plot`: Suzuki and Murao's Table 2 (2010), made again on this device, and whole plots.

use std::time::Instant;

use nonius::device::Elapsed;
use nonius::plot::{Grid, Method, Polynomial, Step, Study, classify, classify_on, curves, primes};
use nonius::{Blocking, Device, Error, Result, Select};
use serde_json::{Value, json};

use super::{Common, NotMeasured, any_measured, clock, is_hardware, runs, show_clocks};
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Cells of a side of the table's grid, on [-1.28, 1.28]²; the paper has 256, and CPUs get 16.
    #[arg(short, value_name = "N")]
    n: Option<usize>,
    /// Cells of a side of the whole plots, on [-2, 2]²; 256 and 1024 by default, and 32 on CPUs.
    #[arg(long, value_name = "N", value_delimiter = ',')]
    whole: Vec<usize>,
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

/// Milliseconds on a GTX 285, from the paper's Table 2: none for what it leaves as future work.
const PAPER: [(&str, [Option<f64>; 8]); 2] = [
    (
        "heart",
        [
            Some(285.7),
            Some(237.3),
            Some(231.8),
            Some(224.6),
            Some(196.6),
            None,
            None,
            None,
        ],
    ),
    (
        "spade",
        [
            Some(5420.8),
            Some(2809.9),
            Some(2749.3),
            Some(2298.2),
            Some(2206.4),
            None,
            None,
            None,
        ],
    ),
];

/// One step for one curve.
struct Row {
    curve: &'static str,
    step: Step,
    primes: usize,
    elapsed: Elapsed,
    paper: Option<f64>,
}

/// One curve by one method, from the polynomial to the cells.
struct Whole {
    curve: &'static str,
    method: Method,
    n: usize,
    primes: usize,
    seconds: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let common = Common {
        scalar: None,
        device: arguments.device.clone(),
        runs: arguments.runs,
        json: arguments.json,
    };
    let opened = common.open()?;
    let device = &opened.device;
    let n = arguments.n.unwrap_or(if is_hardware(device) { 256 } else { 16 });
    let (mut rows, mut whole, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    for (curve, times) in PAPER {
        let f = curves::by_name(curve)?.polynomial()?;
        for (step, paper) in Step::ALL.into_iter().zip(times) {
            match one(device, &f, n, step, arguments.runs) {
                Ok((primes, elapsed)) => rows.push(Row {
                    curve,
                    step,
                    primes,
                    elapsed,
                    paper,
                }),
                Err(error @ Error::Shape { .. }) => missed.push(NotMeasured {
                    scalar: curve,
                    size: step.to_string(),
                    reason: error.to_string(),
                }),
                Err(error) => missed.push(NotMeasured::note(curve, step.to_string(), error)?),
            }
        }
        for n in sizes(&arguments.whole, device) {
            let grid = Grid::new("-2,2,-2,2".parse()?, n, n)?;
            for method in [Method::Paper, Method::Tight] {
                let mut classify = || classify_on(device, &f, &grid, method, &mut ()).block_on().map(|_| ());
                whole.push(Whole {
                    curve,
                    method,
                    n,
                    primes: if device.is_host() {
                        0
                    } else {
                        primes(&f, &grid, method)?
                    },
                    seconds: median(arguments.runs, &mut classify)?,
                });
            }
        }
    }
    if arguments.json {
        let mut object = opened.object();
        object.insert("n".to_owned(), json!(n));
        object.insert("table".to_owned(), rows.iter().map(Row::object).collect());
        object.insert("whole".to_owned(), whole.iter().map(Whole::object).collect());
        object.insert(
            "not_measured".to_owned(),
            missed.iter().map(NotMeasured::object).collect(),
        );
        println!("{:#}", Value::Object(object));
        return any_measured("bench plot", rows.len() + whole.len(), &missed);
    }
    println!(
        "the paper's method on {n} x {n} cells of [-1.28, 1.28]^2; the paper's times are for 256 x 256 on a GTX 285"
    );
    println!(
        "{:<7} {:<27} {:>6} {:>11} {:>11}",
        "", "step", "primes", "time", "paper"
    );
    rows.iter().for_each(Row::show);
    missed.iter().for_each(NotMeasured::show);
    show_clocks(rows.iter().map(|row| &row.elapsed));
    println!("whole plots of [-2, 2]^2 by the host's clock, read-backs and what the host does included");
    for row in &whole {
        println!(
            "{:<7} {:<6} {:>12} {:>9} primes {:>11}",
            row.curve,
            row.method,
            format!("{0} x {0}", row.n),
            row.primes,
            print::seconds(row.seconds)
        );
    }
    any_measured("bench plot", rows.len() + whole.len(), &missed)
}

fn sizes(asked: &[usize], device: &Device) -> Vec<usize> {
    match asked {
        [] if is_hardware(device) => vec![256, 1024],
        [] => vec![32],
        asked => asked.to_vec(),
    }
}

/// What is timed is checked: the cells are the host's.
fn one(device: &Device, f: &Polynomial, n: usize, step: Step, runs: usize) -> Result<(usize, Elapsed)> {
    let grid = Grid::new("-1.28,1.28,-1.28,1.28".parse()?, n, n)?;
    let study = Study::new(device, f, &grid, step)?;
    study.record()?;
    if study.cells().block_on()? != classify(f, &grid, Method::Paper, &mut ())? {
        return Err(Error::Shape {
            operation: "bench plot",
            expected: "the host's cells".to_owned(),
            found: format!("others, at the step {step}"),
        });
    }
    let times = (0..runs).map(|_| device.time(&mut || study.record()).block_on());
    let mut times = times.collect::<Result<Vec<_>>>()?;
    times.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    Ok((study.primes(), times.swap_remove(times.len() / 2)))
}

/// The median of as many runs, after one that compiles.
fn median(runs: usize, work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

impl Row {
    fn show(&self) {
        let paper = self.paper.map_or(String::new(), |paper| format!("{paper:.1} ms"));
        println!(
            "{:<7} {:<27} {:>6} {:>11} {:>11}",
            self.curve,
            self.step,
            self.primes,
            print::seconds(self.elapsed.seconds()),
            paper
        );
    }

    fn object(&self) -> Value {
        json!({
            "curve": self.curve,
            "step": self.step.to_string(),
            "primes": self.primes,
            "seconds": self.elapsed.seconds(),
            "clock": clock(&self.elapsed),
            "paper_seconds": self.paper.map(|milliseconds| milliseconds / 1e3),
        })
    }
}

impl Whole {
    fn object(&self) -> Value {
        json!({
            "curve": self.curve,
            "method": self.method.to_string(),
            "n": self.n,
            "primes": self.primes,
            "seconds": self.seconds,
        })
    }
}
