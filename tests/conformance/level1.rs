//! Element by element: fill, scal, copy, axpy, xpay, axpyz, hadamard.

use nonius::dense::{self, VectorView, VectorViewMut};
use nonius::{Dd, Device, Result, Scalar};

use crate::support::{Case, Operand, Random, shapes};

for_every_scalar!(fill, scal, copy, axpy, xpay, axpyz, hadamard);

fn fill<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let mut random = Random::new(n);
        let case = case(device, "fill", n, layout);
        let y = Operand::<T>::unread(&mut random, n, layout);
        let mut on_device = y.upload(device)?;
        let alpha = random.scalar();
        dense::fill(alpha, y.view_mut(&mut on_device))?;
        for (i, found) in y.written(&case, &on_device)?.into_iter().enumerate() {
            case.same(i, found, alpha);
        }
    }
    Ok(())
}

fn scal<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let mut random = Random::new(n);
        let case = case(device, "scal", n, layout);
        let y = Operand::<T>::random(&mut random, n, layout);
        let mut on_device = y.upload(device)?;
        let alpha: T = random.scalar();
        dense::scal(alpha, y.view_mut(&mut on_device))?;
        for (i, found) in y.written(&case, &on_device)?.into_iter().enumerate() {
            multiply(alpha, y.at(i)).check(&case, i, found);
        }
    }
    Ok(())
}

fn copy<T: Scalar>(device: &Device) -> Result<()> {
    map_xy::<T>(
        device,
        "copy",
        true,
        |_, x, y| dense::copy(x, y),
        |_, x, _| unchanged(x),
    )
}

fn axpy<T: Scalar>(device: &Device) -> Result<()> {
    map_xy::<T>(
        device,
        "axpy",
        false,
        |alpha, x, y| dense::axpy(alpha, x, y),
        multiply_add,
    )
}

fn xpay<T: Scalar>(device: &Device) -> Result<()> {
    let expected = |alpha, x, y| multiply_add(alpha, y, x);
    map_xy::<T>(device, "xpay", false, |alpha, x, y| dense::xpay(alpha, x, y), expected)
}

fn axpyz<T: Scalar>(device: &Device) -> Result<()> {
    map_xyz::<T>(
        device,
        "axpyz",
        |alpha, x, y, z| dense::axpyz(alpha, x, y, z),
        multiply_add,
    )
}

fn hadamard<T: Scalar>(device: &Device) -> Result<()> {
    map_xyz::<T>(
        device,
        "hadamard",
        |_, x, y, z| dense::hadamard(x, y, z),
        |_, x, y| multiply(x, y),
    )
}

/// What one element should be: the host's result and, in double-double, the exact one with what its error is
/// measured by, and in how many roundings.
struct Expected<T> {
    host: T,
    exact: Dd,
    scale: Dd,
    roundings: f64,
}

fn multiply_add<T: Scalar>(alpha: T, x: T, y: T) -> Expected<T> {
    let product = alpha.to_dd() * x.to_dd();
    Expected {
        host: alpha.mul_add(x, y),
        exact: product + y.to_dd(),
        scale: product.abs() + y.to_dd().abs(),
        roundings: 2.0,
    }
}

fn multiply<T: Scalar>(x: T, y: T) -> Expected<T> {
    let exact = x.to_dd() * y.to_dd();
    Expected {
        host: x * y,
        exact,
        scale: exact.abs(),
        roundings: 1.0,
    }
}

fn unchanged<T: Scalar>(x: T) -> Expected<T> {
    Expected {
        host: x,
        exact: x.to_dd(),
        scale: Dd::from(0),
        roundings: 0.0,
    }
}

impl<T: Scalar> Expected<T> {
    fn check(self, case: &Case<'_>, i: usize, found: T) {
        case.element(i, found, self.host, self.exact, self.scale, self.roundings);
    }
}

/// An operation y ← f(α, x, y).
type RunXy<T> = fn(T, VectorView<'_, T>, VectorViewMut<'_, T>) -> Result<()>;

/// An operation z ← f(α, x, y).
type RunXyz<T> = fn(T, VectorView<'_, T>, VectorView<'_, T>, VectorViewMut<'_, T>) -> Result<()>;

fn map_xy<T: Scalar>(
    device: &Device,
    operation: &'static str,
    unread: bool,
    run: RunXy<T>,
    expected: impl Fn(T, T, T) -> Expected<T>,
) -> Result<()> {
    for (n, layouts @ [for_x, for_y, _]) in shapes() {
        let mut random = Random::new(n + 1);
        let case = case(device, operation, n, layouts);
        let x = Operand::<T>::random(&mut random, n, for_x);
        let y = if unread {
            Operand::unread(&mut random, n, for_y)
        } else {
            Operand::random(&mut random, n, for_y)
        };
        let (x_there, mut y_there) = (x.upload(device)?, y.upload(device)?);
        let alpha: T = random.scalar();
        run(alpha, x.view(&x_there), y.view_mut(&mut y_there))?;
        for (i, found) in y.written(&case, &y_there)?.into_iter().enumerate() {
            expected(alpha, x.at(i), y.at(i)).check(&case, i, found);
        }
    }
    Ok(())
}

fn map_xyz<T: Scalar>(
    device: &Device,
    operation: &'static str,
    run: RunXyz<T>,
    expected: impl Fn(T, T, T) -> Expected<T>,
) -> Result<()> {
    for (n, layouts @ [for_x, for_y, for_z]) in shapes() {
        let mut random = Random::new(n + 2);
        let case = case(device, operation, n, layouts);
        let x = Operand::<T>::random(&mut random, n, for_x);
        let y = Operand::<T>::random(&mut random, n, for_y);
        let z = Operand::<T>::unread(&mut random, n, for_z);
        let (x_there, y_there, mut z_there) = (x.upload(device)?, y.upload(device)?, z.upload(device)?);
        let alpha: T = random.scalar();
        run(alpha, x.view(&x_there), y.view(&y_there), z.view_mut(&mut z_there))?;
        for (i, found) in z.written(&case, &z_there)?.into_iter().enumerate() {
            expected(alpha, x.at(i), y.at(i)).check(&case, i, found);
        }
    }
    Ok(())
}

fn case<'a>(device: &'a Device, operation: &'static str, n: usize, layout: impl std::fmt::Debug) -> Case<'a> {
    let sizes = format!("n = {n}, {layout:?}");
    Case {
        device,
        operation,
        sizes,
    }
}
