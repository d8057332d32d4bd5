//! Reading is correctly rounded, printing reads back, and nothing that is typed does harm.

use std::time::{Duration, Instant};

use nonius::scalar::{DoubleWord, Scalar, Word};
use nonius::{Dd, Df64, Error};
use num_bigint::BigInt;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::both;
use crate::cases::{Neighbours, finite};
use crate::convert::nearest_pair;
use crate::exact::Exact;

both!(round_trip, finite, printing_reads_back, crate::cases::FEW);
both!(reading, decimals, reading_is_the_nearest_pair);
both!(ties, finite, reading_between_pairs_is_nearest, crate::cases::FEW);
both!(like_words, formatted, precision_is_that_of_words);
both!(rounding, finite, precision_rounds_correctly, crate::cases::FEW);

fn printing_reads_back<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    prop_assert_eq!(DoubleWord::parse(&x.to_string()).unwrap(), x);
    prop_assert_eq!(DoubleWord::parse(&format!("{x:e}")).unwrap(), x);
    // One digit fewer would not do.
    let digits = format!("{x:e}")
        .bytes()
        .take_while(|&byte| byte != b'e')
        .filter(u8::is_ascii_digit)
        .count();
    if digits > 1 {
        prop_assert_ne!(DoubleWord::parse(&format!("{x:.*e}", digits - 2)).unwrap(), x);
    }
    Ok(())
}

/// Digits and a power of ten that reach past both ends of the range.
fn decimals<F: Neighbours>() -> impl Strategy<Value = (String, i64)> {
    let reach = i64::from(F::MAX_EXPONENT) * 302 / 1000 + 20;
    ("-?[0-9]{1,60}", -reach - 60..reach)
}

fn reading_is_the_nearest_pair<F: Neighbours>((digits, power): (String, i64)) -> TestCaseResult {
    const LIFT: u32 = 500;
    let x = DoubleWord::<F>::parse(&format!("{digits}e{power}")).unwrap();
    let integer: BigInt = digits.parse().unwrap();
    if !x.is_finite() {
        prop_assert!(x.lo().is_zero());
        let least = Exact::of_word(F::max_value()).lifted(LIFT);
        prop_assert!(Exact::decimal_lifted(&integer, power, LIFT).abs() > least);
        return Ok(());
    }
    // |v - pair|, all of it times 5^LIFT so that powers of ten are integers times powers of two.
    let exact = Exact::decimal_lifted(&integer, power, LIFT);
    let miss = |lo: F| ((Exact::of_word(x.hi()) + Exact::of_word(lo)).lifted(LIFT) - exact.clone()).abs();
    let least = miss(x.lo());
    prop_assert!(least <= miss(x.lo().up()) && least <= miss(x.lo().down()), "{:?}", x);
    prop_assert!(x.hi() + x.lo() == x.hi());
    // A point anywhere says the same.
    let (whole, fraction) = digits.split_at(digits.len() - 1);
    if whole.ends_with(|symbol: char| symbol.is_ascii_digit()) {
        prop_assert_eq!(
            DoubleWord::parse(&format!("{whole}.{fraction}E{:+}", power + 1)).unwrap(),
            x
        );
    }
    Ok(())
}

fn reading_between_pairs_is_nearest<F: Neighbours>(x: DoubleWord<F>) -> TestCaseResult {
    let step = Exact::of_word(x.lo().up()) - Exact::of_word(x.lo());
    let half = step * Exact::new(1, -1);
    let nothing = Exact::new(1, -1300);
    for exact in [
        Exact::of(x),
        Exact::of(x) + half.clone(),
        Exact::of(x) + half.clone() + nothing.clone(),
        Exact::of(x) + half - nothing,
    ] {
        nearest_pair(DoubleWord::<F>::parse(&exact.text()).unwrap(), &exact)?;
    }
    Ok(())
}

fn formatted<F: Neighbours>() -> impl Strategy<Value = (F, usize)> {
    (crate::cases::word(-60..60), 0..30_usize)
}

fn precision_is_that_of_words<F: Word>((x, places): (F, usize)) -> TestCaseResult {
    let pair = DoubleWord::from(x);
    prop_assert_eq!(format!("{pair:.places$}"), format!("{x:.places$}"));
    prop_assert_eq!(format!("{pair:.places$e}"), format!("{x:.places$e}"));
    prop_assert_eq!(format!("{pair:+030.places$}"), format!("{x:+030.places$}"));
    prop_assert_eq!(format!("{pair:>40.places$}"), format!("{x:>40.places$}"));
    Ok(())
}

fn precision_rounds_correctly<F: Word>(x: DoubleWord<F>) -> TestCaseResult {
    for places in [0_u32, 1, 5, 17] {
        let text = format!("{x:.*}", usize::try_from(places).unwrap());
        let integer: BigInt = text.replace('.', "").parse().unwrap();
        // |text - x| <= half of 10^-places, times 10^places = 5^places · 2^places.
        let scaled = Exact::of(x).lifted(places) * Exact::new(1, i64::from(places));
        prop_assert!((Exact::new(integer, 0) - scaled).abs() <= Exact::new(1, -1), "{}", text);
    }
    Ok(())
}

#[test]
fn printing_by_value() {
    // Zeros that the standard library stops counting.
    let (small, large) = (
        format!("0.{}1e700001", "0".repeat(700_000)),
        format!("1{}e-700000", "0".repeat(700_000)),
    );
    for text in [small, large] {
        assert_eq!(
            (
                f32::parse(&text).unwrap(),
                f64::parse(&text).unwrap(),
                Dd::parse(&text).unwrap()
            ),
            (1.0, 1.0, Dd::from(1))
        );
    }
    let read = |text: &str| Df64::parse(text).unwrap();
    for text in [
        "0",
        "-0",
        "1",
        "-1",
        "0.1",
        "123.456",
        "100000000000",
        "0.0001",
        "3.14159265358979",
    ] {
        assert_eq!(read(text).to_string(), text);
        assert_eq!(Dd::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(
        format!("{:e} {:e} {:e}", read("0.1"), read("1500"), read("0")),
        "1e-1 1.5e3 0e0"
    );
    assert_eq!(
        format!("{:.3e} {:.3e} {:.0e}", read("0.1"), read("9.9996"), read("2.5")),
        "1.000e-1 1.000e1 2e0"
    );
    assert_eq!(
        format!(
            "{:.0} {:.0} {:.0} {:.2}",
            read("0.5"),
            read("1.5"),
            read("2.5"),
            read("0.125")
        ),
        "0 2 2 0.12"
    );
    assert_eq!(
        format!("{:.1} {:.0} {:.2}", read("-0.04"), read("0.6"), read("99.999")),
        "-0.0 1 100.00"
    );
    // A word alone reads back only with all its digits: the text 0.1 has a low word.
    assert_eq!(Df64::from(0.1_f32).to_string(), "0.100000001490116119384765625");
    let third = Dd::from(1) / Dd::from(3);
    assert_eq!(format!("{third:.40}"), "0.3333333333333333333333333333333323061707");
    assert_eq!(format!("{:.2} {:e}", read("inf"), read("-Infinity")), "inf -inf");
    assert_eq!(format!("{:.1}", read("nan")), "NaN");
}

#[test]
fn extremes_read_fast() {
    let start = Instant::now();
    for (text, value) in [
        ("1e999999999", f64::INFINITY),
        ("-1e99999999999999999999999999", f64::NEG_INFINITY),
        ("1e-999999999", 0.0),
        ("0e999999999", 0.0),
        ("0.0000e-99999999999999999999", 0.0),
    ] {
        assert_eq!(Dd::parse(text).unwrap().to_f64(), value);
        assert_eq!(Df64::parse(text).unwrap().to_f64(), value);
        assert_eq!(f64::parse(text).unwrap(), value);
        assert_eq!(f64::from(f32::parse(text).unwrap()), value);
    }
    let zeros = "0".repeat(100_000);
    assert_eq!(Dd::parse(&format!("0.{zeros}1e100001")).unwrap(), Dd::from(1));
    assert_eq!(Dd::parse(&format!("1{zeros}e-100000")).unwrap(), Dd::from(1));
    assert_eq!(Dd::parse(&format!("1{zeros}")).unwrap().to_f64(), f64::INFINITY);
    assert_eq!(Dd::parse(&format!("1.{zeros}1")).unwrap(), Dd::from(1));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn malformed_texts_say_why() {
    let refused = [
        ("", "empty"),
        ("-", "no digits"),
        (".", "no digits"),
        ("e5", "no digits"),
        ("1e", "exponent has no digits"),
        ("1e+", "exponent has no digits"),
        ("1e1.5", "'.' does not belong in its exponent"),
        ("1.2.3", "'.' does not belong"),
        ("1,5", "',' does not belong"),
        (" 1", "' ' does not belong"),
        ("--1", "'-' does not belong"),
        ("0x10", "'x' does not belong"),
        ("infinit", "'i' does not belong"),
        ("١", "does not belong"),
        ("1e١", "does not belong"),
        ("1_000", "'_' does not belong"),
    ];
    for (text, reason) in refused {
        let errors = [
            f32::parse(text).err(),
            f64::parse(text).err(),
            Df64::parse(text).err(),
            text.parse::<Dd>().err(),
        ];
        for error in errors {
            match error {
                Some(Error::Parse { line: 1, reason: found }) => assert!(found.contains(reason), "{text:?}: {found}"),
                other => panic!("{text:?} gave {other:?}"),
            }
        }
    }
    let long = Df64::parse(&"x".repeat(1_000_000)).unwrap_err().to_string();
    assert!(long.len() < 200, "a long text is cut");
}
