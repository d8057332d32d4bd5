//! L U = A below a panel's triangle.

use super::step::WIDTH;
use super::tournament;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Solves `L U = A` for the rows below `first + width`, with the triangle U on the diagonal there; L overwrites A. Where a
/// pivot is zero, L's column is.
pub(super) fn solve<T: Scalar>(a: &mut Matrix<T>, first: usize, width: usize) -> Result<()> {
    let (rows, cols) = (a.rows(), a.cols());
    let below = rows - first - width;
    if below == 0 {
        return Ok(());
    }
    match a.device().clone().ground() {
        Ground::Host => {
            let (top, rest) = a.buffer_mut().host_mut().split_at_mut((first + width) * cols);
            for row in rest.chunks_exact_mut(cols) {
                for j in 0..width {
                    let u = |k: usize| top[(first + k) * cols + first + j];
                    let sum = (0..j).fold(row[first + j], |sum, k| (-row[first + k]).mul_add(u(k), sum));
                    row[first + j] = if u(j).is_zero() { T::zero() } else { sum / u(j) };
                }
            }
            Ok(())
        }
        Ground::Gpu(gpu) => gpu.launch(&Launch {
            kernel: &SOLVE_RIGHT,
            precision: Precision::of::<T>(Width::Single),
            constants: &[(WIDTH.name, crate::device::narrow(tournament::width::<T>()))],
            params: Params::new()
                .size("first", first)
                .size("width", width)
                .size("leading", cols)
                .size("rows", rows),
            buffers: &[a.buffer().gpu()],
            grid: Grid::covering(below as u64, WORKGROUP.default.into()),
            work: Work {
                bytes: (2 * below * width * size_of::<T>()) as u64,
                operations: (below * width * width) as u64,
            },
        }),
    }
}

pub(super) static SOLVE_RIGHT: Kernel = Kernel {
    name: "lu::solve_right",
    entry: "solve_right",
    source: fragment!("lu/solve_right.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::ReadWrite],
    integers: &["first", "width", "leading", "rows"],
    scalars: &[],
    constants: &[WORKGROUP, WIDTH],
    vocabulary: Vocabulary::Elements,
};
