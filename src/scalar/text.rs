//! Decimal text of pairs, exactly: a word is a finite decimal, so reading and printing need only sums of decimals and
//! the standard library's correctly rounded words.

use std::cmp::Ordering;
use std::fmt::{Display, Formatter, LowerExp};
use std::str::FromStr;

use super::{DoubleWord, Scalar, Word};
use crate::{Error, Result};

/// The nearest pair; see [`Scalar::parse`].
///
/// ```
/// let tenth: nonius::Dd = "0.1".parse()?;
/// assert_eq!(tenth.lo(), -5.551115123125783e-18);
/// # Ok::<(), nonius::Error>(())
/// ```
impl<F: Word> FromStr for DoubleWord<F> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse_pair(text)
    }
}

/// Without a precision: digits enough that reading gives the same pair, and rounded to one less it would not.
/// With one, as in `{:.5}`: that many digits after the point, correctly rounded, ties to even.
///
/// ```
/// let tenth: nonius::Df64 = "0.1".parse()?;
/// assert_eq!(format!("{tenth} {tenth:.3}"), "0.1 0.100");
/// # Ok::<(), nonius::Error>(())
/// ```
impl<F: Word> Display for DoubleWord<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if !self.hi().is_finite() {
            return Display::fmt(&self.hi(), f);
        }
        let (decimal, places) = match f.precision() {
            None => (shortest(*self), 0),
            Some(places) => {
                let exact = Decimal::of_pair(*self);
                let kept = exact.point.saturating_add(i64::try_from(places).unwrap_or(i64::MAX));
                (exact.rounded(kept), places)
            }
        };
        f.pad_integral(!decimal.negative, "", &decimal.plain(places))
    }
}

/// As [`Display`], with an exponent; a precision counts the digits after the point: `{:.3e}` prints `1.000e-1`.
impl<F: Word> LowerExp for DoubleWord<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if !self.hi().is_finite() {
            return LowerExp::fmt(&self.hi(), f);
        }
        let (decimal, places) = match f.precision() {
            None => (shortest(*self), 0),
            Some(places) => {
                let kept = i64::try_from(places).unwrap_or(i64::MAX).saturating_add(1);
                (Decimal::of_pair(*self).rounded(kept), places)
            }
        };
        f.pad_integral(!decimal.negative, "", &decimal.scientific(places))
    }
}

/// The pair nearest to a decimal text.
pub(super) fn parse_pair<F: Word>(text: &str) -> Result<DoubleWord<F>> {
    match read(text)? {
        Number::Special => Ok(DoubleWord::word(
            text.parse().map_err(|_| malformed(text, "it is no number"))?,
        )),
        Number::Finite(decimal) => nearest_pair(&decimal).ok_or_else(|| malformed(text, "it is no number")),
    }
}

/// The word nearest to a decimal text: the same grammar for every scalar.
pub(super) fn parse_word<F: Word>(text: &str) -> Result<F> {
    let nearest = match read(text)? {
        Number::Special => text.parse().ok(),
        // From its digits, since the standard library gives up counting where zeros are too many.
        Number::Finite(decimal) => decimal.nearest_word(),
    };
    nearest.ok_or_else(|| malformed(text, "it is no number"))
}

/// Nothing doubles reach beyond 10^±`REACH`, error terms included.
const REACH: i64 = 400;

/// A magnitude 0.d₁d₂d₃… · 10^point, with a sign. No zeros lead or trail the digits; zero has none, and point 0.
#[derive(Debug, Clone)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn new(negative: bool, mut digits: Vec<u8>, point: i64) -> Self {
        let leading = digits.iter().take_while(|&&digit| digit == 0).count();
        digits.drain(..leading);
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let point = if digits.is_empty() {
            0
        } else {
            point.saturating_sub_unsigned(leading as u64)
        };
        Self {
            negative,
            digits,
            point,
        }
    }

    /// The exact value of a finite word: m·2^e has -e decimals if e < 0 and none otherwise, and the standard library
    /// prints as many as it is asked for, exactly.
    fn of_word<F: Word>(word: F) -> Self {
        let value = word.to_f64();
        let lowest_bit = value
            .exponent()
            .map_or(0, |exponent| exponent - 52 + trailing_zeros(value));
        let decimals = usize::try_from(-lowest_bit).unwrap_or(0);
        let text = format!("{:.decimals$}", value.abs());
        let digits: Vec<u8> = text
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|byte| byte - b'0')
            .collect();
        let point = signed(digits.len()) - signed(decimals);
        Self::new(value.is_sign_negative(), digits, point)
    }

    fn of_pair<F: Word>(pair: DoubleWord<F>) -> Self {
        if pair.lo().is_zero() {
            // Not the sum, which would lose the sign of a zero.
            return Self::of_word(pair.hi());
        }
        Self::of_word(pair.hi()).plus(&Self::of_word(pair.lo()))
    }

    /// The exact sum, column by column.
    fn plus(&self, other: &Self) -> Self {
        if other.digits.is_empty() {
            return self.clone();
        }
        if self.digits.is_empty() {
            return other.clone();
        }
        let top = self.point.max(other.point);
        let bottom = self.last_column().min(other.last_column());
        let mut columns = vec![0_i8; usize::try_from(top - bottom).unwrap_or(0)];
        for term in [self, other] {
            let start = usize::try_from(top - term.point).unwrap_or(0);
            for (column, &digit) in columns[start..].iter_mut().zip(&term.digits) {
                let digit = digit.cast_signed();
                *column += if term.negative { -digit } else { digit };
            }
        }
        // Borrowing out of the top means that the sum is negative: then its negation has digits.
        let negative = carry(&mut columns.clone()) < 0;
        if negative {
            columns.iter_mut().for_each(|column| *column = -*column);
        }
        let carried = carry(&mut columns);
        let digits = std::iter::once(carried).chain(columns).map(i8::cast_unsigned).collect();
        Self::new(negative, digits, top + 1)
    }

    /// The weight of the last digit is 10 to this.
    fn last_column(&self) -> i64 {
        self.point - signed(self.digits.len())
    }

    /// To the first `count` digits, to nearest, ties to even. A count of zero or less rounds to zero or to a one in the
    /// place before the first digit.
    fn rounded(&self, count: i64) -> Self {
        let zero = Self {
            negative: self.negative,
            digits: Vec::new(),
            point: 0,
        };
        let Ok(count) = usize::try_from(count) else {
            return zero;
        };
        if count >= self.digits.len() {
            return self.clone();
        }
        let (kept, dropped) = self.digits.split_at(count);
        let odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        let up = match dropped[0].cmp(&5) {
            Ordering::Equal => dropped.len() > 1 || odd,
            other => other == Ordering::Greater,
        };
        let mut digits = vec![0];
        digits.extend(kept);
        if up {
            let nines = digits.iter().rev().take_while(|&&digit| digit == 9).count();
            // There are count + 1 digits, and the first is no nine.
            digits[count - nines] += 1;
            digits[count - nines + 1..].fill(0);
        }
        Self::new(self.negative, digits, self.point + 1)
    }

    /// The correctly rounded word, by the standard library.
    fn nearest_word<F: Word>(&self) -> Option<F> {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0.{}e{}", self.digit_text(0, usize::MAX), self.point)
            .parse()
            .ok()
    }

    /// Digits without exponent, at least `places` of them after the point.
    fn plain(&self, places: usize) -> String {
        let before = usize::try_from(self.point).unwrap_or(0);
        let zeros_after = usize::try_from(-self.point).unwrap_or(0);
        let whole = if before == 0 {
            "0".to_owned()
        } else {
            self.digit_text(0, before)
        };
        let mut fraction = "0".repeat(zeros_after);
        fraction.push_str(&self.digit_text(before, usize::MAX));
        with_fraction(whole, fraction, places)
    }

    /// One digit, the rest after the point, and the exponent.
    fn scientific(&self, places: usize) -> String {
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let mantissa = with_fraction(self.digit_text(0, 1), self.digit_text(1, usize::MAX), places);
        format!("{mantissa}e{exponent}")
    }

    /// The digits from `start` on, below `end`; where there are no more, zeros if an end is given.
    fn digit_text(&self, start: usize, end: usize) -> String {
        let known = self.digits.len();
        let end = if end == usize::MAX {
            known.max(start).max(1)
        } else {
            end
        };
        (start..end)
            .map(|i| char::from(b'0' + self.digits.get(i).copied().unwrap_or(0)))
            .collect()
    }
}

/// What a text says.
enum Number {
    /// An infinity or NaN, or a magnitude that the standard library makes infinite or zero without looking further.
    Special,
    Finite(Decimal),
}

fn read(text: &str) -> Result<Number> {
    let (negative, body) = match text.as_bytes().first() {
        None => return Err(malformed(text, "it is empty")),
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        Some(_) => (false, text),
    };
    if ["inf", "infinity", "nan"]
        .iter()
        .any(|name| body.eq_ignore_ascii_case(name))
    {
        return Ok(Number::Special);
    }
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (body, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power = match exponent {
        None => 0,
        Some(exponent) => read_exponent(text, exponent)?,
    };
    let stray = whole
        .chars()
        .chain(fraction.chars())
        .find(|symbol| !symbol.is_ascii_digit());
    if let Some(symbol) = stray {
        return Err(malformed(text, &format!("{symbol:?} does not belong there")));
    }
    if whole.is_empty() && fraction.is_empty() {
        return Err(malformed(text, "it has no digits"));
    }
    let digits = whole.bytes().chain(fraction.bytes()).map(|byte| byte - b'0').collect();
    let decimal = Decimal::new(negative, digits, power.saturating_add(signed(whole.len())));
    // Clamped beyond all reach, so that no exponent, however long, costs time or memory.
    let out_of_reach = !(-REACH..=REACH).contains(&decimal.point);
    Ok(Number::Finite(if out_of_reach {
        Decimal {
            digits: vec![1],
            point: decimal.point.clamp(-2 * REACH, 2 * REACH),
            ..decimal
        }
    } else {
        decimal
    }))
}

fn read_exponent(text: &str, exponent: &str) -> Result<i64> {
    let (negative, digits) = match exponent.as_bytes().first() {
        Some(b'-') => (true, &exponent[1..]),
        Some(b'+') => (false, &exponent[1..]),
        _ => (false, exponent),
    };
    if digits.is_empty() {
        return Err(malformed(text, "its exponent has no digits"));
    }
    let mut value = 0_i64;
    for symbol in digits.chars() {
        let Some(digit) = symbol.to_digit(10) else {
            return Err(malformed(text, &format!("{symbol:?} does not belong in its exponent")));
        };
        value = value.saturating_mul(10).saturating_add(i64::from(digit));
    }
    Ok(if negative { -value } else { value })
}

/// Leading word: the nearest. Trailing word: the nearest to the exact rest, which may round up to a tie with an odd
/// leading word; hence the last step.
fn nearest_pair<F: Word>(decimal: &Decimal) -> Option<DoubleWord<F>> {
    let hi: F = decimal.nearest_word()?;
    if !hi.is_finite() || hi.is_zero() {
        return Some(DoubleWord::word(hi));
    }
    let lo = decimal.plus(&Decimal::of_word(-hi)).nearest_word()?;
    Some(DoubleWord::pair(hi.fast_two_sum(lo)).or_word(hi))
}

/// The fewest digits that read back as the pair, by bisection: a longer rounding is never farther away.
fn shortest<F: Word>(pair: DoubleWord<F>) -> Decimal {
    let exact = Decimal::of_pair(pair);
    let (mut low, mut high) = (1, signed(exact.digits.len()));
    while low < high {
        let middle = i64::midpoint(low, high);
        if nearest_pair(&exact.rounded(middle)) == Some(pair) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    exact.rounded(high)
}

/// Brings every column into 0..=9; the carry out of the first is left over.
fn carry(columns: &mut [i8]) -> i8 {
    let mut carried = 0;
    for column in columns.iter_mut().rev() {
        let sum = *column + carried;
        *column = sum.rem_euclid(10);
        carried = sum.div_euclid(10);
    }
    carried
}

fn with_fraction(whole: String, mut fraction: String, places: usize) -> String {
    while fraction.len() > places && fraction.ends_with('0') {
        fraction.pop();
    }
    fraction.extend(std::iter::repeat_n('0', places.saturating_sub(fraction.len())));
    if fraction.is_empty() {
        whole
    } else {
        format!("{whole}.{fraction}")
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most 64")]
fn trailing_zeros(value: f64) -> i32 {
    // Scaled to a 53-bit integer first: a subnormal has no leading one in its encoding.
    let exponent = value.exponent().unwrap_or(0);
    (value.abs().scale_exponent(52 - exponent) as u64).trailing_zeros() as i32
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

pub(super) fn malformed(text: &str, reason: &str) -> Error {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    Error::Parse {
        line: 1,
        reason: format!("{shown:?}{more} is not a number: {reason}"),
    }
}
