//! The error-free transforms are free of error, and the exponent helpers exact.

use nonius::scalar::{DoubleWord, Scalar, Word};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::both;
use crate::cases::{Neighbours, all_exponents, finite, word};
use crate::exact::Exact;

both!(two_sum, words, two_sum_is_exact);
both!(fast_two_sum, words, fast_two_sum_is_exact);
both!(two_prod, words, two_prod_is_exact);
both!(scaling, scaled_words, scaling_rounds_once);
both!(pair_scaling, scaled_pairs, pair_scaling_is_exact_or_rounds);
both!(exponent, finite, exponent_is_the_logarithm);

/// Two words: independent, or close to cancelling.
fn words<F: Neighbours>() -> impl Strategy<Value = (F, F)> {
    let range = all_exponents::<F>().start..all_exponents::<F>().end - 1;
    (word::<F>(range.clone()), word::<F>(range), -60..60_i32, 0..4).prop_map(|(a, b, distance, how)| match how {
        0 => (a, b),
        1 => (a, -a.up()),
        2 => (a, a.down().scale_exponent(-distance.abs())),
        _ => (
            a,
            b.scale_exponent(a.exponent().unwrap_or(0) - b.exponent().unwrap_or(0) - distance.abs()),
        ),
    })
}

fn two_sum_is_exact<F: Word>((a, b): (F, F)) -> TestCaseResult {
    let (sum, error) = a.two_sum(b);
    prop_assert!(sum == a + b);
    prop_assert_eq!(
        Exact::of_word(sum) + Exact::of_word(error),
        Exact::of_word(a) + Exact::of_word(b)
    );
    Ok(())
}

fn fast_two_sum_is_exact<F: Word>((a, b): (F, F)) -> TestCaseResult {
    let (a, b) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let (sum, error) = a.fast_two_sum(b);
    prop_assert!(sum == a + b);
    prop_assert_eq!(
        Exact::of_word(sum) + Exact::of_word(error),
        Exact::of_word(a) + Exact::of_word(b)
    );
    Ok(())
}

fn two_prod_is_exact<F: Word>((a, b): (F, F)) -> TestCaseResult {
    let (product, error) = a.two_prod(b);
    prop_assert!(product == a * b);
    if !product.is_finite() {
        return Ok(());
    }
    let missed = Exact::of_word(a) * Exact::of_word(b) - Exact::of_word(product) - Exact::of_word(error);
    let exponents = a.exponent().unwrap_or(F::SMALLEST_BIT) + b.exponent().unwrap_or(F::SMALLEST_BIT);
    if exponents >= F::SMALLEST_BIT + 2 * F::PRECISION - 2 {
        prop_assert!(missed.is_zero());
    } else {
        prop_assert!(missed.abs() <= Exact::new(1, i64::from(F::SMALLEST_BIT) - 1));
    }
    Ok(())
}

fn scaled_words<F: Neighbours>() -> impl Strategy<Value = (F, i32)> {
    (word::<F>(all_exponents::<F>()), shifts::<F>())
}

fn scaled_pairs<F: Neighbours>() -> impl Strategy<Value = (DoubleWord<F>, i32)> {
    (finite::<F>(), shifts::<F>())
}

fn shifts<F: Word>() -> impl Strategy<Value = i32> {
    prop_oneof![6 => 2 * F::SMALLEST_BIT..-2 * F::SMALLEST_BIT, 1 => Just(i32::MIN), 1 => Just(i32::MAX), 1 => -5000..5000]
}

fn scaling_rounds_once<F: Neighbours>((x, k): (F, i32)) -> TestCaseResult {
    let scaled = x.scale_exponent(k);
    let exact = Exact::of_word(x) * Exact::new(1, i64::from(k.clamp(-6000, 6000)));
    if !scaled.is_finite() {
        prop_assert!(exact.log2() >= i64::from(F::MAX_EXPONENT));
        return Ok(());
    }
    let miss = |word: F| (Exact::of_word(word) - exact.clone()).abs();
    let least = miss(scaled);
    prop_assert!(least <= miss(scaled.up()) && least <= miss(scaled.down()));
    let tie = least == miss(scaled.up()) || least == miss(scaled.down());
    prop_assert!(!tie || scaled.bits() & 1 == 0, "a tie goes to even");
    Ok(())
}

fn pair_scaling_is_exact_or_rounds<F: Word>((x, k): (DoubleWord<F>, i32)) -> TestCaseResult {
    let scaled = x.scale_exponent(k);
    let exact = Exact::of(x) * Exact::new(1, i64::from(k.clamp(-6000, 6000)));
    if !scaled.is_finite() {
        prop_assert!(exact.log2() >= i64::from(F::MAX_EXPONENT) - 1);
        prop_assert!(scaled.lo().is_zero());
        return Ok(());
    }
    prop_assert!(scaled.hi() + scaled.lo() == scaled.hi());
    prop_assert!((Exact::of(scaled) - exact).abs() <= Exact::new(1, i64::from(F::SMALLEST_BIT)));
    Ok(())
}

fn exponent_is_the_logarithm<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    prop_assert_eq!(x.hi().exponent().map(i64::from), nonzero_log2(&Exact::of_word(x.hi())));
    prop_assert_eq!(x.exponent().map(i64::from), nonzero_log2(&Exact::of(x)));
    Ok(())
}

fn nonzero_log2(x: &Exact) -> Option<i64> {
    if x.is_zero() { None } else { Some(x.log2()) }
}
