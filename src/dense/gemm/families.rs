//! The kernels of GEMM with what can be chosen of each.

use super::kernels::{DIRECT, SUBGROUP, TILES};
use crate::device::precision::Precision;
use crate::device::{Adapter, AdapterKind};
use crate::scalar::ScalarKind;
use crate::tuning::{Family, Range};

const fn range(name: &'static str, values: &'static [u32]) -> Range {
    Range { name, values }
}

// Their places in `FAMILIES`.
pub(super) const TILED: usize = 0;
pub(super) const WITHOUT_WORKGROUP_MEMORY: usize = 1;
pub(super) const BY_SUBGROUPS: usize = 2;

/// Tiles through workgroup memory for GPUs; and for drivers on the CPU, what needs none.
pub(super) static FAMILIES: [Family; 3] = [
    Family {
        kernel: &TILES,
        ranges: &[
            range("TILE_ROWS", &[32, 64, 96, 128]),
            range("TILE_COLS", &[32, 64, 96, 128, 256]),
            range("DEPTH", &[8, 16, 32]),
            range("ROWS", &[4, 8, 12]),
            range("COLS", &[4, 6, 8]),
            // Whose rows are read from workgroup memory first: a compiler assigns registers by that.
            range("B_FIRST", &[0, 1]),
            // Those of the device (parts.rs); with 0, all tiles are computed whole.
            range(
                "MULTIPROCESSORS",
                &[0, 8, 16, 24, 32, 48, 64, 80, 96, 108, 128, 132, 144, 170],
            ),
        ],
        fits: tiles_fit,
    },
    Family {
        kernel: &DIRECT,
        ranges: &[
            range("WORKGROUP", &[8, 16, 32]),
            range("ROWS", &[2, 4, 8, 16]),
            range("COLS", &[2, 4, 8, 16]),
        ],
        // Where workgroup memory is memory like any other; on a GPU, the other family is several times as fast.
        fits: |values, adapter, precision| {
            adapter.kind == AdapterKind::Software && values[1] * values[2] <= most_sums(precision.scalar)
        },
    },
    Family {
        kernel: &SUBGROUP,
        ranges: &[
            range("WORKGROUP", SUBGROUPS),
            range("ROWS", &[4, 8, 16, 32]),
            range("COLS", &[2, 4, 8, 16]),
        ],
        fits: |values, adapter, precision| {
            // Four terms of each sum are written out: twice as many take a driver seconds to compile.
            let most = most_sums(precision.scalar).min(128);
            subgroup(adapter) == Some(values[0]) && values[1] * values[2] <= most
        },
    },
];

/// Sums of an invocation without workgroup memory, beyond which compiling takes long.
fn most_sums(scalar: ScalarKind) -> u32 {
    match scalar {
        ScalarKind::F32 => 256,
        ScalarKind::F64 => 128,
        ScalarKind::Df64 | ScalarKind::Dd => 32,
    }
}

/// The invocations of a subgroup of a driver on the CPU, if these are always as many.
pub(super) fn subgroup(adapter: &Adapter) -> Option<u32> {
    let (smallest, largest) = adapter.subgroups()?;
    let known = smallest == largest && SUBGROUPS.contains(&smallest);
    (adapter.kind == AdapterKind::Software && known).then_some(smallest)
}

const SUBGROUPS: &[u32] = &[4, 8, 16, 32];

/// Rows and columns of a tile, and of an invocation of it, of which B's rows had better be read first (BENCHMARKS.md).
pub(super) const B_FIRST: [[u32; 4]; 2] = [[64, 128, 8, 8], [96, 256, 12, 8]];

/// Those whose sums leave just as much room beside them as is needed, though they are no powers of two and may be long.
const fn fullest(scalar: ScalarKind) -> &'static [[u32; 4]] {
    match scalar {
        ScalarKind::F32 => &[[96, 128, 12, 8], [96, 256, 12, 8]],
        ScalarKind::F64 => &[[64, 96, 8, 6]],
        ScalarKind::Df64 | ScalarKind::Dd => &[],
    }
}

/// Whether tiles run on a device, and are worth a trial there.
pub(super) fn tiles_fit(values: &[u32], adapter: &Adapter, precision: Precision) -> bool {
    let [tile_rows, tile_cols, depth, rows, cols, b_first, multiprocessors] = *values else {
        return false;
    };
    let shape = [tile_rows, tile_cols, rows, cols];
    // Long tiles read more than square ones, and of 256 columns only the fullest gains (BENCHMARKS.md); a large tile has no room
    // for a deep panel, and is wasted on invocations that compute little.
    let square = tile_rows <= 2 * tile_cols && tile_cols <= 2 * tile_rows && tile_cols <= 128;
    let even = square && shape.into_iter().all(u32::is_power_of_two);
    let fullest = fullest(precision.scalar).contains(&shape);
    let worthwhile = match tile_rows * tile_cols {
        ..4096 => rows * cols == 16 && (multiprocessors == 0 || depth <= 16),
        4096 => depth <= 16,
        _ => depth <= 16 && rows * cols >= 32,
    };
    // Discrete GPUs have some 24 to 170 multiprocessors, others fewer.
    let possible = match adapter.kind {
        AdapterKind::Discrete | AdapterKind::Virtual => multiprocessors == 0 || multiprocessors >= 24,
        AdapterKind::Integrated | AdapterKind::Software | AdapterKind::Host => multiprocessors <= 96,
        AdapterKind::Other => true,
    };
    let limit = |name| adapter.limit(name).unwrap_or(0);
    let invocations = (tile_rows / rows) * (tile_cols / cols);
    let size = crate::device::narrow(precision.scalar.size());
    let bytes = depth * (tile_rows + tile_cols + 8) * size;
    // An invocation's sums are to stay in registers, of which a GPU has 128 to 255, beside what it multiplies and what it has
    // asked for; a product of pairs has many of those.
    let registers = rows * cols * size / 4;
    let most = match precision.scalar {
        ScalarKind::F32 | ScalarKind::F64 => 96,
        ScalarKind::Df64 | ScalarKind::Dd => 64,
    };
    // What is written out of pairs takes a driver on the CPU minutes and gigabytes to compile.
    let compiles = adapter.kind != AdapterKind::Software
        || matches!(precision.scalar, ScalarKind::F32 | ScalarKind::F64)
        || depth * rows * cols <= 128;
    let divide = |packs: u32| packs > 0 && (fullest || packs.is_multiple_of(invocations));
    (even || fullest)
        && (b_first == 0 || B_FIRST.contains(&shape))
        && worthwhile
        && possible
        && (32..=256).contains(&invocations)
        && u64::from(invocations) <= limit("maxComputeInvocationsPerWorkgroup")
        && u64::from(bytes) <= limit("maxComputeWorkgroupStorageSize")
        && registers <= most
        && compiles
        && depth.is_multiple_of(precision.pack())
        && divide(tile_rows * depth / precision.pack())
        && divide(tile_cols * depth / precision.pack())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Df64;
    use crate::dense::gemm::GEMM;
    use crate::device::precision::Width;

    #[test]
    fn little_is_written_out_of_pairs_where_a_cpu_compiles_it() {
        let written_out = |kind| {
            let adapter = Adapter::with_workgroups(kind, 256, 16 << 10);
            let variants = GEMM.variants(&adapter, Precision::of::<Df64>(Width::Pack));
            let tiles = variants.iter().filter(|variant| std::ptr::eq(variant.kernel, &TILES));
            let products = tiles.map(|tile| {
                ["DEPTH", "ROWS", "COLS"]
                    .map(|name| tile.value(name))
                    .into_iter()
                    .product()
            });
            products.collect::<Vec<u32>>()
        };
        let most = |kind| written_out(kind).into_iter().max();
        assert_eq!(most(AdapterKind::Software), Some(128));
        assert!(most(AdapterKind::Integrated) > Some(128));
    }
}
