//! The kernels of GEMM.

use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};

const fn constant(name: &'static str, default: u32) -> Constant {
    Constant { name, default }
}

/// Every kernel of this operation.
pub(crate) static KERNELS: [&Kernel; 5] = [&TILES, &FINISH, &DIRECT, &SUBGROUP, &SUBGROUP_LONG];

/// Tiles through workgroup memory. The defaults need no more than WebGPU gives everywhere, in any scalar.
pub(super) static TILES: Kernel = Kernel {
    name: "gemm",
    entry: "gemm",
    source: fragment!("dense/gemm.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite, Access::ReadWrite],
    integers: TILES_INTEGERS,
    scalars: &["alpha", "beta"],
    constants: TILES_CONSTANTS,
    vocabulary: Vocabulary::Packs,
};

const TILES_INTEGERS: &[&str] = &[
    "rows",
    "cols",
    "depth",
    "a_offset",
    "a_leading",
    "b_offset",
    "b_leading",
    "c_offset",
    "c_leading",
    "tiles_across",
    "whole",
    "rest",
    "parts",
    "chunk",
    "reads_c",
];

pub(super) const TILE_ROWS: Constant = constant("TILE_ROWS", 32);
pub(super) const TILE_COLS: Constant = constant("TILE_COLS", 32);

const TILES_CONSTANTS: &[Constant] = &[
    TILE_ROWS,
    TILE_COLS,
    constant("DEPTH", 8),
    constant("ROWS", 4),
    constant("COLS", 4),
    constant("B_FIRST", 0),
    constant("A_TURNED", 1),
    constant("B_TURNED", 0),
    constant("STORES_PARTS", 0),
];

/// The sum of the parts.
pub(super) static FINISH: Kernel = Kernel {
    name: "gemm_finish",
    entry: "gemm_finish",
    source: fragment!("dense/gemm_finish.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &[
        "rows",
        "cols",
        "tiles_across",
        "whole",
        "rest",
        "parts",
        "c_offset",
        "c_leading",
        "reads_c",
    ],
    scalars: &["alpha", "beta"],
    constants: &[WORKGROUP, TILE_ROWS, TILE_COLS],
    vocabulary: Vocabulary::Elements,
};

/// Without workgroup memory: 4 x 4 elements an invocation, the fastest of seven shapes on lavapipe (BENCHMARKS.md).
pub(super) static DIRECT: Kernel = Kernel {
    name: "gemm_direct",
    entry: "gemm_direct",
    source: fragment!("dense/gemm_direct.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl"), STRIDES],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: DIRECT_INTEGERS,
    scalars: &["alpha", "beta"],
    constants: &[constant("WORKGROUP", 16), constant("ROWS", 4), constant("COLS", 4)],
    vocabulary: Vocabulary::Elements,
};

/// Likewise, with shuffles and packs.
pub(super) static SUBGROUP: Kernel = subgroup("gemm_subgroup", Vocabulary::Packs);

/// The same, with two f32 in each integer that is loaded and stored.
pub(super) static SUBGROUP_LONG: Kernel = subgroup("gemm_subgroup_long", Vocabulary::LongPacks);

const fn subgroup(name: &'static str, vocabulary: Vocabulary) -> Kernel {
    Kernel {
        name,
        entry: "gemm_subgroup",
        source: fragment!("dense/gemm_subgroup.wgsl"),
        fragments: &[fragment!("lib/grid.wgsl"), fragment!("lib/subgroup.wgsl"), STRIDES],
        bindings: &[Access::Read, Access::Read, Access::ReadWrite],
        integers: DIRECT_INTEGERS,
        scalars: &["alpha", "beta"],
        constants: SUBGROUP_CONSTANTS,
        vocabulary,
    }
}

const SUBGROUP_CONSTANTS: &[Constant] = &[constant("WORKGROUP", 8), constant("ROWS", 8), constant("COLS", 4)];

/// What both of them read their operands by.
const STRIDES: Fragment = fragment!("dense/gemm_strides.wgsl");

const DIRECT_INTEGERS: &[&str] = &[
    "rows",
    "cols",
    "depth",
    "a_offset",
    "a_row",
    "a_col",
    "b_offset",
    "b_row",
    "b_col",
    "c_offset",
    "c_leading",
    "tiles_across",
    "reads_c",
];
