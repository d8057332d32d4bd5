//! Floor 2: what can be chosen for an operation, and the choice.
//!
//! An operation that has several kernels, or kernels with constants, declares them once, beside its public function,
//! as a [`Tunable`]. At run time it asks the device's [`Tuning`] for a [`Variant`]; untuned, that is the operation's
//! own default. Tuning follows Imamura (2011): points by rank at sampling sizes, a least-squares fit of a cost model
//! whose rounds make the saw, and the variant whose modelled time is least at the size that is asked for. It never
//! happens by itself.

mod amplitude;
mod database;
mod entry;
#[cfg(test)]
mod files;
mod fit;
#[cfg(test)]
mod losses;
mod model;
mod nnls;
mod outliers;
mod period;
mod plan;
mod rank;
mod search;
mod selection;
mod space;
mod span;
mod spectrum;
#[cfg(test)]
mod synthetic;
mod table;
mod timing;

pub use amplitude::Curve;
pub use database::Database;
#[cfg(test)]
pub(crate) use database::SHIPPED;
pub use entry::{Candidate, Choice, Entry};
pub use model::{Deviation, Model, Sample};
pub use period::{Saw, find_period};
pub use plan::Effort;
pub use rank::points;
pub use search::{Measure, search};
pub use space::{Bounds, Extents, Family, Line, Range, Regime, Shape, Trial, Tunable, Variant};
pub use table::{Source, Tuning};
pub use timing::{Repetition, Timing, measure};

use crate::device::Device;

impl Device {
    /// What was tuned for this device. It is read when it is first asked for, and kept as long as the device.
    ///
    /// ```
    /// assert!(nonius::Device::host().tuning().entries().is_empty());
    /// ```
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        self.attached(Tuning::of)
    }
}
