//! What can be chosen for products with a sparse matrix, and what is chosen where nothing was measured.
//!
//! Choices are made where rows are even, by their number and by their average length, which is a shape's depth. Uneven rows
//! are streamed whatever was tuned: how uneven they are, no shape tells.

use super::super::csr::{self, CsrPattern};
use super::super::matrix::{Pattern, laid_out, narrow};
use super::super::packed::{self, PackedSellPattern};
use super::super::sell::{self, SellPattern};
use super::form::Form;
use super::kernels::{Aim, OnGpu};
use super::schedule::{LANES_FROM, Schedule, Target, lane_loads, lanes};
use crate::dense::Vector;
use crate::device::precision::Precision;
use crate::device::{AdapterKind, Device, Ground};
use crate::error::Result;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind};
use crate::tuning::{Bounds, Extents, Family, Line, Range, Regime, Shape, Trial, Tunable, Variant};

/// CSR with even rows: an invocation a row, or lanes; on a CPU an invocation a row by quads of entries.
pub(in crate::sparse) static CSR: Tunable = Tunable {
    name: "spmv_csr",
    families: &[
        Family {
            kernel: &csr::PER_ROW.product,
            ranges: &[WORKGROUPS, UNROLL],
            fits: |_, _, _| true,
        },
        Family {
            kernel: &csr::LANES.product,
            ranges: &[
                range("WORKGROUP", &[128, 256]),
                range("LANES", &[2, 4, 8, 16, 32, 64, 128, 256]),
                range("UNROLL", &[2, 4, 8, 16]),
            ],
            fits: |values, _, _| matches!(*values, [workgroup, lanes, _] if lanes <= workgroup),
        },
    ],
    on_cpu: &[Family {
        kernel: &csr::BY_QUADS.product,
        ranges: &[WORKGROUPS],
        fits: |_, _, _| true,
    }],
    regimes: &REGIMES,
    default: |adapter, precision, shape| match shape.depth {
        _ if adapter.kind == AdapterKind::Software => CSR.on_cpu[0].variant(&[256]),
        ..LANES_FROM => CSR.families[0].variant(&[256, 4]),
        average => CSR.families[1].variant(&[256, lanes(average), lane_loads(precision.scalar)]),
    },
    extents,
    work: |precision, shape| work(precision, shape, shape.rows * shape.depth),
    trial: |device, precision, shape| trial::<CsrPattern>(device, precision, shape),
};

/// SELL: an invocation a row, and how many of its entries are on their way; on a CPU four rows.
pub(in crate::sparse) static SELL: Tunable = Tunable {
    name: "spmv_sell",
    families: &[Family {
        kernel: &sell::FORM.product,
        ranges: &[WORKGROUPS, UNROLL],
        fits: |_, _, _| true,
    }],
    on_cpu: &[Family {
        kernel: &sell::BY_FOURS.product,
        ranges: &[WORKGROUPS],
        fits: |_, _, _| true,
    }],
    regimes: &REGIMES,
    default: |adapter, _, _| match adapter.kind {
        AdapterKind::Software => SELL.on_cpu[0].variant(&[256]),
        _ => SELL.families[0].variant(&[256, 4]),
    },
    extents,
    work: |precision, shape| work(precision, shape, shape.rows * shape.depth),
    trial: |device, precision, shape| trial::<SellPattern>(device, precision, shape),
};

/// Packed SELL: the same.
pub(in crate::sparse) static PACKED_SELL: Tunable = Tunable {
    name: "spmv_packed_sell",
    families: &[Family {
        kernel: &packed::sell::FORM.product,
        ranges: &[WORKGROUPS, UNROLL],
        fits: |_, _, _| true,
    }],
    on_cpu: &[Family {
        kernel: &packed::sell::BY_FOURS.product,
        ranges: &[WORKGROUPS],
        fits: |_, _, _| true,
    }],
    regimes: &REGIMES,
    default: |adapter, precision, shape| match adapter.kind {
        AdapterKind::Software => PACKED_SELL.on_cpu[0].variant(&[256]),
        // Pairs take so long to add that in short rows two loads at a time, and more rows, hide them better than four.
        _ if precision.scalar.is_pair() && shape.depth < 48 => PACKED_SELL.families[0].variant(&[128, 2]),
        _ => PACKED_SELL.families[0].variant(&[256, 4]),
    },
    extents,
    work: |precision, shape| work(precision, shape, shape.rows * shape.depth.div_ceil(run(shape))),
    trial: |device, precision, shape| trial::<PackedSellPattern>(device, precision, shape),
};

const WORKGROUPS: Range = range("WORKGROUP", &[64, 128, 256]);
const UNROLL: Range = range("UNROLL", &[1, 2, 4, 8]);

/// By the length of rows, and by whether caches may hold the matrix: up to [`CACHED`] entries they may, above it none does.
/// Matrices of still fewer rows last as long as a launch.
static REGIMES: [Regime<'static>; 6] = [
    regime(
        "rows of 16 to 48",
        (FEWEST_ROWS, CACHED / 27),
        (16, 48),
        &[line(|n| Shape::new(n, 1, 27), &[1 << 14, 1 << 16, 1 << 18])],
    ),
    regime(
        "rows of 16 to 48, many",
        (CACHED / 27, usize::MAX),
        (16, 48),
        &[line(|n| Shape::new(n, 1, 27), &[1 << 20, 3 << 19, 1 << 21])],
    ),
    regime(
        "rows of 2 to 16",
        (FEWEST_ROWS, CACHED / 7),
        (2, 16),
        &[line(|n| Shape::new(n, 1, 7), &[1 << 15, 1 << 17, 1 << 19])],
    ),
    regime(
        "rows of 2 to 16, many",
        (CACHED / 7, usize::MAX),
        (2, 16),
        &[line(|n| Shape::new(n, 1, 7), &[1 << 21, 3 << 20, 1 << 22])],
    ),
    regime(
        "rows of 48 and more",
        (FEWEST_ROWS, CACHED / 81),
        (48, usize::MAX),
        &[line(|n| Shape::new(n, 1, 81), &[1 << 12, 1 << 14, 1 << 16])],
    ),
    regime(
        "rows of 48 and more, many",
        (CACHED / 81, usize::MAX),
        (48, usize::MAX),
        &[line(|n| Shape::new(n, 1, 81), &[1 << 18, 3 << 17, 1 << 19])],
    ),
];

/// 128 MiB of values in f32 and their columns: more than the last cache of any GPU holds but for AMD's largest.
const CACHED: usize = 1 << 24;
const FEWEST_ROWS: usize = 1 << 12;

const fn range(name: &'static str, values: &'static [u32]) -> Range {
    Range { name, values }
}

const fn line(shape: fn(usize) -> Shape, sizes: &'static [usize]) -> Line<'static> {
    Line { shape, sizes }
}

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

/// Entries of runs in columns that an invocation has on their way. A driver that computes on the CPU goes through every
/// branch, taken or not: with several entries at once, twice through each of them.
fn run_entries(kind: AdapterKind) -> u32 {
    match kind {
        AdapterKind::Software => 1,
        _ => 4,
    }
}

/// The constants of RBP-ELL and RBP-ELL-R, which are not tuned.
pub(in crate::sparse) fn of_runs(target: Target) -> Vec<(&'static str, u32)> {
    vec![("UNROLL", run_entries(target.kind))]
}

/// The constants of a variant's kernel, and its form with all three kernels.
pub(in crate::sparse) fn form(variant: &Variant) -> &'static Form {
    let forms = [
        &csr::PER_ROW,
        &csr::LANES,
        &csr::BY_QUADS,
        &sell::FORM,
        &sell::BY_FOURS,
        &packed::sell::FORM,
        &packed::sell::BY_FOURS,
    ];
    let found = forms
        .into_iter()
        .find(|form| std::ptr::eq(&form.product, variant.kernel));
    found.unwrap_or_else(|| unreachable!("{variant} is of a form that is tuned"))
}

/// The invocations of a row.
pub(in crate::sparse) fn lanes_of(variant: &Variant) -> u32 {
    let lanes = variant.constants.iter().find(|(name, _)| *name == "LANES");
    lanes.map_or(1, |(_, lanes)| *lanes)
}

/// Workgroups are handed out, and each streams through the entries of its rows side by side.
fn extents(variant: &Variant, _: Precision, shape: Shape) -> Extents {
    Extents {
        quantised: form(variant).groups(shape.rows, lanes_of(variant), &variant.constants),
        streaming: shape.depth as u64,
    }
}

/// The values, so many indices, x and y, each once.
fn work(precision: Precision, shape: Shape, indices: usize) -> (u64, u64) {
    let entries = shape.rows * shape.depth;
    let scalars = entries + 2 * shape.rows;
    let bytes = scalars * precision.element.size() + 4 * indices;
    (bytes as u64, entries as u64)
}

fn trial<P: Pattern>(device: &Device, precision: Precision, shape: Shape) -> Result<Trial> {
    match precision.scalar {
        ScalarKind::F32 => trial_in::<P, f32>(device, shape),
        ScalarKind::F64 => trial_in::<P, f64>(device, shape),
        ScalarKind::Df64 => trial_in::<P, Df64>(device, shape),
        ScalarKind::Dd => trial_in::<P, Dd>(device, shape),
    }
}

fn trial_in<P: Pattern, T: Scalar>(device: &Device, shape: Shape) -> Result<Trial> {
    let Ground::Gpu(gpu) = device.ground() else {
        return Ok(Box::new(|_| Ok(())));
    };
    let csr = stencil(shape);
    let pattern = P::from_csr(&csr)?;
    let values = laid_out(&pattern, &vec![T::from_f64(0.75); csr.nnz()])?;
    let mut there = OnGpu::new(
        gpu,
        pattern.on_device(Schedule::Auto, Target::of::<T>(device))?,
        &values,
    )?;
    let x = Vector::from_slice(device, &vec![T::from_f64(1.25); csr.cols()])?;
    let mut y = Vector::<T>::zeros(device, shape.rows)?;
    let device = device.clone();
    Ok(Box::new(move |variant| {
        let Ground::Gpu(gpu) = device.ground() else {
            return Ok(());
        };
        there.take(variant);
        there.launch(gpu, &Aim::Product(T::one(), T::zero()), &x.view(), &y.view_mut())
    }))
}

/// The runs of a row of a trial: at most 9, as a grid's 27-point stencil has 9 of 3, and one with three unknowns a point 9 of 9.
const RUNS: usize = 9;

/// The entries of a run.
fn run(shape: Shape) -> usize {
    shape.depth.div_ceil(RUNS).max(1)
}

/// Rows of `depth` entries each, in runs on 3 x 3 lines of a cube of `rows` points: what is read of x lies as far apart as in
/// matrices of that size.
fn stencil(shape: Shape) -> CsrPattern {
    let run = run(shape);
    let cube = |side: &usize| side * side * side >= shape.rows;
    let side = (4.max(run + 1)..).find(cube).unwrap_or(usize::MAX);
    let line = |block: usize| block % 3 * side + block / 3 * side * side;
    let cols = shape.rows + run + line(RUNS - 1);
    let row_ptr = (0..=shape.rows).map(|row| narrow(row * shape.depth)).collect();
    let offsets: Vec<usize> = (0..shape.depth).map(|k| k % run + line(k / run)).collect();
    let rows = (0..shape.rows).flat_map(|row| offsets.iter().map(move |offset| narrow(row + offset)));
    CsrPattern::trusted(cols, row_ptr, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Adapter;
    use crate::device::precision::Width;

    /// Trials have the runs that they say they have, and untuned choices are those of the schedule.
    #[test]
    fn trials_are_stencils_and_defaults_are_the_schedules() {
        for (rows, depth, row) in [
            (50, 7, vec![2, 6, 10, 18, 22, 26, 34]),
            (
                60,
                20,
                vec![2, 3, 4, 6, 7, 8, 10, 11, 12, 18, 19, 20, 22, 23, 24, 26, 27, 28, 34, 35],
            ),
            (1000, 81, vec![]),
            (0, 27, vec![]),
            (5, 1, vec![2]),
        ] {
            let pattern = stencil(Shape::new(rows, 1, depth));
            let checked = CsrPattern::new(
                rows,
                pattern.cols(),
                pattern.row_ptr().to_vec(),
                pattern.columns().to_vec(),
            );
            assert!(checked.is_ok(), "{rows} rows of {depth}: {checked:?}");
            assert!(row.is_empty() || pattern.row(2) == row, "{:?}", pattern.row(2));
        }
        let precision = Precision::of::<f64>(Width::Single);
        let device = Device::host();
        for depth in [0, 1, 15, 16, 27, 81, 5000] {
            let row_ptr: Vec<u32> = (0..=100).map(|row| narrow(row * depth)).collect();
            let default = (CSR.default)(device.adapter(), precision, Shape::new(100, 1, depth));
            match Schedule::Auto.choose(&row_ptr, device.adapter().kind) {
                Ok(Schedule::PerRow) => assert!(std::ptr::eq(form(&default), &csr::PER_ROW)),
                Ok(Schedule::Lanes(lanes)) => assert_eq!(lanes_of(&default), lanes, "{depth}"),
                other => panic!("even rows of {depth} are not {other:?}"),
            }
            assert!(CSR.admits(&default, device.adapter(), precision), "{default}");
            let mut on_cpu = device.adapter().clone();
            on_cpu.kind = AdapterKind::Software;
            let default = (CSR.default)(&on_cpu, precision, Shape::new(100, 1, depth));
            assert_eq!(Schedule::Auto.choose(&row_ptr, on_cpu.kind), Ok(Schedule::PerRow));
            assert!(std::ptr::eq(form(&default), &csr::BY_QUADS), "{depth}");
            assert!(CSR.admits(&default, &on_cpu, precision), "{default}");
        }
    }

    /// What is measured on a GPU counts whatever becomes of kernels that it does not have.
    #[test]
    fn what_is_for_cpus_is_nothing_to_gpus() {
        let precision = Precision::of::<f32>(Width::Single);
        let of = |kind| Adapter {
            kind,
            ..Device::host().adapter().clone()
        };
        let [gpu, cpu] = [AdapterKind::Discrete, AdapterKind::Software].map(of);
        for tunable in [&CSR, &SELL, &PACKED_SELL] {
            let on_cpu = tunable.on_cpu[0].variant(&[256]);
            assert!(tunable.admits(&on_cpu, &cpu, precision), "{on_cpu}");
            assert!(!tunable.admits(&on_cpu, &gpu, precision), "{on_cpu}");
            assert!(!tunable.variants(&gpu, precision).contains(&on_cpu), "{on_cpu}");
            let prints = [&gpu, &cpu].map(|adapter| tunable.fingerprint(adapter.kind, precision));
            assert_ne!(prints[0], prints[1], "{}", tunable.name);
        }
    }
}
