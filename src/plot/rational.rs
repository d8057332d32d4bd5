//! Exact fractions, and the texts they come in.

use num_bigint::BigInt;
use num_traits::{One, Zero};

/// A fraction of big integers, in lowest terms.
pub type Rational = num_rational::Ratio<BigInt>;

/// Digits of one number in a text: enough for any coefficient of at most [`MAX_BITS`](super::MAX_BITS) bits.
pub(super) const MAX_DIGITS: usize = 4_932;

/// A number without sign, `3`, `0.1`, `2.` or `.5`, exactly: a tenth is 1/10, not the nearest double.
pub(super) fn decimal(text: &str) -> Result<Rational, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{} is not a number", shortened(text)));
    }
    if whole.len() + fraction.len() > MAX_DIGITS {
        return Err(format!(
            "a number of {} digits, more than the {MAX_DIGITS} that are supported",
            whole.len() + fraction.len()
        ));
    }
    let digits: Vec<u8> = digits().collect();
    let numerator = BigInt::parse_bytes(&digits, 10).unwrap_or_default();
    let places = u32::try_from(fraction.len()).unwrap_or(u32::MAX);
    Ok(Rational::new(numerator, BigInt::from(10).pow(places)))
}

/// A number with a sign, perhaps a fraction: `-1.28`, `1/3`, `-2.5/7`.
pub(super) fn signed(text: &str) -> Result<Rational, String> {
    let text = text.trim();
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (numerator, denominator) = match magnitude.split_once('/') {
        Some((numerator, denominator)) => (decimal(numerator.trim())?, decimal(denominator.trim())?),
        None => (decimal(magnitude.trim())?, Rational::one()),
    };
    if denominator.is_zero() {
        return Err(format!("{} divides by zero", shortened(text)));
    }
    let value = numerator / denominator;
    Ok(if negative { -value } else { value })
}

/// A text in quotes that fits into a sentence.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return format!("{text:?}");
    }
    let begin: String = text.chars().take(LONGEST).collect();
    format!("{begin:?}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn texts_are_exact() {
        for (text, value) in [
            ("0.1", ratio(1, 10)),
            ("-1.28", ratio(-32, 25)),
            ("+2.", ratio(2, 1)),
            (" .5 ", ratio(1, 2)),
            ("1/3", ratio(1, 3)),
            ("-2.5/7", ratio(-5, 14)),
            ("0", ratio(0, 1)),
            ("-0.0", ratio(0, 1)),
        ] {
            assert_eq!(signed(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", ".", "-", "--1", "1e3", "1/0", "1/2/3", "nan", "1 2", "1..2", "1.2.3", "１", "/",
        ] {
            assert!(signed(text).is_err(), "{text:?}");
        }
        let long = "9".repeat(MAX_DIGITS + 1);
        assert!(signed(&long).is_err_and(|reason| reason.contains("4932")));
        assert!(signed(&long[1..]).is_ok());
    }
}
