//! Rows and columns scaled by powers of two.

use nonius::dense::Matrix;
use nonius::lu::equilibrate;
use nonius::{Blocking as _, Device, Error, Result, Scalar, ScalarKind};

use crate::devices::Random;
use crate::matrices::Dense;

for_every_scalar!(
    lines_come_near_one,
    scaling_is_exact,
    just_under_a_power_of_two,
    what_is_refused,
);

/// Entries of all sizes that keep both words of a pair normal, with zeros between them.
fn uneven<T: Scalar>(rows: usize, cols: usize, seed: usize) -> Dense<T> {
    let mut random = Random::new(seed);
    let span = u32::try_from(T::MAX_EXPONENT / 4).expect("positive");
    let by_row: Vec<i32> = (0..rows).map(|_| random.integer(span)).collect();
    let by_col: Vec<i32> = (0..cols).map(|_| random.integer(span)).collect();
    Dense::from_fn(rows, cols, |i, j| {
        let x: T = random.scalar();
        if random.below(5) == 0 {
            T::zero()
        } else {
            x.scale_exponent(by_row[i] + by_col[j])
        }
    })
}

fn lines_come_near_one<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [(1, 1), (5, 3), (33, 65), (65, 33), (100, 100)] {
        let mut a = uneven::<T>(rows, cols, rows);
        // A row and a column of zeros stay as they are.
        if rows > 1 {
            (0..cols).for_each(|j| *a.at_mut(1, j) = T::zero());
            (0..rows).for_each(|i| *a.at_mut(i, 2) = T::zero());
        }
        let case = format!("{rows} x {cols} in {} on {}", T::NAME, device.name());
        let mut matrix = Matrix::from_rows(device, rows, cols, &a.values)?;
        let scaling = equilibrate(&mut matrix).block_on()?;
        let scaled = Dense {
            rows,
            cols,
            values: matrix.to_host().block_on()?,
        };
        let top = |values: &mut dyn Iterator<Item = T>| values.filter_map(|x| x.exponent()).max();
        for i in 0..rows {
            let before = top(&mut (0..cols).map(|j| a.at(i, j)));
            assert_eq!(scaling.rows[i], -before.unwrap_or(0), "row {i}, {case}");
        }
        for j in 0..cols {
            let after = top(&mut (0..rows).map(|i| scaled.at(i, j)));
            assert!(
                after.is_none_or(|exponent| exponent == 0),
                "column {j}, {case}: 2^{after:?}"
            );
        }
        for i in 0..rows {
            for j in 0..cols {
                let expected = a.at(i, j).scale_exponent(scaling.rows[i] + scaling.cols[j]);
                // What underflows does so as the device does it.
                let safe = expected.exponent().is_some_and(|exponent| exponent >= T::MIN_EXPONENT);
                assert!(!safe || scaled.at(i, j) == expected, "({i}, {j}), {case}");
                assert!(scaled.at(i, j).abs() < T::from_f64(2.0), "({i}, {j}), {case}");
            }
        }
    }
    Ok(())
}

/// In a block, with everything beside it left alone; and there and back.
fn scaling_is_exact<T: Scalar>(device: &Device) -> Result<()> {
    let a = uneven::<T>(20, 20, 3);
    let mut matrix = Matrix::from_rows(device, 20, 20, &a.values)?;
    let scaling = equilibrate(matrix.block_mut(3, 4, 15, 10)?).block_on()?;
    let scaled = matrix.to_host().block_on()?;
    for (at, (x, before)) in scaled.iter().zip(&a.values).enumerate() {
        let (i, j) = (at / 20, at % 20);
        let inside = (3..18).contains(&i) && (4..14).contains(&j);
        let shift = if inside {
            scaling.rows[i - 3] + scaling.cols[j - 4]
        } else {
            0
        };
        let expected = before.scale_exponent(shift);
        let safe = expected.exponent().is_some_and(|exponent| exponent >= T::MIN_EXPONENT);
        assert!(
            !safe || *x == expected,
            "({i}, {j}) in {} on {}",
            T::NAME,
            device.name()
        );
    }
    // What is even already stays as it is.
    let ones = Dense::from_fn(7, 9, |_, _| T::one());
    let mut matrix = Matrix::from_rows(device, 7, 9, &ones.values)?;
    let scaling = equilibrate(&mut matrix).block_on()?;
    assert!(
        scaling.rows.iter().chain(&scaling.cols).all(|exponent| *exponent == 0),
        "{scaling:?}"
    );
    assert!(matrix.to_host().block_on()? == ones.values);
    Ok(())
}

/// There the leading word of a pair is that power, whose exponent is taken: by every device.
fn just_under_a_power_of_two<T: Scalar>(device: &Device) -> Result<()> {
    let below = T::one() - T::from_f64(2.0 * T::ROUNDING);
    let leading_is_one = matches!(T::KIND, ScalarKind::Df64 | ScalarKind::Dd);
    for x in [below, -below] {
        let mut a = Matrix::from_rows(device, 1, 2, &[x, T::from_f64(0.25)])?;
        let scaling = equilibrate(&mut a).block_on()?;
        let expected = if leading_is_one { (0, 2) } else { (1, 1) };
        assert_eq!(
            (scaling.rows[0], scaling.cols[1]),
            expected,
            "{x:?} in {} on {}",
            T::NAME,
            device.name()
        );
    }
    Ok(())
}

fn what_is_refused<T: Scalar>(device: &Device) -> Result<()> {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut a = Dense::from_fn(40, 40, |_, _| T::one());
        *a.at_mut(33, 35) = T::from_f64(odd);
        let mut matrix = Matrix::from_rows(device, 40, 40, &a.values)?;
        let error = equilibrate(&mut matrix).block_on().err();
        let row = matches!(&error, Some(Error::NotFinite { what, .. }) if what.contains("row 33"));
        assert!(row, "{odd} in {} on {}: {error:?}", T::NAME, device.name());
        // Nothing is scaled.
        assert!(matrix.to_host().block_on()?[0] == T::one());
    }
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        let scaling = equilibrate(&mut Matrix::<T>::zeros(device, rows, cols)?).block_on()?;
        assert_eq!((scaling.rows, scaling.cols), (vec![0; rows], vec![0; cols]));
    }
    Ok(())
}
