//! T X = B for a triangular block on the diagonal.

use crate::dense::{Matrix, MatrixView, MatrixViewMut};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Which triangle of a block of L and U, or of their transposes, is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Triangle {
    /// L, whose diagonal of ones is not stored.
    UnitLower,
    /// U.
    Upper,
    /// The transpose of U.
    Lower,
    /// The transpose of L.
    UnitUpper,
}

impl Triangle {
    pub(super) fn is_upper(self) -> bool {
        matches!(self, Self::Upper | Self::UnitUpper)
    }

    pub(super) fn is_unit(self) -> bool {
        matches!(self, Self::UnitLower | Self::UnitUpper)
    }
}

/// Solves `T X = B`; X overwrites `b`, and goes to the first rows of `copy` too, for the product that follows.
/// `t`, which may be a transposed view, is square with at most [`super::PANEL`] rows, `b` has as many; `copy` has room
/// for it.
pub(super) fn solve<T: Scalar>(
    triangle: Triangle,
    t: MatrixView<'_, T>,
    b: MatrixViewMut<'_, T>,
    copy: &mut Matrix<T>,
) -> Result<()> {
    debug_assert!(t.rows == t.cols && t.rows == b.rows && copy.rows() >= b.rows && copy.cols() >= b.cols);
    let copy_leading = copy.cols();
    if b.cols == 0 {
        return Ok(());
    }
    match t.device().ground() {
        Ground::Host => on_host(triangle, &t, b, copy.buffer_mut().host_mut(), copy_leading),
        Ground::Gpu(gpu) => {
            let operations = (t.rows * t.rows) as u64 * b.cols as u64 / 2;
            gpu.launch(&Launch {
                kernel: &SOLVE_BLOCK,
                precision: Precision::of::<T>(Width::Single),
                constants: &[
                    (UPPER.name, u32::from(triangle.is_upper())),
                    (UNIT.name, u32::from(triangle.is_unit())),
                ],
                params: Params::new()
                    .size("size", t.rows)
                    .size("cols", b.cols)
                    .size("t_offset", t.offset)
                    .size("t_row", t.row_stride)
                    .size("t_col", t.col_stride)
                    .size("b_offset", b.offset)
                    .size("b_leading", b.leading)
                    .size("copy_leading", copy_leading),
                buffers: &[t.buffer.gpu(), b.buffer.gpu(), copy.buffer().gpu()],
                grid: Grid::covering(b.cols as u64, WORKGROUP.default.into()),
                work: Work { bytes: 0, operations },
            })?;
        }
    }
    Ok(())
}

fn on_host<T: Scalar>(
    triangle: Triangle,
    t: &MatrixView<'_, T>,
    b: MatrixViewMut<'_, T>,
    copy: &mut [T],
    copy_leading: usize,
) {
    let triangular = t.buffer.host();
    let (size, cols, offset, leading) = (t.rows, b.cols, b.offset, b.leading);
    let values = b.buffer.host_mut();
    for step in 0..size {
        let (i, known) = if triangle.is_upper() {
            (size - 1 - step, size - step..size)
        } else {
            (step, 0..step)
        };
        let row = t.offset + i * t.row_stride;
        for l in known {
            let negative = -triangular[row + l * t.col_stride];
            for j in 0..cols {
                let x = values[offset + l * leading + j];
                let at = offset + i * leading + j;
                values[at] = negative.mul_add(x, values[at]);
            }
        }
        let solved = &mut values[offset + i * leading..][..cols];
        if !triangle.is_unit() {
            let diagonal = triangular[row + i * t.col_stride];
            solved.iter_mut().for_each(|x| *x /= diagonal);
        }
        copy[i * copy_leading..][..cols].copy_from_slice(solved);
    }
}

const UPPER: Constant = Constant {
    name: "UPPER",
    default: 0,
};

const UNIT: Constant = Constant {
    name: "UNIT",
    default: 1,
};

pub(super) static SOLVE_BLOCK: Kernel = Kernel {
    name: "lu::solve_block",
    entry: "solve_block",
    source: fragment!("lu/solve_block.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite, Access::ReadWrite],
    integers: &[
        "size",
        "cols",
        "t_offset",
        "t_row",
        "t_col",
        "b_offset",
        "b_leading",
        "copy_leading",
    ],
    scalars: &[],
    constants: &[WORKGROUP, UPPER, UNIT],
    vocabulary: Vocabulary::Elements,
};
