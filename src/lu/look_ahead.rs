//! How much of what a block asks of the trailing matrix waits until the next block, to be done in tiles beside its panels
//! ([`trailing`](super::trailing)).

use super::shape::Shape;
use crate::dense::Matrix;
use crate::device::{AdapterKind, Device};
use crate::scalar::{Scalar, ScalarKind};

/// Tiles that a dispatch may do beside its panels of `rows` rows, without their waiting for them;
/// more are quicker in a product of their own. As measured on GPUs of 132 multiprocessors (BENCHMARKS.md): how many a device has, it
/// does not say, but that it shares the host's memory says that they are few.
pub(super) fn tiles_by_the_way<T: Scalar>(device: &Device, rows: usize, shape: Shape) -> usize {
    let crew = shape.crew;
    // Of fewer rows, a panel takes less than a tile.
    let worth_it = match T::KIND {
        ScalarKind::F32 => true,
        ScalarKind::Df64 => rows >= 2048 || crew > 0,
        ScalarKind::F64 => rows >= 3072 || crew > 0,
        ScalarKind::Dd => false,
    };
    match device.adapter().kind {
        // As many as one core does.
        AdapterKind::Software => 1,
        AdapterKind::Discrete | AdapterKind::Virtual if worth_it => match T::KIND {
            ScalarKind::F32 if shape.panels > 1 => 160 * shape.panels as usize,
            // With the largest crew, one for each multiprocessor.
            ScalarKind::F32 if crew > 0 => 116,
            // A crew's panel has more columns, and takes longer.
            ScalarKind::F64 if crew > 0 => 200 * shape.panels as usize,
            ScalarKind::F32 => 110,
            _ if crew > 0 => 140 * shape.panels as usize,
            _ => 90,
        },
        _ => 0,
    }
}

/// The first of the columns that can wait: as many of those from `soon` on as `dispatches` update by the way, beside panels of
/// the rows from `first` on.
pub(super) fn first_to_wait<T: Scalar>(
    a: &Matrix<T>,
    first: usize,
    soon: usize,
    shape: Shape,
    dispatches: usize,
) -> usize {
    let rows = a.rows() - first;
    let [tile_rows, tile_cols] = shape.tile.extent();
    let tiles = tiles_by_the_way::<T>(a.device(), rows, shape) * dispatches;
    let across = tiles / rows.div_ceil(tile_rows);
    a.cols().saturating_sub(across * tile_cols).max(soon)
}
