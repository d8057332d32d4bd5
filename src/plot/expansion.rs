//! Σ Tₖₗ uᵏ vˡ: f about a corner, in units of cells, in whole numbers.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::grid::Grid;
use super::paper::weights;
use super::polynomial::Polynomial;

/// A positive multiple of f as a polynomial in u and v, the position relative to a corner in units of Δx and Δy, with
/// integer coefficients Tₖₗ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expansion {
    /// Rows k = 0, 1, ..., each of Tₖ₀, Tₖ₁, ...
    rows: Vec<Vec<BigInt>>,
    /// The total degree, which no k + l exceeds where Tₖₗ ≠ 0.
    degree: u32,
}

/// P⁺ and P⁻ at one point: f is their difference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Split {
    /// The sum of the terms with Tₖₗ > 0.
    pub(super) plus: BigInt,
    /// Minus the sum of those with Tₖₗ < 0.
    pub(super) minus: BigInt,
}

/// An edge of the cell at the corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Below,
    Above,
    Left,
    Right,
}

impl Edge {
    pub(super) const ALL: [Self; 4] = [Self::Below, Self::Above, Self::Left, Self::Right];
}

impl Expansion {
    /// About (x0, y0): D^d f(x0 + u Δx, y0 + v Δy), with D the denominator of all corners and d the degree of f.
    pub(super) fn of(f: &Polynomial, grid: &Grid) -> Self {
        let (degree_x, degree_y) = f.degrees();
        let mut rows = vec![vec![BigInt::zero(); degree_y as usize + 1]; degree_x as usize + 1];
        for (a, b, weight) in weights(f, grid) {
            rows[a as usize][b as usize] = weight;
        }
        let degree = f.degree();
        let mut about = Self { rows, degree };
        about.shift(&grid.x().origin, &grid.y().origin);
        // X = a + p u: the coefficient of uᵏ is pᵏ times that of (X − a)ᵏ.
        let mut across = BigInt::from(1);
        for row in &mut about.rows {
            let mut up = across.clone();
            for coefficient in row {
                *coefficient *= &up;
                up *= &grid.y().step;
            }
            across *= &grid.x().step;
        }
        about
    }

    /// About the corner that lies `du` cells further right and `dv` further up.
    pub(super) fn shifted(&self, du: usize, dv: usize) -> Self {
        let mut shifted = self.clone();
        shifted.shift(&du.into(), &dv.into());
        shifted
    }

    /// In units of half a cell: 2^d f(u/2, v/2).
    pub(super) fn halved(&self) -> Self {
        let mut halved = self.clone();
        for (k, row) in halved.rows.iter_mut().enumerate() {
            for (l, coefficient) in row.iter_mut().enumerate() {
                if !coefficient.is_zero() {
                    // Where the coefficient is not zero, k + l ≤ d.
                    *coefficient <<= self.degree as usize - k - l;
                }
            }
        }
        halved
    }

    /// Taylor's shift, first in one variable and then in the other, by Horner's rule (Shaw and Traub 1974).
    fn shift(&mut self, du: &BigInt, dv: &BigInt) {
        if !dv.is_zero() {
            for row in &mut self.rows {
                let last = row.len() - 1;
                for begin in 0..last {
                    for l in (begin..last).rev() {
                        let (low, high) = row.split_at_mut(l + 1);
                        add_multiple(&mut low[l], dv, &high[0]);
                    }
                }
            }
        }
        if !du.is_zero() {
            let last = self.rows.len() - 1;
            for begin in 0..last {
                for k in (begin..last).rev() {
                    let (low, high) = self.rows.split_at_mut(k + 1);
                    for (low, high) in low[k].iter_mut().zip(&high[0]) {
                        add_multiple(low, du, high);
                    }
                }
            }
        }
    }

    /// P⁺(u, v) and P⁻(u, v) for every u of `us` in every v of `vs`, row by row of v.
    pub(super) fn split_at(&self, us: &[usize], vs: &[usize]) -> Vec<Split> {
        let halves = [self.half(false), self.half(true)];
        let mut splits = vec![Split::default(); us.len() * vs.len()];
        for (negative, half) in halves.iter().enumerate() {
            for (splits, v) in splits.chunks_exact_mut(us.len()).zip(vs) {
                // Σ_l Tₖₗ vˡ, for every k.
                let in_u: Vec<BigInt> = half.iter().map(|row| horner(row, *v)).collect();
                for (split, u) in splits.iter_mut().zip(us) {
                    let value = horner(&in_u, *u);
                    *(if negative == 1 {
                        &mut split.minus
                    } else {
                        &mut split.plus
                    }) = value;
                }
            }
        }
        splits
    }

    /// The magnitudes of the coefficients of one sign.
    fn half(&self, negative: bool) -> Vec<Vec<BigInt>> {
        let magnitude = |coefficient: &BigInt| {
            if coefficient.is_negative() == negative {
                coefficient.abs()
            } else {
                BigInt::zero()
            }
        };
        self.rows
            .iter()
            .map(|row| row.iter().map(magnitude).collect())
            .collect()
    }

    /// f along an edge of the cell at the corner, as coefficients of a polynomial on [0, 1].
    pub(super) fn along(&self, edge: Edge) -> Vec<BigInt> {
        match edge {
            Edge::Below => self.rows.iter().map(|row| row[0].clone()).collect(),
            Edge::Above => self.rows.iter().map(|row| row.iter().sum()).collect(),
            Edge::Left => self.rows[0].clone(),
            Edge::Right => {
                let columns = 0..self.rows[0].len();
                columns.map(|l| self.rows.iter().map(|row| &row[l]).sum()).collect()
            }
        }
    }

    /// A positive multiple of f on the line u = p/q, as coefficients of a polynomial in v; q > 0.
    pub(super) fn along_u(&self, p: &BigInt, q: &BigInt) -> Vec<BigInt> {
        let columns = 0..self.rows[0].len();
        columns
            .map(|l| homogeneous(self.rows.iter().map(|row| &row[l]), p, q))
            .collect()
    }

    /// A positive multiple of f on the line v = p/q, as coefficients of a polynomial in u; q > 0.
    pub(super) fn along_v(&self, p: &BigInt, q: &BigInt) -> Vec<BigInt> {
        self.rows.iter().map(|row| homogeneous(row.iter(), p, q)).collect()
    }

    pub(super) fn rows(&self) -> &[Vec<BigInt>] {
        &self.rows
    }

    /// The most bits of a coefficient.
    pub(super) fn bits(&self) -> u64 {
        self.rows.iter().flatten().map(BigInt::bits).max().unwrap_or(0)
    }
}

/// `low += by * high`; to the next corner, which is where most shifts go, without a product to allocate.
fn add_multiple(low: &mut BigInt, by: &BigInt, high: &BigInt) {
    if high.is_zero() {
        return;
    }
    if by.is_one() {
        *low += high;
    } else {
        *low += by * high;
    }
}

/// Σ cₖ pᵏ qⁿ⁻ᵏ, for n + 1 coefficients.
fn homogeneous<'a>(coefficients: impl DoubleEndedIterator<Item = &'a BigInt>, p: &BigInt, q: &BigInt) -> BigInt {
    let mut power = BigInt::from(1);
    coefficients.rev().fold(BigInt::zero(), |sum, c| {
        let sum = sum * p + c * &power;
        power *= q;
        sum
    })
}

/// Σ cₖ tᵏ.
fn horner(coefficients: &[BigInt], t: usize) -> BigInt {
    match t {
        0 => coefficients.first().cloned().unwrap_or_default(),
        1 => coefficients.iter().sum(),
        _ => {
            let coefficients = coefficients.iter().rev();
            coefficients.fold(BigInt::zero(), |sum, c| sum * t + c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Rational;

    fn example() -> (Polynomial, Grid) {
        let f: Polynomial = "2/3*x^3 - 5x*y^2 + 7y^4 - x + 1/2".parse().expect("a polynomial");
        let grid = Grid::new("-1/3,2,-0.7,1".parse().expect("a view"), 6, 5).expect("small");
        (f, grid)
    }

    /// P⁺ − P⁻ is the one multiple of f at every point, whatever the corner; and both are at least 0.
    #[test]
    fn splits_are_f() {
        let (f, grid) = example();
        let scale = Rational::from_integer(grid.denominator().pow(f.degree()));
        let primitive = f.primitive();
        let root = Expansion::of(&f, &grid);
        for (i, j) in [(0, 0), (1, 0), (0, 1), (4, 3)] {
            let (us, vs) = ([0, 1, 2], [0, 1, 2]);
            let shifted = root.shifted(i, j);
            let halved = shifted.halved();
            for (k, (split, half)) in shifted
                .split_at(&us, &vs)
                .iter()
                .zip(halved.split_at(&us, &vs))
                .enumerate()
            {
                let (u, v) = (us[k % 3], vs[k / 3]);
                assert!(!split.plus.is_negative() && !split.minus.is_negative());
                let (x, y) = grid.corner(i + u, j + v);
                let value = Rational::from_integer(&split.plus - &split.minus);
                assert_eq!(value, primitive.evaluate(&x, &y) * &scale, "({i} + {u}, {j} + {v})");
                let (x0, y0) = grid.corner(i, j);
                let (x, y) = ((x0 + x) / BigInt::from(2), (y0 + y) / BigInt::from(2));
                let value = Rational::from_integer(half.plus - half.minus);
                let scale = &scale * BigInt::from(2).pow(f.degree());
                assert_eq!(value, primitive.evaluate(&x, &y) * scale, "({i} + {u}/2, {j} + {v}/2)");
            }
        }
    }

    #[test]
    fn lines_are_f() {
        let (f, grid) = example();
        let expansion = Expansion::of(&f, &grid);
        let (x, y) = (grid.corner(0, 0), grid.corner(1, 1));
        let at = |from: &Rational, to: &Rational| from + (to - from) * Rational::new(3.into(), 7.into());
        let (across, up) = (at(&x.0, &y.0), at(&x.1, &y.1));
        let scale =
            |degree: u32| Rational::from_integer(grid.denominator().pow(f.degree()) * BigInt::from(7).pow(degree));
        let (u, v) = (
            expansion.along_u(&3.into(), &7.into()),
            expansion.along_v(&3.into(), &7.into()),
        );
        let primitive = f.primitive();
        for (found, x, y, degree) in [(&u, &across, &x.1, 3), (&v, &x.0, &up, 4)] {
            let value = Rational::from_integer(horner(found, 0));
            assert_eq!(value, primitive.evaluate(x, y) * scale(degree));
        }
        for (found, x, y, degree) in [(&u, &across, &y.1, 3), (&v, &y.0, &up, 4)] {
            let value = Rational::from_integer(horner(found, 1));
            assert_eq!(value, primitive.evaluate(x, y) * scale(degree));
        }
    }

    #[test]
    fn edges_are_f() {
        let (f, grid) = example();
        let expansion = Expansion::of(&f, &grid).shifted(2, 1);
        let at = |u: usize, v: usize| {
            let split = expansion.split_at(&[u], &[v]).remove(0);
            split.plus - split.minus
        };
        let [below, above, left, right] = Edge::ALL.map(|edge| expansion.along(edge));
        for t in 0..4 {
            // The polynomial on [0, 1] is one on the whole line.
            assert_eq!([horner(&below, t), horner(&left, t)], [at(t, 0), at(0, t)]);
            assert_eq!([horner(&above, t), horner(&right, t)], [at(t, 1), at(1, t)]);
        }
    }
}
