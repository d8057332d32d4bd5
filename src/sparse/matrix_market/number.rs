//! Numbers as they occur in files, and why a word is none.

use num_bigint::BigInt;

use super::lines::quote;
use crate::rational::{self, Rational};

/// A decimal number, rounded to the nearest f64. Fortran's exponents are read: `1D+3`, and `1-100` for those of three
/// digits, where it leaves the letter out.
pub(super) fn real(word: &[u8]) -> Result<f64, String> {
    let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    let value = parsed
        .or_else(|| spelt_with_e(word)?.parse().ok())
        .ok_or_else(|| format!("{} is not a number", quote(word)))?;
    // Only the words inf and infinity mean one.
    if f64::is_infinite(value) && word.iter().any(u8::is_ascii_digit) {
        return Err(format!("{} is too large for f64", quote(word)));
    }
    Ok(value)
}

/// A whole number of at most 128 bits, rounded to the nearest f64.
pub(super) fn integer(word: &[u8]) -> Result<f64, String> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let not_whole = || format!("{} is not a whole number, but the field is integer", quote(word));
    match std::str::from_utf8(word).map_err(|_| not_whole())?.parse::<i128>() {
        Ok(value) => Ok(value as f64),
        Err(error) if matches!(error.kind(), PosOverflow | NegOverflow) => {
            Err(format!("the integer {} has more than 128 bits", quote(word)))
        }
        Err(_) => Err(not_whole()),
    }
}

/// A row or column, counted from 1 in the file and from 0 here.
pub(super) fn index(word: &[u8], what: &str, extent: usize) -> Result<usize, String> {
    match whole(word, what)? {
        0 => Err(format!("the {what} is 0: Matrix Market counts from 1")),
        value => match usize::try_from(value - 1) {
            Ok(index) if index < extent => Ok(index),
            _ => Err(format!("the {what} is {value}, but the matrix has {extent}")),
        },
    }
}

/// An extent or a count of the size line: at most 2³² − 1, so that indices fit 32 bits.
pub(super) fn size(word: &[u8], what: &str) -> Result<u32, String> {
    let value = whole(word, what)?;
    u32::try_from(value).map_err(|_| format!("the {what} is {value}, more than the {} that are supported", u32::MAX))
}

/// A count without a sign, or with a needless plus.
fn whole(word: &[u8], what: &str) -> Result<u64, String> {
    use std::num::IntErrorKind::PosOverflow;
    match std::str::from_utf8(word).map(str::parse::<u64>) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) if *error.kind() == PosOverflow => Err(format!("the {what} {} is beyond 64 bits", quote(word))),
        _ => Err(format!("the {what} {} is not a whole number ≥ 0", quote(word))),
    }
}

/// A decimal number as it is written, not rounded: 0.1 is 1/10. Spelt as for [`real`].
pub(super) fn exact_real(word: &[u8]) -> Result<Rational, String> {
    if !word.iter().any(u8::is_ascii_digit) && real(word).is_ok() {
        return Err(format!("{} is not finite, and no fraction is", quote(word)));
    }
    let text = spelt_with_e(word).ok_or_else(|| format!("{} is not a number", quote(word)))?;
    rational::scientific(&text)
}

/// A whole number of any length.
pub(super) fn exact_integer(word: &[u8]) -> Result<Rational, String> {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    // Big integers would be read with underscores, too.
    let whole = digits
        .iter()
        .all(u8::is_ascii_digit)
        .then(|| BigInt::parse_bytes(word, 10));
    match whole.flatten() {
        Some(whole) => Ok(Rational::from_integer(whole)),
        None => Err(format!(
            "{} is not a whole number, but the field is integer",
            quote(word)
        )),
    }
}

/// A number with Fortran's exponents in everybody's spelling; none for words with other letters.
fn spelt_with_e(word: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(word.len() + 1);
    let mut letter_seen = false;
    for (k, &byte) in word.iter().enumerate() {
        match byte {
            b'd' | b'D' | b'e' | b'E' if !letter_seen => {
                letter_seen = true;
                text.push('e');
            }
            b'+' | b'-' if k > 0 && !letter_seen && text.ends_with(|c: char| c.is_ascii_digit() || c == '.') => {
                letter_seen = true;
                text.push('e');
                text.push(byte.into());
            }
            b'0'..=b'9' | b'.' | b'+' | b'-' => text.push(byte.into()),
            _ => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_in_every_spelling() {
        for (word, value) in [
            ("1", 1.0),
            ("+1", 1.0),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("1e3", 1e3),
            ("1E+05", 1e5),
            ("1.0D+3", 1e3),
            ("-2.5d-1", -0.25),
            ("1D3", 1e3),
            ("1.25-100", 1.25e-100),
            ("-7.+101", -7e101),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("1e-400", 0.0),
            ("9007199254740993", 9_007_199_254_740_992.0),
        ] {
            assert_eq!(real(word.as_bytes()), Ok(value), "{word}");
        }
        assert!(real(b"NaN").is_ok_and(f64::is_nan));
        assert!(real(b"-0.0").is_ok_and(|zero| zero == 0.0 && zero.is_sign_negative()));
    }

    #[test]
    fn what_is_no_real() {
        for word in [
            "", "+", "-", ".", "e5", "D5", "1e", "1D", "1e5e5", "1-2-3", "1+", "--1", "1,5", "0x10", "1_000", "1.2.3",
        ] {
            assert!(real(word.as_bytes()).is_err(), "{word}");
        }
        assert!(real(b"\xff\xfe").is_err());
        for word in ["1e400", "-1D400", "1+999"] {
            assert!(
                real(word.as_bytes()).is_err_and(|reason| reason.contains("too large")),
                "{word}"
            );
        }
    }

    #[test]
    fn fractions_are_what_is_written() {
        let ratio = |numerator: i64, denominator: i64| Rational::new(numerator.into(), denominator.into());
        for (word, value) in [
            ("0.1", ratio(1, 10)),
            ("-2.5d-1", ratio(-1, 4)),
            ("1.0D+3", ratio(1000, 1)),
            ("1.25-2", ratio(1, 80)),
            ("-7.+1", ratio(-70, 1)),
            ("+1E+05", ratio(100_000, 1)),
            (
                "0.3333333333333333",
                ratio(3_333_333_333_333_333, 10_000_000_000_000_000),
            ),
        ] {
            assert_eq!(exact_real(word.as_bytes()), Ok(value), "{word}");
        }
        assert_eq!(
            exact_real(b"1e400"),
            Ok(Rational::from_integer(BigInt::from(10).pow(400)))
        );
        for word in ["nan", "inf", "-Infinity"] {
            assert!(
                exact_real(word.as_bytes()).is_err_and(|reason| reason.contains("not finite")),
                "{word}"
            );
        }
        for word in ["", "x", "1e5e5", "1-2-3", "--1", "1/2", "0x10", "1_000"] {
            let refused = exact_real(word.as_bytes());
            assert!(refused.is_err_and(|reason| reason.contains("not a number")), "{word}");
        }
        let long = [b'9'; 5000];
        assert_eq!(exact_integer(&long), exact_real(&long));
        assert_eq!(exact_integer(b"-0"), Ok(ratio(0, 1)));
        assert_eq!(exact_integer(b"+5"), Ok(ratio(5, 1)));
        for word in ["1.5", "1.0", "1e3", "", "+", "-", "--5", "+-5", "inf", "1_000"] {
            assert!(
                exact_integer(word.as_bytes()).is_err_and(|reason| reason.contains("whole number")),
                "{word}"
            );
        }
    }

    #[test]
    fn integers_are_exact_before_rounding() {
        assert_eq!(integer(b"18446744073709551615"), Ok(18_446_744_073_709_551_616.0));
        assert_eq!(integer(b"-9223372036854775808"), Ok(-9_223_372_036_854_775_808.0));
        assert_eq!(integer(b"+5"), Ok(5.0));
        for word in ["1.5", "1.0", "1e3", "", "inf", "x"] {
            assert!(
                integer(word.as_bytes()).is_err_and(|reason| reason.contains("whole number")),
                "{word}"
            );
        }
        assert!(integer(&[b'9'; 40]).is_err_and(|reason| reason.contains("128 bits")));
    }
}
