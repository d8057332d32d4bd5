//! Reading: banner, comments, sizes, entries; then symmetry is expanded.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use nalgebra::Complex;

use super::header::{binary_kind, is_banner, text_kind};
use super::lines::{Line, Lines, Words, quote, trimmed, words};
use super::symmetry::Element;
use super::{ColumnMajor, Data, Field, Format, Header, MatrixFile, Storage, Symmetry, number};
use crate::sparse::Coo;
use crate::{Error, Result};

/// Header comments are kept up to this; the data decides the rest of the memory.
const MOST_COMMENT_BYTES: usize = 1 << 20;

/// Entries for which room is made before any has been read.
const MOST_RESERVED: usize = 1 << 16;

/// Reads the file at `path`, plain or compressed by gzip (told by its content, not by its name).
///
/// One pass; the memory is that of the entries, 16 bytes each (24 if complex), after expansion by symmetry.
///
/// # Errors
/// [`Error::File`] with the path and what is wrong: the system's words, or the line and the reason that
/// [`read_from`] gives.
pub fn read(path: impl AsRef<Path>) -> Result<MatrixFile> {
    at(path.as_ref(), read_from)
}

/// What is read of the file at `path`; errors name it.
pub(super) fn at<T>(path: &Path, read: impl FnOnce(BufReader<File>) -> Result<T>) -> Result<T> {
    let failed = |reason| Error::File {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    read(BufReader::new(file)).map_err(|error| failed(error.to_string()))
}

/// Reads a file's content, plain or compressed by gzip. See the [module](super) for what is read and what is refused.
///
/// # Errors
/// [`Error::Parse`] with the line and the reason; also when `reader` fails.
///
/// ```
/// use nonius::sparse::matrix_market;
///
/// let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4.0\n2 1 -1.0\n";
/// let file = matrix_market::read_from(text.as_bytes())?;
/// assert_eq!((file.stored, file.nnz()), (2, 3));
///
/// let text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 -1.0\n";
/// let error = matrix_market::read_from(text.as_bytes()).unwrap_err();
/// assert_eq!(error.to_string(), "line 3: the row is 3, but the matrix has 2");
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn read_from(reader: impl BufRead) -> Result<MatrixFile> {
    let (mut lines, header, comments, size) = open(unpacked(reader)?)?;
    read_data(&mut lines, header, comments, &size)
}

/// The text, which may be compressed.
pub(super) fn unpacked<'r>(reader: impl BufRead + 'r) -> Result<Box<dyn BufRead + 'r>> {
    let (start, reader) = peek(reader)?;
    Ok(if start.starts_with(b"\x1f\x8b") {
        Box::new(BufReader::new(MultiGzDecoder::new(reader)))
    } else {
        Box::new(reader)
    })
}

/// The first bytes, and a reader that still has them.
fn peek<R: BufRead>(mut reader: R) -> Result<(Vec<u8>, impl BufRead + use<R>)> {
    // As much as the header of a tar archive.
    let mut start = Vec::with_capacity(512);
    reader
        .by_ref()
        .take(512)
        .read_to_end(&mut start)
        .map_err(|error| Error::Parse {
            line: 1,
            reason: format!("cannot be read: {error}"),
        })?;
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// All that comes before the entries: the banner, the comments and the sizes.
pub(super) fn open<R: BufRead>(reader: R) -> Result<(Lines<impl BufRead + use<R>>, Header, Vec<String>, Size)> {
    let (start, reader) = peek(reader)?;
    if let Some(kind) = binary_kind(&start) {
        return Err(Error::Parse {
            line: 1,
            reason: format!("not Matrix Market: this is {kind}"),
        });
    }
    let mut lines = Lines::new(reader);
    let header = read_banner(&mut lines)?;
    let (comments, size) = read_size(&mut lines, &header)?;
    Ok((lines, header, comments, size))
}

fn read_data<R: BufRead>(
    lines: &mut Lines<R>,
    header: Header,
    comments: Vec<String>,
    size: &Size,
) -> Result<MatrixFile> {
    let (data, stored) = match header.field {
        Field::Real => real(read_entries(lines, &header, size, |words| number::real(next(words)?))?),
        Field::Integer => real(read_entries(lines, &header, size, |words| {
            number::integer(next(words)?)
        })?),
        Field::Pattern => real(read_entries(lines, &header, size, |_| Ok(1.0))?),
        Field::Complex => {
            let (storage, stored) = read_entries(lines, &header, size, |words| {
                Ok(Complex::new(number::real(next(words)?)?, number::real(next(words)?)?))
            })?;
            (Data::Complex(storage), stored)
        }
    };
    Ok(MatrixFile {
        header,
        comments,
        stored,
        data,
    })
}

fn real((storage, stored): (Storage<f64>, usize)) -> (Data, usize) {
    (Data::Real(storage), stored)
}

/// The next word of an entry.
pub(super) fn next<'a>(words: &mut Words<'a>) -> std::result::Result<&'a [u8], String> {
    words.next().ok_or_else(|| "the line ends too early".to_owned())
}

fn read_banner<R: BufRead>(lines: &mut Lines<R>) -> Result<Header> {
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut line_of_banner = 1;
    // Two lines more than the first: by those a Harwell-Boeing file is recognised.
    while seen.len() < 3 {
        let Some(line) = lines.any()? else { break };
        let text = trimmed(line.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line.bytes));
        if seen.is_empty() && text.is_empty() {
            continue;
        }
        if seen.is_empty() {
            if is_banner(text) {
                if text.contains(&b'\r') {
                    return Err(line.error("lines end in a carriage return without a line feed".to_owned()));
                }
                return Header::parse(text).map_err(|reason| line.error(reason));
            }
            line_of_banner = line.number;
        }
        seen.push(text.to_vec());
    }
    let kind = text_kind(&seen);
    let quoted = seen
        .first()
        .map(|line| format!(", beginning {}", quote(line)))
        .unwrap_or_default();
    Err(Error::Parse {
        line: line_of_banner,
        reason: format!("no banner %%MatrixMarket: this is {kind}{quoted}"),
    })
}

/// The sizes, and the line that they are from.
pub(super) struct Size {
    line: usize,
    rows: u32,
    cols: u32,
    /// The lines of data that must follow.
    stored: u64,
}

fn read_size<R: BufRead>(lines: &mut Lines<R>, header: &Header) -> Result<(Vec<String>, Size)> {
    let mut comments = Vec::new();
    let mut room = MOST_COMMENT_BYTES;
    let line = lines.data(|comment| {
        // The string's own header counts, or a file of empty comments would be kept whole.
        let bytes = comment.len() + size_of::<String>();
        if bytes <= room {
            room -= bytes;
            comments.push(String::from_utf8_lossy(comment).into_owned());
        } else {
            room = 0;
        }
    })?;
    let Some(line) = line else {
        return Err(lines.error("the file ends before the line of sizes".to_owned()));
    };
    let size = parse_size(line, header).map_err(|reason| line.error(reason))?;
    Ok((comments, size))
}

fn parse_size(line: Line<'_>, header: &Header) -> std::result::Result<Size, String> {
    let names: &[&str] = match (header.format, header.vector) {
        (Format::Coordinate, false) => &["number of rows", "number of columns", "number of entries"],
        (Format::Coordinate, true) => &["number of rows", "number of entries"],
        (Format::Array, false) => &["number of rows", "number of columns"],
        (Format::Array, true) => &["number of rows"],
    };
    let found = words(line.bytes).count();
    if found != names.len() {
        let quoted = quote(line.bytes);
        return Err(format!(
            "the sizes are {} ({}), found {found}: {quoted}",
            names.len(),
            names.join(", ")
        ));
    }
    let mut numbers = [0; 3];
    for ((number, word), name) in numbers.iter_mut().zip(words(line.bytes)).zip(names) {
        *number = number::size(word, name)?;
    }
    let (rows, cols, entries) = if header.vector {
        (numbers[0], 1, numbers[1])
    } else {
        numbers.into()
    };
    if header.symmetry != Symmetry::General && rows != cols {
        return Err(format!(
            "a {} matrix is square, but this one is {rows} x {cols}",
            header.symmetry
        ));
    }
    let (m, n) = (u64::from(rows), u64::from(cols));
    let stored = match (header.format, header.symmetry) {
        (Format::Coordinate, _) => u64::from(entries),
        (Format::Array, Symmetry::General) => m * n,
        // Divided before multiplied: n (n + 1) does not overflow for n < 2^32, but it is close.
        (Format::Array, Symmetry::SkewSymmetric) => n * n.saturating_sub(1) / 2,
        (Format::Array, Symmetry::Symmetric | Symmetry::Hermitian) => n * (n + 1) / 2,
    };
    Ok(Size {
        line: line.number,
        rows,
        cols,
        stored,
    })
}

/// The data lines, and how many there were. `value` reads the words behind the position.
pub(super) fn read_entries<R: BufRead, T: Element>(
    lines: &mut Lines<R>,
    header: &Header,
    size: &Size,
    value: impl Fn(&mut Words<'_>) -> std::result::Result<T, String>,
) -> Result<(Storage<T>, usize)> {
    let storage = match header.format {
        Format::Coordinate => Storage::Sparse(read_coordinate(lines, header, size, value)?),
        Format::Array => Storage::Dense(read_array(lines, header, size, value)?),
    };
    if let Some(line) = lines.data(|_| ())? {
        let (claim, extra) = (size.claim(header), size.stored + 1);
        let quoted = quote(line.bytes);
        return Err(line.error(format!("{claim}, but number {extra} follows: {quoted}")));
    }
    let stored = usize::try_from(size.stored).expect("as many entries as memory holds were read");
    Ok((storage, stored))
}

fn read_coordinate<R: BufRead, T: Element>(
    lines: &mut Lines<R>,
    header: &Header,
    size: &Size,
    value: impl Fn(&mut Words<'_>) -> std::result::Result<T, String>,
) -> Result<Coo<T>> {
    let (rows, cols) = (size.rows as usize, size.cols as usize);
    let mut coo = Coo::new(rows, cols)?;
    coo.reserve(size.cautious())?;
    let mut upper = Vec::new();
    let mut lower = false;
    for read in 0..size.stored {
        let Some(line) = lines.data(|_| ())? else {
            return Err(size.too_few(header, read, lines));
        };
        let mut words = words(line.bytes);
        let mut entry = || {
            let row = number::index(next(&mut words)?, "row", rows)?;
            let col = if header.vector {
                0
            } else {
                number::index(next(&mut words)?, "column", cols)?
            };
            let value = value(&mut words)?;
            no_more(&mut words)?;
            Ok((row, col, value))
        };
        let (row, col, value) = entry().map_err(|reason: String| explain(line, header, reason))?;
        coo.push(row, col, value.clone())
            .map_err(|error| line.error(error.to_string()))?;
        if header.symmetry == Symmetry::General {
            continue;
        }
        if row == col {
            header
                .symmetry
                .check_diagonal(&value)
                .map_err(|reason| line.error(reason))?;
            continue;
        }
        coo.push(col, row, header.symmetry.mirrored(value))
            .map_err(|error| line.error(error.to_string()))?;
        if row < col {
            upper.push((col, row));
        } else {
            lower = true;
        }
    }
    if lower && !upper.is_empty() {
        refuse_both_triangles(&coo, upper, header, size)?;
    }
    Ok(coo)
}

/// An entry (i, j) beside an entry (j, i) may mean their sum, or a file written whole under a symmetric banner.
fn refuse_both_triangles<T: Element>(
    coo: &Coo<T>,
    upper: Vec<(usize, usize)>,
    header: &Header,
    size: &Size,
) -> Result<()> {
    let upper: HashSet<(usize, usize)> = upper.into_iter().collect();
    let mut k = 0;
    while k < coo.nnz() {
        let (row, col) = (coo.row_indices()[k] as usize, coo.col_indices()[k] as usize);
        if upper.contains(&(row, col)) && row > col {
            let reason = format!(
                "the {} matrix stores both ({}, {}) and ({}, {}), counted from 1: one triangle would do, and two are ambiguous",
                header.symmetry,
                row + 1,
                col + 1,
                col + 1,
                row + 1
            );
            return Err(Error::Parse {
                line: size.line,
                reason,
            });
        }
        // Behind a stored entry off the diagonal comes its mirror image.
        k += if row == col { 1 } else { 2 };
    }
    Ok(())
}

fn read_array<R: BufRead, T: Element>(
    lines: &mut Lines<R>,
    header: &Header,
    size: &Size,
    value: impl Fn(&mut Words<'_>) -> std::result::Result<T, String>,
) -> Result<ColumnMajor<T>> {
    let (rows, cols) = (size.rows as usize, size.cols as usize);
    let mut stored: Vec<T> = Vec::with_capacity(size.cautious());
    // The position of the next value, by which a diagonal is recognised.
    let (mut row, mut col) = (header.symmetry.first_row(0), 0);
    for read in 0..size.stored {
        let Some(line) = lines.data(|_| ())? else {
            return Err(size.too_few(header, read, lines));
        };
        let mut words = words(line.bytes);
        let value = value(&mut words)
            .and_then(|value| no_more(&mut words).map(|()| value))
            .map_err(|reason| explain(line, header, reason))?;
        if row == col {
            header
                .symmetry
                .check_diagonal(&value)
                .map_err(|reason| line.error(reason))?;
        }
        stored.push(value);
        row += 1;
        if row == rows {
            col += 1;
            row = header.symmetry.first_row(col);
        }
    }
    if header.symmetry == Symmetry::General {
        return ColumnMajor::new(rows, cols, stored);
    }
    // All of the triangle was read, so that the square is at most twice as large.
    let mut values = vec![T::zero(); rows * cols];
    let mut stored = stored.into_iter();
    for col in 0..cols {
        for (row, value) in (header.symmetry.first_row(col)..rows).zip(stored.by_ref()) {
            values[col * rows + row] = value.clone();
            if row != col {
                values[row * rows + col] = header.symmetry.mirrored(value);
            }
        }
    }
    ColumnMajor::new(rows, cols, values)
}

fn no_more(words: &mut Words<'_>) -> std::result::Result<(), String> {
    words.next().map_or(Ok(()), |word| {
        Err(format!("the line goes on after its entry with {}", quote(word)))
    })
}

/// An error about an entry. Where the line has too many words or too few, that says more than the first word at fault.
fn explain(line: Line<'_>, header: &Header, reason: String) -> Error {
    let position: &[&str] = match (header.format, header.vector) {
        (Format::Array, _) => &[],
        (Format::Coordinate, true) => &["row"],
        (Format::Coordinate, false) => &["row", "column"],
    };
    let value: &[&str] = match header.field {
        Field::Pattern => &[],
        Field::Real | Field::Integer => &["value"],
        Field::Complex => &["real part", "imaginary part"],
    };
    let expected = [position, value].concat();
    if words(line.bytes).count() == expected.len() {
        line.error(reason)
    } else {
        line.error(format!("expected {}, found {}", expected.join(", "), quote(line.bytes)))
    }
}

impl Size {
    /// Room for so many entries at first: what the file claims, but no more than a small file could need.
    fn cautious(&self) -> usize {
        usize::try_from(self.stored).map_or(MOST_RESERVED, |stored| stored.min(MOST_RESERVED))
    }

    /// What the file says about its own length.
    fn claim(&self, header: &Header) -> String {
        let Self {
            line,
            rows,
            cols,
            stored,
        } = self;
        match header.format {
            Format::Coordinate => format!("line {line} declares {stored} entries"),
            Format::Array => {
                format!(
                    "line {line} declares a {} array of {rows} x {cols}, that is {stored} values",
                    header.symmetry
                )
            }
        }
    }

    fn too_few<R: BufRead>(&self, header: &Header, read: u64, lines: &Lines<R>) -> Error {
        lines.error(format!("{}, but the file ends after {read}", self.claim(header)))
    }
}
