//! Trials of word layers and of whole vocabularies against the host.

use super::found::{Trial, Wrong};
use super::operands::Bits;
use crate::device::gpu::Gpu;
use crate::device::grid::Grid;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::launch::{Launch, Params, Work};
use crate::device::precision::{Precision, Product, Version, Width, Words};
use crate::error::{Error, Result};
use crate::scalar::{DoubleWord, Scalar, ScalarKind, Word};

pub(super) static ERROR_FREE: Kernel = Kernel {
    name: "arithmetic::error_free",
    entry: "error_free",
    source: fragment!("arithmetic/error_free.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["pairs"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Words,
};

pub(super) static VOCABULARY: Kernel = Kernel {
    name: "arithmetic::vocabulary",
    entry: "vocabulary",
    source: fragment!("arithmetic/vocabulary.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["pairs", "chain"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};

const CHAIN: usize = 16;
const OUT: usize = 6;
/// Of so many pairs of operands, two are of words far apart.
const FAR_APART: usize = 16;

/// The exponents of trial operands: errors of their products stay normal, since subnormals may be flushed.
pub(super) fn range(scalar: ScalarKind) -> i32 {
    match scalar {
        ScalarKind::F32 | ScalarKind::Df64 => 38,
        ScalarKind::F64 | ScalarKind::Dd => 300,
    }
}

/// What trying a version of a pair will launch.
pub(super) fn kernels(pair: ScalarKind, version: Version) -> [(&'static Kernel, Precision, Version); 2] {
    let precision = Precision {
        scalar: pair,
        element: pair,
        width: Width::Single,
    };
    let words = Version {
        words: version.words,
        product: Product::Fma,
    };
    [(&ERROR_FREE, precision, words), (&VOCABULARY, precision, version)]
}

/// What trying native doubles will launch.
pub(super) fn native_f64_kernel() -> (&'static Kernel, Precision, Version) {
    (&VOCABULARY, Precision::of::<f64>(Width::Single), Version::PLAIN)
}

/// Tries `two_sum` and the three `two_prod`s on the halves of a pair.
pub(super) async fn error_free<W: Word>(gpu: &Gpu, words: Words, pairs: usize) -> Result<Trial> {
    let mut bits = Bits::new(0x0301_1542);
    let mut operands: Vec<[W; 2]> = (0..pairs).map(|_| bits.words(range(W::PAIR)).into()).collect();
    // Some at the ends of the range.
    for far_apart in operands.chunks_exact_mut(FAR_APART) {
        far_apart[0] = bits.words_far_apart().into();
        far_apart[1] = bits.words_at_the_bottom().into();
    }
    let version = Version {
        words,
        product: Product::Fma,
    };
    let precision = Precision {
        scalar: W::PAIR,
        element: W::PAIR,
        width: Width::Single,
    };
    let results = run::<W>(
        gpu,
        &ERROR_FREE,
        precision,
        version,
        bytemuck::cast_slice(&operands),
        pairs,
    )
    .await;
    let outcome = tolerate(results)?.map(|results| {
        let mut wrong = Wrong {
            two_sum: 0,
            fma: 0,
            mask: 0,
            lifted: 0,
        };
        for ([a, b], out) in operands.iter().zip(results.chunks_exact(OUT)) {
            let sum = a.two_sum(*b);
            let (product, error) = a.two_prod(*b);
            wrong.two_sum += usize::from((out[0], out[1]) != sum);
            wrong.fma += usize::from((out[2], out[3]) != (product, error));
            wrong.mask += usize::from((out[2], out[4]) != (product, error));
            wrong.lifted += usize::from((out[2], out[5]) != (product, error));
        }
        wrong
    });
    Ok(Trial {
        scalar: W::PAIR,
        words,
        pairs,
        outcome,
    })
}

/// Tries all of a pair's module: + − × and chains bit for bit, ÷ and √ to their bound of 4u².
pub(super) async fn vocabulary<W: Word>(
    gpu: &Gpu,
    version: Version,
    pairs: usize,
) -> Result<std::result::Result<(), String>> {
    let mut bits = Bits::new(0x0311_0815);
    // Half the exponents, so that chains stay in range too.
    let operands: Vec<[DoubleWord<W>; 2]> = (0..pairs)
        .map(|_| [bits.pair(range(W::PAIR) / 2), bits.pair(range(W::PAIR) / 2)])
        .collect();
    let precision = Precision::of::<DoubleWord<W>>(Width::Single);
    let results = run::<DoubleWord<W>>(
        gpu,
        &VOCABULARY,
        precision,
        version,
        bytemuck::cast_slice(&operands),
        pairs,
    )
    .await;
    let results = match tolerate(results)? {
        Ok(results) => results,
        Err(reason) => return Ok(Err(reason)),
    };
    let bound = 4.0 * W::ROUNDING * W::ROUNDING;
    for (i, out) in results.chunks_exact(OUT).enumerate() {
        let [x, y] = operands[i];
        let chain = (0..CHAIN).fold(DoubleWord::default(), |sum: DoubleWord<W>, k| {
            let [x, y] = operands[(i + k) % pairs];
            x.mul_add(y, sum)
        });
        let same = [
            ("+", x + y),
            ("-", x - y),
            ("*", x * y),
            ("a chain of multiply-adds", chain),
        ];
        for ((name, expected), found) in same.into_iter().zip([out[0], out[1], out[2], out[5]]) {
            if found != expected {
                return Ok(Err(format!(
                    "{name} of {x:?} and {y:?} gave {found:?}, not {expected:?}"
                )));
            }
        }
        // The host's own division and root err by at most 4u² too; together 8u².
        for (name, expected, found) in [
            ("/", x / y, out[3]),
            ("the root", num_traits::Signed::abs(&x).sqrt(), out[4]),
        ] {
            let error = ((found - expected) / expected).to_f64().abs();
            if !(error <= 2.0 * bound) {
                return Ok(Err(format!(
                    "{name} of {x:?} and {y:?} gave {found:?}, not {expected:?}"
                )));
            }
        }
    }
    Ok(Ok(()))
}

/// Tries native f64: + − × correctly rounded, ÷ and √ within two units in the last place.
pub(super) async fn native_f64(gpu: &Gpu, pairs: usize) -> Result<std::result::Result<(), String>> {
    let mut bits = Bits::new(0x0311_0864);
    let operands: Vec<[f64; 2]> = (0..pairs)
        .map(|_| bits.words(range(ScalarKind::F64) / 2).into())
        .collect();
    let precision = Precision::of::<f64>(Width::Single);
    let results = run::<f64>(
        gpu,
        &VOCABULARY,
        precision,
        Version::PLAIN,
        bytemuck::cast_slice(&operands),
        pairs,
    )
    .await;
    let results = match tolerate(results)? {
        Ok(results) => results,
        Err(reason) => return Ok(Err(reason)),
    };
    for ([x, y], out) in operands.iter().zip(results.chunks_exact(OUT)) {
        for (name, expected, found) in [("+", x + y, out[0]), ("-", x - y, out[1]), ("*", x * y, out[2])] {
            if found != expected {
                return Ok(Err(format!(
                    "{name} of {x:e} and {y:e} gave {found:e}, not {expected:e}"
                )));
            }
        }
        for (name, expected, found) in [("/", x / y, out[3]), ("the root", x.abs().sqrt(), out[4])] {
            if !((found - expected).abs() <= 2.0 * f64::EPSILON * expected.abs()) {
                return Ok(Err(format!(
                    "{name} of {x:e} and {y:e} gave {found:e}, not {expected:e}"
                )));
            }
        }
    }
    Ok(Ok(()))
}

/// Runs a kernel of the self-test: six results for every item.
pub(super) async fn run<E: bytemuck::Pod>(
    gpu: &Gpu,
    kernel: &'static Kernel,
    precision: Precision,
    version: Version,
    operands: &[u8],
    items: usize,
) -> Result<Vec<E>> {
    let bytes = (items * OUT * size_of::<E>()) as u64;
    let input = gpu.upload_new("operands of the self-test", operands)?;
    let output = gpu.allocate("results of the self-test", bytes)?;
    let launch = Launch {
        kernel,
        precision,
        constants: &[],
        params: kernel
            .integers
            .iter()
            .zip([items, CHAIN])
            .fold(Params::new(), |params, (name, value)| params.size(name, value)),
        buffers: &[&input, &output],
        grid: Grid::covering(items as u64, WORKGROUP.default.into()),
        work: Work {
            bytes,
            operations: items as u64 * 1000,
        },
    };
    gpu.launch_as(version, &launch)?;
    let bytes = gpu.download(&output, 0, bytes).await?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

/// A kernel that is refused is a version that does not work here; a lost device is an error.
fn tolerate<R>(results: Result<R>) -> Result<std::result::Result<R, String>> {
    match results {
        Ok(results) => Ok(Ok(results)),
        Err(Error::Refused { reason, .. }) => Ok(Err(reason)),
        Err(error) => Err(error),
    }
}
