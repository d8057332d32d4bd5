//! Norms of matrices: of the whole, of blocks and of transposes.

use nonius::dense::{Matrix, MatrixView, norm_frobenius, norm_inf, norm_max, norm1};
use nonius::{Blocking as _, Device, Result, Scalar};

use crate::exact::Exact;
use crate::support::{Case, Random};

for_every_scalar!(norms_of_all_shapes, norms_by_value);

fn norms_of_all_shapes<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [(1, 1), (1, 40), (40, 1), (2, 3), (31, 33), (33, 8), (70, 257), (300, 5)] {
        let (wide, offset) = (cols + 5, 2);
        let values: Vec<T> = Random::new(rows * 1000 + cols).scalars((rows + 3) * wide);
        let matrix = Matrix::from_rows(device, rows + 3, wide, &values)?;
        let at = |i: usize, j: usize| values[(i + 1) * wide + j + offset];
        let block = || matrix.block(1, offset, rows, cols);
        let row = |i: usize| (0..cols).map(|j| at(i, j)).collect::<Vec<T>>();
        let column = |j: usize| (0..rows).map(|i| at(i, j)).collect::<Vec<T>>();
        let by_rows: Vec<Vec<T>> = (0..rows).map(row).collect();
        let by_cols: Vec<Vec<T>> = (0..cols).map(column).collect();
        let case = |operation| Case {
            device,
            operation,
            sizes: format!("{rows} x {cols}"),
        };
        // The largest of sums is as near to the largest as a sum to itself.
        let near = |operation, found: T, lines: &[Vec<T>]| {
            let sums = lines.iter().map(|line| {
                let mut sum = Exact::zero();
                line.iter().for_each(|x| sum.add(x.abs()));
                sum
            });
            let largest = sums.reduce(|a, b| if b.clone().ratio(a.clone()) > 1.0 { b } else { a });
            let largest = largest.expect("not empty");
            case(operation).near(0, found, &largest, largest.clone(), lines[0].len() as f64);
        };
        near("norm_inf", norm_inf(block()?).block_on()?, &by_rows);
        near("norm1", norm1(block()?).block_on()?, &by_cols);
        near("norm_inf, transposed", norm_inf(block()?.t()).block_on()?, &by_cols);
        near("norm1, transposed", norm1(block()?.t()).block_on()?, &by_rows);
        let all: Vec<T> = by_rows.concat();
        let largest = all
            .iter()
            .map(|x| x.abs())
            .fold(T::zero(), |a, b| if b > a { b } else { a });
        let mut squares = Exact::zero();
        all.iter().for_each(|x| squares.add_product(*x, *x));
        for (name, view) in [("", block()?), (", transposed", block()?.t())] {
            let found = norm_max(view).block_on()?;
            assert!(
                found == largest,
                "norm_max{name} of {rows} x {cols} in {} on {}",
                T::NAME,
                device.name()
            );
            let found = norm_frobenius(view).block_on()?;
            // Twice the relative error of the root.
            let mut error = squares.clone();
            error.add_product(-found, found);
            let relative = error.ratio(squares.clone());
            let bound = crate::support::gamma::<T>((rows * cols + 6) as f64);
            assert!(
                relative <= bound,
                "norm_frobenius{name} of {rows} x {cols} in {} on {}: {relative:e}",
                T::NAME,
                device.name()
            );
        }
    }
    Ok(())
}

fn norms_by_value<T: Scalar>(device: &Device) -> Result<()> {
    let of = |rows: usize, cols: usize, values: &[T]| -> Result<[T; 4]> {
        let matrix = Matrix::from_rows(device, rows, cols, values)?;
        let view: MatrixView<'_, T> = matrix.view();
        Ok([
            norm1(view).block_on()?,
            norm_inf(view).block_on()?,
            norm_max(view).block_on()?,
            norm_frobenius(view).block_on()?,
        ])
    };
    for (rows, cols) in [(0, 0), (0, 3), (3, 0), (3, 50)] {
        assert!(
            of(rows, cols, &vec![T::zero(); rows * cols])?
                .iter()
                .all(|norm| norm.is_zero())
        );
    }
    for at in [0, 30, 99] {
        let mut values = vec![T::one(); 100];
        values[at] = T::from_f64(f64::NAN);
        assert!(
            of(2, 50, &values)?.iter().all(|norm| norm.is_nan()),
            "NaN at {at} in {} on {}",
            T::NAME,
            device.name()
        );
        values[at] = T::from_f64(f64::NEG_INFINITY);
        let norms = of(2, 50, &values)?;
        assert!(
            norms.iter().all(|norm| !norm.is_finite()),
            "{norms:?}: infinity at {at} in {} on {}",
            T::NAME,
            device.name()
        );
    }
    // 3, 4, 5 at both ends of the range: no square of them is in it.
    for power in [T::MIN_EXPONENT, T::MAX_EXPONENT - 4] {
        let values = [3.0, 0.0, 0.0, -4.0].map(|x| T::from_f64(x).scale_exponent(power));
        let [.., largest, frobenius] = of(2, 2, &values)?;
        let expected = [4.0, 5.0].map(|x| T::from_f64(x).scale_exponent(power));
        assert!(
            largest == expected[0],
            "2^{power}: {largest:?} in {} on {}",
            T::NAME,
            device.name()
        );
        let error = ((frobenius.to_dd() - expected[1].to_dd()) / expected[1].to_dd())
            .to_f64()
            .abs();
        assert!(
            error <= 4.0 * T::ROUNDING,
            "2^{power}: {frobenius:?} in {} on {}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}
