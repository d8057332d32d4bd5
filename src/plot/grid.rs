//! Cells: where they are, exactly, and in whole numbers.

use num_bigint::BigInt;
use num_integer::Integer;

use super::view::View;
use crate::error::{Error, Result};
use crate::rational::Rational;

/// The most cells of a grid: 8192².
pub const MAX_CELLS: usize = 1 << 26;

/// The most bits of the ends of a view, numerators and denominators, and of what a cell's size makes of them.
const MAX_BITS: u64 = 4096;

/// A view cut into width × height equal cells. Cell (i, j) is the closed rectangle
/// [x0 + i·Δx, x0 + (i + 1)·Δx] × [y0 + j·Δy, y0 + (j + 1)·Δy] with Δx = (x1 − x0)/width and Δy = (y1 − y0)/height, so
/// that j counts upwards. Neighbours share their edges.
///
/// Over one denominator D for both axes, corners are whole numbers (Suzuki and Murao 2010, section 4.4, where cells are
/// squares): x0 + i·Δx = (a + i·p)/D and y0 + j·Δy = (b + j·q)/D.
///
/// ```
/// use nonius::plot::Grid;
/// let grid = Grid::new("-2,2,-2,2".parse()?, 128, 128)?;
/// let (x, y) = grid.corner(1, 64);
/// assert_eq!((x.to_string(), y.to_string()), ("-63/32".to_owned(), "0".to_owned()));
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    view: View,
    width: usize,
    height: usize,
    x: Axis,
    y: Axis,
    denominator: BigInt,
}

/// Numerators of positions along one axis: `origin + k·step`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) origin: BigInt,
    pub(super) step: BigInt,
}

impl Axis {
    pub(super) fn at(&self, k: usize) -> BigInt {
        &self.origin + &self.step * BigInt::from(k)
    }
}

impl Grid {
    /// Cuts a view into width × height cells.
    ///
    /// # Errors
    /// [`Error::Shape`] without cells, with more than [`MAX_CELLS`], or when corners have more than 4,096 bits.
    pub fn new(view: View, width: usize, height: usize) -> Result<Self> {
        let refused = |expected: String, found: String| Error::Shape {
            operation: "grid",
            expected,
            found,
        };
        let cells = width
            .checked_mul(height)
            .filter(|cells| (1..=MAX_CELLS).contains(cells));
        if cells.is_none() {
            return Err(refused(
                format!("1 to {MAX_CELLS} cells"),
                format!("{width} x {height}"),
            ));
        }
        let step = |(low, high): (&Rational, &Rational), cells: usize| (high - low) / BigInt::from(cells);
        let (dx, dy) = (step(view.x(), width), step(view.y(), height));
        let of = |ratio: &Rational| ratio.denom().clone();
        let denominator = of(view.x().0).lcm(&of(view.y().0)).lcm(&of(&dx)).lcm(&of(&dy));
        let whole = |ratio: &Rational| ratio.numer() * (&denominator / ratio.denom());
        let x = Axis {
            origin: whole(view.x().0),
            step: whole(&dx),
        };
        let y = Axis {
            origin: whole(view.y().0),
            step: whole(&dy),
        };
        let ends = [&denominator, &x.origin, &x.at(width), &y.origin, &y.at(height)].map(BigInt::bits);
        match ends.into_iter().max() {
            Some(bits) if bits > MAX_BITS => Err(refused(
                format!("corners of at most {MAX_BITS} bits"),
                format!("{bits}"),
            )),
            _ => Ok(Self {
                view,
                width,
                height,
                x,
                y,
                denominator,
            }),
        }
    }

    /// The part of the plane that is cut up.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Cells in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The corner (x0 + i·Δx, y0 + j·Δy).
    #[must_use]
    pub fn corner(&self, i: usize, j: usize) -> (Rational, Rational) {
        let over = |numerator| Rational::new(numerator, self.denominator.clone());
        (over(self.x.at(i)), over(self.y.at(j)))
    }

    /// Numerators along x, over [`Grid::denominator`].
    pub(super) fn x(&self) -> &Axis {
        &self.x
    }

    /// Numerators along y.
    pub(super) fn y(&self) -> &Axis {
        &self.y
    }

    /// D, which all corners share.
    pub(super) fn denominator(&self) -> &BigInt {
        &self.denominator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(view: &str, width: usize, height: usize) -> Result<Grid> {
        Grid::new(view.parse().expect("a view"), width, height)
    }

    #[test]
    fn corners_are_exact() {
        for (view, width, height) in [("-2,2,-2,2", 128, 128), ("-1/3,0.7,1/7,22/7", 10, 3), ("0,1,0,1", 1, 1)] {
            let grid = grid(view, width, height).expect("small");
            let view: View = view.parse().expect("a view");
            assert_eq!(grid.corner(0, 0), (view.x().0.clone(), view.y().0.clone()));
            assert_eq!(grid.corner(width, height), (view.x().1.clone(), view.y().1.clone()));
            let (left, right) = (grid.corner(0, 0).0, grid.corner(1, 0).0);
            let share = (view.x().1 - view.x().0) / BigInt::from(width);
            assert_eq!(right - left, share);
        }
        let paper = grid("-1.28,1.28,-1.28,1.28", 256, 256).expect("small");
        assert_eq!(*paper.denominator(), BigInt::from(100));
        assert_eq!((paper.x().at(0), paper.y().at(256)), ((-128).into(), 128.into()));
    }

    #[test]
    fn grids_that_are_none_are_refused() {
        for (width, height) in [
            (0, 1),
            (1, 0),
            (usize::MAX, 2),
            (MAX_CELLS, 2),
            (usize::MAX, usize::MAX),
        ] {
            let error = grid("0,1,0,1", width, height).expect_err("no grid").to_string();
            assert!(error.contains("67108864 cells"), "{error}");
        }
        let long = format!("0,1,0,1/{}", "7".repeat(2000));
        assert!(grid(&long, 1, 1).is_err_and(|error| error.to_string().contains("4096 bits")));
    }
}
