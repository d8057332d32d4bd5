//! Which format: the one whose bytes are read soonest, never more than CSR, unless one row would be waited for.
//!
//! A product reads every byte of the matrix once and is bound by that, so the fewest bytes are the least time as far as
//! a pattern tells; and the packing of Kawamura et al. (2020), which takes more memory than CSR where runs are short, is
//! chosen only where it does not.
//!
//! All formats but CSR, packed CSR and RBP-CSR are multiplied with one invocation a row, which takes its time however few bytes
//! there are: a product lasts as long as its longest row. Where that is longer than the bytes take, CSR is chosen, whose long rows are
//! split over workgroups, and whose other rows may have several invocations each: for hubs of graphs, borders and dense rows,
//! and for small matrices, whose bytes take less time than a launch. How long both take is what an H200 was measured to
//! take, in round numbers; on a slower GPU, bytes weigh more, and the choice errs on the side of CSR.
//!
//! Packed CSR and RBP-CSR lie row after row, and lanes of a row go through all its runs: on an H100 their bytes come at 0.8 to 0.95
//! of the rate of CSR's, and count a fifth again. Packed CSR is streamed and splits long rows as CSR does, but must expand its runs
//! on the way, for which it takes up to three times CSR's time there: it is not chosen for its way with long rows.

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

/// Bytes that a fast GPU moves in a second, from memory and from caches.
const BANDWIDTH: u64 = 1_000_000_000_000;
/// By how much each entry of the longest row lengthens a product of few bytes: a line through packed SELL's times of 93
/// matrices (BENCHMARKS.md, the paper's table).
const NANOSECONDS_AN_ENTRY: u64 = 120;
/// What may be waited for to save bytes, where these take no time: half of what any product takes.
const PATIENCE_NANOSECONDS: u64 = 1_500;

/// Bytes, as they count in time: a fifth again where lanes go through runs.
fn weight(format: Format, bytes: u64) -> u64 {
    match format {
        Format::PackedCsr | Format::RbpCsr => bytes.saturating_add(bytes / 5),
        _ => bytes,
    }
}

/// Whether the longest row, summed by one invocation, takes longer than moving `bytes` and may be waited for.
fn waits_for_a_row(footprint: &Footprint, bytes: u64) -> bool {
    let row = footprint.longest.saturating_mul(NANOSECONDS_AN_ENTRY);
    row > PATIENCE_NANOSECONDS + bytes / (BANDWIDTH / 1_000_000_000)
}

impl Footprint {
    /// The bytes of a format's arrays with values of `value_bytes` (4 for f32, 8 for f64 and `Df64`, 16 for `Dd`): what
    /// [`SparseMatrix::bytes`](super::SparseMatrix::bytes) will say. For [`Format::Auto`], of the format it chooses.
    #[must_use]
    pub fn bytes(&self, format: Format, value_bytes: u64) -> u64 {
        match format {
            Format::Auto => choose(self, value_bytes).bytes,
            format => self.bytes_of(format, value_bytes),
        }
    }
}

/// Chooses the format with the fewest bytes for values of `value_bytes`, never more than CSR takes; of two that take the
/// same, the simpler. The bytes of RBP-CSR and packed CSR count a fifth again. CSR if a row is so long that its one
/// invocation would be waited for in every other format: 0.12 µs an entry, against 1.5 µs and 1 µs a megabyte.
///
/// ```
/// use nonius::sparse::{Footprint, Format, auto, generate};
///
/// let blocks = Footprint::of(generate::elasticity(24, 24, 24)?.pattern());
/// let choice = auto::choose(&blocks, 4);
/// assert!(matches!(choice.format, Format::PackedCsr | Format::PackedSell), "{}", choice.reason);
/// assert!(choice.bytes < choice.csr_bytes);
/// # Ok::<(), nonius::Error>(())
/// ```
#[must_use]
pub fn choose(footprint: &Footprint, value_bytes: u64) -> Choice {
    let csr_bytes = footprint.bytes_of(Format::Csr, value_bytes);
    // `min_by_key` keeps the first of equals.
    let (format, bytes) = CANDIDATES
        .iter()
        .map(|format| (*format, footprint.bytes_of(*format, value_bytes)))
        .filter(|(format, bytes)| *format == Format::Csr || !waits_for_a_row(footprint, *bytes))
        .min_by_key(|(format, bytes)| weight(*format, *bytes))
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
    if format == Format::Csr && waits_for_a_row(footprint, csr_bytes) {
        return format!(
            "a row of {} entries would be waited for in formats with one invocation a row; CSR shares it out, and takes \
             {csr_bytes} bytes",
            footprint.longest
        );
    }
    if format == Format::Csr {
        return format!(
            "no format is read sooner than CSR's {csr_bytes} bytes: {mean_run:.2} entries a run, isolated ones included, and \
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
