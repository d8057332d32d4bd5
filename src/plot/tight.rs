//! Cells decided by f about their own corners, where its positive and its negative terms are monotone.
//!
//! Over a block of cells f is Σ Tₖₗ uᵏ vˡ with u, v ≥ 0 the position relative to the block's corner. P⁺, the sum of the
//! terms with Tₖₗ > 0, and P⁻, minus the sum of the others, grow with u and v. So over the part [u, u′] × [v, v′]
//!
//! ```text
//! low = P⁺(u, v) − P⁻(u′, v′)  ≤  f  ≤  P⁺(u′, v′) − P⁻(u, v) = high
//! ```
//!
//! and the part is empty when low > 0 or high < 0. At lattice points P⁺ and P⁻ are computed once for the four parts that
//! meet there; each part asks for two signs. The nearer the corner, the nearer are low and high: what is left of a block
//! of 32 cells is taken up in blocks of 8, 2 and 1.

use std::ops::Range;

use num_bigint::{BigInt, Sign};
use num_traits::Zero;

use super::bands;
use super::cells::{Cell, Cells};
use super::expansion::{Edge, Expansion, Split};
use super::grid::{Axis, Grid};
use super::isolated;
use super::paper::magnitude;
use super::polynomial::Polynomial;
use super::sturm::has_zero_in_unit;
use crate::error::Result;
use crate::observer::Observer;

/// Sides of blocks, in cells; each is cut into blocks of the next, and the last are cells.
pub(super) const BLOCKS: [usize; 4] = [32, 8, 2, 1];

/// Halvings of a cell that nothing before decides.
pub const MAX_HALVINGS: u32 = 8;

/// Every block of 32 × 32 cells, from the lowest row of them upwards.
pub(super) fn classify(f: &Polynomial, grid: &Grid, observer: &mut dyn Observer) -> Result<Cells> {
    let root = Expansion::of(f, grid);
    let (width, height) = (grid.width(), grid.height());
    bands::map("plot", (width, height), BLOCKS[0], observer, |rows| {
        let mut band = Band {
            cells: vec![Cell::Empty; width * rows.len()],
            width,
            rows: rows.clone(),
        };
        // Up to the band once, not for every block in it.
        let begin = root.shifted(0, rows.start);
        for i in (0..width).step_by(BLOCKS[0]) {
            band.block(&begin.shifted(i, 0), (i, rows.start), 0);
        }
        band.cells
    })
}

/// The bits of every integer whose sign is asked for down to single cells: |Tₖₗ|, P⁺, P⁻, their differences low, high and f
/// are below 2^bits, so that a basis of residues must hold 2^(bits + 1), for the sign.
///
/// About the corner (X, Y), in numerators, Σ |Tₖₗ| uᵏ vˡ ≤ Σ |c| D^(d − a − b) (|X| + p u)^a (|Y| + q v)^b, since the Taylor
/// coefficients of a power are those of the binomial. Points of a block are at most B = 32 cells from its corner, and not
/// beyond the grid, so with X̂ the larger of the ends' magnitudes, |X| + p u ≤ X̂ + p min(B, width), and the same for Y. A
/// difference of two numbers that are at least 0 is no larger than the larger one; and |Tₖₗ| is the sum's part at
/// u = v = 1.
pub(super) fn bits(f: &Polynomial, grid: &Grid) -> u64 {
    let reach = |axis: &Axis, cells: usize| {
        let ends = [axis.at(0), axis.at(cells)].map(|end| BigInt::from(end.magnitude().clone()));
        let [low, high] = ends;
        low.max(high) + &axis.step * BigInt::from(cells.min(BLOCKS[0]))
    };
    let (x, y) = (reach(grid.x(), grid.width()), reach(grid.y(), grid.height()));
    magnitude(f, grid, &x, &y).bits()
}

/// What the signs say of one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// low > 0 or high < 0.
    Empty,
    /// f is 0 at a corner, or has both signs at corners: by the intermediate value theorem, it is 0 somewhere within.
    Crossed,
    Unknown,
}

/// All that is computed for one block: P⁺ and P⁻ at the lattice points (u, v), row by row of v; for every part between
/// neighbouring points the signs of low and high; and where they leave it open, those of f at its corners. Parts come row
/// by row of v.
fn verdicts(about: &Expansion, us: &[usize], vs: &[usize]) -> Vec<Verdict> {
    if us == [0, 1] && vs == [0, 1] {
        return vec![verdict(about)];
    }
    let points = about.split_at(us, vs);
    let point = |i: usize, j: usize| &points[j * us.len() + i];
    let parts = (1..vs.len()).flat_map(|j| (1..us.len()).map(move |i| (i, j)));
    parts
        .map(|(i, j)| {
            let (near, far) = (point(i - 1, j - 1), point(i, j));
            if near.plus > far.minus || far.plus < near.minus {
                return Verdict::Empty;
            }
            let corners = [near, point(i, j - 1), point(i - 1, j), far].map(sign);
            if corners.contains(&Sign::NoSign) || corners.iter().any(|corner| *corner != corners[0]) {
                Verdict::Crossed
            } else {
                Verdict::Unknown
            }
        })
        .collect()
}

/// The same of the cell at the corner, in which no power has to be computed: P⁺ is T₀₀ or nothing in the corner and the sum
/// of all Tₖₗ > 0 in the far one.
fn verdict(about: &Expansion) -> Verdict {
    let (mut plus, mut minus) = (BigInt::zero(), BigInt::zero());
    for coefficient in about.rows().iter().flatten() {
        match coefficient.sign() {
            Sign::Plus => plus += coefficient,
            Sign::Minus => minus += coefficient,
            Sign::NoSign => {}
        }
    }
    let near = &about.rows()[0][0];
    let is_empty = match near.sign() {
        Sign::Plus => near.magnitude() > minus.magnitude(),
        Sign::Minus => plus.magnitude() < near.magnitude(),
        Sign::NoSign => return Verdict::Crossed,
    };
    if is_empty {
        return Verdict::Empty;
    }
    let right: BigInt = about.rows().iter().map(|row| &row[0]).sum();
    let above: BigInt = about.rows()[0].iter().sum();
    if [right, above, plus + minus]
        .iter()
        .all(|corner| corner.sign() == near.sign())
    {
        Verdict::Unknown
    } else {
        Verdict::Crossed
    }
}

/// The sign of f.
fn sign(point: &Split) -> Sign {
    match point.plus.cmp(&point.minus) {
        std::cmp::Ordering::Less => Sign::Minus,
        std::cmp::Ordering::Equal => Sign::NoSign,
        std::cmp::Ordering::Greater => Sign::Plus,
    }
}

/// Some rows of the grid, and their cells: empty until something else is found.
struct Band {
    cells: Vec<Cell>,
    width: usize,
    rows: Range<usize>,
}

impl Band {
    /// Decides the cells of a block from the expansion about its corner, cell (i, j).
    fn block(&mut self, about: &Expansion, (i, j): (usize, usize), level: usize) {
        let side = BLOCKS[level];
        let part = BLOCKS.get(level + 1).copied().unwrap_or(1);
        // The last lattice points lie on the grid's edge where that cuts the block.
        let points = |room: usize| -> Vec<usize> {
            let end = side.min(room);
            (0..end).step_by(part).chain([end]).collect()
        };
        let (us, vs) = (points(self.width - i), points(self.rows.end - j));
        let mut found = verdicts(about, &us, &vs).into_iter();
        for v in &vs[..vs.len() - 1] {
            for (u, verdict) in us[..us.len() - 1].iter().zip(&mut found) {
                let at = (i + u, j + v);
                match verdict {
                    Verdict::Empty => {}
                    Verdict::Crossed if part == 1 => self.set(at, Cell::Crossed),
                    _ if side == 1 => self.set(at, inspected(about)),
                    _ => self.block(&about.shifted(*u, *v), at, level + 1),
                }
            }
        }
    }

    fn set(&mut self, (i, j): (usize, usize), cell: Cell) {
        self.cells[(j - self.rows.start) * self.width + i] = cell;
    }
}

/// What a cell is that signs at its own corners leave open.
pub(super) fn inspected(about: &Expansion) -> Cell {
    match inspect(about, &Edge::ALL, MAX_HALVINGS) {
        Cell::Undecided if isolated::is_proved(about) => Cell::Crossed,
        found => found,
    }
}

/// Decides a cell whose corners have one sign. A zero on its edges is found exactly. Without one, what may still lie
/// within is an oval or an isolated point: the cell is empty if its four quarters are, crossed if one of them is, and
/// undecided after so many halvings. Of the edges only those are asked that are not known to have none: a quarter's outer
/// ones are parts of its cell's.
fn inspect(about: &Expansion, edges: &[Edge], halvings: u32) -> Cell {
    if edges.iter().any(|edge| has_zero_in_unit(&about.along(*edge))) {
        return Cell::Crossed;
    }
    if halvings == 0 {
        return Cell::Undecided;
    }
    let lower_left = about.halved();
    let lower_right = lower_left.shifted(1, 0);
    let quarters = [
        (lower_left.shifted(0, 1), [Edge::Below, Edge::Right]),
        (lower_right.shifted(0, 1), [Edge::Below, Edge::Left]),
        (lower_left, [Edge::Above, Edge::Right]),
        (lower_right, [Edge::Above, Edge::Left]),
    ];
    let mut cell = Cell::Empty;
    for (quarter, inner) in &quarters {
        let found = match verdict(quarter) {
            Verdict::Empty => Cell::Empty,
            Verdict::Crossed => Cell::Crossed,
            Verdict::Unknown => inspect(quarter, inner, halvings - 1),
        };
        match found {
            Cell::Crossed => return found,
            Cell::Undecided => cell = found,
            Cell::Empty => {}
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use num_traits::Signed;

    use super::*;
    use crate::plot::curves;

    /// A cell's verdict is what its four points say, whatever the signs there.
    #[test]
    fn cells_are_judged_as_parts_are() {
        let mut seen = Vec::new();
        for (name, n) in [("heart", 48), ("folium", 20), ("spade", 24), ("touching_circles", 20)] {
            let f = curves::by_name(name).and_then(|curve| curve.polynomial()).expect(name);
            let grid = Grid::new("-2,2,-2,2".parse().expect("a view"), n, n).expect("small");
            let root = Expansion::of(&f, &grid);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let about = root.shifted(i, j);
                // Of four points, the first part of two is that of the cell.
                let expected = verdicts(&about, &[0, 1, 2], &[0, 1, 2])[0];
                assert_eq!(verdict(&about), expected, "{name}, cell ({i}, {j})");
                let sign = about.rows()[0][0].sign();
                if !seen.contains(&(sign, expected)) {
                    seen.push((sign, expected));
                }
            }
        }
        // Both signs with all three verdicts, and 0, which is crossed.
        assert_eq!(seen.len(), 7, "{seen:?}");
    }

    /// An oval that no corner of any part lies in, and that crosses no edge of the cell, is seen where it crosses those of
    /// quarters: here the upright ones, there the level ones.
    #[test]
    fn thin_ovals_are_seen_between_quarters() {
        for (text, expected) in [
            ("(x - 2/5)^2 + 1000000000000(y - 1/3)^2 = 1/25", Cell::Crossed),
            ("(y - 2/5)^2 + 1000000000000(x - 1/3)^2 = 1/25", Cell::Crossed),
            // From 0.39 to 0.41: only the last parts' edges, 100/256 and on, are between.
            ("(x - 2/5)^2 + 1000000000000(y - 1/3)^2 = 1/10000", Cell::Crossed),
            // From 0.3991 to 0.3999: none is, between 102/256 and 103/256.
            (
                "(x - 3995/10000)^2 + 1000000000000(y - 1/3)^2 = 1/6250000",
                Cell::Undecided,
            ),
        ] {
            let f: Polynomial = text.parse().expect(text);
            let grid = Grid::new("0,1,0,1".parse().expect("a view"), 1, 1).expect("small");
            let about = Expansion::of(&f, &grid);
            assert_eq!(inspect(&about, &Edge::ALL, MAX_HALVINGS), expected, "{text}");
        }
    }

    /// Every integer of every block of every size is within the bound, and some come near it.
    #[test]
    fn the_bound_holds() {
        for (name, view, n) in [
            ("heart", "-2,2,-2,2", 64),
            ("spade", "-2,2,-2,2", 64),
            ("folium", "-1/3,2/7,-5,1", 40),
            ("deltoid", "1,2,-3,-2", 33),
        ] {
            let f = curves::by_name(name).and_then(|curve| curve.polynomial()).expect(name);
            let grid = Grid::new(view.parse().expect("a view"), n, n).expect("small");
            let root = Expansion::of(&f, &grid);
            let mut most = 0;
            for side in [32, 8] {
                for (i, j) in (0..n)
                    .step_by(side)
                    .flat_map(|i| (0..n).step_by(side).map(move |j| (i, j)))
                {
                    let points = |from: usize| [0, 1, side.min(n - from)];
                    let about = root.shifted(i, j);
                    let splits = about.split_at(&points(i), &points(j));
                    let edges = [Edge::Below, Edge::Left].map(|edge| about.along(edge));
                    let integers = splits.iter().flat_map(|split| [&split.plus, &split.minus]);
                    let coefficients = edges.iter().flatten();
                    let found = integers.chain(coefficients).map(|value| value.abs().bits()).max();
                    most = most.max(found.expect("some"));
                }
            }
            let bound = bits(&f, &grid);
            assert!((most..=most + 4).contains(&bound), "{name}: {most} of {bound}");
        }
    }
}
