//! Which rows of runs are summed four at a time on a driver that computes on the CPU, and in which order.
//!
//! A kernel by fours goes through loops, one behind the other, each cheaper than the next for what it can sum; and a loop lasts
//! as long as the longest of the fours that lanes of the driver have side by side. Neighbours on a grid differ in that, where
//! its lines end. So fours that are summed alike come together.

use std::cmp::Reverse;

use super::super::indices::narrow;
use super::super::runs::Run;
use super::super::slices::Slices;
use super::form::{FOUR, ORDERED};
use super::schedule::ROWS_ON_CPU;
use crate::device::AdapterKind;

/// Loops of a kernel: over alike runs that begin in neighbouring columns, alike runs that begin in two, alike runs, and entries.
const LOOPS: usize = 4;

/// How long a row may be that fours whose values lie row after row have: lanes of a vector, of which there are 16 at most, may
/// have the runs of their four rows one after the other, and loops are gone through in vain.
const LONGEST: usize = AdapterKind::Software.most_turns() / (FOUR * 16 + 4);

/// How rows are summed on a driver that computes on the CPU.
#[derive(Debug, Default)]
pub(in crate::sparse) struct Plan {
    /// Whether four rows are at a time, and not one.
    pub(in crate::sparse) by_fours: bool,
    /// In which order those are; empty where they stay as they are.
    pub(in crate::sparse) order: Vec<u32>,
}

/// The fours of rows, by the turns that they take.
pub(in crate::sparse) struct Fours {
    turns: Vec<[u64; LOOPS]>,
    order: Vec<u32>,
}

impl Plan {
    /// Of rows whose values lie row after row, behind `row_ptr` of them: all in runs.
    pub(in crate::sparse) fn of<R: Iterator<Item = Run>>(row_ptr: &[u32], runs: impl Fn(usize) -> R) -> Self {
        let rows = row_ptr.len() - 1;
        let length = |row: usize| (row_ptr[row + 1] - row_ptr[row]) as usize;
        if (0..rows).all(|row| length(row) <= LONGEST) {
            let fours = Fours::of(rows, runs);
            if fours.are_worth(row_ptr[rows]) {
                return Self {
                    by_fours: true,
                    order: fours.order(),
                };
            }
        }
        Self::by_rows(row_ptr)
    }

    /// One row at a time.
    pub(in crate::sparse) fn by_rows(row_ptr: &[u32]) -> Self {
        let length = |row: usize| (row_ptr[row + 1] - row_ptr[row]) as usize;
        Self {
            by_fours: false,
            order: Slices::order_on_cpu(row_ptr.len() - 1, length, usize::MAX),
        }
    }

    /// Whether rows were sorted, for the header of a kernel.
    pub(in crate::sparse) fn constants(&self) -> Vec<(&'static str, u32)> {
        vec![(ORDERED.name, u32::from(!self.order.is_empty()))]
    }
}

impl Fours {
    /// The fours of `rows` rows, whose runs are given, and an order in which they wait little for each other.
    pub(in crate::sparse) fn of<R: Iterator<Item = Run>>(rows: usize, runs: impl Fn(usize) -> R) -> Self {
        let row = |row: usize| (row < rows).then(|| runs(row)).into_iter().flatten();
        let turns: Vec<_> = (0..rows.div_ceil(FOUR))
            .map(|four| turns(std::array::from_fn(|i| row(FOUR * four + i))))
            .collect();
        let mut order: Vec<u32> = (0..narrow(turns.len())).collect();
        let before: u64 = waits(&turns, &order).iter().sum();
        let as_they_are = order.clone();
        // The last of them may have fewer rows, and kernels have so many for the last place.
        order[..rows / FOUR].sort_by_key(|four| {
            let mut last_loop_first = turns[*four as usize];
            last_loop_first.reverse();
            Reverse(last_loop_first)
        });
        // What is sorted is read from another place.
        if 8 * before <= 9 * waits(&turns, &order).iter().sum::<u64>() {
            order = as_they_are;
        }
        Self { turns, order }
    }

    /// The order; empty where fours stay as they are.
    pub(in crate::sparse) fn order(self) -> Vec<u32> {
        if self.order.is_sorted() { Vec::new() } else { self.order }
    }

    /// Whether all entries in fours take less than one row at a time, by quads, would, where values are read one by one: a place in
    /// the first two loops costs 3/4 of an entry there, and one in the others as much (BENCHMARKS.md).
    fn are_worth(&self, entries: u32) -> bool {
        let [behind, two, alike, others] = waits(&self.turns, &self.order);
        let places = (FOUR * ROWS_ON_CPU) as u64;
        places * (3 * (behind + two) + 4 * (alike + others)) <= 4 * u64::from(entries)
    }
}

/// The turns of each loop in which four rows are summed.
fn turns<R: Iterator<Item = Run>>(mut rows: [R; FOUR]) -> [u64; LOOPS] {
    let mut turns = [0; LOOPS];
    let mut at = 0;
    loop {
        let runs = rows.each_mut().map(Iterator::next);
        let lengths = runs.map(|run| run.map_or(0, Run::len));
        let longest = lengths.into_iter().max().unwrap_or(0);
        if longest == 0 {
            return turns;
        }
        let alike = lengths == [longest; FOUR];
        let first = runs.map(|run| run.map_or(0, |run| run.first));
        let behind = |row: usize| first[0].checked_add(narrow(row)) == Some(first[row]);
        let either = |row: usize| first[row] == first[0] || first[row] == first[FOUR - 1];
        let fits = [
            alike && (0..FOUR).all(behind),
            alike && (0..FOUR).all(either),
            alike,
            true,
        ];
        // Nobody comes back to a loop.
        at += fits[at..].iter().take_while(|fits| !**fits).count();
        turns[at] += longest;
    }
}

/// The turns of each loop for all, with lanes that wait for the longest.
fn waits(turns: &[[u64; LOOPS]], order: &[u32]) -> [u64; LOOPS] {
    let mut waits = [0; LOOPS];
    for fours in order.chunks(ROWS_ON_CPU) {
        for (at, waits) in waits.iter_mut().enumerate() {
            *waits += fours.iter().map(|four| turns[*four as usize][at]).max().unwrap_or(0);
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::super::super::{generate, runs};
    use super::*;

    #[test]
    fn loops_are_those_of_the_kernel() {
        let of = |rows: [&[u32]; FOUR]| turns(rows.map(runs::of));
        assert_eq!(of([&[0, 1, 5], &[1, 2, 6], &[2, 3, 7], &[3, 4, 8]]), [3, 0, 0, 0]);
        assert_eq!(of([&[0, 1, 5], &[0, 1, 5], &[0, 1, 5], &[3, 4, 8]]), [0, 3, 0, 0]);
        assert_eq!(of([&[0, 1, 5], &[1, 2, 6], &[2, 3, 9], &[3, 4, 8]]), [2, 0, 1, 0]);
        // Entry by entry from there on, although the last runs are alike.
        assert_eq!(of([&[0, 5], &[0, 1, 6], &[0, 7], &[0, 8]]), [0, 0, 0, 3]);
        assert_eq!(of([&[], &[], &[2], &[]]), [0, 0, 0, 1]);
    }

    /// On a grid the ends of lines keep others waiting, in a band nobody does.
    #[test]
    fn fours_are_sorted_where_they_wait() {
        let order = |name: &str| {
            let a = generate::by_name(name).expect("a generator");
            Fours::of(a.rows(), |row| runs::of(a.pattern().row(row))).order()
        };
        assert_eq!(order("banded:1000"), Vec::<u32>::new());
        let mut fours = order("stencil27:12");
        // Three fours a line, of which the one between the ends goes through the first loop alone.
        assert_eq!(
            fours.iter().map(|four| four % 3 == 1).position(|within| within),
            Some(2 * 12 * 12)
        );
        fours.sort_unstable();
        assert_eq!(fours, (0..12 * 12 * 12 / 4).collect::<Vec<u32>>());
    }

    /// Kernels leave positions behind the last row out, so that those of the last four must not be another's.
    #[test]
    fn a_four_of_fewer_rows_stays_last() {
        // The last four has one row, which is unlike its neighbours: by its turns it would come first.
        let a = generate::by_name("stencil27:13").expect("a generator");
        let mut fours = Fours::of(a.rows(), |row| runs::of(a.pattern().row(row))).order();
        assert_eq!((a.rows() % FOUR, fours.last()), (1, Some(&narrow(a.rows() / FOUR))));
        fours.sort_unstable();
        assert_eq!(fours, (0..narrow(a.rows().div_ceil(FOUR))).collect::<Vec<u32>>());
    }

    /// Rows of grids and bands are worth it, those of a random graph are not, nor rows that a loop may leave.
    #[test]
    fn fours_are_taken_where_rows_are_alike() {
        let of = |name: &str| {
            let a = generate::by_name(name).expect("a generator");
            Plan::of(a.pattern().row_ptr(), |row| runs::of(a.pattern().row(row))).by_fours
        };
        for name in ["banded:1000", "stencil27:40", "elasticity:24"] {
            assert!(of(name), "{name}");
        }
        assert!(!of("r-mat:9") && !of("arrow:1000"));
    }
}
