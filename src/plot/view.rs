//! The part of the plane that is looked at.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::rational::{self, Rational};

/// The rectangle [x0, x1] × [y0, y1], with rational sides that are longer than zero.
///
/// ```
/// use nonius::plot::View;
/// let view: View = "-1.28, 1.28, 0, 1/3".parse()?;
/// assert_eq!(view.to_string(), "-32/25,32/25,0,1/3");
/// assert!("1,0,0,1".parse::<View>().is_err());
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    x: (Rational, Rational),
    y: (Rational, Rational),
}

impl View {
    /// [x0, x1] × [y0, y1].
    ///
    /// # Errors
    /// [`Error::Shape`] unless x0 < x1 and y0 < y1.
    pub fn new(x: (Rational, Rational), y: (Rational, Rational)) -> Result<Self> {
        for (name, (low, high)) in [("x", &x), ("y", &y)] {
            if low >= high {
                return Err(Error::Shape {
                    operation: "view",
                    expected: format!("{name}0 < {name}1"),
                    found: format!("{name}0 = {low} and {name}1 = {high}"),
                });
            }
        }
        Ok(Self { x, y })
    }

    /// The square [-radius, radius]².
    ///
    /// # Errors
    /// [`Error::Shape`] unless the radius is above zero.
    pub fn square(radius: Rational) -> Result<Self> {
        let side = (-radius.clone(), radius);
        Self::new(side.clone(), side)
    }

    /// The left and the right end.
    #[must_use]
    pub fn x(&self) -> (&Rational, &Rational) {
        (&self.x.0, &self.x.1)
    }

    /// The lower and the upper end.
    #[must_use]
    pub fn y(&self) -> (&Rational, &Rational) {
        (&self.y.0, &self.y.1)
    }
}

/// Reads `x0,x1,y0,y1`, each a decimal number or a fraction such as `-2/3`, exactly.
impl FromStr for View {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = |found: String| Error::Shape {
            operation: "view",
            expected: "four numbers x0,x1,y0,y1, such as -2,2,-1.5,1/3".to_owned(),
            found,
        };
        let numbers: Vec<&str> = text.split(',').collect();
        let [x0, x1, y0, y1] = numbers[..] else {
            return Err(refused(format!("{} of them", numbers.len())));
        };
        let number = |text| rational::signed(text).map_err(&refused);
        Self::new((number(x0)?, number(x1)?), (number(y0)?, number(y1)?))
    }
}

/// As a text that reads back as the same view, unless a number has more digits than an equation may.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.x.0, self.x.1, self.y.0, self.y.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_that_are_none_are_refused() {
        for (text, why) in [
            ("", "1 of them"),
            ("1,2,3", "3 of them"),
            ("1,2,3,4,5", "5 of them"),
            ("0,0,0,1", "x0 = 0 and x1 = 0"),
            ("0,1,2,-1/3", "y0 = 2 and y1 = -1/3"),
            ("0,1,0,a", "\"a\" is not a number"),
            ("0,1,0,1/0", "divides by zero"),
            ("0,1,0,", "\"\" is not a number"),
            ("0,inf,0,1", "\"inf\" is not a number"),
        ] {
            let error = text.parse::<View>().expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
