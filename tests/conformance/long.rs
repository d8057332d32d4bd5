//! Sums of more terms than a loop of lavapipe has turns: it leaves loops after 65,535 of them without a word. In integers, so
//! that every order of a sum is exact.

use nonius::dense::{Matrix, Vector, asum, dot, fill, gemm, gemv, norm_inf, norm1, nrm2, sum};
use nonius::device::AdapterKind;
use nonius::lu::{Lu, equilibrate};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::devices::on_every_device;

for_every_scalar!(
    products_of_great_depth,
    sums_of_many_columns_and_rows,
    sums_of_many_elements,
    norms_of_many_elements
);

/// Sums of 3 million of them are below 2²⁴.
fn value(at: usize) -> i32 {
    [-2, -1, 0, 1, 2, 3, 4][at % 7]
}

fn values<T: Scalar>(count: usize) -> Vec<T> {
    (0..count).map(|at| T::from_f64(value(at).into())).collect()
}

fn expect<T: Scalar>(what: &str, device: &Device, found: &[T], expected: impl IntoIterator<Item = i64>) {
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let name = device.name();
        assert!(
            found.to_f64() == expected as f64,
            "{what} in {} on {name}: {found:?} at {at}, not {expected}",
            T::NAME
        );
    }
}

fn products_of_great_depth<T: Scalar>(device: &Device) -> Result<()> {
    let (rows, cols, depth) = (3, 8, 200_003);
    let (a, b) = (values::<T>(rows * depth), values::<T>(cols * depth));
    let entry = |i: usize, j: usize| -> i64 {
        (0..depth)
            .map(|l| i64::from(value(i * depth + l) * value(j * depth + l)))
            .sum()
    };
    let c: Vec<i64> = (0..rows * cols).map(|at| entry(at / cols, at % cols)).collect();
    let lying = Matrix::from_rows(device, cols, depth, &b)?;
    let standing: Vec<T> = (0..cols * depth).map(|at| b[at % cols * depth + at / cols]).collect();
    let standing = Matrix::from_rows(device, depth, cols, &standing)?;
    let a = Matrix::from_rows(device, rows, depth, &a)?;
    for (what, b) in [("A Bᵀ", lying.view().t()), ("A B", standing.view())] {
        let mut found = Matrix::from_rows(device, rows, cols, &values(rows * cols))?;
        gemm(-T::one(), &a, b, T::from_f64(2.0), &mut found)?;
        let expected = c.iter().enumerate().map(|(at, c)| i64::from(2 * value(at)) - c);
        expect(what, device, &found.to_host().block_on()?, expected);
    }
    Ok(())
}

fn sums_of_many_columns_and_rows<T: Scalar>(device: &Device) -> Result<()> {
    let many = 1_500_001;
    let all = values::<T>(2 * many);
    let ones = Vector::from_slice(device, &vec![T::one(); many])?;
    let of_row = |i: usize| (0..many).map(|j| i64::from(value(i * many + j))).sum::<i64>();
    let of_column = |j: usize| (0..many).map(|i| i64::from(value(2 * i + j))).sum::<i64>();
    let wide = Matrix::from_rows(device, 2, many, &all)?;
    let tall = Matrix::from_rows(device, many, 2, &all)?;
    let mut y = Vector::zeros(device, 2)?;
    gemv(T::one(), &wide, &ones, T::zero(), &mut y)?;
    expect("A x", device, &y.to_host().block_on()?, [of_row(0), of_row(1)]);
    gemv(T::one(), tall.view().t(), &ones, T::zero(), &mut y)?;
    expect("Aᵀ x", device, &y.to_host().block_on()?, [of_column(0), of_column(1)]);
    let size = |at: usize| i64::from(value(at).abs());
    let rows = (0..2).map(|i| (0..many).map(|j| size(i * many + j)).sum::<i64>()).max();
    let columns = (0..2).map(|j| (0..many).map(|i| size(2 * i + j)).sum::<i64>()).max();
    expect("norm_inf", device, &[norm_inf(&wide).block_on()?], rows);
    expect("norm1", device, &[norm1(&tall).block_on()?], columns);
    let host = Device::host();
    for (rows, cols) in [(2, many), (many, 2)] {
        let scaled = |device: &Device| equilibrate(&mut Matrix::from_rows(device, rows, cols, &all)?).block_on();
        assert_eq!(scaled(device)?, scaled(&host)?, "{rows} x {cols} on {}", device.name());
    }
    Ok(())
}

fn sums_of_many_elements<T: Scalar>(device: &Device) -> Result<()> {
    const MANY: usize = 3_000_001;
    let x = Vector::from_slice(device, &values::<T>(MANY))?;
    let total = |of: fn(i64) -> i64| (0..MANY).map(|at| of(value(at).into())).sum::<i64>();
    expect("sum", device, &[sum(&x).block_on()?], [total(|x| x)]);
    expect("asum", device, &[asum(&x).block_on()?], [total(i64::abs)]);
    expect("dot", device, &[dot(&x, &x).block_on()?], [total(|x| x * x)]);
    Ok(())
}

/// The sum of so many squares is beyond f32, and its root is not.
fn norms_of_many_elements<T: Scalar>(device: &Device) -> Result<()> {
    const MANY: usize = (1 << 24) + (1 << 16);
    // The host adds them up one by one, with an error that leaves nothing to see.
    if device.is_host() || T::MAX_EXPONENT > f32::MAX_EXPONENT {
        return Ok(());
    }
    let element = T::one().scale_exponent(52);
    let mut x = match Vector::zeros(device, MANY) {
        Err(Error::TooLarge { .. }) => return Ok(()),
        x => x?,
    };
    for (beside, name) in [
        (T::zero(), "alone"),
        (element.scale_exponent(1), "beside one three times as large"),
    ] {
        fill(element, &mut x)?;
        fill(beside + element, x.strided_mut(MANY / 2, 1, 1)?)?;
        let found = nrm2(&x).block_on()?.to_f64();
        let squares = MANY as f64 + if beside.is_zero() { 0.0 } else { 8.0 };
        let expected = squares.sqrt() * element.to_f64();
        let error = ((found - expected) / expected).abs();
        assert!(
            error <= 40.0 * T::ROUNDING.max(f64::EPSILON),
            "nrm2 in {} on {}, {name}: {found:e}, not {expected:e}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

/// In wider scalars, panels of so many rows fill no buffer of lavapipe.
#[test]
fn growth_of_a_tall_matrix() {
    on_every_device::<f32>(is_the_hosts_or_refused);
}

fn is_the_hosts_or_refused(device: &Device) -> Result<()> {
    let growth = |device: &Device| -> Result<f64> {
        let rows = 600_000;
        let a = || Matrix::from_rows(device, rows, 1, &values::<f32>(rows));
        Lu::factor(a()?)?.reciprocal_growth(&a()?).block_on()
    };
    match growth(device) {
        Err(Error::Shape { operation, .. }) => {
            assert_eq!(
                (operation, device.adapter().kind),
                ("reciprocal_growth", AdapterKind::Software)
            );
        }
        found => assert_eq!(found?, growth(&Device::host())?, "on {}", device.name()),
    }
    Ok(())
}
