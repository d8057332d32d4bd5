//! Writing: `coordinate real general` and `array real general`, with the fewest digits that give the same f64 back.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::lines::LONGEST_LINE;
use super::{ColumnMajor, Storage};
use crate::sparse::Coo;
use crate::{Error, Result};

/// What to write; made from a reference to a [`Coo`], a [`ColumnMajor`] or a [`Storage`].
#[derive(Debug, Clone, Copy)]
pub enum Contents<'a> {
    /// Written as a coordinate file: the entries in their order, zeros and repeated ones included.
    Coordinate(&'a Coo<f64>),
    /// Written as an array file.
    Array(&'a ColumnMajor<f64>),
}

impl<'a> From<&'a Coo<f64>> for Contents<'a> {
    fn from(coo: &'a Coo<f64>) -> Self {
        Self::Coordinate(coo)
    }
}

impl<'a> From<&'a ColumnMajor<f64>> for Contents<'a> {
    fn from(dense: &'a ColumnMajor<f64>) -> Self {
        Self::Array(dense)
    }
}

impl<'a> From<&'a Storage<f64>> for Contents<'a> {
    fn from(storage: &'a Storage<f64>) -> Self {
        match storage {
            Storage::Sparse(coo) => Self::Coordinate(coo),
            Storage::Dense(dense) => Self::Array(dense),
        }
    }
}

/// Writes a matrix or a vector to the file at `path`, compressed by gzip if the name ends in `.gz`. A file that is there
/// is replaced.
///
/// Every f64 is written with the fewest digits that [`read`](super::read()) turns back into the same bits (for a NaN:
/// into a NaN). Each comment becomes one line behind a `%`; line feeds in it begin a new one.
///
/// # Errors
/// [`Error::File`] if the file cannot be written, or if a comment is longer than 65,535 bytes, which no reader of this
/// library would take.
///
/// ```no_run
/// use nonius::sparse::{Coo, matrix_market};
///
/// let identity = Coo::from_triplets(3, 3, (0..3).map(|i| (i, i, 1.0)))?;
/// matrix_market::write("identity.mtx.gz", &identity, &[" The identity"])?;
/// let x = matrix_market::ColumnMajor::vector(vec![1.0, 2.0, 3.0]);
/// matrix_market::write("x.mtx", &x, &[])?;
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn write<'a>(path: impl AsRef<Path>, contents: impl Into<Contents<'a>>, comments: &[&str]) -> Result<()> {
    let path = path.as_ref();
    let compressed = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let contents = contents.into();
    let to_file = || {
        let file = BufWriter::new(File::create(path)?);
        if compressed {
            let mut encoder = BufWriter::new(GzEncoder::new(file, Compression::default()));
            write_to(&mut encoder, contents, comments)?;
            encoder.into_inner()?.finish()?.flush()
        } else {
            write_to(file, contents, comments)
        }
    };
    to_file().map_err(|error: io::Error| Error::File {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// Writes a matrix or a vector as [`write()`] does, uncompressed, and flushes. `writer` is best buffered.
///
/// # Errors
/// What `writer` says, or [`io::ErrorKind::InvalidInput`] if a comment is longer than 65,535 bytes.
///
/// ```
/// use nonius::sparse::{Coo, matrix_market};
///
/// let a = Coo::from_triplets(2, 2, [(0, 0, 0.1), (1, 0, -2.0)])?;
/// let mut text = Vec::new();
/// matrix_market::write_to(&mut text, &a, &[" half a matrix"]).expect("memory takes it");
/// let expected = "%%MatrixMarket matrix coordinate real general\n% half a matrix\n2 2 2\n1 1 0.1\n2 1 -2.0\n";
/// assert_eq!(text, expected.as_bytes());
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn write_to<'a>(mut writer: impl Write, contents: impl Into<Contents<'a>>, comments: &[&str]) -> io::Result<()> {
    match contents.into() {
        Contents::Coordinate(coo) => {
            writeln!(writer, "%%MatrixMarket matrix coordinate real general")?;
            write_comments(&mut writer, comments)?;
            writeln!(writer, "{} {} {}", coo.rows(), coo.cols(), coo.nnz())?;
            for (row, col, value) in coo.iter() {
                // `{:?}` is the shortest text that reads back the same, with an exponent where that is shorter.
                writeln!(writer, "{} {} {value:?}", row + 1, col + 1)?;
            }
        }
        Contents::Array(dense) => {
            writeln!(writer, "%%MatrixMarket matrix array real general")?;
            write_comments(&mut writer, comments)?;
            writeln!(writer, "{} {}", dense.rows(), dense.cols())?;
            for value in dense.values() {
                writeln!(writer, "{value:?}")?;
            }
        }
    }
    writer.flush()
}

fn write_comments(writer: &mut impl Write, comments: &[&str]) -> io::Result<()> {
    for line in comments.iter().flat_map(|comment| comment.split('\n')) {
        if line.len() >= LONGEST_LINE {
            let reason = format!(
                "a comment of {} bytes is too long, at most {} are",
                line.len(),
                LONGEST_LINE - 1
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        writeln!(writer, "%{line}")?;
    }
    Ok(())
}
