//! How systems are laid out over a workgroup.

use crate::device::kernel::Constant;
use crate::device::{Adapter, Device};
use crate::scalar::{Scalar, ScalarKind};

/// A team of invocations has a system: `width` columns of `rows` rows in each; `systems` teams are a workgroup. Every
/// `stage` columns, the rows that are worked on become shorter by so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) width: u32,
    pub(super) rows: u32,
    pub(super) systems: u32,
    pub(super) stage: u32,
    pub(super) election: Election,
}

/// How a team finds its pivot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Election {
    /// Through workgroup memory.
    Workgroup,
    /// By shuffles in a subgroup that has several teams.
    Shuffles,
    /// By reductions, in at most so many subgroups of a team.
    Reductions(u32),
}

/// Invocations of a workgroup. A barrier of few is short, and what a workgroup waits for, others use.
const INVOCATIONS: u32 = 64;

impl Shape {
    /// For systems of order n, from 1 to [`super::LARGEST`].
    pub(super) fn of<T: Scalar>(device: &Device, n: usize) -> Self {
        let width = crate::device::narrow(n.next_power_of_two().max(4));
        // Two rows of 64 f32 are all the registers of an invocation, and spare half of what is read from workgroup memory.
        let rows = if T::KIND == ScalarKind::F32 && width == 64 {
            2
        } else {
            1
        };
        let team = width / rows;
        let shape = Self {
            width,
            rows,
            systems: INVOCATIONS / team,
            stage: width.min(stage::<T>()),
            election: election(device.adapter(), team),
        };
        let limit = device
            .adapter()
            .limit("maxComputeWorkgroupStorageSize")
            .unwrap_or(16 << 10);
        if shape.bytes(size_of::<T>()) <= limit {
            return shape;
        }
        Self {
            election: Election::Workgroup,
            ..shape
        }
    }

    /// Invocations of a system.
    pub(super) fn team(self) -> u32 {
        self.width / self.rows
    }

    /// Columns that are read and written at once.
    pub(super) fn chunk(self) -> u32 {
        self.width.min(8)
    }

    /// Pivot rows that a team publishes side by side.
    fn slots(self) -> u32 {
        match self.election {
            Election::Reductions(groups) => groups,
            Election::Workgroup | Election::Shuffles => 1,
        }
    }

    /// Workgroup memory of the factorisation.
    fn bytes(self, scalar: usize) -> u64 {
        const CANDIDATE: u32 = 16;
        let scalars = self.width * (self.chunk() + 1) + 2 * self.slots() * self.width;
        let candidates = 2 * self.slots() + self.team() + self.team() / 4;
        u64::from(self.systems * scalars) * scalar as u64 + u64::from(self.systems * candidates * CANDIDATE)
    }

    /// Constants of the kernels' headers: those of the rows, and those of the election.
    pub(super) fn constants(self) -> [(&'static str, u32); 7] {
        [
            (WIDTH.name, self.width),
            (ROWS.name, self.rows),
            (CHUNK.name, self.chunk()),
            (SYSTEMS.name, self.systems),
            (STAGE.name, self.stage),
            (SLOTS.name, self.slots()),
            (SHARED.name, u32::from(self.election == Election::Shuffles)),
        ]
    }
}

/// Each stage is written out by itself. A multiply-add of pairs is some 20 to 60 instructions, and more than so many stages
/// take compilers longer than they save: SwiftShader took 49 s for 64 columns of Df64 in stages of 8, and 15 s in these.
fn stage<T: Scalar>() -> u32 {
    match T::KIND {
        ScalarKind::F32 | ScalarKind::F64 => 8,
        ScalarKind::Df64 | ScalarKind::Dd => 16,
    }
}

/// By subgroups where every size that the driver may choose lets a team be several of them, or a part of one.
fn election(adapter: &Adapter, team: u32) -> Election {
    match adapter.subgroups() {
        Some((smallest, largest)) if largest <= team => Election::Reductions(team / smallest),
        Some((smallest, _)) if team <= smallest && smallest <= INVOCATIONS => Election::Shuffles,
        _ => Election::Workgroup,
    }
}

pub(super) const WIDTH: Constant = Constant {
    name: "WIDTH",
    default: 8,
};
pub(super) const ROWS: Constant = Constant {
    name: "ROWS",
    default: 1,
};
pub(super) const CHUNK: Constant = Constant {
    name: "CHUNK",
    default: 8,
};
pub(super) const SYSTEMS: Constant = Constant {
    name: "SYSTEMS",
    default: 8,
};
pub(super) const STAGE: Constant = Constant {
    name: "STAGE",
    default: 8,
};
pub(super) const SLOTS: Constant = Constant {
    name: "SLOTS",
    default: 1,
};
pub(super) const SHARED: Constant = Constant {
    name: "SHARED",
    default: 1,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Dd, Df64};

    fn least_for<T: Scalar>() {
        for n in 1..=super::super::LARGEST {
            let shape = Shape::of::<T>(&Device::host(), n);
            let (width, team) = (shape.width as usize, shape.team());
            assert!(n <= width && (width < 2 * n || width == 4), "{n}: {shape:?}");
            assert!(
                team * shape.systems <= 256 && team * shape.rows == shape.width,
                "{n}: {shape:?}"
            );
            assert!(team.is_multiple_of(shape.chunk()), "{n}: {shape:?}");
            assert!(shape.bytes(size_of::<T>()) <= 16 << 10, "{n} in {}: {shape:?}", T::NAME);
        }
    }

    #[test]
    fn every_order_has_a_shape_that_every_device_allows() {
        least_for::<f32>();
        least_for::<Df64>();
        least_for::<f64>();
        least_for::<Dd>();
    }
}
