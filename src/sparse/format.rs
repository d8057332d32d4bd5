//! The names of the formats.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// How a sparse matrix lies in memory. Bytes per format: [`Footprint`](super::Footprint).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// The one that is read soonest, never with more bytes than CSR: [`auto`](super::auto).
    Auto,
    /// Compressed sparse rows: [`Csr`](super::Csr).
    Csr,
    /// Compressed sparse columns: [`Csc`](super::Csc).
    Csc,
    /// ELLPACK, rows padded to the longest: [`Ell`](super::Ell).
    Ell,
    /// ELLPACK-R, with the rows' lengths: [`EllR`](super::EllR).
    EllR,
    /// CSR with runs of columns packed: [`RbpCsr`](super::RbpCsr).
    RbpCsr,
    /// ELL with runs of columns packed: [`RbpEll`](super::RbpEll).
    RbpEll,
    /// ELL-R with runs of columns packed: [`RbpEllR`](super::RbpEllR).
    RbpEllR,
    /// One 32-bit descriptor a run, row after row: [`PackedCsr`](super::PackedCsr).
    PackedCsr,
    /// One 32-bit descriptor a run, in slices of rows: [`PackedSell`](super::PackedSell).
    PackedSell,
    /// SELL-C-σ, slices of rows padded to their longest: [`Sell`](super::Sell).
    Sell,
}

impl Format {
    /// Every format there is to store in; [`Auto`](Self::Auto) is a choice among them.
    pub const ALL: [Self; 10] = [
        Self::Csr,
        Self::Csc,
        Self::Ell,
        Self::EllR,
        Self::RbpCsr,
        Self::RbpEll,
        Self::RbpEllR,
        Self::PackedCsr,
        Self::PackedSell,
        Self::Sell,
    ];

    /// The name in tables, messages and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Csr => "csr",
            Self::Csc => "csc",
            Self::Ell => "ell",
            Self::EllR => "ell-r",
            Self::RbpCsr => "rbp-csr",
            Self::RbpEll => "rbp-ell",
            Self::RbpEllR => "rbp-ell-r",
            Self::PackedCsr => "packed-csr",
            Self::PackedSell => "packed-sell",
            Self::Sell => "sell",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        std::iter::once(Self::Auto)
            .chain(Self::ALL)
            .find(|format| format.name() == text)
            .ok_or_else(|| {
                let names: Vec<_> = Self::ALL.iter().map(|format| format.name()).collect();
                Error::Name {
                    reason: format!("no format {text}; there are: auto, {}", names.join(", ")),
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_refused() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("auto".parse(), Ok(Format::Auto));
        let error = "coo".parse::<Format>().expect_err("not a format to compute in");
        let error = error.to_string();
        assert!(
            error.starts_with("no format coo") && error.contains("packed-sell"),
            "{error}"
        );
    }
}
