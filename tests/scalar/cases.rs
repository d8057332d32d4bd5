//! Operands: exponents uniform over a range, significands and gaps that hurt.

use std::fmt::Debug;
use std::ops::Range;

use nonius::scalar::{DoubleWord, Scalar, Word};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};

pub(crate) const CASES: u32 = 2000;

/// For errors that are rare.
pub(crate) const MANY: u32 = 5 * CASES;

/// For properties that are slow to check.
pub(crate) const FEW: u32 = CASES / 5;

/// Runs `test` on `cases` draws, the same ones every time.
pub(crate) fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> TestCaseResult) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    if let Err(error) = TestRunner::new_with_rng(config, rng).run(strategy, test) {
        panic!("{error}");
    }
}

/// A property for both pairs: `both!(name, strategy, test)`; fewer cases for the slow ones.
#[macro_export]
macro_rules! both {
    ($name:ident, $strategy:ident, $test:ident) => {
        both!($name, $strategy, $test, $crate::cases::CASES);
    };
    ($name:ident, $strategy:ident, $test:ident, $cases:expr) => {
        mod $name {
            #[test]
            fn df64() {
                $crate::cases::check($cases, &super::$strategy::<f32>(), super::$test::<f32>);
            }
            #[test]
            fn dd() {
                $crate::cases::check($cases, &super::$strategy::<f64>(), super::$test::<f64>);
            }
        }
    };
}

/// The words next to one.
pub(crate) trait Neighbours: Word {
    fn up(self) -> Self;
    fn down(self) -> Self;
}

impl Neighbours for f32 {
    fn up(self) -> Self {
        self.next_up()
    }
    fn down(self) -> Self {
        self.next_down()
    }
}

impl Neighbours for f64 {
    fn up(self) -> Self {
        self.next_up()
    }
    fn down(self) -> Self {
        self.next_down()
    }
}

/// Exponents of every finite word, subnormals included.
pub(crate) fn all_exponents<F: Word>() -> Range<i32> {
    F::SMALLEST_BIT..F::MAX_EXPONENT
}

/// A significand in [1, 2): random, a power of two, all ones, close to either, or of few bits.
fn significand<F: Word>() -> impl Strategy<Value = F> {
    let one = 1_u64 << (F::PRECISION - 1);
    prop_oneof![
        4 => one..2 * one,
        1 => Just(one),
        1 => Just(2 * one - 1),
        1 => one..one + 4,
        1 => 2 * one - 4..2 * one,
        1 => (0..F::PRECISION, 0..F::PRECISION).prop_map(move |(i, j)| one | (1 << i) | (1 << j) & (2 * one - 1)),
    ]
    .prop_map(|integer| F::from_f64(integer as f64).scale_exponent(1 - F::PRECISION))
}

/// A word of either sign whose exponent is in the range (rounded there if subnormal).
pub(crate) fn word<F: Word>(exponents: Range<i32>) -> impl Strategy<Value = F> {
    (significand::<F>(), exponents, any::<bool>()).prop_map(|(significand, exponent, negative)| {
        let magnitude = significand.scale_exponent(exponent);
        if negative { -magnitude } else { magnitude }
    })
}

/// What `lo` looks like, relative to half a unit in the last place of `hi`.
#[derive(Debug, Clone)]
enum Low {
    Zero,
    Tie,
    UnderTie,
    Gap(i32),
    Smallest,
}

/// A normalised pair whose exponent is in the range, or one more where the words round up.
pub(crate) fn pair<F: Neighbours>(exponents: Range<i32>) -> impl Strategy<Value = DoubleWord<F>> {
    let low = prop_oneof![
        1 => Just(Low::Zero),
        1 => Just(Low::Tie),
        1 => Just(Low::UnderTie),
        6 => (0..3).prop_map(Low::Gap),
        2 => (0..F::PRECISION + 4).prop_map(Low::Gap),
        1 => (0..-F::SMALLEST_BIT).prop_map(Low::Gap),
        1 => Just(Low::Smallest),
    ];
    (word::<F>(exponents), low, significand::<F>(), any::<bool>()).prop_map(|(hi, low, significand, negative)| {
        let tie = hi.exponent().unwrap_or(0) - F::PRECISION;
        let lo = match low {
            Low::Zero => F::zero(),
            Low::Tie => F::one().scale_exponent(tie),
            Low::UnderTie => F::one().scale_exponent(tie).down(),
            Low::Gap(gap) => significand.scale_exponent(tie - 1 - gap),
            Low::Smallest => F::zero().up(),
        };
        DoubleWord::new(hi, if negative { -lo } else { lo })
    })
}

/// A pair in the promised range.
pub(crate) fn promised<F: Neighbours>() -> impl Strategy<Value = DoubleWord<F>> {
    pair(DoubleWord::<F>::MIN_EXPONENT..DoubleWord::<F>::MAX_EXPONENT - 1)
}

/// Any finite pair.
pub(crate) fn finite<F: Neighbours>() -> impl Strategy<Value = DoubleWord<F>> {
    pair(all_exponents::<F>()).prop_filter("overflow", |x| x.is_finite())
}

/// A pair, and one that is independent, of similar size, or nearly its negation.
pub(crate) fn related<F: Neighbours>() -> impl Strategy<Value = (DoubleWord<F>, DoubleWord<F>)> {
    let bits = 2 * F::PRECISION + 4;
    (promised::<F>(), promised::<F>(), pair::<F>(0..1), -bits..bits, 0..8).prop_map(
        move |(x, any, one, distance, how)| {
            let sized = one.scale_exponent((x.exponent().unwrap() + distance).min(DoubleWord::<F>::MAX_EXPONENT - 2));
            let y = match how {
                0..=1 => any,
                2..=3 => sized,
                4 => DoubleWord::new(-x.hi(), sized.lo()),
                5 => DoubleWord::new(-x.hi(), -x.lo().up()),
                6 => DoubleWord::new(-x.hi().up(), x.lo()),
                _ => -x,
            };
            (x, y)
        },
    )
}
