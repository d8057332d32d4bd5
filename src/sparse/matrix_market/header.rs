//! The banner: what a file says about itself, and what it looks like when it has no banner.

use std::fmt;

use super::lines::{is_blank, quote, words};

/// The banner of a file: `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Whether entries carry their position.
    pub format: Format,
    /// What values are.
    pub field: Field,
    /// What the file leaves out.
    pub symmetry: Symmetry,
    /// Whether the object is `vector` rather than `matrix`: one column, and its index is left out.
    pub vector: bool,
}

/// Whether entries carry their position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Row, column, value.
    Coordinate,
    /// All values, column by column.
    Array,
}

/// What values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Decimal numbers (also spelt `double`).
    Real,
    /// Whole numbers (also spelt `unsigned-integer`).
    Integer,
    /// Pairs: real and imaginary part.
    Complex,
    /// None: every entry is 1.
    Pattern,
}

/// What the file leaves out, because symmetry tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// Nothing.
    General,
    /// a(j, i) = a(i, j).
    Symmetric,
    /// a(j, i) = −a(i, j), with a zero diagonal.
    SkewSymmetric,
    /// a(j, i) is the conjugate of a(i, j), with a real diagonal.
    Hermitian,
}

impl Header {
    /// Reads the banner, or says why the line is none.
    pub(super) fn parse(line: &[u8]) -> Result<Self, String> {
        let percents = line.iter().take_while(|&&byte| byte == b'%').count();
        let mut words = words(&line[percents..]).map(|word| word.to_ascii_lowercase());
        // The name itself, whose percent signs would begin a comment.
        words.next();
        let mut word = |place: &str, known: &str| {
            words
                .next()
                .ok_or_else(|| format!("the banner ends before its {place} ({known}): {}", quote(line)))
        };
        let unknown = |place: &str, found: &[u8], known: &str| {
            Err(format!(
                "the banner's {place} is {}, expected {known}: {}",
                quote(found),
                quote(line)
            ))
        };
        let known = "matrix or vector";
        let vector = match word("object", known)?.as_slice() {
            b"matrix" => false,
            b"vector" => true,
            other => return unknown("object", other, known),
        };
        let known = "coordinate or array";
        let format = match word("format", known)?.as_slice() {
            b"coordinate" => Format::Coordinate,
            b"array" => Format::Array,
            other => return unknown("format", other, known),
        };
        let known = "real, integer, complex or pattern";
        let field = match word("field", known)?.as_slice() {
            b"real" | b"double" => Field::Real,
            b"integer" | b"unsigned-integer" => Field::Integer,
            b"complex" => Field::Complex,
            b"pattern" => Field::Pattern,
            other => return unknown("field", other, known),
        };
        let known = "general, symmetric, skew-symmetric or hermitian";
        let symmetry = match word("symmetry", known)?.as_slice() {
            b"general" => Symmetry::General,
            b"symmetric" => Symmetry::Symmetric,
            b"skew-symmetric" => Symmetry::SkewSymmetric,
            b"hermitian" => Symmetry::Hermitian,
            other => return unknown("symmetry", other, known),
        };
        if let Some(extra) = words.next() {
            return Err(format!(
                "the banner has a word too many, {}: {}",
                quote(&extra),
                quote(line)
            ));
        }
        Self {
            format,
            field,
            symmetry,
            vector,
        }
        .checked()
    }

    /// Refuses the combinations that mean nothing.
    fn checked(self) -> Result<Self, String> {
        let Self {
            format,
            field,
            symmetry,
            vector,
        } = self;
        if format == Format::Array && field == Field::Pattern {
            Err("an array file cannot be a pattern: it stores every position".to_owned())
        } else if field == Field::Pattern && matches!(symmetry, Symmetry::SkewSymmetric | Symmetry::Hermitian) {
            Err(format!(
                "a pattern cannot be {symmetry}: it has no values to negate or conjugate"
            ))
        } else if vector && symmetry != Symmetry::General {
            Err(format!("a vector cannot be {symmetry}"))
        } else {
            Ok(self)
        }
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = if self.vector { "vector" } else { "matrix" };
        write!(f, "{object} {} {} {}", self.format, self.field, self.symmetry)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Coordinate => "coordinate",
            Self::Array => "array",
        })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Complex => "complex",
            Self::Pattern => "pattern",
        })
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::General => "general",
            Self::Symmetric => "symmetric",
            Self::SkewSymmetric => "skew-symmetric",
            Self::Hermitian => "hermitian",
        })
    }
}

/// Whether a line, stripped of blanks in front, begins like a banner. One percent sign is what networkrepository.com
/// writes.
pub(super) fn is_banner(line: &[u8]) -> bool {
    const NAME: &[u8] = b"MatrixMarket";
    let name = line
        .strip_prefix(b"%%")
        .or_else(|| line.strip_prefix(b"%"))
        .unwrap_or_default();
    name.get(..NAME.len())
        .is_some_and(|name| name.eq_ignore_ascii_case(NAME))
        && name.get(NAME.len()).is_none_or(|byte| is_blank(*byte))
}

/// What the first bytes are, if they are not text at all.
pub(super) fn binary_kind(start: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 9] = [
        (b"\x1f\x8b", "gzip within gzip"),
        (b"PK\x03\x04", "a zip archive: unpack it first"),
        (b"BZh", "compressed by bzip2: unpack it first"),
        (b"\xfd7zXZ", "compressed by xz: unpack it first"),
        (b"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first"),
        (b"\x89HDF", "an HDF5 or MATLAB 7.3 file"),
        (b"MATLAB 5.0", "a MATLAB file"),
        (b"\xff\xfe", "text in UTF-16: write it as UTF-8 or ASCII"),
        (b"\xfe\xff", "text in UTF-16: write it as UTF-8 or ASCII"),
    ];
    if start.get(257..262) == Some(b"ustar") {
        return Some("a tar archive, as SuiteSparse packs them: unpack it first");
    }
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(kind);
    }
    start.contains(&0).then_some("a binary file")
}

/// What text without a banner looks like, judged by its first three lines.
pub(super) fn text_kind(lines: &[Vec<u8>]) -> &'static str {
    let Some(first) = lines.first() else {
        return "empty";
    };
    let lower = first.trim_ascii_start().to_ascii_lowercase();
    if lines
        .get(2)
        .and_then(|line| words(line).next())
        .is_some_and(is_harwell_boeing_type)
    {
        "a Harwell-Boeing file: convert it to Matrix Market"
    } else if lower.starts_with(b"version https://git-lfs") {
        "a Git LFS pointer instead of the file it stands for"
    } else if lower.starts_with(b"<!doctype") || lower.starts_with(b"<html") || lower.starts_with(b"<?xml") {
        "a web page instead of a matrix"
    } else if is_numbers(first) {
        "a list of numbers without a banner (an edge list, triplets or an array?)"
    } else {
        "some other text"
    }
}

/// The third line of a Harwell-Boeing file begins with three letters: values, symmetry, assembled or elemental.
fn is_harwell_boeing_type(word: &[u8]) -> bool {
    let [values, symmetry, assembly] = word.to_ascii_uppercase()[..] else {
        return false;
    };
    b"RCPIQ".contains(&values) && b"SUHZR".contains(&symmetry) && b"AE".contains(&assembly)
}

fn is_numbers(line: &[u8]) -> bool {
    let mut words = words(line).peekable();
    words.peek().is_some() && words.all(|word| super::number::real(word).is_ok())
}
