//! What the self-test of a device's arithmetic found.

use std::sync::OnceLock;

use crate::device::Adapter;
use crate::device::precision::{Product, Version, Words};
use crate::error::{Error, Result};
use crate::scalar::ScalarKind;

/// What the self-test found when the device was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Arithmetic {
    pub(super) device: String,
    pub(super) choices: Vec<Choice>,
    /// What [`Dd`](crate::Dd) came to; measured when it is first asked for, since few programs ever ask.
    pub(super) late: OnceLock<Choice>,
    pub(super) can: Can,
    pub(super) words: Vec<Words>,
    /// Every version that was tried at opening, in order.
    pub trials: Vec<Trial>,
    /// How long that took.
    pub seconds: f64,
}

/// What was decided for one scalar.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The scalar.
    pub scalar: ScalarKind,
    /// The version of its module, or why there is none.
    pub version: std::result::Result<Version, String>,
}

/// What the hardware and the graphics stack offer to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Can {
    /// 64-bit floating point, and the 64-bit integers by whose bits its NaNs are told.
    pub(crate) doubles: bool,
    pub(crate) no_contraction: bool,
}

/// How many of a number of pairs a word layer got wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The pair whose halves were tried: Df64 for f32, Dd for f64.
    pub scalar: ScalarKind,
    /// How operations were kept.
    pub words: Words,
    /// The pairs of operands.
    pub pairs: usize,
    /// What came of it; or why the graphics stack refused the kernel.
    pub outcome: std::result::Result<Wrong, String>,
}

/// Pairs whose result is not exact, to the last bit of the low word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrong {
    /// Of sums by `two_sum`.
    pub two_sum: usize,
    /// Of products by fma.
    pub fma: usize,
    /// Of products by mask split.
    pub mask: usize,
    /// Of products by mask split, small factors lifted.
    pub lifted: usize,
}

impl Arithmetic {
    pub(crate) fn unmeasured(adapter: &Adapter) -> Self {
        Self {
            device: adapter.name.clone(),
            choices: Vec::new(),
            late: OnceLock::new(),
            can: Can::default(),
            words: Vec::new(),
            trials: Vec::new(),
            seconds: 0.0,
        }
    }

    /// What was decided for every scalar that was asked for so far: `Dd` is measured by
    /// [`Device::supports`](crate::Device::supports)`::<Dd>()` or the first vector of them.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().chain(self.late.get())
    }

    /// The version of a scalar that this device computes right.
    ///
    /// # Errors
    /// [`Error::UnsupportedScalar`] with the reason.
    pub fn version(&self, scalar: ScalarKind) -> Result<Version> {
        let choice = self.choices().find(|choice| choice.scalar == scalar);
        let reason = match choice.map(|choice| &choice.version) {
            Some(Ok(version)) => return Ok(*version),
            Some(Err(reason)) => reason.clone(),
            None => "its arithmetic was not measured".to_owned(),
        };
        Err(Error::UnsupportedScalar {
            scalar: scalar.name(),
            device: self.device.clone(),
            reason,
        })
    }
}

impl Trial {
    /// The fastest way to a product's error that was right every time, if sums were too.
    #[must_use]
    pub fn exact_product(&self) -> Option<Product> {
        let wrong = self.outcome.as_ref().ok().filter(|wrong| wrong.two_sum == 0)?;
        Product::ALL.into_iter().find(|product| wrong.of(*product) == 0)
    }

    /// What came of it, in words.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.outcome {
            Err(reason) => reason.clone(),
            Ok(wrong) => format!(
                "of {} pairs wrong: two_sum {}, products by fma {}, by mask {}, lifted {}",
                self.pairs, wrong.two_sum, wrong.fma, wrong.mask, wrong.lifted
            ),
        }
    }
}

impl Wrong {
    /// Of products found this way.
    #[must_use]
    pub fn of(&self, product: Product) -> usize {
        match product {
            Product::Fma => self.fma,
            Product::Mask => self.mask,
            Product::Lifted => self.lifted,
        }
    }
}
