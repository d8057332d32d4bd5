//! Rows of cells shared out among threads, with progress.

use std::ops::Range;

use super::cells::{Cell, Cells};
use crate::error::Result;
use crate::observer::{Observer, tell};
use crate::threads;

/// What `band` makes of every band of `granule` rows (the last may have fewer): its cells, row by row. Threads take the
/// next band when they are done with one, since one may cost a thousand times another. The observer sees rows.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled): the bands that are being computed are finished, and no other begun.
pub(super) fn map(
    operation: &'static str,
    (width, height): (usize, usize),
    granule: usize,
    observer: &mut dyn Observer,
    band: impl Fn(Range<usize>) -> Vec<Cell> + Sync,
) -> Result<Cells> {
    let bands = height.div_ceil(granule);
    let rows = |index: usize| index * granule..((index + 1) * granule).min(height);
    tell(observer, operation, 0, height)?;
    let mut cells = vec![Cell::Undecided; width * height];
    let mut done = 0;
    let keep = |index: usize, found: Vec<Cell>| {
        let rows = rows(index);
        cells[rows.start * width..rows.end * width].copy_from_slice(&found);
        done += rows.len();
        tell(observer, operation, done, height)
    };
    threads::map_as_they_come(bands, |index| band(rows(index)), keep)?;
    Ok(Cells::from_rows(width, cells))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::Error;

    /// Counts what it is told, and ends after so many reports.
    struct Until(usize, Vec<(usize, usize)>);

    impl Observer for Until {
        fn progress(&mut self, _operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
            self.1.push((done, total));
            if self.1.len() > self.0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }

    #[test]
    fn every_row_is_done_once_and_told() {
        for (width, height, granule) in [(3, 1, 32), (2, 32, 32), (5, 33, 32), (1, 100, 7), (4, 10, 1)] {
            let mut observer = Until(usize::MAX, Vec::new());
            let cells = map("rows", (width, height), granule, &mut observer, |rows| {
                let kind = |row: usize| {
                    if row.is_multiple_of(3) {
                        Cell::Crossed
                    } else {
                        Cell::Empty
                    }
                };
                rows.flat_map(|row| vec![kind(row); width]).collect()
            });
            let cells = cells.expect("not cancelled");
            assert_eq!((cells.width(), cells.height()), (width, height));
            for (row, found) in cells.rows().enumerate() {
                let expected = if row.is_multiple_of(3) {
                    Cell::Crossed
                } else {
                    Cell::Empty
                };
                assert!(found.iter().all(|cell| *cell == expected), "row {row} of {height}");
            }
            assert_eq!(observer.1.len(), 1 + height.div_ceil(granule));
            assert!(observer.1.is_sorted() && observer.1.last() == Some(&(height, height)));
        }
    }

    #[test]
    fn an_observer_ends_it() {
        for reports in [0, 1, 5] {
            let mut observer = Until(reports, Vec::new());
            let begun = AtomicUsize::new(0);
            let outcome = map("rows", (1, 10_000), 1, &mut observer, |rows| {
                begun.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(std::time::Duration::from_micros(100));
                vec![Cell::Empty; rows.len()]
            });
            assert_eq!(outcome.err(), Some(Error::Cancelled { operation: "rows" }));
            assert!(begun.into_inner() < 9000);
            assert_eq!(observer.1.len(), reports + 1);
        }
    }
}
