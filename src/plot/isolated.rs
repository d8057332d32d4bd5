//! Isolated points, which no sign tells from places where f only comes near to zero.
//!
//! At an isolated point the gradient is zero too, so that Newton's method on the gradient finds it, in doubles. Where one
//! of its coordinates is a fraction of small numbers, its continued fraction names that, and along that line f is a
//! polynomial in one variable whose zeros Sturm's sequence finds, double ones too. Doubles only suggest where to look;
//! what is proved is proved in integers. Where second derivatives are zero, too, as of (x² + y²)², Newton's method comes near too
//! slowly, and the point stays undecided.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::expansion::Expansion;
use super::sturm::has_zero_in_unit;

/// Steps of Newton's method; from points as near as a cell's middle it takes five or six.
const STEPS: usize = 40;
/// The largest denominator of a coordinate, in units of cells: a double knows no larger ones.
const MAX_DENOMINATOR: u64 = 1 << 20;
/// How near a fraction must be: what Newton's method leaves, with room for gradients that lose digits.
const NEAR: f64 = 1e-9;

/// Whether f is 0 at a point of the cell whose gradient is 0 and of whose coordinates one is a simple fraction of the cell's
/// side. False says nothing.
pub(super) fn is_proved(about: &Expansion) -> bool {
    let f = Doubles::of(about);
    let starts = [(0.5, 0.5), (0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)];
    // Most starts find the same point, and so the same lines.
    let mut seen = Vec::new();
    for (u, v) in starts.into_iter().filter_map(|start| f.critical_point(start)) {
        let across = fractions(v).map(|(p, q)| (true, p, q));
        for line in across.chain(fractions(u).map(|(p, q)| (false, p, q))) {
            if seen.contains(&line) {
                continue;
            }
            let (is_across, p, q) = &line;
            let along = if *is_across {
                about.along_v(p, q)
            } else {
                about.along_u(p, q)
            };
            if has_zero_in_unit(&along) {
                return true;
            }
            seen.push(line);
        }
    }
    false
}

/// f's coefficients, scaled into the range of doubles, and so that second derivatives have products there; those that are lost
/// below it suggest nothing.
struct Doubles(Vec<Vec<f64>>);

impl Doubles {
    fn of(about: &Expansion) -> Self {
        let beyond = about.bits().saturating_sub(450);
        let double = |c: &BigInt| (c >> beyond).to_f64().unwrap_or(0.0);
        Self(
            about
                .rows()
                .iter()
                .map(|row| row.iter().map(double).collect())
                .collect(),
        )
    }

    /// The gradient and the second derivatives (uu, uv, vv).
    fn derivatives(&self, u: f64, v: f64) -> ([f64; 2], [f64; 3]) {
        // (value, first and second derivative) of Σ cₖ tᵏ.
        let horner = |coefficients: &mut dyn Iterator<Item = f64>, t: f64| {
            coefficients.fold([0.0; 3], |[value, first, second], c| {
                [value * t + c, first * t + value, second * t + 2.0 * first]
            })
        };
        let in_v: Vec<[f64; 3]> = self
            .0
            .iter()
            .map(|row| horner(&mut row.iter().rev().copied(), v))
            .collect();
        let part = |order: usize| horner(&mut in_v.iter().rev().map(|values| values[order]), u);
        let [[_, u1, u2], [v1, uv, _], [v2, _, _]] = [part(0), part(1), part(2)];
        ([u1, v1], [u2, uv, v2])
    }

    /// Where the gradient is 0, within the cell.
    fn critical_point(&self, (mut u, mut v): (f64, f64)) -> Option<(f64, f64)> {
        for _ in 0..STEPS {
            let ([fu, fv], [fuu, fuv, fvv]) = self.derivatives(u, v);
            let determinant = fuu * fvv - fuv * fuv;
            let (du, dv) = ((fvv * fu - fuv * fv) / determinant, (fuu * fv - fuv * fu) / determinant);
            if !(du.is_finite() && dv.is_finite()) {
                break;
            }
            (u, v) = (u - du, v - dv);
        }
        let within = |t: f64| (-NEAR..=1.0 + NEAR).contains(&t);
        (within(u) && within(v)).then_some((u, v))
    }
}

/// The convergents p/q of t's continued fraction that are near to it and in [0, 1].
fn fractions(t: f64) -> impl Iterator<Item = (BigInt, BigInt)> {
    let (mut last, mut this) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = t.max(0.0);
    let mut found = Vec::new();
    while rest < 1e9 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10⁹")]
        let whole = rest as u64;
        let next = |last: u64, this: u64| whole.checked_mul(this)?.checked_add(last);
        let Some(convergent) = next(last.0, this.0).zip(next(last.1, this.1)) else {
            break;
        };
        (last, this) = (this, convergent);
        let (p, q) = this;
        if q > MAX_DENOMINATOR {
            break;
        }
        if p <= q && (p as f64 / q as f64 - t).abs() < NEAR {
            found.push((p.into(), q.into()));
        }
        rest = 1.0 / (rest - whole as f64);
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use num_integer::Integer;

    use super::*;
    use crate::plot::{Grid, Polynomial};

    fn about(text: &str) -> Expansion {
        let f: Polynomial = text.parse().expect("a polynomial");
        Expansion::of(
            &f,
            &Grid::new("-2,2,-3,1".parse().expect("a view"), 1, 1).expect("small"),
        )
    }

    #[test]
    fn simple_fractions_are_found() {
        for (p, q) in [
            (0_u32, 1_u32),
            (1, 1),
            (1, 3),
            (18, 19),
            (355, 1130),
            (123_457, 1_000_003),
        ] {
            let common = p.gcd(&q);
            let expected = (BigInt::from(p / common), BigInt::from(q / common));
            assert!(
                fractions(f64::from(p) / f64::from(q)).any(|found| found == expected),
                "{p}/{q}"
            );
        }
        for t in [2.0, -0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(fractions(t).count(), 0, "{t}");
        }
    }

    #[test]
    fn points_are_proved_and_near_misses_are_not() {
        let long = format!("((x - 1/3)^2 + (y - 1/7)^2) (x^2 + y^2 + 1.{}1)", "0".repeat(299));
        for (text, proved) in [
            ("(x - 1/3)^2 + (y - 1/7)^2", true),
            ("(x - 1/3)^2 + (y + 1/7)^2 = 0.0000000000000000000000001", true),
            ("(x - 1/3)^2 + (y - 1/7)^2 + 0.0000000000000000000000001", false),
            // Coefficients of more than 512 bits.
            (&long, true),
            // One coordinate is enough; none is not.
            ("(x^2 - 1/3)^2 + (y - 1/7)^2", true),
            ("(x - 1/3)^2 + (y^2 - 1/7)^2", true),
            ("(x^2 - 1/3)^2 + (y^2 - 1/7)^2", false),
            // Beside the cell.
            ("(x - 7/3)^2 + (y - 1/7)^2", false),
            ("x^2 + y^2 + 1", false),
            ("7", false),
        ] {
            let about = if text == "7" {
                let seven = [(0, 0, crate::plot::Rational::from_integer(7.into()))];
                let f = Polynomial::from_terms(seven).expect("small");
                Expansion::of(&f, &Grid::new("0,1,0,1".parse().expect("a view"), 1, 1).expect("small"))
            } else {
                about(text)
            };
            assert_eq!(is_proved(&about), proved, "{text}");
        }
    }
}
