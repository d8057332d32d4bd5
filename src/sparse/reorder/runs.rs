//! An ordering that lengthens runs: what Kawamura et al. (2020) leave open, for the packing that they propose.
//!
//! Unknowns that couple with the same others (the three displacements at a node, say) occur in the same rows. Numbered
//! next to each other, they make a run in each of these rows, whatever else is done. So they are found first, as
//! indistinguishable nodes of the graph (George and Liu, *The evolution of the minimum degree ordering algorithm*, SIAM
//! Review 31, 1989, §3), and reverse Cuthill–McKee orders the groups, which puts groups that share rows near each other.

use std::collections::HashMap;

use super::{Permutation, adjacency, rcm};
use crate::Result;
use crate::sparse::csr_pattern::CsrPattern;
use crate::sparse::indices::narrow;

/// An ordering of a square matrix in which unknowns that couple with the same unknowns, themselves included, follow each
/// other. On the pattern of A + Aᵀ; O(nnz log(longest row)).
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
/// assert!(descriptors(&gathered) < descriptors(&scattered));
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn runs(pattern: &CsrPattern) -> Result<Permutation> {
    let graph = adjacency("runs", pattern)?;
    let groups = indistinguishable(&graph);
    let mut group_of = vec![0; graph.rows()];
    for (group, members) in groups.iter().enumerate() {
        for member in members {
            group_of[*member as usize] = narrow(group);
        }
    }
    // The neighbours of one member are those of all.
    let (mut row_ptr, mut columns): (_, Vec<u32>) = (vec![0], Vec::new());
    for (group, members) in groups.iter().enumerate() {
        let begin = columns.len();
        let neighbours = graph.row(members[0] as usize).iter();
        columns.extend(
            neighbours
                .map(|neighbour| group_of[*neighbour as usize])
                .filter(|other| *other as usize != group),
        );
        columns[begin..].sort_unstable();
        let mut unique = columns.split_off(begin);
        unique.dedup();
        columns.append(&mut unique);
        row_ptr.push(narrow(columns.len()));
    }
    let quotient = CsrPattern::trusted(groups.len(), row_ptr, columns);
    let order = rcm::of_graph(&quotient);
    Ok(Permutation {
        order: order
            .iter()
            .flat_map(|group| groups[*group as usize].iter().copied())
            .collect(),
    })
}

/// The nodes grouped by their closed neighbourhoods, in the order of each group's first node.
fn indistinguishable(graph: &CsrPattern) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    // Equal neighbourhoods have equal sums of their nodes' hashes; whether the converse holds is then looked up.
    let mut with_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    for node in (0..graph.rows()).map(narrow) {
        let hash = closed(graph, node).map(mix).fold(0, u64::wrapping_add);
        let candidates = with_hash.entry(hash).or_default();
        let same = |group: &&usize| equal(graph, groups[**group][0], node);
        match candidates.iter().find(same).copied() {
            Some(group) => groups[group].push(node),
            None => {
                candidates.push(groups.len());
                groups.push(vec![node]);
            }
        }
    }
    groups
}

/// A node's neighbours and itself.
fn closed(graph: &CsrPattern, node: u32) -> impl Iterator<Item = u32> + '_ {
    graph.row(node as usize).iter().copied().chain([node])
}

fn equal(graph: &CsrPattern, a: u32, b: u32) -> bool {
    let sorted = |node| {
        let mut nodes: Vec<u32> = closed(graph, node).collect();
        nodes.sort_unstable();
        nodes
    };
    graph.row(a as usize).len() == graph.row(b as usize).len() && sorted(a) == sorted(b)
}

/// The finalizer of SplitMix64: neighbouring numbers get unrelated hashes, so that sums seldom collide.
fn mix(node: u32) -> u64 {
    let mut z = u64::from(node).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
