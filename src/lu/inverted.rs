//! L U x = b with the blocks on the diagonals inverted: for refinement, which measures what it gets.

use super::Lu;
use super::solve_block::Triangle;
use super::substitution::{self, BLOCK};
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Rows of a block that is inverted: more than are substituted in a dispatch, since none of them waits for another. On an H200,
/// a solve of 4,096 rows takes 0.55 ms with 128, 1.0 with 64 (BENCHMARKS.md).
pub(super) const INVERTED: usize = 128;

/// Factors, and the inverses of their blocks of [`INVERTED`] rows on the diagonals: those of L, then those of U. A substitution
/// waits at a barrier for each of its rows; a product with an inverse, at three for all of them.
///
/// Accuracy: (L + ΔL)(U + ΔU) x = b no longer has |ΔL| ≤ γ|L| (Higham 2002, section 14.2): ΔL grows with the condition of
/// the blocks. That costs a refinement a correction more, or its convergence, and both are seen.
pub(super) struct Inverted<'a, T> {
    lu: &'a Lu<T>,
    inverses: Matrix<T>,
}

impl<'a, T: Scalar> Inverted<'a, T> {
    /// Of the factors of a square matrix on a GPU; none on the host, where nothing waits. Cost: one dispatch, n·128²/3
    /// multiply-adds, 256 n scalars.
    pub(super) fn of(lu: &'a Lu<T>) -> Result<Option<Self>> {
        let device = lu.factors.device();
        let n = lu.factors.rows();
        debug_assert!(n == lu.factors.cols());
        let Ground::Gpu(gpu) = device.ground() else {
            return Ok(None);
        };
        let block = INVERTED;
        let blocks = n.div_ceil(block);
        let inverses = Matrix::zeros(device, 2 * blocks * block, block)?;
        if blocks > 0 {
            gpu.launch(&Launch {
                kernel: &INVERT_BLOCKS,
                precision: Precision::of::<T>(Width::Single),
                constants: &[BLOCK.of(block)],
                params: Params::new().size("rows", n).size("blocks", blocks).size("leading", n),
                buffers: &[lu.factors.buffer().gpu(), inverses.buffer().gpu()],
                grid: Grid::of(2 * blocks as u64),
                work: Work {
                    bytes: (4 * n * block * size_of::<T>()) as u64,
                    operations: (n * block * block) as u64 / 3,
                },
            })?;
        }
        Ok(Some(Self { lu, inverses }))
    }

    /// x with L U x = b, for one column b whose rows are those of P already. Cost: 2⌈n/128⌉ dispatches, n² multiply-adds.
    pub(super) fn solve(&self, b: Matrix<T>) -> Result<Matrix<T>> {
        debug_assert!(b.rows() == self.lu.factors.rows() && b.cols() == 1);
        let Ground::Gpu(gpu) = self.lu.factors.device().ground() else {
            unreachable!("there are no inverses on the host")
        };
        let factors = self.lu.factors.view();
        let y = substitution::few(gpu, Triangle::UnitLower, &factors, Some(&self.inverses), &b)?;
        substitution::few(gpu, Triangle::Upper, &factors, Some(&self.inverses), &y)
    }
}

pub(super) static INVERT_BLOCKS: Kernel = Kernel {
    name: "lu::invert_blocks",
    entry: "invert_blocks",
    source: fragment!("lu/invert_blocks.wgsl"),
    library: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["rows", "blocks", "leading"],
    scalars: &[],
    constants: &[BLOCK],
    vocabulary: Vocabulary::Elements,
};

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::scalar::Df64;
    use crate::{Blocking as _, Device};

    /// Against substitutions of the same factors, on whatever is here: a triangular solve and one by well-conditioned
    /// inverses differ by some roundings.
    fn solves_as_substitutions_do<T: Scalar>() {
        let device = Device::open(crate::Select::Auto).block_on().expect("it opens");
        if device.is_host() || device.supports::<T>().is_err() {
            return;
        }
        for n in [0, 1, 5, 127, 128, 129, 300] {
            let value = |i: usize, j: usize| ((i * 37 + j * 61 + i * j) % 101) as f64 / 101.0 - 0.5;
            let entries: Vec<T> = (0..n * n)
                .map(|at| {
                    let (i, j) = (at / n, at % n);
                    T::from_f64(value(i, j) + if i == j { n as f64 } else { 0.0 })
                })
                .collect();
            let a = Matrix::from_rows(&device, n, n, &entries).expect("it fits");
            let lu = Lu::factor(a).expect("it is factored");
            let right: Vec<T> = (0..n).map(|i| T::from_f64(value(i, n))).collect();
            let b = || Matrix::from_rows(&device, n, 1, &right).expect("it fits");
            let inverted = Inverted::of(&lu).expect("it fits").expect("it is a GPU");
            let on_host = |x: Matrix<T>| x.to_host().block_on().expect("it is solved");
            let found = on_host(inverted.solve(b()).expect("it is solved"));
            let expected = on_host(lu.substitute_ordered(b()).expect("it is solved"));
            let largest = expected.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
            // Diagonally dominant: |L||U||x| is below 3 |A||x|, and κ of it and of its blocks below 3.
            let bound = 9.0 * 3.0 * (n + 2) as f64 * T::ROUNDING * largest;
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let error = (found.to_dd() - expected.to_dd()).to_f64().abs();
                assert!(error <= bound, "{i} of {n} in {}: {found:e}, {expected:e}", T::NAME);
            }
            assert!(n == 0 || largest > 0.0, "nothing was solved");
        }
    }

    #[test]
    fn products_with_inverses_solve_as_substitutions_do() {
        solves_as_substitutions_do::<f32>();
        solves_as_substitutions_do::<Df64>();
        solves_as_substitutions_do::<f64>();
    }
}
