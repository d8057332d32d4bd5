//! Rows of the host summed side by side, in formats that lie across rows: neighbours are read as they lie, the sums of many
//! rows do not wait for each other, and each is loaded and stored once for several entries. A row is summed in its own order.

use std::hint::black_box;
use std::ops::Range;

use bytemuck::Pod;

use crate::scalar::Scalar;

/// Rows of ELL and RBP-ELL that are summed side by side: pieces of a column long enough to be fetched ahead, and sums that
/// stay in a near cache.
pub(super) const BLOCK: usize = 4096;

/// Bytes of rows that are read ahead: what a second cache holds beside x.
const AHEAD: usize = 1 << 18;

/// Bytes of all rows that are near without that.
const FAR: usize = 1 << 22;

/// Slots of each entry up to which they are read ahead.
const MOST_SLOTS: usize = 2;

/// Lines that are multiples of so many bytes apart share few places of a cache: a way of the first one is mostly 4 KB.
const APART: usize = 1 << 10;

/// Bytes that come together.
const LINE: usize = 64;

/// Lines that are asked for at once, at least.
const LINES: usize = 8;

/// Entries of a padded row that are added to its sum at once.
const AT_ONCE: usize = 4;

/// Rows of alike runs that are summed at once: vectors of their sums and values, and no bounds checked for each value.
pub(super) const GROUP: usize = 4;

/// Entries, added row after row, that take as long as to find a stretch of alike rows and begin it.
const STRETCH: usize = 12;

/// Of so many rows one tells whether most of them have ended.
pub(super) const SAMPLE: usize = 16;

/// Rows that lie across pages go on alone where fewer than one of so many has more runs.
const FEW: usize = 2;

/// How many rows to sum side by side, so that what [`read_ahead`] reads of them stays near: of `rows`, each of so many bytes, whose
/// values are of so many. None where all of them stay near anyway, where most is padding, or where the lines of a row drive each other
/// out of the caches.
pub(super) fn rows_ahead(rows: usize, (slots, entries): (usize, usize), (row, value): (usize, usize)) -> Option<usize> {
    let pays = rows * row > FAR && slots <= MOST_SLOTS * entries && !(rows * value).is_multiple_of(APART);
    pays.then(|| (AHEAD / row).clamp(LINE, BLOCK))
}

/// Reads a word of each line on which rows lie, in an array of columns of `step`, and does nothing with them. No load waits for
/// another, so that as many lines are on their way as a core can ask for; sums, which go over a few columns at a time, ask for a few,
/// and begin each piece of a column with lines that nobody foresaw.
#[inline(never)]
pub(super) fn read_ahead<V: Pod>(array: &[V], rows: Range<usize>, step: usize) {
    const WORDS: usize = LINE / size_of::<u32>();
    // Several sums of bits: stores, or words that wait for the one before, take twice as long as the lines do.
    let mut all = [0; LINES];
    for column in array.chunks_exact(step) {
        let words: &[u32] = bytemuck::cast_slice(&column[rows.clone()]);
        let (groups, others) = words.as_chunks::<{ LINES * WORDS }>();
        for group in groups {
            all.iter_mut()
                .enumerate()
                .for_each(|(line, all)| *all ^= group[line * WORDS]);
        }
        all[0] = others.iter().step_by(WORDS).fold(all[0], |all, word| all ^ word);
    }
    black_box(all);
}

/// Adds to each sum the entries of its row: entry k of row i is at `first + k·step + i`, `width` of them, with columns past
/// every x behind a row's last one.
pub(super) fn add_padded<T: Scalar>(
    sums: &mut [T],
    (columns, values): (&[u32], &[T]),
    (first, step, width): (usize, usize, usize),
    x: &[T],
) {
    let mut height = sums.len();
    let mut k = 0;
    while k < width && height > 0 {
        let (sums, at) = (&mut sums[..height], (first + k * step, step));
        if k + AT_ONCE <= width {
            height = add_entries::<T, AT_ONCE>(sums, (columns, values), at, x);
            k += AT_ONCE;
        } else {
            height = add_entries::<T, 1>(sums, (columns, values), at, x);
            k += 1;
        }
    }
}

/// E entries of each row from `first` on. Returns how many rows may have more: up to the last that had any.
fn add_entries<T: Scalar, const E: usize>(
    sums: &mut [T],
    (columns, values): (&[u32], &[T]),
    (first, step): (usize, usize),
    x: &[T],
) -> usize {
    let height = sums.len();
    let places = |e: usize| first + e * step..first + e * step + height;
    let columns: [&[u32]; E] = std::array::from_fn(|e| &columns[places(e)]);
    let values: [&[T]; E] = std::array::from_fn(|e| &values[places(e)]);
    let mut left = 0;
    for (i, sum) in sums.iter_mut().enumerate() {
        let mut total = *sum;
        for e in 0..E {
            let Some(x) = x.get(columns[e][i] as usize) else {
                break;
            };
            total = values[e][i].mul_add(*x, total);
            left = i + 1;
        }
        *sum = total;
    }
    left
}

/// Rows of runs side by side, run by run. Neighbours whose runs are alike go together, mostly all of them.
pub(super) struct Runs<T> {
    sums: Vec<T>,
    /// Rows that may have more runs: up to the last that had one.
    left: usize,
    /// Entries that were added, as long as those are as many in all rows.
    level: Option<u32>,
    /// The same of each row, from then on.
    before: Vec<u32>,
    /// The next run of each row: its first column, and how many; none at a row's end.
    firsts: Vec<u32>,
    lengths: Vec<u32>,
}

impl<T: Scalar> Runs<T> {
    /// As many rows as `height`.
    pub(super) fn new(height: usize) -> Self {
        Self {
            sums: vec![T::zero(); height],
            left: height,
            level: Some(0),
            before: vec![0; height],
            firsts: vec![0; height],
            lengths: vec![0; height],
        }
    }

    /// So many new rows, no more than there were.
    pub(super) fn begin(&mut self, height: usize) {
        self.sums.truncate(height);
        self.sums.fill(T::zero());
        self.left = height;
        self.level = Some(0);
    }

    /// Adds the runs of all rows, of first column and length, which is 0 behind a row's last: `across` has run by run those of the
    /// rows, `along(i, r)` those of row i from the r-th on. Entry k of row i is at `first + k·step + i`. Inline, so that runs
    /// are taken apart in vectors.
    #[inline]
    pub(super) fn add<A, B>(
        &mut self,
        across: impl Iterator<Item = A>,
        along: impl Fn(usize, usize) -> B,
        values: &[T],
        (first, step): (usize, usize),
        x: &[T],
    ) where
        A: Iterator<Item = (u32, u32)>,
        B: Iterator<Item = (u32, u32)>,
    {
        for (r, runs) in across.enumerate() {
            self.read(runs);
            if self.left == 0 {
                return;
            }
            if !self.add_known(values, (first, step), x) {
                self.finish(|i| along(i, r), values, (first, step), x);
                return;
            }
        }
    }

    /// Adds what each row has left, row after row. Not inline, so that `add` keeps what it needs in registers.
    #[inline(never)]
    fn finish<B: Iterator<Item = (u32, u32)>>(
        &mut self,
        runs: impl Fn(usize) -> B,
        values: &[T],
        (first, step): (usize, usize),
        x: &[T],
    ) {
        let rows = self.sums[..self.left]
            .iter_mut()
            .zip(self.before.iter().zip(&self.lengths));
        for (i, (sum, (before, length))) in rows.enumerate() {
            if *length > 0 {
                let at = first + *before as usize * step + i;
                *sum = add_row(*sum, runs(i), values, (at, step), x);
            }
        }
    }

    /// Takes the next run of each row.
    #[inline]
    fn read(&mut self, runs: impl Iterator<Item = (u32, u32)>) {
        let (firsts, lengths) = (&mut self.firsts[..self.left], &mut self.lengths[..self.left]);
        for ((known, length), run) in firsts.iter_mut().zip(&mut *lengths).zip(runs) {
            (*known, *length) = run;
        }
        let last = lengths.iter().rposition(|length| *length > 0);
        self.left = last.map_or(0, |last| last + 1);
    }

    /// Adds the next run of each row. False, and nothing is added, where row after row is faster.
    fn add_known(&mut self, values: &[T], (first, step): (usize, usize), x: &[T]) -> bool {
        let height = self.left;
        let (firsts, lengths) = (&self.firsts[..height], &self.lengths[..height]);
        if let Some(level) = self.level {
            let differing = lengths.iter().fold(0, |bits, length| bits | (length ^ lengths[0]));
            if differing == 0 {
                let at = (first + level as usize * step, step);
                add_run(&mut self.sums[..height], firsts, lengths[0] as usize, values, at, x);
                self.level = Some(level + lengths[0]);
                return true;
            }
            self.level = None;
            self.before[..height].fill(level);
        }
        let before = &mut self.before[..height];
        let unlike = unlike(before, lengths);
        if step < BLOCK {
            // Rows lie together, as those of a slice, and go to their ends in near caches. No format has 2³² slots.
            let entries: u32 = lengths.iter().sum();
            if unlike * STRETCH > entries as usize {
                return false;
            }
        } else {
            // Each entry of a row is on a page of its own, and what neighbours have there is read with it: rows go alone where
            // they are few.
            let (some, of_some) = (height.div_ceil(SAMPLE), lengths.iter().step_by(SAMPLE));
            if of_some.filter(|length| **length > 0).count() * FEW < some {
                return false;
            }
        }
        if unlike * GROUP > height {
            let rows = self.sums.iter_mut().zip(before).zip(firsts.iter().zip(lengths));
            for (i, ((sum, before), (column, length))) in rows.enumerate() {
                let at = first + *before as usize * step + i;
                let x = x[*column as usize..][..*length as usize].iter().enumerate();
                *sum = x.fold(*sum, |sum, (k, x)| values[at + k * step].mul_add(*x, sum));
                *before += *length;
            }
            return true;
        }
        let mut i = 0;
        while i < height {
            let (added, length) = (before[i], lengths[i]);
            let end = i + alike(&before[i..], &lengths[i..]);
            let at = first + added as usize * step + i;
            let (sums, firsts) = (&mut self.sums[i..end], &firsts[i..end]);
            if end - i < GROUP {
                // Too few for what a call of the other costs.
                for (at, (sum, first)) in (at..).zip(sums.iter_mut().zip(firsts)) {
                    let x = &x[*first as usize..][..length as usize];
                    let entries = x.iter().enumerate();
                    *sum = entries.fold(*sum, |sum, (k, x)| values[at + k * step].mul_add(*x, sum));
                }
            } else {
                add_run(sums, firsts, length as usize, values, (at, step), x);
            }
            before[i..end].fill(added + length);
            i = end;
        }
        true
    }

    /// The sums of the rows, for who adds all runs himself.
    pub(super) fn sums_mut(&mut self) -> &mut [T] {
        &mut self.sums
    }

    /// The sums of the rows.
    pub(super) fn sums(&self) -> &[T] {
        &self.sums
    }
}

/// Adds the runs of one row, the first of whose entries are at `at`, `at + step`, …
#[inline]
fn add_row<T: Scalar>(
    mut sum: T,
    runs: impl Iterator<Item = (u32, u32)>,
    values: &[T],
    (mut at, step): (usize, usize),
    x: &[T],
) -> T {
    for (column, length) in runs {
        // Apart, since most runs are of one where rows are unlike, and a loop over one costs more than its entry.
        if length == 1 {
            sum = values[at].mul_add(x[column as usize], sum);
            at += step;
            continue;
        }
        if length == 0 {
            break;
        }
        for x in &x[column as usize..][..length as usize] {
            sum = values[at].mul_add(*x, sum);
            at += step;
        }
    }
    sum
}

/// How many rows are unlike the one before them.
fn unlike(added: &[u32], lengths: &[u32]) -> usize {
    let added = added.iter().zip(&added[1..]);
    let both = added.zip(lengths.iter().zip(&lengths[1..]));
    both.filter(|((a, b), (c, d))| (*a ^ *b) | (*c ^ *d) != 0).count()
}

/// How many rows from the first on have added as many entries as that, and go on with a run as long.
fn alike(added: &[u32], lengths: &[u32]) -> usize {
    let (as_many, as_long) = (added[0], lengths[0]);
    let groups = added.as_chunks().0.iter().zip(lengths.as_chunks().0);
    let whole = groups.take_while(|(added, lengths)| (**added, **lengths) == ([as_many; GROUP], [as_long; GROUP]));
    let before = GROUP * whole.count();
    let rows = added[before..].iter().zip(&lengths[before..]);
    let others = rows.take_while(|(added, length)| (**added, **length) == (as_many, as_long));
    before + others.count()
}

/// A run of `length` columns of each row.
fn add_run<T: Scalar>(
    sums: &mut [T],
    firsts: &[u32],
    length: usize,
    values: &[T],
    (first, step): (usize, usize),
    x: &[T],
) {
    let mut k = 0;
    while k < length {
        let at = (first + k * step, step);
        k += match length - k {
            1 => add_columns::<T, 1>(sums, firsts, k, values, at, x),
            2 => add_columns::<T, 2>(sums, firsts, k, values, at, x),
            4 => add_columns::<T, 4>(sums, firsts, k, values, at, x),
            _ => add_columns::<T, 3>(sums, firsts, k, values, at, x),
        };
    }
}

/// E columns of each row, from the k-th of its run on. Returns E.
fn add_columns<T: Scalar, const E: usize>(
    sums: &mut [T],
    firsts: &[u32],
    k: usize,
    values: &[T],
    (first, step): (usize, usize),
    x: &[T],
) -> usize {
    let height = sums.len();
    let of_row = |first: u32| -> &[T; E] {
        let following = x[first as usize + k..].first_chunk();
        following.expect("runs end before the columns do")
    };
    let values: [&[T]; E] = std::array::from_fn(|e| &values[first + e * step..][..height]);
    let groups: [&[[T; GROUP]]; E] = std::array::from_fn(|e| &values[e].as_chunks().0[..height / GROUP]);
    let (sums, last_sums) = sums.as_chunks_mut::<GROUP>();
    let (firsts, last_firsts) = firsts.as_chunks::<GROUP>();
    for (group, (sums, firsts)) in sums.iter_mut().zip(firsts).enumerate() {
        let x: [&[T; E]; GROUP] = std::array::from_fn(|row| of_row(firsts[row]));
        for e in 0..E {
            for row in 0..GROUP {
                sums[row] = groups[e][group][row].mul_add(x[row][e], sums[row]);
            }
        }
    }
    for (i, (sum, first)) in (height / GROUP * GROUP..).zip(last_sums.iter_mut().zip(last_firsts)) {
        let x = of_row(*first);
        *sum = (0..E).fold(*sum, |sum, e| values[e][i].mul_add(x[e], sum));
    }
    E
}

#[cfg(test)]
mod tests {
    use super::super::{Coo, Csr, Format, Stored, generate};
    use super::BLOCK;

    /// Rows of alike runs, among which every so many have more of them, of all lengths; one in three begins with a run of one.
    fn uneven(rows: usize, every: usize) -> Csr<f64> {
        let mut coo = Coo::new(rows, 4096).unwrap();
        let mut push =
            |row: usize, column: usize| coo.push(row, column, ((row + 3 * column) % 11) as f64 - 4.0).unwrap();
        for row in 0..rows {
            let runs = if row % every == 0 { 2 + row / every % 23 } else { 1 };
            for run in 0..runs {
                let first = 40 * run + row % 29;
                if run > 0 || row % 3 > 0 {
                    (first..first + 2 + run * row % 3).for_each(|column| push(row, column));
                }
                push(row, first + 8);
            }
        }
        Csr::from_coo(&coo).unwrap()
    }

    /// All formats have the product of CSR, in integers.
    fn agree(a: &Csr<f64>, what: &str) {
        let x: Vec<f64> = (0..a.cols()).map(|column| (column % 13) as f64 - 6.0).collect();
        let mut expected = vec![0.0; a.rows()];
        a.multiply(1.0, &x, 0.0, &mut expected).unwrap();
        for format in Format::ALL {
            let mut y = vec![f64::NAN; a.rows()];
            Stored::new(a, format).unwrap().multiply(1.0, &x, 0.0, &mut y).unwrap();
            assert_eq!(y, expected, "{} of {what}", format.name());
        }
    }

    #[test]
    fn rows_that_go_on_alone_are_summed_to_their_ends() {
        for (rows, every) in [(BLOCK + 905, 1), (BLOCK + 905, 3), (BLOCK + 905, 50), (90, 1), (90, 31)] {
            agree(&uneven(rows, every), &format!("{rows} rows, every {every}"));
        }
    }

    #[test]
    fn rows_unlike_the_one_before_are_summed_to_their_ends() {
        // Little padding, and the largest are read ahead, the others are too few for that.
        for n in [1, 2, 9, 45, 90, 101] {
            let a = generate::wathen(n, n, 1).unwrap().map(f64::round);
            agree(&a, &format!("quadratic elements, {n} by {n}"));
        }
    }
}
