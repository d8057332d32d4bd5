//! The variants of GEMV where nothing was measured: as they were found to be fastest on H100s and H200s, by counts that hold for
//! other GPUs, and on CPUs (BENCHMARKS.md).

use super::plan::{FILLING, at_once, bytes, in_turns, workgroups};
use super::variants::{COLUMN_SPLITS, GEMV, GEMV_TRANSPOSED, LANES, SPLITS};
use crate::device::precision::Precision;
use crate::device::{Adapter, AdapterKind};
use crate::scalar::ScalarKind;
use crate::tuning::{Range, Shape, Variant};

/// The largest value of a range that is no larger than `n`, or its smallest.
fn at_most(range: Range, n: usize) -> u32 {
    let values = range.values.iter().copied();
    let fitting = values.filter(|value| *value as usize <= n).max();
    fitting.unwrap_or(range.values[0])
}

/// Rows of A are rows in memory.
pub(super) fn by_rows(adapter: &Adapter, precision: Precision, shape: Shape) -> Variant {
    let variant = |values: [u32; 5]| GEMV.families[0].variant(&values);
    let packs = (shape.depth / precision.pack() as usize).max(1);
    if adapter.kind == AdapterKind::Software {
        // Lanes are a loop there, as many as a vector has. A CPU gains by what rows have in common, where there are enough of them
        // for all of its cores.
        let (rows, unroll) = if shape.rows >= 256 { (8, 1) } else { (1, 4) };
        return variant([64, 8, rows, unroll, 1]);
    }
    let turns = in_turns(precision, shape, adapter);
    if precision.element == ScalarKind::Dd
        && let Some(values) = rows_of_most_registers(packs, shape.rows, turns)
    {
        return variant(values);
    }
    let lanes = if turns {
        // Three packs of a row, so that there are more blocks of rows than workgroups that go through them in turns; but while most
        // comes from a cache, and 128 lanes leave two blocks to each workgroup, no more lanes than that.
        let wanted = if bytes(precision, shape) <= adapter.hardware().mostly_cached && shape.rows >= 2 * FILLING {
            (packs / 8).max((packs / 3).min(128))
        } else {
            packs / 3
        };
        at_most(LANES, wanted.clamp(8, 256))
    } else {
        cached_lanes(adapter, precision, packs, shape.rows)
    };
    let workgroup = 256.max(lanes);
    let blocks = shape.rows.div_ceil((workgroup / lanes) as usize).max(1);
    // Rows so few that workgroups are idle are split; where they come from the cache, are of 256 KiB at most, and are not too few, a
    // second dispatch would take longer than that saves.
    let whole = !turns && blocks >= FEWEST_ROWS && bytes(precision, Shape { rows: 1, ..shape }) <= 256 << 10;
    let splits = if lanes < workgroup || whole {
        1
    } else if !turns || blocks >= at_once(adapter) {
        at_most(SPLITS, FILLING / blocks)
    } else if blocks >= 768 {
        2
    } else {
        // Of a step each; sums of more registers want fewer.
        let fine = if precision.scalar == ScalarKind::F32 { 512 } else { 64 };
        at_most(SPLITS, (FILLING / blocks).max(fine))
    };
    for (wide, each, least) in [(1024, 1, 8192), (512, 2, 4096)] {
        let few = blocks <= workgroups(each, adapter) && packs >= least;
        if whole && few && invocations(adapter) >= u64::from(wide) {
            return variant([wide, wide, 1, 2, 1]);
        }
    }
    // Few rows have few workgroups, which are to ask for more at once.
    variant([workgroup, lanes, 1, if splits > 1 { 4 } else { 2 }, splits])
}

/// For long matrices of short rows, and for large ones, in the scalar whose multiply-adds take longest: several rows or packs at
/// once, so that they need not wait for each other. As an H100 was measured, by a tuner (BENCHMARKS.md).
const fn rows_of_most_registers(packs: usize, rows: usize, turns: bool) -> Option<[u32; 5]> {
    match (packs, rows) {
        (..=128, 65_536..) => Some([64, 8, 4, 2, 1]),
        (129..=1024, 16_384..) => Some([256, 16, 2, 4, 1]),
        (2048.., 2048..) if turns => Some([128, 128, 1, 4, 1]),
        _ => None,
    }
}

/// Rows of a cached matrix for which one workgroup each is enough, though it leaves two thirds of a large device idle.
const FEWEST_ROWS: usize = 48;

/// Lanes for a row of so many packs that comes from the cache: eight packs each, or fewer where rows are short or few, since then
/// latency is what takes time; so many that the device is busy, and no more than let all workgroups run at once, since the last
/// ones would not meet what they read before.
fn cached_lanes(adapter: &Adapter, precision: Precision, packs: usize, rows: usize) -> u32 {
    let rows = rows.max(1);
    let run = |threads: usize| at_once(adapter) * threads / rows;
    // Of a workgroup's 256 invocations; sums of pairs at the ends of rows take turns with what is read.
    let busy = match (adapter.kind, precision.scalar) {
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::F32 | ScalarKind::F64) => 192,
        (AdapterKind::Discrete | AdapterKind::Virtual, ScalarKind::Df64) => 96,
        _ => 0,
    };
    let most = if packs < 1024 { 128 } else { 256 };
    // Where 64 lanes would begin a fourth turn, there are 128.
    let early = match precision.scalar {
        ScalarKind::F32 if packs >= 256 => packs / 3,
        _ => packs - packs / 3,
    };
    let early = early.min(most).min(run(busy));
    at_most(LANES, (packs / 8).max(early).min(run(256)).clamp(4, 256))
}

fn invocations(adapter: &Adapter) -> u64 {
    adapter.limit("maxComputeInvocationsPerWorkgroup").unwrap_or(0)
}

/// Rows of A are columns in memory.
pub(super) fn by_columns(adapter: &Adapter, precision: Precision, shape: Shape) -> Variant {
    let variant = |values: [u32; 5]| GEMV_TRANSPOSED.families[0].variant(&values);
    if adapter.kind == AdapterKind::Software {
        return variant([128, 32, 4, 1, 1]);
    }
    let bytes = bytes(precision, shape);
    let turns = in_turns(precision, shape, adapter);
    let pack = precision.pack() as usize;
    let blocks = |lanes: u32| shape.rows.div_ceil(lanes as usize * pack).max(1);
    // A second dispatch takes as long as the first beside a small matrix, and is not worth its while beside short sums. Blocks of
    // many strips need none; they are as wide as leaves two of them to a multiprocessor.
    if shape.depth <= 96 || (shape.depth < 256 && !turns) {
        let wide = |lanes: &u32| blocks(*lanes) >= 2 * workgroups(1, adapter);
        let lanes = [32, 16, 8].into_iter().find(wide).unwrap_or(4);
        return variant([128, lanes, 8, 1, 1]);
    }
    let small = if precision.element.size() > 4 {
        34 << 20
    } else {
        18 << 20
    };
    let one_dispatch = bytes <= small || (!turns && blocks(16) >= 256);
    if one_dispatch && shape.depth <= 2304 && invocations(adapter) >= 512 {
        return variant([512, if shape.rows < 4096 { 4 } else { 16 }, 8, 1, 1]);
    }
    let (workgroup, lanes, unroll) = (256, 32, 4);
    let blocks = blocks(lanes);
    // Each split with a step to go at least.
    let steps = shape.depth / (workgroup / lanes * unroll) as usize;
    let splits = |filling: usize| at_most(COLUMN_SPLITS, filling.min(steps));
    let segmented = splits(filling_segments(precision.scalar, workgroups(3, adapter), blocks));
    if turns && segments_gain(precision, bytes, blocks * segmented as usize, workgroups(3, adapter)) {
        return variant([workgroup, lanes, unroll, segmented, 8]);
    }
    variant([workgroup, lanes, unroll, splits(FILLING / blocks), 1])
}

/// As many splits in segments as fill the device, which is three workgroups for each multiprocessor, `all` together. In f32, 11 to
/// 13 are slower than 10 and than 16.
fn filling_segments(scalar: ScalarKind, all: usize, blocks: usize) -> usize {
    let most = FILLING / 2 / blocks;
    match all / blocks {
        11..=13 if scalar == ScalarKind::F32 && most >= 16 => 16,
        few if few < 16 => few,
        _ => most,
    }
}

/// Whether a matrix of so many bytes is gone through faster in segments, by so many workgroups where `all` run at once. Scalars of
/// more registers than f32 gain only where no workgroup waits for another to end and something still comes from a cache, Dd only
/// where three quarters of the places are taken too. What arithmetic binds, which is f32 summed in pairs, loses.
fn segments_gain(precision: Precision, bytes: usize, workgroups: usize, all: usize) -> bool {
    let (mebibytes, fewest) = match precision.scalar {
        _ if precision.element != precision.scalar => return false,
        ScalarKind::F32 => return true,
        ScalarKind::F64 => (38..=1280, 1),
        ScalarKind::Df64 => (42..=600, 1),
        ScalarKind::Dd => (42..=270, all - all / 4),
    };
    mebibytes.contains(&(bytes >> 20)) && (fewest..=all).contains(&workgroups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemv::variants::square;
    use crate::device::AdapterKind::{Discrete, Host, Integrated, Other, Software, Virtual};
    use crate::device::precision::Width;
    use crate::scalar::{Dd, Df64};
    use crate::tuning::Tunable;

    /// Where their caches end, f32 and f64, and squares as small as latency counts.
    #[test]
    fn the_default_is_as_measured_on_each_device() {
        let lanes = |name: &str, precision, n| {
            let adapter = Adapter {
                name: name.to_owned(),
                ..Adapter::with_workgroups(Discrete, 1024, 48 << 10)
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
                [512, 1024, 1528, 1540, 2032, 2048].map(|n| lanes(name, single, n)),
                [64, 64, 64, 128, 64, 64]
            );
            assert_eq!([512, 1024, 1576].map(|n| lanes(name, double, n)), [128, 128, 128]);
        }
    }

    /// Rows, columns, and the variant; f32.
    #[test]
    fn the_default_is_as_measured_of_tall_and_wide_matrices() {
        let adapter = Adapter {
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            ..Adapter::with_workgroups(Discrete, 1024, 48 << 10)
        };
        let values = |tunable: &Tunable, rows, depth| -> Vec<u32> {
            let chosen = (tunable.default)(&adapter, Precision::of::<f32>(Width::Pack), Shape::new(rows, 1, depth));
            chosen.constants.iter().map(|(_, value)| *value).collect()
        };
        for (rows, depth, expected) in [
            (64, 65_536, [1024, 1024, 1, 2, 1]),
            (256, 16_384, [512, 512, 1, 2, 1]),
            (64, 131_072, [256, 256, 1, 4, 16]),
            (64, 1 << 18, [256, 256, 1, 4, 512]),
            (16, 65_536, [256, 256, 1, 4, 64]),
            (300, 4096, [256, 256, 1, 2, 1]),
            (1000, 20_000, [256, 256, 1, 4, 2]),
            (1500, 15_000, [256, 256, 1, 2, 1]),
            (65_536, 16, [256, 4, 1, 2, 1]),
            (1 << 18, 64, [256, 8, 1, 2, 1]),
        ] {
            assert_eq!(values(&GEMV, rows, depth), expected, "{rows} x {depth}");
        }
        for (rows, depth, expected) in [
            (1024, 64, [128, 4, 8, 1, 1]),
            (16_384, 200, [128, 8, 8, 1, 1]),
            (65_536, 64, [128, 32, 8, 1, 1]),
            (1 << 18, 256, [256, 32, 4, 1, 8]),
            (2048, 1024, [512, 4, 8, 1, 1]),
            (16_384, 512, [512, 16, 8, 1, 1]),
            (2752, 2752, [256, 32, 4, 16, 1]),
            (3320, 3320, [256, 32, 4, 15, 8]),
            (3464, 3464, [256, 32, 4, 14, 8]),
            (3976, 3976, [256, 32, 4, 16, 8]),
            (4104, 4104, [256, 32, 4, 10, 8]),
            (8200, 8200, [256, 32, 4, 6, 8]),
            (64, 1 << 18, [256, 32, 4, 512, 8]),
        ] {
            assert_eq!(
                values(&GEMV_TRANSPOSED, rows, depth),
                expected,
                "{rows} x {depth}, transposed"
            );
        }
    }

    /// Rows, columns, and the variant; Dd.
    #[test]
    fn the_default_in_the_most_registers_is_as_measured() {
        let adapter = Adapter::with_workgroups(Discrete, 1024, 48 << 10);
        for (rows, depth, expected) in [
            (1_000_000, 16, [64, 8, 4, 2, 1]),
            (65_536, 64, [64, 8, 4, 2, 1]),
            (65_536, 256, [256, 16, 2, 4, 1]),
            (16_384, 1024, [256, 16, 2, 4, 1]),
            (2048, 2048, [128, 128, 1, 4, 1]),
            (11_000, 11_000, [128, 128, 1, 4, 1]),
            (1664, 1664, [256, 256, 1, 2, 1]),
            (16, 1 << 18, [256, 256, 1, 4, 64]),
        ] {
            let precision = Precision::of::<Dd>(Width::Pack);
            let chosen = (GEMV.default)(&adapter, precision, Shape::new(rows, 1, depth));
            let found: Vec<u32> = chosen.constants.iter().map(|(_, value)| *value).collect();
            assert_eq!(found, expected, "{rows} x {depth}");
        }
    }

    /// Segments in scalars of more registers; squares, but where it says otherwise.
    #[test]
    fn segments_are_as_measured_of_scalars_of_two_words() {
        let adapter = Adapter {
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            ..Adapter::with_workgroups(Discrete, 1024, 48 << 10)
        };
        let [f64, df64, dd] = [
            Precision::of::<f64>(Width::Pack),
            Precision::of::<Df64>(Width::Pack),
            Precision::of::<Dd>(Width::Pack),
        ];
        let f32_in_df64 = Precision {
            element: ScalarKind::F32,
            ..df64
        };
        for (precision, rows, depth, expected) in [
            (f64, 2200, 2200, [16, 1]),
            (f64, 3000, 3000, [8, 8]),
            (f64, 4096, 4096, [6, 8]),
            (f64, 8192, 8192, [3, 8]),
            (f64, 16_000, 16_000, [4, 1]),
            (f64, 2048, 8192, [10, 8]),
            (f64, 65_536, 256, [1, 1]),
            (df64, 2304, 2304, [16, 1]),
            (df64, 2400, 2400, [10, 8]),
            (df64, 9000, 9000, [7, 1]),
            (f32_in_df64, 4096, 4096, [16, 1]),
            (dd, 1620, 1620, [16, 1]),
            (dd, 1800, 1800, [6, 8]),
            (dd, 6000, 6000, [5, 1]),
            (dd, 16_384, 1024, [2, 1]),
        ] {
            let chosen = (GEMV_TRANSPOSED.default)(&adapter, precision, Shape::new(rows, 1, depth));
            let found = ["SPLITS", "SEGMENTS"].map(|name| chosen.value(name));
            assert_eq!(found, expected, "{rows} x {depth} in {precision:?}");
        }
    }

    /// Precisions of all operands: of one scalar, and sums in Df64 of f32.
    fn precisions() -> Vec<Precision> {
        let [f32, df64, f64, dd] = [ScalarKind::F32, ScalarKind::Df64, ScalarKind::F64, ScalarKind::Dd];
        let kinds = [(f32, f32), (df64, df64), (f64, f64), (dd, dd), (df64, f32)];
        let of = |(scalar, element)| [Width::Single, Width::Pack].map(|width| Precision { scalar, element, width });
        kinds.into_iter().flat_map(of).collect()
    }

    /// Of every kind, with as little as WebGPU gives, with something between, and with as much as GPUs have; and the two that
    /// are known by name.
    fn adapters() -> Vec<Adapter> {
        let limits = [(256, 16 << 10), (512, 16 << 10), (256, 32 << 10), (1024, 48 << 10)];
        let kinds = [Discrete, Virtual, Integrated, Other, Software, Host];
        let of = |kind| limits.map(|(invocations, bytes)| Adapter::with_workgroups(kind, invocations, bytes));
        let named = ["NVIDIA H100 80GB HBM3", "NVIDIA H200"].map(|name| Adapter {
            name: name.to_owned(),
            ..Adapter::with_workgroups(Discrete, 1024, 48 << 10)
        });
        kinds.into_iter().flat_map(of).chain(named).collect()
    }

    /// About each size at which one of them becomes another: a default that does not fit would be an error of every call.
    #[test]
    fn defaults_fit_every_device_and_shape() {
        let about = [2, 48, 96, 128, 256, 768, 1056, 2304, 4096].map(|n| [n - 1, n, n + 1]);
        let extents = [about.as_flattened(), &[0, 64, 65_536, 1 << 20]].concat();
        for adapter in adapters() {
            for precision in precisions() {
                for (&rows, &depth) in extents
                    .iter()
                    .flat_map(|rows| extents.iter().map(move |depth| (rows, depth)))
                {
                    for tunable in [&GEMV, &GEMV_TRANSPOSED] {
                        let chosen = (tunable.default)(&adapter, precision, Shape::new(rows, 1, depth));
                        assert!(
                            tunable.admits(&chosen, &adapter, precision),
                            "{chosen} for {rows} x {depth} in {precision:?} on {:?}, {:?}",
                            adapter.kind,
                            adapter.limits
                        );
                    }
                }
            }
        }
    }
}
