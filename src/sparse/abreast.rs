//! Rows of the host summed side by side, in formats that lie across rows: neighbours are read as they lie, the sums of many
//! rows do not wait for each other, and each is loaded and stored once for several entries. A row is summed in its own order.

use crate::scalar::Scalar;

/// Rows of ELL and RBP-ELL that are summed side by side: pieces of a column long enough to be fetched ahead, and sums that
/// stay in the nearest cache.
pub(super) const BLOCK: usize = 1024;

/// Entries of a padded row that are added to its sum at once.
const AT_ONCE: usize = 4;

/// Adds to each sum the entries of its row: entry k of row i is at `first + k·step + i`, `width` of them, with columns past
/// every x behind a row's last one.
pub(super) fn add_padded<T: Scalar>(
    sums: &mut [T],
    (columns, values): (&[u32], &[T]),
    (first, step, width): (usize, usize, usize),
    x: &[T],
) {
    let mut k = 0;
    while k + AT_ONCE <= width {
        if !add_entries::<T, AT_ONCE>(sums, (columns, values), (first + k * step, step), x) {
            // Nor does anything follow.
            return;
        }
        k += AT_ONCE;
    }
    for k in k..width {
        add_entries::<T, 1>(sums, (columns, values), (first + k * step, step), x);
    }
}

/// E entries of each row from `first` on, and whether there was any.
fn add_entries<T: Scalar, const E: usize>(
    sums: &mut [T],
    (columns, values): (&[u32], &[T]),
    (first, step): (usize, usize),
    x: &[T],
) -> bool {
    let height = sums.len();
    let places = |e: usize| first + e * step..first + e * step + height;
    let columns: [&[u32]; E] = std::array::from_fn(|e| &columns[places(e)]);
    let values: [&[T]; E] = std::array::from_fn(|e| &values[places(e)]);
    let mut any = false;
    for (i, sum) in sums.iter_mut().enumerate() {
        let mut total = *sum;
        for e in 0..E {
            let Some(x) = x.get(columns[e][i] as usize) else {
                break;
            };
            total = values[e][i].mul_add(*x, total);
            any = true;
        }
        *sum = total;
    }
    any
}

/// Rows of runs side by side, run by run. Neighbours whose runs are alike go together, mostly all of them.
pub(super) struct Runs<T> {
    sums: Vec<T>,
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
        self.level = Some(0);
    }

    /// Adds a run of each row, of first column and length; entry k of row i is at `first + k·step + i`. Whether there was
    /// any.
    pub(super) fn add(
        &mut self,
        runs: impl Iterator<Item = (u32, u32)>,
        values: &[T],
        (first, step): (usize, usize),
        x: &[T],
    ) -> bool {
        let mut any = 0;
        for ((known, length), run) in self.firsts.iter_mut().zip(&mut self.lengths).zip(runs) {
            (*known, *length) = run;
            any |= run.1;
        }
        let height = self.sums.len();
        if any == 0 || height == 0 {
            return false;
        }
        let (firsts, lengths) = (&self.firsts[..height], &self.lengths[..height]);
        if let Some(level) = self.level {
            let differing = lengths.iter().fold(0, |bits, length| bits | (length ^ lengths[0]));
            if differing == 0 {
                self.level = Some(level + lengths[0]);
            } else {
                self.level = None;
            }
            self.before[..height].fill(level);
        }
        let before = &mut self.before[..height];
        let mut i = 0;
        while i < height {
            let (added, length) = (before[i], lengths[i]);
            let alike = |(before, of_run): &(&u32, &u32)| (**before, **of_run) == (added, length);
            let end = match self.level {
                Some(_) => height,
                None => i + before[i..].iter().zip(&lengths[i..]).take_while(alike).count(),
            };
            let at = first + added as usize * step + i;
            add_run(
                &mut self.sums[i..end],
                &firsts[i..end],
                length as usize,
                values,
                (at, step),
                x,
            );
            before[i..end].fill(added + length);
            i = end;
        }
        true
    }

    /// The sums of the rows.
    pub(super) fn sums(&self) -> &[T] {
        &self.sums
    }
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
    let values: [&[T]; E] = std::array::from_fn(|e| &values[first + e * step..first + e * step + height]);
    for (i, (sum, column)) in sums.iter_mut().zip(firsts).enumerate() {
        let x = &x[*column as usize + k..][..E];
        *sum = (0..E).fold(*sum, |sum, e| values[e][i].mul_add(x[e], sum));
    }
    E
}
