//! Bounds of errors where residuals under- or overflow: larger than the error, or honest about knowing nothing.

use nonius::dense::{Matrix, Vector};
use nonius::lu::{Lu, Refined};
use nonius::{Blocking as _, Dd, Device, Error, Result, Scalar, ScalarKind};

use crate::devices::Random;
use crate::matrices::Dense;

for_every_scalar!(
    subnormal_solutions_by_value,
    what_underflows_in_a_product,
    errors_are_within_their_bounds,
    no_row_of_b_is_overlooked,
    sizes_beyond_the_range,
);

/// The smallest magnitude of a word of T is 2^this.
fn smallest<T: Scalar>() -> i32 {
    match T::KIND {
        ScalarKind::F32 | ScalarKind::Df64 => -149,
        _ => -1074,
    }
}

fn refined<T: Scalar>(device: &Device, a: &Dense<T>, b: &[T]) -> Result<(Refined<T>, Vec<T>)> {
    let matrix = || Matrix::from_rows(device, a.rows, a.cols, &a.values);
    let refined = Lu::factor(matrix()?)?
        .refined(&matrix()?, &Vector::from_slice(device, b)?)
        .block_on()?;
    let x = refined.x.to_host().block_on()?;
    Ok((refined, x))
}

/// 3/4 and 1/3 of the smallest number: x is that number, or zero.
fn subnormal_solutions_by_value<T: Scalar>(device: &Device) -> Result<()> {
    for (a, b) in [(4.0, 3.0), (3.0, 1.0), (3.0, 8.0), (3.0, 2024.0)] {
        let right = T::from_f64(b).scale_exponent(smallest::<T>());
        let (refined, x) = refined(device, &Dense::from_fn(1, 1, |_, _| T::from_f64(a)), &[right])?;
        let found = x[0].scale_exponent(-smallest::<T>()).to_f64();
        let error = if found == 0.0 {
            f64::INFINITY
        } else {
            (found - b / a).abs() / found
        };
        assert!(
            error <= refined.forward_error,
            "{b} by {a} in {} on {}: {error:e}, {refined:?}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

/// The second row is zero, and so is what is computed of it: a product that underflowed, whose quotient by a small pivot is no
/// small number.
fn what_underflows_in_a_product<T: Scalar>(device: &Device) -> Result<()> {
    let power = |k: i32| T::one().scale_exponent(k);
    let (factor, pivot) = (3 * smallest::<T>() / 5, 4 * smallest::<T>() / 5);
    let a = [T::one(), T::zero(), power(factor), power(pivot)];
    let (refined, x) = refined(
        device,
        &Dense::from_fn(2, 2, |i, j| a[2 * i + j]),
        &[power(factor), T::zero()],
    )?;
    assert_eq!(x, [power(factor), T::zero()]);
    let error = 1.0.scale_exponent(factor - pivot);
    assert!(
        error <= refined.forward_error,
        "in {} on {}: {error:e}, {refined:?}",
        T::NAME,
        device.name()
    );
    Ok(())
}

/// Integers times powers of two that reach the smallest: the same system without the powers is solved in double-double.
fn errors_are_within_their_bounds<T: Scalar>(device: &Device) -> Result<()> {
    let host = Device::host();
    let mut random = Random::new(17);
    let mut compared = 0;
    for k in 0..400 {
        let n = 1 + random.below(5);
        // Of A⁻¹, elements may underflow too.
        let large = T::MAX_EXPONENT - 5;
        let of_a = [T::MIN_EXPONENT, T::MIN_EXPONENT / 2, 0, 20, large][random.below(5)];
        let above = [0, 1, 3, 10, 20, 30, 60, large - smallest::<T>()][random.below(8)];
        let of_b = smallest::<T>() + above;
        let a = Dense::from_fn(n, n, |_, _| Dd::from(f64::from(random.integer(9))));
        let b: Vec<Dd> = (0..n).map(|_| Dd::from(f64::from(random.integer(9)))).collect();
        let (_, exact) = match refined(&host, &a, &b) {
            Err(Error::Singular { .. }) => continue,
            outcome => outcome?,
        };
        let scaled = |x: Dd, k: i32| T::from_dd(x).scale_exponent(k);
        let small = Dense::from_fn(n, n, |i, j| scaled(a.at(i, j), of_a));
        let right: Vec<T> = b.iter().map(|b| scaled(*b, of_b)).collect();
        let (refined, x) = match refined(device, &small, &right) {
            // A pivot is noise, or flushed.
            Err(Error::Singular { .. }) => continue,
            outcome => outcome?,
        };
        let found: Vec<Dd> = x.iter().map(|x| x.to_dd().scale_exponent(of_a - of_b)).collect();
        if !found.iter().all(|x| x.is_finite()) {
            continue;
        }
        let largest = |values: &mut dyn Iterator<Item = Dd>| values.map(|x| x.to_f64().abs()).fold(0.0, f64::max);
        let error = largest(&mut found.iter().zip(&exact).map(|(x, exact)| *x - *exact));
        let size = largest(&mut found.iter().copied());
        compared += 1;
        // The bound has an estimate in it, that is almost always within a factor of 3; and the oracle its own error.
        assert!(
            error <= 3.0 * refined.forward_error * size || error <= 1e-25 * size || refined.forward_error.is_infinite(),
            "{k}: {n} rows, 2^{of_a} and 2^{of_b} in {} on {}: {error:e} of {size:e}, {refined:?}, {:?} {b:?}",
            T::NAME,
            device.name(),
            a.values
        );
    }
    assert!(compared > 200, "only {compared} of 400 say anything");
    Ok(())
}

/// Where a device reads subnormals as zeros, x and the residual are zero, but b is not.
fn no_row_of_b_is_overlooked<T: Scalar>(device: &Device) -> Result<()> {
    let small = T::from_f64(8.0).scale_exponent(smallest::<T>());
    for b in [[small, small], [T::zero(), small], [T::one(), small]] {
        let identity = Dense::from_fn(2, 2, |i, j| if i == j { T::one() } else { T::zero() });
        let (refined, x) = refined(device, &identity, &b)?;
        let case = format!("{b:?} in {} on {}: {refined:?}, {x:?}", T::NAME, device.name());
        if x[1] != small {
            assert!(refined.backward_error >= 0.5, "{case}");
        }
        if x == [T::zero(), T::zero()] {
            assert!(refined.forward_error.is_infinite(), "{case}");
        }
    }
    Ok(())
}

/// |b| + |A||x| overflows, and x need not: a residual of zero beside it is no reason to call x exact.
fn sizes_beyond_the_range<T: Scalar>(device: &Device) -> Result<()> {
    let top = match T::KIND {
        ScalarKind::F32 | ScalarKind::Df64 => 127,
        _ => 1023,
    };
    let large = T::from_f64(1.5).scale_exponent(top);
    let identity = Dense::from_fn(2, 2, |i, j| if i == j { T::one() } else { T::zero() });
    let (refined, x) = refined(device, &identity, &[large, T::one()])?;
    assert!(
        refined.backward_error.is_nan() && refined.forward_error.is_infinite() && refined.history.len() == 1,
        "in {} on {}: {refined:?}, {x:?}",
        T::NAME,
        device.name()
    );
    Ok(())
}
