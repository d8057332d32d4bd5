//! A = L U of a block on the diagonal, without exchanges.

use super::borders::{SIZE, tile};
use super::options::Panels;
use super::shape::WIDTH;
use super::state::{BLOCK, Order};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Whether the exchanges of a block are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exchanges {
    /// There are none, and that is noted.
    None,
    /// They have been done and noted.
    Done,
}

/// Factors the block of `size` rows and columns at (`first`, `first`), at most [`BLOCK`] of them. Where a pivot is zero,
/// L's column is.
///
/// Cost on a GPU: one dispatch, of one workgroup; in registers one barrier, one division and two reads of workgroup memory
/// follow each other in every column.
pub(super) fn factor<T: Scalar>(
    a: &mut Matrix<T>,
    first: usize,
    size: usize,
    (exchanges, panels): (Exchanges, Panels),
    order: &mut Order,
) -> Result<()> {
    debug_assert!(size <= BLOCK.default as usize && first + size <= a.rows().min(a.cols()));
    let cols = a.cols();
    match a.device().clone().ground() {
        Ground::Host => {
            on_host(a.buffer_mut().host_mut(), cols, first, size, order);
            if exchanges == Exchanges::None {
                (first..first + size).for_each(|i| order.pivots.host_mut()[i] = crate::device::narrow(i));
            }
            Ok(())
        }
        Ground::Gpu(gpu) => {
            let (kernel, constants) = if panels.keep_triangles::<T>(a.device()) {
                // Two texts at most: panels of a tournament, and blocks.
                let tiles = if size <= 16 { 1 } else { TILES.default };
                (&DIAGONAL_REGISTERS, vec![(TILES.name, tiles)])
            } else {
                let constants = vec![
                    (WIDTH.name, tile::<T>().1),
                    (SIZE.name, BLOCK.default),
                    (WORKGROUP.name, super::waiting_invocations(a.device())),
                ];
                (&DIAGONAL, constants)
            };
            gpu.launch(&Launch {
                kernel,
                precision: Precision::of::<T>(Width::Single),
                constants: &constants,
                params: Params::new()
                    .size("first", first)
                    .size("size", size)
                    .size("leading", cols)
                    .integer("notes", u32::from(exchanges == Exchanges::None)),
                buffers: &[a.buffer().gpu(), order.pivots.gpu(), order.status.gpu()],
                grid: Grid::of(1),
                // One workgroup has a small part of the device to itself.
                work: Work {
                    bytes: 0,
                    operations: (size * size * size * 16) as u64,
                },
            })
        }
    }
}

fn on_host<T: Scalar>(a: &mut [T], cols: usize, first: usize, size: usize, order: &mut Order) {
    let end = first + size;
    for c in first..end {
        let (upper, lower) = a[..end * cols].split_at_mut((c + 1) * cols);
        let pivot_row = &upper[c * cols..][c..end];
        let status = &mut order.status.host_mut()[0];
        if pivot_row[0].is_zero() && *status == 0 {
            *status = crate::device::narrow(c + 1);
        }
        for row in lower.chunks_exact_mut(cols) {
            let row = &mut row[c..end];
            row[0] = if pivot_row[0].is_zero() {
                T::zero()
            } else {
                row[0] / pivot_row[0]
            };
            let negative = -row[0];
            row[1..]
                .iter_mut()
                .zip(&pivot_row[1..])
                .for_each(|(x, u)| *x = negative.mul_add(*u, *x));
        }
    }
}

/// Elements of a row, and of a column, that an invocation holds: 16 invocations hold [`BLOCK`].
pub(super) const TILES: Constant = Constant {
    name: "TILES",
    default: 8,
};

pub(super) static DIAGONAL_REGISTERS: Kernel = Kernel {
    name: "lu::diagonal_registers",
    entry: "diagonal_registers",
    source: fragment!("lu/diagonal_registers.wgsl"),
    fragments: &[fragment!("lu/divisor.wgsl"), fragment!("lu/diagonal_block.wgsl")],
    bindings: &[Access::ReadWrite; 3],
    integers: &["first", "size", "leading", "notes"],
    scalars: &[],
    constants: &[TILES],
    vocabulary: Vocabulary::Elements,
};

pub(super) static DIAGONAL: Kernel = Kernel {
    name: "lu::diagonal",
    entry: "diagonal",
    source: fragment!("lu/diagonal.wgsl"),
    fragments: &[fragment!("lu/divisor.wgsl")],
    bindings: &[Access::ReadWrite; 3],
    integers: &["first", "size", "leading", "notes"],
    scalars: &[],
    constants: &[WORKGROUP, WIDTH, SIZE],
    vocabulary: Vocabulary::Elements,
};
