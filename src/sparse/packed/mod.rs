//! Packed row blocks: one 32-bit descriptor a run, for its first column and its length; an entry without a neighbour is a
//! run of one. Half the bytes of [`RbpCsr`](super::RbpCsr)'s runs, and nothing is kept apart.
//!
//! What Kawamura et al. (2020) left open, a packing that never takes much more than the plain format: an isolated entry
//! costs the four bytes that it costs in CSR, and a row the four of a second pointer.

pub(super) mod csr;
pub(super) mod sell;

pub use csr::{PackedCsr, PackedCsrPattern};
pub use sell::{PackedSell, PackedSellPattern};

use super::runs::{self, Run};

/// How a descriptor's 32 bits are shared: the low ones hold the first column, the high ones the length less one.
///
/// The columns of the matrix decide: as many bits as the number of columns has. So no column is ever too far; a run that
/// is too long for the bits that are left is split. With 2¹⁶ columns and less, that is never; with 2²⁴, at 128.
///
/// ```
/// use nonius::sparse::Packing;
///
/// let packing = Packing::of(1000);
/// assert_eq!((packing.column_bits(), packing.longest()), (10, 1 << 22));
/// assert_eq!(packing.unpack(5 << 10 | 300), (300, 6));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing {
    column_bits: u32,
}

/// The descriptor of no run. Its first column is past every matrix.
pub const NO_RUN: u32 = u32::MAX;

impl Packing {
    /// The packing for this many columns; more than 2³² − 1 are as many.
    #[must_use]
    pub fn of(cols: usize) -> Self {
        // The number itself has bits enough, not only the last column: then all ones is past the end, for NO_RUN.
        let cols = u32::try_from(cols).unwrap_or(u32::MAX);
        Self {
            column_bits: (u32::BITS - cols.leading_zeros()).max(1),
        }
    }

    /// The low bits of a descriptor that hold the first column: 1 to 32.
    #[must_use]
    pub fn column_bits(self) -> u32 {
        self.column_bits
    }

    /// The longest run that one descriptor holds.
    #[must_use]
    pub fn longest(self) -> u64 {
        1 << (u32::BITS - self.column_bits)
    }

    /// A descriptor's first column and length.
    #[must_use]
    #[inline]
    pub fn unpack(self, descriptor: u32) -> (u32, u32) {
        let mask = self.column_mask();
        // In words of 32 bits, of which a vector holds twice as many as of 64. If all are the column's, none is left to shift.
        let length_bits = (descriptor & !mask) >> self.column_bits.min(u32::BITS - 1);
        (descriptor & mask, length_bits.wrapping_add(1))
    }

    /// Whether a descriptor is of a run of one; then it is its column. [`NO_RUN`] is not, though where all bits are the column's
    /// it has none of a length.
    #[inline]
    fn is_single(self, descriptor: u32) -> bool {
        descriptor <= self.column_mask().min(NO_RUN - 1)
    }

    #[inline]
    fn column_mask(self) -> u32 {
        low_word((1_u64 << self.column_bits) - 1)
    }

    fn run(self, descriptor: u32) -> Run {
        let (first, length) = self.unpack(descriptor);
        Run {
            first,
            last: first + (length - 1),
        }
    }

    /// `length` is at most [`longest`](Self::longest), `first` below the number of columns.
    fn pack(self, first: u32, length: u64) -> u32 {
        low_word((length - 1) << self.column_bits | u64::from(first))
    }

    /// The number of descriptors that a row takes.
    pub(super) fn count(self, columns: &[u32]) -> u64 {
        runs::of(columns).map(|run| run.len().div_ceil(self.longest())).sum()
    }

    /// The descriptors of a row.
    fn descriptors(self, columns: &[u32]) -> impl Iterator<Item = u32> + '_ {
        runs::of(columns).flat_map(move |run| self.split(run))
    }

    fn split(self, Run { first, last }: Run) -> impl Iterator<Item = u32> {
        let step = usize::try_from(self.longest()).unwrap_or(usize::MAX);
        (first..=last).step_by(step).map(move |begin| {
            let left = u64::from(last - begin) + 1;
            self.pack(begin, left.min(self.longest()))
        })
    }
}

#[inline]
fn low_word(wide: u64) -> u32 {
    u32::try_from(wide & u64::from(u32::MAX)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_keep_every_column_at_the_edges_of_the_bits() {
        for cols in [
            1,
            2,
            3,
            4,
            255,
            256,
            257,
            1 << 16,
            1 << 24,
            (1 << 24) + 1,
            1 << 31,
            u32::MAX,
        ] {
            let packing = Packing::of(cols as usize);
            let from = cols.saturating_sub(300);
            let columns: Vec<u32> = (from..cols).filter(|column| column % 151 != 7).collect();
            let mut unpacked = Vec::new();
            let descriptors: Vec<u32> = packing.descriptors(&columns).collect();
            for descriptor in &descriptors {
                let (first, length) = packing.unpack(*descriptor);
                assert!(u64::from(length) <= packing.longest() && *descriptor != NO_RUN);
                unpacked.extend(first..first + length);
            }
            assert_eq!(unpacked, columns, "{cols} columns");
            assert_eq!(packing.count(&columns), descriptors.len() as u64);
            assert!(packing.unpack(NO_RUN).0 >= cols, "{cols} columns");
        }
    }

    #[test]
    fn long_runs_are_split_where_the_length_has_no_bits_left() {
        assert_eq!(Packing::of(1 << 24).longest(), 128);
        assert_eq!(Packing::of(u32::MAX as usize).longest(), 1);
        let columns: Vec<u32> = (5..5 + 300).collect();
        assert_eq!(Packing::of(1 << 24).count(&columns), 3);
        assert_eq!(Packing::of(u32::MAX as usize).count(&columns), 300);
        assert_eq!(Packing::of(1 << 10).count(&columns), 1);
    }
}
