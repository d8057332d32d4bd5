//! What can be chosen for GEMV, and what is chosen where nothing was measured.

use super::defaults::{by_columns, by_rows};
use super::kernels::{COLUMNS_KERNEL, COLUMNS_STAGED, Form, ROWS_BY_SUBGROUP, ROWS_KERNEL, ROWS_STAGED};
use super::plan::{Plan, launch, share_out};
use crate::dense::map::width;
use crate::dense::matrix::MatrixView;
use crate::dense::vector::VectorView;
use crate::dense::{Matrix, Vector, fill};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, Device};
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
pub(super) const LANES: Range = range("LANES", &[4, 8, 16, 32, 64, 128, 256, 512, 1024]);
const ROWS: Range = range("ROWS", &[1, 2, 4, 8]);
const UNROLL: Range = range("UNROLL", &[1, 2, 4, 8]);
pub(super) const SPLITS: Range = range("SPLITS", &[1, 2, 4, 8, 16, 64, 256, 512]);
/// Finer where blocks are wide, so that a block more does not halve the workgroups. From 11 to 13 are slower than 10.
pub(super) const COLUMN_SPLITS: Range = range("SPLITS", &[1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 15, 16, 64, 256, 512]);
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
    default: by_rows,
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
    default: by_columns,
    extents,
    work,
    trial: |device, precision, shape| trial(device, precision, shape, false),
};

pub(super) const fn square(n: usize) -> Shape {
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
