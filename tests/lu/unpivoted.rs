//! LU without pivoting: the edges of blocks on the diagonal and of what is beside them, and pivots that have no reciprocal.

use nonius::device::AdapterKind;
use nonius::lu::{Options, Panels, Pivoting};
use nonius::{Device, Result, Scalar};

use crate::matrices::Dense;
use crate::panels::{is_pair, places, random};
use crate::ratios::{Factored, THRESHOLD};

for_every_scalar!(
    without_pivoting,
    blocks_on_the_diagonal,
    beside_blocks_on_the_diagonal,
    pivots_without_a_reciprocal
);

fn unpivoted(panels: Panels) -> Options {
    let mut options = Options::from(panels);
    options.pivoting = Pivoting::None;
    options
}

/// Diagonally dominant by columns: partial pivoting would exchange nothing either.
fn without_pivoting<T: Scalar>(device: &Device) -> Result<()> {
    // From 512 rows or columns on, GPUs factor a block beside the product of the one before, and of large ones only a part.
    let large: &[(usize, usize)] = if is_pair::<T>() {
        &[]
    } else {
        &[(520, 520), (700, 300), (300, 700), (560, 20), (410, 530)]
    };
    // On GPUs strips are wider where they are many, and only some columns wait for the next block.
    let on_a_gpu = !matches!(device.adapter().kind, AdapterKind::Host | AdapterKind::Software);
    let broad: &[(usize, usize)] = if on_a_gpu && T::NAME == "f32" {
        &[(1200, 2100)]
    } else {
        &[]
    };
    let small = [(1, 1), (5, 5), (17, 17), (33, 70), (70, 33), (129, 129), (20, 560)];
    for &(rows, cols) in small.iter().chain(large).chain(broad) {
        let mut a = random::<T>(rows, cols);
        (0..rows.min(cols)).for_each(|i| *a.at_mut(i, i) = T::from_f64(rows as f64));
        for panels in places(device) {
            let case = format!("{rows} x {cols}, {panels:?}, {} on {}", T::NAME, device.name());
            let factored = Factored::with(device, &a, unpivoted(panels))?;
            assert!(
                factored.pivots.iter().zip(0..).all(|(pivot, i)| *pivot == i),
                "{case}: exchanges"
            );
            let ratio = factored.product_ratio();
            assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
            if !is_pair::<T>() {
                let ratio = factored.bound_ratio();
                assert!(ratio <= 1.0, "{case}: {ratio:e} of its bound");
            }
        }
    }
    // What has a zero there has no such factors, and says so.
    let a = Dense::from_fn(2, 2, |i, j| if i == j { T::zero() } else { T::one() });
    for panels in places(device) {
        assert_eq!(Factored::with(device, &a, unpivoted(panels))?.first_zero, Some(0));
        assert_eq!(Factored::with(device, &a, panels)?.first_zero, None);
    }
    Ok(())
}

/// A block on the diagonal has the same bits wherever it is factored: the order of every sum is the host's. A multiply-add in
/// f64 is x * y + z, which a driver may fuse in one kernel and not in another: an H200's does.
fn blocks_on_the_diagonal<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 2, 15, 16, 17, 31, 100, 127, 128] {
        let mut a = random::<T>(n, n);
        (0..n).for_each(|i| *a.at_mut(i, i) = T::from_f64(2.0 * n as f64));
        // A column without a pivot is not eliminated with.
        if n > 20 {
            (0..n).for_each(|i| *a.at_mut(i, 18) = T::zero());
        }
        let of = |panels| Factored::with(device, &a, unpivoted(panels));
        let (first, second) = (of(Panels::Registers)?, of(Panels::Memory)?);
        let case = format!("{n} in {} on {}", T::NAME, device.name());
        assert_eq!(first.first_zero, (n > 20).then_some(18), "{case}");
        assert_eq!(first.first_zero, second.first_zero, "{case}");
        for factored in [&first, &second] {
            let ratio = factored.product_ratio();
            assert!(ratio < THRESHOLD, "{case}: ratio {ratio:e}");
        }
        let may_fuse = T::NAME == "f64" && device.adapter().kind != AdapterKind::Software;
        assert!(
            may_fuse || first.factors.values == second.factors.values,
            "{case}: other bits"
        );
    }
    Ok(())
}

/// L below and U right of such a block have the same bits wherever they are solved for, with pivots that have a reciprocal and with
/// others; of more than 400 rows, where drivers that compute on the CPU have them in the kernel that others have beside the block, too.
fn beside_blocks_on_the_diagonal<T: Scalar>(device: &Device) -> Result<()> {
    let waiting: &[(usize, usize)] = if is_pair::<T>() { &[] } else { &[(420, 150), (401, 30)] };
    let shapes = [(300, 20), (20, 300), (200, 128), (128, 150), (150, 161)];
    for (rows, cols) in shapes.iter().chain(waiting).copied() {
        for unusual in [
            None,
            Some(T::zero()),
            Some(T::one().scale_exponent(T::MIN_EXPONENT + 1)),
        ] {
            let mut a = random::<T>(rows, cols);
            let block = rows.min(cols).min(128);
            (0..block).for_each(|i| *a.at_mut(i, i) = T::from_f64(2.0 * rows as f64));
            if let Some(pivot) = unusual {
                // All of the column, so that it stays what it is.
                (0..rows).for_each(|i| *a.at_mut(i, 18) = if i <= 18 { T::zero() } else { pivot });
                *a.at_mut(18, 18) = pivot;
            }
            let of = |panels| Factored::with(device, &a, unpivoted(panels));
            let (first, second) = (of(Panels::Registers)?, of(Panels::Memory)?);
            let case = format!("{rows} x {cols}, {unusual:?}, {} on {}", T::NAME, device.name());
            let may_fuse = T::NAME == "f64" && device.adapter().kind != AdapterKind::Software;
            for i in 0..rows {
                let solved = if i < block { cols } else { block };
                for j in 0..solved {
                    let (x, y) = (first.factors.at(i, j), second.factors.at(i, j));
                    assert!(may_fuse || x == y, "{case}: {x:?} and {y:?} at {i}, {j}");
                }
            }
        }
    }
    Ok(())
}

/// What is divided by a pivot is multiplied by its reciprocal, but not where that underflows: in the block on the diagonal, and
/// below it. Nor may devices make 0 of quotients by what is above 2^126 in f32, of which Vulkan promises nothing: an H200's does.
fn pivots_without_a_reciprocal<T: Scalar>(device: &Device) -> Result<()> {
    let highest = T::MAX_EXPONENT - if is_pair::<T>() { 2 } else { 1 };
    let n = 130;
    for power in [T::MIN_EXPONENT + 1, 0, highest] {
        let pivot = T::one().scale_exponent(power);
        let half = T::from_f64(0.5);
        let with = |below: T| {
            Dense::from_fn(n, n, |i, j| match (i == j, j) {
                (true, _) => pivot,
                (false, 0) => below,
                _ => T::zero(),
            })
        };
        for panels in places(device) {
            let factored = Factored::with(device, &with(half * pivot), unpivoted(panels))?;
            let case = format!("2^{power}, {panels:?}, {} on {}", T::NAME, device.name());
            assert_eq!(factored.factors.values, with(half).values, "{case}");
        }
    }
    Ok(())
}
