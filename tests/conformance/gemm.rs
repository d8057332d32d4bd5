//! `C ← αAB + βC`, with A and B as they are, transposed, and as blocks; C as a block, whose margin stays.

use nonius::dense::{self, Matrix};
use nonius::{Blocking as _, Device, Result, Scalar};

use crate::gemv::{PLACES, Place, Placed, exact_entry, factors};
use crate::support::{Case, Random};

for_every_scalar!(
    gemm,
    blocks_and_transposes,
    blocks_without_depth,
    unread_where_beta_is_zero
);

/// m, n, k: empty, single, around tiles.
const EXTENTS: [(usize, usize, usize); 13] = [
    (0, 0, 0),
    (0, 3, 2),
    (3, 0, 2),
    (3, 4, 0),
    (1, 1, 1),
    (1, 5, 3),
    (5, 1, 2),
    (1, 1, 300),
    (15, 16, 17),
    (16, 16, 16),
    (17, 15, 16),
    (33, 65, 31),
    (64, 50, 129),
];

fn gemm<T: Scalar>(device: &Device) -> Result<()> {
    for extents in EXTENTS {
        let mut random = Random::new(extents.0 * 31 + extents.1 * 7 + extents.2);
        for factors in factors(&mut random) {
            one::<T>(device, &mut random, extents, [Place::Whole; 2], factors)?;
        }
    }
    Ok(())
}

fn blocks_and_transposes<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(3);
    for extents in [(3, 4, 0), (1, 5, 3), (17, 9, 20), (16, 33, 15)] {
        for (a, b) in PLACES.into_iter().flat_map(|a| PLACES.map(|b| (a, b))) {
            let [_, general, ..] = factors(&mut random);
            one::<T>(device, &mut random, extents, [a, b], general)?;
        }
    }
    Ok(())
}

/// The last of a product's blocks may be empty, and begin behind the last element.
fn blocks_without_depth<T: Scalar>(device: &Device) -> Result<()> {
    let (a, b) = (Matrix::<T>::zeros(device, 3, 2)?, Matrix::<T>::zeros(device, 2, 5)?);
    for (a, b) in [
        (a.block(0, 2, 3, 0)?, b.block(2, 1, 0, 4)?),
        (b.block(2, 2, 0, 3)?.t(), a.block(3, 1, 0, 1)?),
    ] {
        let ones = vec![T::one(); a.rows() * b.cols()];
        let mut c = Matrix::from_rows(device, a.rows(), b.cols(), &ones)?;
        dense::gemm(T::one(), a, b, T::from_f64(3.0), &mut c)?;
        for (at, found) in c.to_host().block_on()?.into_iter().enumerate() {
            assert_eq!(found, T::from_f64(3.0), "in {} on {}, at {at}", T::NAME, device.name());
        }
    }
    Ok(())
}

fn unread_where_beta_is_zero<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(5);
    for extents in [(3, 4, 0), (20, 18, 5)] {
        one::<T>(
            device,
            &mut random,
            extents,
            [Place::Whole, Place::Transposed],
            (T::one(), T::zero()),
        )?;
    }
    Ok(())
}

fn one<T: Scalar>(
    device: &Device,
    random: &mut Random,
    (rows, cols, terms): (usize, usize, usize),
    places: [Place; 2],
    (alpha, beta): (T, T),
) -> Result<()> {
    let case = Case {
        device,
        operation: "gemm",
        sizes: format!("m = {rows}, n = {cols}, k = {terms}, {places:?}, α = {alpha:?}, β = {beta:?}"),
    };
    let a = Placed::<T>::random(random, device, (rows, terms), places[0])?;
    let b = Placed::<T>::random(random, device, (terms, cols), places[1])?;
    let (above, beside) = (1, 2);
    let leading = cols + 2 * beside;
    let mut before = random.scalars::<T>((rows + 2 * above) * leading);
    let place = |i: usize, j: usize| (i + above) * leading + j + beside;
    if beta.is_zero() {
        (0..rows * cols).for_each(|k| before[place(k / cols, k % cols)] = T::from_f64(f64::NAN));
    }
    let mut c = Matrix::from_rows(device, rows + 2 * above, leading, &before)?;
    dense::gemm(
        alpha,
        a.view()?,
        b.view()?,
        beta,
        c.block_mut(above, beside, rows, cols)?,
    )?;
    let after = c.to_host().block_on()?;
    let mut untouched = vec![true; after.len()];
    for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
        let at = place(i, j);
        untouched[at] = false;
        let products = (0..terms).map(|k| (a.at(i, k), b.at(k, j)));
        let (exact, scale) = exact_entry((alpha, beta), products, || before[at]);
        // However the host's loops or a device's tiles order it, a term passes at most every addition; and α, β, C.
        case.near(at, after[at], &exact, scale, terms as f64 + 3.0);
    }
    for (i, (before, after)) in before.iter().zip(&after).enumerate() {
        if untouched[i] && bytemuck::bytes_of(before) != bytemuck::bytes_of(after) {
            case.fail(i, *after, format!("the neighbour {before:?} untouched"));
        }
    }
    Ok(())
}
