//! Variants of y ← αAx + βy, of its transpose, and of both in Df64 on f32.

use nonius::dense::{self, MatrixView, Vector, VectorView, VectorViewMut};
use nonius::device::precision::Precision;
use nonius::{Blocking as _, Device, Result, Scalar};

use super::{ANY, Call, Expected, Place, Placed, every_variant, width};
use crate::gemv::{entry_roundings, exact_entry};
use crate::support::{Random, gamma};

for_every_scalar!(by_rows, transposed);

/// Rows and terms: single, around blocks, rows that are split among workgroups.
const EXTENTS: [(usize, usize); 6] = [(1, 1), (3, 1025), (67, 129), (130, 65), (1025, 3), (5, 4097)];

fn by_rows<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "gemv", |device| calls(device, false, &plain()))
}

fn transposed<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "gemv_transposed", |device| calls(device, true, &plain()))
}

type Operation<T> = fn(T, MatrixView<'_, T>, VectorView<'_, T>, T, VectorViewMut<'_, T>) -> Result<()>;

/// An operation on elements of T, whatever it computes in.
struct Kind<T> {
    operation: Operation<T>,
    precision: fn(nonius::device::precision::Width) -> Precision,
    /// The error that is allowed for so many roundings of a scale, and for a result.
    bound: fn(f64, f64, f64) -> f64,
}

fn plain<T: Scalar>() -> Kind<T> {
    Kind {
        operation: |alpha, a, x, beta, y| dense::gemv(alpha, a, x, beta, y),
        precision: Precision::of::<T>,
        bound: |roundings, scale, _| gamma::<T>(roundings) * scale,
    }
}

fn calls<T: Scalar>(device: &Device, turned: bool, kind: &Kind<T>) -> Result<Vec<Call<T>>> {
    let mut calls = Vec::new();
    for (extents, aligned) in EXTENTS
        .into_iter()
        .flat_map(|extents| [true, false].map(|aligned| (extents, aligned)))
    {
        let mut random = Random::new(extents.0 * 7919 + extents.1);
        let zero = T::zero();
        let mut factors = vec![(random.scalar(), zero), (random.scalar(), random.scalar())];
        if extents == (67, 129) {
            factors.push((zero, random.scalar()));
        }
        for factors in factors {
            calls.push(call(
                device,
                &mut random,
                extents,
                Place { turned, aligned },
                factors,
                kind,
            )?);
        }
    }
    Ok(calls)
}

fn call<T: Scalar>(
    device: &Device,
    random: &mut Random,
    extents: (usize, usize),
    place: Place,
    (alpha, beta): (T, T),
    kind: &Kind<T>,
) -> Result<Call<T>> {
    let (rows, cols) = extents;
    let nan = T::from_f64(f64::NAN);
    let (by_rows, x, mut before) = (
        random.scalars::<T>(rows * cols),
        random.scalars::<T>(cols),
        random.scalars::<T>(rows + 9),
    );
    if beta.is_zero() {
        before[4..4 + rows].fill(nan);
    }
    let a = Placed::new(device, &by_rows, extents, place)?;
    let start = if place.aligned { 4 } else { 3 };
    let around = [vec![nan; start], x.clone(), vec![nan; 5]].concat();
    let x_there = Vector::from_slice(device, &around)?;
    let mut expected: Vec<Expected<T>> = before.iter().map(|before| Expected::Untouched(*before)).collect();
    for i in 0..rows {
        let terms = (0..cols).map(|j| (by_rows[i * cols + j], x[j]));
        let (exact, scale) = exact_entry((alpha, beta), terms, || before[4 + i]);
        let (exact, scale) = (exact.nearest(), scale.nearest().to_f64());
        // Two for the comparison in double-double.
        let bound = (kind.bound)(entry_roundings(cols) + 2.0, scale, exact.to_f64().abs());
        expected[4 + i] = Expected::Near { exact, bound };
    }
    let (stored, x_packable) = if place.turned {
        (rows, true)
    } else {
        (cols, (start * size_of::<T>()).is_multiple_of(16))
    };
    let (device, operation) = (device.clone(), kind.operation);
    Ok(Call {
        sizes: format!("{rows} x {cols}, {place:?}, α = {alpha:?}, β = {beta:?}"),
        precision: (kind.precision)(width(place.is_packable::<T>(stored) && x_packable)),
        in_turn: false,
        way: ANY,
        run: Box::new(move || {
            let mut y = Vector::from_slice(&device, &before)?;
            let x = x_there.strided(start, cols, 1)?;
            operation(alpha, a.view()?, x, beta, y.strided_mut(4, rows, 1)?)?;
            y.to_host().block_on()
        }),
        expected,
    })
}
