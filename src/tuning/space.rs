//! What is tunable: kernels, the ranges of their constants, and the regimes of sizes in which one choice is made.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::device::kernel::Kernel;
use crate::device::precision::{Precision, Version, Width};
use crate::device::{Adapter, AdapterKind, Device};
use crate::error::{Error, Result};

/// An operation with a choice.
#[derive(Debug)]
pub struct Tunable {
    /// Its name, as `nonius tune` and the database know it: `gemv`, `gemv_transposed`, `gemm`.
    pub name: &'static str,
    /// Its kernels with the ranges of their constants.
    pub families: &'static [Family],
    /// Kernels that only drivers which compute on the CPU have to choose from besides: of these, times on a GPU say nothing.
    pub on_cpu: &'static [Family],
    /// Where one choice is made: the first regime that contains a shape counts; outside all of them, the default.
    pub regimes: &'static [Regime<'static>],
    /// The variant that is right on every device, and good where nothing was measured.
    pub default: fn(&Adapter, Precision, Shape) -> Variant,
    /// What a variant does in rounds at a shape, and what it streams through in each.
    pub extents: fn(&Variant, Precision, Shape) -> Extents,
    /// Bytes that must be moved and multiply-adds that must be done at a shape, by any variant.
    pub work: fn(Precision, Shape) -> (u64, u64),
    /// Operands of a shape, and a closure that records one call of a variant over them.
    pub trial: fn(&Device, Precision, Shape) -> Result<Trial>,
}

/// Records one call of a variant.
pub type Trial = Box<dyn FnMut(&Variant) -> Result<()>>;

/// One kernel, and what can be chosen of it.
pub struct Family {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The ranges; constants of the kernel by their names, and numbers of the launch (such as splits) by theirs.
    pub ranges: &'static [Range],
    /// Whether values of the ranges, in their order, can run on a device in a precision: invocations, workgroup memory.
    pub fits: fn(&[u32], &Adapter, Precision) -> bool,
}

/// The values that a constant may take.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// Its name.
    pub name: &'static str,
    /// The values.
    pub values: &'static [u32],
}

/// A kernel with values for its ranges. Cloning copies handles.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Name and value for every range of its family, in their order.
    pub constants: Arc<[(&'static str, u32)]>,
}

/// The extents of a call: the result is rows x cols, and each of its elements is a sum of `depth` terms. A
/// matrix-vector product has one column; with a sparse matrix, `depth` is the average of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of the result.
    pub rows: usize,
    /// Columns of the result.
    pub cols: usize,
    /// Terms of a sum.
    pub depth: usize,
}

/// The two numbers that the cost model knows of a call: T = o + aq + bqs + (o₁ + α₁s)⌈q/β⌉.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extents {
    /// q: what is handed out in rounds of β, which is workgroups.
    pub quantised: u64,
    /// s: what each of them streams through.
    pub streaming: u64,
}

/// Shapes among which one choice is made.
#[derive(Debug, Clone, Copy)]
pub struct Regime<'a> {
    /// Its name: `square 2048..8192`.
    pub name: &'static str,
    /// The shapes.
    pub contains: Bounds,
    /// Lines of shapes on which it is measured. The first is swept for the period.
    pub lines: &'a [Line<'a>],
}

/// Half-open ranges of extents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Rows of the result.
    pub rows: (usize, usize),
    /// Columns of the result.
    pub cols: (usize, usize),
    /// Terms of a sum.
    pub depth: (usize, usize),
}

/// Shapes along one parameter N.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    /// The shape at N.
    pub shape: fn(usize) -> Shape,
    /// The sampling sizes (paper 3, step 2).
    pub sizes: &'a [usize],
}

impl Tunable {
    /// The kernels that a kind of device has to choose from.
    pub fn families_on(&self, kind: AdapterKind) -> impl Iterator<Item = &'static Family> + use<> {
        let on_cpu: &'static [Family] = match kind {
            AdapterKind::Software => self.on_cpu,
            _ => &[],
        };
        self.families.iter().chain(on_cpu)
    }

    /// Every variant that can run on a device: for each family the values of its ranges in all combinations, the last
    /// range fastest, less those that do not fit.
    #[must_use]
    pub fn variants(&self, adapter: &Adapter, precision: Precision) -> Vec<Variant> {
        let mut variants = Vec::new();
        for family in self.families_on(adapter.kind) {
            let mut combinations = vec![Vec::new()];
            for range in family.ranges {
                let longer = |values: &Vec<u32>| -> Vec<Vec<u32>> {
                    let longer = range.values.iter().map(|value| [values.as_slice(), &[*value]].concat());
                    longer.collect()
                };
                combinations = combinations.iter().flat_map(longer).collect();
            }
            combinations.retain(|values| (family.fits)(values, adapter, precision));
            variants.extend(combinations.iter().map(|values| family.variant(values)));
        }
        variants
    }

    /// The variant of a kernel's name and a value for each of its ranges, as a file has them.
    ///
    /// # Errors
    /// [`Error::Tuning`] when there is no such kernel or range, a value is outside its range or missing, or the whole
    /// does not fit the device.
    pub fn variant(
        &self,
        kernel: &str,
        constants: &BTreeMap<String, u32>,
        adapter: &Adapter,
        precision: Precision,
    ) -> Result<Variant> {
        let error = |reason: String| Error::Tuning {
            operation: self.name.to_owned(),
            reason,
        };
        let named: Vec<&Family> = self
            .families_on(adapter.kind)
            .filter(|family| family.kernel.name == kernel)
            .collect();
        let has = |family: &Family, name: &str| family.ranges.iter().any(|range| range.name == name);
        let same = |family: &&&Family| {
            family.ranges.len() == constants.len() && constants.keys().all(|name| has(family, name))
        };
        // Two families may share a kernel and differ in what the launch chooses.
        let family = match (named.iter().find(same), named.first()) {
            (Some(family), _) => family,
            (None, None) => return Err(error(format!("there is no kernel {kernel:?}"))),
            (None, Some(family)) => {
                let expected: Vec<&str> = family.ranges.iter().map(|range| range.name).collect();
                let found: Vec<&String> = constants.keys().collect();
                return Err(error(format!("{kernel} takes {expected:?}, found {found:?}")));
            }
        };
        let values: Vec<u32> = family.ranges.iter().map(|range| constants[range.name]).collect();
        if let Some((range, value)) = family
            .ranges
            .iter()
            .zip(&values)
            .find(|(range, value)| !range.values.contains(value))
        {
            return Err(error(format!(
                "{} of {kernel} is one of {:?}, found {value}",
                range.name, range.values
            )));
        }
        let variant = family.variant(&values);
        if !(family.fits)(&values, adapter, precision) {
            return Err(error(format!("{variant} does not fit {}", adapter.name)));
        }
        Ok(variant)
    }

    /// Whether a variant is one of this operation's, and can run on a device in a precision.
    #[must_use]
    pub fn admits(&self, variant: &Variant, adapter: &Adapter, precision: Precision) -> bool {
        let values: Vec<u32> = variant.constants.iter().map(|(_, value)| *value).collect();
        self.families_on(adapter.kind).any(|family| {
            let named = family.ranges.iter().zip(&*variant.constants);
            std::ptr::eq(family.kernel, variant.kernel)
                && family.ranges.len() == values.len()
                && named
                    .into_iter()
                    .all(|(range, (name, value))| range.name == *name && range.values.contains(value))
                && (family.fits)(&values, adapter, precision)
        })
    }

    /// Changes whenever something changes that a time measured on a kind of device may depend on: the texts of the kernels that
    /// it has to choose from, and the ranges.
    ///
    /// 64 bits of FNV-1a over the texts with the scalar's plain version (which version a device needs goes with its
    /// driver) for both widths, and over the names and values of the ranges.
    #[must_use]
    pub fn fingerprint(&self, kind: AdapterKind, precision: Precision) -> u64 {
        let mut hash = Fnv::default();
        for family in self.families_on(kind) {
            for width in [Width::Single, Width::Pack] {
                let precision = Precision { width, ..precision };
                hash.write(family.kernel.compose(precision, Version::PLAIN, &[]).text.as_bytes());
            }
            for range in family.ranges {
                hash.write(range.name.as_bytes());
                range.values.iter().for_each(|value| hash.write(&value.to_le_bytes()));
            }
        }
        hash.0
    }
}

/// FNV-1a (Fowler, Noll, Vo): short, and the same in every version of Rust, which the standard hashers do not promise.
pub(super) struct Fnv(pub(super) u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// One item; a separator follows, so that neighbours cannot trade bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Shape {
    /// The shape of rows x cols sums of `depth` terms.
    #[must_use]
    pub const fn new(rows: usize, cols: usize, depth: usize) -> Self {
        Self { rows, cols, depth }
    }
}

impl Bounds {
    /// Whether a shape lies within.
    #[must_use]
    pub fn contain(&self, shape: Shape) -> bool {
        let within = |(low, high): (usize, usize), extent: usize| (low..high).contains(&extent);
        within(self.rows, shape.rows) && within(self.cols, shape.cols) && within(self.depth, shape.depth)
    }
}

impl Variant {
    /// The value of a range; a variant is always asked for ranges of its own family.
    #[must_use]
    pub fn value(&self, name: &str) -> u32 {
        let found = self.constants.iter().find(|(key, _)| *key == name);
        found.map_or_else(
            || unreachable!("{} has no {name}", self.kernel.name),
            |(_, value)| *value,
        )
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.kernel.name == other.kernel.name && self.constants == other.constants
    }
}

/// `gemv WORKGROUP=256 ROWS=4`.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kernel.name)?;
        self.constants
            .iter()
            .try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

impl Family {
    /// The variant of these values.
    #[must_use]
    pub fn variant(&self, values: &[u32]) -> Variant {
        let names = self.ranges.iter().map(|range| range.name);
        Variant {
            kernel: self.kernel,
            constants: names.zip(values.iter().copied()).collect(),
        }
    }
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Family")
            .field("kernel", &self.kernel.name)
            .field("ranges", &self.ranges)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("sizes", &self.sizes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::{PRECISION, TUNABLE, adapter};

    fn constants(pairs: &[(&str, u32)]) -> BTreeMap<String, u32> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn variants_are_all_that_fit_and_can_be_read_back() {
        let variants = TUNABLE.variants(&adapter(), PRECISION);
        let names: Vec<String> = variants.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), 11);
        assert_eq!(names[..2], ["rows WORKGROUP=64 ROWS=1", "rows WORKGROUP=64 ROWS=2"]);
        assert!(!names.contains(&"rows WORKGROUP=512 ROWS=4".to_owned()));
        for variant in variants {
            let read = TUNABLE.variant("rows", &constants(&variant.constants), &adapter(), PRECISION);
            assert_eq!(read, Ok(variant));
        }
    }

    #[test]
    fn what_is_no_variant_says_why() {
        let refused = [
            ("cols", vec![("WORKGROUP", 64), ("ROWS", 1)], "no kernel \"cols\""),
            ("rows", vec![("WORKGROUP", 64)], "takes"),
            ("rows", vec![("WORKGROUP", 64), ("COLS", 1)], "takes"),
            ("rows", vec![("WORKGROUP", 64), ("ROWS", 1), ("COLS", 1)], "takes"),
            ("rows", vec![("WORKGROUP", 65), ("ROWS", 1)], "found 65"),
            ("rows", vec![("WORKGROUP", 512), ("ROWS", 4)], "does not fit"),
        ];
        for (kernel, pairs, reason) in refused {
            let error = TUNABLE.variant(kernel, &constants(&pairs), &adapter(), PRECISION);
            let text = error.expect_err("no variant").to_string();
            assert!(
                text.starts_with("the tuning of rows: ") && text.contains(reason),
                "{text}"
            );
        }
    }

    #[test]
    fn the_fingerprint_is_that_of_fnv() {
        let mut hash = Fnv::default();
        hash.0 = b"foobar".iter().fold(hash.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        // From the authors' test vectors.
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
        let of = |precision| TUNABLE.fingerprint(AdapterKind::Discrete, precision);
        assert_eq!(of(PRECISION), of(PRECISION));
        let other = Precision {
            element: crate::ScalarKind::Df64,
            scalar: crate::ScalarKind::Df64,
            ..PRECISION
        };
        assert_ne!(of(PRECISION), of(other));
    }
}
