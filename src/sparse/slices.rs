//! C and σ of SELL-C-σ: slices of rows, and the order in which they are cut.

use std::cmp::Reverse;
use std::ops::Range;

use super::csr_pattern::CsrPattern;
use super::indices::{narrow, padded};
use super::spmv::form::FOUR;
use super::spmv::schedule::ROWS_ON_CPU;
use crate::device::AdapterKind;
use crate::host_memory::reserved;
use crate::{Error, Result};

/// C and σ: how many rows make a slice, and within how many rows they are sorted by length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slices {
    height: usize,
    window: usize,
}

impl Slices {
    /// The most rows of a slice.
    pub const TALLEST: usize = 1024;

    /// Slices of `height` rows (C), sorted within windows of `window` rows (σ). With σ = 1 rows stay in their order.
    ///
    /// # Errors
    /// [`Error::Shape`] unless C is in 1..=1024 and σ is 1 or a multiple of C below 2³².
    ///
    /// ```
    /// use nonius::sparse::{Footprint, Format, Slices, generate};
    ///
    /// let a = generate::r_mat(8, 4, 1)?;
    /// let bytes = |window| -> nonius::Result<u64> {
    ///     Ok(Footprint::with_slices(a.pattern(), Slices::new(16, window)?).bytes(Format::Sell, 4))
    /// };
    /// // Sorted rows pad each other less, and have an order to be kept.
    /// assert!(bytes(256)? + 256 * 4 < bytes(1)?);
    /// assert!(Slices::new(16, 100).is_err());
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn new(height: usize, window: usize) -> Result<Self> {
        let fits = (1..=Self::TALLEST).contains(&height) && u32::try_from(window).is_ok();
        if fits && (window == 1 || (window > 0 && window.is_multiple_of(height))) {
            return Ok(Self { height, window });
        }
        Err(Error::Shape {
            operation: "Slices::new",
            expected: format!("C in 1..={}, and σ = 1 or a multiple of C below 2^32", Self::TALLEST),
            found: format!("C = {height}, σ = {window}"),
        })
    }

    /// C: the rows of a slice.
    #[must_use]
    pub fn height(self) -> usize {
        self.height
    }

    /// σ: the rows within which they are sorted.
    #[must_use]
    pub fn window(self) -> usize {
        self.window
    }

    /// Slices and windows both begin at multiples of this.
    pub(in crate::sparse) fn granule(self) -> usize {
        self.height.max(self.window)
    }

    /// The rows at positions 0, 1, …: within each window, longest first, and as they were among equals. Empty for σ = 1.
    pub(in crate::sparse) fn order<K: Ord>(self, rows: usize, length: impl Fn(usize) -> K) -> Vec<u32> {
        let mut order = Vec::new();
        if self.window > 1 {
            order.extend(0..narrow(rows));
            self.sort(&mut order, length);
        }
        order
    }

    /// As [`order`](Self::order), of a matrix.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(in crate::sparse) fn order_kept<K: Ord>(self, rows: usize, length: impl Fn(usize) -> K) -> Result<Vec<u32>> {
        let mut order = Vec::new();
        if self.window > 1 {
            order = reserved(rows, "the order of rows")?;
            order.extend(0..narrow(rows));
            self.sort(&mut order, length);
        }
        Ok(order)
    }

    fn sort<K: Ord>(self, order: &mut [u32], length: impl Fn(usize) -> K) {
        for window in order.chunks_mut(self.window) {
            // Windows of 1,024 rows and fewer are sorted without memory.
            window.sort_by_key(|row| Reverse(length(*row as usize)));
        }
    }

    /// For each slice, the greatest length of its rows.
    pub(in crate::sparse) fn widths(
        self,
        rows: usize,
        order: &[u32],
        length: impl Fn(usize) -> u64,
    ) -> impl ExactSizeIterator<Item = u64> {
        (0..rows).step_by(self.height).map(move |begin| {
            let positions = begin..(begin + self.height).min(rows);
            let lengths = positions.map(|position| length(row_at(order, position)));
            lengths.max().unwrap_or(0)
        })
    }

    /// The slices of a matrix on a kind of device. On a CPU what is near is no cheaper to read, and lanes wait for their longest.
    pub(in crate::sparse) fn on(kind: AdapterKind, csr: &CsrPattern) -> Self {
        match kind {
            AdapterKind::Software => Self::default().sorted_enough(csr.rows(), |row| csr.length(row)),
            _ => Self::default(),
        }
    }

    /// These slices, or others sorted within so much wider windows that to sort all rows at once would leave no less than 8/9 of
    /// their slots. For neighbours that wait for the longest of their slice.
    pub(in crate::sparse) fn sorted_enough(self, rows: usize, length: impl Fn(usize) -> usize) -> Self {
        let slots = |slices: Self| {
            let order = slices.order(rows, &length);
            let widths = slices.widths(rows, &order, |row| length(row) as u64);
            widths.sum::<u64>() * slices.height as u64
        };
        let within = |window| Self { window, ..self };
        let all = within(rows.next_multiple_of(self.height).max(self.height));
        let least = slots(all);
        [self.window, 1 << 12, 1 << 16]
            .into_iter()
            .map(within)
            .find(|slices| 8 * slots(*slices) <= 9 * least)
            .unwrap_or(all)
    }

    /// The order of rows in which those that lanes of a driver on the CPU have side by side wait little for each other; empty
    /// where they wait little as it is. Rows of more than `most` entries are left to others: [`NO_ROW`] has their place.
    pub(in crate::sparse) fn order_on_cpu(rows: usize, length: impl Fn(usize) -> usize, most: usize) -> Vec<u32> {
        let abreast = Self {
            height: ROWS_ON_CPU,
            window: 1,
        };
        let here = |row| Some(length(row)).filter(|entries| *entries <= most).unwrap_or(0);
        let mut order = abreast.sorted_enough(rows, here).order(rows, here);
        if (0..rows).any(|row| length(row) > most) {
            if order.is_empty() {
                order = (0..rows).map(narrow).collect();
            }
            let others = order.iter_mut().filter(|row| length(**row as usize) > most);
            others.for_each(|row| *row = NO_ROW);
        }
        order
    }

    /// Where each slice begins if row lengths are padded to `widths`, and where the last one ends.
    pub(in crate::sparse) fn pointers(
        self,
        operation: &'static str,
        widths: impl ExactSizeIterator<Item = u64>,
    ) -> Result<Vec<u32>> {
        let mut pointers = reserved(widths.len() + 1, "the slices")?;
        let mut end = 0;
        pointers.push(0);
        for width in widths {
            end += width;
            pointers.push(narrow(padded(operation, self.height as u64, end)?));
        }
        Ok(pointers)
    }

    /// The rows of a range with their positions, rows ascending. The range begins at a granule and ends at one, or with
    /// the last row.
    pub(in crate::sparse) fn positions(
        self,
        order: &[u32],
        rows: Range<usize>,
    ) -> Result<impl Iterator<Item = (usize, usize)> + use<>> {
        let begin = rows.start;
        let mut position_of = reserved(rows.len(), "the positions of rows")?;
        position_of.extend(rows.clone());
        for (position, row) in order.get(rows.clone()).unwrap_or(&[]).iter().enumerate() {
            position_of[*row as usize - begin] = begin + position;
        }
        Ok(rows.zip(position_of))
    }

    /// Whether no four rows, of those that a kernel may sum at once, are of two slices.
    pub(in crate::sparse) fn lie_in_fours(self) -> bool {
        self.height.is_multiple_of(FOUR)
    }

    /// C, and whether rows were sorted, for the header of a kernel.
    pub(in crate::sparse) fn constants(self, order: &[u32]) -> Vec<(&'static str, u32)> {
        vec![
            ("HEIGHT", narrow(self.height)),
            ("ORDERED", u32::from(!order.is_empty())),
        ]
    }

    /// The slots of the row at a position, padding included.
    pub(in crate::sparse) fn slots(self, pointers: &[u32], position: usize) -> impl Iterator<Item = usize> {
        let slice = position / self.height;
        let (begin, end) = (pointers[slice] as usize, pointers[slice + 1] as usize);
        (begin + position % self.height..end).step_by(self.height)
    }
}

/// The row at a position of an [`order`](Slices::order).
pub(in crate::sparse) fn row_at(order: &[u32], position: usize) -> usize {
    order.get(position).map_or(position, |row| *row as usize)
}

impl Default for Slices {
    /// C = 32, the narrowest subgroup of most GPUs that fills its loads; σ = 256, far enough that neighbours of a slice
    /// are of one length, near enough that x is still read from one neighbourhood.
    fn default() -> Self {
        Self {
            height: 32,
            window: 256,
        }
    }
}

/// What stands in an order of rows for one that others sum.
const NO_ROW: u32 = u32::MAX;
