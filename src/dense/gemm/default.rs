//! What is chosen for GEMM where nothing was measured.

use super::families::{B_FIRST, BY_SUBGROUPS, FAMILIES, TILED, WITHOUT_WORKGROUP_MEMORY, subgroup, tiles_fit};
use super::plan::{tiles, tiling};
use crate::device::precision::Precision;
use crate::device::{Adapter, AdapterKind};
use crate::scalar::ScalarKind;
use crate::tuning::{Shape, Variant};

/// The depth up to which a product is taken for the update of a factorisation, which adds to C.
pub(super) const UPDATE: usize = 512;

pub(super) fn is_update(shape: Shape) -> bool {
    shape.depth <= UPDATE.min(shape.rows / 2).min(shape.cols / 2)
}

/// The tile by which a product takes the least time, the last of them in parts.
pub(super) fn default(adapter: &Adapter, precision: Precision, shape: Shape) -> Variant {
    if adapter.kind == AdapterKind::Software {
        return on_cpu(adapter, precision.scalar, shape);
    }
    let multiprocessors = adapter.hardware().multiprocessors;
    let variant = |[rows, cols, depth, down, across]: [u32; 5]| {
        let b_first = u32::from(B_FIRST.contains(&[rows, cols, down, across]));
        let values = [rows, cols, depth, down, across, b_first, multiprocessors];
        let registers = down as usize * across as usize * precision.scalar.size() / 4;
        // Element by element, there are more addresses than there are registers left.
        let has_room = registers <= 64 || (has_many_registers(adapter) && precision.pack() > 1);
        let fits = has_room && tiles_fit(&values, adapter, precision);
        fits.then(|| FAMILIES[TILED].variant(&values))
    };
    let candidates = best_tiles(precision.scalar, is_update(shape)).iter();
    let fitting = candidates.filter_map(|tile| Some((variant(tile.values)?, tile)));
    let timed = fitting.map(|(variant, tile)| (tile.time(&variant, precision, shape), variant));
    let fastest = timed.min_by(|(p, _), (q, _)| p.total_cmp(q));
    fastest.map_or_else(
        || FAMILIES[TILED].variant(&[32, 32, 8, 4, 4, 0, multiprocessors]),
        |(_, variant)| variant,
    )
}

/// As many sums an invocation as keep what is loaded in use, of which a driver on the CPU makes loops over its lanes.
fn on_cpu(adapter: &Adapter, scalar: ScalarKind, shape: Shape) -> Variant {
    if let Some(lanes) = subgroup(adapter) {
        // As many terms are written out as compile in less than a second; with half of them, f32 takes 0.5 s less to compile, but
        // a third more time in products and 6 % in an LU. One shape for nearly all products, since each is compiled.
        let rows = match scalar {
            ScalarKind::F32 | ScalarKind::F64 if lanes >= 8 && shape.rows > 8 => 32,
            ScalarKind::F32 | ScalarKind::F64 => 8,
            ScalarKind::Df64 | ScalarKind::Dd => lanes.clamp(4, 8),
        };
        return FAMILIES[BY_SUBGROUPS].variant(&[lanes, rows, 4]);
    }
    // A driver on the CPU reads an operand for one invocation after the other, so sums are many for every one that is
    // read, though not all stay in registers; those of pairs take long to compile.
    let (rows, most) = match scalar {
        ScalarKind::F32 if shape.rows > 8 => (16, 16),
        ScalarKind::F32 => (8, 16),
        ScalarKind::F64 => (8, 8),
        ScalarKind::Df64 | ScalarKind::Dd => (4, 8),
    };
    let cols = crate::device::narrow(shape.cols.div_ceil(8).clamp(2, most).next_power_of_two());
    FAMILIES[WITHOUT_WORKGROUP_MEMORY].variant(&[8, rows, cols])
}

/// Whether an invocation has registers for more than 64 sums: known of NVIDIA's GPUs, which give it up to 255.
fn has_many_registers(adapter: &Adapter) -> bool {
    adapter.name.contains("NVIDIA")
}

/// A tile, and how fast a device full of them is.
struct Tile {
    /// Rows, columns and depth, and rows and columns of an invocation.
    values: [u32; 5],
    /// Multiply-adds in the time in which a device full of the quickest of 128 invocations does one.
    rate: f64,
}

impl Tile {
    /// How long a product takes, in multiply-adds of the largest.
    fn time(&self, variant: &Variant, precision: Precision, shape: Shape) -> f64 {
        let [rows, cols, ..] = self.values;
        let (down, across) = tiles(variant, shape);
        let tiling = tiling(variant, precision, shape.depth);
        tiling.time(&tiling.share_out(down * across)) * f64::from(rows * cols) / self.rate
    }
}

const fn tile(values: [u32; 5], rate: f64) -> Tile {
    Tile { values, rate }
}

/// The best of their size on an H200 (BENCHMARKS.md), the last for any device.
fn best_tiles(scalar: ScalarKind, update: bool) -> &'static [Tile] {
    const F32: &[Tile] = &[
        tile([96, 256, 16, 12, 8], 1.025),
        tile([96, 128, 16, 12, 8], 1.0),
        tile([128, 128, 16, 8, 8], 0.945),
        tile([64, 128, 16, 8, 8], 0.995),
        tile([64, 128, 16, 8, 4], 0.93),
        tile([64, 64, 16, 8, 4], 0.82),
        tile([64, 64, 16, 4, 4], 0.81),
        tile([32, 64, 16, 4, 4], 0.745),
        tile([32, 32, 8, 4, 4], 0.63),
    ];
    const F64: &[Tile] = &[
        tile([64, 96, 8, 8, 6], 1.0),
        tile([64, 64, 8, 8, 4], 0.92),
        tile([32, 64, 16, 4, 4], 0.79),
        tile([32, 32, 8, 4, 4], 0.72),
    ];
    const DF64: &[Tile] = &[tile([64, 64, 8, 4, 4], 1.0), tile([32, 32, 8, 4, 4], 0.93)];
    const DD: &[Tile] = &[
        tile([64, 128, 8, 4, 8], 0.97),
        tile([64, 64, 8, 4, 4], 1.0),
        tile([32, 32, 8, 4, 4], 0.97),
    ];
    match scalar {
        // Of a large tile of little depth, too much of the time is C, for which only other workgroups can make up.
        ScalarKind::F32 if update => &F32[3..],
        ScalarKind::F32 => F32,
        ScalarKind::F64 => F64,
        ScalarKind::Df64 => DF64,
        ScalarKind::Dd => DD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemm::variants::GEMM;
    use crate::device::precision::Width;
    use crate::scalar::{Dd, Df64};

    /// On large devices, and with no more than WebGPU gives everywhere.
    #[test]
    fn the_default_is_a_variant() {
        use AdapterKind::{Discrete, Integrated, Other, Virtual};
        let shapes = [1, 31, 128, 500, 1472, 4096].map(|n| Shape::new(n, n, n));
        let shapes = shapes
            .into_iter()
            .chain([(1, 1, 100_000), (64, 4096, 1000), (6144, 6144, 128)].map(|(m, n, k)| Shape::new(m, n, k)));
        let shapes: Vec<Shape> = shapes.collect();
        for kind in [Discrete, Integrated, Other, Virtual] {
            for adapter in [
                Adapter::with_workgroups(kind, 1024, 48 << 10),
                Adapter::with_workgroups(kind, 256, 16 << 10),
            ] {
                for width in [Width::Single, Width::Pack] {
                    let precisions = [
                        Precision::of::<f32>(width),
                        Precision::of::<f64>(width),
                        Precision::of::<Df64>(width),
                        Precision::of::<Dd>(width),
                    ];
                    for (precision, shape) in precisions
                        .iter()
                        .flat_map(|p| shapes.iter().map(move |shape| (*p, *shape)))
                    {
                        let chosen = default(&adapter, precision, shape);
                        assert!(
                            GEMM.admits(&chosen, &adapter, precision),
                            "{chosen} for {shape:?}, {kind:?}"
                        );
                    }
                }
            }
        }
    }

    /// As many workgroups share a multiprocessor as were measured to.
    #[test]
    fn registers_tell_how_many_share_a_multiprocessor() {
        let occupancy = |precision, [rows, cols, depth, down, across]: [u32; 5]| {
            let variant = FAMILIES[TILED].variant(&[rows, cols, depth, down, across, 0, 132]);
            tiling(&variant, precision, 1000).occupancy
        };
        let single = Precision::of::<f32>(Width::Pack);
        assert_eq!(occupancy(single, [128, 128, 16, 8, 8]), 1);
        assert_eq!(occupancy(single, [96, 128, 16, 12, 8]), 2);
        assert_eq!(occupancy(single, [96, 256, 16, 12, 8]), 1);
        assert_eq!(occupancy(single, [64, 128, 16, 8, 8]), 3);
        assert_eq!(occupancy(single, [64, 64, 16, 8, 4]), 5);
        assert_eq!(occupancy(Precision::of::<f64>(Width::Pack), [64, 96, 8, 8, 6]), 2);
        assert_eq!(occupancy(Precision::of::<Df64>(Width::Pack), [64, 64, 8, 4, 4]), 4);
    }

    /// 98 tiles of 64 x 128 in four parts each make three for a multiprocessor, if it is known how many there are.
    #[test]
    fn what_is_known_of_a_device_counts() {
        let shape = Shape::new(896, 896, 896);
        let precision = Precision::of::<f32>(Width::Pack);
        let other = Adapter::with_workgroups(AdapterKind::Discrete, 1024, 48 << 10);
        let known = Adapter {
            name: "NVIDIA H200".to_owned(),
            ..other.clone()
        };
        let parts = |adapter: &Adapter| {
            let variant = default(adapter, precision, shape);
            let (down, across) = tiles(&variant, shape);
            let parts = tiling(&variant, precision, shape.depth).share_out(down * across);
            (variant.value("MULTIPROCESSORS"), parts.workgroups())
        };
        assert_eq!(parts(&known), (132, 98 * 4));
        assert_eq!(parts(&other).0, 128);
    }

    /// Rows and columns of tiles; f32 (BENCHMARKS.md).
    #[test]
    fn the_default_is_as_measured() {
        let adapter = Adapter {
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            ..Adapter::with_workgroups(AdapterKind::Discrete, 1024, 48 << 10)
        };
        let tile = |m, n, k| {
            let variant = default(&adapter, Precision::of::<f32>(Width::Pack), Shape::new(m, n, k));
            ["TILE_ROWS", "TILE_COLS"].map(|name| variant.value(name))
        };
        for (n, expected) in [
            (1280, [96, 128]),
            (1536, [64, 128]),
            (2048, [96, 256]),
            (4096, [96, 256]),
            (6144, [96, 256]),
            (8192, [96, 256]),
        ] {
            assert_eq!(tile(n, n, n), expected, "{n}");
        }
        assert_eq!(tile(4096, 4096, 128), [64, 128]);
    }

    /// Of a large device no more than a third waits, whatever the size: where tiles are whole only, it is half of it.
    #[test]
    fn the_default_keeps_a_device_busy() {
        let precision = Precision::of::<f32>(Width::Pack);
        for n in (1024..=8192).step_by(16) {
            let shape = Shape::new(n, n, n);
            let variant = default(
                &Adapter::with_workgroups(AdapterKind::Discrete, 1024, 48 << 10),
                precision,
                shape,
            );
            let (down, across) = tiles(&variant, shape);
            let tiling = tiling(&variant, precision, n);
            let area = variant.value("TILE_ROWS") as usize * variant.value("TILE_COLS") as usize;
            let time = tiling.time(&tiling.share_out(down * across));
            let busy = (n * n * n) as f64 / (time * (area * tiling.multiprocessors) as f64);
            assert!(busy > 0.67, "{busy:.2} by {variant} at {n}");
        }
    }
}
