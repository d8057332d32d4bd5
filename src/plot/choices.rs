//! Which ends of a cell's sides make the ends of a term.
//!
//! The smallest and the largest of the four products of two intervals' ends (Suzuki and Murao 2010, section 3.2) are known
//! by the signs of the ends. A cell's side lies left of 0, right of it, or around it: three classes of columns and three of
//! rows. So no cell has to compare anything: which ends a term takes depends on the classes alone. Where both sides have 0
//! within, it depends on magnitudes; but only one column and one row can, and that cell's comparisons are done here.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::grid::Axis;

/// Where a cell's side lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// At or above 0.
    Above,
    /// At or below it.
    Below,
    /// 0 is strictly within.
    Around,
}

impl Class {
    /// In the order that kernels know.
    pub(super) const ALL: [Self; 3] = [Self::Above, Self::Below, Self::Around];
}

/// The cells along an axis, by classes: those from 0 on are below, from `below` on around (at most one), and from `above` on
/// above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Classes {
    pub(super) below: usize,
    pub(super) above: usize,
    /// The ends of the side around 0; zeros where there is none, and nothing asks.
    around: [BigInt; 2],
}

impl Classes {
    pub(super) fn of(axis: &Axis, cells: usize) -> Self {
        // Positions ascend, so each of the two is a prefix.
        let first = |is_within: &dyn Fn(usize) -> bool| {
            let (mut low, mut high) = (0, cells);
            while low < high {
                let middle = usize::midpoint(low, high);
                if is_within(middle) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        let below = first(&|k| !axis.at(k + 1).is_positive());
        let above = first(&|k| axis.at(k).is_negative());
        let around = if below < above {
            [axis.at(below), axis.at(above)]
        } else {
            [BigInt::zero(), BigInt::zero()]
        };
        Self { below, above, around }
    }
}

/// The end of a power of a side: that of the lower or the upper point of the side, or 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Lower,
    Upper,
    Zero,
}

/// The ends of a power of a side, and where they lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Power {
    low: End,
    high: End,
    class: Class,
}

/// [low, high] of x^n, by the paper's rules.
fn power(class: Class, around: &[BigInt; 2], n: u32) -> Power {
    let of = |low, high, class| Power { low, high, class };
    match class {
        _ if n == 0 => of(End::Lower, End::Upper, Class::Above),
        Class::Above => of(End::Lower, End::Upper, Class::Above),
        Class::Below if n.is_multiple_of(2) => of(End::Upper, End::Lower, Class::Above),
        Class::Around if n.is_multiple_of(2) => {
            let largest = if around[0].magnitude() > around[1].magnitude() {
                End::Lower
            } else {
                End::Upper
            };
            of(End::Zero, largest, Class::Above)
        }
        class => of(End::Lower, End::Upper, class),
    }
}

/// What kernels know an end of a term by: in bits 0 and 1 which abscissa and which ordinate (1 is the upper), or 4 for 0.
const NOTHING: u32 = 4;

fn code(x: End, y: End) -> u32 {
    match (x, y) {
        (End::Zero, _) | (_, End::Zero) => NOTHING,
        _ => u32::from(x == End::Upper) | u32::from(y == End::Upper) << 1,
    }
}

/// The codes of the ends of c·x^a·y^b over cells of two classes: that of the low end in bits 0 to 2, of the high one in bits
/// 3 to 5.
pub(super) fn choice((a, b, weight): &(u32, u32, BigInt), columns: (&Classes, Class), rows: (&Classes, Class)) -> u32 {
    let (x, y) = (
        power(columns.1, &columns.0.around, *a),
        power(rows.1, &rows.0.around, *b),
    );
    let pairs = match (x.class, y.class) {
        (Class::Above, Class::Above) => [(x.low, y.low), (x.high, y.high)],
        (Class::Above, Class::Below) => [(x.high, y.low), (x.low, y.high)],
        (Class::Above, Class::Around) => [(x.high, y.low), (x.high, y.high)],
        (Class::Below, Class::Above) => [(x.low, y.high), (x.high, y.low)],
        (Class::Below, Class::Below) => [(x.high, y.high), (x.low, y.low)],
        (Class::Below, Class::Around) => [(x.low, y.high), (x.low, y.low)],
        (Class::Around, Class::Above) => [(x.low, y.high), (x.high, y.high)],
        (Class::Around, Class::Below) => [(x.high, y.low), (x.low, y.low)],
        // Both exponents are odd here.
        (Class::Around, Class::Around) => {
            let product = |i: usize, j: usize| columns.0.around[i].pow(*a) * rows.0.around[j].pow(*b);
            let low = if product(0, 1) <= product(1, 0) {
                (x.low, y.high)
            } else {
                (x.high, y.low)
            };
            let high = if product(0, 0) >= product(1, 1) {
                (x.low, y.low)
            } else {
                (x.high, y.high)
            };
            [low, high]
        }
    };
    let [low, high] = pairs.map(|(x, y)| code(x, y));
    if weight.is_negative() {
        high | low << 3
    } else {
        low | high << 3
    }
}

#[cfg(test)]
mod tests {
    use super::super::interval::Interval;
    use super::*;

    /// Against the four products, for all sides, powers and signs.
    #[test]
    fn choices_are_the_ends() {
        let axis = |origin: i32, step: i32| Axis {
            origin: origin.into(),
            step: step.into(),
        };
        let axes = [(-9, 3), (-8, 3), (-7, 3), (-6, 2), (1, 1), (-7, 1)].map(|(origin, step)| axis(origin, step));
        let cells = 6;
        let side = |axis: &Axis, k: usize| [axis.at(k), axis.at(k + 1)];
        let class = |classes: &Classes, k: usize| match k {
            k if k < classes.below => Class::Below,
            k if k < classes.above => Class::Around,
            _ => Class::Above,
        };
        let mut seen = Vec::new();
        for (x, y) in axes.iter().flat_map(|x| axes.iter().map(move |y| (x, y))) {
            let (columns, rows) = (Classes::of(x, cells), Classes::of(y, cells));
            for (i, j) in (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))) {
                let (sx, sy) = (side(x, i), side(y, j));
                let classes = (class(&columns, i), class(&rows, j));
                seen.push(classes);
                for (a, b, c) in (0..4).flat_map(|a| (0..4).flat_map(move |b| [-2, 5].map(|c| (a, b, c)))) {
                    let of = |side: &[BigInt; 2]| Interval {
                        low: side[0].clone(),
                        high: side[1].clone(),
                    };
                    let mut expected = Interval::zero();
                    expected.add_multiple(&c.into(), &of(&sx).power(a).times(&of(&sy).power(b)));
                    let choice = choice(&(a, b, c.into()), (&columns, classes.0), (&rows, classes.1));
                    let value = |code: u32| {
                        if code & NOTHING != 0 {
                            return BigInt::zero();
                        }
                        sx[(code & 1) as usize].pow(a) * sy[(code >> 1) as usize].pow(b) * c
                    };
                    assert_eq!(
                        [value(choice & 7), value(choice >> 3)],
                        [expected.low, expected.high],
                        "{c} {sx:?}^{a} {sy:?}^{b}"
                    );
                }
            }
        }
        for (x, y) in Class::ALL.iter().flat_map(|x| Class::ALL.map(|y| (*x, y))) {
            assert!(seen.contains(&(x, y)), "{x:?} {y:?}");
        }
    }
}
