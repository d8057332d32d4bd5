//! A product with something to choose, and the forms that its choices name.

use super::form::{Form, LANES};
use crate::tuning::{Extents, Shape, Tunable, Variant};

/// What can be chosen for products of a format, with the forms whose kernels the variants name.
#[derive(Debug)]
pub(in crate::sparse) struct Tuned {
    pub(in crate::sparse) tunable: Tunable,
    pub(in crate::sparse) forms: &'static [&'static Form],
}

impl Tuned {
    /// The form of a variant's kernel, with all three kernels.
    pub(in crate::sparse) fn form(&self, variant: &Variant) -> &'static Form {
        let found = self
            .forms
            .iter()
            .find(|form| std::ptr::eq(&form.product, variant.kernel));
        found.unwrap_or_else(|| unreachable!("{variant} is of a form of {}", self.tunable.name))
    }

    /// Workgroups are handed out, and each streams through the entries of its rows side by side.
    pub(in crate::sparse) fn extents(&self, variant: &Variant, shape: Shape) -> Extents {
        let groups = self
            .form(variant)
            .groups(shape.rows, lanes_in(&variant.constants), &variant.constants);
        Extents {
            quantised: groups,
            streaming: shape.depth as u64,
        }
    }
}

/// The invocations of a row, one where constants name no lanes.
pub(in crate::sparse) fn lanes_in(constants: &[(&'static str, u32)]) -> u32 {
    let lanes = constants.iter().find(|(name, _)| *name == LANES.name);
    lanes.map_or(1, |(_, lanes)| *lanes)
}
