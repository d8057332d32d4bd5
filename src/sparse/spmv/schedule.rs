//! How the rows of CSR are shared out among invocations.
//!
//! Greathouse and Daga, *Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format*, SC 2014
//! (blocks of rows through workgroup memory); Bell and Garland, SC 2009 (lanes of a row).

use super::super::indices::narrow;
use crate::device::{AdapterKind, Device};
use crate::error::{Error, Result};
use crate::scalar::{Scalar, ScalarKind};

/// How rows are shared out among invocations, by products with one vector; of [`spmm`](crate::sparse::spmm), whether long
/// rows are split. [`Format::Csr`](crate::sparse::Format::Csr), [`Format::Csc`](crate::sparse::Format::Csc) and
/// [`Format::PackedCsr`](crate::sparse::Format::PackedCsr) have all of these, [`Format::RbpCsr`](crate::sparse::Format::RbpCsr) all
/// but blocks; other formats, whose arrays are laid out for it, one invocation a row, which is what [`Auto`](Self::Auto) means for
/// them; on a driver that computes on the CPU, some have four rows an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Schedule {
    /// By the lengths of rows: streamed where some are much longer than the average; else lanes where rows are long, and
    /// one invocation a row where they are short, or as even rows were tuned. On a driver that computes on the CPU one
    /// invocation a row, and uneven rows by their lengths: barriers and lanes of a row cost there, and gain nothing. Where a
    /// row has more than 32,767 entries, for which such a driver might leave its loop, rows that would be split if streamed
    /// are, and the others have one still.
    #[default]
    Auto,
    /// One invocation a row: rows are summed in the host's order.
    PerRow,
    /// So many neighbouring invocations a row: a power of two from 2 to 256.
    Lanes(u32),
    /// Blocks of rows through workgroup memory; rows longer than a block are split over workgroups, and their parts added
    /// in a second pass, in a fixed order.
    Streamed,
}

/// What a matrix is laid out for.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub(in crate::sparse) scalar: ScalarKind,
    pub(in crate::sparse) kind: AdapterKind,
}

/// The entries of a long row that one workgroup sums.
const CHUNK: usize = 1 << 12;
/// From so many entries a row on average, a row keeps the lanes of its own busy: measured on an H100 with rows of 9, 11, 12, 14 and
/// 16 (BENCHMARKS.md).
pub(in crate::sparse) const LANES_FROM: usize = 9;
/// Entries of a lane, about: measured on an H200 with rows of 27 and of 81 (BENCHMARKS.md).
const LANE_ENTRIES: u32 = 8;
/// A row of so many times the average keeps its neighbours waiting.
const UNEVEN: usize = 8;
/// Entries of a row that one invocation sums on a driver that computes on the CPU: half the turns that its loops may have.
const LONGEST_ON_CPU: u32 = 32_767;
const _: () = assert!(LONGEST_ON_CPU as usize == AdapterKind::Software.most_turns() / 2);
/// Rows that such a driver sums side by side, an invocation each: those of 8 lanes.
pub(in crate::sparse) const ROWS_ON_CPU: usize = 8;
/// Rows of a block at most: one invocation each.
pub(in crate::sparse) const BLOCK_ROWS: u32 = 128;

impl Target {
    pub(in crate::sparse) fn of<T: Scalar>(device: &Device) -> Self {
        Self {
            scalar: T::KIND,
            kind: device.adapter().kind,
        }
    }
}

impl Schedule {
    /// What is done for rows that end at `row_ptr`.
    pub(in crate::sparse) fn choose(self, row_ptr: &[u32], kind: AdapterKind) -> Result<Self> {
        match self {
            Self::Auto => {
                let rows = row_ptr.len() - 1;
                let nnz = row_ptr[rows] as usize;
                let longest = row_ptr.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
                let average = nnz / rows.max(1);
                // The longest row is waited for.
                Ok(match average {
                    // A load is a loop over the lanes there, which nobody shares; and rows of one length come to lie side by side.
                    _ if kind == AdapterKind::Software && longest <= LONGEST_ON_CPU => Self::PerRow,
                    _ if kind == AdapterKind::Software => Self::Streamed,
                    _ if longest as usize > UNEVEN * average => Self::Streamed,
                    ..LANES_FROM => Self::PerRow,
                    _ => Self::Lanes(lanes(average)),
                })
            }
            Self::Lanes(lanes) if !(lanes.is_power_of_two() && (2..=256).contains(&lanes)) => Err(Error::Shape {
                operation: "Schedule::Lanes",
                expected: "a power of two from 2 to 256".to_owned(),
                found: format!("{lanes}"),
            }),
            other => Ok(other),
        }
    }

    /// For formats that have one invocation a row only.
    pub(in crate::sparse) fn per_row(self, format: &'static str) -> Result<()> {
        match self {
            Self::Auto | Self::PerRow => Ok(()),
            other => Err(other.not_of(format, "one invocation a row")),
        }
    }

    /// For formats that have no blocks of rows.
    pub(in crate::sparse) fn not_streamed(self, format: &'static str) -> Result<()> {
        match self {
            Self::Streamed => Err(self.not_of(format, "one invocation or lanes a row")),
            _ => Ok(()),
        }
    }

    fn not_of(self, format: &'static str, those: &'static str) -> Error {
        Error::Shape {
            operation: "DeviceMatrix::with_schedule",
            expected: format!("{those} for {format}"),
            found: format!("{self:?}"),
        }
    }
}

/// The power of two nearest to `average` / [`LANE_ENTRIES`], by their ratio.
pub(in crate::sparse) fn lanes(average: usize) -> u32 {
    let entries = LANE_ENTRIES as usize;
    // Longer rows have 256 lanes as well, and squares that 32 bits do not hold.
    let average = average.min(512 * entries);
    let below = (average / entries).max(1).ilog2();
    // The middle of 2^k and 2^(k + 1) is 2^k √2.
    let above = average * average > 2 * (entries << below).pow(2);
    (1 << (below + u32::from(above))).clamp(2, 256)
}

/// The entries of a lane that are loaded at once: all of them; of pairs fewer, since these take so long to add that loads are
/// hidden better by more rows, for which fewer registers leave room (BENCHMARKS.md, "Pairs").
pub(in crate::sparse) fn lane_loads(scalar: ScalarKind) -> u32 {
    if scalar.is_pair() { 2 } else { LANE_ENTRIES }
}

/// The lanes of rows of so many entries in runs, if these have any: half of [`lanes`], since each goes through all runs; of scalars in
/// 64-bit numbers four where rows are not short. Measured on an H100 (BENCHMARKS.md), as what is below.
pub(in crate::sparse) fn lanes_of_runs(average: usize, scalar: ScalarKind) -> Option<u32> {
    let (from, fewest) = match scalar {
        ScalarKind::F32 => (16, 2),
        ScalarKind::Df64 => (12, 2),
        ScalarKind::F64 | ScalarKind::Dd => (12, if average < 16 { 2 } else { 4 }),
    };
    (average >= from).then(|| (lanes(average) / 2).max(fewest))
}

/// The pieces of runs that a lane has on their way at once.
pub(in crate::sparse) fn pieces_at_once(average: usize, scalar: ScalarKind) -> u32 {
    if scalar == ScalarKind::Dd && average < 48 { 2 } else { 4 }
}

/// The entries of a block: four an invocation, in at most half the workgroup memory that every device has.
pub(in crate::sparse) fn tile(scalar: ScalarKind) -> usize {
    (8192 / scalar.size()).min(4 * BLOCK_ROWS as usize)
}

/// Neighbouring rows in blocks of `tile` entries at most; a longer row is a block for itself.
#[derive(Debug, Default, PartialEq)]
pub(in crate::sparse) struct Blocks {
    /// The first row of each, and the end of the last.
    pub(in crate::sparse) first: Vec<u32>,
    /// Where each chunk of a long row begins and ends.
    pub(in crate::sparse) chunks: Vec<u32>,
    /// Of each long row: which it is, its first chunk, and the chunk past its last; a fourth number fills up.
    pub(in crate::sparse) long: Vec<u32>,
}

impl Blocks {
    pub(in crate::sparse) fn of(row_ptr: &[u32], tile: usize) -> Self {
        let rows = row_ptr.len() - 1;
        let mut blocks = Self::default();
        let mut row = 0;
        while row < rows {
            blocks.first.push(narrow(row));
            let begin = row_ptr[row] as usize;
            let fits = |past: &usize| row_ptr[*past] as usize - begin <= tile;
            let most = (row + BLOCK_ROWS as usize).min(rows);
            let past = (row + 1..=most).take_while(fits).last();
            if past.is_none() {
                blocks.split(row, begin..row_ptr[row + 1] as usize);
            }
            row = past.unwrap_or(row + 1);
        }
        blocks.first.push(narrow(rows));
        blocks
    }

    /// A long row in chunks.
    fn split(&mut self, row: usize, entries: std::ops::Range<usize>) {
        let first = self.chunks.len() / 2;
        for begin in entries.clone().step_by(CHUNK) {
            self.chunks
                .extend([narrow(begin), narrow((begin + CHUNK).min(entries.end))]);
        }
        let past = self.chunks.len() / 2;
        self.long.extend([narrow(row), narrow(first), narrow(past), 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_ptr(lengths: &[u32]) -> Vec<u32> {
        let ends = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    #[test]
    fn blocks_hold_every_row_once_and_no_more_entries_than_a_tile() {
        let chunk = narrow(CHUNK);
        let mut cases: Vec<Vec<u32>> = vec![vec![], vec![0; 1000], vec![512; 3], vec![511, 1, 1, 513, 0, 513, 512]];
        cases.push(vec![3, 2 * chunk + 1, 5, 512, chunk, 0]);
        cases.push((0..2000).map(|row| row * row % 97).collect());
        for lengths in cases {
            let row_ptr = row_ptr(&lengths);
            let blocks = Blocks::of(&row_ptr, 512);
            assert_eq!(blocks.first.last(), Some(&narrow(lengths.len())));
            let mut long = blocks.long.chunks_exact(4);
            let mut next = 0;
            for ends in blocks.first.windows(2) {
                assert!(
                    ends[0] == next && ends[1] > ends[0] && ends[1] - ends[0] <= BLOCK_ROWS,
                    "{ends:?}"
                );
                next = ends[1];
                let [begin, end] = [ends[0], ends[1]].map(|row| row_ptr[row as usize]);
                if end - begin > 512 {
                    assert_eq!(ends[1] - ends[0], 1);
                    let row = long.next().expect("it is long");
                    assert_eq!(row[0], ends[0]);
                    let chunks = &blocks.chunks[2 * row[1] as usize..2 * row[2] as usize];
                    let mut at = begin;
                    for chunk in chunks.chunks_exact(2) {
                        assert!(chunk[0] == at && chunk[1] > at && chunk[1] - at <= narrow(CHUNK));
                        at = chunk[1];
                    }
                    assert_eq!(at, end);
                }
            }
            assert!(next == narrow(lengths.len()) && long.next().is_none(), "{lengths:?}");
        }
    }

    #[test]
    fn lengths_decide() {
        let chosen = |lengths: &[u32]| Schedule::Auto.choose(&row_ptr(lengths), AdapterKind::Discrete);
        assert_eq!(chosen(&[8; 100]), Ok(Schedule::PerRow));
        for (length, lanes) in [
            (9, 2),
            (16, 2),
            (22, 2),
            (23, 4),
            (27, 4),
            (81, 8),
            (90, 8),
            (91, 16),
            (5000, 256),
        ] {
            assert_eq!(chosen(&[length; 100]), Ok(Schedule::Lanes(lanes)), "{length}");
        }
        assert_eq!(chosen(&[64; 9]), Ok(Schedule::Lanes(8)));
        for longest in [1 << 16, u32::MAX] {
            assert_eq!(chosen(&[longest]), Ok(Schedule::Lanes(256)));
        }
        let mut uneven = [64; 100];
        uneven[50] = 5000;
        assert_eq!(chosen(&uneven), Ok(Schedule::Streamed));
        assert_eq!(chosen(&[]), Ok(Schedule::PerRow));
        let on_cpu = |lengths: &[u32]| Schedule::Auto.choose(&row_ptr(lengths), AdapterKind::Software);
        assert_eq!(on_cpu(&[64; 9]), Ok(Schedule::PerRow));
        assert_eq!(on_cpu(&uneven), Ok(Schedule::PerRow));
        uneven[50] = LONGEST_ON_CPU + 1;
        assert_eq!(on_cpu(&uneven), Ok(Schedule::Streamed));
        for lanes in [0, 1, 3, 512] {
            let error = Schedule::Lanes(lanes)
                .choose(&[0], AdapterKind::Discrete)
                .expect_err("no such lanes");
            assert!(error.to_string().ends_with(&format!("found {lanes}")), "{error}");
        }
    }
}
