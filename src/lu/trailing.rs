//! What a block of columns that is factored takes off the trailing matrix, in tiles that other dispatches do by the way.

use std::ops::Range;

use crate::device::Work;
use crate::device::kernel::Constant;
use crate::scalar::{Scalar, ScalarKind};

/// Invocations beside each other (`TEAM` in the kernel).
const TEAM: u32 = 32;

/// Whether tiles begin before the strips that the next panel waits for, as measured: where they take longer than a panel.
pub(super) fn tiles_come_first<T: Scalar>(crew: u32) -> bool {
    T::KIND != ScalarKind::F32 || crew == 0
}

/// How a workgroup shares a tile: `down` teams of its invocations, a multiple of four, have some rows each, and an invocation
/// neighbouring rows and columns [`TEAM`] apart; and the depth of what passes through workgroup memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    down: u32,
    tall: u32,
    broad: u32,
    deep: u32,
}

impl Tile {
    /// For a workgroup of so many invocations: the quickest, and one that takes little workgroup memory.
    pub(super) fn of<T: Scalar>(workgroup: u32, crew: u32) -> [Self; 2] {
        let all = workgroup / TEAM;
        let [down, tall, broad] = match (T::KIND, workgroup) {
            // Panels of crews have few rows an invocation, and take longer than a tile.
            (ScalarKind::F32, _) if crew > 0 => [all, 8, 4],
            (ScalarKind::F64, _) if crew > 0 => [all, 8, 2],
            // A tile of all teams takes longer than a panel.
            (ScalarKind::F32, 512..) => [all / 4 * 3, 4, 4],
            (ScalarKind::F32, _) => [all, 4, 4],
            _ => [all, 2, 2],
        };
        let quickest = Self {
            down,
            tall,
            broad,
            deep: 16,
        };
        let small = Self {
            down: all,
            // Whole runs.
            tall: (2048 / workgroup / 4 * 4).max(4),
            broad,
            // About a scalar of U an invocation, and a depth that a block has many times.
            deep: 1 << (workgroup / (TEAM * broad)).ilog2(),
        };
        [quickest, small]
    }

    /// For workgroups of 256 beside one that factors a block, which is some whole tiles.
    pub(super) fn beside_a_block<T: Scalar>() -> Self {
        let [tall, broad, deep] = match T::KIND {
            ScalarKind::F32 => [8, 4, 16],
            _ => [8, 4, 8],
        };
        Self {
            down: 8,
            tall,
            broad,
            deep,
        }
    }

    /// Rows and columns.
    pub(super) fn extent(self) -> [usize; 2] {
        [self.down * self.tall, TEAM * self.broad].map(|extent| extent as usize)
    }

    /// Scalars of L and of U in workgroup memory.
    pub(super) fn scalars<T>(self) -> [u32; 2] {
        let run = 16 / crate::device::narrow(size_of::<T>());
        [self.deep * (self.down * self.tall + run), self.deep * TEAM * self.broad]
    }

    pub(super) fn constants(self) -> [(&'static str, u32); 4] {
        [
            (DOWN.name, self.down),
            (TALL.name, self.tall),
            (BROAD.name, self.broad),
            (DEEP.name, self.deep),
        ]
    }
}

/// C -= L U that was put off: of all rows below a block and some columns right of it.
#[derive(Debug, Clone)]
pub(super) struct Trailing {
    /// The block's first row and column, and its columns.
    pub(super) first: usize,
    pub(super) steps: usize,
    pub(super) columns: Range<usize>,
}

/// Some tiles of it, row by row of tiles.
#[derive(Debug, Clone, Default)]
pub(super) struct Tiles {
    /// As in [`Trailing`].
    pub(super) first: usize,
    pub(super) columns: Range<usize>,
    pub(super) steps: usize,
    /// Tiles beside each other.
    pub(super) across: usize,
    pub(super) numbers: Range<usize>,
}

impl Trailing {
    /// What dispatch `number` of `dispatches` does of it, in a matrix of `rows` rows.
    pub(super) fn share(&self, rows: usize, tile: Tile, number: usize, dispatches: usize) -> Tiles {
        debug_assert!(self.steps.is_multiple_of(tile.deep as usize));
        let [tile_rows, tile_cols] = tile.extent();
        let across = self.columns.len().div_ceil(tile_cols);
        let count = across * (rows - self.first - self.steps).div_ceil(tile_rows);
        let each = count.div_ceil(dispatches);
        let begin = (number * each).min(count);
        Tiles {
            first: self.first,
            columns: self.columns.clone(),
            steps: self.steps,
            across,
            numbers: begin..(begin + each).min(count),
        }
    }
}

impl Tiles {
    pub(super) fn work<T>(&self, tile: Tile) -> Work {
        let [rows, cols] = tile.extent();
        let elements = self.numbers.len() * rows * cols;
        Work {
            bytes: 2 * (elements * size_of::<T>()) as u64,
            operations: elements as u64 * self.steps as u64,
        }
    }
}

/// Teams that multiply.
pub(super) const DOWN: Constant = Constant {
    name: "DOWN",
    default: 8,
};
/// Rows of an invocation, neighbours.
pub(super) const TALL: Constant = Constant {
    name: "TALL",
    default: 8,
};
/// Columns of an invocation.
pub(super) const BROAD: Constant = Constant {
    name: "BROAD",
    default: 4,
};
/// Terms that pass through workgroup memory at once.
pub(super) const DEEP: Constant = Constant {
    name: "DEEP",
    default: 2,
};

#[cfg(test)]
mod tests {
    use super::Tile;
    use crate::Df64;
    use crate::lu::state::BLOCK;
    use crate::scalar::Scalar;

    fn tiles_of<T: Scalar>() {
        let run = 16 / size_of::<T>();
        for workgroup in [128, 256, 384, 512, 1024] {
            for tile in [0, 4].into_iter().flat_map(|crew| Tile::of::<T>(workgroup, crew)) {
                let case = format!("{} of {workgroup}: {tile:?}", T::NAME);
                assert!((tile.tall as usize).is_multiple_of(run), "whole runs, {case}");
                assert!((tile.broad as usize).is_multiple_of(run), "whole runs, {case}");
                assert!(BLOCK.default.is_multiple_of(tile.deep), "whole turns, {case}");
                assert!(
                    tile.down.is_multiple_of(4) && tile.down * super::TEAM <= workgroup,
                    "whole patches, {case}"
                );
            }
        }
    }

    #[test]
    fn tiles_are_whole() {
        tiles_of::<f32>();
        tiles_of::<f64>();
        tiles_of::<Df64>();
    }
}
