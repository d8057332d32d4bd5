//! The study of 2005: eight ways to factor, and one result, on every device and bit for bit the host's.

use nonius::dense::Matrix;
use nonius::lu::fragment::{
    Division, Handover, Plan, Variant, error_growth, factor, factor_counted, host, model, study,
};
use nonius::{Blocking as _, Dd, Device, Df64, Error, Result, Scalar};

use crate::devices::{self, Random, on_every_device};

/// One, below, at and above texels of four rows and their multiples.
const ORDERS: [usize; 13] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 64];

/// A matrix that needs no pivoting, with bits in all places: √n on the diagonal, and [-1, 1) besides.
fn matrix<T: Scalar>(n: usize) -> Vec<T> {
    let mut random = Random::new(2005 + n);
    let size = (n as f64).sqrt();
    let mut unit = || Dd::new(random.unit(), f64::EPSILON / 4.0 * random.unit());
    (0..n * n)
        .map(|at| {
            let diagonal = if at / n == at % n { size } else { 0.0 };
            T::from_dd(unit() + Dd::from(diagonal))
        })
        .collect()
}

fn plans(division: Division) -> impl Iterator<Item = Plan> {
    Variant::ALL.into_iter().flat_map(move |variant| {
        Handover::ALL.map(|handover| Plan {
            variant,
            handover,
            division,
        })
    })
}

/// Bit for bit, the signs of zeros included; NaNs are one.
fn same<T: Scalar>(device: &Device, plan: Plan, n: usize, found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let alike = bytemuck::bytes_of(found) == bytemuck::bytes_of(expected) || found.is_nan() && expected.is_nan();
        assert!(
            alike,
            "{plan:?} of {n} in {} on {}: at ({}, {}) found {found:?}, expected {expected:?}",
            T::NAME,
            device.name(),
            at / n,
            at % n
        );
    }
}

fn every_plan_is_the_host<T: Scalar>(device: &Device) -> Result<()> {
    for n in ORDERS {
        let a = matrix::<T>(n);
        let mut expected = a.clone();
        host::factor(&mut expected, n)?;
        for plan in plans(Division::Corrected) {
            let on_device = Matrix::from_rows(device, n, n, &a)?;
            let (factors, counts) = factor_counted(on_device, plan)?;
            same(device, plan, n, &factors.to_host().block_on()?, &expected);
            let order = u32::try_from(n).expect("small");
            let modelled = model::counts(plan.variant, plan.handover, order, size_of::<T>() as u64);
            assert_eq!(counts, modelled, "{plan:?} of {n} on {}", device.name());
        }
        let last = factor(Matrix::from_rows(device, n, n, &a)?, Variant::I4, Handover::PingPong)?;
        assert_eq!(last.to_host().block_on()?, expected);
    }
    Ok(())
}

#[test]
fn every_plan_is_the_host_in_f32() {
    on_every_device::<f32>(every_plan_is_the_host::<f32>);
}

#[test]
fn every_plan_is_the_host_in_df64() {
    on_every_device::<Df64>(every_plan_is_the_host::<Df64>);
}

/// Zeros of both signs among operands, quotients, products and differences: where WGSL leaves the sign of a zero open, devices
/// keep it.
fn zeros_keep_their_signs<T: Scalar>(device: &Device) -> Result<()> {
    for n in [3, 4, 9, 33] {
        let mut random = Random::new(1985 + n);
        let mut a = matrix::<T>(n);
        for (at, value) in a.iter_mut().enumerate().filter(|(at, _)| at / n != at % n) {
            // And small integers, whose differences cancel.
            *value = match random.unit() {
                ..-0.25 => T::zero(),
                -0.25..0.5 => -T::zero(),
                _ => T::from_f64((at % 3) as f64 - 1.0),
            };
        }
        (0..n).for_each(|k| a[k * n + k] = T::from_f64([1.0, -1.0, 2.0][k % 3]));
        let mut expected = a.clone();
        host::factor(&mut expected, n)?;
        let signs = |negative: bool| {
            let zeros = expected.iter().filter(|value| **value == T::zero());
            zeros
                .filter(|zero| (bytemuck::bytes_of(*zero) != bytemuck::bytes_of(&T::zero())) == negative)
                .count()
        };
        assert!(signs(false) > 0 && signs(true) > 0, "{n}: {expected:?}");
        for plan in plans(Division::Corrected) {
            let (factors, _) = factor_counted(Matrix::from_rows(device, n, n, &a)?, plan)?;
            same(device, plan, n, &factors.to_host().block_on()?, &expected);
        }
    }
    Ok(())
}

#[test]
fn zeros_keep_their_signs_in_f32() {
    on_every_device::<f32>(zeros_keep_their_signs::<f32>);
}

#[test]
fn zeros_keep_their_signs_in_df64() {
    on_every_device::<Df64>(zeros_keep_their_signs::<Df64>);
}

/// What the host computes is an LU factorisation: L U gives A back, within Higham's bound.
#[test]
fn the_host_s_factors_are_factors() {
    for n in ORDERS {
        let a = matrix::<f32>(n);
        let mut factors = a.clone();
        host::factor(&mut factors, n).expect("square");
        let u = f64::from(f32::EPSILON) / 2.0;
        let gamma = n as f64 * u / (1.0 - n as f64 * u);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let lower = |k: usize| if k == i { 1.0 } else { f64::from(factors[i * n + k]) };
            let terms = (0..=i.min(j)).map(|k| lower(k) * f64::from(factors[k * n + j]));
            let (product, magnitude) = terms.fold((0.0, 0.0), |sum, term: f64| (sum.0 + term, sum.1 + term.abs()));
            let error = (product - f64::from(a[i * n + j])).abs();
            assert!(error <= gamma * magnitude, "{n} ({i}, {j}): {error:e}");
        }
    }
}

/// Variants agree with each other with the device's own division too, as they did in 2005.
#[test]
fn plans_agree_with_the_device_s_own_division() {
    on_every_device::<f32>(|device| {
        for n in [5, 33] {
            let a = matrix::<f32>(n);
            let mut first = None;
            for plan in plans(Division::Native) {
                let (factors, _) = factor_counted(Matrix::from_rows(device, n, n, &a)?, plan)?;
                let factors = factors.to_host().block_on()?;
                match &first {
                    None => first = Some(factors),
                    Some(first) => same(device, plan, n, &factors, first),
                }
            }
        }
        Ok(())
    });
}

/// A zero pivot makes the infinities and NaNs that it makes on the host.
#[test]
fn a_zero_pivot_is_no_fault() {
    on_every_device::<f32>(|device| {
        let a = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, -2.0, 1.0, 0.0_f32];
        let mut expected = a;
        host::factor(&mut expected, 3)?;
        for plan in plans(Division::Corrected) {
            let (factors, _) = factor_counted(Matrix::from_rows(device, 3, 3, &a)?, plan)?;
            let factors = factors.to_host().block_on()?;
            same(device, plan, 3, &factors, &expected);
        }
        Ok(())
    });
}

#[test]
fn what_cannot_be_factored_is_an_error() {
    for device in devices::devices() {
        let wide = Matrix::<f32>::zeros(device, 2, 3).expect("it fits");
        let error = factor(wide, Variant::I1, Handover::Copy).err();
        assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
        let nothing = Matrix::<f32>::zeros(device, 0, 0).expect("it fits");
        let factored = factor(nothing, Variant::I3, Handover::Copy).expect("nothing");
        assert!(factored.to_host().block_on().expect("nothing").is_empty());
        if !device.is_host() && device.supports::<f64>().is_ok() {
            let double = Matrix::<f64>::zeros(device, 2, 2).expect("it fits");
            let error = factor(double, Variant::I1, Handover::Copy).err();
            assert!(
                matches!(error, Some(Error::UnsupportedScalar { scalar: "f64", .. })),
                "{error:?}"
            );
        }
    }
}

#[test]
fn times_are_times_and_results_results() {
    on_every_device::<f32>(|device| {
        let n = 21;
        let a = matrix::<f32>(n);
        let mut expected = a.clone();
        host::factor(&mut expected, n)?;
        let on_device = Matrix::from_rows(device, n, n, &a)?;
        for plan in plans(Division::Corrected) {
            let measured = study::measure(&on_device, plan, 3).block_on()?;
            same(device, plan, n, &measured.factors, &expected);
            let counts = model::counts(plan.variant, plan.handover, 21, 4);
            assert_eq!(measured.counts, counts, "{plan:?}");
            assert!(
                measured.cpu > 0.0 && measured.total >= measured.cpu,
                "{plan:?} on {}: {} {}",
                device.name(),
                measured.total,
                measured.cpu
            );
            let clocks = [measured.gpu, measured.copy].into_iter().flatten();
            // Each is of a run of its own, and a busy machine makes any of them long.
            assert!(clocks.into_iter().all(|time| time >= 0.0 && time.is_finite()));
            match plan.handover {
                Handover::PingPong => assert_eq!(measured.copy, Some(0.0)),
                Handover::Copy => assert_ne!(measured.copy, Some(0.0)),
            }
            assert!(!device.is_host() || measured.gpu.is_none());
        }
        // The operand is not the result.
        assert_eq!(on_device.to_host().block_on()?, a);
        Ok(())
    });
}

/// The error of what a device computes is of the size that theory gives it, and both sources have their part.
#[test]
fn errors_are_split_by_their_source() {
    on_every_device::<f32>(|device| {
        let u = f64::from(f32::EPSILON) / 2.0;
        for n in [4, 33, 64] {
            let a = matrix::<f32>(n);
            for division in [Division::Native, Division::Corrected] {
                let plan = Plan {
                    variant: Variant::I1,
                    handover: Handover::PingPong,
                    division,
                };
                let (factors, _) = factor_counted(Matrix::from_rows(device, n, n, &a)?, plan)?;
                let factors = factors.to_host().block_on()?;
                let split = error_growth::split(&a, &factors, n)?.expect("updates are the host's");
                for errors in [split.backward, split.forward] {
                    let parts = errors.division + errors.update;
                    assert!(
                        errors.division > 0.0 && errors.update > 0.0,
                        "{n} {division}: {split:?}"
                    );
                    // The triangle inequality, and its first-order form for factors: second order is u² times growth.
                    assert!(
                        errors.total <= parts * (1.0 + 1e3 * n as f64 * u),
                        "{n} {division}: {split:?}"
                    );
                }
                // |ΔA| ≤ γₙ|L||U|, and |L||U| of this matrix is below n‖A‖.
                assert!(
                    split.backward.total <= (n * n) as f64 * 3.0 * u,
                    "{n} {division}: {split:?}"
                );
            }
        }
        Ok(())
    });
}
