//! Which format: the one that takes the fewest bytes, never more than CSR.
//!
//! A product reads every byte of the matrix once and is bound by that, so the fewest bytes are the least time as far as
//! a pattern tells; and the packing of Kawamura et al. (2020), which takes more memory than CSR where runs are short, is
//! chosen only where it does not.

use super::footprint::Footprint;
use super::format::Format;

/// A format, and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The format.
    pub format: Format,
    /// Its bytes.
    pub bytes: u64,
    /// The bytes of CSR: never fewer.
    pub csr_bytes: u64,
    /// A sentence that says why.
    pub reason: String,
}

/// What is chosen among, in the order of preference at equal bytes: the simplest first. CSC is left out, because its rows
/// are scattered.
const CANDIDATES: [Format; 9] = [
    Format::Csr,
    Format::Ell,
    Format::Sell,
    Format::EllR,
    Format::PackedCsr,
    Format::PackedSell,
    Format::RbpCsr,
    Format::RbpEll,
    Format::RbpEllR,
];

/// Chooses the format with the fewest bytes for values of `value_bytes`, never more than CSR takes; of two that take the
/// same, the simpler.
///
/// ```
/// use nonius::sparse::{Footprint, Format, auto, generate};
///
/// let blocks = Footprint::of(generate::elasticity(8, 8, 8)?.pattern());
/// let choice = auto::choose(&blocks, 4);
/// assert!(matches!(choice.format, Format::PackedCsr | Format::PackedSell), "{}", choice.reason);
/// assert!(choice.bytes < choice.csr_bytes);
/// # Ok::<(), nonius::Error>(())
/// ```
#[must_use]
pub fn choose(footprint: &Footprint, value_bytes: u64) -> Choice {
    let csr_bytes = footprint.bytes(Format::Csr, value_bytes);
    // `min_by_key` keeps the first of equals.
    let (format, bytes) = CANDIDATES
        .iter()
        .map(|format| (*format, footprint.bytes(*format, value_bytes)))
        .min_by_key(|(_, bytes)| *bytes)
        .unwrap_or((Format::Csr, csr_bytes));
    Choice {
        format,
        bytes,
        csr_bytes,
        reason: reason(footprint, format, bytes, csr_bytes),
    }
}

fn reason(footprint: &Footprint, format: Format, bytes: u64, csr_bytes: u64) -> String {
    let runs = footprint.runs() + footprint.isolated;
    let mean_run = footprint.nnz as f64 / runs.max(1) as f64;
    if format == Format::Csr {
        return format!(
            "no format takes fewer bytes than CSR's {csr_bytes}: {mean_run:.2} entries a run, isolated ones included, and \
             rows of {} to {}",
            footprint.shortest, footprint.longest
        );
    }
    let why = match format {
        Format::PackedCsr | Format::PackedSell | Format::RbpCsr | Format::RbpEll | Format::RbpEllR => {
            format!("{mean_run:.2} entries share a run's columns, isolated ones included")
        }
        _ => format!(
            "rows of {} to {} entries need little padding, and no pointer each",
            footprint.shortest, footprint.longest
        ),
    };
    let saved = 100.0 * (1.0 - bytes as f64 / csr_bytes.max(1) as f64);
    format!("{bytes} bytes, {saved:.1} % fewer than CSR's {csr_bytes}: {why}")
}
