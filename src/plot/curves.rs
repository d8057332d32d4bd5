//! Curves that have names.
//!
//! The three suits are those of Risa/Asir's standard library, which Suzuki and Murao (2010) measured: coefficients only,
//! expanded, without denominators and common factors. The others are classics.

use super::polynomial::Polynomial;
use super::view::View;
use crate::error::{Error, Result};
use crate::rational;

/// A curve with a name, and where to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curve {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// f = 0, as [`Polynomial`] reads it.
    pub equation: &'static str,
    view: &'static str,
}

impl Curve {
    /// f.
    ///
    /// # Errors
    /// None, for the curves of [`ALL`].
    pub fn polynomial(&self) -> Result<Polynomial> {
        self.equation.parse()
    }

    /// A rectangle in which the curve shows what it is.
    ///
    /// # Errors
    /// None, for the curves of [`ALL`].
    pub fn view(&self) -> Result<View> {
        self.view.parse()
    }
}

/// The curve of this name.
///
/// # Errors
/// [`Error::Shape`] with the names that there are.
///
/// ```
/// use nonius::plot::curves;
/// let heart = curves::by_name("heart")?.polynomial()?;
/// assert_eq!((heart.degree(), heart.terms().count()), (6, 16));
/// assert!(curves::by_name("club").is_err());
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn by_name(name: &str) -> Result<Curve> {
    let found = ALL.iter().find(|curve| curve.name == name);
    found.copied().ok_or_else(|| Error::Shape {
        operation: "plot",
        expected: format!("one of the curves {}", ALL.map(|curve| curve.name).join(", ")),
        found: rational::shortened(name),
    })
}

/// Every curve that has a name.
pub const ALL: [Curve; 24] = [
    // Risa/Asir (Fujitsu Laboratories, Kobe University), the library of ifplot: HD with a = 0, b = 1/2, x for 4x/5; the
    // diamond; SD; and S.
    Curve {
        name: "heart",
        about: "A heart, of degree 6 with 16 terms, that Suzuki and Murao (2010) measured; four isolated points belong to it.",
        equation: include_str!("curves/heart.poly"),
        view: "-2,2,-2,2",
    },
    Curve {
        name: "diamond",
        about: "A diamond of degree 6, with four cusps for corners.",
        equation: include_str!("curves/diamond.poly"),
        view: "-2,2,-5/2,5/2",
    },
    Curve {
        name: "spade_base",
        about: "A spade of degree 8 with 25 terms and coefficients of up to 39 digits.",
        equation: include_str!("curves/spade_base.poly"),
        view: "-2,2,-2,2",
    },
    Curve {
        name: "spade",
        about: "A spade of degree 8, with 25 terms of up to 124 digits, that Suzuki and Murao (2010) measured.",
        equation: include_str!("curves/spade.poly"),
        view: "-2,2,-2,2",
    },
    Curve {
        name: "line",
        about: "A straight line.",
        equation: "2x - 3y = 1",
        view: "-2,2,-2,2",
    },
    Curve {
        name: "double_line",
        about: "A line that counts twice: f does not change its sign there, so signs alone do not see it.",
        equation: "(x - y)^2 = 0",
        view: "-2,2,-2,2",
    },
    Curve {
        name: "circle",
        about: "The unit circle.",
        equation: "x^2 + y^2 = 1",
        view: "-3/2,3/2,-3/2,3/2",
    },
    Curve {
        name: "hyperbola",
        about: "A hyperbola with its two branches.",
        equation: "x^2 - y^2 = 1",
        view: "-3,3,-3,3",
    },
    Curve {
        name: "isolated_point",
        about: "Two complex lines that meet in one real point, the origin, and that is all of it.",
        equation: "x^2 + y^2 = 0",
        view: "-1,1,-1,1",
    },
    Curve {
        name: "touching_circles",
        about: "Two circles that touch each other in the origin.",
        equation: "((x + 1)^2 + y^2 - 1)((x - 1)^2 + y^2 - 1) = 0",
        view: "-5/2,5/2,-5/2,5/2",
    },
    Curve {
        name: "cusp",
        about: "The semicubical parabola (Neil 1657), with a cusp in the origin.",
        equation: "y^2 = x^3",
        view: "-1,2,-3/2,3/2",
    },
    Curve {
        name: "acnode",
        about: "A cubic, and an isolated point in the origin that belongs to it.",
        equation: "y^2 = x^2 (x - 1)",
        view: "-1,3,-2,2",
    },
    Curve {
        name: "folium",
        about: "Descartes' leaf (1638), which crosses itself in the origin.",
        equation: "x^3 + y^3 = 3x y",
        view: "-2,2,-2,2",
    },
    Curve {
        name: "cissoid",
        about: "The cissoid of Diocles, with which the cube is doubled; a cusp in the origin, an asymptote x = 2.",
        equation: "y^2 (2 - x) = x^3",
        view: "-1,3,-2,2",
    },
    Curve {
        name: "lemniscate",
        about: "Bernoulli's lemniscate (1694), a figure of eight.",
        equation: "(x^2 + y^2)^2 = 2(x^2 - y^2)",
        view: "-2,2,-2,2",
    },
    Curve {
        name: "cassini",
        about: "Cassini's ovals: points whose distances from (±1, 0) have the product 19/20; two of them.",
        equation: "((x - 1)^2 + y^2)((x + 1)^2 + y^2) = (19/20)^2",
        view: "-2,2,-2,2",
    },
    Curve {
        name: "cardioid",
        about: "The path of a point of a circle that rolls around another of its size.",
        equation: "(x^2 + y^2)^2 + 4x(x^2 + y^2) = 4y^2",
        view: "-5,2,-7/2,7/2",
    },
    Curve {
        name: "nephroid",
        about: "The bright line in a cup: rays reflected by a circle touch half of it.",
        equation: "(x^2 + y^2 - 4)^3 = 108y^2",
        view: "-9/2,9/2,-9/2,9/2",
    },
    Curve {
        name: "deltoid",
        about: "Steiner's curve, with three cusps: a circle rolls within one of three times its size.",
        equation: "(x^2 + y^2)^2 + 18(x^2 + y^2) - 27 = 8(x^3 - 3x y^2)",
        view: "-5/2,7/2,-3,3",
    },
    Curve {
        name: "astroid",
        about: "Four cusps: a circle rolls within one of four times its size.",
        equation: "(x^2 + y^2 - 1)^3 + 27x^2 y^2 = 0",
        view: "-3/2,3/2,-3/2,3/2",
    },
    Curve {
        name: "trifolium",
        about: "A rose with three leaves, which meet in the origin.",
        equation: "(x^2 + y^2)^2 = x^3 - 3x y^2",
        view: "-1,5/4,-9/8,9/8",
    },
    Curve {
        name: "quadrifolium",
        about: "A rose with four leaves (Grandi 1723), which meet in the origin.",
        equation: "(x^2 + y^2)^3 = 4x^2 y^2",
        view: "-5/4,5/4,-5/4,5/4",
    },
    Curve {
        name: "bicorn",
        about: "The cocked hat (Sylvester 1864), with two cusps.",
        equation: "y^2 (1 - x^2) = (x^2 + 2y - 1)^2",
        view: "-3/2,3/2,-1,2",
    },
    Curve {
        name: "hidden_oval",
        about: "A circle of radius 1/1000 about (1/3, 1/7): smaller than a cell, as long as nobody zooms in.",
        equation: "(x - 1/3)^2 + (y - 1/7)^2 = 0.000001",
        view: "-1,1,-1,1",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_well_formed() {
        for (k, curve) in ALL.iter().enumerate() {
            let f = curve
                .polynomial()
                .unwrap_or_else(|error| panic!("{}: {error}", curve.name));
            assert!((1..=8).contains(&f.degree()), "{}", curve.name);
            curve.view().unwrap_or_else(|error| panic!("{}: {error}", curve.name));
            assert!(curve.about.ends_with('.'), "{}", curve.name);
            assert!(ALL[..k].iter().all(|other| other.name != curve.name), "{}", curve.name);
            // Terms read back are the same.
            assert_eq!(f.to_string().parse(), Ok(f), "{}", curve.name);
        }
    }

    /// What the paper's table 1 and the data's page say of them.
    #[test]
    fn the_suits_are_those_of_the_paper() {
        for (name, degree, terms, digits) in [
            ("heart", 6, 16, 8),
            ("diamond", 6, 10, 5),
            ("spade_base", 8, 25, 39),
            ("spade", 8, 25, 124),
        ] {
            let f = by_name(name).and_then(|curve| curve.polynomial()).expect(name);
            assert_eq!(f.primitive(), f, "{name}");
            let largest = f.terms().map(|(_, _, c)| c.numer().magnitude().to_string().len()).max();
            assert_eq!(
                (f.degree(), f.terms().count(), largest),
                (degree, terms, Some(digits)),
                "{name}"
            );
        }
    }
}
