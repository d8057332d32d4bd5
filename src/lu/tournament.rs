//! The pivots of a panel by tournament, and the panel with them.

use super::exchange;
use super::panel;
use super::shape::WIDTH;
use super::state::{Block, Order, State};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Candidates that meet in a workgroup.
const CANDIDATES: usize = WORKGROUP.default as usize;

/// Finds the pivots of columns `first..first + width` among the rows from `first` on, and does the exchanges in all columns:
/// groups of rows send `width` pivots each into the next round, until one group is left (Grigori, Demmel and Xiang 2011).
pub(super) fn exchange<T: Scalar>(a: &mut Matrix<T>, first: usize, width: usize, order: &mut Order) -> Result<()> {
    let device = a.device().clone();
    let (rows, cols) = (a.rows(), a.cols());
    match device.ground() {
        Ground::Host => {
            let winners = on_host(a.buffer().host(), rows, cols, first, width);
            exchange_on_host(a.buffer_mut().host_mut(), cols, first, &winners, order);
        }
        Ground::Gpu(gpu) => {
            let block = Block {
                first,
                steps: width,
                limit: 0,
            };
            let state = State::new::<T>(gpu, order, block)?;
            let groups = (rows - first).div_ceil(CANDIDATES);
            let table = gpu.scratch("rows of a tournament", (2 * groups * width * size_of::<u32>()) as u64)?;
            let mut count = rows - first;
            let mut round = 0;
            loop {
                let groups_now = count.div_ceil(CANDIDATES);
                let write_at = round % 2 * groups * width;
                gpu.launch(&Launch {
                    kernel: &TOURNAMENT,
                    precision: Precision::of::<T>(Width::Single),
                    constants: &[(WIDTH.name, crate::device::narrow(panel::width::<T>(&device)))],
                    params: Params::new()
                        .size("first", first)
                        .size("width", width)
                        .size("leading", cols)
                        .size("count", count)
                        .size("round", round)
                        .size("read_at", (round + 1) % 2 * groups * width)
                        .size("write_at", write_at),
                    buffers: &[a.buffer().gpu(), &table],
                    grid: Grid::of(groups_now as u64),
                    work: Work {
                        bytes: (count * width * size_of::<T>()) as u64,
                        operations: (count * width * width) as u64,
                    },
                })?;
                count = groups_now * width;
                round += 1;
                if groups_now == 1 {
                    place(gpu, &table, write_at, first, width, &state)?;
                    break;
                }
            }
            exchange::launch(gpu, a, &state, block, 0, None)?;
        }
    }
    Ok(())
}

fn place(gpu: &Gpu, table: &GpuBuffer, read_at: usize, first: usize, width: usize, state: &State<'_>) -> Result<()> {
    gpu.launch(&Launch {
        kernel: &PLACE_WINNERS,
        precision: Precision::of::<f32>(Width::Single),
        constants: &[],
        params: Params::new()
            .size("first", first)
            .size("width", width)
            .size("read_at", read_at),
        buffers: &[table, &state.place, &state.source, state.pivots.gpu()],
        grid: Grid::of(1),
        work: Work::default(),
    })
}

/// The rows, counted from `first`, that win, in the order of the columns.
fn on_host<T: Scalar>(a: &[T], rows: usize, cols: usize, first: usize, width: usize) -> Vec<usize> {
    let mut candidates: Vec<usize> = (0..rows - first).collect();
    loop {
        let groups = candidates.chunks(CANDIDATES);
        let last = groups.len() == 1;
        candidates = groups.flat_map(|group| winners(a, cols, first, width, group)).collect();
        if last {
            return candidates;
        }
    }
}

/// The pivots of some rows, by partial pivoting among them.
fn winners<T: Scalar>(a: &[T], cols: usize, first: usize, width: usize, group: &[usize]) -> Vec<usize> {
    let entries = |row: &usize| a[(first + row) * cols + first..][..width].to_vec();
    let mut rest: Vec<(usize, Vec<T>)> = group.iter().map(|row| (*row, entries(row))).collect();
    let mut chosen = Vec::new();
    for c in 0..width.min(group.len()) {
        let mut best = 0;
        for (i, (_, row)) in rest.iter().enumerate() {
            let (largest, next) = (rest[best].1[c].abs(), row[c].abs());
            if !largest.is_nan() && (next > largest || next.is_nan()) {
                best = i;
            }
        }
        let (row, pivot) = rest.remove(best);
        chosen.push(row);
        if pivot[c].is_zero() {
            continue;
        }
        for (_, row) in &mut rest {
            let negative = -(row[c] / pivot[c]);
            for j in c + 1..width {
                row[j] = negative.mul_add(pivot[j], row[j]);
            }
        }
    }
    chosen
}

fn exchange_on_host<T: Scalar>(a: &mut [T], cols: usize, first: usize, winners: &[usize], order: &mut Order) {
    // Where a row is that was at place i before: exchanges move rows that have not been chosen yet.
    let mut place: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
    for (c, winner) in winners.iter().enumerate() {
        let there = place.get(winner).copied().unwrap_or(*winner);
        let leaves = place.iter().find(|(_, at)| **at == c).map_or(c, |(row, _)| *row);
        place.insert(*winner, c);
        if there != c {
            place.insert(leaves, there);
        }
        let (here, there) = (first + c, first + there);
        order.pivots.host_mut()[here] = crate::device::narrow(there);
        order.rows.host_mut().swap(here, there);
        (0..cols).for_each(|j| a.swap(here * cols + j, there * cols + j));
    }
}

pub(super) static TOURNAMENT: Kernel = Kernel {
    name: "lu::tournament",
    entry: "tournament",
    source: fragment!("lu/tournament.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl"), fragment!("lu/divisor.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["first", "width", "leading", "count", "round", "read_at", "write_at"],
    scalars: &[],
    constants: &[WORKGROUP, WIDTH],
    vocabulary: Vocabulary::Elements,
};

const WIDEST: Constant = Constant {
    name: "WIDTH",
    default: 16,
};

pub(super) static PLACE_WINNERS: Kernel = Kernel {
    name: "lu::place_winners",
    entry: "place_winners",
    source: fragment!("lu/place_winners.wgsl"),
    fragments: &[],
    bindings: &[Access::Read, Access::ReadWrite, Access::ReadWrite, Access::ReadWrite],
    integers: &["first", "width", "read_at"],
    scalars: &[],
    constants: &[WIDEST],
    vocabulary: Vocabulary::Elements,
};
