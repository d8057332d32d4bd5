//! Grids of workgroups of any size.

/// The number of workgroups of a launch, folded into rows of at most 32,768 (WebGPU allows 65,535 in a dimension).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Workgroups in a row.
    pub(crate) x: u32,
    /// Rows; the last may run over what was asked for.
    pub(crate) y: u32,
}

const ROW: u64 = 32_768;

impl Grid {
    /// At least `groups` workgroups.
    pub(crate) fn of(groups: u64) -> Self {
        let x = groups.min(ROW);
        let y = groups.div_ceil(ROW).max(1);
        Self {
            x: narrow(x),
            y: narrow(y),
        }
    }

    /// Enough workgroups of `per_group` items for `items` items.
    pub(crate) fn covering(items: u64, per_group: u64) -> Self {
        Self::of(items.div_ceil(per_group))
    }
}

/// A size that was checked against the device's limits, as shaders count: every buffer has fewer than 2³² elements.
pub(crate) fn narrow(size: impl TryInto<u32>) -> u32 {
    size.try_into()
        .unwrap_or_else(|_| unreachable!("sizes are checked against the device's limits before a launch"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_covers_every_item() {
        for groups in [0, 1, 32_767, 32_768, 32_769, 65_536, 1_000_000, 70_000_000] {
            let grid = Grid::of(groups);
            assert!(u64::from(grid.x) * u64::from(grid.y) >= groups, "{groups}");
            assert!(grid.x <= 65_535 && grid.y <= 65_535, "{groups}");
        }
    }
}
