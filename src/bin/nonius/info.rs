//! `nonius info A.mtx`: the shape of a sparse matrix, and what it takes in every format.

use std::path::{Path, PathBuf};

use nonius::sparse::matrix_market::{self, Data, MatrixFile, Storage, Symmetry};
use nonius::sparse::{Coo, Csr, Footprint, Format, auto, generate};
use nonius::{Error, Result};
use serde_json::{Map, Value, json};

use crate::print;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The matrix: a Matrix Market file, gzipped or not, or a generator and its size: stencil27:64. With --table, any number
    /// of them and of folders of files.
    #[arg(required = true)]
    pub(crate) matrix: Vec<PathBuf>,
    /// One line a matrix, and a summary: what each format saves against CSR, in percent of its bytes, for f64 / f32.
    #[arg(long)]
    pub(crate) table: bool,
    /// With --table, leave out matrices of fewer non-zeros.
    #[arg(long, value_name = "NON-ZEROS", default_value_t = 5000, requires = "table")]
    pub(crate) least: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The sizes of values that are told, by the scalar's name.
pub(crate) const SCALARS: [(&str, u64); 2] = [("f32", 4), ("f64", 8)];

pub(crate) struct Findings {
    from: String,
    /// The banner, or that there is none.
    header: String,
    symmetry: &'static str,
    /// Entries that were merged with others at their position.
    repeated: usize,
    pub(crate) footprint: Footprint,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let [matrix] = &arguments.matrix[..] else {
        return Err(Error::Shape {
            operation: "info",
            expected: "one matrix without --table".to_owned(),
            found: format!("{}", arguments.matrix.len()),
        });
    };
    let findings = findings(matrix)?;
    if arguments.json {
        println!("{:#}", object(&findings));
    } else {
        show(&findings);
    }
    Ok(())
}

/// The generator that is named; a file of that name comes first.
fn generator(from: &Path) -> Option<&str> {
    let name = |text: &str| text.split_once(':').map(|(name, _)| name.to_owned());
    let known = |asked: String| generate::NAMES.iter().any(|known| name(known).as_ref() == Some(&asked));
    let text = from.to_str()?;
    (name(text).is_some_and(known) && !from.exists()).then_some(text)
}

/// The matrix of a file or a generator, with real values.
pub(crate) fn matrix(path: &Path) -> Result<Csr<f64>> {
    if let Some(text) = generator(path) {
        return generate::by_name(text);
    }
    let coo = matrix_market::read(path)?.into_coo().map_err(|error| Error::File {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    Csr::from_coo(&coo)
}

/// What there is to say of a file or a generator.
pub(crate) fn findings(from: &Path) -> Result<Findings> {
    generator(from).map_or_else(|| from_file(from), generated)
}

fn generated(text: &str) -> Result<Findings> {
    let a = generate::by_name(text)?;
    let symmetric = a.rows() == a.cols() && a.transpose()? == a;
    Ok(Findings {
        from: text.to_owned(),
        header: "generated".to_owned(),
        symmetry: if symmetric { "symmetric" } else { "general" },
        repeated: 0,
        footprint: Footprint::of(a.pattern()),
    })
}

fn from_file(path: &Path) -> Result<Findings> {
    let file = matrix_market::read(path)?;
    let (header, symmetry) = (file.header.to_string(), file.header.symmetry);
    let coo = entries(file).map_err(|error| Error::File {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    let a = Csr::from_coo(&coo)?;
    Ok(Findings {
        from: path.display().to_string(),
        header,
        symmetry: match symmetry {
            Symmetry::General => "general",
            Symmetry::Symmetric => "symmetric",
            Symmetry::SkewSymmetric => "skew-symmetric",
            Symmetry::Hermitian => "hermitian",
        },
        repeated: coo.nnz() - a.nnz(),
        footprint: Footprint::of(a.pattern()),
    })
}

/// Where the entries are; of complex ones, that is all that is asked.
fn entries(file: MatrixFile) -> Result<Coo<f64>> {
    match file.data {
        Data::Complex(Storage::Sparse(coo)) => Ok(coo.map(|_| 1.0)),
        Data::Complex(Storage::Dense(dense)) => {
            let at = |k: usize| (k % dense.rows(), k / dense.rows(), 1.0);
            let stored = dense.values().iter().enumerate();
            let stored = stored.filter(|(_, value)| value.re != 0.0 || value.im != 0.0);
            Coo::from_triplets(dense.rows(), dense.cols(), stored.map(|(k, _)| at(k)))
        }
        Data::Real(_) => file.into_coo(),
    }
}

/// A share of a whole; of nothing, 0.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn object(findings: &Findings) -> Value {
    let footprint = &findings.footprint;
    let by_scalar = |value: &dyn Fn(u64) -> Value| -> Value {
        let object: Map<_, _> = SCALARS
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), value(*bytes)))
            .collect();
        Value::Object(object)
    };
    let bytes = |value_bytes: u64| -> Value {
        let named = |format: &Format| (format.name().to_owned(), json!(footprint.bytes(*format, value_bytes)));
        Value::Object(Format::ALL.iter().map(named).collect())
    };
    let formula = |value_bytes: u64| -> Value {
        let named = |format: &Format| {
            Some((
                format.name().to_owned(),
                json!(footprint.formula(*format, value_bytes)?),
            ))
        };
        Value::Object(Format::ALL.iter().filter_map(named).collect())
    };
    let choice = |value_bytes: u64| -> Value {
        let choice = auto::choose(footprint, value_bytes);
        json!({
            "format": choice.format.name(),
            "bytes": choice.bytes,
            "csr_bytes": choice.csr_bytes,
            "reason": choice.reason,
        })
    };
    json!({
        "matrix": findings.from,
        "header": findings.header,
        "rows": footprint.rows,
        "cols": footprint.cols,
        "nnz": footprint.nnz,
        "repeated": findings.repeated,
        "symmetry": findings.symmetry,
        "row_lengths": {
            "min": footprint.shortest,
            "mean": share(footprint.nnz, footprint.rows),
            "max": footprint.longest,
        },
        "runs": {
            "count": footprint.runs(),
            "mean_length": share(footprint.run_values, footprint.runs()),
            "longest": footprint.longest_run,
            "share": share(footprint.run_values, footprint.nnz),
        },
        "isolated": footprint.isolated,
        "bytes": by_scalar(&bytes),
        "formula": by_scalar(&formula),
        "auto": by_scalar(&choice),
    })
}

fn show(findings: &Findings) {
    let footprint = &findings.footprint;
    let count = |number: u64| print::count(usize::try_from(number).unwrap_or(usize::MAX));
    println!(
        "matrix       {} x {}, {} non-zeros, {}",
        count(footprint.rows),
        count(footprint.cols),
        count(footprint.nnz),
        findings.header
    );
    println!("             from {}", findings.from);
    println!("symmetry     {}", findings.symmetry);
    if findings.repeated > 0 {
        println!("repeated     {} entries, summed", print::count(findings.repeated));
    }
    println!(
        "rows         {} to {} non-zeros, {:.1} on average",
        count(footprint.shortest),
        count(footprint.longest),
        share(footprint.nnz, footprint.rows)
    );
    println!(
        "runs         {} of two and more columns, {:.2} on average, {} at most: {:.1} % of the non-zeros",
        count(footprint.runs()),
        share(footprint.run_values, footprint.runs()),
        count(footprint.longest_run),
        100.0 * share(footprint.run_values, footprint.nnz)
    );
    println!("isolated     {}", count(footprint.isolated));
    println!(
        "bytes        {:>20} {:>8} {:>20} {:>8}",
        "f32", "of csr", "f64", "of csr"
    );
    for format in Format::ALL {
        let columns = SCALARS.map(|(_, value_bytes)| {
            let bytes = footprint.bytes(format, value_bytes);
            let percent = 100.0 * share(bytes, footprint.bytes(Format::Csr, value_bytes));
            format!("{:>20} {percent:>6.1} %", count(bytes))
        });
        println!("  {format:<10} {}", columns.join(" "));
    }
    for (name, value_bytes) in SCALARS {
        let choice = auto::choose(footprint, value_bytes);
        println!("auto, {name}    {}: {}", choice.format, choice.reason);
    }
}
