//! Determinants, inverses and condition numbers against exact arithmetic, and by value for what is no usual
//! matrix, with every choice of pivoting and panels.

use nonius::dense::{Matrix, norm_inf, norm1};
use nonius::lu::{Lu, Norm, Options, Panels, Pivoting};
use nonius::{Blocking as _, Dd, Device, Error, Result, Scalar, ScalarKind};
use num_bigint::BigInt;

use crate::devices::Random;
use crate::exactly::growing;
use crate::matrices::{Dense, TYPES, Type};
use crate::ratios::{self, Factored, THRESHOLD};
use crate::solves::transposed;

for_every_scalar!(
    determinants_of_integers,
    determinants_by_value,
    inverses_of_integers,
    inverses_of_all_types,
    condition_numbers,
    condition_by_value,
    condition_beyond_the_range,
);

pub(crate) fn factor<T: Scalar>(device: &Device, a: &Dense<T>, options: impl Into<Options>) -> Result<Lu<T>> {
    Lu::factor_with(Matrix::from_rows(device, a.rows, a.cols, &a.values)?, options)
}

pub(crate) fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for pivoting in [Pivoting::Partial, Pivoting::None] {
        for panels in [Panels::Auto, Panels::Registers, Panels::Memory] {
            let mut options = Options::from(pivoting);
            options.panels = panels;
            all.push(options);
        }
    }
    all
}

/// Bareiss 1968: every division is without remainder.
fn exact_determinant(n: usize, values: &[i64]) -> BigInt {
    let mut rows: Vec<Vec<BigInt>> = values
        .chunks(n)
        .map(|row| row.iter().map(|value| BigInt::from(*value)).collect())
        .collect();
    let (mut previous, mut sign) = (BigInt::from(1), 1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|row| rows[*row][k] != BigInt::ZERO) else {
            return BigInt::ZERO;
        };
        if pivot != k {
            rows.swap(k, pivot);
            sign = -sign;
        }
        let (done, rest) = rows.split_at_mut(k + 1);
        for row in rest {
            let factor = row[k].clone();
            for (x, u) in row.iter_mut().zip(&done[k]).skip(k) {
                *x = (&*x * &done[k][k] - &factor * u) / &previous;
            }
        }
        previous = rows[k][k].clone();
    }
    previous * sign
}

/// The relative error is at most n κ(A) times the relative backward error, for which LAPACK's ratio has n roundings.
fn determinants_of_integers<T: Scalar>(device: &Device) -> Result<()> {
    let mut regular = 0;
    for n in 1..=12 {
        for seed in 0..4 {
            let mut random = Random::new(100 * n + seed);
            let values: Vec<i64> = (0..n * n).map(|_| random.integer(9).into()).collect();
            let a = Dense::from_fn(n, n, |i, j| T::from_f64(values[i * n + j] as f64));
            let exact = i64::try_from(exact_determinant(n, &values)).expect("Hadamard: below 9^12 12^6");
            let factored = Factored::of(device, &a)?;
            let found = factored.lu.determinant().block_on()?;
            let reciprocal_condition = factored.reciprocal_condition()?;
            if exact == 0 || reciprocal_condition < 100.0 * T::ROUNDING {
                continue;
            }
            regular += 1;
            let exact = Dd::from(exact);
            let error = ((found.value::<Dd>() - exact) / exact).to_f64().abs();
            let ratio = error * reciprocal_condition / ((n * n) as f64 * T::ROUNDING);
            let case = format!("{n}, {seed} in {} on {}", T::NAME, device.name());
            assert!(ratio < THRESHOLD, "{case}: {found:?}, {exact}, ratio {ratio:e}");
            assert_eq!(found.sign(), exact.to_f64().signum(), "{case}");
            let logarithm = (found.ln_abs() - exact.to_f64().abs().ln()).abs();
            assert!(
                logarithm <= 2.0 * error + 1e-13,
                "{case}: ln |det| is off by {logarithm:e}"
            );
        }
    }
    assert!(regular > 40, "only {regular} of 48 say anything");
    Ok(())
}

fn determinants_by_value<T: Scalar>(device: &Device) -> Result<()> {
    let of = |a: &Dense<T>, options: Options| factor(device, a, options)?.determinant().block_on();
    for options in all_options() {
        for n in [1_i32, 2, 33, 70] {
            let order = usize::try_from(n).expect("small");
            let case = format!("{options:?} of {n} in {} on {}", T::NAME, device.name());
            // 2^(n - 1), each step of it exact.
            let found = of(&growing(order), options)?;
            assert_eq!(
                (found.mantissa(), found.exponent()),
                (Dd::from(1.0), i64::from(n) - 1),
                "{case}"
            );
            // Far out of every range.
            for power in [-90, 90] {
                let far = Dense::from_fn(order, order, |i, j| {
                    if i == j {
                        (-T::one()).scale_exponent(power)
                    } else {
                        T::zero()
                    }
                });
                let found = of(&far, options)?;
                let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
                assert_eq!(found.exponent(), i64::from(n * power), "{case}");
                assert_eq!((found.mantissa(), found.sign()), (Dd::from(sign), sign), "{case}");
                let expected = f64::from(n * power) * std::f64::consts::LN_2;
                assert!(
                    (found.ln_abs() - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(),
                    "{case}"
                );
                if n == 70 {
                    let value = found.value::<f64>();
                    assert!(
                        if power > 0 {
                            value == f64::INFINITY
                        } else {
                            value == 0.0
                        },
                        "{case}: {value}"
                    );
                }
            }
            let mut singular = growing::<T>(order);
            (0..order).for_each(|i| *singular.at_mut(i, order / 2) = T::zero());
            let zero = of(&singular, options)?;
            assert_eq!(
                (zero.sign(), zero.value::<T>(), zero.exponent()),
                (0.0, T::zero(), 0),
                "{case}"
            );
            assert_eq!(zero.ln_abs(), f64::NEG_INFINITY, "{case}");
            for odd in [f64::NAN, f64::INFINITY] {
                let mut spoilt = growing::<T>(order);
                *spoilt.at_mut(order - 1, order - 1) = T::from_f64(odd);
                let found = of(&spoilt, options)?;
                assert!(
                    found.mantissa().is_nan() && found.value::<T>().is_nan(),
                    "{case}: {found:?}"
                );
            }
        }
        let empty = of(&Dense::from_fn(0, 0, |_, _| T::one()), options)?;
        assert_eq!(empty.value::<T>(), T::one());
        let wide = of(&Dense::from_fn(2, 3, |_, _| T::one()), options);
        assert!(
            matches!(
                wide,
                Err(Error::Shape {
                    operation: "determinant",
                    ..
                })
            ),
            "{wide:?}"
        );
    }
    // 2^-1073 · 7/4 · (1 - 2^-60): 3.5 units of the smallest double, and a little less.
    if T::KIND == ScalarKind::F64 {
        let pivots = [1.75, 1.0 + 2.0_f64.powi(-30), 1.0 - 2.0_f64.powi(-30)];
        let mut small = Dense::from_fn(5, 5, |_, _| T::zero());
        for (i, pivot) in pivots
            .into_iter()
            .chain([2.0_f64.powi(-537), 2.0_f64.powi(-536)])
            .enumerate()
        {
            *small.at_mut(i, i) = T::from_f64(pivot);
        }
        for (first, units) in [(1.75, 3), (-1.75, 3), (1.25, 2), (0.25, 0), (0.75, 1), (0.5, 1)] {
            *small.at_mut(0, 0) = T::from_f64(first);
            let value = of(&small, Options::default())?.value::<f64>();
            assert_eq!(value.abs().to_bits(), units, "{first}: {value:e} on {}", device.name());
            assert_eq!(value.is_sign_negative(), first < 0.0);
        }
    }
    // The parity of exchanges: a cycle of n rows is n - 1 of them.
    for n in [2, 3, 40, 41] {
        let cycle = Dense::from_fn(n, n, |i, j| if (i + 1) % n == j { T::one() } else { T::zero() });
        let found = of(&cycle, Options::default())?;
        let expected = if n % 2 == 0 { -1.0 } else { 1.0 };
        assert_eq!(
            found.value::<f64>(),
            expected,
            "a cycle of {n} in {} on {}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

/// L and U of integers with unit diagonals: the inverse is of integers too.
fn unimodular(n: usize, seed: usize) -> (Vec<i64>, Vec<i64>) {
    let mut random = Random::new(seed);
    let mut draw = |keep: fn(usize, usize) -> bool| -> Vec<i64> {
        (0..n * n)
            .map(|k| {
                let value = i64::from(random.integer(1));
                match (k / n, k % n) {
                    (i, j) if i == j => 1,
                    (i, j) if keep(i, j) => value,
                    _ => 0,
                }
            })
            .collect()
    };
    let (lower, upper) = (draw(|i, j| i > j), draw(|i, j| i < j));
    let product = |a: &[i64], b: &[i64]| -> Vec<i64> {
        let sum = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
        (0..n * n).map(|k| sum(k / n, k % n)).collect()
    };
    // Of a unit triangle, by substitution: column after column of the identity.
    let inverse = |t: &[i64], order: &[usize]| -> Vec<i64> {
        let mut x = vec![0; n * n];
        for column in 0..n {
            for &i in order {
                let known: i64 = (0..n)
                    .filter(|k| *k != i)
                    .map(|k| t[i * n + k] * x[k * n + column])
                    .sum();
                x[i * n + column] = i64::from(i == column) - known;
            }
        }
        x
    };
    let down: Vec<usize> = (0..n).collect();
    let up: Vec<usize> = (0..n).rev().collect();
    let inverted = product(&inverse(&upper, &up), &inverse(&lower, &down));
    let a = product(&lower, &upper);
    let identity: Vec<i64> = (0..n * n).map(|k| i64::from(k / n == k % n)).collect();
    assert_eq!(product(&a, &inverted), identity);
    (a, inverted)
}

fn inverses_of_integers<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 3, 5, 8, 11] {
        let (a, inverted) = unimodular(n, n);
        let dense = |values: &[i64]| Dense::from_fn(n, n, |i, j| T::from_f64(values[i * n + j] as f64));
        let (a, exact) = (dense(&a), dense(&inverted));
        let factored = Factored::of(device, &a)?;
        let reciprocal_condition = factored.reciprocal_condition()?;
        let found = Dense {
            rows: n,
            cols: n,
            values: factored.lu.inverse().block_on()?.to_host().block_on()?,
        };
        let ratio = ratios::forward_ratio(&found, &exact, reciprocal_condition) / n as f64;
        assert!(ratio < THRESHOLD, "{n} in {} on {}: {ratio:e}", T::NAME, device.name());
    }
    Ok(())
}

fn inverses_of_all_types<T: Scalar>(device: &Device) -> Result<()> {
    for n in [0, 1, 2, 5, 33, 65] {
        for kind in TYPES {
            let case = format!("{kind:?} of {n} in {} on {}", T::NAME, device.name());
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let outcome = factor(device, &a, Options::default())?.inverse().block_on();
            if let Some(column) = first_zero {
                assert_eq!(outcome.err(), Some(Error::Singular { column }), "{case}");
                continue;
            }
            // The entries of the inverse of what is near an end of the range are beyond the other, or have no accuracy.
            if matches!(kind, Type::NearOverflow | Type::NearUnderflow) {
                continue;
            }
            let x = Dense {
                rows: n,
                cols: n,
                values: outcome?.to_host().block_on()?,
            };
            let identity = Dense::from_fn(n, n, |i, j| if i == j { T::one() } else { T::zero() });
            let ratio = ratios::solve_ratio(&a, &x, &identity);
            assert!(ratio < THRESHOLD, "{case}: {ratio:e}");
        }
    }
    let wide = factor(device, &Dense::from_fn(2, 3, |_, _| T::one()), Options::default())?;
    let error = wide.inverse().block_on().err();
    assert!(
        matches!(
            error,
            Some(Error::Shape {
                operation: "inverse",
                ..
            })
        ),
        "{error:?}"
    );
    Ok(())
}

/// `dget06`: the ratio of two reciprocal condition numbers, less 1 - eps.
fn condition_numbers<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 3, 5, 33, 65] {
        for kind in TYPES {
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let matrix = Matrix::from_rows(device, n, n, &a.values)?;
            let norms = [
                (Norm::One, norm1(&matrix).block_on()?, a.clone()),
                (Norm::Infinity, norm_inf(&matrix).block_on()?, transposed(&a)),
            ];
            let lu = Lu::factor(matrix)?;
            for (norm, size, as_in_norm1) in norms {
                let case = format!("{kind:?} of {n}, {norm:?}, in {} on {}", T::NAME, device.name());
                let found = lu.reciprocal_condition(norm, size).block_on()?;
                if first_zero.is_some() {
                    assert_eq!(found, 0.0, "{case}");
                    continue;
                }
                let exact = Factored::of(&Device::host(), &as_in_norm1)?.reciprocal_condition()?;
                let ratio = found.max(exact) / found.min(exact) - (1.0 - T::ROUNDING);
                assert!(ratio < THRESHOLD, "{case}: {found:e}, {exact:e}");
                // An estimate from below of the norm of the inverse, which is that of A + ΔA.
                let backward = THRESHOLD * n as f64 * T::ROUNDING / exact;
                assert!(
                    backward > 0.5 || found >= exact * (1.0 - backward) * (1.0 - 1e-9),
                    "{case}: {found:e}, {exact:e}"
                );
            }
        }
    }
    Ok(())
}

fn condition_by_value<T: Scalar>(device: &Device) -> Result<()> {
    let one = T::one();
    // A sum of n parts of 1 / n.
    let is_one = |found: f64, n: usize| (found - 1.0).abs() <= n as f64 * (T::ROUNDING + f64::EPSILON);
    for options in all_options() {
        let of = |a: &Dense<T>, norm: T| {
            factor(device, a, options)?
                .reciprocal_condition(Norm::One, norm)
                .block_on()
        };
        let identity = |n| Dense::from_fn(n, n, |i, j| if i == j { T::one() } else { T::zero() });
        for n in [1, 40] {
            let case = |what: &str| format!("{what} of {n} in {} on {}", T::NAME, device.name());
            assert!(is_one(of(&identity(n), one)?, n), "{}", case("identity"));
            // Whatever the scale.
            for power in [T::MIN_EXPONENT, T::MAX_EXPONENT - 2] {
                let scaled = Dense::from_fn(n, n, |i, j| identity(n).at(i, j).scale_exponent(power));
                let found = of(&scaled, one.scale_exponent(power))?;
                assert!(is_one(found, n), "{}: {found:e}", case(&format!("2^{power}")));
            }
            let zeros = Dense::from_fn(n, n, |_, _| T::zero());
            assert_eq!(of(&zeros, T::zero())?, 0.0);
            assert_eq!(of(&zeros, one)?, 0.0);
            let mut spoilt = identity(n);
            *spoilt.at_mut(n - 1, n - 1) = T::from_f64(f64::NAN);
            assert_eq!(
                of(&spoilt, one)?,
                0.0,
                "a NaN of {n} in {} on {}",
                T::NAME,
                device.name()
            );
        }
        assert_eq!(of(&identity(0), T::zero())?, 1.0);
        for odd in [f64::NAN, f64::INFINITY] {
            let error = of(&identity(2), T::from_f64(odd)).err();
            assert!(matches!(error, Some(Error::NotFinite { .. })), "{error:?}");
        }
        let error = of(&identity(2), -one).err();
        assert!(matches!(error, Some(Error::OutOfRange { .. })), "{error:?}");
        let error = of(&Dense::from_fn(2, 3, |_, _| one), one).err();
        assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    }
    Ok(())
}

/// Where κ(A) ‖A‖ leaves the range of the scalar, 1 / κ(A) does not leave that of a double.
fn condition_beyond_the_range<T: Scalar>(device: &Device) -> Result<()> {
    let power = |k: i32| T::one().scale_exponent(k);
    let of = |a: &Dense<T>, options: Options| {
        let matrix = Matrix::from_rows(device, a.rows, a.cols, &a.values)?;
        let norms = [
            (Norm::One, norm1(&matrix).block_on()?),
            (Norm::Infinity, norm_inf(&matrix).block_on()?),
        ];
        let lu = factor(device, a, options)?;
        let of = |(norm, size)| lu.reciprocal_condition(norm, size).block_on();
        norms.map(of).into_iter().collect::<Result<Vec<f64>>>()
    };
    for options in all_options() {
        let case = |what: &str| format!("{what}, {options:?} in {} on {}", T::NAME, device.name());
        // Rows of 1, 1 and 1, 1 + δ: κ is (2 + δ)² / δ.
        let delta = 2.0_f64.powi(-10);
        let expected = delta / (2.0 + delta).powi(2);
        for k in [T::MIN_EXPONENT + 20, 0, T::MAX_EXPONENT - 12, T::MAX_EXPONENT - 3] {
            let rows = [1.0, 1.0, 1.0, 1.0 + delta].map(|x| T::from_f64(x).scale_exponent(k));
            for found in of(&Dense::from_fn(2, 2, |i, j| rows[2 * i + j]), options)? {
                assert!(
                    (found / expected - 1.0).abs() <= 16.0 * (T::ROUNDING / delta + f64::EPSILON),
                    "{}: {found:e}, {expected:e}",
                    case(&format!("2^{k}"))
                );
            }
        }
        // From one end of the range to the other: 2^-2k, which a double holds or rounds to 0.
        for k in [(T::MAX_EXPONENT - 28).min(530), (T::MAX_EXPONENT - 28).min(600)] {
            let expected = 1.0.scale_exponent(-2 * k);
            for n in [2, 40] {
                let diagonal = Dense::from_fn(n, n, |i, j| match (i == j, i % 2) {
                    (true, 0) => power(k),
                    (true, _) => power(-k),
                    _ => T::zero(),
                });
                for found in of(&diagonal, options)? {
                    assert!(
                        (found - expected).abs() <= n as f64 * (T::ROUNDING + f64::EPSILON) * expected,
                        "{}: {found:e}, {expected:e}",
                        case(&format!("2^±{k}"))
                    );
                }
            }
        }
    }
    // Of ordinary condition, and as large as there is room for: right-hand sides go round by the same ways.
    for n in [3, 60, 150] {
        let mut random = Random::new(n);
        let a = Dense::from_fn(n, n, |_, _| T::from_f64(random.unit()));
        let size = norm1(&Matrix::from_rows(device, n, n, &a.values)?).block_on()?;
        let ordinary = of(&a, Options::default())?;
        for room in [2, 4, 9] {
            let k = T::MAX_EXPONENT - room - size.exponent().expect("random numbers");
            let large = Dense::from_fn(n, n, |i, j| a.at(i, j).scale_exponent(k));
            for (found, expected) in of(&large, Options::default())?.into_iter().zip(&ordinary) {
                assert!(
                    found < 3.0 * expected && 3.0 * found > *expected,
                    "{n} times 2^{k} in {} on {}: {found:e}, {expected:e}",
                    T::NAME,
                    device.name()
                );
            }
        }
    }
    Ok(())
}
