//! Rows shared out among threads. Every row is computed by one thread in one order, so that results do not depend on how
//! many there are.

use std::ops::Range;

use crate::threads;

/// Entries below which another thread brings nothing: a core goes over so many in some tens of microseconds.
const WORTH_A_THREAD: usize = 1 << 16;

/// Entries of a share where there are several: rows of the same number may be of much more work, as the first of R-MAT are, and
/// then others take the next ones.
const SHARE: usize = 1 << 17;

/// The rows of one share: a multiple of `granule`, and at least one.
pub(super) fn height(rows: usize, granule: usize, work: usize) -> usize {
    let threads = threads::at_most(work / WORTH_A_THREAD);
    let shares = if threads > 1 { threads.max(work / SHARE) } else { 1 };
    rows.div_ceil(shares).next_multiple_of(granule.max(1)).max(1)
}

/// What `band` makes of the rows, band by band, in their order. Bands begin at multiples of `granule`. Without rows
/// there is one band, and it is empty.
pub(super) fn map<R: Send>(
    rows: usize,
    granule: usize,
    work: usize,
    band: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    let height = height(rows, granule, work);
    let ranges: Vec<_> = (0..rows.div_ceil(height).max(1))
        .map(|index| index * height..((index + 1) * height).min(rows))
        .collect();
    threads::map(ranges, band)
}

/// Calls `band` with neighbouring rows of an array that lies column by column, and their part of each column.
pub(super) fn each_of_columns<V: Send>(
    rows: usize,
    array: &mut [V],
    band: impl Fn(Range<usize>, &mut [&mut [V]]) + Sync,
) {
    // One for each thread, since every share has a part of every column.
    let height = rows.div_ceil(threads::at_most(array.len() / WORTH_A_THREAD)).max(1);
    let mut parts: Vec<Vec<&mut [V]>> = (0..rows.div_ceil(height)).map(|_| Vec::new()).collect();
    for column in array.chunks_mut(rows.max(1)) {
        let by_band = parts.iter_mut().zip(column.chunks_mut(height));
        by_band.for_each(|(parts, part)| parts.push(part));
    }
    threads::map(parts.into_iter().enumerate().collect(), |(index, mut parts)| {
        band(index * height..((index + 1) * height).min(rows), &mut parts);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_column_is_in_one_band() {
        // The second is worth several threads.
        for (rows, width) in [(0, 0), (100_003, 11), (7, 3), (5, 0)] {
            let mut array = vec![0; rows * width];
            each_of_columns(rows, &mut array, |band, parts| {
                assert_eq!(parts.len(), width);
                for row in band.clone() {
                    for (k, part) in parts.iter_mut().enumerate() {
                        part[row - band.start] += 100 * row + k + 1;
                    }
                }
            });
            for (at, found) in array.into_iter().enumerate() {
                assert_eq!(found, 100 * (at % rows) + at / rows + 1);
            }
        }
    }

    #[test]
    fn bands_cover_the_rows_once_and_begin_at_granules() {
        for (rows, granule) in [(0, 1), (1, 1), (7, 256), (1000, 1), (1000, 256), (1025, 32)] {
            for work in [0, 4 * WORTH_A_THREAD, usize::MAX] {
                let bands = map(rows, granule, work, |band| band);
                let mut next = 0;
                for band in &bands {
                    assert_eq!((band.start, band.start % granule), (next, 0), "{bands:?}");
                    next = band.end;
                }
                assert_eq!(next, rows, "{bands:?}");
            }
        }
    }
}
