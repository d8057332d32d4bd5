//! Rows shared out among threads. Every row is computed by one thread in one order, so that results do not depend on how
//! many there are.

use std::ops::Range;

/// Entries below which another thread costs more than it brings: beginning one takes about 0.1 ms, in which a core goes
/// over some hundred thousand of them.
const WORTH_A_THREAD: usize = 1 << 18;

/// The number of threads that going over `work` entries is worth.
fn threads(work: usize) -> usize {
    // Browsers have none.
    let available = if cfg!(target_arch = "wasm32") {
        1
    } else {
        std::thread::available_parallelism().map_or(1, usize::from)
    };
    (work / WORTH_A_THREAD).clamp(1, available)
}

/// The rows of one thread: a multiple of `granule`, and at least one.
pub(super) fn height(rows: usize, granule: usize, work: usize) -> usize {
    rows.div_ceil(threads(work)).next_multiple_of(granule.max(1)).max(1)
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
    let band = &band;
    match ranges.split_first() {
        Some((first, others)) if !others.is_empty() => std::thread::scope(|scope| {
            let others: Vec<_> = others
                .iter()
                .map(|range| scope.spawn(move || band(range.clone())))
                .collect();
            let mut results = vec![band(first.clone())];
            for other in others {
                match other.join() {
                    Ok(result) => results.push(result),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            results
        }),
        _ => ranges.into_iter().map(band).collect(),
    }
}

/// Calls `band` with neighbouring rows of an array that lies column by column, and their part of each column.
pub(super) fn each_of_columns<V: Send>(
    rows: usize,
    array: &mut [V],
    band: impl Fn(Range<usize>, &mut [&mut [V]]) + Sync,
) {
    let height = height(rows, 1, array.len());
    let mut parts: Vec<Vec<&mut [V]>> = (0..rows.div_ceil(height)).map(|_| Vec::new()).collect();
    for column in array.chunks_mut(rows.max(1)) {
        let by_band = parts.iter_mut().zip(column.chunks_mut(height));
        by_band.for_each(|(parts, part)| parts.push(part));
    }
    let of_band = |(index, parts): (usize, &mut Vec<&mut [V]>)| {
        band(index * height..((index + 1) * height).min(rows), parts);
    };
    let of_band = &of_band;
    let mut parts = parts.iter_mut().enumerate();
    let first = parts.next();
    std::thread::scope(|scope| {
        for other in parts {
            scope.spawn(move || of_band(other));
        }
        first.into_iter().for_each(of_band);
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
        assert!(threads(usize::MAX) >= 1 && threads(0) == 1);
    }
}
