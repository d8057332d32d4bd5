//! `nonius exact det|rank|solve A.mtx`: exact linear algebra.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nonius::residue::linear::{self, Integers, Rational, Stop, integers_of_rows};
use nonius::sparse::matrix_market::{self, Storage};
use nonius::{Blocking, Device, Error, Result, Select};
use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};
use serde_json::json;

use crate::print;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// The determinant.
    Det {
        #[command(flatten)]
        common: Common,
        /// Stop when so many further primes have not changed the result, which is then not certified.
        #[arg(long, value_name = "PRIMES")]
        unchanged: Option<usize>,
    },
    /// The rank.
    Rank {
        #[command(flatten)]
        common: Common,
    },
    /// The solution of A x = b.
    Solve {
        #[command(flatten)]
        common: Common,
        /// The right-hand side: a Matrix Market file of one column. Ones by default.
        rhs: Option<PathBuf>,
        /// crt: elimination modulo many primes, on the device. dixon: p-adic lifting, on the host.
        #[arg(long, default_value = "crt")]
        method: Method,
        /// With dixon: look for the solution on the way, and stop when so many further digits have not changed it and A x = b
        /// holds exactly.
        #[arg(long, value_name = "DIGITS")]
        unchanged: Option<usize>,
    },
}

#[derive(clap::Args)]
struct Common {
    /// The matrix: a Matrix Market file, gzipped or not. Its numbers are what is written: 0.1 is 1/10, digits are as many as
    /// there are, and exponents of ten go to 4932 either way.
    matrix: PathBuf,
    /// A part of an adapter's name, its index, or host. By default NONIUS_DEVICE, else the best there is.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Method {
    Crt,
    Dixon,
}

/// A matrix of fractions, by rows.
struct Fractions {
    rows: usize,
    cols: usize,
    entries: Vec<Rational>,
}

/// Fractions that a dense matrix may have: 2^26 of them take 4 GiB.
pub(crate) const MOST_ENTRIES: usize = 1 << 26;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Det { common, unchanged } => det(common, *unchanged),
        What::Rank { common } => rank(common),
        What::Solve {
            common,
            rhs,
            method,
            unchanged,
        } => solve(common, rhs.as_deref(), *method, *unchanged),
    }
}

fn det(common: &Common, unchanged: Option<usize>) -> Result<()> {
    let a = read(&common.matrix)?;
    a.check_square("an exact determinant")?;
    let device = common.open()?;
    let (integers, multiples) = integers_of_rows(a.rows, a.cols, &a.entries)?;
    let stop = unchanged.map_or(Stop::Certified, Stop::Unchanged);
    let start = Instant::now();
    let found = linear::determinant(&device, &integers, stop).block_on()?;
    let seconds = start.elapsed().as_secs_f64();
    let value = Rational::new(found.value, multiples.into_iter().product());
    let digits = value.numer().magnitude().to_string().len();
    if common.json {
        let object = json!({
            "device": device.name(),
            "backend": device.adapter().backend,
            "rows": a.rows,
            "cols": a.cols,
            "determinant": value.to_string(),
            "digits": digits,
            "primes": found.primes,
            "certified": found.certified,
            "seconds": {
                "bound": found.bound_seconds,
                "elimination": found.elimination_seconds,
                "remainders": found.remainder_seconds,
                "all": seconds,
            },
        });
        println!("{object:#}");
        return Ok(());
    }
    common.show(&device, &a);
    let (digits, primes) = (print::count(digits), print::count(found.primes));
    println!("det A      {value}");
    println!(
        "           {digits} digits, {primes} primes, {}",
        certified(found.certified)
    );
    println!("time       {}", print::seconds(seconds));
    Ok(())
}

fn rank(common: &Common) -> Result<()> {
    let a = read(&common.matrix)?;
    let device = common.open()?;
    let (integers, _) = integers_of_rows(a.rows, a.cols, &a.entries)?;
    let start = Instant::now();
    let rank = linear::rank(&device, &integers).block_on()?;
    let seconds = start.elapsed().as_secs_f64();
    if common.json {
        let object = json!({
            "device": device.name(),
            "backend": device.adapter().backend,
            "rows": a.rows,
            "cols": a.cols,
            "rank": rank,
            "certified": true,
            "seconds": { "all": seconds },
        });
        println!("{object:#}");
        return Ok(());
    }
    common.show(&device, &a);
    println!("rank A     {}, {}", print::count(rank), certified(true));
    println!("time       {}", print::seconds(seconds));
    Ok(())
}

fn solve(common: &Common, rhs: Option<&Path>, method: Method, unchanged: Option<usize>) -> Result<()> {
    if unchanged.is_some() && method == Method::Crt {
        return Err(Error::Shape {
            operation: "an exact solution",
            expected: "--unchanged with --method dixon".to_owned(),
            found: "--method crt, whose solution is that of all primes".to_owned(),
        });
    }
    let a = read(&common.matrix)?;
    a.check_square("an exact solution")?;
    let n = a.rows;
    let b = match rhs {
        Some(path) => read(path)?,
        None => Fractions {
            rows: n,
            cols: 1,
            entries: vec![Rational::one(); n],
        },
    };
    if (b.rows, b.cols) != (n, 1) {
        return Err(Error::Shape {
            operation: "an exact solution",
            expected: format!("one right-hand side of {n} rows"),
            found: format!("{} x {}", b.rows, b.cols),
        });
    }
    // Rows of [A b] are multiplied together, so that the solution stays.
    let both: Vec<Rational> = (0..n)
        .flat_map(|row| a.entries[row * n..][..n].iter().chain([&b.entries[row]]).cloned())
        .collect();
    let (both, _) = integers_of_rows(n, n + 1, &both)?;
    let columns = |range: std::ops::Range<usize>| -> Result<Integers> {
        let of_row = |row: usize| both.entries()[row * (n + 1)..][range.clone()].iter().cloned();
        let entries: Vec<BigInt> = (0..n).flat_map(of_row).collect();
        Integers::new(n, range.len(), entries)
    };
    let (left, right) = (columns(0..n)?, columns(n..n + 1)?);
    let device = common.open()?;
    let start = Instant::now();
    let (lifted, on) = match method {
        Method::Crt => (None, &device),
        Method::Dixon => {
            let stop = unchanged.map_or(Stop::Certified, Stop::Unchanged);
            (linear::dixon(&left, &right, stop)?, &Device::host())
        }
    };
    let (x, lifted, on, used) = match lifted {
        Some(lifted) => (lifted.x, Some((lifted.digits, lifted.early)), on, "dixon"),
        // Also where lifting found A singular modulo its primes: this decides it.
        None => (linear::solve(&device, &left, &right).block_on()?, None, &device, "crt"),
    };
    let seconds = start.elapsed().as_secs_f64();
    if common.json {
        let object = json!({
            "device": on.name(),
            "backend": on.adapter().backend,
            "rows": n,
            "cols": n,
            "method": used,
            "digits": lifted.map(|(digits, _)| digits),
            "x": x.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "certified": true,
            "seconds": { "all": seconds },
        });
        println!("{object:#}");
        return Ok(());
    }
    common.show(on, &a);
    let by = match lifted {
        Some((_, true)) => "certified by A x = b",
        _ => certified(true),
    };
    println!("method     {used}, {by}");
    if let Some((digits, _)) = lifted {
        println!("digits     {}", print::count(digits));
    }
    println!("time       {}", print::seconds(seconds));
    x.iter().for_each(|x| println!("{x}"));
    Ok(())
}

fn certified(certified: bool) -> &'static str {
    if certified {
        "certified by Hadamard's bound"
    } else {
        "not certified: further primes could change it"
    }
}

impl Common {
    fn open(&self) -> Result<Device> {
        Device::open(self.device.clone().unwrap_or_default()).block_on()
    }

    fn show(&self, device: &Device, a: &Fractions) {
        println!("device     {}", print::adapter(device.adapter()));
        let [rows, cols] = [a.rows, a.cols].map(print::count);
        println!("matrix     {rows} x {cols} from {}", self.matrix.display());
    }
}

impl Fractions {
    fn check_square(&self, operation: &'static str) -> Result<()> {
        if self.rows == self.cols {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: "a square matrix".to_owned(),
            found: format!("{} x {}", self.rows, self.cols),
        })
    }
}

fn read(path: &Path) -> Result<Fractions> {
    let in_file = |reason: String| Error::File {
        path: path.to_path_buf(),
        reason,
    };
    let file = matrix_market::read_exact(path)?;
    let (rows, cols) = (file.rows(), file.cols());
    if rows.checked_mul(cols).is_none_or(|entries| entries > MOST_ENTRIES) {
        return Err(in_file(format!(
            "{rows} x {cols} is too large: exact elimination is dense, of at most {MOST_ENTRIES} entries"
        )));
    }
    let mut entries = vec![Rational::zero(); rows * cols];
    match file {
        // Repeated entries count as their sum.
        Storage::Sparse(coo) => coo
            .iter()
            .for_each(|(row, col, value)| entries[row * cols + col] += value),
        Storage::Dense(dense) => {
            for (at, value) in dense.into_values().into_iter().enumerate() {
                entries[at % rows * cols + at / rows] = value;
            }
        }
    }
    Ok(Fractions { rows, cols, entries })
}
