//! The relative error of every operation is within its bound, over the whole range, and results are normalised.

use nonius::scalar::{DoubleWord, Scalar, Word};
use num_traits::{Signed, Zero};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::both;
use crate::cases::{Neighbours, all_exponents, finite, pair, related};
use crate::exact::Exact;

both!(new, related, new_is_exact);
both!(sum, related, sum_is_within_its_bound);
both!(product, factors, product_is_within_its_bound);
both!(multiply_add, summands, multiply_add_is_within_its_bound);
both!(quotient, fractions, quotient_is_within_its_bound);
both!(root, finite, root_is_within_its_bound);
both!(
    last_corrections,
    ordinary,
    quotient_and_root_are_as_near_as_measured,
    crate::cases::MANY
);
both!(remainder, divisions, remainder_is_a_residue);
both!(order, related, order_is_that_of_the_values);
both!(signs, related, signs_are_exact);
both!(truncation, integers, truncation_is_exact);

type Two<F> = (DoubleWord<F>, DoubleWord<F>);

fn new_is_exact<F: Word>((x, y): Two<F>) -> TestCaseResult {
    let z = DoubleWord::new(x.hi(), y.hi());
    normalised(z)?;
    prop_assert_eq!(Exact::of(z), Exact::of_word(x.hi()) + Exact::of_word(y.hi()));
    Ok(())
}

/// A step of `two_sum` may overflow where its first operand is the largest word, although the sum does not.
fn new_is_exact_beside_the_largest<F: Word>() {
    let largest = F::max_value();
    let unit = F::one().scale_exponent(F::MAX_EXPONENT - F::PRECISION);
    for halves in (1..40).chain([99_999, 100_001]) {
        let step = F::from_f64(f64::from(halves) / 2.0) * unit;
        for (hi, lo) in [(largest, -step), (-step, largest), (-largest, step), (step, -largest)] {
            new_is_exact((DoubleWord::from(hi), DoubleWord::from(lo))).expect("it is exact");
        }
    }
}

#[test]
fn new_beside_the_largest() {
    new_is_exact_beside_the_largest::<f32>();
    new_is_exact_beside_the_largest::<f64>();
}

fn sum_is_within_its_bound<F: Word>((x, y): Two<F>) -> TestCaseResult {
    let bound = units::<F>(3) + Exact::new(13, i64::from(-3 * F::PRECISION));
    let (a, b) = (Exact::of(x), Exact::of(y));
    within(x + y, &(a.clone() + b.clone()), &bound)?;
    within(x - y, &(a - b), &bound)?;
    prop_assert!(bound <= units::<F>(5), "ROUNDING covers it");
    Ok(())
}

/// Factors of any size whose product is in the promised range.
fn factors<F: Neighbours>() -> impl Strategy<Value = Two<F>> {
    let normal = F::MIN_EXPONENT..F::MAX_EXPONENT - 1;
    (
        normal.clone(),
        DoubleWord::<F>::MIN_EXPONENT..DoubleWord::<F>::MAX_EXPONENT - 2,
    )
        .prop_filter("the other factor is normal", move |(x, product)| {
            normal.contains(&(product - x))
        })
        .prop_flat_map(|(x, product)| (pair(x..x + 1), pair(product - x..product - x + 1)))
}

fn product_is_within_its_bound<F: Word>((x, y): Two<F>) -> TestCaseResult {
    prop_assert_eq!(DoubleWord::<F>::ROUNDING, 5.0 * F::ROUNDING.powi(2));
    within(x * y, &(Exact::of(x) * Exact::of(y)), &units::<F>(5))
}

/// Factors, and a summand that is much smaller than their product, much larger, or all but its negative.
fn summands<F: Neighbours>() -> impl Strategy<Value = (Two<F>, DoubleWord<F>)> {
    let apart = -2 * F::PRECISION - 4..2 * F::PRECISION + 4;
    (factors::<F>(), apart, pair(0..1), 0..3_u8)
        .prop_map(|((x, y), gap, c, way)| {
            let product = x * y;
            let size = product.exponent().unwrap_or(0);
            let summand = match way {
                0 => c.scale_exponent(size + gap),
                1 => -product,
                _ => c.scale_exponent(size - gap.abs()) - product,
            };
            ((x, y), summand)
        })
        .prop_filter("overflow", |(_, c)| {
            c.is_finite() && c.exponent().unwrap_or(0) < DoubleWord::<F>::MAX_EXPONENT - 2
        })
}

fn multiply_add_is_within_its_bound<F: Word>(((x, y), c): (Two<F>, DoubleWord<F>)) -> TestCaseResult {
    let z = x.mul_add(y, c);
    normalised(z)?;
    let (product, summand) = (Exact::of(x) * Exact::of(y), Exact::of(c));
    let miss = (Exact::of(z) - (product.clone() + summand.clone())).abs();
    let bound = product.abs() * units::<F>(12) + summand.abs() * units::<F>(3);
    prop_assert!(miss <= bound, "{:?}", z);
    Ok(())
}

/// Any finite operands, subnormal ones too, whose quotient is in the promised range.
fn fractions<F: Neighbours>() -> impl Strategy<Value = Two<F>> {
    (
        all_exponents::<F>(),
        DoubleWord::<F>::MIN_EXPONENT + 1..DoubleWord::<F>::MAX_EXPONENT - 1,
    )
        .prop_filter("the dividend is a word", |(y, quotient)| {
            all_exponents::<F>().contains(&(quotient + y))
        })
        .prop_flat_map(|(y, quotient)| (pair(quotient + y..quotient + y + 1), pair(y..y + 1)))
        .prop_filter("overflow", |(x, y)| x.is_finite() && y.is_finite())
}

fn quotient_is_within_its_bound<F: Word>((x, y): Two<F>) -> TestCaseResult {
    quotient_within(x, y, &units::<F>(4))
}

fn root_is_within_its_bound<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    prop_assert!(x.abs().sqrt() > DoubleWord::zero() || x.is_zero());
    root_within(x.abs(), &units::<F>(4))
}

fn ordinary<F: Neighbours>() -> impl Strategy<Value = Two<F>> {
    (pair(0..2), pair(0..2))
}

/// The third quotient and the second correction leave less than 2u² in every case drawn. That is measured, not proved;
/// but without them the bounds above would still hold here, where words are divided with correct rounding.
fn quotient_and_root_are_as_near_as_measured<F: Word>((x, y): Two<F>) -> TestCaseResult {
    quotient_within(x, y, &units::<F>(2))?;
    root_within(x.abs(), &units::<F>(2))
}

fn quotient_within<F: Word>(x: DoubleWord<F>, y: DoubleWord<F>, bound: &Exact) -> TestCaseResult {
    let z = x / y;
    normalised(z)?;
    let (dividend, divisor) = (Exact::of(x), Exact::of(y));
    let miss = (Exact::of(z) * divisor - dividend.clone()).abs();
    prop_assert!(miss <= dividend.abs() * bound.clone(), "{:?}", z);
    Ok(())
}

/// (1 - bound)² x <= z² <= (1 + bound)² x.
fn root_within<F: Word>(x: DoubleWord<F>, bound: &Exact) -> TestCaseResult {
    let z = x.sqrt();
    normalised(z)?;
    let square = Exact::of(z) * Exact::of(z);
    let (below, above) = (Exact::new(1, 0) - bound.clone(), Exact::new(1, 0) + bound.clone());
    prop_assert!(square >= below.clone() * below * Exact::of(x), "{:?}", z);
    prop_assert!(square <= above.clone() * above * Exact::of(x), "{:?}", z);
    Ok(())
}

/// Operands whose quotient has digits left below its point.
fn divisions<F: Neighbours>() -> impl Strategy<Value = Two<F>> {
    let low = DoubleWord::<F>::MIN_EXPONENT + 2 * F::PRECISION;
    (low..F::MAX_EXPONENT - 3, -4..2 * F::PRECISION - 5)
        .prop_filter("the divisor is in range", move |(x, quotient)| x - quotient > low)
        .prop_flat_map(|(x, quotient)| (pair(x..x + 1), pair(x - quotient..x - quotient + 1)))
}

fn remainder_is_a_residue<F: Word>((x, y): Two<F>) -> TestCaseResult {
    let z = x % y;
    normalised(z)?;
    prop_assert!(z.abs() < y.abs());
    prop_assert!(z.is_zero() || z.is_negative() == x.is_negative());
    // x - z is within the bound of a multiple of y: of the nearest.
    let (a, b, r) = (Exact::of(x), Exact::of(y).abs(), Exact::of(z));
    let multiple = (a.clone() - r).abs();
    let count = (multiple.clone() + b.clone() * Exact::new(1, -1)).quotient(&b);
    let miss = (multiple - b.clone() * Exact::new(count, 0)).abs();
    prop_assert!(miss <= (a.abs() + b) * units::<F>(6), "{:?}", z);
    Ok(())
}

fn order_is_that_of_the_values<F: Neighbours>((x, y): Two<F>) -> TestCaseResult {
    for other in [
        y,
        x,
        -y,
        DoubleWord::new(x.hi(), y.lo()),
        DoubleWord::new(x.hi(), x.lo().up()),
    ] {
        prop_assert_eq!(x.partial_cmp(&other), Some(Exact::of(x).cmp(&Exact::of(other))));
    }
    Ok(())
}

fn signs_are_exact<F: Word>((x, y): Two<F>) -> TestCaseResult {
    prop_assert_eq!(Exact::of(-x), -Exact::of(x));
    prop_assert_eq!(Exact::of(x.abs()), Exact::of(x).abs());
    prop_assert!(x.abs() * x.signum() == x);
    prop_assert_eq!(x.abs_sub(&y), if x > y { x - y } else { DoubleWord::zero() });
    // Commutative to the bit, as the algorithms are symmetric.
    prop_assert_eq!(x + y, y + x);
    prop_assert!(x * y == y * x || !(x * y).is_finite());
    Ok(())
}

/// Pairs about the size where their integer part ends.
fn integers<F: Neighbours>() -> impl Strategy<Value = DoubleWord<F>> {
    pair(-3..2 * F::PRECISION + 3)
}

fn truncation_is_exact<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    prop_assert_eq!(
        Exact::of(x.trunc()),
        Exact::new(Exact::of(x).quotient(&Exact::new(1, 0)), 0)
    );
    Ok(())
}

/// `count · u²`.
fn units<F: Word>(count: u32) -> Exact {
    Exact::new(count, i64::from(-2 * F::PRECISION))
}

fn within<F: Word>(z: DoubleWord<F>, exact: &Exact, bound: &Exact) -> TestCaseResult {
    normalised(z)?;
    let miss = (Exact::of(z) - exact.clone()).abs();
    prop_assert!(miss <= exact.abs() * bound.clone(), "{:?}", z);
    Ok(())
}

fn normalised<F: Word>(z: DoubleWord<F>) -> TestCaseResult {
    prop_assert!(z.is_finite());
    prop_assert!(z.hi() + z.lo() == z.hi(), "{:?} is not normalised", z);
    Ok(())
}
