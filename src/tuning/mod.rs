//! Floor 2: what can be chosen for an operation, and the choice.
//!
//! An operation that has several kernels, or kernels with constants, declares them once, beside its public function, as a
//! [`Tunable`]. At run time it asks the device's tuning for a [`Variant`]; untuned, that is the operation's own default.
//! Tuning follows Imamura (2011): points by rank at sampling sizes, a least-squares fit of a cost model whose rounds make
//! the saw, and the variant whose modelled time is least at the size that is asked for. It never happens by itself.

mod space;

pub use space::{Bounds, Extents, Family, Line, Range, Regime, Shape, Trial, Tunable, Variant};

// TEMP
#[derive(Debug)]
pub struct Tuning<'a>(&'a crate::device::Adapter);
impl crate::Device {
    pub(crate) fn tuning(&self) -> Tuning<'_> {
        Tuning(self.adapter())
    }
}
impl Tuning<'_> {
    pub(crate) fn choose(&self, t: &'static Tunable, p: crate::device::precision::Precision, s: Shape) -> Variant {
        if let Ok(text) = std::env::var("NONIUS_VARIANT") {
            let v: Vec<u32> = text.split(',').filter_map(|x| x.parse().ok()).collect();
            if v.len() == t.families[0].ranges.len() {
                return t.families[0].variant(&v);
            }
        }
        (t.default)(self.0, p, s)
    }
}
