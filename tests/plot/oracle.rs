//! Zeros of f along horizontal and vertical lines, by Sturm's theorem over the integers. Nothing of the library is used
//! but a polynomial's terms and a grid's corners.

use nonius::plot::{Grid, Polynomial, Rational};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// Coefficients by ascending powers, the last of them not 0.
type Univariate = Vec<BigInt>;

/// Which direction a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// y is fixed.
    Horizontal,
    /// x is fixed.
    Vertical,
}

/// f along a line: its squarefree part's Sturm sequence; nothing where f is 0 all along.
pub(crate) struct Line(Option<Vec<Univariate>>);

impl Line {
    pub(crate) fn of(f: &Polynomial, direction: Direction, at: &Rational) -> Self {
        let mut p = Univariate::new();
        for (a, b, c) in f.primitive().terms() {
            let (kept, fixed) = match direction {
                Direction::Horizontal => (a, b),
                Direction::Vertical => (b, a),
            };
            p.resize(p.len().max(kept as usize + 1), BigInt::zero());
            p[kept as usize] += c.numer() * at.numer().pow(fixed) * at.denom().pow(f.degree() - fixed);
        }
        let p = primitive(p);
        if p.is_empty() {
            return Self(None);
        }
        let mut next = primitive(derivative(&p));
        let mut sequence = vec![p];
        while !next.is_empty() {
            let last = &sequence[sequence.len() - 1];
            let negated = divided(last, &next).1.into_iter().map(|c| -c).collect();
            sequence.push(next);
            next = primitive(negated);
        }
        // The last is the greatest common divisor of p and p', which all of them have as a factor; without it, they are
        // a sequence of the squarefree part, whatever its sign.
        let common = sequence[sequence.len() - 1].clone();
        if common.len() > 1 {
            sequence = sequence.iter().map(|p| primitive(divided(p, &common).0)).collect();
        }
        Self(Some(sequence))
    }

    /// Which of the closed intervals between neighbouring points have a zero of f in them.
    pub(crate) fn zeros(&self, points: &[Rational]) -> Vec<bool> {
        let Some(sequence) = &self.0 else {
            return vec![true; points.len() - 1];
        };
        let at: Vec<(bool, usize)> = points.iter().map(|t| signs(sequence, t)).collect();
        // V(a) − V(b) is the number of zeros in (a, b].
        at.windows(2).map(|ends| ends[0].0 || ends[0].1 != ends[1].1).collect()
    }
}

/// Whether f is 0 there, and the variations of the sequence.
fn signs(sequence: &[Univariate], t: &Rational) -> (bool, usize) {
    // dⁿ p(n/d) has the sign of p(n/d).
    let value = |p: &Univariate| {
        let (mut sum, mut power) = (BigInt::zero(), BigInt::from(1));
        for c in p.iter().rev() {
            sum = sum * t.numer() + c * &power;
            power *= t.denom();
        }
        sum
    };
    let signs: Vec<BigInt> = sequence.iter().map(|p| value(p).signum()).collect();
    let others: Vec<&BigInt> = signs.iter().filter(|sign| !sign.is_zero()).collect();
    let variations = others.windows(2).filter(|pair| pair[0] != pair[1]).count();
    (signs[0].is_zero(), variations)
}

/// Which cells have a zero of f on one of the lines through them: on their edges, and on `inner` lines each way that cut
/// a cell into equal parts. Rows upwards.
pub(crate) fn seen(f: &Polynomial, grid: &Grid, inner: usize) -> Vec<Vec<bool>> {
    let (width, height) = (grid.width(), grid.height());
    let mut seen = vec![vec![false; width]; height];
    let xs: Vec<Rational> = (0..=width).map(|i| grid.corner(i, 0).0).collect();
    let ys: Vec<Rational> = (0..=height).map(|j| grid.corner(0, j).1).collect();
    for (y, rows) in lines(&ys, inner) {
        for (i, _) in Line::of(f, Direction::Horizontal, &y)
            .zeros(&xs)
            .iter()
            .enumerate()
            .filter(|zero| *zero.1)
        {
            rows.clone().for_each(|j| seen[j][i] = true);
        }
    }
    for (x, columns) in lines(&xs, inner) {
        for (j, _) in Line::of(f, Direction::Vertical, &x)
            .zeros(&ys)
            .iter()
            .enumerate()
            .filter(|zero| *zero.1)
        {
            columns.clone().for_each(|i| seen[j][i] = true);
        }
    }
    seen
}

/// Whether f has a zero in one cell, on one of many lines through it.
pub(crate) fn seen_closely(f: &Polynomial, grid: &Grid, (i, j): (usize, usize), inner: usize) -> bool {
    let ((x0, y0), (x1, y1)) = (grid.corner(i, j), grid.corner(i + 1, j + 1));
    let (xs, ys) = ([x0, x1], [y0, y1]);
    let across = lines(&ys, inner);
    let up = lines(&xs, inner);
    across
        .iter()
        .any(|(y, _)| Line::of(f, Direction::Horizontal, y).zeros(&xs)[0])
        || up
            .iter()
            .any(|(x, _)| Line::of(f, Direction::Vertical, x).zeros(&ys)[0])
}

/// Positions between and at the corners, and the cells whose closure they meet.
fn lines(corners: &[Rational], inner: usize) -> Vec<(Rational, std::ops::Range<usize>)> {
    let cells = corners.len() - 1;
    let parts = BigInt::from(inner + 1);
    let mut lines = Vec::new();
    for (k, pair) in corners.windows(2).enumerate() {
        lines.push((pair[0].clone(), k.saturating_sub(1)..k + 1));
        for part in 1..=inner {
            let share = (&pair[1] - &pair[0]) * BigInt::from(part) / &parts;
            lines.push((&pair[0] + share, k..k + 1));
        }
    }
    lines.push((corners[cells].clone(), cells - 1..cells));
    lines
}

fn derivative(p: &[BigInt]) -> Univariate {
    let powers = p.iter().enumerate().skip(1);
    powers.map(|(k, c)| c * BigInt::from(k)).collect()
}

/// Without leading zeros and without a common factor of the coefficients, of the same sign.
fn primitive(mut p: Univariate) -> Univariate {
    while p.pop_if(|c| c.is_zero()).is_some() {}
    let content = p.iter().fold(BigInt::zero(), |all, c| all.gcd(c));
    p.iter_mut().for_each(|c| *c /= &content);
    p
}

/// Quotient and remainder of a positive multiple of a.
fn divided(a: &[BigInt], b: &[BigInt]) -> (Univariate, Univariate) {
    let lead = &b[b.len() - 1];
    let mut remainder = a.to_vec();
    let mut quotient = vec![BigInt::zero(); (a.len() + 1).saturating_sub(b.len())];
    for shift in (0..quotient.len()).rev() {
        // Both times lead², which is positive, so that the leading terms cancel.
        let factor = &remainder[shift + b.len() - 1] * lead;
        let square = lead * lead;
        for c in remainder.iter_mut().chain(&mut quotient) {
            *c *= &square;
        }
        for (k, c) in b.iter().enumerate() {
            remainder[shift + k] -= &factor * c;
        }
        quotient[shift] = factor;
    }
    (quotient, remainder)
}

#[test]
fn lines_see_zeros() {
    let f: Polynomial = "(x^2 - 2)(x - 1)^2(x + 1/2)^3 - y".parse().expect("a polynomial");
    let number = |numerator: i64, denominator: i64| Rational::new(numerator.into(), denominator.into());
    let line = Line::of(&f, Direction::Horizontal, &number(0, 1));
    let points: Vec<Rational> = (-4..=4).map(|k| number(k, 2)).collect();
    // -√2 in [-3/2, -1]; -1/2 on two intervals' ends; 1 on two; √2 in [1, 3/2].
    assert_eq!(line.zeros(&points), [false, true, true, true, false, true, true, false]);
    let vertical = Line::of(&f, Direction::Vertical, &number(0, 1));
    // At x = 0, y = -1/4.
    assert_eq!(
        vertical.zeros(&points),
        [false, false, false, true, false, false, false, false]
    );
    let nothing = Line::of(
        &"x*y".parse().expect("a polynomial"),
        Direction::Vertical,
        &number(0, 1),
    );
    assert_eq!(nothing.zeros(&points), [true; 8]);
}
