//! Every variant of every operation that can be tuned, not only the one that is chosen: each must be right wherever it
//! may be asked for, whatever it is good for.
//!
//! In f32 all of them are run; in the other scalars, and of GEMM on a CPU, a sample (`sample`). Where the way that operands lie is
//! compiled into a kernel, each kernel is run in one way of those. With `NONIUS_ALL_VARIANTS=1`, nothing is left out.

mod gemm;
mod gemv;
mod spmv;

use std::collections::BTreeMap;

use nonius::dense::{self, Matrix, MatrixView};
use nonius::device::precision::{Precision, Width};
use nonius::device::{Adapter, AdapterKind};
use nonius::tuning::{Tunable, Variant};
use nonius::{Blocking as _, Dd, Device, Result, Scalar, ScalarKind, Select, sparse};

use crate::devices::say;
use crate::support::{Case, within};

/// One call, to be made over and over with different variants.
struct Call<T> {
    sizes: String,
    /// What the operation asks its tuning with.
    precision: Precision,
    /// Large: a variant takes its turn with one of these, and with all others.
    in_turn: bool,
    /// Which of the `WAYS` its operands lie in, as far as that changes the kernel's text.
    way: usize,
    /// Makes the call over a fresh result, and returns the whole buffer of that.
    run: Box<dyn Fn() -> Result<Vec<T>>>,
    expected: Vec<Expected<T>>,
}

/// What an element of the result's buffer must be afterwards.
enum Expected<T> {
    Untouched(T),
    Near { exact: Dd, bound: f64 },
}

/// A and B, each by rows or by columns.
const WAYS: usize = 4;
/// The kernel is the same in all ways.
const ANY: usize = WAYS;

/// Runs the variants on a device of their own: what is pinned would change what tests beside this one run.
fn every_variant<T: Scalar>(
    device: &Device,
    operation: &'static str,
    calls: fn(&Device) -> Result<Vec<Call<T>>>,
) -> Result<()> {
    let Some(index) = device.adapter().index else {
        return Ok(());
    };
    let device = &Device::open(Select::Index(index)).block_on()?;
    let mut tunables = dense::tunables().into_iter().chain(sparse::tunables());
    let tunable = tunables.find(|tunable| tunable.name == operation);
    let tunable = tunable.unwrap_or_else(|| panic!("{operation} is tunable"));
    let calls = calls(device)?;
    let mut precisions: Vec<Precision> = Vec::new();
    for call in &calls {
        if !precisions.contains(&call.precision) {
            precisions.push(call.precision);
        }
    }
    for precision in precisions {
        let all = tunable.variants(device.adapter(), precision);
        assert!(!all.is_empty(), "no variant of {operation} fits {}", device.name());
        let sampled = sample(&all, operation, device.adapter(), precision);
        let mut kernels: Vec<Vec<(&str, u32)>> = Vec::new();
        for (turn, variant) in sampled.iter().enumerate() {
            let kernel = without(variant, &["SPLITS", "MULTIPROCESSORS"]);
            if kernels.last() != Some(&kernel) {
                kernels.push(kernel);
            }
            let first = kernels.len() + usize::from(precision.width == Width::Pack);
            let ways = if all_variants() { 0..WAYS } else { first..first + 1 };
            for way in ways.map(|way| way % WAYS) {
                let ours = |in_turn: bool| {
                    let ours = calls.iter().filter(move |call| call.precision == precision);
                    ours.filter(move |call| call.way == way || call.way == ANY)
                        .filter(move |call| call.in_turn == in_turn)
                };
                let large = ours(true).count().max(1);
                for call in ours(false).chain(ours(true).skip(turn % large).take(1)) {
                    one(device, tunable, variant, call)?;
                }
            }
        }
        say(&format!(
            "tested: {} of {} variants of {operation} in {} on {} ({:?}), {}",
            sampled.len(),
            all.len(),
            precision.scalar.name(),
            precision.element.name(),
            precision.width,
            device.name()
        ));
    }
    Ok(())
}

fn one<T: Scalar>(device: &Device, tunable: &'static Tunable, variant: &Variant, call: &Call<T>) -> Result<()> {
    let case = Case {
        device,
        operation: tunable.name,
        sizes: format!("{variant}, {}", call.sizes),
    };
    device.tuning().pin(tunable.name, Some(variant.clone()));
    let (found, again) = ((call.run)()?, (call.run)()?);
    device.tuning().pin(tunable.name, None);
    let (bytes, same): (&[u8], &[u8]) = (bytemuck::cast_slice(&found), bytemuck::cast_slice(&again));
    assert!(
        bytes == same,
        "{} in {} on {}: other bits the second time",
        case.sizes,
        T::NAME,
        device.name()
    );
    for (i, (found, expected)) in found.into_iter().zip(&call.expected).enumerate() {
        match expected {
            Expected::Untouched(before) if bytemuck::bytes_of(before) == bytemuck::bytes_of(&found) => {}
            Expected::Untouched(before) => case.fail(i, found, format!("the neighbour {before:?} untouched")),
            Expected::Near { exact, bound } => {
                let error = (found.to_dd() - *exact).to_f64().abs();
                if !within(error, *bound) {
                    case.fail(i, found, format!("{exact:?} but for {bound:e}, not {error:e}"));
                }
            }
        }
    }
    Ok(())
}

/// All variants in f32; elsewhere one of each class: those that differ in how many invocations, splits and steps there
/// are, and in nothing else that a kernel writes out. Which one of them, goes round from class to class.
///
/// Where kernels are compiled for a CPU, compiling is what takes the time, minutes for all that GEMM writes out: there
/// it is the shallowest of each class in f32 too, and of `FEW` classes, evenly spaced, those that are short in the others.
fn sample(all: &[Variant], operation: &str, adapter: &Adapter, precision: Precision) -> Vec<Variant> {
    let software = adapter.kind == AdapterKind::Software;
    let f32 = precision.scalar == ScalarKind::F32;
    if all_variants() || (f32 && !(software && operation == "gemm")) {
        return all.to_vec();
    }
    let mut classes: BTreeMap<_, Vec<&Variant>> = BTreeMap::new();
    for variant in all {
        let class = (
            variant.kernel.name,
            without(variant, &["WORKGROUP", "SPLITS", "MULTIPROCESSORS", "DEPTH"]),
        );
        classes.entry(class).or_default().push(variant);
    }
    let step = if software && !f32 {
        classes.len().div_ceil(FEW)
    } else {
        1
    };
    // Of each kernel one at least, the last: it has the most invocations for a sum.
    let is_last = |at: usize| {
        let kernel = |at: usize| classes.keys().nth(at).map(|(kernel, _)| *kernel);
        kernel(at) != kernel(at + 1)
    };
    let of_class = |(turn, members): (usize, &Vec<&Variant>)| {
        let least = members.iter().map(|variant| written_out(variant)).min();
        let members = members
            .iter()
            .filter(|variant| !software || Some(written_out(variant)) == least);
        let members: Vec<_> = members.collect();
        (*members[(turn * 11 + 5) % members.len()]).clone()
    };
    let sampled = classes.values().enumerate();
    let sampled = sampled.filter(|(at, _)| at.is_multiple_of(step) || is_last(*at));
    let sampled = sampled.map(|(_, members)| members).enumerate().map(of_class);
    sampled
        .filter(|variant| !software || f32 || written_out(variant) <= LITTLE)
        .collect()
}

const FEW: usize = 7;

/// Multiply-adds in the text of GEMM's loop that take a CPU's compiler a second in pairs.
const LITTLE: u32 = 128;

/// DEPTH · ROWS · COLS of GEMM's tiles; 1 for what is not written out so far.
fn written_out(variant: &Variant) -> u32 {
    let value = |name: &str| variant.constants.iter().find(|(key, _)| *key == name);
    let deep = value("DEPTH").map(|_| ["DEPTH", "ROWS", "COLS"].map(|name| variant.value(name)));
    deep.map_or(1, |values| values.into_iter().product())
}

fn without(variant: &Variant, names: &[&str]) -> Vec<(&'static str, u32)> {
    let constants = variant.constants.iter().copied();
    constants.filter(|(name, _)| !names.contains(name)).collect()
}

fn all_variants() -> bool {
    std::env::var("NONIUS_ALL_VARIANTS").is_ok_and(|value| value == "1")
}

/// A matrix that lies in a larger one of NaN: to read a margin is right, to use it is not.
struct Placed<T> {
    whole: Matrix<T>,
    extents: (usize, usize),
    place: Place,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    /// Columns in memory.
    turned: bool,
    /// On 16 bytes, lines of 16 bytes.
    aligned: bool,
}

impl Place {
    const fn margin(self) -> (usize, usize) {
        if self.aligned { (2, 4) } else { (2, 3) }
    }

    /// Elements between lines of `n` with their margins.
    fn leading(self, n: usize) -> usize {
        let least = n + 2 * self.margin().1;
        if self.aligned {
            least.next_multiple_of(4)
        } else {
            least | 1
        }
    }

    /// Offset and leading, both of whole packs or not.
    fn is_packable<T>(self, n: usize) -> bool {
        let offset = self.margin().0 * self.leading(n) + self.margin().1;
        [offset, self.leading(n)]
            .iter()
            .all(|count| (count * size_of::<T>()).is_multiple_of(16))
    }
}

impl<T: Scalar> Placed<T> {
    fn new(device: &Device, by_rows: &[T], extents: (usize, usize), place: Place) -> Result<Self> {
        let (rows, cols) = extents;
        let (height, width) = if place.turned { (cols, rows) } else { extents };
        let (above, beside) = place.margin();
        let leading = place.leading(width);
        let mut stored = vec![T::from_f64(f64::NAN); (height + 2 * above) * leading];
        for (at, value) in by_rows.iter().enumerate() {
            let (i, j) = (at / cols, at % cols);
            let (i, j) = if place.turned { (j, i) } else { (i, j) };
            stored[(i + above) * leading + j + beside] = *value;
        }
        Ok(Self {
            whole: Matrix::from_rows(device, height + 2 * above, leading, &stored)?,
            extents,
            place,
        })
    }

    fn view(&self) -> Result<MatrixView<'_, T>> {
        let ((rows, cols), (above, beside)) = (self.extents, self.place.margin());
        if self.place.turned {
            Ok(self.whole.block(above, beside, cols, rows)?.t())
        } else {
            self.whole.block(above, beside, rows, cols)
        }
    }
}

const fn width(packable: bool) -> Width {
    if packable { Width::Pack } else { Width::Single }
}
