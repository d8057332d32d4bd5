//! Zeros, infinities and NaN, by value.

use nonius::scalar::{DoubleWord, Scalar, Word};

use crate::cases::Neighbours;

/// Any pair of these, with any operator, gives what the words give.
fn table<F: Word>() -> Vec<DoubleWord<F>> {
    [0.0, -0.0, 1.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
        .map(DoubleWord::<F>::from_f64)
        .to_vec()
}

fn operators_agree_with_words<F: Neighbours>() {
    for x in table::<F>() {
        for y in table::<F>() {
            let (a, b) = (x.hi(), y.hi());
            same(x + y, a + b);
            same(x - y, a - b);
            same(x * y, a * b);
            same(x / y, a / b);
            same(x % y, a % b);
            assert_eq!(x.partial_cmp(&y), a.partial_cmp(&b));
            assert_eq!(x == y, a == b);
        }
        same(x.sqrt(), x.hi().sqrt());
        same(-x, -x.hi());
        same(x.abs(), x.hi().abs());
        same(x.trunc(), x.hi().trunc());
        same(x.scale_exponent(3), x.hi().scale_exponent(3));
        same(DoubleWord::new(x.hi(), F::one()), x.hi() + F::one());
        assert_eq!(x.exponent(), x.hi().exponent());
        assert_eq!((x.is_nan(), x.is_finite()), (x.hi().is_nan(), x.hi().is_finite()));
        let double = x.to_f64();
        assert!(double == x.hi().to_f64() || double.is_nan() && x.is_nan());
        same(DoubleWord::<F>::from_dd(x.to_dd()), x.hi());
    }
}

/// The same value, or both NaN; and a clean low word.
fn same<F: Word>(pair: DoubleWord<F>, word: F) {
    assert!(
        pair.hi() == word || pair.is_nan() && word.is_nan(),
        "{pair:?} is not {word}"
    );
    assert!(pair.lo().is_zero(), "{pair:?}");
}

fn beyond_the_range<F: Neighbours>() {
    let huge = DoubleWord::<F>::from(F::max_value());
    let tiny = DoubleWord::<F>::from(F::zero().up());
    let infinite = F::one() / F::zero();
    same(huge + huge, infinite);
    same(-huge - huge, -infinite);
    same(huge * huge, infinite);
    same(huge * -huge, -infinite);
    same(huge / tiny, infinite);
    same(-huge / tiny, -infinite);
    same(tiny * tiny, F::zero());
    same(tiny / huge, F::zero());
    for extreme in [huge, tiny] {
        same(extreme / -(-extreme), F::one());
    }
    same(huge.scale_exponent(i32::MAX), infinite);
    same(huge.scale_exponent(i32::MIN), F::zero());
    same(DoubleWord::new(F::max_value(), F::max_value()), infinite);
    assert!((huge % tiny).is_nan(), "no digit of the remainder is left");
    same(tiny % huge, tiny.hi());
    assert_eq!([huge, huge].into_iter().sum::<DoubleWord<F>>().hi(), infinite);
}

#[test]
fn zeros_infinities_and_nan() {
    operators_agree_with_words::<f32>();
    operators_agree_with_words::<f64>();
}

#[test]
fn overflow_is_infinite_and_underflow_zero() {
    beyond_the_range::<f32>();
    beyond_the_range::<f64>();
    same(DoubleWord::<f32>::from_f64(1e39), f32::INFINITY);
    same(DoubleWord::<f32>::from_f64(-1e300), f32::NEG_INFINITY);
    same(DoubleWord::<f32>::from_f64(1e-60), 0.0);
}

#[test]
fn exact_results_are_exact() {
    fn exact<F: Word>() {
        let whole = |n: i32| DoubleWord::<F>::from_f64(n.into());
        for n in -40..40 {
            for m in (-40..40).filter(|&m| m != 0) {
                assert_eq!(whole(n * m) / whole(m), whole(n));
                assert_eq!(whole(n) % whole(m), whole(n % m));
                assert_eq!(whole(n).mul_add(whole(m), whole(7)), whole(n * m + 7));
            }
            assert_eq!((whole(n) * whole(n)).sqrt(), whole(n).abs());
        }
        let terms: Vec<_> = (1..=10).map(whole).collect();
        assert_eq!(terms.iter().sum::<DoubleWord<F>>(), whole(55));
        assert_eq!(terms.iter().product::<DoubleWord<F>>(), whole(3_628_800));
        let mut x = whole(1);
        x += whole(9);
        x *= whole(6);
        x -= whole(4);
        x /= whole(4);
        x %= whole(8);
        assert_eq!(x, whole(6));
    }
    exact::<f32>();
    exact::<f64>();
}
