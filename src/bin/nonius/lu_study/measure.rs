//! What the study measures: every variant at every order, its result against the host's, and the errors by their source.

use std::ops::ControlFlow;

use nonius::dense::Matrix;
use nonius::device::arithmetic::UlpRange;
use nonius::lu::fragment::error_growth::{ErrorSplit, split};
use nonius::lu::fragment::study::measure;
use nonius::lu::fragment::{Counts, Division, Handover, Plan, Variant, cache, factor_counted, host, model};
use nonius::{Blocking, Device, Error, Observer, Result};

/// One variant at one order. Times in seconds.
pub(super) struct Row {
    pub(super) variant: Variant,
    pub(super) handover: Handover,
    pub(super) n: usize,
    pub(super) total: f64,
    /// The shortest and the longest.
    pub(super) total_span: [f64; 2],
    pub(super) gpu: Option<f64>,
    pub(super) cpu: f64,
    pub(super) copy: Option<f64>,
    pub(super) counts: Counts,
    pub(super) model: Counts,
    /// Elements that are not the host's.
    pub(super) different: usize,
}

/// The errors of one factorisation.
pub(super) struct Errors {
    pub(super) n: usize,
    pub(super) division: Division,
    /// Elements that are not the host's.
    pub(super) different: usize,
    /// Whether these are the factors of native division, bit for bit: of those themselves, false.
    pub(super) same_as_native: bool,
    /// None where the order is beyond [`LARGEST`], or the device's updates are not the host's.
    pub(super) split: Option<ErrorSplit>,
}

pub(super) struct Study {
    /// Whether the device is the host that it is compared with.
    pub(super) is_host: bool,
    pub(super) runs: usize,
    /// How words are divided in `rows`: natively where that was found to be correctly rounded.
    pub(super) division: Division,
    pub(super) rows: Vec<Row>,
    pub(super) errors: Vec<Errors>,
    /// Error ranges of f32's operations; those of IEEE 754 for the host.
    pub(super) ulps: Vec<UlpRange>,
    /// f32 multiply-adds that the device does in a second, from registers.
    pub(super) multiply_adds: f64,
    /// Bytes that fragments read in a second from the first cache; none for the host.
    pub(super) cache: Option<f64>,
}

/// Errors are split up to this order: that is five eliminations on the host.
pub(super) const LARGEST: usize = 2048;

impl Study {
    pub(super) fn of(device: &Device, orders: &[usize], runs: usize, observer: &mut dyn Observer) -> Result<Self> {
        let ulps = ulps(device)?;
        let rounded = ulps
            .iter()
            .filter(|range| range.operation == "/")
            .all(UlpRange::is_correctly_rounded);
        let mut study = Self {
            is_host: device.is_host(),
            runs,
            division: if rounded { Division::Native } else { Division::Corrected },
            rows: Vec::new(),
            errors: Vec::new(),
            ulps,
            multiply_adds: device.multiply_add_rate::<f32>().block_on()?,
            cache: cache::bandwidth(device).block_on()?,
        };
        let plans = Variant::ALL.into_iter().flat_map(|variant| {
            let plan = |handover| (variant, handover);
            Handover::ALL.map(plan)
        });
        let plans: Vec<(Variant, Handover)> = plans.collect();
        // The last orders take nearly all of the time: what is counted is operations.
        let weight = |n: usize| n.saturating_pow(3) / 1024 + 1;
        let total: usize = orders
            .iter()
            .map(|n| weight(*n).saturating_mul(plans.len() + 1))
            .fold(0, usize::saturating_add);
        let mut done = 0_usize;
        for n in orders {
            let a = operand(*n)?;
            let on_device = Matrix::from_rows(device, *n, *n, &a)?;
            let mut expected = a.clone();
            host::factor(&mut expected, *n)?;
            for (variant, handover) in &plans {
                let plan = Plan {
                    variant: *variant,
                    handover: *handover,
                    division: study.division,
                };
                study.rows.push(row(&on_device, plan, runs, &expected)?);
                done = done.saturating_add(weight(*n));
                tell(observer, done, total)?;
            }
            study.errors.extend(errors(device, &a, *n, &expected)?);
            done = done.saturating_add(weight(*n));
            tell(observer, done, total)?;
        }
        Ok(study)
    }

    /// In ascending order of N.
    pub(super) fn rows(&self, variant: Variant, handover: Handover) -> impl Iterator<Item = &Row> {
        let wanted = move |row: &&Row| row.variant == variant && row.handover == handover;
        self.rows.iter().filter(wanted)
    }

    /// Whether the device's clock counted every run of the draws.
    pub(super) fn has_clock(&self) -> bool {
        self.rows.iter().all(|row| row.gpu.is_some())
    }

    /// What speeds are over.
    pub(super) fn clock(&self) -> &'static str {
        if self.has_clock() {
            "the draws' time by the device's clock"
        } else {
            "the total time by the host's clock"
        }
    }

    /// The seconds that speeds are over.
    pub(super) fn seconds(&self, row: &Row) -> f64 {
        if self.has_clock() {
            row.gpu.unwrap_or(row.total)
        } else {
            row.total
        }
    }

    /// By the operations that elimination needs, which are those of I1: what I2 does twice counts once.
    pub(super) fn gigaflops(&self, row: &Row) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure")]
        let n = row.n as f64;
        2.0 * n * (n * n - 1.0) / 3.0 / self.seconds(row) * 1e-9
    }
}

fn row(a: &Matrix<f32>, plan: Plan, runs: usize, expected: &[f32]) -> Result<Row> {
    let n = a.rows();
    let measured = measure(a, plan, runs).block_on()?;
    Ok(Row {
        variant: plan.variant,
        handover: plan.handover,
        n,
        total: measured.total,
        total_span: measured.total_span,
        gpu: measured.gpu,
        cpu: measured.cpu,
        copy: measured.copy,
        counts: measured.counts,
        model: model::counts(plan.variant, plan.handover, u32::try_from(n).unwrap_or(u32::MAX), 4),
        different: different(&measured.factors, expected),
    })
}

fn errors(device: &Device, a: &[f32], n: usize, expected: &[f32]) -> Result<[Errors; 2]> {
    // Any variant will do: they agree.
    let factors = |division| {
        let plan = Plan {
            variant: Variant::I1,
            handover: Handover::PingPong,
            division,
        };
        let (factors, _) = factor_counted(Matrix::from_rows(device, n, n, a)?, plan)?;
        factors.to_host().block_on()
    };
    let split = |factors: &[f32]| if n <= LARGEST { split(a, factors, n) } else { Ok(None) };
    let (native, corrected) = (factors(Division::Native)?, factors(Division::Corrected)?);
    let first = Errors {
        n,
        division: Division::Native,
        different: different(&native, expected),
        same_as_native: false,
        split: split(&native)?,
    };
    let same_as_native = different(&native, &corrected) == 0;
    let second = Errors {
        n,
        division: Division::Corrected,
        different: different(&corrected, expected),
        same_as_native,
        split: if same_as_native {
            first.split
        } else {
            split(&corrected)?
        },
    };
    Ok([first, second])
}

/// Elements whose bits differ, those of zeros included.
fn different(found: &[f32], expected: &[f32]) -> usize {
    let pairs = found.iter().zip(expected);
    pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count()
}

fn ulps(device: &Device) -> Result<Vec<UlpRange>> {
    if let Some((_, reports)) = device.measure_arithmetic().block_on()? {
        let of_singles = reports.into_iter().find(|report| report.word == "f32");
        return Ok(of_singles.map(|report| report.ulps).unwrap_or_default());
    }
    // The host's arithmetic is IEEE's, by the language.
    let ieee = |operation| UlpRange {
        operation,
        low: -0.5,
        high: 0.5,
    };
    Ok(["+", "-", "*", "/"].map(ieee).into())
}

fn tell(observer: &mut dyn Observer, done: usize, total: usize) -> Result<()> {
    match observer.progress("lu-study", done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled { operation: "lu-study" }),
    }
}

/// A matrix that is eliminated without pivoting and without growth, and not diagonally dominant, so that multipliers are
/// of all sizes: uniform in [-1, 1), whose eigenvalues fill a disk of radius √(n/3), plus √n on the diagonal.
fn operand(n: usize) -> Result<Vec<f32>> {
    let elements = n.checked_mul(n).filter(|elements| *elements <= 1 << 31);
    let elements = elements.ok_or_else(|| Error::TooLarge {
        what: format!("a {n} x {n} matrix"),
        bytes: (n as u64).saturating_mul(n as u64).saturating_mul(4),
        limit: 1 << 33,
        limit_name: "the study's own",
        device: "host".to_owned(),
    })?;
    let mut state = 2005_u64;
    #[expect(clippy::cast_precision_loss, reason = "24 bits, and a figure")]
    let value = |at: usize| {
        // SplitMix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (z ^ (z >> 31)) >> 40;
        let unit = bits as f32 / (1_u32 << 23) as f32 - 1.0;
        if at / n == at % n {
            unit + (n as f32).sqrt()
        } else {
            unit
        }
    };
    Ok((0..elements).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_of_different_signs_differ() {
        assert_eq!(different(&[0.0, -0.0, 1.0, f32::NAN], &[0.0, 0.0, 1.0, f32::NAN]), 1);
    }
}
