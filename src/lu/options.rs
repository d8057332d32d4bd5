//! How to factor: what is chosen by whoever calls.

use crate::device::{AdapterKind, Device};
use crate::scalar::{Scalar, ScalarKind};

/// Which row of what is left becomes the next row of U.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Pivoting {
    /// The one with the largest element in the column that is eliminated; the first of equals, as in LAPACK. |L| ≤ 1.
    #[default]
    Partial,
    /// The winners of a tournament among groups of rows, 8 or 16 columns at once (Grigori, Demmel and Xiang 2011): all of
    /// a device works on a panel, however tall it is. |L| may exceed 1, and grows as 2^(h b) at worst where that of
    /// partial pivoting is 1, in h rounds over b columns; in practice it stays below 10. Where the winner has a zero for its
    /// pivot, the column below it is dropped, though other rows may have some roundings left in it: of matrices without full
    /// rank, ΔA is bounded in norm only.
    Tournament,
    /// The next one as it stands. Only for matrices that are known to need no exchanges: diagonally dominant by rows or
    /// columns, or symmetric positive definite. Elements grow without bound otherwise.
    None,
}

/// Where a panel of columns is worked on with partial pivoting, and a block on the diagonal without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Panels {
    /// In registers where the device is a GPU and a workgroup of it holds them, else in memory: by a dispatch a column, or, where a
    /// driver computes on the CPU and panels are not too tall, by one of a single workgroup.
    #[default]
    Auto,
    /// In registers where a workgroup of the device holds them, whatever the device is.
    Registers,
    /// In memory, a dispatch a column.
    Memory,
}

impl Panels {
    /// Drivers that compute on the CPU keep what a kernel calls registers in memory, and move it in every column.
    pub(super) fn in_registers(self, device: &Device) -> bool {
        match self {
            Self::Auto => device.adapter().kind != AdapterKind::Software,
            Self::Registers => true,
            Self::Memory => false,
        }
    }

    /// The same of triangles: only of words, since pairs would take all registers there are, or longer to be computed by
    /// every line of a workgroup than to be waited for.
    pub(super) fn keep_triangles<T: Scalar>(self, device: &Device) -> bool {
        matches!(T::KIND, ScalarKind::F32 | ScalarKind::F64) && self.in_registers(device)
    }
}

/// How to factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which rows become pivots.
    pub pivoting: Pivoting,
    /// Where panels, and blocks on the diagonal, are worked on. The factors are those of the same exchanges, with other
    /// roundings.
    pub panels: Panels,
    /// The columns that are factored before what is right of them is brought up to date, by products of as many terms: rounded up
    /// to whole blocks of 128 (on the host, 32), and as many as are left at most. By default one block, of which most of the product
    /// is done beside the panels of the next on GPUs with memory of their own, if these are tall enough; where it is not, two on a
    /// GPU where 4,096 columns are left. The factors are those of the same exchanges, with other roundings; `depth * (m + n)` scalars of
    /// workspace.
    pub depth: Option<usize>,
}

impl From<Pivoting> for Options {
    fn from(pivoting: Pivoting) -> Self {
        Self {
            pivoting,
            ..Self::default()
        }
    }
}

impl From<Panels> for Options {
    fn from(panels: Panels) -> Self {
        Self {
            panels,
            ..Self::default()
        }
    }
}
