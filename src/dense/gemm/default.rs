//! What is chosen for GEMM where nothing was measured.

use super::families::{BY_SUBGROUPS, FAMILIES, TILED, WITHOUT_WORKGROUP_MEMORY, subgroup, tiles_fit};
use super::parts::Round;
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
        return on_cpu(adapter, precision.scalar, precision.pack(), shape);
    }
    let multiprocessors = multiprocessors(adapter);
    let round = |tile: &Tile| multiprocessors * tile.occupancy;
    let candidates = best_tiles(precision.scalar, is_update(shape)).iter();
    let fitting = candidates.filter(|tile| {
        let [rows, cols, depth, down, across] = tile.values;
        tiles_fit(&[rows, cols, depth, down, across, round(tile)], adapter, precision)
    });
    let time = |tile: &Tile| tile.time(precision.scalar, shape, round(tile) as usize);
    let chosen = fitting.min_by(|p, q| time(p).total_cmp(&time(q)));
    let ([rows, cols, depth, down, across], round) =
        chosen.map_or(([32, 32, 8, 4, 4], multiprocessors), |tile| (tile.values, round(tile)));
    FAMILIES[TILED].variant(&[rows, cols, depth, down, across, round])
}

/// As many sums an invocation as keep what is loaded in use, of which a driver on the CPU makes loops over its lanes.
fn on_cpu(adapter: &Adapter, scalar: ScalarKind, pack: u32, shape: Shape) -> Variant {
    if let Some(lanes) = subgroup(adapter) {
        // As many terms are written out as compile in 0.2 s: twice as many take 0.7 more, and 8 % less of an LU's time. One
        // shape for nearly all products, since each is compiled.
        let rows = match scalar {
            ScalarKind::F32 | ScalarKind::F64 if lanes >= 8 && shape.rows > 8 => (64 / pack).min(32),
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

/// Multiprocessors that a device is taken to have. If it has more, some are idle in small products; if fewer, these are in more
/// parts than pay. Large ones lose little either way, since what is left over is in parts.
fn multiprocessors(adapter: &Adapter) -> u32 {
    match adapter.kind {
        AdapterKind::Discrete | AdapterKind::Virtual | AdapterKind::Other => 128,
        AdapterKind::Integrated | AdapterKind::Software | AdapterKind::Host => 64,
    }
}

/// A tile, and how fast a device full of them is.
struct Tile {
    /// Rows, columns and depth, and rows and columns of an invocation.
    values: [u32; 5],
    /// Workgroups that share a multiprocessor.
    occupancy: u32,
    /// Multiply-adds in the time in which a device full of the largest does one.
    rate: f64,
}

impl Tile {
    /// How long a product takes on a device that computes so many tiles at once, in multiply-adds of the largest.
    fn time(&self, scalar: ScalarKind, shape: Shape, at_once: usize) -> f64 {
        let [rows, cols, step, ..] = self.values.map(|value| value as usize);
        let round = Round {
            tiles: at_once,
            depth: shape.depth,
            step,
            scalar,
        };
        let parts = round.share_out(shape.rows.div_ceil(rows) * shape.cols.div_ceil(cols));
        round.time(&parts) as f64 * (rows * cols) as f64 * f64::from(self.occupancy) / self.rate
    }
}

const fn tile(values: [u32; 5], occupancy: u32, rate: f64) -> Tile {
    Tile {
        values,
        occupancy,
        rate,
    }
}

/// The best of their size on an H200 (BENCHMARKS.md), the last for any device. A long tile is slower than a square one where
/// it has a multiprocessor for itself, and as fast where three share one.
fn best_tiles(scalar: ScalarKind, update: bool) -> &'static [Tile] {
    const F32: &[Tile] = &[
        tile([128, 128, 16, 8, 8], 1, 1.0),
        tile([64, 128, 16, 8, 8], 3, 1.0),
        tile([64, 128, 16, 8, 8], 1, 0.87),
        tile([64, 64, 16, 4, 4], 1, 0.7),
        tile([32, 64, 16, 4, 4], 1, 0.5),
        tile([32, 32, 8, 4, 4], 1, 0.4),
    ];
    const F64: &[Tile] = &[
        tile([64, 128, 8, 8, 8], 1, 1.0),
        tile([64, 64, 16, 8, 4], 1, 0.87),
        tile([32, 64, 16, 4, 4], 1, 0.6),
        tile([32, 32, 8, 4, 4], 1, 0.5),
    ];
    const DF64: &[Tile] = &[tile([64, 64, 8, 4, 4], 1, 1.0), tile([32, 32, 8, 4, 4], 1, 0.6)];
    const DD: &[Tile] = &[
        tile([64, 128, 8, 4, 8], 1, 1.0),
        tile([64, 64, 8, 4, 4], 1, 0.95),
        tile([32, 32, 8, 4, 4], 1, 0.6),
    ];
    match scalar {
        // Of a large tile of little depth, too much of the time is C, for which only other workgroups can make up.
        ScalarKind::F32 if update => &F32[1..],
        ScalarKind::F32 => F32,
        ScalarKind::F64 => F64,
        ScalarKind::Df64 => DF64,
        ScalarKind::Dd => DD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemm::plan::{round, tiles};
    use crate::dense::gemm::variants::GEMM;
    use crate::device::precision::Width;
    use crate::scalar::{Dd, Df64};

    fn adapter(kind: AdapterKind, invocations: u64, bytes: u64) -> Adapter {
        Adapter {
            index: None,
            name: "test".to_owned(),
            kind,
            backend: "none".to_owned(),
            driver: String::new(),
            limits: vec![
                ("maxComputeInvocationsPerWorkgroup", invocations),
                ("maxComputeWorkgroupStorageSize", bytes),
            ],
            features: Vec::new(),
        }
    }

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
            for adapter in [adapter(kind, 1024, 48 << 10), adapter(kind, 256, 16 << 10)] {
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

    /// Of a large device no more than a third waits, whatever the size: where tiles are whole only, it is half of it.
    #[test]
    fn the_default_keeps_a_device_busy() {
        let precision = Precision::of::<f32>(Width::Pack);
        for n in (1024..=8192).step_by(16) {
            let shape = Shape::new(n, n, n);
            let variant = default(&adapter(AdapterKind::Discrete, 1024, 48 << 10), precision, shape);
            let (down, across) = tiles(&variant, shape);
            let round = round(&variant, precision, n);
            let area = variant.value("TILE_ROWS") as usize * variant.value("TILE_COLS") as usize;
            let time = round.time(&round.share_out(down * across)) as f64;
            let busy = (n * n * n) as f64 / (time * (area * round.tiles) as f64);
            assert!(busy > 0.67, "{busy:.2} by {variant} at {n}");
        }
    }
}
