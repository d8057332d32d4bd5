//! Reading what is written: entries as fractions, not as the nearest doubles.

use std::io::BufRead;
use std::path::Path;

use num_traits::{One as _, Zero as _};

use super::lines::Words;
use super::read::{at, next, open, read_entries, unpacked};
use super::{Field, Storage, number};
use crate::error::Result;
use crate::rational::Rational;

/// Reads the entries of the file at `path` exactly: see [`read_exact_from`].
///
/// # Errors
/// [`Error::File`](crate::Error::File) with the path and what is wrong.
pub fn read_exact(path: impl AsRef<Path>) -> Result<Storage<Rational>> {
    at(path.as_ref(), read_exact_from)
}

/// Reads a file's entries as the fractions that they are, plain or compressed by gzip, symmetry expanded: 0.1 is 1/10, and
/// whole numbers have as many digits as they have. Otherwise as [`read_from`](super::read_from()).
///
/// Cost: a fraction of big integers for each entry, about 100 bytes.
///
/// # Errors
/// [`Error::Parse`](crate::Error::Parse) with the line and the reason: as [`read_from`](super::read_from()), for `inf` and
/// `nan`, for exponents beyond ±4932, and for imaginary parts that are not zero.
///
/// ```
/// use nonius::residue::linear::Rational;
/// use nonius::sparse::matrix_market::{Storage, read_exact_from};
///
/// let text = "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 0.1\n1 2 36893488147419103233\n";
/// let Storage::Sparse(a) = read_exact_from(text.as_bytes())? else { panic!("it is a coordinate file") };
/// assert_eq!(a.values()[0], Rational::new(1.into(), 10.into()));
/// assert_eq!(a.values()[1].to_string(), "36893488147419103233");
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn read_exact_from(reader: impl BufRead) -> Result<Storage<Rational>> {
    let (mut lines, header, _, size) = open(unpacked(reader)?)?;
    let value = |words: &mut Words<'_>| match header.field {
        Field::Real => number::exact_real(next(words)?),
        Field::Integer => number::exact_integer(next(words)?),
        Field::Pattern => Ok(Rational::one()),
        Field::Complex => {
            let (real, imaginary) = (number::exact_real(next(words)?)?, number::exact_real(next(words)?)?);
            if imaginary.is_zero() {
                Ok(real)
            } else {
                Err(format!(
                    "the imaginary part {imaginary} is not zero, and there is no complex scalar here"
                ))
            }
        }
    };
    read_entries(&mut lines, &header, &size, value).map(|(storage, _)| storage)
}
