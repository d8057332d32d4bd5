//! `Y ← αAX + βY` with sparse A: the formats that have it, against sums without rounding.

use nonius::dense::Matrix;
use nonius::sparse::{DeviceMatrix, Format, spmm};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::gemv::{PLACES, Placed, entry_roundings, exact_entry, factors};
use crate::spmv::matrices;
use crate::support::{Case, Random, is_pair};

for_every_scalar!(products, what_does_not_fit_is_refused);

const FORMATS: [Format; 3] = [Format::Csr, Format::PackedCsr, Format::PackedSell];

/// Around the columns of an invocation, and of a dispatch.
const COLUMNS: [usize; 9] = [1, 5, 0, 8, 3, 65, 4, 17, 64];

fn products<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(9);
    for (at, (name, a)) in matrices::<T>().into_iter().enumerate() {
        let k = if a.cols() > 1000 {
            5
        } else {
            COLUMNS[at % COLUMNS.len()]
        };
        let place = PLACES[at % PLACES.len()];
        let x = Placed::<T>::random(&mut random, device, (a.cols(), k), place)?;
        // Y is within a larger matrix, whose other elements nobody may write.
        let (margin, leading) = (2, k + 3);
        let before: Vec<T> = random.scalars((a.rows() + margin) * leading);
        let unread: Vec<T> = before.iter().map(|_| T::from_f64(f64::NAN)).collect();
        for (alpha, beta) in factors::<T>(&mut random) {
            let start = if beta.is_zero() { &unread } else { &before };
            let mut bits: Option<Vec<T>> = None;
            for format in FORMATS {
                let case = Case {
                    device,
                    operation: "spmm",
                    sizes: format!("{name} as {format}, {k} columns {place:?}, α = {alpha:?}, β = {beta:?}"),
                };
                let there = DeviceMatrix::from_csr(device, &a, format)?;
                let mut y = Matrix::from_rows(device, a.rows() + margin, leading, start)?;
                spmm(alpha, &there, x.view()?, beta, y.block_mut(1, 2, a.rows(), k)?)?;
                let found = y.to_host().block_on()?;
                for (at, (found, before)) in found.iter().zip(start).enumerate() {
                    let (row, column) = (at / leading, at % leading);
                    let inside = (1..=a.rows()).contains(&row) && (2..k + 2).contains(&column);
                    if !inside {
                        case.same(at, *found, *before);
                        continue;
                    }
                    let (i, j) = (row - 1, column - 2);
                    let terms = a.row(i).map(|(met, value)| (value, x.at(met, j)));
                    let (exact, scale) = exact_entry((alpha, beta), terms, || *before);
                    case.near(at, *found, &exact, scale, entry_roundings(a.row(i).len()));
                }
                // All three sum by ascending column.
                if is_pair::<T>() {
                    let first = bits.get_or_insert_with(|| found.clone());
                    for (at, found) in found.iter().enumerate() {
                        case.same(at, *found, first[at]);
                    }
                }
            }
        }
    }
    Ok(())
}

fn what_does_not_fit_is_refused<T: Scalar>(device: &Device) -> Result<()> {
    let a = nonius::sparse::Csr::new(2, 3, vec![0, 1, 2], vec![1, 0], vec![T::one(); 2])?;
    let matrix = |rows, cols| Matrix::<T>::zeros(device, rows, cols);
    let refused = |format, x: &Matrix<T>, y: &mut Matrix<T>, said: &str| -> Result<()> {
        let there = DeviceMatrix::from_csr(device, &a, format)?;
        let error = spmm(T::one(), &there, x, T::zero(), y).expect_err("it does not fit");
        assert!(
            matches!(error, Error::Shape { .. }) && error.to_string().ends_with(said),
            "{error}"
        );
        Ok(())
    };
    refused(Format::Csr, &matrix(2, 4)?, &mut matrix(2, 4)?, "2 x 4 and 2 x 4")?;
    refused(Format::Csr, &matrix(3, 4)?, &mut matrix(2, 5)?, "3 x 4 and 2 x 5")?;
    for format in [Format::Ell, Format::Csc] {
        refused(format, &matrix(3, 4)?, &mut matrix(2, 4)?, &format!("found {format}"))?;
    }
    Ok(())
}
