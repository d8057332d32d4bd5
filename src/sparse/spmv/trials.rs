//! What products with a sparse matrix are tried on, and in which regimes of sizes one choice is made.
//!
//! Choices are made where rows are even, by their number and by their average length, which is a shape's depth. Uneven rows
//! are streamed whatever was tuned: how uneven they are, no shape tells.

use super::super::csr_pattern::CsrPattern;
use super::super::indices::narrow;
use super::super::matrix::{Pattern, laid_out};
use super::aim::Aim;
use super::kernels::OnGpu;
use super::schedule::{Schedule, Target};
use crate::dense::Vector;
use crate::device::precision::Precision;
use crate::device::{Device, Ground};
use crate::error::Result;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::tuning::{Bounds, Line, Range, Regime, Shape, Trial};

pub(in crate::sparse) const WORKGROUPS: Range = range("WORKGROUP", &[64, 128, 256]);
pub(in crate::sparse) const UNROLL: Range = range("UNROLL", &[1, 2, 4, 8]);

/// By the length of rows, and by whether caches may hold the matrix: up to [`CACHED`] entries they may, above it none does.
/// Matrices of still fewer rows last as long as a launch.
pub(in crate::sparse) static REGIMES: &[Regime<'static>] = ROW_REGIMES.split_at(2).1;

/// The same where rows may have lanes, and before that what lies between one invocation and two: the first that holds a shape counts.
pub(in crate::sparse) static ROW_REGIMES: [Regime<'static>; 8] = [
    regime(
        "rows of 9 to 16",
        (FEWEST_ROWS, CACHED / 12),
        (9, 16),
        &[line(|n| Shape::new(n, 1, 12), &[1 << 14, 1 << 16, 1 << 18])],
    ),
    regime(
        "rows of 9 to 16, many",
        (CACHED / 12, usize::MAX),
        (9, 16),
        &[line(|n| Shape::new(n, 1, 12), &[3 << 19, 1 << 21, 5 << 19])],
    ),
    regime(
        "rows of 16 to 48",
        (FEWEST_ROWS, CACHED / 27),
        (16, 48),
        &[line(|n| Shape::new(n, 1, 27), &[1 << 14, 1 << 16, 1 << 18])],
    ),
    regime(
        "rows of 16 to 48, many",
        (CACHED / 27, usize::MAX),
        (16, 48),
        &[line(|n| Shape::new(n, 1, 27), &[1 << 20, 3 << 19, 1 << 21])],
    ),
    regime(
        "rows of 2 to 16",
        (FEWEST_ROWS, CACHED / 7),
        (2, 16),
        &[line(|n| Shape::new(n, 1, 7), &[1 << 15, 1 << 17, 1 << 19])],
    ),
    regime(
        "rows of 2 to 16, many",
        (CACHED / 7, usize::MAX),
        (2, 16),
        &[line(|n| Shape::new(n, 1, 7), &[1 << 21, 3 << 20, 1 << 22])],
    ),
    regime(
        "rows of 48 and more",
        (FEWEST_ROWS, CACHED / 81),
        (48, usize::MAX),
        &[line(|n| Shape::new(n, 1, 81), &[1 << 12, 1 << 14, 1 << 16])],
    ),
    regime(
        "rows of 48 and more, many",
        (CACHED / 81, usize::MAX),
        (48, usize::MAX),
        &[line(|n| Shape::new(n, 1, 81), &[1 << 18, 3 << 17, 1 << 19])],
    ),
];

/// 128 MiB of values in f32 and their columns: more than the last cache of any GPU holds but for AMD's largest.
const CACHED: usize = 1 << 24;
const FEWEST_ROWS: usize = 1 << 12;

pub(in crate::sparse) const fn range(name: &'static str, values: &'static [u32]) -> Range {
    Range { name, values }
}

const fn line(shape: fn(usize) -> Shape, sizes: &'static [usize]) -> Line<'static> {
    Line { shape, sizes }
}

const fn regime(
    name: &'static str,
    rows: (usize, usize),
    depth: (usize, usize),
    lines: &'static [Line<'static>],
) -> Regime<'static> {
    Regime {
        name,
        contains: Bounds {
            rows,
            cols: (1, 2),
            depth,
        },
        lines,
    }
}

/// The values, so many indices, x and y, each once.
pub(in crate::sparse) fn work(precision: Precision, shape: Shape, indices: usize) -> (u64, u64) {
    let entries = shape.rows * shape.depth;
    let scalars = entries + 2 * shape.rows;
    let bytes = scalars * precision.element.size() + 4 * indices;
    (bytes as u64, entries as u64)
}

pub(in crate::sparse) fn trial<P: Pattern>(device: &Device, precision: Precision, shape: Shape) -> Result<Trial> {
    match precision.scalar {
        ScalarKind::F32 => trial_in::<P, f32>(device, shape),
        ScalarKind::F64 => trial_in::<P, f64>(device, shape),
        ScalarKind::Df64 => trial_in::<P, Df64>(device, shape),
        ScalarKind::Dd => trial_in::<P, Dd>(device, shape),
    }
}

fn trial_in<P: Pattern, T: Scalar>(device: &Device, shape: Shape) -> Result<Trial> {
    let Ground::Gpu(gpu) = device.ground() else {
        return Ok(Box::new(|_| Ok(())));
    };
    let csr = stencil(shape);
    let pattern = P::from_csr(&csr)?;
    let values = laid_out(&pattern, &vec![T::from_f64(0.75); csr.nnz()])?;
    let mut there = OnGpu::new(
        gpu,
        pattern.on_device(Schedule::Auto, Target::of::<T>(device))?,
        &values,
    )?;
    let x = Vector::from_slice(device, &vec![T::from_f64(1.25); csr.cols()])?;
    let mut y = Vector::<T>::zeros(device, shape.rows)?;
    let device = device.clone();
    Ok(Box::new(move |variant| {
        let Ground::Gpu(gpu) = device.ground() else {
            return Ok(());
        };
        there.take(variant);
        there.launch(gpu, &Aim::Product(T::one(), T::zero()), &x.view(), &y.view_mut())
    }))
}

/// The runs of a row of a trial: at most 9, as a grid's 27-point stencil has 9 of 3, and one with three unknowns a point 9 of 9.
const RUNS: usize = 9;

/// The entries of a run.
pub(in crate::sparse) fn run(shape: Shape) -> usize {
    shape.depth.div_ceil(RUNS).max(1)
}

/// Rows of `depth` entries each, in runs on 3 x 3 lines of a cube of `rows` points: what is read of x lies as far apart as in
/// matrices of that size.
fn stencil(shape: Shape) -> CsrPattern {
    let run = run(shape);
    let cube = |side: &usize| side * side * side >= shape.rows;
    let side = (4.max(run + 1)..).find(cube).unwrap_or(usize::MAX);
    let line = |block: usize| block % 3 * side + block / 3 * side * side;
    let cols = shape.rows + run + line(RUNS - 1);
    let row_ptr = (0..=shape.rows).map(|row| narrow(row * shape.depth)).collect();
    let offsets: Vec<usize> = (0..shape.depth).map(|k| k % run + line(k / run)).collect();
    let rows = (0..shape.rows).flat_map(|row| offsets.iter().map(move |offset| narrow(row + offset)));
    CsrPattern::trusted(cols, row_ptr, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trials have the runs that they say they have.
    #[test]
    fn trials_are_stencils() {
        for (rows, depth, row) in [
            (50, 7, vec![2, 6, 10, 18, 22, 26, 34]),
            (
                60,
                20,
                vec![2, 3, 4, 6, 7, 8, 10, 11, 12, 18, 19, 20, 22, 23, 24, 26, 27, 28, 34, 35],
            ),
            (1000, 81, vec![]),
            (0, 27, vec![]),
            (5, 1, vec![2]),
        ] {
            let pattern = stencil(Shape::new(rows, 1, depth));
            let checked = CsrPattern::new(
                rows,
                pattern.cols(),
                pattern.row_ptr().to_vec(),
                pattern.columns().to_vec(),
            );
            assert!(checked.is_ok(), "{rows} rows of {depth}: {checked:?}");
            assert!(row.is_empty() || pattern.row(2) == row, "{:?}", pattern.row(2));
        }
    }
}
