//! Rows of RBP-ELL of which each has the runs of the last but one, so many columns further: such are the lines of a mesh, on which
//! nodes of quadratic elements alternate. x is read as it lies there, as values are, and bounds are checked once for many rows.

use crate::scalar::Scalar;

/// Every so many rows are alike.
const PERIOD: usize = 2;

/// Rows that are summed together at most, so that their sums, and what they need of a run, stay in a first cache.
const MOST: usize = 256;

/// Rows from which on that pays.
const LEAST: usize = 16;

/// Columns that are compared at once.
const COMPARED: usize = 8;

/// What rows are summed of: runs as RBP-ELL has them, and x.
pub(super) struct Operands<'a, T> {
    pub(super) rows: usize,
    pub(super) columns: &'a [u32],
    pub(super) values: &'a [T],
    pub(super) x: &'a [T],
}

impl<T: Scalar> Operands<'_, T> {
    /// Sums rows from `row` on, each to its end in its own order.
    pub(super) fn sum(&self, mut row: usize, mut sums: &mut [T]) {
        while !sums.is_empty() {
            let height = self.alike(row, sums.len().min(MOST));
            let (these, others) = sums.split_at_mut(height);
            if height < LEAST || self.sum_together(row, these).is_none() {
                self.sum_alone(row, these);
            }
            (row, sums) = (row + height, others);
        }
    }

    /// How many rows from `row` on, of `most`, go on by the same number of columns in every run.
    fn alike(&self, row: usize, most: usize) -> usize {
        let (mut height, mut by) = (most, 0);
        for (number, column) in self.columns.chunks_exact(self.rows).enumerate() {
            if height <= PERIOD {
                break;
            }
            let column = &column[row..row + height];
            let (before, after) = (&column[..height - PERIOD], &column[PERIOD..]);
            // By which first columns go on, last ones do as well, or runs are not as long.
            if number % 2 == 0 {
                by = after[0].wrapping_sub(before[0]);
            }
            let differing = |before: &u32, after: &u32| after.wrapping_sub(*before) ^ by;
            let groups = before.as_chunks().0.iter().zip(after.as_chunks().0);
            let whole = groups.take_while(|(before, after): &(&[u32; COMPARED], &[u32; COMPARED])| {
                (0..COMPARED).fold(0, |bits, i| bits | differing(&before[i], &after[i])) == 0
            });
            let whole = COMPARED * whole.count();
            let others = before[whole..].iter().zip(&after[whole..]);
            let others = others.take_while(|(before, after)| differing(before, after) == 0);
            height = PERIOD + whole + others.count();
        }
        height
    }

    /// Rows that are alike. None where they go on by other numbers of columns than the nodes of a mesh, or where reading whole
    /// periods would pass an end.
    fn sum_together(&self, row: usize, into: &mut [T]) -> Option<()> {
        let mut sums = [[T::zero(); MOST / PERIOD]; PERIOD];
        let mut at: [usize; PERIOD] = std::array::from_fn(|phase| row + phase);
        for pair in (row..self.columns.len()).step_by(2 * self.rows) {
            let by = self.columns[pair + PERIOD].wrapping_sub(self.columns[pair]);
            for (phase, (sums, at)) in sums.iter_mut().zip(&mut at).enumerate() {
                let [first, last] = [pair, pair + self.rows].map(|pair| self.columns[pair + phase]);
                if first == last {
                    continue;
                }
                let sums = &mut sums[..(into.len() - phase).div_ceil(PERIOD)];
                let (values, x) = ((&self.values[*at..], self.rows), &self.x[first as usize..]);
                let length = (last - first) as usize + 1;
                match by {
                    1 => add_run::<T, 1>(sums, length, values, x)?,
                    2 => add_run::<T, 2>(sums, length, values, x)?,
                    4 => add_run::<T, 4>(sums, length, values, x)?,
                    _ => return None,
                }
                *at += length * self.rows;
            }
        }
        for (i, into) in into.iter_mut().enumerate() {
            *into = sums[i % PERIOD][i / PERIOD];
        }
        Some(())
    }

    fn sum_alone(&self, row: usize, sums: &mut [T]) {
        let step = self.rows;
        for (row, into) in (row..).zip(sums) {
            let (mut pair, mut at, mut sum) = (row, row, T::zero());
            while let Some(last) = self.columns.get(pair + step) {
                let first = self.columns[pair];
                if first == *last {
                    break;
                }
                for x in &self.x[first as usize..=*last as usize] {
                    sum = self.values[at].mul_add(*x, sum);
                    at += step;
                }
                pair += 2 * step;
            }
            *into = sum;
        }
    }
}

/// A run, of two columns or more, that begins D columns further in each row.
fn add_run<T: Scalar, const D: usize>(
    sums: &mut [T],
    length: usize,
    (values, step): (&[T], usize),
    x: &[T],
) -> Option<()> {
    let mut k = 0;
    while k < length {
        let (values, x) = ((&values[k * step..], step), &x[k..]);
        k += match (length - k) % 2 {
            0 => add_columns::<T, D, 2>(sums, values, x)?,
            _ => add_columns::<T, D, 3>(sums, values, x)?,
        };
    }
    Some(())
}

/// E columns of it. Returns E.
fn add_columns<T: Scalar, const D: usize, const E: usize>(
    sums: &mut [T],
    (values, step): (&[T], usize),
    x: &[T],
) -> Option<usize> {
    let height = sums.len();
    if values.len() < (E - 1) * step + PERIOD * height || x.len() < E - 1 + D * height {
        return None;
    }
    let values: [&[[T; PERIOD]]; E] = std::array::from_fn(|e| &values[e * step..].as_chunks().0[..height]);
    let x: [&[[T; D]]; E] = std::array::from_fn(|e| &x[e..].as_chunks().0[..height]);
    for (i, sum) in sums.iter_mut().enumerate() {
        *sum = (0..E).fold(*sum, |sum, e| values[e][i][0].mul_add(x[e][i][0], sum));
    }
    Some(E)
}

#[cfg(test)]
mod tests {
    use super::super::RbpEll;
    use super::*;
    use crate::sparse::{Coo, Csr};

    /// Rows of which the last but one goes on by so many columns, whose runs have lengths by turns of so many rows, and grow from row to row
    /// where they are to.
    fn meshed(rows: usize, by: usize, turns: usize, grow: usize) -> Csr<f32> {
        let mut entries = Vec::new();
        for row in 0..rows {
            // Backwards from the middle on; some rows are of no runs, some of one more.
            let along = by * row.min(rows - row) / 2;
            for run in 0..[2, 2, 3, 0][usize::from(row % 97 == 5) + 2 * usize::from(row % 131 == 7)] {
                let first = along + 30 * run;
                let length = 2 + (row % turns + run) % 5 + grow * (row % 40 / 2);
                entries.extend((first..first + length).map(|column| (row, column)));
            }
        }
        // The last column that is needed is the last.
        let cols = entries.iter().map(|(_, column)| column + 1).max().unwrap();
        let mut coo = Coo::new(rows, cols).unwrap();
        for (row, column) in entries {
            coo.push(row, column, 1.0 / (1 + row + 3 * column) as f32).unwrap();
        }
        Csr::from_coo(&coo).unwrap()
    }

    #[test]
    fn rows_together_have_the_bits_of_rows_alone() {
        for (rows, by, turns, grow) in
            (0..240).map(|i| ([1, 3, 40, 700, 1500][i % 5], i / 5 % 6, 1 + i / 30 % 4, i / 120))
        {
            let a = RbpEll::from_csr(&meshed(rows, by, turns, grow)).unwrap();
            let x: Vec<f32> = (0..a.cols()).map(|column| 1.0 / (1 + column % 17) as f32).collect();
            let operands = Operands {
                rows,
                columns: a.pattern().run_columns(),
                values: &a.values()[..a.pattern().run_slots()],
                x: &x,
            };
            let (mut together, mut alone) = (vec![f32::NAN; rows], vec![f32::NAN; rows]);
            operands.sum(0, &mut together);
            operands.sum_alone(0, &mut alone);
            assert_eq!(
                together, alone,
                "{rows} rows that go on by {by}, {turns} by turns, growing by {grow}"
            );
        }
    }
}
