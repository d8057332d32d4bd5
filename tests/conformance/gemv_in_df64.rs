//! y ← αAx + βy of f32 with sums in Df64: one rounding of f32, and what Df64 errs by, however A lies.

use nonius::dense::{self, Vector};
use nonius::{Blocking as _, Device, Df64, Result, Scalar as _};

use crate::devices::on_every_device;
use crate::exact::Exact;
use crate::gemv::{EXTENTS, PLACES, Place, Placed, entry_roundings, exact_entry};
use crate::support::{Case, LAYOUTS, Operand, Random, gamma, within};

#[test]
fn gemv_in_df64() {
    on_every_device::<Df64>(|device| {
        for extents in EXTENTS.into_iter().chain([(5, 4097), (4097, 5)]) {
            for (number, place) in PLACES.into_iter().enumerate() {
                let mut random = Random::new(extents.0 * 7919 + extents.1);
                let factors = [(1.0, 0.0), (random.scalar(), random.scalar()), (random.scalar(), 0.0)];
                for (alpha, beta) in factors {
                    one(device, &mut random, (extents, place), (alpha, beta), number)?;
                }
            }
        }
        Ok(())
    });
}

/// Sums of f32 that are nothing but cancellation: in f32 they would be wrong in every digit.
#[test]
fn what_cancels_in_f32_is_left() {
    on_every_device::<Df64>(|device| {
        for place in [Place::Whole, Place::Transposed] {
            let n = 600;
            let terms: Vec<f32> = (0..n).map(|j| [1e7, 0.125, -1e7][j % 3]).collect();
            let (rows, cols) = if place == Place::Whole { (1, n) } else { (n, 1) };
            let a = dense::Matrix::from_rows(device, rows, cols, &terms)?;
            let view = if place == Place::Whole { a.view() } else { a.view().t() };
            let x = Vector::from_slice(device, &vec![1.5_f32; n])?;
            let mut y = Vector::from_slice(device, &[f32::NAN])?;
            dense::gemv_in_df64(1.0, view, &x, 0.0, &mut y)?;
            assert_eq!(y.to_host().block_on()?, [37.5], "{place:?} on {}", device.name());
        }
        Ok(())
    });
}

fn one(
    device: &Device,
    random: &mut Random,
    (extents, place): ((usize, usize), Place),
    (alpha, beta): (f32, f32),
    layouts: usize,
) -> Result<()> {
    let (rows, cols) = extents;
    let [for_x, for_y, _] = LAYOUTS[layouts];
    let case = Case {
        device,
        operation: "gemv_in_df64",
        sizes: format!("{rows} x {cols} {place:?}, α = {alpha:?}, β = {beta:?}, {for_x:?}, {for_y:?}"),
    };
    let a = Placed::<f32>::random(random, device, extents, place)?;
    let x = Operand::<f32>::random(random, cols, for_x);
    let y = if beta == 0.0 {
        Operand::unread(random, rows, for_y)
    } else {
        Operand::random(random, rows, for_y)
    };
    let (x_there, mut y_there) = (x.upload(device)?, y.upload(device)?);
    dense::gemv_in_df64(alpha, a.view()?, x.view(&x_there), beta, y.view_mut(&mut y_there))?;
    for (i, found) in y.written(&case, &y_there)?.into_iter().enumerate() {
        let (exact, scale) = exact_entry((alpha, beta), (0..cols).map(|j| (a.at(i, j), x.at(j))), || y.at(i));
        let bound = rounded_once(&exact, &scale, cols);
        let mut error = exact;
        error.subtract(found);
        let error = error.nearest().to_f64().abs();
        if !within(error, bound) {
            case.fail(i, found, format!("an error of {bound:e} at most, not {error:e}"));
        }
    }
    Ok(())
}

/// u|Σ + δ| + δ, δ the error of a sum of so many terms in Df64.
fn rounded_once(exact: &Exact, scale: &Exact, terms: usize) -> f64 {
    let sum = gamma::<Df64>(entry_roundings(terms)) * scale.nearest().to_f64();
    let rounding = gamma::<f32>(1.0) * (exact.nearest().to_f64().abs() + sum);
    sum + rounding
}
