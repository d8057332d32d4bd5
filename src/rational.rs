//! Exact fractions, and the texts they come in.

use num_bigint::BigInt;
use num_traits::{One, Zero};

/// A fraction of big integers, in lowest terms.
pub type Rational = num_rational::Ratio<BigInt>;

/// Digits of one number in an equation: enough for any coefficient of at most [`MAX_BITS`](crate::plot::MAX_BITS) bits.
pub(crate) const MAX_DIGITS: usize = 4_933;

/// The largest magnitude of an exponent of ten: no fraction grows beyond its digits by more than those.
pub(crate) const MAX_EXPONENT: u32 = 4_932;

/// A number without sign, `3`, `0.1`, `2.` or `.5`, exactly: a tenth is 1/10, not the nearest double.
pub(crate) fn decimal(text: &str) -> Result<Rational, String> {
    let (digits, places) = digits(text)?;
    if digits.len() > MAX_DIGITS {
        return Err(format!(
            "a number of {} digits, more than the {MAX_DIGITS} that are supported",
            digits.len()
        ));
    }
    Ok(scaled(&digits, -places))
}

/// A number with a sign and perhaps an exponent, `-1.5e-3` or `2E+5`, of as many digits as the text has, exactly.
pub(crate) fn scientific(text: &str) -> Result<Rational, String> {
    let (negative, magnitude) = sign(text);
    let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, self::exponent(exponent, text)?),
        None => (magnitude, 0),
    };
    let (digits, places) = digits(mantissa).map_err(|_| not_a_number(text))?;
    let value = scaled(&digits, exponent - places);
    Ok(if negative { -value } else { value })
}

fn not_a_number(text: &str) -> String {
    format!("{} is not a number", shortened(text))
}

/// Whether there is a minus, and what stands behind the sign.
fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// All digits, and how many of them stand behind the point.
fn digits(text: &str) -> Result<(Vec<u8>, i64), String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(not_a_number(text));
    }
    let places = i64::try_from(fraction.len()).map_err(|_| not_a_number(text))?;
    Ok((digits, places))
}

/// An exponent of ten of at most [`MAX_EXPONENT`], with or without a sign.
fn exponent(text: &str, number: &str) -> Result<i64, String> {
    let (negative, magnitude) = sign(text);
    if magnitude.is_empty() || !magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_a_number(number));
    }
    match magnitude.parse::<u32>() {
        Ok(exponent) if exponent <= MAX_EXPONENT => Ok(if negative {
            -i64::from(exponent)
        } else {
            i64::from(exponent)
        }),
        _ => Err(format!(
            "the exponent {} is beyond ±{MAX_EXPONENT}, which is what is supported",
            shortened(text)
        )),
    }
}

/// The whole number of these digits, times a power of ten.
fn scaled(digits: &[u8], power: i64) -> Rational {
    let numerator = BigInt::parse_bytes(digits, 10).unwrap_or_default();
    let ten = |power: u64| BigInt::from(10).pow(u32::try_from(power).unwrap_or(u32::MAX));
    if power < 0 {
        Rational::new(numerator, ten(power.unsigned_abs()))
    } else {
        Rational::from_integer(numerator * ten(power.unsigned_abs()))
    }
}

/// A number with a sign, perhaps a fraction: `-1.28`, `1/3`, `-2.5/7`.
pub(crate) fn signed(text: &str) -> Result<Rational, String> {
    let text = text.trim();
    let (negative, magnitude) = sign(text);
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
pub(crate) fn shortened(text: &str) -> String {
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
    fn exponents_are_exact() {
        let ten = |power: u32| Rational::from_integer(BigInt::from(10).pow(power));
        for (text, value) in [
            ("1e3", ratio(1000, 1)),
            ("-1.25E-2", ratio(-1, 80)),
            ("+.5e+1", ratio(5, 1)),
            ("3.e0", ratio(3, 1)),
            ("12", ratio(12, 1)),
            ("-0e5", ratio(0, 1)),
            ("1e4932", ten(4932)),
            ("1e-4932", ten(4932).recip()),
            ("1e00004932", ten(4932)),
        ] {
            assert_eq!(scientific(text), Ok(value), "{text}");
        }
        // As many digits as there are.
        let long = "7".repeat(20_000);
        let point = format!("{}.{}e4932", &long[4932..], &long[..4932]);
        assert_eq!(scientific(&point), scientific(&long));
        for text in [
            "", "-", "e5", "1e", "1e+", "1e5e5", "1e1.5", "--1", "1e--5", " 1", "1 ", "1/2", "inf", "1_0",
        ] {
            assert!(
                scientific(text).is_err_and(|reason| reason.ends_with("is not a number")),
                "{text:?}"
            );
        }
        for text in ["1e4933", "1e-4933", "0e99999", "1e99999999999999999999"] {
            assert!(
                scientific(text).is_err_and(|reason| reason.contains("beyond ±4932")),
                "{text:?}"
            );
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
        assert!(signed(&long).is_err_and(|reason| reason.contains("4933")));
        assert!(signed(&long[1..]).is_ok());
    }
}
