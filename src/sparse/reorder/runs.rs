//! An ordering that lengthens runs: what Kawamura et al. (2020) leave open, for the packing that they propose.
//!
//! Where one column follows another, every row that has both has a run less. So there are nnz runs less the rows that
//! neighbouring columns share, and those who want the fewest look for a travelling salesman's path through the columns
//! (Pinar and Heath, *Improving performance of sparse matrix-vector multiplication*, SC 1999). Here they are found as
//! salesmen begin: pairs of columns, those that share most rows first, become neighbours, unless one of them has two
//! neighbours or a path leads from one to the other (Bentley, *Fast algorithms for geometric traveling salesman problems*,
//! ORSA Journal on Computing 4, 1992, "greedy"). The paths lie in the order in which an ordering that they were given, or
//! reverse Cuthill–McKee, comes to their ends, so that columns that are coupled stay near each other.

use std::cmp::Reverse;

use super::{Permutation, adjacency, rcm};
use crate::Result;
use crate::host_memory::{filled, reserved, room};
use crate::sparse::bands;
use crate::sparse::csr_pattern::CsrPattern;
use crate::sparse::indices::narrow;
use crate::sparse::runs as runs_of;

/// Of each column, so many others with which it shares most rows are looked at.
const PARTNERS: usize = 8;
/// Rows of more entries say little of who belongs together, and there would be as many pairs as the squares of these.
const LONGEST: usize = 256;
/// No column.
const NOBODY: u32 = u32::MAX;

/// An ordering of a square matrix in which columns that share rows follow each other: never with more runs, isolated
/// entries among them, than the matrix has as it comes or by [`rcm`](super::rcm()). Explicit zeros count as entries.
///
/// Cost: that of [`rcm`](super::rcm()), O(Σ |row|²) over rows of up to 256 entries, and a sort of eight pairs a row; once the
/// pattern of A + Aᵀ is gone, 8 bytes an entry and some 150 a row.
///
/// # Errors
/// As [`rcm`](super::rcm()).
///
/// ```
/// use nonius::sparse::{Footprint, generate, reorder};
///
/// // Elasticity with all displacements along x first, then along y, then along z: runs of neighbours only.
/// let a = generate::elasticity(4, 4, 4)?;
/// let nodes = a.rows() as u32 / 3;
/// let by_axis = reorder::Permutation::new((0..3 * nodes).map(|k| 3 * (k % nodes) + k / nodes).collect())?;
/// let scattered = by_axis.apply_symmetric(&a)?;
/// let p = reorder::runs(scattered.pattern())?;
/// let gathered = p.apply_symmetric(&scattered)?;
/// let descriptors = |a: &nonius::sparse::Csr<f64>| Footprint::of(a.pattern()).descriptors;
/// assert!(2 * descriptors(&gathered) < descriptors(&scattered));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn runs(pattern: &CsrPattern) -> Result<Permutation> {
    let order = rcm::of_graph(&adjacency("runs", pattern)?)?;
    let given = Counted::of(pattern, Permutation::identity(pattern.rows())?)?;
    let base = given.or(Counted::of(pattern, Permutation { order })?);
    let order = along_paths(pattern, &base.order)?;
    Ok(base.or(Counted::of(pattern, Permutation { order })?).order)
}

/// An ordering, and how many runs it leaves.
struct Counted {
    order: Permutation,
    runs: usize,
}

impl Counted {
    fn of(pattern: &CsrPattern, order: Permutation) -> Result<Self> {
        let new = order.inverse()?.order;
        let parts = bands::map(pattern.rows(), 1, pattern.nnz(), |mut rows| {
            let mut columns = Vec::new();
            rows.try_fold(0, |runs, row| {
                let row = pattern.row(row);
                columns.clear();
                room(&mut columns, row.len(), "the columns of a row")?;
                columns.extend(row.iter().map(|column| new[*column as usize]));
                columns.sort_unstable();
                Ok(runs + runs_of::of(&columns).count())
            })
        });
        let runs = parts.into_iter().sum::<Result<usize>>()?;
        Ok(Self { order, runs })
    }

    /// The one with fewer runs, and of equals the first.
    fn or(self, other: Self) -> Self {
        if other.runs < self.runs { other } else { self }
    }
}

/// Two columns that share rows; the best is the least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rows: Reverse<u32>,
    /// How far they lie apart in the ordering that there is: of pairs that share as many rows, neighbours stay neighbours.
    apart: u32,
    columns: [u32; 2],
}

/// Each column's best partners. Most pairs are found twice, from either column.
fn pairs(pattern: &CsrPattern, base: &Permutation) -> Result<Vec<Pair>> {
    const WHAT: &str = "the pairs of an ordering";
    let n = pattern.rows();
    let (by_columns, _) = pattern.transpose()?;
    let place = base.inverse()?.order;
    let mut shared = filled(n, 0_u32, WHAT)?;
    let mut pairs = reserved(n.saturating_mul(PARTNERS), WHAT)?;
    let mut found = reserved(n, WHAT)?;
    let mut best = Vec::new();
    for column in 0..n {
        let short = |row: &&u32| pattern.length(**row as usize) <= LONGEST;
        for row in by_columns.row(column).iter().filter(short) {
            for other in pattern.row(*row as usize) {
                if shared[*other as usize] == 0 {
                    found.push(*other);
                }
                shared[*other as usize] += 1;
            }
        }
        room(&mut best, found.len(), WHAT)?;
        let of_column = found.drain(..).map(|other| Pair {
            rows: Reverse(std::mem::take(&mut shared[other as usize])),
            apart: place[column].abs_diff(place[other as usize]),
            columns: [narrow(column).min(other), narrow(column).max(other)],
        });
        best.extend(of_column.filter(|pair| pair.columns[0] != pair.columns[1]));
        if best.len() > PARTNERS {
            best.select_nth_unstable(PARTNERS);
            best.truncate(PARTNERS);
        }
        pairs.append(&mut best);
    }
    Ok(pairs)
}

/// The columns path by path.
fn along_paths(pattern: &CsrPattern, base: &Permutation) -> Result<Vec<u32>> {
    const WHAT: &str = "the paths of an ordering";
    let n = pattern.rows();
    let mut pairs = pairs(pattern, base)?;
    pairs.sort_unstable();
    let mut neighbours = filled(n, [NOBODY; 2], WHAT)?;
    let mut paths = Paths::of(n)?;
    for Pair { columns, .. } in pairs {
        let is_free = |column: u32| neighbours[column as usize][1] == NOBODY;
        let [left, right] = columns;
        if is_free(left) && is_free(right) && paths.join(left, right) {
            for (column, other) in [(left, right), (right, left)] {
                let [first, second] = &mut neighbours[column as usize];
                *(if *first == NOBODY { first } else { second }) = other;
            }
        }
    }
    let mut is_placed = filled(n, false, WHAT)?;
    let mut order: Vec<u32> = reserved(n, WHAT)?;
    for end in &base.order {
        let is_end = neighbours[*end as usize][1] == NOBODY;
        let mut next = (is_end && !is_placed[*end as usize]).then_some(*end);
        while let Some(column) = next {
            is_placed[column as usize] = true;
            order.push(column);
            let beside = neighbours[column as usize].into_iter();
            next = beside
                .filter(|other| *other != NOBODY)
                .find(|other| !is_placed[*other as usize]);
        }
    }
    Ok(order)
}

/// Which columns are on one path: a forest, whose roots stand for paths.
struct Paths {
    above: Vec<u32>,
}

impl Paths {
    fn of(n: usize) -> Result<Self> {
        Ok(Self {
            above: Permutation::identity(n)?.order,
        })
    }

    /// The root above a column; whoever is passed on the way is hung up higher.
    fn root(&mut self, mut column: u32) -> u32 {
        while self.above[column as usize] != column {
            let above = self.above[column as usize];
            self.above[column as usize] = self.above[above as usize];
            column = above;
        }
        column
    }

    /// Makes one path of two; false if both are on one, whose ends would meet.
    fn join(&mut self, left: u32, right: u32) -> bool {
        let [left, right] = [left, right].map(|column| self.root(column));
        self.above[left as usize] = right;
        left != right
    }
}
