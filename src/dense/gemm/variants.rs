//! What can be chosen for GEMM, and what is chosen where nothing was measured.

use super::kernels::{DIRECT, SUBGROUP, TILES};
use super::parts::Round;
use super::plan::{Operands, Plan, launch, round, share_out, tiles};
use crate::dense::Matrix;
use crate::dense::matrix::{MatrixView, MatrixViewMut};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, AdapterKind, Device, Ground};
use crate::error::Result;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::tuning::{Bounds, Extents, Family, Line, Range, Regime, Shape, Trial, Tunable, Variant};

/// The tuned variant for these operands, or the default.
pub(super) fn plan<T: Scalar>(a: &MatrixView<'_, T>, b: &MatrixView<'_, T>, c: &MatrixViewMut<'_, T>) -> Plan {
    let operands = Operands::of(a, b, c);
    let wide = Precision::of::<T>(if operands.packable { Width::Pack } else { Width::Single });
    let variant = a.device().tuning().choose(&GEMM, wide, operands.shape);
    share_out(&variant, wide, operands)
}

const fn range(name: &'static str, values: &'static [u32]) -> Range {
    Range { name, values }
}

const TILED: usize = 0;
const WITHOUT_WORKGROUP_MEMORY: usize = 1;
const BY_SUBGROUPS: usize = 2;

/// The depth up to which a product is taken for the update of a factorisation, which adds to C.
const UPDATE: usize = 512;

fn is_update(shape: Shape) -> bool {
    shape.depth <= UPDATE.min(shape.rows / 2).min(shape.cols / 2)
}

/// `C ← αAB + βC`.
pub(crate) static GEMM: Tunable = Tunable {
    name: "gemm",
    families: &[
        Family {
            kernel: &TILES,
            ranges: &[
                range("TILE_ROWS", &[32, 64, 128]),
                range("TILE_COLS", &[32, 64, 128]),
                range("DEPTH", &[8, 16, 32]),
                range("ROWS", &[4, 8]),
                range("COLS", &[4, 8]),
                range("ROUND", &[0, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512]),
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
    ],
    on_cpu: &[],
    regimes: &[
        regime("up to 384", [(64, 384); 3], &[line(cube, &[128, 256, 360])]),
        // From end to end, so that the sweep lies between them: beyond it, nothing holds a choice against the default.
        regime("384..768", [(384, 768); 3], &[line(cube, &[384, 512, 736])]),
        regime("768..1536", [(768, 1536); 3], &[line(cube, &[768, 1024, 1472])]),
        regime("1536..3072", [(1536, 3072); 3], &[line(cube, &[1536, 2048, 2944])]),
        regime("from 3072", [(3072, usize::MAX); 3], &[line(cube, &[3072, 4096, 5120])]),
        regime(
            "updates up to 3072",
            [(512, 3072), (512, 3072), (16, UPDATE)],
            &[line(|n| Shape::new(n, n, 128), &[1024, 2048])],
        ),
        regime(
            "updates from 3072",
            [(3072, usize::MAX), (3072, usize::MAX), (16, UPDATE)],
            &[line(|n| Shape::new(n, n, 128), &[4096, 6144])],
        ),
        regime(
            "deep",
            [(1, 512), (1, 512), (2048, usize::MAX)],
            &[line(|n| Shape::new(128, 128, n), &[4096, 16_384])],
        ),
    ],
    default,
    extents: |variant, precision, shape| {
        let value = |name: &str| variant.value(name) as usize;
        if !std::ptr::eq(variant.kernel, &TILES) {
            let tiles = shape.rows.div_ceil(value("ROWS")) * shape.cols.div_ceil(value("WORKGROUP") * value("COLS"));
            return Extents {
                quantised: tiles as u64,
                streaming: shape.depth as u64,
            };
        }
        // As many tiles as would have been computed whole in the same time.
        let (down, across) = tiles(variant, shape);
        let round = round(variant, precision, shape.depth);
        let (tiles, depth) = (down * across, shape.depth as u64);
        let quantised = if round.tiles == 0 || depth == 0 {
            tiles as u64
        } else {
            (round.tiles as u64 * round.time(&round.share_out(tiles))).div_ceil(depth)
        };
        Extents {
            quantised,
            streaming: depth,
        }
    },
    work: |precision, shape| {
        let scalars = (shape.rows + shape.cols) * shape.depth + shape.rows * shape.cols;
        let operations = (shape.rows * shape.cols) as u64 * shape.depth as u64;
        ((scalars * precision.element.size()) as u64, operations)
    },
    trial: |device, precision, shape| match precision.scalar {
        ScalarKind::F32 => trial::<f32>(device, precision, shape),
        ScalarKind::Df64 => trial::<Df64>(device, precision, shape),
        ScalarKind::F64 => trial::<f64>(device, precision, shape),
        ScalarKind::Dd => trial::<Dd>(device, precision, shape),
    },
};

/// Sums of an invocation without workgroup memory, beyond which compiling takes long.
fn most_sums(scalar: ScalarKind) -> u32 {
    match scalar {
        ScalarKind::F32 => 256,
        ScalarKind::F64 => 128,
        ScalarKind::Df64 | ScalarKind::Dd => 32,
    }
}

/// The invocations of a subgroup of a driver on the CPU, if these are always as many.
fn subgroup(adapter: &Adapter) -> Option<u32> {
    let (smallest, largest) = adapter.subgroups()?;
    let known = smallest == largest && SUBGROUPS.contains(&smallest);
    (adapter.kind == AdapterKind::Software && known).then_some(smallest)
}

const SUBGROUPS: &[u32] = &[4, 8, 16, 32];

/// The tile by which a product takes the least time, the last of them in parts.
fn default(adapter: &Adapter, precision: Precision, shape: Shape) -> Variant {
    if let Some(lanes) = subgroup(adapter) {
        // As many terms are written out as compile in 0.2 s: twice as many take 0.7 more, and 8 % less of an LU's time. One
        // shape for nearly all products, since each is compiled.
        let rows = match precision.scalar {
            ScalarKind::F32 | ScalarKind::F64 if lanes >= 8 && shape.rows > 8 => (64 / precision.pack()).min(32),
            ScalarKind::F32 | ScalarKind::F64 => 8,
            ScalarKind::Df64 | ScalarKind::Dd => lanes.clamp(4, 8),
        };
        return GEMM.families[BY_SUBGROUPS].variant(&[lanes, rows, 4]);
    }
    if adapter.kind == AdapterKind::Software {
        // A driver on the CPU reads an operand for one invocation after the other, so sums are many for every one that is
        // read, though not all stay in registers; those of pairs take long to compile.
        let (rows, most) = match precision.scalar {
            ScalarKind::F32 if shape.rows > 8 => (16, 16),
            ScalarKind::F32 => (8, 16),
            ScalarKind::F64 => (8, 8),
            ScalarKind::Df64 | ScalarKind::Dd => (4, 8),
        };
        let cols = crate::device::narrow(shape.cols.div_ceil(8).clamp(2, most).next_power_of_two());
        return GEMM.families[WITHOUT_WORKGROUP_MEMORY].variant(&[8, rows, cols]);
    }
    let at_once = at_once(adapter);
    let round = |tile: &Tile| at_once * tile.neighbours;
    let candidates = best_tiles(precision.scalar, is_update(shape)).iter();
    let fitting = candidates.filter(|tile| {
        let [rows, cols, depth, down, across] = tile.values;
        tiles_fit(&[rows, cols, depth, down, across, round(tile)], adapter, precision)
    });
    let time = |tile: &Tile| tile.time(precision.scalar, shape, round(tile) as usize);
    let chosen = fitting.min_by(|p, q| time(p).total_cmp(&time(q)));
    let ([rows, cols, depth, down, across], round) =
        chosen.map_or(([32, 32, 8, 4, 4], at_once), |tile| (tile.values, round(tile)));
    GEMM.families[TILED].variant(&[rows, cols, depth, down, across, round])
}

/// Multiprocessors that a device is taken to have. With fewer, small products are in more parts than pay; with more, large ones
/// lose little, since what is left over is in parts, but small ones leave some idle.
fn at_once(adapter: &Adapter) -> u32 {
    match adapter.kind {
        AdapterKind::Discrete | AdapterKind::Virtual | AdapterKind::Other => 128,
        AdapterKind::Integrated | AdapterKind::Software | AdapterKind::Host => 64,
    }
}

/// A tile, and how fast a device full of them is.
struct Tile {
    /// Rows, columns and depth, and rows and columns of an invocation.
    values: [u32; 5],
    /// How many share a multiprocessor.
    neighbours: u32,
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
        round.time(&parts) as f64 * (rows * cols) as f64 * f64::from(self.neighbours) / self.rate
    }
}

const fn tile(values: [u32; 5], neighbours: u32, rate: f64) -> Tile {
    Tile {
        values,
        neighbours,
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

fn tiles_fit(values: &[u32], adapter: &Adapter, precision: Precision) -> bool {
    let [tile_rows, tile_cols, depth, rows, cols, round] = *values else {
        return false;
    };
    // Long tiles read more than square ones; a large tile has no room for a deep panel, and is wasted on invocations that
    // compute little.
    let square = tile_rows <= 2 * tile_cols && tile_cols <= 2 * tile_rows;
    let worthwhile = match tile_rows * tile_cols {
        ..4096 => rows * cols == 16 && (round == 0 || depth <= 16),
        4096 => depth <= 16,
        _ => depth <= 16 && rows * cols >= 32,
    };
    // Discrete GPUs have tens to some hundred and fifty multiprocessors, of which each has room for a tile or a few.
    let possible = match adapter.kind {
        AdapterKind::Discrete | AdapterKind::Virtual => round == 0 || round >= 64,
        AdapterKind::Integrated | AdapterKind::Software | AdapterKind::Host => round <= 192,
        AdapterKind::Other => true,
    };
    let limit = |name| adapter.limit(name).unwrap_or(0);
    let invocations = (tile_rows / rows) * (tile_cols / cols);
    let size = crate::device::narrow(precision.scalar.size());
    let bytes = depth * (tile_rows + tile_cols + 8) * size;
    // An invocation's sums are to stay in registers, of which a GPU has 128 to 255, beside what it multiplies; a product
    // of pairs has many of those.
    let registers = rows * cols * size / 4;
    let most = match precision.scalar {
        ScalarKind::F32 | ScalarKind::F64 => 128,
        ScalarKind::Df64 | ScalarKind::Dd => 64,
    };
    let divide = |packs: u32| packs > 0 && packs.is_multiple_of(invocations);
    square
        && worthwhile
        && possible
        && (32..=256).contains(&invocations)
        && u64::from(invocations) <= limit("maxComputeInvocationsPerWorkgroup")
        && u64::from(bytes) <= limit("maxComputeWorkgroupStorageSize")
        && registers <= most
        && depth.is_multiple_of(precision.pack())
        && divide(tile_rows * depth / precision.pack())
        && divide(tile_cols * depth / precision.pack())
}

const fn cube(n: usize) -> Shape {
    Shape::new(n, n, n)
}

const fn line(shape: fn(usize) -> Shape, sizes: &'static [usize]) -> Line<'static> {
    Line { shape, sizes }
}

const fn regime(
    name: &'static str,
    [rows, cols, depth]: [(usize, usize); 3],
    lines: &'static [Line<'static>],
) -> Regime<'static> {
    Regime {
        name,
        contains: Bounds { rows, cols, depth },
        lines,
    }
}

/// Operands of a shape, filled with one value that is not zero (hardware is faster at zeros), and a call over them.
fn trial<T: Scalar>(device: &Device, precision: Precision, shape: Shape) -> Result<Trial> {
    let a = Matrix::<T>::filled(device, shape.rows, shape.depth, T::from_f64(0.75))?;
    let b = Matrix::<T>::filled(device, shape.depth, shape.cols, T::from_f64(1.25))?;
    let mut c = Matrix::<T>::zeros(device, shape.rows, shape.cols)?;
    let beta = if is_update(shape) { T::one() } else { T::zero() };
    let operands = Operands {
        shape,
        a: (true, shape.depth),
        b: (false, shape.cols),
        packable: precision.width == Width::Pack,
    };
    Ok(Box::new(move |variant| match a.device().ground() {
        Ground::Host => Ok(()),
        Ground::Gpu(gpu) => {
            let plan = share_out(variant, precision, operands);
            launch(gpu, &plan, (T::one(), beta), &a.view(), &b.view(), &c.view_mut())
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocking as _, Select};

    /// Full subgroups share rows of A; in a workgroup of another size nobody does. In packs, and element by element.
    #[test]
    fn what_needs_no_workgroup_memory_gives_the_same_bits() -> Result<()> {
        let software = |adapter: &Adapter| adapter.kind == AdapterKind::Software;
        for device in devices(software)? {
            let Some((lanes, _)) = device.adapter().subgroups() else {
                continue;
            };
            let variants = [lanes, 2 * lanes, lanes / 2].map(|workgroup| (BY_SUBGROUPS, vec![workgroup, 8, 4]));
            let expected = (WITHOUT_WORKGROUP_MEMORY, vec![8, 4, 4]);
            for shape in [[33, 65, 31], [5, 3, 9], [36, 68, 24]] {
                same_bits::<f32>(&device, shape, fraction, &expected, &variants)?;
                same_bits::<Df64>(&device, shape, fraction, &expected, &variants)?;
            }
        }
        Ok(())
    }

    /// Sums of small integers are exact in any order. 12 and 13 tiles, of which 8 are computed whole and the others in parts;
    /// 6 and 1, all of them in parts; and too little depth for parts.
    #[test]
    fn tiles_in_parts_give_the_whole_product() -> Result<()> {
        let tile = |round: u32| (TILED, vec![32, 32, 8, 4, 4, round]);
        for device in devices(|_| true)? {
            for shape in [[97, 65, 260], [96, 64, 301], [5, 3, 600], [32, 416, 520], [97, 65, 60]] {
                let rounds = [8, 16, 64].map(tile);
                same_bits::<f32>(&device, shape, integer, &tile(0), &rounds)?;
                same_bits::<Df64>(&device, shape, integer, &tile(0), &rounds)?;
            }
        }
        Ok(())
    }

    fn devices(admits: fn(&Adapter) -> bool) -> Result<Vec<Device>> {
        let adapters = Device::list().block_on().into_iter().filter(admits);
        let found = adapters.filter_map(|adapter| adapter.index);
        found
            .map(|index| Device::open(Select::Index(index)).block_on())
            .collect()
    }

    fn fraction(at: usize) -> f64 {
        ((at * 7919) % 1009) as f64 / 1024.0
    }

    fn integer(at: usize) -> f64 {
        ((at * 7919) % 17) as f64 - 8.0
    }

    fn same_bits<T: Scalar>(
        device: &Device,
        [m, n, k]: [usize; 3],
        value: fn(usize) -> f64,
        expected: &(usize, Vec<u32>),
        others: &[(usize, Vec<u32>)],
    ) -> Result<()> {
        let filled = |rows: usize, cols: usize| {
            let values: Vec<T> = (0..rows * cols).map(|at| T::from_f64(value(at + cols))).collect();
            Matrix::from_rows(device, rows, cols, &values)
        };
        let (a, b) = (filled(m, k)?, filled(k, n)?);
        let product = |(family, values): &(usize, Vec<u32>)| {
            let mut c = filled(m, n)?;
            let Ground::Gpu(gpu) = device.ground() else {
                return Ok(Vec::new());
            };
            let operands = Operands::of(&a.view(), &b.view(), &c.view_mut());
            let wide = Precision::of::<T>(if operands.packable { Width::Pack } else { Width::Single });
            let plan = share_out(&GEMM.families[*family].variant(values), wide, operands);
            let factors = (T::from_f64(3.0), T::from_f64(-0.75));
            launch(gpu, &plan, factors, &a.view(), &b.view(), &c.view_mut())?;
            c.to_host().block_on()
        };
        let whole = product(expected)?;
        for other in others {
            assert!(
                bytemuck::cast_slice::<T, u8>(&product(other)?) == bytemuck::cast_slice::<T, u8>(&whole),
                "{} of {m} x {n} x {k} by {other:?} on {}",
                T::NAME,
                device.name()
            );
        }
        Ok(())
    }
}
