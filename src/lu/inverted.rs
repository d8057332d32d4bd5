//! L U x = b with the blocks on the diagonals inverted: for refinement, which measures what it gets.

use super::Lu;
use super::invert_blocks::{BLOCK, inverses};
use super::solve_block::Triangle;
use super::substitution::UPPER;
use crate::dense::Matrix;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{AdapterKind, Device, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Factors, and the inverses of their blocks of 128 rows on the diagonals. A substitution waits at a barrier for each of its rows;
/// a product with an inverse, at two for all of them.
///
/// Accuracy: (L + ΔL)(U + ΔU) x = b no longer has |ΔL| ≤ γ|L| (Higham 2002, section 14.2): ΔL grows with the condition of
/// the blocks. That costs a refinement a correction more, or its convergence, and both are seen.
pub(super) struct Inverted<'a, T> {
    lu: &'a Lu<T>,
    inverses: Matrix<T>,
}

impl<'a, T: Scalar> Inverted<'a, T> {
    /// Of the factors of a square matrix on a GPU; none on the host, where nothing waits. Cost: as [`inverses`].
    pub(super) fn of(lu: &'a Lu<T>) -> Result<Option<Self>> {
        let Ground::Gpu(gpu) = lu.factors.device().ground() else {
            return Ok(None);
        };
        let inverses = inverses(gpu, &lu.factors)?;
        Ok(Some(Self { lu, inverses }))
    }

    /// x with L U x = b, for one column b whose rows are those of P already. Cost: 2⌈n/128⌉ dispatches, n² multiply-adds.
    pub(super) fn solve(&self, b: &Matrix<T>) -> Result<Matrix<T>> {
        debug_assert!(b.rows() == self.lu.factors.rows() && b.cols() == 1);
        let Ground::Gpu(gpu) = self.lu.factors.device().ground() else {
            unreachable!("there are no inverses on the host")
        };
        let y = self.substitute(gpu, Triangle::UnitLower, b)?;
        self.substitute(gpu, Triangle::Upper, &y)
    }

    /// x with T x = b; uses b up. Each dispatch solves for a block as soon as its rows are, while other workgroups bring the rows
    /// further on up to date.
    fn substitute(&self, gpu: &Gpu, triangle: Triangle, b: &Matrix<T>) -> Result<Matrix<T>> {
        let factors = &self.lu.factors;
        let (n, block) = (b.rows(), BLOCK.default as usize);
        let blocks = n.div_ceil(block);
        let up = triangle.is_upper();
        let x = Matrix::zeros(b.device(), n, 1)?;
        for step in 0..blocks {
            let place = |step: usize| if up { blocks - 1 - step } else { step };
            // Nothing is known at first: going up, that lies beyond the last row.
            let (known, size) = match step {
                0 => (if up { blocks * block } else { 0 }, 0),
                _ => {
                    let known = place(step - 1) * block;
                    (known, block.min(n - known))
                }
            };
            // At first, only one block is of interest.
            let groups = if step == 0 { 1 } else { blocks - step };
            let of_u = if up { blocks } else { 0 };
            gpu.launch(&Launch {
                kernel: &INVERTED,
                precision: Precision::of::<T>(Width::Single),
                constants: &[
                    (WORKGROUP.name, workgroup::<T>(b.device())),
                    (UPPER.name, u32::from(up)),
                ],
                params: Params::new()
                    .size("n", n)
                    .size("known", known)
                    .size("size", size)
                    .size("leading", n)
                    .size("inverse", (of_u + place(step)) * block * block),
                buffers: &[
                    factors.buffer().gpu(),
                    self.inverses.buffer().gpu(),
                    b.buffer().gpu(),
                    x.buffer().gpu(),
                ],
                grid: Grid::of(groups as u64),
                work: Work {
                    bytes: (size * groups * block * size_of::<T>()) as u64,
                    operations: ((size * groups + block) * block) as u64,
                },
            })?;
        }
        Ok(x)
    }
}

/// As many invocations as there are, so that each asks for little at a time; scalars of several words fill their registers.
fn workgroup<T>(device: &Device) -> u32 {
    let adapter = device.adapter();
    let most = match (adapter.kind, size_of::<T>()) {
        (AdapterKind::Software, _) => 256,
        (_, 4) => 1024,
        _ => 512,
    };
    let limit = adapter.limit("maxComputeInvocationsPerWorkgroup").unwrap_or(256);
    [512, 1024]
        .into_iter()
        .filter(|&size| size <= most && u64::from(size) <= limit)
        .max()
        .unwrap_or(256)
}

pub(super) static INVERTED: Kernel = Kernel {
    name: "lu::inverted",
    entry: "inverted",
    source: fragment!("lu/inverted.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite, Access::ReadWrite],
    integers: &["n", "known", "size", "leading", "inverse"],
    scalars: &[],
    constants: &[WORKGROUP, BLOCK, UPPER],
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
        for n in [0, 1, 5, 127, 128, 129, 256, 300, 513] {
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
            let found = on_host(inverted.solve(&b()).expect("it is solved"));
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
