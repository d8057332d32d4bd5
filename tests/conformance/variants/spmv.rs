//! Variants of y ← αAx + βy with sparse A: near the exact sums, and the host's in every bit where pairs are summed in its order.

use nonius::dense::Vector;
use nonius::device::precision::{Precision, Width};
use nonius::sparse::{Csr, DeviceMatrix, Format, spmv};
use nonius::{Blocking as _, Device, Result, Scalar};

use super::{ANY, Call, Expected, every_variant};
use crate::gemv::{entry_roundings, exact_entry};
use crate::support::{Random, gamma, is_pair};

for_every_scalar!(csr, sell, packed_csr, packed_sell);

fn csr<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "spmv_csr", |device| calls(device, Format::Csr))
}

fn sell<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "spmv_sell", |device| calls(device, Format::Sell))
}

fn packed_csr<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "spmv_packed_csr", |device| calls(device, Format::PackedCsr))
}

fn packed_sell<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "spmv_packed_sell", |device| calls(device, Format::PackedSell))
}

/// Rows of all lengths about a batch, none so long that CSR is streamed; runs of one and more, with the last column in them.
fn matrices<T: Scalar>(random: &mut Random) -> Result<Vec<Csr<T>>> {
    let mut scalar = || random.scalar();
    let uneven = Csr::from_rows(333, 97, |row, entries| {
        let run = 1 + row % 5;
        let columns = (0..97).filter(|column| column % (run + 1) != 0 || *column == 96);
        entries.extend(columns.skip(row % 7).take(row % 37).map(|column| (column, scalar())));
    })?;
    let long = Csr::from_rows(65, 300, |row, entries| {
        let columns = (0..300).filter(|column| (column + row) % 9 != 0);
        entries.extend(columns.take(200 + row).map(|column| (column, scalar())));
    })?;
    // Three unknowns a point, then runs of one length, then of several, and rows that lack an entry: what is summed by fours
    // goes through all its loops.
    let points = Csr::from_rows(150, 190, |row, entries| {
        let (point, long) = (row / 3, 1 + row % 3);
        let of_points = 3 * point.saturating_sub(1)..150.min(3 * point + 6);
        let alike = 150 + row % 8..155 + row % 8;
        let unlike = (165..165 + long).chain(176..184 - long);
        let columns = of_points.chain(alike).chain(unlike).skip(usize::from(row % 31 == 17));
        entries.extend(columns.map(|column| (column, scalar())));
    })?;
    let one = Csr::from_rows(1, 1, |_, entries| entries.push((0, scalar())))?;
    let none = Csr::from_rows(40, 3, |_, _| {})?;
    Ok(vec![uneven, long, points, one, none])
}

fn calls<T: Scalar>(device: &Device, format: Format) -> Result<Vec<Call<T>>> {
    let mut random = Random::new(11);
    let mut calls = Vec::new();
    for a in matrices::<T>(&mut random)? {
        for factors in [(random.scalar(), T::zero()), (random.scalar(), random.scalar())] {
            calls.push(call(device, &mut random, &a, format, factors)?);
        }
    }
    Ok(calls)
}

fn call<T: Scalar>(
    device: &Device,
    random: &mut Random,
    a: &Csr<T>,
    format: Format,
    (alpha, beta): (T, T),
) -> Result<Call<T>> {
    let (x, mut before) = (random.scalars::<T>(a.cols()), random.scalars::<T>(a.rows()));
    if beta.is_zero() {
        before.fill(T::from_f64(f64::NAN));
    }
    let mut by_the_host = before.clone();
    a.multiply(alpha, &x, beta, &mut by_the_host)?;
    // Lanes of a row have an order of their own.
    let expected = (0..a.rows()).map(|i| {
        if is_pair::<T>() && !matches!(format, Format::Csr | Format::PackedCsr) {
            return Expected::Untouched(by_the_host[i]);
        }
        let terms = a.row(i).map(|(column, value)| (value, x[column]));
        let (exact, scale) = exact_entry((alpha, beta), terms, || before[i]);
        let roundings = entry_roundings(a.row(i).len()) + 2.0;
        Expected::Near {
            exact: exact.nearest(),
            bound: gamma::<T>(roundings) * scale.nearest().to_f64(),
        }
    });
    let expected = expected.collect();
    let (device, a) = (device.clone(), a.clone());
    Ok(Call {
        sizes: format!("{} x {} as {format}, α = {alpha:?}, β = {beta:?}", a.rows(), a.cols()),
        precision: Precision::of::<T>(Width::Single),
        in_turn: false,
        way: ANY,
        run: Box::new(move || {
            // What is pinned is asked for here.
            let a = DeviceMatrix::from_csr(&device, &a, format)?;
            let (x, mut y) = (Vector::from_slice(&device, &x)?, Vector::from_slice(&device, &before)?);
            spmv(alpha, &a, &x, beta, &mut y)?;
            y.to_host().block_on()
        }),
        expected,
    })
}
