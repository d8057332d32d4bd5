//! T X = B for a triangle of the factors, block by block: forwards, backwards, and with their transposes.

use super::PANEL;
use super::solve_block::{self, Triangle};
use crate::dense::{Matrix, MatrixView, gemm};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Columns of B up to which every workgroup solves the diagonal block for itself; with more, one dispatch solves it and
/// a product updates the rest.
const FEW: usize = 8;

/// Solves `T X = B`: X comes back, `b` is used up. `t` is square, whole or a transposed view of the whole, and what is
/// beside the triangle is not read.
///
/// Accuracy: `(T + ΔT) x = b` with |ΔT| ≤ γ·|T|, γ = n roundings (Higham 2002, theorem 8.5: in any order of the sums).
/// Cost: n²/2 multiply-adds a column; with up to 8 columns, a dispatch for every 64 rows, else 2 for every 32.
pub(super) fn solve<T: Scalar>(triangle: Triangle, t: MatrixView<'_, T>, mut b: Matrix<T>) -> Result<Matrix<T>> {
    if b.rows() == 0 || b.cols() == 0 {
        return Ok(b);
    }
    match t.device().ground() {
        Ground::Gpu(gpu) if b.cols() <= FEW => few(gpu, triangle, &t, &b),
        _ => many(triangle, &t, &mut b).map(|()| b),
    }
}

/// The blocks of a triangle of n rows, in the order in which they are solved: first row, rows, and the rows that remain.
fn blocks(triangle: Triangle, n: usize, block: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    (0..n.div_ceil(block)).map(move |step| {
        let number = if triangle.is_upper() {
            n.div_ceil(block) - 1 - step
        } else {
            step
        };
        let first = number * block;
        let size = block.min(n - first);
        let rest = if triangle.is_upper() { 0..first } else { first + size..n };
        (first, size, rest)
    })
}

/// T X = B for at most [`FEW`] columns.
fn few<T: Scalar>(gpu: &Gpu, triangle: Triangle, t: &MatrixView<'_, T>, b: &Matrix<T>) -> Result<Matrix<T>> {
    debug_assert!(b.cols() <= FEW);
    let (n, cols) = (b.rows(), b.cols());
    let x = Matrix::zeros(b.device(), n, cols)?;
    let lines = (WORKGROUP.default / LANES.default) as usize;
    for (first, size, rest) in blocks(triangle, n, BLOCK.default as usize) {
        let chunks = rest.len().div_ceil(lines).max(1);
        gpu.launch(&Launch {
            kernel: &SUBSTITUTION,
            precision: Precision::of::<T>(Width::Single),
            constants: &[
                (UPPER.name, u32::from(triangle.is_upper())),
                (UNIT.name, u32::from(triangle.is_unit())),
                (TURNED.name, u32::from(t.col_stride != 1)),
            ],
            params: Params::new()
                .size("size", size)
                .size("first", first)
                .size("begin", rest.start)
                .size("rest", rest.len())
                .size("cols", cols)
                .size("chunks", chunks)
                .size("t_row", t.row_stride)
                .size("t_col", t.col_stride),
            buffers: &[t.buffer.gpu(), b.buffer().gpu(), x.buffer().gpu()],
            grid: Grid::of((chunks * cols) as u64),
            work: Work {
                bytes: (size * rest.len() * size_of::<T>()) as u64,
                operations: cols as u64 * (size * (rest.len() + chunks * size / 2)) as u64,
            },
        })?;
    }
    Ok(x)
}

fn many<T: Scalar>(triangle: Triangle, t: &MatrixView<'_, T>, x: &mut Matrix<T>) -> Result<()> {
    let (n, cols) = (x.rows(), x.cols());
    let panel = PANEL.default as usize;
    let mut solved = Matrix::zeros(x.device(), panel.min(n), cols)?;
    for (first, size, rest) in blocks(triangle, n, panel) {
        let diagonal = block(t, first, first, size, size);
        solve_block::solve(triangle, diagonal, x.block_mut(first, 0, size, cols)?, &mut solved)?;
        let beside = block(t, rest.start, first, rest.len(), size);
        let known = solved.block(0, 0, size, cols)?;
        gemm(
            -T::one(),
            beside,
            known,
            T::one(),
            x.block_mut(rest.start, 0, rest.len(), cols)?,
        )?;
    }
    Ok(())
}

/// A block of a view, transposed or not; within it, as [`blocks`] are.
fn block<'a, T>(t: &MatrixView<'a, T>, row: usize, col: usize, rows: usize, cols: usize) -> MatrixView<'a, T> {
    MatrixView {
        offset: t.offset + row * t.row_stride + col * t.col_stride,
        rows,
        cols,
        ..*t
    }
}

/// Rows of a triangle that are solved in one dispatch: as many as make its steps worth their dispatch.
const BLOCK: Constant = Constant {
    name: "BLOCK",
    default: 64,
};

/// Invocations that share a row of what remains.
const LANES: Constant = Constant {
    name: "LANES",
    default: 8,
};

pub(super) const UPPER: Constant = Constant {
    name: "UPPER",
    default: 0,
};

const UNIT: Constant = Constant {
    name: "UNIT",
    default: 0,
};

const TURNED: Constant = Constant {
    name: "TURNED",
    default: 0,
};

pub(super) static SUBSTITUTION: Kernel = Kernel {
    name: "lu::substitution",
    entry: "substitution",
    source: fragment!("lu/substitution.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite, Access::ReadWrite],
    integers: &["size", "first", "begin", "rest", "cols", "chunks", "t_row", "t_col"],
    scalars: &[],
    constants: &[WORKGROUP, BLOCK, LANES, UPPER, UNIT, TURNED],
    vocabulary: Vocabulary::Elements,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_go_down_a_lower_triangle_and_up_an_upper_one() {
        let all = |triangle, n| blocks(triangle, n, 64).collect::<Vec<_>>();
        assert_eq!(all(Triangle::Lower, 65), [(0, 64, 64..65), (64, 1, 65..65)]);
        assert_eq!(all(Triangle::UnitUpper, 65), [(64, 1, 0..64), (0, 64, 0..0)]);
        assert!(all(Triangle::Upper, 0).is_empty());
    }

    /// What one right-hand side costs in dispatches: its documentation says so.
    #[test]
    fn a_column_takes_a_dispatch_for_64_rows_of_each_triangle() {
        for (n, expected) in [(1, 1), (64, 1), (65, 2), (4096, 64)] {
            assert_eq!(blocks(Triangle::UnitLower, n, BLOCK.default as usize).count(), expected);
        }
    }
}
