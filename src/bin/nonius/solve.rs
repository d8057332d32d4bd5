//! `nonius solve A.mtx`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nonius::solve::{Precision, Solution, Stage};
use nonius::sparse::matrix_market::{self, ColumnMajor, Symmetry};
use nonius::{Blocking, Device, Error, Result, Select};
use serde_json::json;

use crate::output::check_folder_of;
use crate::print;
use crate::progress::Progress;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The matrix: a Matrix Market file, gzipped or not.
    matrix: PathBuf,
    /// The right-hand side: a Matrix Market file of one column. Ones by default.
    #[arg(long, value_name = "FILE")]
    rhs: Option<PathBuf>,
    /// auto, f32, df64 or f64.
    #[arg(long, default_value_t, value_name = "PRECISION")]
    precision: Precision,
    /// How to solve. There is one method so far, which `auto` takes: dense LU with refinement.
    #[arg(long, default_value = "auto", value_name = "METHOD")]
    method: Method,
    /// A part of an adapter's name, its index, or host. By default NONIUS_DEVICE, else the best there is.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Write x to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The ways to solve that can be asked for.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Method {
    Auto,
    Lu,
}

/// Seconds of the parts that the library does not time.
struct Times {
    open: f64,
    read: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    // What cannot be written should be known before what lasts.
    if let Some(path) = &arguments.out {
        check_folder_of(path)?;
    }
    let start = Instant::now();
    let file = matrix_market::read(&arguments.matrix)?;
    let (stored, symmetry) = (file.stored, file.header.symmetry);
    let header = file.header.to_string();
    let a = file.into_coo().map_err(|error| in_file(&arguments.matrix, &error))?;
    // Before a right-hand side of the declared size is made.
    nonius::solve::check_matrix(&a)?;
    let b = match &arguments.rhs {
        Some(path) => right_hand_side(path, a.rows())?,
        None => vec![1.0; a.rows()],
    };
    let read = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let device = Device::open(arguments.device.clone().unwrap_or_default()).block_on()?;
    let times = Times {
        open: start.elapsed().as_secs_f64(),
        read,
    };

    if !arguments.json {
        println!("device     {}", print::adapter(device.adapter()));
        let expanded = if symmetry == Symmetry::General {
            String::new()
        } else {
            format!(" ({stored} stored)")
        };
        let size = format!("{} x {}", print::count(a.rows()), print::count(a.cols()));
        println!(
            "matrix     {size}, {} non-zeros{expanded}, {header}",
            print::count(a.nnz())
        );
        println!("           from {}", arguments.matrix.display());
    }
    let mut progress = Progress::new(!arguments.json);
    let solution = match arguments.method {
        Method::Auto | Method::Lu => nonius::solve::solve(&device, &a, &b, arguments.precision, &mut progress),
    };
    let solution = solution.block_on()?;
    progress.finish();

    if let Some(path) = &arguments.out {
        let comment = format!("x with A x = b for {}", arguments.matrix.display());
        matrix_market::write(path, &ColumnMajor::vector(solution.x.clone()), &[&comment])?;
    }
    if arguments.json {
        println!("{:#}", object(&device, a.rows(), a.cols(), a.nnz(), &solution, &times));
    } else {
        report(&solution, &times, arguments);
    }
    solution.check().map(|_| ())
}

fn right_hand_side(path: &Path, rows: usize) -> Result<Vec<f64>> {
    let file = matrix_market::read(path)?;
    // Before a vector of the declared size is made.
    if file.rows() != rows {
        return Err(Error::Shape {
            operation: "solve",
            expected: format!("a right-hand side of {rows}"),
            found: format!("one of {} in {}", file.rows(), path.display()),
        });
    }
    if file.cols() != 1 {
        return Err(Error::Shape {
            operation: "solve",
            expected: "one right-hand side".to_owned(),
            found: format!("{} columns in {}", file.cols(), path.display()),
        });
    }
    file.into_row_major().map_err(|error| in_file(path, &error))
}

fn in_file(path: &Path, error: &Error) -> Error {
    Error::File {
        path: path.to_path_buf(),
        reason: error.to_string(),
    }
}

const METHOD: &str = "dense LU with partial pivoting, iterative refinement";

/// What was used for what, and why.
fn precision(stages: &[Stage]) -> String {
    let parts: Vec<String> = stages
        .iter()
        .map(|stage| format!("{} factors, {} residuals", stage.factors.name(), stage.residuals.name()))
        .collect();
    parts.join(", then ")
}

fn object(
    device: &Device,
    rows: usize,
    cols: usize,
    nnz: usize,
    solution: &Solution,
    times: &Times,
) -> serde_json::Value {
    let stages: Vec<_> = solution
        .stages
        .iter()
        .map(|stage| {
            json!({
                "factors": stage.factors.name(),
                "residuals": stage.residuals.name(),
                "equilibrated": stage.equilibrated,
                "zero_pivot": stage.first_zero,
                "history": stage.history.iter().map(|error| print::number(*error)).collect::<Vec<_>>(),
                "componentwise_history": stage.componentwise_history.iter().map(|error| print::number(*error)).collect::<Vec<_>>(),
                "contraction": stage.contraction.map(print::number),
                "error": stage.error.map(print::number),
                "seconds": { "factor": stage.factor_seconds, "refine": stage.refine_seconds },
            })
        })
        .collect();
    json!({
        "device": device.name(),
        "backend": device.adapter().backend,
        "rows": rows,
        "cols": cols,
        "nnz": nnz,
        "method": METHOD,
        "precision": precision(&solution.stages),
        "converged": solution.converged,
        "iterations": solution.iterations(),
        "residual": print::number(solution.accuracy.residual),
        "backward_error": print::number(solution.accuracy.backward_error),
        "componentwise_backward_error": print::number(solution.accuracy.componentwise_backward_error),
        "target": solution.target,
        "stages": stages,
        "warnings": solution.warnings,
        "seconds": {
            "open": times.open,
            "read": times.read,
            "setup": solution.setup_seconds,
            "solve": solution.solve_seconds,
        },
    })
}

fn report(solution: &Solution, times: &Times, arguments: &Arguments) {
    println!("method     {METHOD}");
    for (i, stage) in solution.stages.iter().enumerate() {
        let label = if i == 0 { "precision" } else { "" };
        println!("{label:<10} {}", sentence(stage, solution.stages.get(i + 1)));
    }
    println!(
        "residual   {:.2e} = |b - Ax| / |b|, in the 2-norm",
        solution.accuracy.residual
    );
    let judgement = if solution.converged { "meets" } else { "misses" };
    println!(
        "           {:.2e} backward error, {judgement} {:.1e}",
        solution.accuracy.backward_error, solution.target
    );
    let further = solution
        .stages
        .last()
        .map_or(0, |stage| stage.componentwise_history.len());
    let further = match further.saturating_sub(1) {
        0 => String::new(),
        1 => ", after 1 more correction".to_owned(),
        more => format!(", after {more} more corrections"),
    };
    println!(
        "           {:.2e} componentwise: each equation beside its own terms{further}",
        solution.accuracy.componentwise_backward_error
    );
    let factor: f64 = solution.stages.iter().map(|stage| stage.factor_seconds).sum();
    let parts = [
        ("open", times.open),
        ("read", times.read),
        ("set up", solution.setup_seconds),
        ("factor", factor),
        ("refine", solution.solve_seconds - factor),
    ];
    let parts: Vec<String> = parts
        .iter()
        .map(|(name, seconds)| format!("{name} {}", print::seconds(seconds.max(0.0))))
        .collect();
    println!("time       {}", parts.join(", "));
    for warning in &solution.warnings {
        println!("warning    {warning}");
    }
    if let Some(path) = &arguments.out {
        println!("written    {}", path.display());
    }
}

fn sentence(stage: &Stage, next: Option<&Stage>) -> String {
    let scaled = if stage.equilibrated {
        ", rows and columns scaled by powers of two, since entries differ by more than 2^40"
    } else {
        ""
    };
    let used = format!(
        "factored in {}, residuals in {}{scaled}",
        stage.factors.name(),
        stage.residuals.name()
    );
    let result = match (stage.first_zero, stage.history.last()) {
        (Some(column), _) => format!("no pivot in column {column} (counted from 0)"),
        (None, Some(error)) => {
            let corrections = stage.history.len() - 1;
            let plural = if corrections == 1 { "" } else { "s" };
            format!("{corrections} correction{plural} to a backward error of {error:.1e}")
        }
        (None, None) => "nothing came of it".to_owned(),
    };
    match next {
        Some(next) => format!("{used}: {result}; not enough, so {} was next", next.factors.name()),
        None => format!("{used}: {result}"),
    }
}
