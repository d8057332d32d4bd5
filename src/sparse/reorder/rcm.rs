//! Reverse Cuthill–McKee: number a graph level by level from one of its ends, each level by degree, and turn it round.
//!
//! Cuthill and McKee, *Reducing the bandwidth of sparse symmetric matrices*, ACM '69; George, *Computer implementation of
//! the finite element method*, Stanford 1971 (the reversal); George and Liu, *An implementation of a pseudoperipheral
//! node finder*, ACM TOMS 5 (1979).

use super::{Permutation, adjacency};
use crate::Result;
use crate::host_memory::{filled, reserved};
use crate::sparse::csr_pattern::CsrPattern;
use crate::sparse::indices::narrow;

/// An ordering that narrows the band of a square matrix with the pattern of A + Aᵀ, component by component. Explicit
/// zeros count as entries. O(nnz log(longest row)) and some traversals of the graph.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for a matrix that is not square, or if A + Aᵀ has more than 2³² − 1 entries;
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the host cannot hold Aᵀ.
///
/// ```
/// use nonius::sparse::{Csr, reorder};
///
/// // A path 0 – 3 – 1 – 2: the band narrows from 3 to 1.
/// let path = Csr::new(4, 4, vec![0, 1, 3, 4, 6], vec![3, 2, 3, 1, 0, 1], vec![1.0_f32; 6])?;
/// let p = reorder::rcm(path.pattern())?;
/// let band = p.apply_symmetric(&path)?;
/// assert!(band.iter().all(|(row, column, _)| row.abs_diff(column) == 1));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn rcm(pattern: &CsrPattern) -> Result<Permutation> {
    Ok(Permutation {
        order: of_graph(&adjacency("rcm", pattern)?)?,
    })
}

/// The ordering of a symmetric pattern without a diagonal.
pub(super) fn of_graph(graph: &CsrPattern) -> Result<Vec<u32>> {
    const WHAT: &str = "an ordering";
    let n = graph.rows();
    let degree = |node: u32| graph.row(node as usize).len();
    let mut search = Search {
        graph,
        seen_in: filled(n, 0, WHAT)?,
        round: 0,
        reached: reserved(n, WHAT)?,
    };
    let mut numbered = filled(n, false, WHAT)?;
    let mut order: Vec<u32> = reserved(n, WHAT)?;
    for start in by_degree(graph)? {
        if numbered[start as usize] {
            continue;
        }
        let mut next = order.len();
        let root = search.peripheral(start);
        numbered[root as usize] = true;
        order.push(root);
        while next < order.len() {
            let begin = order.len();
            for neighbour in graph.row(order[next] as usize) {
                if !std::mem::replace(&mut numbered[*neighbour as usize], true) {
                    order.push(*neighbour);
                }
            }
            // Equals by their numbers: the same graph has one ordering.
            order[begin..].sort_unstable_by_key(|node| (degree(*node), *node));
            next += 1;
        }
    }
    order.reverse();
    Ok(order)
}

/// The nodes by degree, and by their numbers among equals: a counting sort.
fn by_degree(graph: &CsrPattern) -> Result<Vec<u32>> {
    const WHAT: &str = "nodes by degree";
    let mut next = filled(graph.longest() + 2, 0, WHAT)?;
    for node in 0..graph.rows() {
        next[graph.length(node) + 1] += 1;
    }
    for degree in 0..next.len() - 1 {
        next[degree + 1] += next[degree];
    }
    let mut nodes = filled(graph.rows(), 0, WHAT)?;
    for node in 0..graph.rows() {
        let next = &mut next[graph.length(node)];
        nodes[*next] = narrow(node);
        *next += 1;
    }
    Ok(nodes)
}

struct Search<'a> {
    graph: &'a CsrPattern,
    /// The round in which a node was last seen: nothing need be cleared between rounds.
    seen_in: Vec<usize>,
    round: usize,
    /// Those that the traversal has come to, level by level.
    reached: Vec<u32>,
}

impl Search<'_> {
    /// A node whose farthest node is about as far as any two of its component are: from the farthest of the last one, as
    /// long as that is farther.
    fn peripheral(&mut self, start: u32) -> u32 {
        let (mut root, (mut depth, mut farthest)) = (start, self.levels(start));
        loop {
            let (deeper, next) = self.levels(farthest);
            if deeper <= depth {
                return root;
            }
            (root, depth, farthest) = (farthest, deeper, next);
        }
    }

    /// How many levels the traversal from `root` has, and a node of least degree in the last one.
    fn levels(&mut self, root: u32) -> (usize, u32) {
        self.round += 1;
        self.seen_in[root as usize] = self.round;
        self.reached.clear();
        self.reached.push(root);
        let (mut begin, mut depth) = (0, 1);
        loop {
            let end = self.reached.len();
            for at in begin..end {
                for neighbour in self.graph.row(self.reached[at] as usize) {
                    if std::mem::replace(&mut self.seen_in[*neighbour as usize], self.round) != self.round {
                        self.reached.push(*neighbour);
                    }
                }
            }
            if self.reached.len() == end {
                let level = self.reached[begin..].iter();
                let least = level.min_by_key(|node| self.graph.row(**node as usize).len());
                return (depth, least.copied().unwrap_or(root));
            }
            (begin, depth) = (end, depth + 1);
        }
    }
}
