//! A few rows of U right of a block, on drivers that compute on the CPU.

use std::ops::Range;

use super::borders::SIZE;
use super::state::Copies;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::Precision;
use crate::device::{Gpu, Grid, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarKind};

/// The most rows at a time.
pub(super) const ROWS: usize = 16;

/// Whether rows and columns of `a` and of the copies are whole packs, of single words: those of pairs take long to compile.
pub(super) fn suits<T: Scalar>(a: &Matrix<T>, first: usize, right: &Range<usize>, copies: &Copies<T>) -> bool {
    precision(a, first, right, copies).pack() > 1 && matches!(T::KIND, ScalarKind::F32 | ScalarKind::F64)
}

fn precision<T: Scalar>(a: &Matrix<T>, first: usize, right: &Range<usize>, copies: &Copies<T>) -> Precision {
    let counts = [a.cols(), first, right.start, right.end, copies.upper.cols()];
    Precision::for_counts::<T>(a.device().adapter(), &counts)
}

/// Solves `L X = A` in the columns `right` of `size` rows from `first` on, where L is known. X overwrites A, and goes to the
/// copy of U, from row `to` on.
///
/// Cost: one dispatch.
pub(super) fn solve<T: Scalar>(
    gpu: &Gpu,
    a: &mut Matrix<T>,
    (first, size): (usize, usize),
    right: &Range<usize>,
    to: usize,
    copies: &mut Copies<T>,
) -> Result<()> {
    debug_assert!(size <= ROWS && to + size <= copies.upper.rows());
    let adapter = a.device().adapter();
    let precision = precision(a, first, right, copies);
    let packs = right.len() / precision.pack() as usize;
    gpu.launch(&Launch {
        kernel: if precision.is_long_on(adapter) {
            &UPPER_ROWS_LONG
        } else {
            &UPPER_ROWS
        },
        precision,
        constants: &[(SIZE.name, crate::device::narrow(ROWS))],
        params: Params::new()
            .size("first", first)
            .size("size", size)
            .size("leading", a.cols())
            .size("begin", right.start)
            .size("end", right.end)
            .size("to", to)
            .size("upper_leading", copies.upper.cols()),
        buffers: &[a.buffer().gpu(), copies.upper.buffer().gpu()],
        grid: Grid::covering(packs as u64, WORKGROUP.default.into()),
        work: Work {
            bytes: (3 * size * right.len() * size_of::<T>()) as u64,
            operations: (size * size * right.len()) as u64 / 2,
        },
    })
}

pub(super) static UPPER_ROWS: Kernel = kernel("lu::upper_rows", Vocabulary::Packs);
pub(super) static UPPER_ROWS_LONG: Kernel = kernel("lu::upper_rows_long", Vocabulary::LongPacks);

const fn kernel(name: &'static str, vocabulary: Vocabulary) -> Kernel {
    Kernel {
        name,
        entry: "upper_rows",
        source: fragment!("lu/upper_rows.wgsl"),
        fragments: &[fragment!("lib/grid.wgsl")],
        bindings: &[Access::ReadWrite; 2],
        integers: &["first", "size", "leading", "begin", "end", "to", "upper_leading"],
        scalars: &[],
        constants: &[WORKGROUP, SIZE],
        vocabulary,
    }
}
