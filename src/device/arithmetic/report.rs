//! What a device's floating point is like: error ranges in units in the last place (the test of Paranoia, Karpinski
//! 1985; on GPUs, Hillesland and Lastra 2004), and what becomes of subnormals, infinities and NaN.

use super::PAIRS_IN_REPORT;
use super::operands::Bits;
use super::trial::{range, run};
use crate::device::gpu::Gpu;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Version, Width, Words};
use crate::error::Result;
use crate::scalar::{Dd, Scalar, Word};

/// The floating point of one word.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatReport {
    /// `f32` or `f64`.
    pub word: &'static str,
    /// The error range of every operation.
    pub ulps: Vec<UlpRange>,
    /// What becomes of special values.
    pub special: Vec<Special>,
}

/// The errors of one operation, (found − exact) in units in the last place of the exact result. Correct rounding to
/// nearest gives [−0.5, 0.5].
///
/// In half of the operands of fma(a, b, c), c cancels the rounded ab. A device that rounds ab first loses all of such a
/// result, which is 2^24 units in `f32`: a range as wide says that, and nothing of other operands.
#[derive(Debug, Clone, PartialEq)]
pub struct UlpRange {
    /// The operation: `+ - * / sqrt fma`.
    pub operation: &'static str,
    /// The smallest error.
    pub low: f64,
    /// The largest error.
    pub high: f64,
}

/// A property of special values, and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Special {
    /// What IEEE 754 promises.
    pub property: &'static str,
    /// Whether it was so.
    pub holds: bool,
}

pub(super) static OPERATIONS: Kernel = Kernel {
    name: "arithmetic::operations",
    entry: "operations",
    source: fragment!("arithmetic/operations.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["triples"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Words,
};

const NAMES: [&str; 6] = ["+", "-", "*", "/", "sqrt", "fma"];

/// Measures the plain operations of a word.
pub(super) async fn measure<W: Word>(gpu: &Gpu) -> Result<FloatReport> {
    let mut bits = Bits::new(0x0005_2005);
    let range = range(W::PAIR);
    let special = specials::<W>();
    let random = (0..PAIRS_IN_REPORT).map(|_| {
        let (a, b) = bits.words::<W>(range);
        [a, b, bits.word(range)]
    });
    // Cases in which a fused multiply-add differs most from two roundings: c cancels the rounded product.
    let random: Vec<[W; 3]> = random
        .enumerate()
        .map(|(i, [a, b, c])| if i % 2 == 0 { [a, b, -(a * b)] } else { [a, b, c] })
        .collect();
    let triples: Vec<[W; 3]> = special.iter().map(|case| case.triple).chain(random).collect();
    let results = operations(gpu, Words::Plain, &triples).await?;
    let (first, rest) = results.split_at(special.len() * NAMES.len());
    let special = special.iter().zip(first.chunks_exact(NAMES.len()));
    let special = special.map(|(case, out)| Special {
        property: case.property,
        holds: (case.holds)(out[case.operation]),
    });
    let mut ulps = NAMES.map(|operation| UlpRange {
        operation,
        low: 0.0,
        high: 0.0,
    });
    for (triple, out) in triples[special.len()..].iter().zip(rest.chunks_exact(NAMES.len())) {
        let [a, b, c] = triple.map(Scalar::to_dd);
        let exact = [
            a + b,
            a - b,
            a * b,
            a / b,
            num_traits::Signed::abs(&a).sqrt(),
            a * b + c,
        ];
        for ((range, exact), found) in ulps.iter_mut().zip(exact).zip(out) {
            range.include(error_in_ulps(*found, exact));
        }
    }
    Ok(FloatReport {
        word: W::NAME,
        ulps: ulps.into(),
        special: special.collect(),
    })
}

/// The six operations on each triple, in a word layer.
pub(super) async fn operations<W: Word>(gpu: &Gpu, words: Words, triples: &[[W; 3]]) -> Result<Vec<W>> {
    let precision = Precision {
        scalar: W::PAIR,
        element: W::PAIR,
        width: Width::Single,
    };
    let version = Version {
        words,
        ..Version::PLAIN
    };
    run(
        gpu,
        &OPERATIONS,
        precision,
        version,
        bytemuck::cast_slice(triples),
        triples.len(),
    )
    .await
}

fn error_in_ulps<W: Word>(found: W, exact: Dd) -> f64 {
    let difference = (found.to_dd() - exact).to_f64();
    match exact.exponent() {
        Some(exponent) => difference * (W::PRECISION - 1 - exponent).clamp(-1000, 1000).to_power(),
        None if difference == 0.0 => 0.0,
        None => f64::INFINITY,
    }
}

impl UlpRange {
    fn include(&mut self, error: f64) {
        // A NaN stands for the worst.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        self.low = self.low.min(error);
        self.high = self.high.max(error);
    }

    /// Whether every result was correctly rounded.
    #[must_use]
    pub fn is_correctly_rounded(&self) -> bool {
        self.low >= -0.5 && self.high <= 0.5
    }
}

trait ToPower {
    /// 2^self.
    fn to_power(self) -> f64;
}

impl ToPower for i32 {
    fn to_power(self) -> f64 {
        f64::powi(2.0, self)
    }
}

/// A case of special operands, the operation that is looked at, and what it should give.
struct Case<W> {
    property: &'static str,
    triple: [W; 3],
    operation: usize,
    holds: fn(W) -> bool,
}

fn specials<W: Word>() -> Vec<Case<W>> {
    let power = |k: i32| W::one().scale_exponent(k);
    let smallest_normal = W::SMALLEST_BIT + W::PRECISION - 1;
    let (one, zero, two) = (W::one(), W::zero(), power(1));
    let infinity = W::from_f64(f64::INFINITY);
    let nan = W::from_f64(f64::NAN);
    let largest = W::max_value();
    let case = |property, triple, operation, holds| Case {
        property,
        triple,
        operation,
        holds,
    };
    vec![
        case(
            "subnormal operands are read",
            [power(smallest_normal - 1), two, zero],
            2,
            |x| x != W::zero(),
        ),
        case(
            "subnormal results are kept",
            [power(smallest_normal), power(-1), zero],
            2,
            |x| x != W::zero(),
        ),
        case(
            "subnormal sums are kept",
            [
                power(smallest_normal) + power(smallest_normal - 1),
                power(smallest_normal),
                zero,
            ],
            1,
            |x| x != W::zero(),
        ),
        case("overflow gives infinity", [largest, two, zero], 2, |x| {
            !x.is_finite() && !x.is_nan()
        }),
        case("1/0 is infinite", [one, zero, zero], 3, |x| {
            !x.is_finite() && !x.is_nan()
        }),
        case("0/0 is NaN", [zero, zero, zero], 3, |x| x.is_nan()),
        case("infinity - infinity is NaN", [infinity, infinity, zero], 1, |x| {
            x.is_nan()
        }),
        case("NaN + 1 is NaN", [nan, one, zero], 0, |x| x.is_nan()),
        case("0 NaN is NaN", [zero, nan, zero], 2, |x| x.is_nan()),
    ]
}
