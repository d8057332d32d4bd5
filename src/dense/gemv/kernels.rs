//! The kernels of GEMV, and what each form of them shares out at once.

use crate::device::kernel::{Access, Constant, Fragment, Kernel, SUBGROUP, Vocabulary, fragment};
use crate::device::precision::Precision;

/// One way to multiply.
pub(super) struct Form {
    /// The kernel that writes y.
    pub(super) kernel: &'static Kernel,
    /// The same that leaves partial sums.
    pub(super) partial: &'static Kernel,
    /// Whether rows of A are rows in memory.
    pub(super) by_rows: bool,
    /// Whether x goes through workgroup memory.
    pub(super) staged: bool,
}

static FORMS: [Form; 5] = [
    Form {
        kernel: &ROWS_KERNEL,
        partial: &ROWS_PARTIAL,
        by_rows: true,
        staged: false,
    },
    Form {
        kernel: &ROWS_BY_SUBGROUP,
        partial: &ROWS_BY_SUBGROUP_PARTIAL,
        by_rows: true,
        staged: false,
    },
    Form {
        kernel: &ROWS_STAGED,
        partial: &ROWS_STAGED_PARTIAL,
        by_rows: true,
        staged: true,
    },
    Form {
        kernel: &COLUMNS_KERNEL,
        partial: &COLUMNS_PARTIAL,
        by_rows: false,
        staged: false,
    },
    Form {
        kernel: &COLUMNS_STAGED,
        partial: &COLUMNS_STAGED_PARTIAL,
        by_rows: false,
        staged: true,
    },
];

impl Form {
    /// The form of a variant's kernel.
    pub(super) fn of(kernel: &'static Kernel) -> &'static Self {
        let found = FORMS.iter().find(|form| std::ptr::eq(form.kernel, kernel));
        found.unwrap_or_else(|| unreachable!("{} is no kernel of gemv", kernel.name))
    }

    /// Elements of y, and terms (packs of them by rows), that a workgroup takes at once.
    pub(super) fn block_and_step(&self, value: impl Fn(&str) -> u32, precision: Precision) -> (u32, u32) {
        let workgroup = value("WORKGROUP");
        match (self.by_rows, self.staged) {
            (true, true) => (workgroup, workgroup),
            (false, true) => (workgroup * precision.pack(), workgroup),
            (true, false) => {
                let lanes = value("LANES");
                (workgroup / lanes * value("ROWS"), lanes * value("UNROLL"))
            }
            (false, false) => {
                let lanes = value("LANES");
                (lanes * precision.pack(), workgroup / lanes * value("UNROLL"))
            }
        }
    }

    /// Bytes of workgroup memory.
    pub(super) fn workgroup_memory(&self, value: impl Fn(&str) -> u32, precision: Precision) -> usize {
        let workgroup = value("WORKGROUP") as usize;
        let pack = precision.pack() as usize;
        match (self.by_rows, self.staged) {
            (true, true) => workgroup * pack * precision.element.size(),
            (false, true) => workgroup * precision.element.size(),
            (true, false) => {
                let lanes = value("LANES") as usize;
                workgroup / lanes * value("ROWS") as usize * (lanes + 1) * precision.scalar.size()
            }
            (false, false) => workgroup * pack * precision.scalar.size(),
        }
    }
}

pub(super) const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 256,
};
pub(super) const LANES: Constant = Constant {
    name: "LANES",
    default: 32,
};
pub(super) const ROWS: Constant = Constant {
    name: "ROWS",
    default: 1,
};
pub(super) const UNROLL: Constant = Constant {
    name: "UNROLL",
    default: 4,
};
/// Whether a driver computes on the CPU, which goes through what a branch leaves out, and on which a loop over blocks costs
/// half the speed.
pub(super) const ON_CPU: Constant = Constant {
    name: "ON_CPU",
    default: 0,
};
/// Lanes whose sums one invocation adds up.
pub(super) const SHORT_SUM: Constant = Constant {
    name: "SHORT_SUM",
    default: 32,
};
/// Parts of a split's rows that are summed each by itself, so that they can be gone through from the end.
pub(super) const SEGMENTS: Constant = Constant {
    name: "SEGMENTS",
    default: 1,
};
/// Sums that the end of partial sums takes at once.
pub(super) const FINISH_LANES: Constant = Constant {
    name: "LANES",
    default: 16,
};

/// Every kernel of this operation.
pub(crate) static KERNELS: [&Kernel; 11] = [
    &ROWS_KERNEL,
    &ROWS_PARTIAL,
    &ROWS_BY_SUBGROUP,
    &ROWS_BY_SUBGROUP_PARTIAL,
    &ROWS_STAGED,
    &ROWS_STAGED_PARTIAL,
    &COLUMNS_KERNEL,
    &COLUMNS_PARTIAL,
    &COLUMNS_STAGED,
    &COLUMNS_STAGED_PARTIAL,
    &FINISH,
];

const GRID: Fragment = fragment!("lib/grid.wgsl");
const OPERANDS: Fragment = fragment!("dense/gemv_operands.wgsl");
const LANE_SUMS: Fragment = fragment!("dense/gemv_lanes.wgsl");
/// What is done with a sum.
const RESULT: Fragment = fragment!("dense/gemv_result.wgsl");
const PARTIAL: Fragment = fragment!("dense/gemv_partial.wgsl");

/// Rows of A are rows in memory: dot products.
pub(super) static ROWS_KERNEL: Kernel = rows("gemv", &[GRID, OPERANDS, LANE_SUMS, RESULT]);
static ROWS_PARTIAL: Kernel = rows("gemv (partial sums)", &[GRID, OPERANDS, LANE_SUMS, PARTIAL]);

/// The same, with lanes summed by shuffles.
pub(super) static ROWS_BY_SUBGROUP: Kernel =
    rows_by_subgroup("gemv_subgroup", &[GRID, OPERANDS, LANE_SUMS, SUBGROUP, RESULT]);
static ROWS_BY_SUBGROUP_PARTIAL: Kernel = rows_by_subgroup(
    "gemv_subgroup (partial sums)",
    &[GRID, OPERANDS, LANE_SUMS, SUBGROUP, PARTIAL],
);

/// One invocation a row.
pub(super) static ROWS_STAGED: Kernel = rows_staged("gemv_staged", &[GRID, OPERANDS, RESULT]);
static ROWS_STAGED_PARTIAL: Kernel = rows_staged("gemv_staged (partial sums)", &[GRID, OPERANDS, PARTIAL]);

/// Rows of A are columns in memory.
pub(super) static COLUMNS_KERNEL: Kernel = columns("gemv_transposed", &[GRID, OPERANDS, RESULT]);
static COLUMNS_PARTIAL: Kernel = columns("gemv_transposed (partial sums)", &[GRID, OPERANDS, PARTIAL]);

/// One invocation a pack of columns.
pub(super) static COLUMNS_STAGED: Kernel = columns_staged("gemv_transposed_staged", &[GRID, OPERANDS, RESULT]);
static COLUMNS_STAGED_PARTIAL: Kernel =
    columns_staged("gemv_transposed_staged (partial sums)", &[GRID, OPERANDS, PARTIAL]);

/// The end of partial sums.
pub(super) static FINISH: Kernel = Kernel {
    name: "gemv_finish",
    entry: "gemv_finish",
    source: fragment!("dense/gemv_finish.wgsl"),
    fragments: &[GRID],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["count", "splits", "y_offset", "y_stride", "reads_y"],
    scalars: &["alpha", "beta"],
    constants: &[WORKGROUP, FINISH_LANES],
    vocabulary: Vocabulary::Packs,
};

const fn rows(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    let constants = &[WORKGROUP, LANES, ROWS, UNROLL, ON_CPU, SHORT_SUM];
    kernel(name, "gemv", fragment!("dense/gemv.wgsl"), fragments, constants)
}

const fn rows_by_subgroup(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    let source = fragment!("dense/gemv_subgroup.wgsl");
    kernel(
        name,
        "gemv_subgroup",
        source,
        fragments,
        &[WORKGROUP, LANES, ROWS, UNROLL, ON_CPU],
    )
}

const fn rows_staged(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    let source = fragment!("dense/gemv_staged.wgsl");
    kernel(name, "gemv_staged", source, fragments, &[WORKGROUP, UNROLL])
}

const fn columns(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    let source = fragment!("dense/gemv_transposed.wgsl");
    let constants = &[WORKGROUP, LANES, UNROLL, SEGMENTS];
    kernel(name, "gemv_transposed", source, fragments, constants)
}

const fn columns_staged(name: &'static str, fragments: &'static [Fragment]) -> Kernel {
    let source = fragment!("dense/gemv_transposed_staged.wgsl");
    let constants = &[WORKGROUP, UNROLL];
    kernel(name, "gemv_transposed_staged", source, fragments, constants)
}

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    constants: &'static [Constant],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings: &[Access::Read, Access::Read, Access::ReadWrite],
        integers: &[
            "rows",
            "cols",
            "a_offset",
            "a_leading",
            "x_offset",
            "x_stride",
            "y_offset",
            "y_stride",
            "reads_y",
            "abreast",
            "takes",
            "splits",
            "chunk",
            "backwards",
        ],
        scalars: &["alpha", "beta"],
        constants,
        vocabulary: Vocabulary::Packs,
    }
}
