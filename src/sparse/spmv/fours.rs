//! In which order four rows at a time are summed on a driver that computes on the CPU.
//!
//! A kernel by fours goes through loops, one behind the other, each cheaper than the next for what it can sum; and a loop lasts
//! as long as the longest of the fours that lanes of the driver have side by side. Neighbours on a grid differ in that, where
//! its lines end. So fours that are summed alike come together.

use std::cmp::Reverse;

use super::super::matrix::narrow;
use super::super::runs::Run;
use super::form::FOUR;
use super::schedule::ROWS_ON_CPU;

/// Loops of a kernel: over alike runs that begin in neighbouring columns, alike runs that begin in two, alike runs, and entries.
const LOOPS: usize = 4;

/// The fours of `rows` rows, a multiple of four, whose runs are given, in an order in which they wait little for each other;
/// empty where they wait little as they are.
pub(in crate::sparse) fn order<R: Iterator<Item = Run>>(rows: usize, runs: impl Fn(usize) -> R) -> Vec<u32> {
    let turns: Vec<_> = (0..rows / FOUR)
        .map(|four| turns(std::array::from_fn(|row| runs(FOUR * four + row))))
        .collect();
    let mut order: Vec<u32> = (0..narrow(turns.len())).collect();
    let before = waits(&turns, &order);
    order.sort_by_key(|four| {
        let mut last_loop_first = turns[*four as usize];
        last_loop_first.reverse();
        Reverse(last_loop_first)
    });
    // What is sorted is read from another place.
    if 8 * before <= 9 * waits(&turns, &order) {
        order.clear();
    }
    order
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
        let behind = |row: usize| first[row] == first[0] + narrow(row);
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

/// The turns of all, with lanes that wait for the longest of their loop.
fn waits(turns: &[[u64; LOOPS]], order: &[u32]) -> u64 {
    let abreast = order.chunks(ROWS_ON_CPU).map(|fours| {
        let longest = |at: usize| fours.iter().map(|four| turns[*four as usize][at]).max().unwrap_or(0);
        (0..LOOPS).map(longest).sum::<u64>()
    });
    abreast.sum()
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
            order(a.rows(), |row| runs::of(a.pattern().row(row)))
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
}
