//! Panels in registers and in memory, on every device whatever pays there: the edges of panels, blocks and levels.

use nonius::device::AdapterKind;
use nonius::lu::{Options, Panels, Pivoting};
use nonius::{Blocking as _, Device, Result, Scalar};

use crate::devices::Random;
use crate::matrices::{Dense, TYPES};
use crate::ratios::{Factored, THRESHOLD};

for_every_scalar!(
    matrix_types,
    edges,
    tall,
    in_one_dispatch,
    last_rows_first,
    behind_one_another,
    two_levels,
    stages,
    look_ahead,
    depths,
    quotients_at_the_ends_of_the_range,
    tournaments
);

/// Where panels may be worked on, each once: a driver that computes on the CPU has a third way, which it takes by itself.
pub(crate) fn places(device: &Device) -> Vec<Panels> {
    let mut places = vec![Panels::Registers, Panels::Memory];
    if device.adapter().kind == AdapterKind::Software {
        places.push(Panels::Auto);
    }
    places
}

pub(crate) fn random<T: Scalar>(rows: usize, cols: usize) -> Dense<T> {
    let mut random = Random::new(rows * 7919 + cols);
    Dense::from_fn(rows, cols, |_, _| T::from_f64(random.unit()))
}

fn matrix_types<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 3, 5, 10, 16, 17, 33] {
        for kind in TYPES {
            let (a, first_zero) = kind.matrix::<T>(n, n);
            for panels in places(device) {
                let factored = Factored::with(device, &a, panels)?;
                let case = format!("{kind:?} of {n}, {panels:?}, {} on {}", T::NAME, device.name());
                assert_eq!(factored.first_zero, first_zero, "{case}");
                let ratio = factored.factor_ratio();
                assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
            }
        }
    }
    Ok(())
}

fn edges<T: Scalar>(device: &Device) -> Result<()> {
    // Drivers on the CPU take seconds for each product of pairs.
    let squares: &[usize] = if is_pair::<T>() {
        &[15, 16, 17, 129]
    } else {
        &[15, 16, 17, 47, 127, 128, 129, 145]
    };
    let others: &[(usize, usize)] = if is_pair::<T>() {
        &[(129, 17), (17, 129), (257, 3), (3, 257)]
    } else {
        &[(129, 17), (17, 129), (130, 200), (200, 130), (257, 3), (3, 257)]
    };
    for (rows, cols) in squares.iter().map(|n| (*n, *n)).chain(others.iter().copied()) {
        both::<T>(device, rows, cols)?;
    }
    Ok(())
}

/// Where several workgroups hold a panel, the last has one row or few at these heights; they are pivots first, and it has none left.
fn last_rows_first<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [(129, 20), (2305, 20), (4097, 20), (8193, 18)] {
        let (cols, last) = if is_pair::<T>() { (9, 3) } else { (cols, 5) };
        let random = random::<T>(rows, cols);
        let a = Dense::from_fn(rows, cols, |i, j| {
            let weight = if i + last < rows { 1.0 } else { 1024.0 };
            random.at(i, j) * T::from_f64(weight)
        });
        each_of(device, &a, &[Panels::Registers])?;
    }
    Ok(())
}

/// Panels of a block that follow one another in one dispatch, where several workgroups may hold one: a part of a panel, all of a block, and
/// columns without a pivot in several panels, which end in any order; the first is named.
fn behind_one_another<T: Scalar>(device: &Device) -> Result<()> {
    let shapes: &[(usize, usize)] = match (device.adapter().kind, T::NAME) {
        (AdapterKind::Host | AdapterKind::Software, _) => &[(129, 33), (200, 100), (256, 128)],
        (_, "f32") => &[
            (129, 33),
            (2049, 17),
            (2100, 128),
            (4200, 100),
            (8200, 128),
            (16384, 100),
        ],
        (_, "f64" | "df64") => &[(129, 33), (2100, 100)],
        _ => &[(129, 33)],
    };
    for (rows, cols) in shapes.iter().copied() {
        registers::<T>(device, rows, cols)?;
        let random = random::<T>(rows, cols);
        let empty = [cols / 5, cols / 2, cols - 1];
        let a = Dense::from_fn(rows, cols, |i, j| {
            if empty.contains(&j) {
                T::from_f64(0.0)
            } else {
                random.at(i, j)
            }
        });
        let factored = Factored::with(device, &a, Panels::Registers)?;
        let case = format!("{rows} x {cols} in {} on {}", T::NAME, device.name());
        assert_eq!(factored.first_zero, Some(empty[0]), "{case}");
        let ratio = factored.product_ratio();
        assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
    }
    Ok(())
}

/// Heights at which an invocation gets more rows, and at which no workgroup holds them.
fn tall<T: Scalar>(device: &Device) -> Result<()> {
    let cols = if is_pair::<T>() { 3 } else { 9 };
    for rows in [256, 257, 513, 1025, 2049, 4097, 8193, 16385] {
        both::<T>(device, rows, cols)?;
    }
    // Widths that are neither powers of two nor even, and several panels of each.
    let (heights, cols): (&[usize], usize) = match T::NAME {
        "f32" => (&[1100, 1600, 3000, 5000, 6000, 7000, 9000, 12000, 14000], 26),
        "f64" => (&[1100, 1600, 3000, 5000, 6000], 26),
        "df64" => (&[2500, 5000], 8),
        _ => (&[2500], 8),
    };
    for rows in heights {
        registers::<T>(device, *rows, cols)?;
    }
    Ok(())
}

/// A panel that one workgroup factors in one dispatch, as only drivers that compute on the CPU take it, has the bits of the one
/// that takes a dispatch a column: of whole packs and of others, of columns without a pivot and with a NaN, and as tall as it may be.
/// Columns have different magnitudes, so that a multiplier that is taken for a candidate would be seen.
fn in_one_dispatch<T: Scalar>(device: &Device) -> Result<()> {
    if device.adapter().kind != AdapterKind::Software {
        return Ok(());
    }
    let shapes: &[(usize, usize)] = if is_pair::<T>() {
        &[(40, 24), (9, 17), (1, 1), (4000, 8)]
    } else {
        &[
            (150, 148),
            (149, 147),
            (148, 20),
            (20, 148),
            (5, 3),
            (1, 1),
            (17_000, 16),
            (25_000, 16),
        ]
    };
    for (rows, cols) in shapes.iter().copied() {
        let random = random::<T>(rows, cols);
        for (column, value) in [(cols, T::zero()), (2, T::zero()), (cols / 2, T::from_f64(f64::NAN))] {
            let a = Dense::from_fn(rows, cols, |i, j| {
                let scale = -i32::try_from(j % 7).expect("a digit");
                if j == column {
                    value
                } else {
                    random.at(i, j).scale_exponent(scale)
                }
            });
            same_bits(device, &a, &format!("{rows} x {cols}, {value:?} in {column}"))?;
        }
        if cols < 8 {
            continue;
        }
        // Two columns without a pivot, of which the first is named. What is infinite in the row of one is multiplied by nothing.
        let a = Dense::from_fn(rows, cols, |i, j| match (i, j) {
            (_, 2 | 6) => T::zero(),
            (2, 3 | 5) => T::from_f64(f64::INFINITY),
            (_, 0 | 1) => {
                if i == j {
                    T::one()
                } else {
                    T::zero()
                }
            }
            _ => random.at(i, j),
        });
        same_bits(device, &a, &format!("{rows} x {cols}, infinite beside a zero"))?;
    }
    Ok(())
}

fn same_bits<T: Scalar>(device: &Device, a: &Dense<T>, what: &str) -> Result<()> {
    let of = |panels| Factored::with(device, a, panels);
    let (first, second) = (of(Panels::Auto)?, of(Panels::Memory)?);
    let case = format!("{what}, {} on {}", T::NAME, device.name());
    assert_eq!(first.pivots, second.pivots, "{case}");
    assert_eq!(first.first_zero, second.first_zero, "{case}");
    for (x, y) in first.factors.values.iter().zip(&second.factors.values) {
        assert!(x == y || (x.is_nan() && y.is_nan()), "{case}: {x:?} and {y:?}");
    }
    Ok(())
}

/// More columns than the panels of a block bring up to date; behind two such blocks, one of several stages.
fn two_levels<T: Scalar>(device: &Device) -> Result<()> {
    if !matches!(device.adapter().kind, AdapterKind::Host | AdapterKind::Software) {
        let cols = match T::NAME {
            "f32" => 2200,
            "f64" => 1700,
            _ => 1200,
        };
        both::<T>(device, 450, cols)?;
    }
    if is_pair::<T>() {
        return both::<T>(device, 40, 560);
    }
    both::<T>(device, 150, 700)?;
    both::<T>(device, 530, 530)
}

/// Blocks of several stages: rows that are numbered anew once and more often, singular matrices of which columns have no pivot before and
/// behind that, and heights at which panels become wider by it, or would and cannot; with rows and columns left over, and to the left.
fn stages<T: Scalar>(device: &Device) -> Result<()> {
    let (n, shapes): (usize, &[(usize, usize)]) = match T::NAME {
        "f32" => (150, &[(300, 300), (1100, 150), (200, 450), (140, 600), (5200, 150)]),
        "f64" => (150, &[(300, 300), (600, 150), (200, 450), (140, 600), (6200, 150)]),
        "df64" => (131, &[(2100, 150)]),
        _ => (131, &[]),
    };
    for kind in TYPES {
        let (a, first_zero) = kind.matrix::<T>(n, n);
        let factored = Factored::with(device, &a, Panels::Registers)?;
        let case = format!("{kind:?} of {n} in {} on {}", T::NAME, device.name());
        assert_eq!(factored.first_zero, first_zero, "{case}");
        let ratio = factored.factor_ratio();
        assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
    }
    for (rows, cols) in shapes.iter().copied() {
        registers::<T>(device, rows, cols)?;
    }
    Ok(())
}

/// Products that wait for the panels of the next block, in part or altogether, and end with the rows, with the columns, or before.
fn look_ahead<T: Scalar>(device: &Device) -> Result<()> {
    let shapes: &[(usize, usize)] = match (device.adapter().kind, T::NAME) {
        (AdapterKind::Software, "f32" | "f64") => {
            // One tile a dispatch: of more rows, a column of tiles is never done by the way.
            &[(300, 900), (500, 900), (800, 790), (900, 700)]
        }
        (AdapterKind::Host | AdapterKind::Software, _) => &[(150, 660)],
        // Wider than what panels bring up to date, and as tall as it takes for a product to wait.
        (_, "f32") => &[(500, 2900), (2200, 2190), (2600, 2100)],
        (_, "f64") => &[(3400, 1800)],
        (_, "df64") => &[(2400, 1200)],
        _ => &[(150, 1060)],
    };
    for (rows, cols) in shapes.iter().copied() {
        registers::<T>(device, rows, cols)?;
    }
    Ok(())
}

/// Products of several blocks' depth, of a part of one, and of more than there are.
fn depths<T: Scalar>(device: &Device) -> Result<()> {
    let shapes: &[(usize, usize)] = if is_pair::<T>() || device.adapter().kind == AdapterKind::Host {
        &[(150, 140)]
    } else {
        &[(260, 300), (300, 260), (250, 500), (530, 530)]
    };
    for (rows, cols) in shapes.iter().copied() {
        let mut a = random::<T>(rows, cols);
        (0..rows.min(cols)).for_each(|i| *a.at_mut(i, i) = T::from_f64(2.0 * rows as f64));
        for (depth, pivoting, panels) in [
            (256, Pivoting::Partial, Panels::Registers),
            (1, Pivoting::Partial, Panels::Registers),
            (257, Pivoting::Partial, Panels::Memory),
            (256, Pivoting::Tournament, Panels::Auto),
            (usize::MAX, Pivoting::None, Panels::Auto),
        ] {
            // What is dominant needs no exchanges, so only this may be.
            let a = if pivoting == Pivoting::None {
                a.clone()
            } else {
                random::<T>(rows, cols)
            };
            let mut options = Options::from(pivoting);
            (options.panels, options.depth) = (panels, Some(depth));
            let factored = Factored::with(device, &a, options)?;
            let ratio = factored.product_ratio();
            let case = format!("{rows} x {cols}, {options:?}, {} on {}", T::NAME, device.name());
            assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
        }
    }
    Ok(())
}

pub(crate) fn is_pair<T: Scalar>() -> bool {
    matches!(T::NAME, "df64" | "dd")
}

fn both<T: Scalar>(device: &Device, rows: usize, cols: usize) -> Result<()> {
    each::<T>(device, rows, cols, &places(device))
}

fn registers<T: Scalar>(device: &Device, rows: usize, cols: usize) -> Result<()> {
    each::<T>(device, rows, cols, &[Panels::Registers])
}

fn each<T: Scalar>(device: &Device, rows: usize, cols: usize, panels: &[Panels]) -> Result<()> {
    each_of(device, &random::<T>(rows, cols), panels)
}

fn each_of<T: Scalar>(device: &Device, a: &Dense<T>, panels: &[Panels]) -> Result<()> {
    let (rows, cols) = (a.rows, a.cols);
    for panels in panels.iter().copied() {
        let case = format!("{rows} x {cols}, {panels:?}, {} on {}", T::NAME, device.name());
        let factored = Factored::with(device, a, panels)?;
        assert_eq!(factored.first_zero, None, "{case}");
        let largest = factored.largest_multiplier();
        assert!(largest <= 1.0 + 4.0 * T::ROUNDING, "{case}: a multiplier of {largest}");
        let ratio = factored.product_ratio();
        assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
    }
    Ok(())
}

/// A column of small or of large numbers, divided by the largest. One word each: the low words of small pairs are not there
/// on every device, which is why what a quotient leaves over must not be small either.
fn quotients_at_the_ends_of_the_range<T: Scalar>(device: &Device) -> Result<()> {
    let single = T::MAX_EXPONENT <= f32::MAX_EXPONENT;
    let lowest = 3 + if single { f32::MIN_EXPONENT } else { f64::MIN_EXPONENT };
    // A reciprocal and a product: of words within 2.5 ulp, of pairs within 4 u^2.
    let roundings = if is_pair::<T>() { 3.0 } else { 6.0 };
    let mut random = Random::new(11);
    for top in [
        lowest,
        lowest + 20,
        lowest / 2,
        0,
        T::MAX_EXPONENT / 2,
        T::MAX_EXPONENT - 2,
    ] {
        let column = Dense::from_fn(40, 1, |i, _| {
            let one_word = T::from_f64(1.0 + (random.unit().abs() * 1024.0).floor() / 1024.0);
            one_word.scale_exponent(top - i32::from(i != 7) * [1, 2, 3][i % 3])
        });
        for options in [
            Panels::Registers.into(),
            Panels::Memory.into(),
            Options::from(Pivoting::Tournament),
        ] {
            let factored = Factored::with(device, &column, options)?;
            let pivot = column.at(7, 0);
            for (i, row) in factored.order.iter().enumerate().skip(1) {
                let (found, exact) = (
                    factored.factors.at(i, 0).to_dd(),
                    column.at(*row, 0).to_dd() / pivot.to_dd(),
                );
                let error = ((found - exact) / exact).to_f64().abs();
                assert!(
                    error <= roundings * T::ROUNDING,
                    "{:e} / {pivot:e} in {} on {}, {options:?}: {error:e}",
                    column.at(*row, 0),
                    T::NAME,
                    device.name()
                );
            }
        }
    }
    Ok(())
}

/// |L| may exceed 1, and rarely does by much.
fn tournaments<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [
        (1, 1),
        (2, 2),
        (7, 7),
        (16, 16),
        (17, 17),
        (33, 70),
        (145, 145),
        (300, 20),
        (4500, 9),
        (3, 257),
    ] {
        let a = random::<T>(rows, cols);
        let factored = Factored::with(device, &a, Pivoting::Tournament)?;
        let case = format!("{rows} x {cols}, {} on {}", T::NAME, device.name());
        assert_eq!(factored.first_zero, None, "{case}");
        let largest = factored.largest_multiplier();
        assert!(largest < 10.0, "{case}: a multiplier of {largest}");
        let ratio = factored.product_ratio();
        assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
        let order = factored.lu.order().to_host().block_on()?;
        assert!(
            factored.order.iter().zip(order).all(|(i, j)| *i == j as usize),
            "{case}: order"
        );
    }
    for kind in TYPES {
        let (a, first_zero) = kind.matrix::<T>(33, 33);
        let factored = Factored::with(device, &a, Pivoting::Tournament)?;
        let case = format!("{kind:?}, {} on {}", T::NAME, device.name());
        assert_eq!(factored.first_zero, first_zero, "{case}");
        let ratio = factored.factor_ratio();
        assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
    }
    Ok(())
}
