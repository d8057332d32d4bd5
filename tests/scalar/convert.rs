//! Conversions keep what fits, round to nearest what does not, and agree with num-traits' laws.

use nonius::scalar::{DoubleWord, Scalar, ScalarKind, Word};
use nonius::{Dd, Df64};
use num_traits::{Bounded, FromPrimitive, Num, One, Signed, ToPrimitive, Zero};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::both;
use crate::cases::{Neighbours, finite, pair};
use crate::exact::Exact;

both!(from_f64, doubles, from_f64_is_the_nearest_pair);
both!(to_f64, finite, to_f64_is_the_nearest_double);
both!(to_f32, finite, to_f32_is_the_nearest_word);
both!(through_dd, finite, dd_holds_every_pair);
both!(from_dd, double_doubles, from_dd_is_the_nearest_pair);
both!(integers, integers_of_any_size, integers_are_the_nearest_and_come_back);
both!(to_integers, pairs_near_integers, to_integers_cuts);

fn doubles<F: Neighbours>() -> impl Strategy<Value = f64> {
    prop_oneof![
        proptest::num::f64::NORMAL.prop_map(move |x| {
            // Into the range of the word, with all bits.
            let exponent = x.exponent().unwrap_or(0);
            x.scale_exponent(exponent.rem_euclid(F::MAX_EXPONENT) / 2 - exponent)
        }),
        crate::cases::word::<f64>((F::SMALLEST_BIT - 3).max(-1074)..F::MAX_EXPONENT),
        // Next to ties of the low word with an odd leading word.
        (any::<u32>(), -3..3_i64).prop_map(|(bits, offset)| {
            let odd = f64::from(f32::from_bits(bits & 0x3fff_ffff | 0x2000_0001));
            f64::from_bits((odd.to_bits() | 1 << 28).saturating_add_signed(offset))
        }),
    ]
}

fn from_f64_is_the_nearest_pair<F: Neighbours>(x: f64) -> TestCaseResult {
    nearest_pair(<DoubleWord<F> as Scalar>::from_f64(x), &Exact::of_word(x))
}

fn to_f64_is_the_nearest_double<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    nearest_word(Scalar::to_f64(x), &Exact::of(x))
}

fn to_f32_is_the_nearest_word<F: Word + ToPrimitive + FromPrimitive>(x: DoubleWord<F>) -> TestCaseResult {
    nearest_word(x.to_f32().unwrap(), &Exact::of(x))
}

fn dd_holds_every_pair<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    prop_assert_eq!(Exact::of(x.to_dd()), Exact::of(x));
    prop_assert_eq!(DoubleWord::<F>::from_dd(x.to_dd()), x);
    Ok(())
}

/// Double-doubles across the range of the word, next to its ties among them.
fn double_doubles<F: Neighbours>() -> impl Strategy<Value = Dd> {
    let range = F::SMALLEST_BIT - 3..F::MAX_EXPONENT - 1;
    prop_oneof![
        pair::<f64>(range.start.max(-1074)..range.end),
        (pair::<F>(range.start + 4..range.end), -60..-1_i32, any::<bool>()).prop_map(|(x, gap, negative)| {
            let tiny = 1.0_f64.scale_exponent(x.lo().exponent().unwrap_or(F::SMALLEST_BIT) - F::PRECISION + gap);
            x.to_dd() + Dd::from(if negative { -tiny } else { tiny })
        }),
    ]
}

fn from_dd_is_the_nearest_pair<F: Neighbours>(x: Dd) -> TestCaseResult {
    nearest_word(F::from_dd(x), &Exact::of(x))?;
    nearest_pair(DoubleWord::<F>::from_dd(x), &Exact::of(x))
}

fn integers_of_any_size<F: Neighbours>() -> impl Strategy<Value = u128> {
    prop_oneof![
        (any::<u128>(), 0..128_u32).prop_map(|(n, shift)| n >> shift),
        (0..128_u32, 0..128_u32, 0..3_u128).prop_map(|(i, j, n)| (1 << i | 1 << j) - n.min(1 << i)),
        (0..9_u128).prop_map(|n| u128::MAX - n),
    ]
}

fn integers_are_the_nearest_and_come_back<F: Neighbours + FromPrimitive + ToPrimitive>(n: u128) -> TestCaseResult {
    if let Some(x) = DoubleWord::<F>::from_u128(n) {
        nearest_pair(x, &Exact::new(n, 0))?;
    } else {
        prop_assert!(n >= u128::MAX << 103, "only those that f32 cannot reach");
    }
    let signed = n.cast_signed();
    nearest_pair(DoubleWord::<F>::from_i128(signed).unwrap(), &Exact::new(signed, 0))?;
    let short = u64::try_from(n & u128::from(u64::MAX)).unwrap();
    let short_signed = i64::try_from(signed >> 64).unwrap();
    nearest_pair(DoubleWord::<F>::from_u64(short).unwrap(), &Exact::new(short, 0))?;
    nearest_pair(
        DoubleWord::<F>::from_i64(short_signed).unwrap(),
        &Exact::new(short_signed, 0),
    )?;
    if 2 * F::PRECISION > 64 {
        prop_assert_eq!(DoubleWord::<F>::from_u64(short).unwrap().to_u64(), Some(short));
        prop_assert_eq!(
            DoubleWord::<F>::from_i64(short_signed).unwrap().to_i64(),
            Some(short_signed)
        );
    }
    let fits = signed >> (127 - 47);
    prop_assert_eq!(DoubleWord::<F>::from_i128(fits).unwrap().to_i128(), Some(fits));
    Ok(())
}

fn pairs_near_integers<F: Neighbours>() -> impl Strategy<Value = DoubleWord<F>> {
    prop_oneof![pair(-3..66), pair(60..F::MAX_EXPONENT.min(131) - 2)]
}

fn to_integers_cuts<F: Neighbours + FromPrimitive + ToPrimitive>(x: DoubleWord<F>) -> TestCaseResult {
    let cut = Exact::of(x).quotient(&Exact::new(1, 0));
    prop_assert_eq!(x.to_i64(), i64::try_from(&cut).ok());
    prop_assert_eq!(x.to_u64(), u64::try_from(&cut).ok());
    prop_assert_eq!(x.to_i128(), i128::try_from(&cut).ok());
    prop_assert_eq!(x.to_u128(), u128::try_from(&cut).ok());
    Ok(())
}

#[test]
fn largest_integers() {
    assert_eq!(
        Dd::from_u128(u128::MAX).unwrap().to_u128(),
        Some(u128::MAX),
        "as 2^128 and -1"
    );
    assert_eq!(Dd::from(1).scale_exponent(128).to_u128(), None);
    let below = u128::MAX - (1 << 22) + 1;
    assert_eq!(Dd::from_u128(below).unwrap().to_u128(), Some(below));
    assert_eq!(Df64::from_u128(u128::MAX), None);
    assert_eq!(Dd::from(u64::MAX).to_u64(), Some(u64::MAX));
    assert_eq!(Dd::from(i64::MIN).to_i64(), Some(i64::MIN));
    assert_eq!(Df64::from(u32::MAX).to_u32(), Some(u32::MAX));
    assert_eq!(Df64::from(i32::MIN).to_i32(), Some(i32::MIN));
    assert_eq!(Df64::from(i32::MIN).to_u32(), None);
    assert_eq!(Dd::from(f64::NAN).to_i64(), None);
    assert_eq!(Dd::from(f64::INFINITY).to_u128(), None);
}

#[test]
fn bounds_are_normalised_and_largest() {
    fn largest<F: Neighbours>() {
        let max = DoubleWord::<F>::max_value();
        assert!(max.hi() + max.lo() == max.hi());
        assert!(!DoubleWord::new(max.hi(), max.lo().up()).is_finite());
        assert_eq!(DoubleWord::<F>::min_value(), -max);
    }
    largest::<f32>();
    largest::<f64>();
}

#[test]
fn kinds_and_radices() {
    assert_eq!((f32::KIND, Df64::KIND, f64::KIND, Dd::KIND), kinds());
    assert_eq!(
        (f32::NAME, Df64::NAME, f64::NAME, Dd::NAME),
        ("f32", "df64", "f64", "dd")
    );
    assert_eq!((Df64::MIN_EXPONENT, Df64::MAX_EXPONENT), (-96, 127));
    assert_eq!((Dd::MIN_EXPONENT, Dd::MAX_EXPONENT), (-963, 1023));
    assert_eq!(Df64::from_str_radix("12.5", 10).unwrap(), Df64::from(12.5_f32));
    assert!(
        Df64::from_str_radix("11", 2)
            .unwrap_err()
            .to_string()
            .contains("radix 10, not 2")
    );
    assert_eq!(Df64::zero() + Df64::one(), Df64::one());
    assert_eq!(Df64::default(), Df64::zero());
    assert_eq!(-Dd::one().signum(), Dd::from(-1));
    let one = Df64::one();
    assert_eq!(
        bytemuck::bytes_of(&one),
        [1.0_f32.to_ne_bytes(), 0.0_f32.to_ne_bytes()].concat()
    );
}

fn kinds() -> (ScalarKind, ScalarKind, ScalarKind, ScalarKind) {
    (ScalarKind::F32, ScalarKind::Df64, ScalarKind::F64, ScalarKind::Dd)
}

/// Neither neighbour is nearer; and if infinite, beyond the last tie.
pub(crate) fn nearest_word<F: Neighbours>(word: F, exact: &Exact) -> TestCaseResult {
    if !word.is_finite() {
        let last = F::max_value();
        let step = Exact::of_word(last) - Exact::of_word(last.down());
        prop_assert!(
            exact.abs() >= Exact::of_word(last) + step * Exact::new(1, -1),
            "infinite"
        );
        return Ok(());
    }
    let miss = |word: F| (Exact::of_word(word) - exact.clone()).abs();
    for other in [word.up(), word.down()] {
        if other.is_finite() {
            prop_assert!(miss(word) < miss(other) || miss(word) == miss(other) && word.bits() & 1 == 0);
        }
    }
    Ok(())
}

/// The leading word is the nearest, and no other trailing word brings the pair nearer.
pub(crate) fn nearest_pair<F: Neighbours>(pair: DoubleWord<F>, exact: &Exact) -> TestCaseResult {
    if !pair.is_finite() {
        prop_assert!(pair.lo().is_zero());
        return nearest_word(pair.hi(), exact);
    }
    prop_assert!(pair.hi() + pair.lo() == pair.hi(), "{:?} is not normalised", pair);
    let rest = exact.clone() - Exact::of_word(pair.hi());
    let miss = |lo: F| (Exact::of_word(lo) - rest.clone()).abs();
    let least = miss(pair.lo());
    prop_assert!(
        least <= miss(pair.lo().up()) && least <= miss(pair.lo().down()),
        "{:?}",
        pair
    );
    Ok(())
}
