//! Variants of y ← αAx + βy, of its transpose, and of both in Df64 on f32.

use nonius::dense::{self, Matrix, MatrixView, Vector, VectorView, VectorViewMut};
use nonius::device::precision::Precision;
use nonius::{Blocking as _, Device, Result, Scalar, Select};

use super::{ANY, Call, Expected, Place, Placed, every_variant, width};
use crate::devices::{devices, say};
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

/// Rows and columns of packs of four, more than all lanes take at once, and not a multiple of that.
const TALL: (usize, usize) = (5, 4100);

/// Lanes' own terms one by one, then neighbours by twos, fours, eights: `gemv_subgroup.wgsl`.
fn in_order_of_subgroups(row: &[f32], x: &[f32], lanes: usize) -> f32 {
    let mut sums = vec![0.0_f32; lanes];
    for (pack, terms) in row.chunks(4).zip(x.chunks(4)).enumerate() {
        for (a, x) in terms.0.iter().zip(terms.1) {
            sums[pack % lanes] += a * x;
        }
    }
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|pair| pair[0] + pair[1]).collect();
    }
    sums[0]
}

#[test]
fn sums_by_subgroups_have_the_same_bits_whatever_their_size() -> Result<()> {
    // Factors of 12 bits, whose products are exact: a fused multiply-add and two operations are the same.
    let mut random = Random::new(5);
    let mut numbers = |count: usize| -> Vec<f32> {
        let wide = random.scalars::<f32>(count).into_iter();
        wide.map(|value| f32::from_bits(value.to_bits() & !0xfff)).collect()
    };
    let (rows, cols) = TALL;
    let (entries, terms) = (numbers(rows * cols), numbers(cols));
    for device in devices() {
        let (Some(index), Some((smallest, largest))) = (device.adapter().index, device.adapter().subgroups()) else {
            say(&format!("not tested: subgroups on {}, which has none", device.name()));
            continue;
        };
        // What is pinned would change what tests beside this one run.
        let device = Device::open(Select::Index(index)).block_on()?;
        let [gemv, ..] = dense::tunables();
        let variants = gemv.variants(device.adapter(), Precision::of::<f32>(width(true)));
        let ours = |lanes: u32| {
            let of_lanes = variants.iter().find(|variant| {
                let value = |name| variant.value(name);
                variant.kernel.uses_subgroups() && value("LANES") == lanes && value("SPLITS") == 1
            });
            of_lanes.unwrap_or_else(|| panic!("none of {lanes} lanes on {}", device.name()))
        };
        let a = Matrix::from_rows(&device, rows, cols, &entries)?;
        let x = Vector::from_slice(&device, &terms)?;
        let mut y = Vector::zeros(&device, rows)?;
        for lanes in [8, 32, 128] {
            device.tuning().pin("gemv", Some(ours(lanes).clone()));
            dense::gemv(1.0, &a, &x, 0.0, &mut y)?;
            let found = y.to_host().block_on()?;
            let lines = entries.chunks(cols);
            let expected: Vec<f32> = lines
                .map(|row| in_order_of_subgroups(row, &terms, lanes as usize))
                .collect();
            assert_eq!(
                found,
                expected,
                "{lanes} lanes on {}, {smallest} to {largest}",
                device.name()
            );
        }
    }
    Ok(())
}
