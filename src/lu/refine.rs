//! Iterative refinement: factors of low precision, residuals of high precision.

use super::Lu;
use crate::dense::{Matrix, Vector, gemv};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::observer::{Observer, tell};
use crate::scalar::Scalar;

/// Rows of A that are made on the host and brought to the device at once: 256 MiB of them.
const BLOCK_BYTES: u64 = 1 << 28;

/// What a refinement did.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    /// The measure after the first solve and after every correction, in order.
    pub history: Vec<f64>,
    /// The largest element of the first solution and of every correction, in order.
    pub corrections: Vec<f64>,
    /// The smallest of the measures, that of the solution returned; infinite if there was none.
    pub best: f64,
}

impl Refinement {
    /// How much smaller than the first solution the first correction was: about n κ(A) times the rounding of the
    /// factors. Where it is not well below 1, the factors say nothing about A, which may be singular. None if there was
    /// no correction, as after an exact solution.
    #[must_use]
    pub fn contraction(&self) -> Option<f64> {
        match self.corrections[..] {
            [first, second, ..] if first > 0.0 => Some(second / first),
            _ => None,
        }
    }
}

/// b − A x in the scalar `H`, with A by blocks of rows, so that none is larger than a device's buffers.
#[derive(Debug)]
pub struct Residual<H> {
    blocks: Vec<Matrix<H>>,
    b: Vec<H>,
    device: Device,
}

impl<H: Scalar> Residual<H> {
    /// Of an n x n matrix whose rows `first..first + count` are given by `rows(first, count)`, row after row.
    ///
    /// # Errors
    /// [`Error::Shape`] when `rows` gives another number of values; [`Error::UnsupportedScalar`],
    /// [`Error::TooLarge`], [`Error::OutOfMemory`].
    pub fn new(device: &Device, b: Vec<H>, rows: impl FnMut(usize, usize) -> Vec<H>) -> Result<Self> {
        let n = b.len();
        let limit = device
            .adapter()
            .limit("maxStorageBufferBindingSize")
            .map_or(BLOCK_BYTES, |limit| limit.min(BLOCK_BYTES));
        let row_bytes = (n * size_of::<H>()).max(1) as u64;
        Self::in_blocks(
            device,
            b,
            usize::try_from(limit / row_bytes).unwrap_or(usize::MAX),
            rows,
        )
    }

    /// In blocks of `per_block` rows: at least one, and no more than there are.
    fn in_blocks(
        device: &Device,
        b: Vec<H>,
        per_block: usize,
        mut rows: impl FnMut(usize, usize) -> Vec<H>,
    ) -> Result<Self> {
        let n = b.len();
        let per_block = per_block.clamp(1, n.max(1));
        let mut blocks = Vec::new();
        for first in (0..n).step_by(per_block) {
            let count = per_block.min(n - first);
            blocks.push(Matrix::from_rows(device, count, n, &rows(first, count))?);
        }
        Ok(Self {
            blocks,
            b,
            device: device.clone(),
        })
    }

    /// b − A x, rounded once from `H`'s arithmetic.
    ///
    /// # Errors
    /// [`Error::Shape`] for an x that is not as long as b; whatever the device reports.
    pub async fn of(&self, x: &[H]) -> Result<Vec<H>> {
        if x.len() != self.b.len() {
            return Err(Error::Shape {
                operation: "Residual::of",
                expected: format!("x of {}", self.b.len()),
                found: format!("{}", x.len()),
            });
        }
        let x = Vector::from_slice(&self.device, x)?;
        let mut r = Vector::from_slice(&self.device, &self.b)?;
        let mut first = 0;
        for block in &self.blocks {
            gemv(-H::one(), block, &x, H::one(), r.strided_mut(first, block.rows(), 1)?)?;
            first += block.rows();
        }
        r.to_host().await
    }
}

/// Solves A x = b by `lu`, factors of A in `L`, and corrects x by what they make of the residual in `H`, as long as that
/// halves `measure` at least (Wilkinson 1963; Higham 2002, algorithm 12.1). `measure` is given x and its residual, and
/// says how good they are: a backward error. A residual is scaled to 1 by a power of two before it is rounded to `L`.
///
/// Returns the best x and the history. At most `limit` corrections.
///
/// # Errors
/// [`Error::Singular`]; [`Error::Shape`]; [`Error::Cancelled`]; whatever the device reports.
pub async fn refine<L: Scalar, H: Scalar>(
    lu: &Lu<L>,
    residual: &Residual<H>,
    limit: usize,
    mut measure: impl FnMut(&[H], &[H]) -> f64,
    observer: &mut dyn Observer,
) -> Result<(Vec<H>, Refinement)> {
    residual.device.check_same("refine", lu.factors.device())?;
    let device = lu.factors.device();
    let mut x = vec![H::zero(); residual.b.len()];
    let mut r = residual.b.clone();
    let mut best = x.clone();
    let mut outcome = Refinement {
        history: Vec::new(),
        corrections: Vec::new(),
        best: f64::INFINITY,
    };
    for step in 0..=limit {
        let correction = correction::<L, H>(lu, device, &r).await?;
        outcome
            .corrections
            .push(correction.iter().map(|d| d.to_f64().abs()).fold(0.0, f64::max));
        x.iter_mut().zip(&correction).for_each(|(x, d)| *x += *d);
        r = residual.of(&x).await?;
        let size = measure(&x, &r);
        outcome.history.push(size);
        tell(observer, "refine", step + 1, limit.saturating_add(1))?;
        let halved = size <= 0.5 * outcome.best;
        if size < outcome.best {
            outcome.best = size;
            best.clone_from(&x);
        }
        // The first correction is always made: it tells whether the factors are any good.
        if (!halved && step > 0) || size <= 0.0 || size.is_nan() {
            break;
        }
    }
    Ok((best, outcome))
}

async fn correction<L: Scalar, H: Scalar>(lu: &Lu<L>, device: &Device, r: &[H]) -> Result<Vec<H>> {
    let largest = r.iter().filter_map(|r| r.exponent()).max().unwrap_or(0);
    let scaled: Vec<L> = r
        .iter()
        .map(|r| L::from_dd(r.scale_exponent(-largest).to_dd()))
        .collect();
    let d = lu
        .solve_vector(&Vector::from_slice(device, &scaled)?)
        .await?
        .to_host()
        .await?;
    if d.len() != r.len() {
        return Err(Error::Shape {
            operation: "refine",
            expected: format!("{} unknowns", r.len()),
            found: d.len().to_string(),
        });
    }
    Ok(d.into_iter()
        .map(|d| H::from_dd(d.to_dd()).scale_exponent(largest))
        .collect())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::Blocking as _;
    use crate::scalar::Df64;

    /// On whatever is here: the blocks of a large matrix are a matter of the device's limits.
    #[test]
    fn a_residual_in_blocks_is_that_of_the_whole() {
        let n = 37;
        let value = |i: usize, j: usize| Df64::from_f64(1.0 / (i * n + j + 1) as f64);
        let rows = |first: usize, count: usize| {
            (first..first + count)
                .flat_map(|i| (0..n).map(move |j| value(i, j)))
                .collect()
        };
        let b: Vec<Df64> = (0..n).map(|i| value(i, n)).collect();
        let x: Vec<Df64> = (0..n).map(|j| value(j, j)).collect();
        for device in [
            Device::host(),
            Device::open(crate::Select::Auto).block_on().expect("it opens"),
        ] {
            if device.supports::<Df64>().is_err() {
                continue;
            }
            let of = |per_block: usize| {
                let residual = Residual::in_blocks(&device, b.clone(), per_block, rows).expect("it fits");
                let count = n.div_ceil(per_block.clamp(1, n));
                assert_eq!(residual.blocks.len(), count, "blocks of {per_block}");
                residual.of(&x).block_on().expect("it is computed")
            };
            let whole = of(usize::MAX);
            assert!(
                whole.iter().all(|r| r.is_finite() && r.exponent().is_some()),
                "{whole:?}"
            );
            for per_block in [0, 1, 2, 5, 36, 37] {
                assert_eq!(of(per_block), whole, "blocks of {per_block} on {}", device.name());
            }
        }
    }
}
