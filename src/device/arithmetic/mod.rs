//! The self-test of a device's arithmetic, and the choice that follows from it.
//!
//! WGSL lets a compiler reassociate, contract, flush subnormals and split fma; double-word arithmetic survives none of
//! that. So a device is measured when it is opened, in the very functions that kernels use: are the error-free
//! transforms exact, and does the whole vocabulary of a scalar agree with the host? Versions of a scalar are tried from
//! the fastest on, and the first that is right is kept. If none is, the scalar is refused.

pub(super) mod found;
mod operands;
mod rate;
mod report;
mod trial;

use web_time::Instant;

pub use found::{Arithmetic, Choice, Trial, Wrong};
pub use report::{FloatReport, Special, UlpRange};

pub(crate) use found::Can;
pub(crate) use rate::invocations;

use super::gpu::Gpu;
use super::kernel::Kernel;
use super::precision::{Product, Version, Words};
use super::{Adapter, AdapterKind, Device, Ground};
use crate::error::Result;
use crate::scalar::{Dd, Df64, Scalar, ScalarKind, Word};

/// Pairs of operands that are tried when a device is opened, and for a report.
const PAIRS_AT_OPEN: usize = 4096;
const PAIRS_IN_REPORT: usize = 65_536;

const NO_DOUBLES: &str = "it has no 64-bit floating point and integers (shader-f64, shader-int64)";

/// Kernels of this module, for the test that composes them all.
pub(crate) static KERNELS: [&Kernel; 4] = [
    &trial::ERROR_FREE,
    &trial::VOCABULARY,
    &report::OPERATIONS,
    &rate::MULTIPLY_ADD_RATE,
];

impl Arithmetic {
    /// As [`Arithmetic::version`], measuring now what was left for later. That waits, as it may: doubles exist natively
    /// only, never in browsers.
    pub(crate) fn version_measured(&self, gpu: &Gpu, scalar: ScalarKind) -> Result<Version> {
        if scalar == ScalarKind::Dd && self.late.get().is_none() {
            let version = if self.can.doubles {
                choose_now(gpu, self.can, &self.words)?
            } else {
                Err(NO_DOUBLES.to_owned())
            };
            // Another thread may have measured the same meanwhile.
            self.late.get_or_init(|| Choice { scalar, version });
        }
        self.version(scalar)
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn choose_now(gpu: &Gpu, can: Can, words: &[Words]) -> Result<std::result::Result<Version, String>> {
    pollster::block_on(choose::<f64>(gpu, can, words, &mut Vec::new()))
}

#[cfg(target_arch = "wasm32")]
fn choose_now(_: &Gpu, _: Can, _: &[Words]) -> Result<std::result::Result<Version, String>> {
    Ok(Err("browsers have no 64-bit floating point".to_owned()))
}

impl Device {
    /// Measures the arithmetic thoroughly: every version on 65,536 pairs of operands, and for f32, and f64 where there
    /// is one, the error range of every operation in units in the last place. None for the host.
    ///
    /// # Errors
    /// As any read-back.
    pub async fn measure_arithmetic(&self) -> Result<Option<(Vec<Trial>, Vec<FloatReport>)>> {
        let Ground::Gpu(gpu) = self.ground() else {
            return Ok(None);
        };
        let can = gpu.arithmetic().can;
        let mut trials = Vec::new();
        let mut reports = vec![report::measure::<f32>(gpu).await?];
        for words in Words::ALL {
            if available(words, ScalarKind::Df64, can) {
                trials.push(trial::error_free::<f32>(gpu, words, PAIRS_IN_REPORT).await?);
            }
        }
        if can.doubles {
            reports.push(report::measure::<f64>(gpu).await?);
            for words in Words::ALL {
                if available(words, ScalarKind::Dd, can) {
                    trials.push(trial::error_free::<f64>(gpu, words, PAIRS_IN_REPORT).await?);
                }
            }
        }
        Ok(Some((trials, reports)))
    }
}

impl Device {
    /// `[a + b, a − b, ab, a/b, √|a|, ab + c]` of triples of `f32`, as this device computes them in the word layer of
    /// these `words`. None for the host, whose operations are IEEE's.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) when the device cannot compile that layer; else as any read-back.
    pub async fn word_operations(&self, words: Words, triples: &[[f32; 3]]) -> Result<Option<Vec<[f32; 6]>>> {
        let Ground::Gpu(gpu) = self.ground() else {
            return Ok(None);
        };
        let results: Vec<f32> = report::operations(gpu, words, triples).await?;
        Ok(Some(bytemuck::pod_collect_to_vec(&results)))
    }
}

/// Measures a device that is being opened.
pub(crate) async fn measure(gpu: &Gpu, adapter: &Adapter, can: Can, words: &[Words]) -> Result<Arithmetic> {
    let start = Instant::now();
    prepare(gpu, adapter, can, words);
    let mut arithmetic = Arithmetic {
        can,
        words: words.to_vec(),
        ..Arithmetic::unmeasured(adapter)
    };
    arithmetic.choices.push(Choice {
        scalar: ScalarKind::F32,
        version: Ok(Version::PLAIN),
    });
    let df64 = choose::<f32>(gpu, can, words, &mut arithmetic.trials).await?;
    arithmetic.choices.push(Choice {
        scalar: ScalarKind::Df64,
        version: df64,
    });
    let f64 = if can.doubles {
        trial::native_f64(gpu, PAIRS_AT_OPEN).await?.map(|()| Version::PLAIN)
    } else {
        Err(NO_DOUBLES.to_owned())
    };
    arithmetic.choices.push(Choice {
        scalar: ScalarKind::F64,
        version: f64,
    });
    arithmetic.seconds = start.elapsed().as_secs_f64();
    Ok(arithmetic)
}

/// Compiles what will most likely be run: the first word layer of Df64, with the product that is fastest on GPUs,
/// or on CPUs, whose drivers split fma. Compiling is most of the self-test.
fn prepare(gpu: &Gpu, adapter: &Adapter, can: Can, words: &[Words]) {
    let product = if adapter.kind == AdapterKind::Software {
        Product::Mask
    } else {
        Product::Fma
    };
    let mut kernels = Vec::new();
    let first = Words::ALL
        .into_iter()
        .find(|way| words.contains(way) && available(*way, ScalarKind::Df64, can));
    if let Some(words) = first {
        kernels.extend(trial::kernels(ScalarKind::Df64, Version { words, product }));
    }
    if can.doubles {
        kernels.push(trial::native_f64_kernel());
    }
    gpu.prepare(&kernels);
}

/// The fastest version of the pair of `W` that is right.
async fn choose<W: Word>(
    gpu: &Gpu,
    can: Can,
    words: &[Words],
    trials: &mut Vec<Trial>,
) -> Result<std::result::Result<Version, String>> {
    let mut tried = Vec::new();
    for words in Words::ALL.into_iter().filter(|way| words.contains(way)) {
        if !available(words, W::PAIR, can) {
            continue;
        }
        let trial = trial::error_free::<W>(gpu, words, PAIRS_AT_OPEN).await?;
        let product = trial.exact_product();
        tried.push(format!("{words}: {}", trial.sentence()));
        trials.push(trial);
        let Some(product) = product else { continue };
        let version = Version { words, product };
        match trial::vocabulary::<W>(gpu, version, PAIRS_AT_OPEN).await? {
            Ok(()) => return Ok(Ok(version)),
            Err(reason) => tried.push(format!("{version}: {reason}")),
        }
    }
    Ok(Err(format!(
        "no version of its arithmetic is exact there ({})",
        tried.join("; ")
    )))
}

fn available(words: Words, pair: ScalarKind, can: Can) -> bool {
    match words {
        Words::Plain | Words::Barrier => true,
        Words::NoContraction => can.no_contraction,
        Words::Integer => pair == ScalarKind::Df64,
    }
}

/// Every version of a scalar that a device may come to need.
#[must_use]
pub fn versions(scalar: ScalarKind) -> Vec<Version> {
    match scalar {
        ScalarKind::F32 | ScalarKind::F64 => vec![Version::PLAIN],
        ScalarKind::Df64 | ScalarKind::Dd => {
            let everything = Can {
                doubles: true,
                no_contraction: true,
            };
            let words = Words::ALL
                .into_iter()
                .filter(|words| available(*words, scalar, everything));
            words
                .flat_map(|words| Product::ALL.map(|product| Version { words, product }))
                .collect()
        }
    }
}

const _: () = assert!(
    Df64::ROUNDING < f32::ROUNDING && Dd::ROUNDING < f64::ROUNDING,
    "pairs are finer than words"
);
