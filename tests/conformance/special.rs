//! NaN, infinities, subnormals, the ends of the range, ties.

use nonius::dense::{self, Matrix, Vector};
use nonius::{Blocking as _, Dd, Device, Error, Result, Scalar};

use crate::reduce::{exact_dot, near_norm, norm_roundings};
use crate::support::{Case, Random, is_pair};

for_every_scalar!(
    norms_at_the_ends_of_the_range,
    norms_of_mixed_magnitudes,
    nothing_hides_a_nan,
    infinities_stay_visible,
    the_first_of_equals_is_the_largest,
    a_nan_is_larger_than_every_number,
    subnormals_are_kept_or_zero,
    small_products_fade,
    what_small_numbers_are_multiplied_to_is_right,
    a_factor_that_is_not_finite_is_seen,
    copies_keep_every_finite_bit,
    a_stride_that_nobody_takes_may_be_any,
    no_rows_and_no_columns_may_be_many,
);

/// Exponents near the ends of the range of a word, and well within them.
fn exponents<T: Scalar>() -> [i32; 6] {
    // 1e30 and 1e-30 in f32, 1e300 and 1e-300 in f64; sums of a few squares still have a finite root.
    let (low, high) = (lowest_normal::<T>(), T::MAX_EXPONENT);
    [low + 1, low * 4 / 5, low / 2, high / 2, high * 4 / 5, high - 7]
}

/// The exponent of the smallest normal word of T.
fn lowest_normal<T: Scalar>() -> i32 {
    if is_of_f32::<T>() {
        f32::MIN_EXPONENT
    } else {
        f64::MIN_EXPONENT
    }
}

/// A pair's own range is shorter than that of its words; its largest exponent tells which words they are.
fn is_of_f32<T: Scalar>() -> bool {
    T::MAX_EXPONENT <= f32::MAX_EXPONENT
}

fn norms_at_the_ends_of_the_range<T: Scalar>(device: &Device) -> Result<()> {
    for (exponent, n) in exponents::<T>().into_iter().flat_map(|e| [1, 5, 600].map(|n| (e, n))) {
        let mut random = Random::new(n);
        // One word each, in [1, 2): the low words of small pairs are not there on every device.
        let x: Vec<T> = (0..n)
            .map(|_| {
                let bits = random.bits();
                let x = T::from_f64(1.0 + (bits % 1024) as f64 / 1024.0).scale_exponent(exponent);
                if bits >> 63 == 0 { x } else { -x }
            })
            .collect();
        norm(device, &x, &format!("n = {n}, elements of 2^{exponent}"), exponent)?;
    }
    Ok(())
}

/// Small ones that together matter, beside middling and beside large ones.
fn norms_of_mixed_magnitudes<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(9);
    let bounds = exponents::<T>();
    for pair in bounds
        .windows(2)
        .chain([&[bounds[0], bounds[5]][..], &[bounds[1], 0], &[0, bounds[4]]])
    {
        let scaled = |(i, x): (usize, T)| x.scale_exponent(if i % 2 == 0 { pair[0] + 5 } else { pair[1] - 5 });
        let x: Vec<T> = random.scalars(300).into_iter().enumerate().map(scaled).collect();
        norm(
            device,
            &x,
            &format!("elements of 2^{} and 2^{}", pair[0], pair[1]),
            pair[0].max(pair[1]) - 9,
        )?;
    }
    // Close to where the sums of small and of middling squares meet.
    for exponent in -70..-30 {
        let x: Vec<T> = random
            .scalars::<T>(64)
            .into_iter()
            .map(|x| x.scale_exponent(exponent))
            .collect();
        norm(device, &x, &format!("elements of 2^{exponent}"), exponent - 4)?;
    }
    // Many of the largest middling ones, which outweigh a large one.
    let middling = if is_of_f32::<T>() { 52 } else { 486 };
    for large in 0..4 {
        let mut x = vec![T::one().scale_exponent(middling); 1000];
        x[300] = T::one().scale_exponent(middling + large);
        norm(
            device,
            &x,
            &format!("2^{middling} often, and 2^{} once", middling + large),
            middling,
        )?;
    }
    Ok(())
}

/// `exponent`: the result is at least 2^that. Below the range of pairs, pairs promise what words do.
fn norm<T: Scalar>(device: &Device, x: &[T], sizes: &str, exponent: i32) -> Result<()> {
    let found = dense::nrm2(&Vector::from_slice(device, x)?).block_on()?;
    let case = Case {
        device,
        operation: "nrm2",
        sizes: sizes.to_owned(),
    };
    let squares = exact_dot(x.len(), |i| (x[i], x[i])).0;
    let roundings = norm_roundings(device, x.len());
    if is_pair::<T>() && exponent < T::MIN_EXPONENT {
        let word = (T::ROUNDING / 5.0).sqrt();
        near_norm(&case, found, squares, roundings * word / T::ROUNDING);
    } else {
        near_norm(&case, found, squares, roundings);
    }
    Ok(())
}

fn nothing_hides_a_nan<T: Scalar>(device: &Device) -> Result<()> {
    for (n, at) in [(1, 0), (5, 4), (300, 0), (300, 299), (5000, 2500)] {
        let mut x = Random::new(n).scalars::<T>(n);
        x[at] = T::from_f64(f64::NAN);
        let there = Vector::from_slice(device, &x)?;
        for (operation, found) in [
            ("sum", dense::sum(&there).block_on()?),
            ("asum", dense::asum(&there).block_on()?),
            ("amax", dense::amax(&there).block_on()?),
            ("nrm2", dense::nrm2(&there).block_on()?),
            ("dot", dense::dot(&there, &there).block_on()?),
        ] {
            let place = format!("{operation} in {} on {}, n = {n}, NaN at {at}", T::NAME, device.name());
            assert!(found.is_nan(), "{place}: found {found:?}");
        }
    }
    Ok(())
}

fn infinities_stay_visible<T: Scalar>(device: &Device) -> Result<()> {
    for infinity in [f64::INFINITY, f64::NEG_INFINITY] {
        let mut x = Random::new(4).scalars::<T>(700);
        x[123] = T::from_f64(infinity);
        let there = Vector::from_slice(device, &x)?;
        for (operation, found) in [
            ("sum", dense::sum(&there).block_on()?),
            ("asum", dense::asum(&there).block_on()?),
            ("amax", dense::amax(&there).block_on()?),
            ("nrm2", dense::nrm2(&there).block_on()?),
            ("dot", dense::dot(&there, &there).block_on()?),
        ] {
            // Pairs on a device may turn an infinity into a NaN, which is no number either.
            let place = format!("{operation} in {} on {}", T::NAME, device.name());
            assert!(!found.is_finite(), "{place}: {found:?} from {infinity}");
        }
        assert_eq!(
            dense::iamax(&there).block_on()?,
            Some(123),
            "iamax in {} on {}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

fn the_first_of_equals_is_the_largest<T: Scalar>(device: &Device) -> Result<()> {
    let (one, largest) = (T::one(), T::from_f64(3.0));
    for (n, first) in [(1, 0), (2, 1), (7, 2), (1024, 511), (5000, 1), (100_000, 40_001)] {
        let mut x = vec![one; n];
        x[first] = -largest;
        // Later equals, of either sign, some in other invocations and workgroups.
        for (i, x) in x.iter_mut().enumerate().skip(first + 1) {
            if i % 3 == 0 {
                *x = largest;
            }
        }
        let found = dense::iamax(&Vector::from_slice(device, &x)?).block_on()?;
        assert_eq!(found, Some(first), "iamax in {} on {}, n = {n}", T::NAME, device.name());
    }
    let zeros = Vector::<T>::zeros(device, 999)?;
    assert_eq!(
        dense::iamax(&zeros).block_on()?,
        Some(0),
        "zeros in {} on {}",
        T::NAME,
        device.name()
    );
    // Pairs that differ in their low words alone.
    let mut x = vec![T::one(); 500];
    x[321] = one + least_beside_one::<T>();
    let found = dense::iamax(&Vector::from_slice(device, &x)?).block_on()?;
    assert_eq!(found, Some(321), "the low word, in {} on {}", T::NAME, device.name());
    Ok(())
}

/// A small power of two that is seen beside one.
fn least_beside_one<T: Scalar>() -> T {
    let mut step = T::one();
    while T::one() + step.scale_exponent(-1) != T::one() && step.to_f64() > T::ROUNDING {
        step = step.scale_exponent(-1);
    }
    step
}

fn a_nan_is_larger_than_every_number<T: Scalar>(device: &Device) -> Result<()> {
    let (nan, infinity) = (T::from_f64(f64::NAN), T::from_f64(f64::INFINITY));
    for (n, nans, infinite) in [
        (1, vec![0], None),
        (9, vec![3, 7], Some(1)),
        (5000, vec![700, 4100, 4999], Some(20)),
    ] {
        let mut x = Random::new(n).scalars::<T>(n);
        nans.iter().for_each(|at| x[*at] = nan);
        if let Some(at) = infinite {
            x[at] = infinity;
        }
        let found = dense::iamax(&Vector::from_slice(device, &x)?).block_on()?;
        assert_eq!(
            found,
            Some(nans[0]),
            "iamax in {} on {}, n = {n}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

/// WGSL lets a device flush subnormals to zero; it may not make anything else of them.
fn subnormals_are_kept_or_zero<T: Scalar>(device: &Device) -> Result<()> {
    let smallest = lowest_normal::<T>();
    let x: Vec<T> = (1..20).map(|k| T::from_f64(1.5).scale_exponent(smallest - k)).collect();
    let mut y = Vector::from_slice(device, &vec![T::zero(); x.len()])?;
    dense::axpy(T::one(), &Vector::from_slice(device, &x)?, &mut y)?;
    for (found, expected) in y.to_host().block_on()?.into_iter().zip(x) {
        let place = format!("axpy in {} on {}", T::NAME, device.name());
        assert!(
            found == expected || found == T::zero(),
            "{place}: {found:?} from {expected:?}"
        );
    }
    Ok(())
}

/// What is flushed of a product is at most the smallest normal word, in each of the products of words that make a pair's and in
/// the low word of a factor.
fn small_products_fade<T: Scalar>(device: &Device) -> Result<()> {
    let lowest = lowest_normal::<T>();
    let smallest = Dd::from_f64(1.0).scale_exponent(lowest.max(f64::MIN_EXPONENT));
    let mut random = Random::new(7);
    let pairs: Vec<(T, T)> = (0..60)
        .flat_map(|step| (0..4).map(move |_| lowest + step))
        .map(|exponent| (random.scalar::<T>(), random.scalar::<T>().scale_exponent(exponent)))
        .collect();
    let x: Vec<T> = pairs.iter().map(|(x, _)| *x).collect();
    let y: Vec<T> = pairs.iter().map(|(_, y)| *y).collect();
    let mut z = Vector::zeros(device, x.len())?;
    dense::hadamard(
        &Vector::from_slice(device, &x)?,
        &Vector::from_slice(device, &y)?,
        &mut z,
    )?;
    for ((x, y), found) in pairs.into_iter().zip(z.to_host().block_on()?) {
        let exact = x.to_dd() * y.to_dd();
        let error = (found.to_dd() - exact).abs();
        let bound = exact.abs() * Dd::from_f64(2.0 * T::ROUNDING) + smallest * (x.to_dd().abs() + Dd::from_f64(4.0));
        assert!(
            error <= bound,
            "{x:?} times {y:?} in {} on {}: {found:?}, {error:e} from it",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

/// A factor of which the lower half is subnormal, where that is flushed, has a product that is right to a word's last bit; so have
/// norms and scalings of such numbers.
fn what_small_numbers_are_multiplied_to_is_right<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(11);
    // A normal number of one word, and its factor, whose product is about 1.
    let top = T::MAX_EXPONENT - 12;
    for exponent in lowest_normal::<T>()..lowest_normal::<T>() + 30 {
        let word = 1.0 + (random.bits() % (1 << 23)) as f64 / f64::from(1 << 23);
        let small = T::from_f64(word).scale_exponent(exponent);
        let power = T::from_f64(1.0).scale_exponent(top);
        let expected = small.to_dd() * power.to_dd();
        let right = |found: T, what: &str| {
            let error = (found.to_dd() - expected).abs();
            assert!(
                error <= expected.abs() * Dd::from_f64(word_rounding::<T>()),
                "{what} of {small:?} in {} on {}: {found:?}, {expected:?} expected",
                T::NAME,
                device.name()
            );
        };
        let vector = |x: T| Vector::from_slice(device, &[x]);
        right(dense::dot(&vector(small)?, &vector(power)?).block_on()?, "the product");
        let mut scaled = vector(small)?;
        dense::scal(power, &mut scaled)?;
        right(scaled.to_host().block_on()?[0], "the multiple");
        let norm = dense::nrm2(&vector(small)?).block_on()?;
        right(norm.scale_exponent(top), "the norm");
    }
    Ok(())
}

/// α that is not finite makes `αAB + βC` so, also of nothing; and it is a factor of the whole sum, not of its parts.
fn a_factor_that_is_not_finite_is_seen<T: Scalar>(device: &Device) -> Result<()> {
    let product = |alpha: f64, terms: &[f64]| -> Result<f64> {
        let k = terms.len();
        let of = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<_>>();
        let a = Matrix::from_rows(device, 1, k, &of(terms.to_vec()))?;
        let b = Matrix::from_rows(device, k, 1, &of(vec![1.0; k]))?;
        let mut c = Matrix::from_rows(device, 1, 1, &of(vec![2.0]))?;
        dense::gemm(T::from_f64(alpha), &a, &b, T::from_f64(1.0), &mut c)?;
        Ok(c.to_host().block_on()?[0].to_f64())
    };
    let case = format!("{} on {}", T::NAME, device.name());
    for alpha in [f64::NAN, f64::INFINITY] {
        assert!(product(alpha, &[])?.is_nan(), "{alpha} in {case}");
    }
    // 256 ones and 44 times their opposite: infinite, where sums of parts would cancel.
    let terms: Vec<f64> = (0..300).map(|k| if k < 256 { 1.0 } else { -1.0 }).collect();
    let found = product(f64::INFINITY, &terms)?;
    // Pairs are NaN on devices where words are infinite.
    assert!(
        found == f64::INFINITY || is_pair::<T>() && found.is_nan(),
        "{found} in {case}"
    );
    Ok(())
}

/// The rounding of the words that T is made of.
fn word_rounding<T: Scalar>() -> f64 {
    if is_of_f32::<T>() {
        f32::EPSILON.into()
    } else {
        f64::EPSILON
    }
}

fn copies_keep_every_finite_bit<T: Scalar>(device: &Device) -> Result<()> {
    let (low, high) = (lowest_normal::<T>() + 60, T::MAX_EXPONENT - 5);
    let mut random = Random::new(6);
    let mut x: Vec<T> = (low..high)
        .map(|exponent| random.scalar::<T>().scale_exponent(exponent))
        .collect();
    x.extend([T::zero(), T::from_f64(f64::INFINITY), T::from_f64(f64::NEG_INFINITY)]);
    for offset in [0, 1] {
        let from = Vector::from_slice(device, &x)?;
        let mut to = Vector::<T>::zeros(device, x.len())?;
        dense::copy(
            from.strided(offset, x.len() - offset, 1)?,
            to.strided_mut(offset, x.len() - offset, 1)?,
        )?;
        let found = to.to_host().block_on()?;
        for (found, expected) in found.iter().zip(&x).skip(offset) {
            let same = bytemuck::bytes_of(found) == bytemuck::bytes_of(expected);
            assert!(
                same,
                "copy in {} on {}: {found:?} of {expected:?}",
                T::NAME,
                device.name()
            );
        }
    }
    Ok(())
}

fn a_stride_that_nobody_takes_may_be_any<T: Scalar>(device: &Device) -> Result<()> {
    let x = Vector::from_slice(device, &[1.0, 2.0, 3.0].map(T::from_f64))?;
    for stride in [1, usize::MAX / 2, usize::MAX] {
        assert_eq!(dense::sum(x.strided(2, 1, stride)?).block_on()?, T::from_f64(3.0));
        assert_eq!(dense::sum(x.strided(3, 0, stride)?).block_on()?, T::zero());
        let mut y = Vector::<T>::zeros(device, 3)?;
        dense::copy(x.strided(1, 1, stride)?, y.strided_mut(2, 1, stride)?)?;
        assert_eq!(y.to_host().block_on()?, [0.0, 0.0, 2.0].map(T::from_f64));
    }
    Ok(())
}

/// A matrix without elements is small, however many rows or columns it has of them; a device may refuse to count these.
fn no_rows_and_no_columns_may_be_many<T: Scalar>(device: &Device) -> Result<()> {
    const MANY: usize = usize::MAX >> 24;
    for (rows, cols) in [(0, MANY), (MANY, 0)] {
        let a = match Matrix::<T>::zeros(device, rows, cols) {
            Ok(a) => a,
            Err(error @ Error::Shape { .. }) => {
                assert!(!device.is_host(), "{error}");
                continue;
            }
            Err(error) => return Err(error),
        };
        for norm in [
            dense::norm1(&a).block_on()?,
            dense::norm_inf(&a).block_on()?,
            dense::norm_max(&a).block_on()?,
            dense::norm_frobenius(&a).block_on()?,
        ] {
            assert_eq!(norm, T::zero(), "{rows} x {cols} in {} on {}", T::NAME, device.name());
        }
        if rows == 0 {
            assert_eq!(dense::sum(a.col(MANY - 1)?).block_on()?, T::zero());
            // Nothing between the rows, of which there are none, and a row of C.
            let b = Matrix::<T>::zeros(device, 1, 0)?;
            let mut c = Matrix::from_rows(device, 1, 1, &[T::one()])?;
            dense::gemm(T::one(), &b, a.block(0, 1, 0, 1)?, T::one(), &mut c)?;
            assert_eq!(c.to_host().block_on()?, [T::one()]);
        }
    }
    Ok(())
}
