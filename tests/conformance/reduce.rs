//! Sums to one element: dot, sum, asum, nrm2, iamax, and those of f32 in Df64.

use nonius::dense::{self, Vector};
use nonius::{Blocking as _, Device, Df64, Result, Scalar};

use crate::devices::on_every_device;
use crate::exact::Exact;
use crate::support::{Case, Operand, Random, depth, shapes};

for_every_scalar!(
    dot,
    sum,
    asum,
    amax,
    nrm2,
    iamax,
    into_one_element,
    same_bits_twice,
    threads_do_not_share_partial_sums
);

fn dot<T: Scalar>(device: &Device) -> Result<()> {
    for (n, layouts @ [for_x, for_y, _]) in shapes() {
        let mut random = Random::new(n);
        let case = case(device, "dot", n, layouts);
        let (x, y) = (
            Operand::<T>::random(&mut random, n, for_x),
            Operand::<T>::random(&mut random, n, for_y),
        );
        let (x_there, y_there) = (x.upload(device)?, y.upload(device)?);
        let found = dense::dot(x.view(&x_there), y.view(&y_there)).block_on()?;
        let (exact, scale) = exact_dot(n, |i| (x.at(i), y.at(i)));
        case.near(0, found, &exact, scale, depth(device, n));
    }
    Ok(())
}

fn sum<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let x = Operand::<T>::random(&mut Random::new(n), n, layout);
        let found = dense::sum(x.view(&x.upload(device)?)).block_on()?;
        let (exact, scale) = exact_dot(n, |i| (x.at(i), T::one()));
        case(device, "sum", n, layout).near(0, found, &exact, scale, depth(device, n));
    }
    Ok(())
}

fn asum<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let x = Operand::<T>::random(&mut Random::new(n), n, layout);
        let found = dense::asum(x.view(&x.upload(device)?)).block_on()?;
        let (exact, scale) = exact_dot(n, |i| (x.at(i).abs(), T::one()));
        case(device, "asum", n, layout).near(0, found, &exact, scale, depth(device, n));
    }
    Ok(())
}

fn amax<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let x = Operand::<T>::random(&mut Random::new(n), n, layout);
        let found = dense::amax(x.view(&x.upload(device)?)).block_on()?;
        let expected = (0..n)
            .map(|i| x.at(i).abs())
            .fold(T::zero(), |a, b| if b > a { b } else { a });
        case(device, "amax", n, layout).same(0, found, expected);
    }
    Ok(())
}

fn nrm2<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let x = Operand::<T>::random(&mut Random::new(n), n, layout);
        let found = dense::nrm2(x.view(&x.upload(device)?)).block_on()?;
        let case = case(device, "nrm2", n, layout);
        near_norm(
            &case,
            found,
            exact_dot(n, |i| (x.at(i), x.at(i))).0,
            norm_roundings(device, n),
        );
    }
    Ok(())
}

fn iamax<T: Scalar>(device: &Device) -> Result<()> {
    for (n, [layout, ..]) in shapes() {
        let x = Operand::<T>::random(&mut Random::new(n), n, layout);
        let found = dense::iamax(x.view(&x.upload(device)?)).block_on()?;
        let expected = (0..n).reduce(|a, b| if x.at(b).abs() > x.at(a).abs() { b } else { a });
        assert_eq!(
            found,
            expected,
            "iamax in {} on {}, n = {n}, {layout:?}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

/// The forms that leave the result on the device write one element and nothing beside it.
fn into_one_element<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(7);
    let (n, before) = (1000, random.scalars::<T>(4));
    let x = Vector::from_slice(device, &random.scalars::<T>(n))?;
    let expected = [
        ("sum_into", dense::sum(&x).block_on()?),
        ("asum_into", dense::asum(&x).block_on()?),
        ("amax_into", dense::amax(&x).block_on()?),
        ("nrm2_into", dense::nrm2(&x).block_on()?),
        ("dot_into", dense::dot(&x, &x).block_on()?),
    ];
    for (operation, expected) in expected {
        let mut result = Vector::from_slice(device, &before)?;
        let at_two = result.strided_mut(2, 1, 1)?;
        match operation {
            "sum_into" => dense::sum_into(&x, at_two)?,
            "asum_into" => dense::asum_into(&x, at_two)?,
            "amax_into" => dense::amax_into(&x, at_two)?,
            "nrm2_into" => dense::nrm2_into(&x, at_two)?,
            _ => dense::dot_into(&x, &x, at_two)?,
        }
        let case = case(device, operation, n, "into element 2");
        for (i, found) in result.to_host().block_on()?.into_iter().enumerate() {
            case.same(i, found, if i == 2 { expected } else { before[i] });
        }
    }
    Ok(())
}

fn same_bits_twice<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(11);
    let n = 100_003;
    let (x, y) = (random.scalars::<T>(n), random.scalars::<T>(n));
    let (x, y) = (Vector::from_slice(device, &x)?, Vector::from_slice(device, &y)?);
    let run = || -> Result<[T; 4]> {
        Ok([
            dense::dot(&x, &y).block_on()?,
            dense::sum(&x).block_on()?,
            dense::asum(&x).block_on()?,
            dense::nrm2(&x).block_on()?,
        ])
    };
    let (first, second) = (run()?, run()?);
    assert_eq!(
        bytemuck::bytes_of(&first[0]),
        bytemuck::bytes_of(&second[0]),
        "dot on {}",
        device.name()
    );
    assert_eq!(first, second, "reductions in {} on {}", T::NAME, device.name());
    Ok(())
}

/// Partial sums lie in memory that operations use one after the other; two that are recorded at once must not.
fn threads_do_not_share_partial_sums<T: Scalar>(device: &Device) -> Result<()> {
    let n = 3001;
    let vectors = [17, 19].map(|seed| Vector::from_slice(device, &Random::new(seed).scalars::<T>(n)));
    let [x, y] = vectors;
    let vectors = [x?, y?];
    let alone = [dense::sum(&vectors[0]).block_on()?, dense::sum(&vectors[1]).block_on()?];
    std::thread::scope(|scope| {
        for (vector, alone) in vectors.iter().zip(alone) {
            scope.spawn(move || {
                for _ in 0..50 {
                    let mut sums = Vector::zeros(device, 8).expect("it fits");
                    for i in 0..8 {
                        let one = sums.strided_mut(i, 1, 1).expect("one of eight");
                        dense::sum_into(vector, one).expect("it is recorded");
                    }
                    let found = sums.to_host().block_on().expect("the device is there");
                    assert_eq!(found, [alone; 8], "{} on {}", T::NAME, device.name());
                }
            });
        }
    });
    Ok(())
}

#[test]
fn dot_of_f32_in_df64() {
    on_every_device::<Df64>(|device| {
        for (n, layouts @ [for_x, for_y, _]) in shapes() {
            let mut random = Random::new(n);
            let case = case(device, "dot_in_df64", n, layouts);
            let x = Operand::<f32>::random(&mut random, n, for_x);
            let y = Operand::<f32>::random(&mut random, n, for_y);
            let (x_there, y_there) = (x.upload(device)?, y.upload(device)?);
            let found = dense::dot_in_df64(x.view(&x_there), y.view(&y_there)).block_on()?;
            let (exact, scale) = exact_dot(n, |i| (x.at(i), y.at(i)));
            case.near(0, found, &exact, scale, depth(device, n));
        }
        Ok(())
    });
}

#[test]
fn nrm2_of_f32_in_df64() {
    on_every_device::<Df64>(|device| {
        for (n, [layout, ..]) in shapes() {
            let x = Operand::<f32>::random(&mut Random::new(n), n, layout);
            let found = dense::nrm2_in_df64(x.view(&x.upload(device)?)).block_on()?;
            let case = case(device, "nrm2_in_df64", n, layout);
            near_norm(
                &case,
                found,
                exact_dot(n, |i| (x.at(i), x.at(i))).0,
                norm_roundings(device, n),
            );
        }
        Ok(())
    });
}

/// Σ xᵢyᵢ and Σ |xᵢyᵢ|.
pub(crate) fn exact_dot<T: Scalar>(n: usize, pair: impl Fn(usize) -> (T, T)) -> (Exact, Exact) {
    let (mut exact, mut scale) = (Exact::zero(), Exact::zero());
    for (x, y) in (0..n).map(pair) {
        exact.add_product(x, y);
        scale.add_product(x.abs(), y.abs());
    }
    (exact, scale)
}

/// |found² - Σx²| ≤ 2γ·Σx², which is |found - ‖x‖| ≤ γ·‖x‖ to first order.
pub(crate) fn near_norm<T: Scalar>(case: &Case<'_>, found: T, squares: Exact, roundings: f64) {
    if !found.is_finite() || found < T::zero() {
        case.fail(0, found, "a finite norm");
    }
    let mut error = squares.clone();
    error.add_product(found, -found);
    let (error, bound) = (error.ratio(squares), 2.0 * crate::support::gamma::<T>(roundings));
    if !crate::support::within(error, bound) {
        case.fail(
            0,
            found,
            format!("a square that errs by {bound:e} at most, not {error:e}"),
        );
    }
}

/// Half of those of the sum of squares; a root, for which Vulkan allows some 5 units in the last place (10 roundings of
/// a word), and where magnitudes are mixed a quotient (2.5 units), a second root and two products.
pub(crate) fn norm_roundings(device: &Device, n: usize) -> f64 {
    depth(device, n) / 2.0 + 10.0 + 5.0 + 3.0
}

fn case<'a>(device: &'a Device, operation: &'static str, n: usize, layout: impl std::fmt::Debug) -> Case<'a> {
    let sizes = format!("n = {n}, {layout:?}");
    Case {
        device,
        operation,
        sizes,
    }
}
