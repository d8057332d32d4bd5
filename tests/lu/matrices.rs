//! LAPACK's matrix types for general matrices: `dlatb4` and `dlatms`.

use nonius::{Dd, Scalar};

use crate::devices::Random;

/// A matrix on the host, by rows.
#[derive(Clone)]
pub(crate) struct Dense<T> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) values: Vec<T>,
}

impl<T: Scalar> Dense<T> {
    pub(crate) fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> T) -> Self {
        let values = (0..rows * cols).map(|k| entry(k / cols, k % cols)).collect();
        Self { rows, cols, values }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> T {
        self.values[i * self.cols + j]
    }

    pub(crate) fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    pub(crate) fn at_mut(&mut self, i: usize, j: usize) -> &mut T {
        &mut self.values[i * self.cols + j]
    }
}

/// The types, by their number in LAPACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Diagonal = 1,
    Upper,
    Lower,
    WellConditioned,
    FirstColumnZero,
    LastColumnZero,
    LastHalfZero,
    IllConditioned,
    NearlySingular,
    NearUnderflow,
    NearOverflow,
}

pub(crate) const TYPES: [Type; 11] = [
    Type::Diagonal,
    Type::Upper,
    Type::Lower,
    Type::WellConditioned,
    Type::FirstColumnZero,
    Type::LastColumnZero,
    Type::LastHalfZero,
    Type::IllConditioned,
    Type::NearlySingular,
    Type::NearUnderflow,
    Type::NearOverflow,
];

impl Type {
    /// The matrix, and the first column that is zero.
    pub(crate) fn matrix<T: Scalar>(self, rows: usize, cols: usize) -> (Dense<T>, Option<usize>) {
        let mut random = Random::new(self as usize * 1_000_003 + rows * 1009 + cols);
        let steps = rows.min(cols);
        // The 2-norm: 2^norm.
        let norm = match self {
            Self::NearUnderflow => near_underflow::<T>(),
            Self::NearOverflow => near_overflow::<T>(),
            _ => 0,
        };
        let condition = match self {
            Self::IllConditioned => (0.1 / T::ROUNDING).sqrt(),
            Self::NearlySingular => 0.1 / T::ROUNDING,
            _ => 2.0,
        };
        let singular_values = geometric(&mut random, steps, condition);
        let full = match self {
            Self::Diagonal => Dense::from_fn(
                rows,
                cols,
                |i, j| {
                    if i == j { singular_values[i] } else { Dd::from(0.0) }
                },
            ),
            _ => with_singular_values(&mut random, rows, cols, &singular_values),
        };
        let first_zero = match self {
            Self::FirstColumnZero if steps >= 1 => Some(0),
            Self::LastColumnZero if steps >= 2 => Some(steps - 1),
            Self::LastHalfZero if steps >= 3 => Some(steps / 2),
            _ => None,
        };
        let is_zero = |i: usize, j: usize| match self {
            Self::Upper => i > j,
            Self::Lower => i < j,
            Self::LastHalfZero => first_zero.is_some_and(|first| j >= first),
            _ => first_zero == Some(j),
        };
        let rounded = Dense::from_fn(rows, cols, |i, j| {
            if is_zero(i, j) {
                T::zero()
            } else {
                T::from_dd(full.at(i, j)).scale_exponent(norm)
            }
        });
        (rounded, first_zero)
    }
}

/// Where what underflows, at most `2^MIN_EXPONENT`, is less than a rounding of the largest entries.
fn near_underflow<T: Scalar>() -> i32 {
    T::MIN_EXPONENT + Scalar::exponent(1.0 / T::ROUNDING).expect("not zero") + 2
}

/// Where sums over a row of all the sizes here, grown a little, are in range.
fn near_overflow<T: Scalar>() -> i32 {
    T::MAX_EXPONENT - 8
}

/// From 1 to 1 / condition in equal ratios, of random signs.
fn geometric(random: &mut Random, count: usize, condition: f64) -> Vec<Dd> {
    let ratio = if count > 1 {
        condition.powf(-1.0 / (count - 1) as f64)
    } else {
        1.0
    };
    let mut value = Dd::from(1.0);
    let mut next = || {
        let signed = if random.bits() & 1 == 0 { value } else { -value };
        value *= Dd::from(ratio);
        signed
    };
    (0..count).map(|_| next()).collect()
}

/// Random reflections on either side of a diagonal.
fn with_singular_values(random: &mut Random, rows: usize, cols: usize, diagonal: &[Dd]) -> Dense<Dd> {
    let zero = Dd::from(0.0);
    let mut a = Dense::from_fn(rows, cols, |i, j| if i == j { diagonal[i] } else { zero });
    for _ in 0..REFLECTIONS {
        let v: Vec<Dd> = (0..rows).map(|_| Dd::from(random.unit())).collect();
        let factor = -Dd::from(2.0) / squares(&v);
        for j in 0..cols {
            let along = factor * (0..rows).fold(zero, |sum, i| v[i].mul_add(a.at(i, j), sum));
            (0..rows).for_each(|i| *a.at_mut(i, j) += along * v[i]);
        }
        let v: Vec<Dd> = (0..cols).map(|_| Dd::from(random.unit())).collect();
        let factor = -Dd::from(2.0) / squares(&v);
        for i in 0..rows {
            let along = factor * (0..cols).fold(zero, |sum, j| v[j].mul_add(a.at(i, j), sum));
            (0..cols).for_each(|j| *a.at_mut(i, j) += along * v[j]);
        }
    }
    a
}

const REFLECTIONS: usize = 6;

fn squares(v: &[Dd]) -> Dd {
    v.iter().fold(Dd::from(0.0), |sum, v| v.mul_add(*v, sum))
}

/// A square matrix of that condition, of norm 1, in the scalar's own bits.
pub(crate) fn conditioned<T: Scalar>(n: usize, condition: f64, seed: usize) -> Dense<T> {
    let mut random = Random::new(seed);
    let singular_values = geometric(&mut random, n, condition);
    let full = with_singular_values(&mut random, n, n, &singular_values);
    Dense::from_fn(n, n, |i, j| T::from_dd(full.at(i, j)))
}
