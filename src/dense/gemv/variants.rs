//! What can be chosen for GEMV, and what is chosen where nothing was measured.

use super::kernels::{COLUMNS_KERNEL, COLUMNS_STAGED, Form, ROWS_BY_SUBGROUP, ROWS_KERNEL, ROWS_STAGED};
use super::plan::{FILLING, Plan, at_once, bytes, in_turns, launch, share_out};
use crate::dense::map::width;
use crate::dense::matrix::MatrixView;
use crate::dense::vector::VectorView;
use crate::dense::{Matrix, Vector, fill};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, AdapterKind, Device};
use crate::error::Result;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::tuning::{Bounds, Extents, Family, Line, Range, Regime, Shape, Trial, Tunable, Variant};

/// The plan for a product with arithmetic in `scalar`: the tuned variant for its shape, or the default.
pub(super) fn plan<T: Scalar>(a: &MatrixView<'_, T>, x: &VectorView<'_, T>, scalar: ScalarKind) -> Plan {
    let by_rows = a.col_stride == 1;
    let leading = if by_rows { a.row_stride } else { a.col_stride };
    let packable = |count: usize| (count * size_of::<T>()).is_multiple_of(16);
    let width = match (by_rows, packable(a.offset) && packable(leading)) {
        (true, true) => width([x].into_iter()),
        (false, true) => Width::Pack,
        (_, false) => Width::Single,
    };
    let precision = Precision {
        scalar,
        element: T::KIND,
        width,
    };
    let shape = Shape::new(a.rows, 1, a.cols);
    let tunable = if by_rows { &GEMV } else { &GEMV_TRANSPOSED };
    let device = a.device();
    let variant = device.tuning().choose(tunable, precision, shape);
    share_out(&variant, precision, shape, leading, device.adapter())
}

const WORKGROUPS: Range = range("WORKGROUP", &[64, 128, 256, 512, 1024]);
const LANES: Range = range("LANES", &[4, 8, 16, 32, 64, 128, 256, 512, 1024]);
const ROWS: Range = range("ROWS", &[1, 2, 4, 8]);
const UNROLL: Range = range("UNROLL", &[1, 2, 4, 8]);
const SPLITS: Range = range("SPLITS", &[1, 2, 4, 8, 16, 64, 256, 512]);
/// Finer where blocks are wide, so that a block more does not halve the workgroups. From 11 to 15 are slower than 10.
const COLUMN_SPLITS: Range = range("SPLITS", &[1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 64, 256, 512]);
const SEGMENTS: Range = range("SEGMENTS", &[1, 8]);

const fn range(name: &'static str, values: &'static [u32]) -> Range {
    Range { name, values }
}

/// Rows of A are rows in memory.
pub(crate) static GEMV: Tunable = Tunable {
    name: "gemv",
    families: &[
        Family {
            kernel: &ROWS_KERNEL,
            ranges: &[WORKGROUPS, LANES, ROWS, UNROLL, SPLITS],
            fits: |values, adapter, precision| {
                let [workgroup, lanes, rows, unroll, splits] = *values else {
                    return false;
                };
                // Splitting is for rows that a whole workgroup reads; many packs in flight need many registers.
                let worthwhile = (splits == 1 || (lanes == workgroup && rows == 1 && unroll == 4))
                    && (2..=8).contains(&(rows * unroll))
                    && (rows == 1 || lanes <= 64)
                    && (workgroup == lanes || workgroup == 256 || workgroup == 64);
                let family = &GEMV.families[0];
                lanes <= workgroup && rows <= lanes && worthwhile && memory_fits(family, values, adapter, precision)
            },
        },
        Family {
            kernel: &ROWS_BY_SUBGROUP,
            ranges: &[WORKGROUPS, LANES, ROWS, UNROLL, SPLITS],
            fits: |values, adapter, precision| {
                let [workgroup, lanes, rows, unroll, splits] = *values else {
                    return false;
                };
                // What shuffles save is felt where sums are short. Without a full subgroup they would save nothing.
                let worthwhile = (splits == 1 || (lanes == workgroup && rows == 1))
                    && unroll == 4
                    && rows <= 2
                    && (rows == 1 || lanes <= 64)
                    && (8..=256).contains(&lanes)
                    && (workgroup == lanes || workgroup == 256);
                let full = adapter
                    .subgroups()
                    .is_some_and(|(_, largest)| workgroup.is_multiple_of(largest));
                let family = &GEMV.families[1];
                lanes <= workgroup && full && worthwhile && memory_fits(family, values, adapter, precision)
            },
        },
        Family {
            kernel: &ROWS_STAGED,
            ranges: &[WORKGROUPS, UNROLL, SPLITS],
            fits: |values, adapter, precision| staged_fits(&GEMV.families[2], values, adapter, precision),
        },
    ],
    on_cpu: &[],
    regimes: &regimes(["few columns", "some columns"], ["few rows", "some rows"]),
    default: |adapter, precision, shape| {
        let packs = (shape.depth / precision.pack() as usize).max(1);
        // A lane takes about eight packs of a row, or more where so many lanes would have more workgroups than run at once, of which
        // the last ones would not meet what they read before; few where rows are short, since then latency is what takes time. It
        // takes three where blocks of rows are gone through in turns, so that there are more blocks than workgroups; but while
        // most comes from a cache, and 128 lanes leave two blocks to each workgroup, there are no more lanes than that. On a CPU,
        // where lanes are a loop, they are as many as a vector has.
        let on_cpu = adapter.kind == AdapterKind::Software;
        let wanted = if !in_turns(precision, shape, adapter) {
            // As measured of f32 on H100s and H200s.
            let measured = precision.scalar == ScalarKind::F32
                && matches!(adapter.kind, AdapterKind::Discrete | AdapterKind::Virtual);
            let least = if measured && packs < 512 { packs.min(128) } else { 0 };
            least.max(packs / 8).min(at_once(adapter) * 256 / shape.rows.max(1))
        } else if bytes(precision, shape) <= adapter.hardware().mostly_cached && shape.rows >= 2 * FILLING {
            (packs / 8).max((packs / 3).min(128))
        } else {
            packs / 3
        };
        let lanes = at_most(LANES, wanted.clamp(8, if on_cpu { 8 } else { 256 }));
        let workgroup = if on_cpu { 64 } else { 256.max(lanes) };
        let blocks = shape.rows.div_ceil((workgroup / lanes) as usize);
        let splits = if lanes < workgroup || on_cpu {
            1
        } else {
            at_most(SPLITS, FILLING / blocks)
        };
        // Few rows have few workgroups, which are to ask for more at once; a CPU gains by what rows have in common, where there
        // are enough of them for all of its cores.
        let (rows, unroll) = if on_cpu && shape.rows >= 256 {
            (8, 1)
        } else if on_cpu || splits > 1 {
            (1, 4)
        } else {
            (1, 2)
        };
        GEMV.families[0].variant(&[workgroup, lanes, rows, unroll, splits])
    },
    extents,
    work,
    trial: |device, precision, shape| trial(device, precision, shape, true),
};

/// Rows of A are columns in memory.
pub(crate) static GEMV_TRANSPOSED: Tunable = Tunable {
    name: "gemv_transposed",
    families: &[
        Family {
            kernel: &COLUMNS_KERNEL,
            ranges: &[WORKGROUPS, LANES, UNROLL, COLUMN_SPLITS, SEGMENTS],
            fits: |values, adapter, precision| {
                let [workgroup, lanes, unroll, splits, segments] = *values else {
                    return false;
                };
                // Wider blocks of columns would be the teeth of a saw.
                let worthwhile = lanes <= 32
                    && matches!(unroll, 4 | 8)
                    && workgroup >= 128
                    && ((segments == 1 && splits.is_power_of_two()) || (workgroup, lanes, unroll) == (256, 32, 4));
                let family = &GEMV_TRANSPOSED.families[0];
                lanes <= workgroup && worthwhile && memory_fits(family, values, adapter, precision)
            },
        },
        Family {
            kernel: &COLUMNS_STAGED,
            ranges: &[WORKGROUPS, UNROLL, SPLITS],
            fits: |values, adapter, precision| staged_fits(&GEMV_TRANSPOSED.families[1], values, adapter, precision),
        },
    ],
    on_cpu: &[],
    regimes: &regimes(["few rows", "some rows"], ["few columns", "some columns"]),
    default: |adapter, precision, shape| {
        if adapter.kind == AdapterKind::Software {
            return GEMV_TRANSPOSED.families[0].variant(&[128, 32, 4, 1, 1]);
        }
        // Beside a small matrix a second dispatch takes as long as the first. Narrow blocks of many strips need none.
        let bytes = bytes(precision, shape);
        let invocations = adapter.limit("maxComputeInvocationsPerWorkgroup");
        let small = if precision.element.size() > 4 {
            34 << 20
        } else {
            18 << 20
        };
        if bytes <= small && (256..=2304).contains(&shape.depth) && invocations >= Some(512) {
            return GEMV_TRANSPOSED.families[0].variant(&[512, 4, 8, 1, 1]);
        }
        let (workgroup, lanes, unroll) = (256, 32, 4);
        let blocks = shape.rows.div_ceil(lanes as usize * precision.pack() as usize);
        // Segments need half as many workgroups. With more registers a sum, they lose more than they gain, but for f64 where most
        // still comes from a cache (BENCHMARKS.md).
        let gains = match precision.scalar {
            ScalarKind::F32 => true,
            ScalarKind::F64 => (38 << 20..=80 << 20).contains(&bytes),
            ScalarKind::Df64 | ScalarKind::Dd => false,
        };
        let (filling, segments) = if gains && in_turns(precision, shape, adapter) {
            (FILLING / 2, 8)
        } else {
            (FILLING, 1)
        };
        // As many as fill the device, each with a step to go at least.
        let steps = shape.depth / (workgroup / lanes * unroll) as usize;
        let splits = at_most(COLUMN_SPLITS, (filling / blocks).min(steps));
        GEMV_TRANSPOSED.families[0].variant(&[workgroup, lanes, unroll, splits, segments])
    },
    extents,
    work,
    trial: |device, precision, shape| trial(device, precision, shape, false),
};

/// The largest value of a range that is no larger than `n`, or its smallest.
fn at_most(range: Range, n: usize) -> u32 {
    let values = range.values.iter().copied();
    let fitting = values.filter(|value| *value as usize <= n).max();
    fitting.unwrap_or(range.values[0])
}

const fn square(n: usize) -> Shape {
    Shape::new(n, 1, n)
}

const fn line(shape: fn(usize) -> Shape, sizes: &'static [usize]) -> Line<'static> {
    Line { shape, sizes }
}

/// The shapes that are tuned by themselves: squares, many short sums, and few long ones, named by what A has few of in memory.
const fn regimes(short: [&'static str; 2], long: [&'static str; 2]) -> [Regime<'static>; 9] {
    [
        regime(
            "square 256..2048",
            (256, 2048),
            (256, 2048),
            const { &[line(square, &[512, 1024, 1536])] },
        ),
        // Finer about the sizes at which caches are left, where one straight line would be wrong.
        regime(
            "square 2048..3397",
            (2048, 3397),
            (2048, 3397),
            const { &[line(square, &[2112, 2752, 3360])] },
        ),
        regime(
            "square 3397..4608",
            (3397, 4608),
            (3397, 4608),
            const { &[line(square, &[3424, 3904, 4544])] },
        ),
        regime(
            "square 4608..8192",
            (4608, 8192),
            (4608, 8192),
            const { &[line(square, &[4800, 5136, 6000])] },
        ),
        regime(
            "square from 8192",
            MANY,
            MANY,
            const { &[line(square, &[9000, 16_384])] },
        ),
        regime(
            short[0],
            MANY,
            FEW,
            const { &[line(|n| Shape::new(n, 1, 64), &[65_536, 1 << 20])] },
        ),
        regime(
            short[1],
            MANY,
            SOME,
            const { &[line(|n| Shape::new(n, 1, 256), &[65_536, 1 << 18])] },
        ),
        regime(
            long[0],
            FEW,
            MANY,
            const { &[line(|n| Shape::new(64, 1, n), &[65_536, 1 << 20])] },
        ),
        regime(
            long[1],
            SOME,
            MANY,
            const { &[line(|n| Shape::new(256, 1, n), &[65_536, 1 << 18])] },
        ),
    ]
}

const FEW: (usize, usize) = (1, 96);
const SOME: (usize, usize) = (96, 2048);
const MANY: (usize, usize) = (2048, usize::MAX);

const fn regime(
    name: &'static str,
    rows: (usize, usize),
    depth: (usize, usize),
    lines: &'static [Line<'static>],
) -> Regime<'static> {
    Regime {
        name,
        contains: Bounds {
            rows,
            cols: (1, 2),
            depth,
        },
        lines,
    }
}

fn memory_fits(family: &Family, values: &[u32], adapter: &Adapter, precision: Precision) -> bool {
    let limit = |name| adapter.limit(name).unwrap_or(0);
    let value = |name: &str| {
        let position = family.ranges.iter().position(|range| range.name == name);
        position.map_or(1, |position| values[position])
    };
    let bytes = Form::of(family.kernel).workgroup_memory(value, precision);
    u64::from(value("WORKGROUP")) <= limit("maxComputeInvocationsPerWorkgroup")
        && bytes as u64 <= limit("maxComputeWorkgroupStorageSize")
}

/// The paper's blocks, which are of one invocation for an element, so that few splits leave a device idle and many are
/// shorter than a piece of x.
fn staged_fits(family: &Family, values: &[u32], adapter: &Adapter, precision: Precision) -> bool {
    let [workgroup, unroll, splits] = *values else {
        return false;
    };
    let worthwhile = workgroup <= 256 && matches!(unroll, 4 | 8) && matches!(splits, 1 | 4 | 16);
    worthwhile && memory_fits(family, values, adapter, precision)
}

/// The saw is one of workgroups: whole ones are handed out, and run in rounds of as many as the device holds.
fn extents(variant: &Variant, precision: Precision, shape: Shape) -> Extents {
    let (block, _) = Form::of(variant.kernel).block_and_step(|name| variant.value(name), precision);
    let (blocks, splits) = (
        shape.rows.div_ceil(block as usize) as u64,
        u64::from(variant.value("SPLITS")),
    );
    Extents {
        quantised: blocks * splits,
        streaming: shape.depth as u64 / splits,
    }
}

fn work(precision: Precision, shape: Shape) -> (u64, u64) {
    let entries = (shape.rows * shape.depth) as u64;
    (entries * precision.element.size() as u64, entries)
}

/// Operands of a shape, filled with one value that is not zero (hardware is faster at zeros), and a call over them.
fn trial(device: &Device, precision: Precision, shape: Shape, by_rows: bool) -> Result<Trial> {
    match (precision.scalar, precision.element) {
        (ScalarKind::F32, _) => trial_in::<f32, f32>(device, precision, shape, by_rows),
        (ScalarKind::F64, _) => trial_in::<f64, f64>(device, precision, shape, by_rows),
        (ScalarKind::Df64, ScalarKind::F32) => trial_in::<f32, Df64>(device, precision, shape, by_rows),
        (ScalarKind::Df64, _) => trial_in::<Df64, Df64>(device, precision, shape, by_rows),
        (ScalarKind::Dd, _) => trial_in::<Dd, Dd>(device, precision, shape, by_rows),
    }
}

fn trial_in<T: Scalar, R: Scalar>(device: &Device, precision: Precision, shape: Shape, by_rows: bool) -> Result<Trial> {
    let (rows, cols) = if by_rows {
        (shape.rows, shape.depth)
    } else {
        (shape.depth, shape.rows)
    };
    let a = Matrix::<T>::filled(device, rows, cols, T::from_f64(0.75))?;
    let mut x = Vector::<T>::zeros(device, shape.depth)?;
    fill(T::from_f64(1.25), &mut x)?;
    let mut y = Vector::<T>::zeros(device, shape.rows)?;
    Ok(Box::new(move |variant| {
        let view = if by_rows { a.view() } else { a.view().t() };
        let plan = share_out(variant, precision, shape, cols, view.device().adapter());
        match view.device().ground() {
            crate::device::Ground::Host => Ok(()),
            crate::device::Ground::Gpu(gpu) => {
                let (factors, backwards) = ((R::one(), R::zero()), view.buffer.backwards(rows * cols));
                launch(gpu, &plan, factors, &view, &x.view(), &y.view_mut(), backwards)
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where their caches end, f32 and f64, and squares as small as latency counts.
    #[test]
    fn the_default_is_as_measured_on_each_device() {
        let lanes = |name: &str, precision, n| {
            let adapter = Adapter {
                name: name.to_owned(),
                ..Adapter::with_workgroups(AdapterKind::Discrete, 1024, 48 << 10)
            };
            (GEMV.default)(&adapter, precision, square(n)).value("LANES")
        };
        let (single, double) = (Precision::of::<f32>(Width::Pack), Precision::of::<f64>(Width::Pack));
        for (name, singles, doubles) in [
            (
                "NVIDIA H200",
                [(3432, 64), (3456, 128), (3632, 128), (3648, 256)],
                [(2104, 128), (2128, 64), (2400, 64), (2416, 128)],
            ),
            (
                "NVIDIA H100 80GB HBM3",
                [(3232, 64), (3240, 128), (3392, 128), (3408, 256)],
                [(2104, 128), (2112, 128), (2400, 128), (2416, 256)],
            ),
        ] {
            for (n, expected) in singles {
                assert_eq!(lanes(name, single, n), expected, "f32 of {n}, {name}");
            }
            for (n, expected) in doubles {
                assert_eq!(lanes(name, double, n), expected, "f64 of {n}, {name}");
            }
            assert_eq!(
                [512, 1024, 2032, 2048].map(|n| lanes(name, single, n)),
                [128, 128, 128, 64]
            );
            assert_eq!(lanes(name, double, 1024), 64);
        }
    }

    /// On large devices, and with no more than WebGPU gives everywhere; what a cache holds, and what none does.
    #[test]
    fn the_default_is_a_variant() {
        use AdapterKind::{Discrete, Integrated, Software};
        let extents = [1, 64, 256, 1000, 4096, 8192, 65_536];
        let shapes = extents.map(|rows| extents.map(|depth| Shape::new(rows, 1, depth)));
        for (kind, invocations, bytes) in [
            (Discrete, 1024, 48 << 10),
            (Discrete, 256, 16 << 10),
            (Integrated, 256, 16 << 10),
            (Software, 256, 16 << 10),
        ] {
            let adapter = Adapter::with_workgroups(kind, invocations, bytes);
            let precisions = [Width::Single, Width::Pack].map(|width| {
                [
                    Precision::of::<f32>(width),
                    Precision::of::<f64>(width),
                    Precision::of::<Df64>(width),
                    Precision::of::<Dd>(width),
                ]
            });
            for (precision, shape) in precisions
                .as_flattened()
                .iter()
                .flat_map(|p| shapes.as_flattened().iter().map(move |shape| (*p, *shape)))
            {
                for tunable in [&GEMV, &GEMV_TRANSPOSED] {
                    let chosen = (tunable.default)(&adapter, precision, shape);
                    assert!(
                        tunable.admits(&chosen, &adapter, precision),
                        "{chosen} for {shape:?}, {kind:?}"
                    );
                }
            }
        }
    }
}
