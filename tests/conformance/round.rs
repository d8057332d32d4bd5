//! Matrices rounded to narrower scalars.

use nonius::dense::{Matrix, round};
use nonius::{Blocking as _, Dd, Device, Df64, Error, Result, Scalar, ScalarKind};

use crate::devices::{Random, devices, say};

/// What one rounding may be off by, relative to x: half a unit in the last place.
fn rounding<H: Scalar, L: Scalar>() -> f64 {
    let bits = match (H::KIND, L::KIND) {
        (high, low) if high == low => return 0.0,
        (_, ScalarKind::F32) => 24,
        // What the leading word leaves over is 2⁻²⁴ of x, and is rounded in the same way.
        (_, ScalarKind::Df64) => 48,
        _ => 53,
    };
    (-f64::from(bits)).exp2()
}

fn blocks_are_rounded<H: Scalar, L: Scalar>(device: &Device) -> Result<()> {
    let case = format!("{} to {} on {}", H::NAME, L::NAME, device.name());
    for (rows, cols) in [(1, 1), (2, 3), (5, 1), (1, 257), (33, 65), (130, 127)] {
        let mut random = Random::new(rows + cols);
        let (leading, c_leading) = (cols + 3, cols + 2);
        let values: Vec<H> = random.scalars(rows * leading + 2 * leading);
        let a = Matrix::from_rows(device, rows + 2, leading, &values)?;
        let before: Vec<L> = random.scalars((rows + 1) * c_leading);
        let mut c = Matrix::from_rows(device, rows + 1, c_leading, &before)?;
        round(a.block(2, 3, rows, cols)?, c.block_mut(1, 1, rows, cols)?)?;
        let found = c.to_host().block_on()?;
        for (at, (found, before)) in found.iter().zip(&before).enumerate() {
            let (i, j) = (at / c_leading, at % c_leading);
            if i == 0 || j == 0 || j > cols {
                assert_eq!(found, before, "{case}: beside the block, at ({i}, {j})");
                continue;
            }
            let exact = values[(i + 1) * leading + j + 2].to_dd();
            let error = (found.to_dd() - exact).to_f64().abs();
            assert!(
                error <= rounding::<H, L>() * exact.to_f64().abs(),
                "{case}: {exact:e} became {found:e}"
            );
        }
    }
    Ok(())
}

/// Numbers about halfway between two of `L`, or half of such a half, where a second rounding would show; on both sides of a
/// power of two, and at the ends of the range.
fn nearly_halves<H: Scalar>() -> Vec<H> {
    let mut values = Vec::new();
    for bits in [24, 48, 53] {
        for last in [0.0, 1.0, 2.0, 3.0] {
            for below in [30, 53, 54, 60, 75, 80, 105] {
                for (sign, side) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, 0.0)] {
                    // Of 1 or 2, units in the last place, and half of one.
                    let whole = H::from_f64(1.0 + last * (1.0 - f64::from(bits)).exp2());
                    let half = H::from_f64((-f64::from(bits)).exp2());
                    let little = H::from_f64(side * (-f64::from(below)).exp2());
                    let exact = [whole + half + little, whole - half.scale_exponent(-1) + little];
                    values.extend(exact.map(|x| if sign < 0.0 { -x } else { x }));
                }
            }
        }
    }
    let scaled = |k: i32| values.iter().map(move |x| x.scale_exponent(k)).collect::<Vec<H>>();
    [0, -20, 40, 127, -75, -100, -126, -140]
        .into_iter()
        .flat_map(scaled)
        .collect()
}

/// Wherever it is done, rounding gives the nearest: what the host gives.
fn values_are_those_of_the_host<H: Scalar, L: Scalar>(device: &Device) -> Result<()> {
    let mut values = nearly_halves::<H>();
    let mut random = Random::new(7);
    values.extend(random.scalars::<H>(1000));
    let mut c = Matrix::<L>::zeros(device, 1, values.len())?;
    round(&Matrix::from_rows(device, 1, values.len(), &values)?, &mut c)?;
    for (found, x) in c.to_host().block_on()?.into_iter().zip(values) {
        let nearest = L::from_dd(x.to_dd());
        assert!(
            found == nearest,
            "{x:?} in {} became {found:?} in {} on {}, not {nearest:?}",
            H::NAME,
            L::NAME,
            device.name()
        );
    }
    Ok(())
}

/// What only f64 and f32 can tell: the ends of the range of f32, subnormal numbers included.
#[test]
fn the_ends_of_f32_are_rounded_to_nearest() {
    fn check<H: Scalar>(device: &Device) -> Result<()> {
        let mut values = Vec::new();
        for exponent in [-151, -150, -149, -148, -140, -127, -126, -125, 126, 127, 128, 129] {
            for fraction in [0.0, 0.25, 0.5, 0.5 - 1e-12, 0.5 + 1e-12, 0.75, 1.0 - 1e-9, 1.0 - 1e-7] {
                values.push((1.0 + fraction) * f64::from(exponent).exp2());
            }
        }
        let values: Vec<H> = values.iter().flat_map(|x| [*x, -*x]).map(H::from_f64).collect();
        let mut c = Matrix::<f32>::zeros(device, 1, values.len())?;
        round(&Matrix::from_rows(device, 1, values.len(), &values)?, &mut c)?;
        for (found, x) in c.to_host().block_on()?.into_iter().zip(values) {
            let nearest = f32::from_dd(x.to_dd());
            let case = format!("{x:e} in {} became {found:e} on {}", H::NAME, device.name());
            assert_eq!(found.to_bits(), nearest.to_bits(), "{case}");
        }
        Ok(())
    }
    on_devices::<f64, f32>(&[check::<f64>]);
    on_devices::<Dd, f32>(&[check::<Dd>]);
}

fn odd_numbers_stay_odd<H: Scalar, L: Scalar>(device: &Device) -> Result<()> {
    let case = format!("{} to {} on {}", H::NAME, L::NAME, device.name());
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.5].map(H::from_f64);
    let mut c = Matrix::<L>::zeros(device, 1, odd.len())?;
    round(&Matrix::from_rows(device, 1, odd.len(), &odd)?, &mut c)?;
    let found = c.to_host().block_on()?;
    assert!(found[0].is_nan(), "{case}: NaN became {:?}", found[0]);
    for (found, expected) in found[1..].iter().zip(&odd[1..]) {
        assert_eq!(found.to_f64(), expected.to_f64(), "{case}");
    }
    Ok(())
}

/// What L cannot hold: infinite, or zero.
fn what_does_not_fit_is_seen<H: Scalar, L: Scalar>(device: &Device) -> Result<()> {
    let case = format!("{} to {} on {}", H::NAME, L::NAME, device.name());
    let values = [1e300, -1e300, 1e-300].map(H::from_f64);
    let mut c = Matrix::<L>::zeros(device, 1, 3)?;
    round(&Matrix::from_rows(device, 1, 3, &values)?, &mut c)?;
    let found = c.to_host().block_on()?;
    for (found, sign) in found.iter().zip([1.0, -1.0]) {
        assert_eq!(found.to_f64(), sign * f64::INFINITY, "{case}");
    }
    assert_eq!(found[2].to_f64(), 0.0, "{case}");
    Ok(())
}

/// What the leading word leaves over may round up to a tie with it, and then the leading word is the even one.
fn pairs_are_normalised<H: Scalar>(device: &Device) -> Result<()> {
    let values: Vec<H> = (0..1000)
        .map(|at| {
            let odd = 1.0 + f64::from(2 * at + 1) / f64::from(1 << 23);
            let almost_half = f64::from(1 << 24).recip() - f64::from(at % 3) * 2_f64.powi(-51);
            let x = H::from_f64(odd + almost_half).scale_exponent(at % 100 - 50);
            if at % 2 == 0 { x } else { -x }
        })
        .collect();
    let mut c = Matrix::<Df64>::zeros(device, 1, values.len())?;
    round(&Matrix::from_rows(device, 1, values.len(), &values)?, &mut c)?;
    for (found, x) in c.to_host().block_on()?.into_iter().zip(values) {
        assert_eq!(
            (found.hi(), found.lo()),
            (found.hi() + found.lo(), Df64::new(found.hi(), found.lo()).lo()),
            "{x} in {} on {}",
            H::NAME,
            device.name()
        );
    }
    Ok(())
}

#[test]
fn pairs_stay_normalised() {
    on_devices::<f64, Df64>(&[pairs_are_normalised::<f64>]);
    on_devices::<Dd, Df64>(&[pairs_are_normalised::<Dd>]);
}

fn on_devices<H: Scalar, L: Scalar>(checks: &[fn(&Device) -> Result<()>]) {
    for device in devices() {
        match device.supports::<L>().and_then(|()| device.supports::<H>()) {
            Ok(()) => checks
                .iter()
                .for_each(|check| check(device).unwrap_or_else(|error| panic!("{}: {error}", device.name()))),
            Err(error) => say(&format!("not tested: {error}")),
        }
    }
}

macro_rules! pairs {
    ($($name:ident: $high:ty, $low:ty;)*) => {$(
        #[test]
        fn $name() {
            on_devices::<$high, $low>(&[
                blocks_are_rounded::<$high, $low>,
                odd_numbers_stay_odd::<$high, $low>,
                values_are_those_of_the_host::<$high, $low>,
            ]);
        }
    )*};
}

pairs! {
    f32_stays_itself: f32, f32;
    df64_to_f32: Df64, f32;
    df64_stays_itself: Df64, Df64;
    f64_to_f32: f64, f32;
    f64_to_df64: f64, Df64;
    f64_stays_itself: f64, f64;
    dd_to_f32: Dd, f32;
    dd_to_df64: Dd, Df64;
    dd_to_f64: Dd, f64;
    dd_stays_itself: Dd, Dd;
}

#[test]
fn doubles_beyond_f32() {
    on_devices::<f64, f32>(&[what_does_not_fit_is_seen::<f64, f32>]);
    on_devices::<f64, Df64>(&[what_does_not_fit_is_seen::<f64, Df64>]);
    on_devices::<Dd, f32>(&[what_does_not_fit_is_seen::<Dd, f32>]);
    on_devices::<Dd, Df64>(&[what_does_not_fit_is_seen::<Dd, Df64>]);
}

#[test]
fn wider_scalars_and_other_shapes_are_errors() {
    let host = Device::host();
    let a = Matrix::<f32>::zeros(&host, 2, 3).expect("it fits");
    let mut wide = Matrix::<f64>::zeros(&host, 2, 3).expect("it fits");
    let mut other = Matrix::<f32>::zeros(&host, 3, 2).expect("it fits");
    let mut same = Matrix::<f32>::zeros(&host, 3, 2).expect("it fits");
    for error in [
        round(&a, &mut wide),
        round(&a, &mut other),
        round(a.view().t(), &mut same),
    ] {
        assert!(
            matches!(error, Err(Error::Shape { operation: "round", .. })),
            "{error:?}"
        );
    }
}
