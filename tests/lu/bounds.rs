//! x refined in its own precision, and bounds of its errors.

use nonius::dense::{Matrix, Vector};
use nonius::lu::{Lu, Refined};
use nonius::{Blocking as _, Dd, Device, Error, Result, Scalar, ScalarKind};

use crate::devices::Random;
use crate::exact::Exact;
use crate::growth::backward_error;
use crate::matrices::{Dense, TYPES, Type, conditioned};
use crate::ratios::{self, Factored, THRESHOLD};

for_every_scalar!(
    bounds_of_all_types,
    refined_by_value,
    corrections_correct,
    bounds_hold_at_every_scale,
    bounds_hold_in_all_bits,
);

/// `dget07`: the error over its bound, and the backward error over (n + 1) roundings.
fn bounds_of_all_types<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 3, 5, 33, 65] {
        for kind in TYPES {
            let case = format!("{kind:?} of {n} in {} on {}", T::NAME, device.name());
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let factored = Factored::of(device, &a)?;
            let mut random = Random::new(n);
            let exact = Dense::from_fn(n, 1, |_, _| random.scalar::<T>());
            let b = ratios::product(&a, &exact);
            let matrix = Matrix::from_rows(device, n, n, &a.values)?;
            let outcome = factored
                .lu
                .refined(&matrix, &Vector::from_slice(device, &b.values)?)
                .block_on();
            if let Some(column) = first_zero {
                assert_eq!(outcome.err(), Some(Error::Singular { column }), "{case}");
                continue;
            }
            let refined = outcome?;
            let x = refined.x.to_host().block_on()?;
            let size = x.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
            let errors = x
                .iter()
                .zip(&exact.values)
                .map(|(x, exact)| (x.to_dd() - exact.to_dd()).to_f64().abs());
            let ratio = errors.fold(0.0, f64::max) / size / refined.forward_error;
            assert!(
                ratio < THRESHOLD,
                "{case}: the error is {ratio:e} of its bound {:e}",
                refined.forward_error
            );
            let found = backward_error(&a, &x, &b.values);
            let roundings = (n + 1) as f64 * T::ROUNDING;
            // What underflows near the end of the range is no rounding.
            if kind != Type::NearUnderflow {
                assert!(found / roundings < THRESHOLD, "{case}: backward error {found:e}");
                assert!(refined.backward_error / roundings < THRESHOLD, "{case}: {refined:?}");
            }
            assert_eq!(
                refined.history.iter().copied().fold(f64::INFINITY, f64::min),
                refined.backward_error,
                "{case}"
            );
        }
    }
    Ok(())
}

fn refined_by_value<T: Scalar>(device: &Device) -> Result<()> {
    let of = |a: &Dense<T>, b: &[T]| {
        let matrix = || Matrix::from_rows(device, a.rows, a.cols, &a.values);
        Lu::factor(matrix()?)?
            .refined(&matrix()?, &Vector::from_slice(device, b)?)
            .block_on()
    };
    let identity = |n: usize| Dense::from_fn(n, n, |i, j| if i == j { T::one() } else { T::zero() });
    let zeros = of(&identity(40), &[T::zero(); 40])?;
    assert_eq!((zeros.backward_error, zeros.forward_error), (0.0, 0.0));
    let empty = of(&identity(0), &[])?;
    assert_eq!(
        (empty.backward_error, empty.forward_error, empty.x.len()),
        (0.0, 0.0, 0)
    );
    for odd in [f64::NAN, f64::INFINITY] {
        let mut b = [T::one(); 40];
        b[7] = T::from_f64(odd);
        let refined = of(&identity(40), &b)?;
        assert!(
            refined.backward_error.is_nan() && refined.forward_error == f64::INFINITY,
            "{refined:?}"
        );
    }
    let lu = Lu::factor(Matrix::from_rows(device, 2, 2, &identity(2).values)?)?;
    let (two, three) = (Matrix::<T>::zeros(device, 2, 2)?, Matrix::<T>::zeros(device, 3, 3)?);
    for (a, length) in [(&three, 2), (&two, 3)] {
        let error = lu.refined(a, &Vector::zeros(device, length)?).block_on().err();
        assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    }
    Ok(())
}

/// Factors that are wrong by the fourth root of a rounding need three corrections or so.
fn corrections_correct<T: Scalar>(device: &Device) -> Result<()> {
    for n in [2, 40, 97] {
        let case = format!("{n} in {} on {}", T::NAME, device.name());
        let a = conditioned::<T>(n, 2.0, n);
        let mut random = Random::new(n);
        let wrong = T::ROUNDING.sqrt().sqrt() / n as f64;
        let nearby = Dense::from_fn(n, n, |i, j| a.at(i, j) + T::from_f64(wrong * random.unit()));
        let lu = Lu::factor(Matrix::from_rows(device, n, n, &nearby.values)?)?;
        let b: Vec<T> = random.scalars(n);
        let matrix = Matrix::from_rows(device, n, n, &a.values)?;
        let refined = lu.refined(&matrix, &Vector::from_slice(device, &b)?).block_on()?;
        let roundings = (n + 1) as f64 * T::ROUNDING;
        assert!(
            refined.history[0] > 100.0 * roundings,
            "{case}: nothing to correct, {refined:?}"
        );
        assert!(
            refined.history.len() >= 3 && refined.backward_error <= roundings,
            "{case}: {refined:?}"
        );
        let found = backward_error(&a, &refined.x.to_host().block_on()?, &b);
        assert!(found <= 2.0 * roundings, "{case}: {found:e}");
    }
    Ok(())
}

/// Integers, and A⁻¹ b by Cramer's rule: numerators over a denominator, exactly.
struct Rational {
    n: usize,
    a: Vec<i64>,
    b: Vec<i64>,
    numerators: Vec<i64>,
    denominator: i64,
}

impl Rational {
    fn new(random: &mut Random, n: usize) -> Self {
        loop {
            let a: Vec<i64> = (0..n * n).map(|_| i64::from(random.integer(99))).collect();
            let b: Vec<i64> = (0..n).map(|_| i64::from(random.integer(99))).collect();
            let with = |col: Option<usize>| {
                let entry = |k: usize| if col == Some(k % n) { b[k / n] } else { a[k] };
                determinant(n, &(0..n * n).map(entry).collect::<Vec<_>>())
            };
            let (denominator, numerators) = (with(None), (0..n).map(|col| with(Some(col))).collect::<Vec<_>>());
            if denominator != 0 && numerators.iter().any(|x| *x != 0) {
                return Self {
                    n,
                    a,
                    b,
                    numerators,
                    denominator,
                };
            }
        }
    }

    /// max |xⱼ − exactⱼ| / max |xⱼ|, where exactⱼ is that of the integers times 2^powers\[j\].
    fn error<T: Scalar>(&self, x: &[T], powers: &[i32]) -> f64 {
        let integer = |x: i64| Dd::from_f64(x as f64);
        let mut size = Exact::zero();
        let largest = x.iter().map(|x| x.to_dd().abs());
        let largest = largest.fold(Dd::default(), |a, b| if b > a { b } else { a });
        size.add_product(largest, integer(self.denominator));
        let over_size = |j: usize| {
            let mut difference = Exact::zero();
            difference.add_product(x[j].to_dd(), integer(self.denominator));
            difference.add_product(
                integer(-self.numerators[j]),
                Dd::from_f64(1.0).scale_exponent(powers[j]),
            );
            difference.ratio(size.clone())
        };
        (0..self.n).map(over_size).fold(0.0, f64::max)
    }
}

/// By the first row.
fn determinant(n: usize, a: &[i64]) -> i64 {
    if n == 0 {
        return 1;
    }
    let minor = |col: usize| {
        let entries = (n..n * n).filter(|k| k % n != col).map(|k| a[k]);
        let sign = if col.is_multiple_of(2) { 1 } else { -1 };
        sign * a[col] * determinant(n - 1, &entries.collect::<Vec<_>>())
    };
    (0..n).map(minor).sum()
}

/// Rows, columns and b times powers of two: x is what it was times others, exactly. Its error is within the bound, and the bound
/// is what it was, as long as nothing underflows.
fn bounds_hold_at_every_scale<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(23);
    let normal = match T::KIND {
        ScalarKind::F32 | ScalarKind::Df64 => f32::MIN_EXP - 1,
        _ => f64::MIN_EXP - 1,
    };
    let mut compared = 0;
    let solved = |system: &Rational, rows: &[i32], cols: &[i32], of_b: i32| -> Result<Option<(Refined<T>, f64, f64)>> {
        let n = system.n;
        let scaled = |x: i64, power: i32| T::from_f64(x as f64).scale_exponent(power);
        let a = Dense::from_fn(n, n, |i, j| scaled(system.a[i * n + j], rows[i] + cols[j]));
        let b: Vec<T> = (0..n).map(|i| scaled(system.b[i], rows[i] + of_b)).collect();
        // What is no integer times a power of two any more is another system, and so is one of which factors read less.
        let is_exact = |x: T, integer: i64, power: i32| x.scale_exponent(-power).to_f64() == integer as f64;
        let of_a = |k: usize| {
            let (x, power) = (a.values[k], rows[k / n] + cols[k % n]);
            is_exact(x, system.a[k], power) && x.exponent().is_none_or(|exponent| exponent >= normal)
        };
        if !(0..n * n).all(of_a) || !(0..n).all(|i| is_exact(b[i], system.b[i], rows[i] + of_b)) {
            return Ok(None);
        }
        let matrix = Matrix::from_rows(device, n, n, &a.values)?;
        let refined = match Factored::of(device, &a)?
            .lu
            .refined(&matrix, &Vector::from_slice(device, &b)?)
            .block_on()
        {
            // A pivot is noise, or flushed.
            Err(Error::Singular { .. }) => return Ok(None),
            refined => refined?,
        };
        let x = refined.x.to_host().block_on()?;
        if !x.iter().all(|x| x.is_finite()) {
            assert!(refined.forward_error.is_infinite(), "{refined:?}, {x:?}");
            return Ok(None);
        }
        let powers: Vec<i32> = cols.iter().map(|col| of_b - col).collect();
        let (error, backward) = (system.error(&x, &powers), backward_error(&a, &x, &b));
        Ok(Some((refined, error, backward)))
    };
    // Each of a hundred solves waits for its device some ten times.
    let systems = if device.is_host() { 40 } else { 12 };
    for k in 0..systems {
        let system = Rational::new(&mut random, 2 + k % 4);
        let n = system.n;
        let roundings = (n + 1) as f64 * T::ROUNDING;
        let zeros = vec![0; n];
        let Some((at_one, ..)) = solved(&system, &zeros, &zeros, 0)? else {
            continue;
        };
        let graded = |random: &mut Random| (0..n).map(|_| random.integer(30)).collect::<Vec<i32>>();
        let (by_rows, by_cols) = (graded(&mut random), graded(&mut random));
        let sum = |x: &[i32], power: i32| x.iter().map(|x| x + power).collect::<Vec<i32>>();
        for power in [
            -80,
            -58,
            -40,
            0,
            25,
            40,
            T::MIN_EXPONENT - 20,
            T::MIN_EXPONENT,
            T::MAX_EXPONENT - 12,
        ] {
            for of_b in [-40, 0, 40] {
                for (rows, cols) in [
                    (&zeros, &zeros),
                    (&by_rows, &zeros),
                    (&zeros, &by_cols),
                    (&by_rows, &by_cols),
                ] {
                    let Some((refined, error, backward)) = solved(&system, &sum(rows, power), cols, of_b)? else {
                        continue;
                    };
                    let case = format!(
                        "{k}: {n} rows, 2^{power} and 2^{of_b}, {rows:?} and {cols:?}, in {} on {}: {error:e}, {backward:e}, {refined:?}, at one \
                         {at_one:?}",
                        T::NAME,
                        device.name()
                    );
                    compared += 1;
                    assert!(error <= refined.forward_error, "{case}");
                    // Where a rounding of a row is far above what a device may flush of it and of A, which is counted, not measured.
                    let smallest = rows.iter().fold(0, |least, row| *row.min(&least));
                    let lowest = if device.is_host() { -85 } else { -60 };
                    let ordinary = power.abs() <= 80 && power + of_b.min(0) + smallest >= lowest;
                    if ordinary {
                        let said = refined.backward_error * (1.0 + roundings) + roundings;
                        assert!(backward <= said && refined.backward_error <= roundings, "{case}");
                    }
                    if ordinary && cols == &zeros {
                        // The residual is within the roundings that are part of the bound, whatever a device flushes of it. Rows change
                        // the pivots, of which the estimate depends too.
                        let factor = if rows == &zeros { 2.01 } else { 6.0 };
                        assert!(refined.forward_error <= factor * at_one.forward_error, "{case}");
                    }
                }
            }
        }
    }
    assert!(
        compared > 62 * systems,
        "only {compared} of {} say anything",
        108 * systems
    );
    Ok(())
}

/// Two equations with bits in every place, of which devices may flush low words and all that comes of them: the error is that of
/// Cramer's rule without rounding.
fn bounds_hold_in_all_bits<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(29);
    let normal = match T::KIND {
        ScalarKind::F32 | ScalarKind::Df64 => f32::MIN_EXP - 1,
        _ => f64::MIN_EXP - 1,
    };
    let powers = [
        normal + 6,
        normal + 15,
        normal + 30,
        normal + 45,
        normal + 60,
        normal / 2,
        -20,
        0,
        25,
    ];
    let mut compared = 0;
    for k in 0..600 {
        let mut power = || powers[random.below(powers.len())];
        let (of_rows, of_x) = ([power(), power()], power());
        let a = Dense::from_fn(2, 2, |i, _| random.scalar::<T>().scale_exponent(of_rows[i]));
        let b: Vec<T> = of_rows
            .iter()
            .map(|power| random.scalar::<T>().scale_exponent(power + of_x))
            .collect();
        let matrix = || Matrix::from_rows(device, 2, 2, &a.values);
        let right = Vector::from_slice(device, &b)?;
        let refined = match Lu::factor(matrix()?)?.refined(&matrix()?, &right).block_on() {
            // A pivot is noise, or flushed.
            Err(Error::Singular { .. }) => continue,
            refined => refined?,
        };
        let x = refined.x.to_host().block_on()?;
        let case = format!(
            "{k}: rows of 2^{of_rows:?}, x of 2^{of_x} in {} on {}: {refined:?}, {:?} {b:?} {x:?}",
            T::NAME,
            device.name(),
            a.values
        );
        let is_zero = |x: &[T]| x.iter().all(|x| *x == T::zero());
        if !x.iter().all(|x| x.is_finite()) || is_zero(&x) {
            let expected = if is_zero(&b) { 0.0 } else { f64::INFINITY };
            assert_eq!(refined.forward_error, expected, "{case}");
            continue;
        }
        let determinant = |p: usize, q: usize| {
            let mut determinant = Exact::zero();
            determinant.add_product(a.at(p, 0), a.at(q, 1));
            determinant.add_product(-a.at(p, 1), a.at(q, 0));
            determinant
        };
        // `Exact::times` is for what is not negative.
        let (p, q) = if determinant(0, 1).nearest().hi() < 0.0 {
            (1, 0)
        } else {
            (0, 1)
        };
        let largest = if x[0].abs() < x[1].abs() { x[1] } else { x[0] };
        let size = determinant(p, q).times(largest);
        let error = |j: usize| {
            let mut difference = determinant(p, q).times(x[j]);
            let sign = if j == 0 { T::one() } else { -T::one() };
            difference.add_product(-sign * b[p], a.at(q, 1 - j));
            difference.add_product(sign * b[q], a.at(p, 1 - j));
            difference.ratio(size.clone())
        };
        let error = error(0).max(error(1));
        compared += 1;
        // The bound has an inverse in it that is known by the factors, of which little is left where they underflow.
        assert!(error <= 3.0 * refined.forward_error, "{error:e}: {case}");
    }
    assert!(compared > 200, "only {compared} of 600 say anything");
    Ok(())
}
