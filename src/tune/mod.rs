//! Tuning a device: what [`crate::tuning`] searches, measured where it will run.
//!
//! [`Device::tune`] times the variants of every operation that has some, keeps for each range of sizes those whose
//! modelled time is least, and measures the whole again, before and after. Programs on a browser's main thread may not
//! wait, so it does not exist on wasm32.

mod curve;
mod earlier;
mod pace;
mod trials;

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::device::Device;
use crate::device::precision::{Precision, Width};
use crate::error::{Error, Result};
use crate::observer::Observer;
use crate::scalar::{Dd, Df64, ScalarKind};
use crate::tuning::{Candidate, Curve, Effort, Entry, Regime, Repetition, Shape, Tunable, Variant, measure, search};
use crate::{dense, sparse};
use trials::{Measurable, Trials};

/// What is tuned, and how thoroughly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of operations, of those in [`dense::tunables`] and [`sparse::tunables`]; none for all.
    pub operations: Vec<String>,
    /// Scalars; none for f32, Df64 and f64, as far as the device computes in them.
    pub scalars: Vec<ScalarKind>,
    /// Fewer variants, sizes and samples: most of the gain in less than half of the time.
    pub quick: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// One for each operation and scalar.
    pub tuned: Vec<Tuned>,
    /// What was not measured, and why.
    pub left_out: Vec<LeftOut>,
}

/// Something that was not measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The operation.
    pub operation: &'static str,
    /// The scalar.
    pub scalar: ScalarKind,
    /// A regime, one of its sizes, or all.
    pub what: String,
    /// Why.
    pub reason: String,
}

/// One operation in one scalar.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The operation.
    pub operation: &'static str,
    /// The scalar.
    pub scalar: ScalarKind,
    /// What was taken into [`Device::tuning`].
    pub entry: Entry,
    /// The regimes that were measured.
    pub regimes: Vec<Chosen>,
    /// Rates over N with the defaults, in the unit of the limit.
    pub before: Curve,
    /// Rates with what is chosen now, from samples that took turns with those before.
    pub after: Curve,
    /// What the models of the choice say; sizes where the default stays are not among them.
    pub model: Curve,
    /// Sizes at which a round of the model is full.
    pub rounds: Vec<usize>,
    /// The step of N between neighbours of the curves: an amplitude depends on it.
    pub step: usize,
    /// What bounds the operation at the largest size, measured in the same run.
    pub limit: Limit,
}

/// What was chosen for a regime, at the size in its middle.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The name of the regime.
    pub regime: String,
    /// The shape.
    pub shape: Shape,
    /// The variant.
    pub variant: String,
    /// Its cost and the model's error; none where the default stays, since nothing was faster.
    pub candidate: Option<Candidate>,
    /// Seconds with the default.
    pub before: f64,
    /// Seconds with the variant, from samples that took turns.
    pub after: f64,
}

/// A bound of the device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Bytes that it copies in a second.
    Bytes(f64),
    /// Multiply-adds that it does in a second, from registers.
    MultiplyAdds(f64),
}

impl Tuned {
    /// The regime that the middle of the curve lies in.
    fn main(&self) -> Option<&Candidate> {
        let middle = *self.after.sizes.get(self.after.sizes.len() / 2)?;
        let tunable = all_tunables()
            .into_iter()
            .find(|tunable| tunable.name == self.operation)?;
        let shape = (curve::main_line(tunable)?.shape)(middle);
        let regime = tunable.regimes.iter().find(|regime| regime.contains.contain(shape))?;
        let chosen = self.regimes.iter().find(|chosen| chosen.regime == regime.name)?;
        chosen.candidate.as_ref()
    }

    /// Workgroups in a round, of the variant chosen in the middle of the curve; none where its times have no
    /// saw, or the default stays.
    #[must_use]
    pub fn period(&self) -> Option<f64> {
        self.main()?.model.period
    }

    /// The largest relative error of that variant's model over everything that was measured.
    #[must_use]
    pub fn fit_error(&self) -> Option<f64> {
        Some(self.main()?.fit_error)
    }
}

impl Limit {
    /// The number.
    #[must_use]
    pub fn per_second(self) -> f64 {
        match self {
            Self::Bytes(rate) | Self::MultiplyAdds(rate) => rate,
        }
    }
}

impl Device {
    /// Searches the fastest variants of operations on this device, takes them into [`Device::tuning`], and measures what
    /// that changed. [`Tuning::save`](crate::tuning::Tuning::save) keeps them.
    ///
    /// Sizes that the device's limits or memory forbid are left out, and so are those at which a call takes longer than
    /// 0.1 s. A driver that computes on the CPU is given matrices of up to 16 MiB and up to 2²⁷ multiply-adds. A regime
    /// with fewer than two sizes left keeps its default. All this is in the report. What was chosen before stays where it is
    /// faster, and where nothing is measured now. The host has nothing to tune.
    ///
    /// # Errors
    /// [`Error::Tuning`] for an operation that there is not; [`Error::UnsupportedScalar`] for a scalar that was asked for
    /// by name; [`Error::Cancelled`] by the observer, where operations that are done stay tuned; what the device reports.
    ///
    /// # Cost
    /// Minutes of a device that has nothing else to do: other work makes the times wrong. Waits all the time.
    ///
    /// ```
    /// use nonius::{Device, tune::Options};
    /// let report = Device::host().tune(&Options::default(), &mut ())?;
    /// assert!(report.tuned.is_empty() && report.left_out[0].reason.contains("nothing to tune"));
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn tune(&self, options: &Options, observer: &mut dyn Observer) -> Result<Report> {
        let tunables = options.tunables()?;
        let scalars = options.scalars(self)?;
        let mut report = Report::default();
        for &scalar in &scalars {
            for &operation in &tunables {
                if self.is_host() {
                    report.left_out.push(LeftOut {
                        operation: operation.name,
                        scalar,
                        what: "all sizes".to_owned(),
                        reason: "the host has one version of everything: there is nothing to tune".to_owned(),
                    });
                    continue;
                }
                let mut job = Job::new(self, operation, scalar, options.quick);
                let tuned = job.run(&mut report.left_out, observer)?;
                report.tuned.extend(tuned);
            }
        }
        Ok(report)
    }

    fn computes_in(&self, scalar: ScalarKind) -> Result<()> {
        match scalar {
            ScalarKind::F32 => self.supports::<f32>(),
            ScalarKind::Df64 => self.supports::<Df64>(),
            ScalarKind::F64 => self.supports::<f64>(),
            ScalarKind::Dd => self.supports::<Dd>(),
        }
    }
}

fn all_tunables() -> Vec<&'static Tunable> {
    dense::tunables().into_iter().chain(sparse::tunables()).collect()
}

impl Options {
    /// One for each operation and scalar, in the order in which [`Device::tune`] goes through them: for programs that keep each
    /// as soon as it is there.
    ///
    /// # Errors
    /// As [`Device::tune`] of the whole.
    pub fn each(&self, device: &Device) -> Result<Vec<Self>> {
        let tunables = self.tunables()?;
        let one = |scalar: ScalarKind, tunable: &Tunable| Self {
            operations: vec![tunable.name.to_owned()],
            scalars: vec![scalar],
            quick: self.quick,
        };
        let scalars = self.scalars(device)?;
        let each = scalars
            .iter()
            .flat_map(|scalar| tunables.iter().map(|tunable| one(*scalar, tunable)));
        Ok(each.collect())
    }

    fn tunables(&self) -> Result<Vec<&'static Tunable>> {
        let all = all_tunables();
        if self.operations.is_empty() {
            return Ok(all);
        }
        let find = |name: &String| {
            let found = all.iter().find(|tunable| tunable.name == name);
            found.copied().ok_or_else(|| Error::Tuning {
                operation: name.clone(),
                reason: format!(
                    "there is nothing of this name to tune; there are: {}",
                    all.iter().map(|t| t.name).collect::<Vec<_>>().join(", ")
                ),
            })
        };
        let named = self.operations.iter().map(find).collect::<Result<Vec<_>>>()?;
        Ok(once(named, |a, b| std::ptr::eq(*a, *b)))
    }

    fn scalars(&self, device: &Device) -> Result<Vec<ScalarKind>> {
        if !self.scalars.is_empty() {
            self.scalars.iter().try_for_each(|scalar| device.computes_in(*scalar))?;
            return Ok(once(self.scalars.clone(), PartialEq::eq));
        }
        let mut supported = Vec::new();
        for scalar in [ScalarKind::F32, ScalarKind::Df64, ScalarKind::F64] {
            match device.computes_in(scalar) {
                Ok(()) => supported.push(scalar),
                Err(Error::UnsupportedScalar { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(supported)
    }

    /// Bounds that keep the dense operations in one scalar on a large GPU within four minutes: twenty-two regimes, a sample of
    /// about a millisecond, and kernels that take a tenth of a second to compile.
    fn effort(quick: bool) -> Effort {
        let effort = if quick { Effort::quick() } else { Effort::default() };
        let budget = Duration::from_secs(if quick { 1 } else { 2 });
        Effort {
            variants: if quick { 12 } else { 24 },
            sweep: if quick { 24 } else { 48 },
            repetition: Repetition {
                budget,
                ..effort.repetition
            },
            ..effort
        }
    }
}

/// Each of the values once, in their order.
fn once<T>(values: Vec<T>, same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for value in values {
        if !kept.iter().any(|known| same(known, &value)) {
            kept.push(value);
        }
    }
    kept
}

/// One operation in one scalar.
struct Job<'a> {
    device: &'a Device,
    tunable: &'static Tunable,
    precision: Precision,
    quick: bool,
    trials: Trials<'a>,
}

impl<'a> Job<'a> {
    fn new(device: &'a Device, tunable: &'static Tunable, scalar: ScalarKind, quick: bool) -> Self {
        // A choice counts for both widths. Packs are what aligned operands are read in, and those are the fast calls.
        let precision = Precision {
            scalar,
            element: scalar,
            width: Width::Pack,
        };
        Self {
            device,
            tunable,
            precision,
            quick,
            trials: Trials::new(device, tunable, precision),
        }
    }

    fn run(&mut self, left_out: &mut Vec<LeftOut>, observer: &mut dyn Observer) -> Result<Option<Tuned>> {
        let measurable = self.trials.measurable(left_out)?;
        if measurable.is_empty() {
            return Ok(None);
        }
        let entry = self.search(&measurable, observer)?;
        let entry = self.take_in(&measurable, entry)?;
        let chosen = measurable.iter().map(|regime| self.chosen(regime, &entry));
        let regimes = chosen.collect::<Result<_>>()?;
        let tuned = self.curves(entry, regimes, observer);
        self.trials.free()?;
        tuned.map(Some)
    }

    fn search(&mut self, measurable: &[Measurable], observer: &mut dyn Observer) -> Result<Entry> {
        let lines: Vec<_> = measurable.iter().map(Measurable::lines).collect();
        let regimes: Vec<Regime<'_>> = measurable
            .iter()
            .zip(&lines)
            .map(|(measurable, lines)| Regime {
                lines,
                ..*measurable.regime
            })
            .collect();
        let trials = &mut self.trials;
        let mut measure = |variant: &Variant, shape: Shape| trials.measure(variant, shape);
        search(
            self.tunable,
            self.device.adapter(),
            self.precision,
            &regimes,
            &Options::effort(self.quick),
            &mut measure,
            observer,
        )
    }

    /// The variants before and after for a shape.
    fn variants(&self, shape: Shape) -> [Variant; 2] {
        let default = (self.tunable.default)(self.device.adapter(), self.precision, shape);
        [
            default,
            self.device.tuning().choose(self.tunable, self.precision, shape),
        ]
    }

    /// The times of both, in turns, by so many samples; where they are the same, so is the time.
    fn times(&mut self, variants: &[Variant; 2], shape: Shape, samples: RangeInclusive<usize>) -> Result<[f64; 2]> {
        let repetition = Repetition {
            least: *samples.start(),
            most: *samples.end(),
            hopeless: f64::INFINITY,
            ..Options::effort(self.quick).repetition
        };
        let count = if variants[0] == variants[1] { 1 } else { 2 };
        let mut sample = |index: usize| self.trials.measure(&variants[index], shape);
        let mut medians = Vec::new();
        for timing in measure(count, &repetition, &mut sample)? {
            medians.push(timing?.median);
        }
        Ok([medians[0], medians[count - 1]])
    }

    fn chosen(&mut self, measurable: &Measurable, entry: &Entry) -> Result<Chosen> {
        let shape = measurable.middle();
        let variants = self.variants(shape);
        let [before, after] = self.times(&variants, shape, 5..=9)?;
        let [_, variant] = variants;
        Ok(Chosen {
            regime: measurable.regime.name.to_owned(),
            shape,
            candidate: candidate(entry, measurable.regime.name, &variant).cloned(),
            variant: variant.to_string(),
            before,
            after,
        })
    }
}

/// What an entry knows of a variant in a regime.
fn candidate<'a>(entry: &'a Entry, regime: &str, variant: &Variant) -> Option<&'a Candidate> {
    let choice = entry.regimes.iter().find(|choice| choice.regime == regime)?;
    let same = |candidate: &&Candidate| {
        let value = |(name, value): &(&str, u32)| candidate.constants.get(*name) == Some(value);
        candidate.kernel == variant.kernel.name && variant.constants.iter().all(value)
    };
    choice.candidates.iter().find(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::AdapterKind;
    use crate::tuning::{Database, SHIPPED};

    #[test]
    fn what_is_named_twice_is_tuned_once() {
        let host = Device::host();
        let options = Options {
            operations: ["gemv", "gemm", "gemv"].map(str::to_owned).to_vec(),
            scalars: vec![ScalarKind::F32, ScalarKind::F32],
            quick: true,
        };
        let report = host.tune(&options, &mut ()).expect("there is nothing to fail");
        let left_out = report.left_out.iter().map(|left_out| left_out.operation);
        assert_eq!(left_out.collect::<Vec<_>>(), ["gemv", "gemm"]);
    }

    /// Packs are what is tuned, and entries are taken in as what elements one by one can run.
    #[test]
    fn what_runs_by_packs_runs_by_elements() {
        use AdapterKind::{Discrete, Integrated, Software};
        for (kind, invocations, bytes) in [
            (Discrete, 1024, 48 << 10),
            (Integrated, 256, 16 << 10),
            (Software, 256, 16 << 10),
        ] {
            let adapter = crate::device::Adapter::with_workgroups(kind, invocations, bytes);
            for scalar in [ScalarKind::F32, ScalarKind::Df64, ScalarKind::F64, ScalarKind::Dd] {
                let of = |width| Precision {
                    scalar,
                    element: scalar,
                    width,
                };
                for tunable in all_tunables() {
                    let packs = tunable.variants(&adapter, of(Width::Pack));
                    assert!(!packs.is_empty());
                    for variant in packs {
                        assert!(
                            tunable.admits(&variant, &adapter, of(Width::Single)),
                            "{variant} in {scalar:?}, {kind:?}"
                        );
                    }
                }
            }
        }
    }

    /// An entry for kernels of another day would be passed over with a warning, and cost its device what it gained.
    #[test]
    fn what_is_shipped_is_for_the_kernels_of_today() {
        let tunables: Vec<_> = dense::tunables().into_iter().chain(sparse::tunables()).collect();
        let mut others = Vec::new();
        for (name, text) in SHIPPED {
            for entry in Database::parse(text).expect("it is read").entries {
                let precision = entry.precision().expect("scalars");
                let tunable = tunables
                    .iter()
                    .find(|tunable| tunable.name == entry.operation)
                    .expect("an operation");
                let now = Entry::new(tunable, AdapterKind::Discrete, precision, Vec::new()).fingerprint;
                if entry.fingerprint != now {
                    let (operation, scalar, was) = (entry.operation, entry.scalar, entry.fingerprint);
                    others.push(format!("{name}: {operation} in {scalar}, for {was}, is {now} now"));
                }
            }
        }
        assert!(others.is_empty(), "{others:#?}");
    }
}
