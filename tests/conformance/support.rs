//! Operands and comparisons that the conformance tests share.

use std::fmt::Debug;

use nonius::dense::{Vector, VectorView, VectorViewMut};
use nonius::{Blocking as _, Dd, Device, Result, Scalar, ScalarKind};

pub(crate) use crate::devices::Random;
use crate::exact::Exact;

/// What is being compared: for the message of a failure.
pub(crate) struct Case<'a> {
    pub(crate) device: &'a Device,
    pub(crate) operation: &'static str,
    pub(crate) sizes: String,
}

impl Case<'_> {
    pub(crate) fn fail<T: Scalar>(&self, index: usize, found: T, expected: impl Debug) -> ! {
        let Self {
            device,
            operation,
            sizes,
        } = self;
        panic!(
            "{operation} in {} on {}, {sizes}: at {index} found {found:?}, expected {expected:?}",
            T::NAME,
            device.name()
        )
    }

    /// Both words the same; NaN is like NaN, and zeros have no sign.
    pub(crate) fn same<T: Scalar>(&self, index: usize, found: T, expected: T) {
        if found != expected && !(found.is_nan() && expected.is_nan()) {
            self.fail(index, found, expected);
        }
    }

    /// |found - exact| ≤ γ·scale with γ for that many roundings of T (Higham 2002, section 3.1).
    pub(crate) fn near<T: Scalar>(&self, index: usize, found: T, exact: &Exact, scale: Exact, roundings: f64) {
        if !found.is_finite() {
            self.fail(index, found, "a finite number");
        }
        let mut error = exact.clone();
        error.subtract(found);
        let error = error.ratio(scale);
        let bound = gamma::<T>(roundings);
        if !within(error, bound) {
            self.fail(index, found, format!("an error of {bound:e} at most, not {error:e}"));
        }
    }

    /// One element of a map. Pairs promise the bits of the host; words as many roundings of `scale`.
    pub(crate) fn element<T: Scalar>(&self, index: usize, found: T, host: T, exact: Dd, scale: Dd, roundings: f64) {
        if is_pair::<T>() {
            return self.same(index, found, host);
        }
        let error = (found.to_dd() - exact).to_f64().abs();
        if !within(error, gamma::<T>(roundings) * scale.to_f64()) {
            self.fail(index, found, host);
        }
    }
}

/// γₖ = ku / (1 - ku), and a little for the roundings of this comparison.
pub(crate) fn gamma<T: Scalar>(roundings: f64) -> f64 {
    let k = roundings * T::ROUNDING;
    assert!(k < 1.0, "a bound that says nothing");
    k / (1.0 - k) * (1.0 + f32::EPSILON as f64)
}

/// No NaN is.
pub(crate) fn within(error: f64, bound: f64) -> bool {
    error <= bound
}

pub(crate) fn is_pair<T: Scalar>() -> bool {
    matches!(T::KIND, ScalarKind::Df64 | ScalarKind::Dd)
}

/// The rounded additions that one term of a sum of `n` passes: one after the other on the host, in a tree on a GPU.
pub(crate) fn depth(device: &Device, n: usize) -> f64 {
    if device.is_host() {
        n as f64 + 1.0
    } else {
        (n as f64).min(n as f64 / 1e5 + 30.0) + 1.0
    }
}

/// Where a vector lies in its buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) offset: usize,
    pub(crate) stride: usize,
}

const fn at(offset: usize, stride: usize) -> Layout {
    Layout { offset, stride }
}

/// Layouts of up to three operands: what kernels read in packs, what they read one by one, and mixtures.
pub(crate) const LAYOUTS: [[Layout; 3]; 6] = [
    [at(0, 1), at(0, 1), at(0, 1)],
    [at(8, 1), at(4, 1), at(12, 1)],
    [at(1, 1), at(3, 1), at(2, 1)],
    [at(0, 1), at(5, 1), at(4, 1)],
    [at(3, 2), at(1, 3), at(5, 7)],
    [at(0, 1), at(2, 4), at(0, 1)],
];

/// Around packs, workgroups and unrolled workgroups.
pub(crate) const SIZES: [usize; 10] = [0, 1, 2, 3, 5, 255, 256, 257, 1023, 4097];

/// More than one trip of every loop.
pub(crate) const LARGE: usize = 300_001;

/// Sizes with the layouts that are worth their time there.
pub(crate) fn shapes() -> impl Iterator<Item = (usize, [Layout; 3])> {
    let small = SIZES.into_iter().flat_map(|n| LAYOUTS.map(|layouts| (n, layouts)));
    small.chain([(LARGE, LAYOUTS[0]), (LARGE, LAYOUTS[2])])
}

/// A vector within a longer buffer, whose other elements nobody may write.
pub(crate) struct Operand<T> {
    pub(crate) whole: Vec<T>,
    layout: Layout,
    n: usize,
}

impl<T: Scalar> Operand<T> {
    pub(crate) fn random(random: &mut Random, n: usize, layout: Layout) -> Self {
        let whole = random.scalars(layout.offset + n * layout.stride + 5);
        Self { whole, layout, n }
    }

    /// An operand that is written and not read: NaN would show.
    pub(crate) fn unread(random: &mut Random, n: usize, layout: Layout) -> Self {
        let mut operand = Self::random(random, n, layout);
        for i in 0..n {
            *operand.at_mut(i) = T::from_f64(f64::NAN);
        }
        operand
    }

    fn position(&self, i: usize) -> usize {
        self.layout.offset + i * self.layout.stride
    }

    pub(crate) fn at(&self, i: usize) -> T {
        self.whole[self.position(i)]
    }

    pub(crate) fn at_mut(&mut self, i: usize) -> &mut T {
        let position = self.position(i);
        &mut self.whole[position]
    }

    pub(crate) fn upload(&self, device: &Device) -> Result<Vector<T>> {
        Vector::from_slice(device, &self.whole)
    }

    pub(crate) fn view<'a>(&self, vector: &'a Vector<T>) -> VectorView<'a, T> {
        let Layout { offset, stride } = self.layout;
        vector
            .strided(offset, self.n, stride)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn view_mut<'a>(&self, vector: &'a mut Vector<T>) -> VectorViewMut<'a, T> {
        let Layout { offset, stride } = self.layout;
        vector
            .strided_mut(offset, self.n, stride)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The elements that were written, after a look at those that were not to be.
    pub(crate) fn written(&self, case: &Case<'_>, vector: &Vector<T>) -> Result<Vec<T>> {
        let after = vector.to_host().block_on()?;
        let mut ours = vec![false; self.whole.len()];
        (0..self.n).for_each(|i| ours[self.position(i)] = true);
        for (i, (before, after)) in self.whole.iter().zip(&after).enumerate() {
            if !ours[i] && bytemuck::bytes_of(before) != bytemuck::bytes_of(after) {
                case.fail(i, *after, format!("the neighbour {before:?} untouched"));
            }
        }
        Ok((0..self.n).map(|i| after[self.position(i)]).collect())
    }
}
