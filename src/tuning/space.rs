//! What is tunable: kernels, the ranges of their constants, and the regimes of sizes in which one choice is made.

use std::fmt;
use std::sync::Arc;

use crate::device::kernel::Kernel;
use crate::device::precision::Precision;
use crate::device::{Adapter, Device};
use crate::error::Result;

/// An operation with a choice.
#[derive(Debug)]
pub struct Tunable {
    /// Its name, as `nonius tune` and the database know it: `gemv`, `gemv_transposed`, `gemm`.
    pub name: &'static str,
    /// Its kernels with the ranges of their constants.
    pub families: &'static [Family],
    /// Where one choice is made: the first regime that contains a shape counts; outside all of them, the default.
    pub regimes: &'static [Regime],
    /// The variant that is right on every device, and good where nothing was measured.
    pub default: fn(&Adapter, Precision, Shape) -> Variant,
    /// What a variant does in rounds at a shape, and what it streams through in each.
    pub extents: fn(&Variant, Shape) -> Extents,
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

/// The extents of a call: the result is rows x cols, and each of its elements is a sum of `depth` terms. A matrix-vector
/// product has one column.
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
    /// q: what is handed out in rounds of β, the rows of a matrix-vector product or the workgroups of a product.
    pub quantised: u64,
    /// s: what each of them streams through.
    pub streaming: u64,
}

/// Shapes among which one choice is made.
#[derive(Debug, Clone, Copy)]
pub struct Regime {
    /// Its name: `square 2048..8192`.
    pub name: &'static str,
    /// The shapes.
    pub contains: Bounds,
    /// Lines of shapes on which it is measured. The first is swept for the period.
    pub lines: &'static [Line],
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
pub struct Line {
    /// The shape at N.
    pub shape: fn(usize) -> Shape,
    /// The sampling sizes (paper 3, step 2).
    pub sizes: &'static [usize],
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

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("sizes", &self.sizes)
            .finish_non_exhaustive()
    }
}
