//! What is known of every cell.

use std::fmt;

/// What is proved of a closed cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    /// No point of f = 0 lies in it.
    Empty,
    /// A point of f = 0 lies in it, perhaps on its edge.
    Crossed,
    /// Neither is proved.
    Undecided,
}

/// The cells of a [`Grid`](super::Grid), each with what is proved of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Cells {
    width: usize,
    cells: Vec<Cell>,
}

impl Cells {
    /// Rows from the lowest y upwards, each from the lowest x.
    pub(super) fn from_rows(width: usize, cells: Vec<Cell>) -> Self {
        Self { width, cells }
    }

    /// Cells in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    /// Cell i of row j, both from the corner (x0, y0); none beyond the grid.
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> Option<Cell> {
        self.rows().nth(j)?.get(i).copied()
    }

    /// Rows from the lowest y upwards, each from the lowest x.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[Cell]> + ExactSizeIterator {
        self.cells.chunks_exact(self.width)
    }

    /// How many cells are so.
    #[must_use]
    pub fn count(&self, wanted: Cell) -> usize {
        self.cells.iter().filter(|cell| **cell == wanted).count()
    }
}

/// The counts: the cells themselves are too many to read.
impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells")
            .field("width", &self.width)
            .field("height", &self.height())
            .field("empty", &self.count(Cell::Empty))
            .field("crossed", &self.count(Cell::Crossed))
            .field("undecided", &self.count(Cell::Undecided))
            .finish()
    }
}
