//! Polynomials as people write them.
//!
//! ```text
//! equation = sum [ "=" sum ]                      f is left − right
//! sum      = product { ("+" | "-") product }
//! product  = signed { ("*" | "/" | nothing) signed }   after nothing, no sign
//! signed   = { "+" | "-" } power
//! power    = atom [ "^" exponent ]                exponent: a whole number, perhaps in parentheses
//! atom     = number | "x" | "y" | "(" sum ")"
//! ```
//!
//! Numbers are decimal, and exact: `0.1` is 1/10. A factor may follow another without a sign between them, and counts as
//! much as `*` and `/`, which go from left to right: `1/2x` is x/2, and `xy` is x·y. Only constants divide. A file holds
//! one equation; it may go over several lines, and `#` begins a comment that ends with the line.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use num_traits::Zero;

use super::polynomial::{MAX_BITS, MAX_DEGREE, Polynomial};
use crate::error::{Error, Result};
use crate::rational::{self, Rational};

/// Parentheses within parentheses.
pub const MAX_DEPTH: usize = 200;

/// Bytes of a text.
pub const MAX_BYTES: usize = 1 << 26;

/// Reads a text: see the [module](self).
///
/// # Errors
/// [`Error::Parse`], whose reason begins with the column, counted from 1: what is no polynomial in x and y, is constant,
/// is nested deeper than [`MAX_DEPTH`] or longer than [`MAX_BYTES`], has a degree above [`MAX_DEGREE`] (products along
/// the way included), or coefficients of more than [`MAX_BITS`] bits.
impl FromStr for Polynomial {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.len() > MAX_BYTES {
            let reason = format!(
                "the text has {} bytes, more than the {MAX_BYTES} that are read",
                text.len()
            );
            return Err(Error::Parse { line: 1, reason });
        }
        let mut parser = Parser { text, at: 0, depth: 0 };
        parser.equation().map_err(|Fault { at, reason }| {
            let before = &text[..at];
            let line = 1 + before.matches('\n').count();
            let column = 1 + before.rsplit('\n').next().map_or(0, |line| line.chars().count());
            let reason = format!("column {column}: {reason}");
            Error::Parse { line, reason }
        })
    }
}

/// Reads a file that holds one equation: see the [module](self).
///
/// # Errors
/// [`Error::File`], with the line and the column where the fault lies in the text.
pub fn read(path: impl AsRef<Path>) -> Result<Polynomial> {
    let path = path.as_ref();
    let refused = |reason: String| Error::File {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    let mut text = String::new();
    // One byte more than is allowed tells that there are too many, without reading them.
    let most = MAX_BYTES as u64 + 1;
    file.take(most)
        .read_to_string(&mut text)
        .map_err(|error| refused(error.to_string()))?;
    text.parse().map_err(|error: Error| refused(error.to_string()))
}

/// What is wrong, and the byte at which it begins.
struct Fault {
    at: usize,
    reason: String,
}

type Parsed<T> = std::result::Result<T, Fault>;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn equation(&mut self) -> Parsed<Polynomial> {
        if self.peek().is_none() {
            return Err(self.fault("there is nothing to read, where an equation in x and y should be"));
        }
        let mut f = self.sum()?;
        if self.take('=') {
            let at = self.at;
            let right = self.sum()?;
            self.limit(f.add(right, true), at)?;
            if self.peek() == Some('=') {
                return Err(self.fault("a second \"=\", where an equation has one"));
            }
        }
        match self.peek() {
            None => {}
            Some(')') => return Err(self.fault("this \")\" has no \"(\" before it")),
            Some(other) => return Err(self.unexpected(other)),
        }
        match f.as_constant() {
            None => Ok(f),
            Some(value) if value.is_zero() => Err(Fault {
                at: 0,
                reason: "everything cancels: 0 = 0 holds everywhere, and is no curve".to_owned(),
            }),
            Some(value) => Err(Fault {
                at: 0,
                reason: format!(
                    "there is no x and no y left: {} = 0 holds nowhere",
                    rational::shortened(&value.to_string())
                ),
            }),
        }
    }

    fn sum(&mut self) -> Parsed<Polynomial> {
        let mut sum = self.product()?;
        loop {
            let negative = match self.peek() {
                Some('+') => false,
                Some('-') => true,
                _ => return Ok(sum),
            };
            let at = self.at;
            self.at += 1;
            let product = self.product()?;
            // Every fraction may bring a denominator of its own, so that sums grow too.
            self.limit(sum.add(product, negative), at)?;
        }
    }

    fn product(&mut self) -> Parsed<Polynomial> {
        let mut product = self.signed()?;
        loop {
            match self.peek() {
                Some('*') => {
                    self.at += 1;
                    let at = self.at;
                    let factor = self.signed()?;
                    product = self.multiply(&product, &factor, at)?;
                }
                Some('/') => {
                    self.at += 1;
                    self.peek();
                    let at = self.at;
                    let divisor = self.signed()?;
                    product = self.divide(product, &divisor, at)?;
                }
                Some(letter) if begins_an_atom(letter) => {
                    let at = self.at;
                    let factor = self.power()?;
                    product = self.multiply(&product, &factor, at)?;
                }
                _ => return Ok(product),
            }
        }
    }

    fn signed(&mut self) -> Parsed<Polynomial> {
        let mut negative = false;
        loop {
            match self.peek() {
                Some('-') => negative = !negative,
                Some('+') => {}
                _ => break,
            }
            self.at += 1;
        }
        let power = self.power()?;
        Ok(if negative {
            let mut negated = Polynomial::default();
            negated.add(power, true);
            negated
        } else {
            power
        })
    }

    fn power(&mut self) -> Parsed<Polynomial> {
        let begin = self.at;
        let base = self.atom()?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = self.exponent()?;
        if self.peek() == Some('^') {
            return Err(self.fault("a power of a power: parentheses must say which is meant"));
        }
        let degree = u64::from(base.degree()) * u64::from(exponent);
        if degree > u64::from(MAX_DEGREE) {
            return Err(degree_fault(degree, begin));
        }
        // Of one term there is nothing to multiply out.
        if let Some(power) = base.power_of_term(exponent, MAX_BITS) {
            self.limit(power.bits(), begin)?;
            return Ok(power);
        }
        let mut power = Polynomial::constant(Rational::from_integer(1.into()));
        for _ in 0..exponent {
            power = self.multiply(&power, &base, begin)?;
        }
        Ok(power)
    }

    /// At most [`MAX_DEGREE`], of constants too.
    fn exponent(&mut self) -> Parsed<u32> {
        let parenthesis = self.take('(');
        self.peek();
        let at = self.at;
        let digits = self.while_in(|letter| letter.is_ascii_digit() || letter == '.');
        let whole = !digits.is_empty() && !digits.contains('.');
        if !whole {
            let found = match self.peek() {
                _ if !digits.is_empty() => rational::shortened(digits),
                Some(letter) => format!("{letter:?}"),
                None => "the end of the text".to_owned(),
            };
            let reason = format!("an exponent is a whole number such as 3, not {found}");
            return Err(Fault { at, reason });
        }
        let exponent = digits.parse().ok().filter(|exponent| *exponent <= MAX_DEGREE);
        let exponent = exponent.ok_or_else(|| Fault {
            at,
            reason: format!(
                "the exponent {} is above {MAX_DEGREE}, the highest that is supported",
                rational::shortened(digits)
            ),
        })?;
        if parenthesis && !self.take(')') {
            return Err(self.fault("the exponent's \"(\" wants its \")\" here"));
        }
        Ok(exponent)
    }

    fn atom(&mut self) -> Parsed<Polynomial> {
        let Some(letter) = self.peek() else {
            return Err(self.fault("the text ends where a number, x, y or \"(\" should be"));
        };
        let at = self.at;
        match letter {
            'x' | 'y' => {
                self.at += 1;
                Ok(Polynomial::variable(if letter == 'x' { (1, 0) } else { (0, 1) }))
            }
            '0'..='9' | '.' => {
                let digits = self.while_in(|letter| letter.is_ascii_digit() || letter == '.');
                let value = rational::decimal(digits).map_err(|reason| Fault { at, reason })?;
                Ok(Polynomial::constant(value))
            }
            '(' => {
                if self.depth == MAX_DEPTH {
                    return Err(self.fault(&format!("parentheses are nested more than {MAX_DEPTH} deep")));
                }
                self.at += 1;
                self.depth += 1;
                let inner = self.sum()?;
                self.depth -= 1;
                if self.take(')') {
                    return Ok(inner);
                }
                match self.peek() {
                    None | Some('=') => Err(Fault {
                        at,
                        reason: "this \"(\" has no \")\"".to_owned(),
                    }),
                    Some(other) => Err(self.unexpected(other)),
                }
            }
            ')' => Err(self.fault("a \")\" where a number, x, y or \"(\" should be")),
            other => Err(self.unexpected(other)),
        }
    }

    fn multiply(&self, a: &Polynomial, b: &Polynomial, at: usize) -> Parsed<Polynomial> {
        let degree = u64::from(a.degree()) + u64::from(b.degree());
        if degree > u64::from(MAX_DEGREE) {
            return Err(degree_fault(degree, at));
        }
        let product = a.times(b);
        self.limit(product.bits(), at)?;
        Ok(product)
    }

    fn divide(&self, a: Polynomial, divisor: &Polynomial, at: usize) -> Parsed<Polynomial> {
        let fault = |reason: String| Err(Fault { at, reason });
        match divisor.as_constant() {
            None => fault("only constants divide, and this has an x or y".to_owned()),
            Some(value) if value.is_zero() => fault("a division by zero".to_owned()),
            Some(value) => {
                let quotient = a.scaled(&value.recip());
                self.limit(quotient.bits(), at)?;
                Ok(quotient)
            }
        }
    }

    fn limit(&self, bits: u64, at: usize) -> Parsed<()> {
        if bits > MAX_BITS {
            let reason = format!("a coefficient of {bits} bits, more than the {MAX_BITS} that are supported");
            return Err(Fault { at, reason });
        }
        Ok(())
    }

    /// The next letter that says something.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = &self.text[self.at..];
            let letter = rest.chars().next()?;
            if letter == '#' {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if letter.is_whitespace() {
                self.at += letter.len_utf8();
            } else {
                return Some(letter);
            }
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn while_in(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn unexpected(&mut self, letter: char) -> Fault {
        let at = self.at;
        let reason = if letter.is_alphabetic() {
            let name = self.while_in(char::is_alphanumeric);
            format!("{} is unknown: the variables are x and y", rational::shortened(name))
        } else {
            format!("{letter:?} does not belong here")
        };
        Fault { at, reason }
    }

    fn fault(&self, reason: &str) -> Fault {
        Fault {
            at: self.at,
            reason: reason.to_owned(),
        }
    }
}

fn begins_an_atom(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '(' | '.')
}

fn degree_fault(degree: u64, at: usize) -> Fault {
    let reason = format!("the degree {degree} is above {MAX_DEGREE}, the highest that is supported");
    Fault { at, reason }
}
