//! What a search has found, as files have it: names and numbers, which mean something only beside their [`Tunable`].

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::model::Model;
use super::{Shape, Tunable, Variant};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, AdapterKind};
use crate::error::{Error, Result};
use crate::scalar::ScalarKind;

/// The choice for one operation in one precision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name of the [`Tunable`].
    pub operation: String,
    /// The name of the scalar that is computed in.
    pub scalar: String,
    /// The name of the scalar that lies in memory.
    pub element: String,
    /// [`Tunable::fingerprint`] in hexadecimal digits: times of other kernels say nothing.
    pub fingerprint: String,
    /// The choice in each regime that was measured.
    pub regimes: Vec<Choice>,
}

/// The choice in one regime: the candidate whose modelled time is least.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The name of the [`Regime`](super::Regime).
    pub regime: String,
    /// The candidates; none where nothing was faster than the operation's default.
    pub candidates: Vec<Candidate>,
}

/// A variant and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// The name of its kernel.
    pub kernel: String,
    /// The values of its ranges.
    pub constants: BTreeMap<String, u32>,
    /// Its cost.
    pub model: Model,
    /// The largest relative error of the model over everything that was measured.
    pub fit_error: f64,
}

/// More candidates than this are no choice, but damage: every call looks at all of them.
const MOST_CANDIDATES: usize = 64;
/// A model that is wrong a thousandfold is not one.
const ABSURD_FIT_ERROR: f64 = 1e3;

/// An entry beside its tunable, which is looked at in every call: for each regime its candidates, or none if nothing is
/// said of it.
pub(super) struct Resolved(Vec<Option<Vec<(Variant, Model)>>>);

impl Resolved {
    /// Says nothing of any regime.
    pub(super) fn new(tunable: &Tunable) -> Self {
        Self(tunable.regimes.iter().map(|_| None).collect())
    }

    /// Takes from another what is not said here.
    pub(super) fn fill(&mut self, lower: Self) {
        for (choice, lower) in self.0.iter_mut().zip(lower.0) {
            if choice.is_none() {
                *choice = lower;
            }
        }
    }

    /// The candidate of a regime whose modelled time is least, the first among equals; none for the default.
    pub(super) fn best(&self, tunable: &Tunable, precision: Precision, regime: usize, shape: Shape) -> Option<Variant> {
        let candidates = self.0.get(regime)?.as_ref()?.iter();
        let extents = |variant| (tunable.extents)(variant, precision, shape);
        let timed = candidates.map(|(variant, model)| (variant, model.predict(extents(variant))));
        let best = timed.min_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map(|(variant, _)| variant.clone())
    }
}

impl Candidate {
    /// A variant with its cost.
    #[must_use]
    pub fn new(variant: &Variant, model: Model, fit_error: f64) -> Self {
        let constants = variant
            .constants
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value));
        Self {
            kernel: variant.kernel.name.to_owned(),
            constants: constants.collect(),
            model,
            fit_error,
        }
    }
}

fn kind(name: &str) -> Option<ScalarKind> {
    let kinds = [ScalarKind::F32, ScalarKind::Df64, ScalarKind::F64, ScalarKind::Dd];
    kinds.into_iter().find(|kind| kind.name() == name)
}

impl Entry {
    /// The entry of these choices for a kind of device, as the kernels are now.
    #[must_use]
    pub fn new(tunable: &Tunable, kind: AdapterKind, precision: Precision, regimes: Vec<Choice>) -> Self {
        Self {
            operation: tunable.name.to_owned(),
            scalar: precision.scalar.name().to_owned(),
            element: precision.element.name().to_owned(),
            fingerprint: format!("{:016x}", tunable.fingerprint(kind, precision)),
            regimes,
        }
    }

    /// Whether two entries are for the same operation and precision, so that one replaces the other.
    #[must_use]
    pub fn replaces(&self, other: &Self) -> bool {
        self.operation == other.operation && self.scalar == other.scalar && self.element == other.element
    }

    pub(super) fn is_for(&self, operation: &str, precision: Precision) -> bool {
        self.operation == operation
            && self.scalar == precision.scalar.name()
            && self.element == precision.element.name()
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        Error::Tuning {
            operation: format!("{:.40} in {:.10}", self.operation, self.scalar),
            reason: reason.into(),
        }
    }

    /// The precision that its names stand for, elements read one by one.
    ///
    /// # Errors
    /// [`Error::Tuning`] with a name that is no scalar's.
    pub(crate) fn precision(&self) -> Result<Precision> {
        let named = |name| kind(name).ok_or_else(|| self.error(format!("there is no scalar {name:?}")));
        Ok(Precision {
            scalar: named(&self.scalar)?,
            element: named(&self.element)?,
            width: Width::Single,
        })
    }

    /// What can be said without the operation: names of scalars, and numbers that a device could have.
    ///
    /// # Errors
    /// [`Error::Tuning`] with the first thing that is wrong.
    pub fn check(&self) -> Result<()> {
        self.precision()?;
        if self.fingerprint.len() != 16 || u64::from_str_radix(&self.fingerprint, 16).is_err() {
            return Err(self.error(format!(
                "{:?} is no fingerprint of 16 hexadecimal digits",
                self.fingerprint
            )));
        }
        let mut names = HashSet::new();
        for choice in &self.regimes {
            let regime = &choice.regime;
            if !names.insert(regime) {
                return Err(self.error(format!("{regime:?} is there twice")));
            }
            if choice.candidates.len() > MOST_CANDIDATES {
                let count = choice.candidates.len();
                return Err(self.error(format!(
                    "{regime:?} has {count} candidates, more than {MOST_CANDIDATES}"
                )));
            }
            for candidate in &choice.candidates {
                let kernel = &candidate.kernel;
                candidate
                    .model
                    .check()
                    .map_err(|reason| self.error(format!("{regime:?}, {kernel}: {reason}")))?;
                if !(0.0..=ABSURD_FIT_ERROR).contains(&candidate.fit_error) {
                    let error = candidate.fit_error;
                    return Err(self.error(format!("{regime:?}, {kernel}: the fit's error is {error:e}")));
                }
            }
        }
        Ok(())
    }

    /// The variants and models in the order of the tunable's regimes; none for a regime of which the entry says
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Tuning`] when the kernels have changed since, or a name or value is not the tunable's.
    pub(super) fn resolve(&self, tunable: &Tunable, adapter: &Adapter, precision: Precision) -> Result<Resolved> {
        self.check()?;
        let now = format!("{:016x}", tunable.fingerprint(adapter.kind, precision));
        if self.fingerprint != now {
            let reason = format!(
                "tuned for kernels of fingerprint {}, which are {now} now",
                self.fingerprint
            );
            return Err(self.error(reason));
        }
        let unknown = |choice: &&Choice| !tunable.regimes.iter().any(|regime| regime.name == choice.regime);
        if let Some(choice) = self.regimes.iter().find(unknown) {
            return Err(self.error(format!("there is no regime {:?}", choice.regime)));
        }
        let resolve = |candidate: &Candidate| {
            let variant = tunable.variant(&candidate.kernel, &candidate.constants, adapter, precision)?;
            Ok((variant, candidate.model))
        };
        let choices = tunable.regimes.iter().map(|regime| {
            let choice = self.regimes.iter().find(|choice| choice.regime == regime.name);
            choice
                .map(|choice| choice.candidates.iter().map(resolve).collect())
                .transpose()
        });
        Ok(Resolved(choices.collect::<Result<_>>()?))
    }
}
