//! x with A x = b, corrected in its own precision, and bounds of its errors: LAPACK's `gerfs`.

use super::condition::within_range;
use super::solve::Side;
use super::{Lu, estimate, original};
use crate::dense::{MatrixView, Vector, axpy, larger};
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::{Device, Grid, Ground};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// A solution, and how good it is.
#[derive(Debug)]
pub struct Refined<T> {
    /// x.
    pub x: Vector<T>,
    /// LAPACK's `berr`: the smallest relative change of any entry of A and b for which x is exact (Oettli and Prager
    /// 1964), as far as a residual in the same precision tells: a row of which all underflows counts as exact, and what a device
    /// flushes of A and x as zero. NaN where |b| + |A||x| leaves the range of the scalar.
    pub backward_error: f64,
    /// LAPACK's `ferr`: a bound of the error, ‖x − A⁻¹b‖∞ / ‖x‖∞, as good as the estimate of a norm in it, which is almost
    /// always at least a third of that norm. What may have underflowed in the residual is part of it. Infinite where nothing
    /// is known.
    pub forward_error: f64,
    /// The backward error of the first solution, and after every correction that was tried, in order.
    pub history: Vec<f64>,
}

/// Corrections at most, as in LAPACK.
const CORRECTIONS: usize = 5;

impl<T: Scalar> Lu<T> {
    /// x with A x = b, refined in `T` as long as that halves the componentwise backward error, at most 5 times, and bounds
    /// of its errors (Arioli, Demmel and Duff 1989; Higham 2002, sections 7.1 and 12.2). `a` is the matrix as it was before
    /// it was factored; A is square.
    ///
    /// Accuracy: mostly a backward error of about one rounding, even where elements grew, as long as A is not too badly
    /// scaled or conditioned (Higham 2002, theorem 12.4). Where it is not, both numbers say so. Powers of two in A
    /// and b leave them as they are, as long as what underflows, at most 2^-148 of each product of a pair of `f32` on the host and
    /// 2^-120 on a device, which may flush, is nothing beside a rounding of |A||x|. On devices that flush subnormals, those of A
    /// are zeros for the factors, and so are low words of pairs; those of b are not overlooked.
    /// Cost: for every correction, n² scalars of A and n² of the factors read, n/32 + 3 dispatches, 2n scalars read back, or
    /// 3n where a row of |b| + |A||x| is zero; and 4 or 5 solves for the bound, 11 at most; where
    /// κ(A) ‖A‖ leaves the range, one or more besides for each of up to 8 sizes of right-hand sides.
    ///
    /// # Errors
    /// [`Error::Singular`]; [`Error::Shape`], [`Error::DeviceMismatch`]; whatever the device reports.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::{Matrix, Vector}, lu::Lu};
    /// let host = Device::host();
    /// let a = || Matrix::from_rows(&host, 2, 2, &[0.0, 2.0, 4.0, 2.0]);
    /// let b = Vector::from_slice(&host, &[2.0, 6.0])?;
    /// let refined = Lu::factor(a()?)?.refined(&a()?, &b).block_on()?;
    /// assert_eq!(refined.x.to_host().block_on()?, [1.0, 1.0]);
    /// assert!(refined.backward_error == 0.0 && refined.forward_error < 1e-14);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn refined<'a>(&self, a: impl Into<MatrixView<'a, T>>, b: &Vector<T>) -> Result<Refined<T>> {
        let a = a.into();
        let n = self.check_square("refined")?;
        self.check_same_shape("refined", &a)?;
        let mut x = self.solve_vector(b).await?;
        let mut residual = Residual::of(&a, &x, b).await?;
        let mut history = vec![residual.backward_error()];
        for _ in 0..CORRECTIONS {
            let before = residual.backward_error();
            if !(before > T::ROUNDING) {
                break;
            }
            let mut better = self.substitute_vector(&residual.on_device)?;
            axpy(T::one(), &x, &mut better)?;
            let next = Residual::of(&a, &better, b).await?;
            let after = next.backward_error();
            history.push(after);
            if after < before {
                (x, residual) = (better, next);
            }
            if !(after <= 0.5 * before) {
                break;
            }
        }
        let forward_error = self.forward_error(n, &x, &residual).await?;
        Ok(Refined {
            x,
            backward_error: residual.backward_error(),
            forward_error,
            history,
        })
    }

    /// ‖ |A⁻¹| (|r| + (n + 1) u d + l) ‖∞ / ‖x‖∞, where u d bounds a rounding of r, and l what of it underflowed: that norm is the
    /// ∞-norm of A⁻¹ diag(w). l is part of zero rows too: x may have lost a tiny product that a tinier pivot divides.
    async fn forward_error(&self, n: usize, x: &Vector<T>, residual: &Residual<T>) -> Result<f64> {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, larger);
        let underflow = Underflow::of::<T>(x.device());
        let x = x.to_host().await?;
        let size = largest(&mut x.iter().map(|x| x.to_f64().abs()));
        let roundings = (n + 1) as f64 * T::ROUNDING;
        // b is zero, and x is exact.
        if size == 0.0 && residual.rows().all(|row| row == (0.0, 0.0)) {
            return Ok(0.0);
        }
        let lost = underflow.of_terms(n) + n as f64 * (underflow.operand * size);
        let weights: Vec<f64> = residual.rows().map(|(r, d)| r + roundings * d + lost).collect();
        let top = largest(&mut weights.iter().copied());
        let (Some(top), Some(exponent)) = (Scalar::exponent(top), Scalar::exponent(size)) else {
            return Ok(f64::INFINITY);
        };
        // Both to about 1, and back at the end: none of this leaves the range of a double.
        let size = size.scale_exponent(-exponent);
        // The norm is (n + 1) u ‖x‖∞ at least, since d is |b| at least: in this unit it is 1 or more, and no more than κ as a rule.
        let foreseen = top - exponent - Scalar::exponent(roundings).unwrap_or(0);
        let (unit, bound) = within_range::<T>(foreseen, async |unit| {
            // What underflows in substitutions is as if so much were added to the right-hand side: n terms of each element, and
            // as much again of each of the n rows of L, which are no larger than 1, by way of which it comes from those of U.
            let on_the_way = ((n + 1) as f64 * underflow.of_terms(n)).scale_exponent(-unit);
            let weigh = |x: Vec<f64>| {
                let weighed = x
                    .iter()
                    .zip(&weights)
                    .map(|(x, w)| x * (w.scale_exponent(-top) + on_the_way));
                weighed.collect::<Vec<f64>>()
            };
            // The 1-norm of the transpose, diag(w) A⁻ᵀ.
            estimate::norm1(n, async |side, x| match side {
                Side::Plain => Ok(weigh(self.product_with_inverse(Side::Transposed, &x, unit).await?)),
                Side::Transposed => self.product_with_inverse(Side::Plain, &weigh(x), unit).await,
            })
            .await
        })
        .await?;
        // Elements of a product may have become zero, of which the weights are below 4.
        let bound = bound + 4.0 * n as f64 * underflow.term;
        // Beyond the range of a double only where the quotient is.
        let of_residual = (bound / size).scale_exponent(top - unit - exponent);
        Ok(of_residual + (underflow.operand / size).scale_exponent(-exponent))
    }
}

/// What underflow may take from a residual b − A x, beside roundings.
struct Underflow {
    /// From each of n + 1 terms, b one of them: a, or b, may have any size.
    term: f64,
    /// From each element of A and of x, before anything is done with it.
    operand: f64,
}

impl Underflow {
    /// On the host nothing is flushed, sums are exact among the subnormals, and a product of words errs by half the smallest
    /// word. A term of words has one, and one of pairs three (`two_prod`'s error and the two of low words): ½ and 3/2 of it,
    /// and for pairs some roundings of that.
    ///
    /// A device may read every word below the smallest normal one as zero, and make zero of such a result: each operation takes
    /// less than that number from the sum, in which no result counts more than once. A term of words has 3: a product and two
    /// sums, one of them with another lane's. Of pairs, `s_mul_add` has 27, of which `two_prod` is 12 where small factors are lifted,
    /// and `s_add` with another lane's 20: 47. b, with two words of its own and one sum, has fewer.
    /// Of an operand, the low word may be flushed, and the lower half of the leading one that `two_prod` splits off: less than twice
    /// that number, which as a change of x is one of every row alike.
    fn of<T: Scalar>(device: &Device) -> Self {
        let word = |factor: f64, exponent: i32| factor.scale_exponent(exponent);
        let (bit, normal) = (T::KIND.smallest_bit(), T::KIND.smallest_normal());
        let (term, operand) = match (device.is_host(), T::KIND.is_pair()) {
            (true, false) => (word(1.0, bit), 0.0),
            (true, true) => (word(2.0, bit), 0.0),
            (false, false) => (word(4.0, normal), word(1.0, normal)),
            (false, true) => (word(64.0, normal), word(2.0, normal)),
        };
        Self { term, operand }
    }

    /// LAPACK's `safe1`.
    fn of_terms(&self, n: usize) -> f64 {
        (n + 1) as f64 * self.term
    }
}

/// Rows of a workgroup.
const ROWS: u64 = WORKGROUP.default as u64 / 32;

/// r = b − A x, and d = |b| + |A||x|.
struct Residual<T> {
    on_device: Vector<T>,
    values: Vec<T>,
    sizes: Vec<T>,
}

impl<T: Scalar> Residual<T> {
    async fn of(a: &MatrixView<'_, T>, x: &Vector<T>, b: &Vector<T>) -> Result<Self> {
        a.device().check_same("refined", b.device())?;
        if b.len() != a.rows || x.len() != a.cols {
            return Err(Error::Shape {
                operation: "refined",
                expected: format!("a right-hand side of {}", a.rows),
                found: format!("one of {}", b.len()),
            });
        }
        let mut residual = Vector::zeros(a.device(), a.rows)?;
        let mut size = Vector::zeros(a.device(), a.rows)?;
        match a.device().ground() {
            Ground::Host => {
                on_host(a, x.buffer().host(), b.buffer().host(), &mut residual, &mut size);
            }
            Ground::Gpu(gpu) => {
                let beside = [x, b, &residual, &size].map(|vector| vector.buffer().gpu());
                original::launch(gpu, &REFINED, a, &beside, Grid::covering(a.rows as u64, ROWS))?;
            }
        }
        let mut residual = Self {
            values: residual.to_host().await?,
            sizes: size.to_host().await?,
            on_device: residual,
        };
        residual.see_subnormals(b).await?;
        Ok(residual)
    }

    /// Where a device reads an element of b as zero, and so finds nothing in its row, all of the element is left over.
    async fn see_subnormals(&mut self, b: &Vector<T>) -> Result<()> {
        if b.device().is_host() || !self.sizes.iter().any(T::is_zero) {
            return Ok(());
        }
        let b = b.to_host().await?;
        for ((r, d), b) in self.values.iter_mut().zip(&mut self.sizes).zip(b) {
            if d.is_zero() {
                (*r, *d) = (b, b.abs());
            }
        }
        Ok(())
    }

    /// |r| and d of every row.
    fn rows(&self) -> impl Iterator<Item = (f64, f64)> {
        let of = |(r, d): (&T, &T)| (r.to_f64().abs(), d.to_f64());
        self.values.iter().zip(&self.sizes).map(of)
    }

    /// maxᵢ |rᵢ| / dᵢ. Where dᵢ is so small that r may have underflowed, both are made larger by what may be lost, as LAPACK
    /// does with `safe1` and `safe2`.
    fn backward_error(&self) -> f64 {
        let lost = Underflow::of::<T>(self.on_device.device()).of_terms(self.values.len());
        let ratios = self.rows().map(|(r, d)| {
            if !d.is_finite() {
                // Beside it, any residual would be nothing.
                f64::NAN
            } else if r == 0.0 && d == 0.0 {
                0.0
            } else if d > lost / T::ROUNDING {
                r / d
            } else {
                (r + lost) / (d + lost)
            }
        });
        ratios.fold(0.0, larger)
    }
}

fn on_host<T: Scalar>(a: &MatrixView<'_, T>, x: &[T], b: &[T], residual: &mut Vector<T>, size: &mut Vector<T>) {
    let values = a.buffer.host();
    let (mut residual, mut size) = (residual.view_mut(), size.view_mut());
    for (i, (r, d)) in residual.host_mut().zip(size.host_mut()).enumerate() {
        let row = &values[a.offset + i * a.row_stride..][..a.cols];
        let zero = (T::zero(), T::zero());
        let (product, magnitude) = row.iter().zip(x).fold(zero, |(product, magnitude), (a, x)| {
            (a.mul_add(*x, product), a.abs().mul_add(x.abs(), magnitude))
        });
        *r = b[i] - product;
        *d = b[i].abs() + magnitude;
    }
}

pub(super) static REFINED: Kernel = Kernel {
    name: "lu::refined",
    entry: "refined",
    source: fragment!("lu/refined.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[
        Access::Read,
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::ReadWrite,
    ],
    integers: original::INTEGERS,
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};
