//! LAPACK's types and sizes against LAPACK's ratios: what `dchkge` does.

use nonius::dense::Matrix;
use nonius::lu::Pivoting;
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::devices::Random;
use crate::matrices::{Dense, TYPES, Type};
use crate::panels::is_pair;
use crate::ratios::{self, Factored, THRESHOLD};

for_every_scalar!(
    square_matrices,
    large_matrices,
    by_tournament,
    large_by_tournament,
    without_pivoting,
    large_without_pivoting,
    other_matrices,
    right_hand_sides,
    documented_bounds
);

/// LAPACK's, and those around panels of 32.
const SIZES: [usize; 12] = [0, 1, 2, 3, 5, 10, 31, 32, 33, 50, 65, 97];

/// Around blocks of 128, and of several.
const LARGE: [usize; 3] = [127, 129, 500];

const RIGHT_HAND_SIDES: [usize; 3] = [1, 2, 15];

fn random<T: Scalar>(rows: usize, cols: usize, seed: usize) -> Dense<T> {
    let mut random = Random::new(seed);
    Dense::from_fn(rows, cols, |_, _| T::from_f64(random.unit()))
}

/// What failed, with all its numbers.
struct Failures(Vec<String>);

impl Failures {
    fn judge(&mut self, ratio: f64, threshold: f64, what: impl FnOnce() -> String) {
        if !(ratio < threshold) {
            self.0
                .push(format!("{}: ratio {ratio:e}, threshold {threshold}", what()));
        }
    }

    fn report<T: Scalar>(self, device: &Device) {
        assert!(
            self.0.is_empty(),
            "{} on {}:\n{}",
            T::NAME,
            device.name(),
            self.0.join("\n")
        );
    }
}

fn square_matrices<T: Scalar>(device: &Device) -> Result<()> {
    all_types::<T>(device, &SIZES, Pivoting::Partial)
}

fn large_matrices<T: Scalar>(device: &Device) -> Result<()> {
    all_types::<T>(device, &LARGE, Pivoting::Partial)
}

fn by_tournament<T: Scalar>(device: &Device) -> Result<()> {
    all_types::<T>(device, &SIZES, Pivoting::Tournament)
}

/// By the product with one vector, which takes a moment.
fn large_by_tournament<T: Scalar>(device: &Device) -> Result<()> {
    all_types_by::<T>(device, &LARGE, Pivoting::Tournament, THRESHOLD, Factored::product_ratio)
}

/// Elements may grow beyond all bounds, and with them what LAPACK's ratio is; but each element of A - L U is within its own bound, or
/// the growth says that there are no such factors.
fn without_pivoting<T: Scalar>(device: &Device) -> Result<()> {
    all_types_by::<T>(device, &SIZES, Pivoting::None, BOUND, Factored::factor_bound_ratio)
}

/// Of words by the product with one vector; of pairs, whose residuals only exact sums hold, in every 31st column.
fn large_without_pivoting<T: Scalar>(device: &Device) -> Result<()> {
    all_types_by::<T>(device, &LARGE, Pivoting::None, BOUND, |factored| {
        if is_pair::<T>() {
            factored.factor_bound_ratio_in((0..factored.a.cols).step_by(31))
        } else {
            factored.bound_ratio()
        }
    })
}

/// What documented bounds are judged by: themselves.
const BOUND: f64 = 1.0 + f64::EPSILON;

fn all_types_by<T: Scalar>(
    device: &Device,
    sizes: &[usize],
    pivoting: Pivoting,
    threshold: f64,
    ratio: impl Fn(&Factored<T>) -> f64,
) -> Result<()> {
    let mut failures = Failures(Vec::new());
    for n in sizes.iter().copied() {
        for kind in TYPES {
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let case = || format!("type {} ({kind:?}) of {n}, {pivoting:?}", kind as usize);
            let factored = Factored::with(device, &a, pivoting)?;
            let is_finite = factored.factors.values.iter().all(|x| x.is_finite());
            if pivoting == Pivoting::None && kind == Type::NearOverflow && !is_finite {
                let matrix = Matrix::from_rows(device, n, n, &a.values)?;
                let growth = factored.lu.reciprocal_growth(&matrix).block_on()?;
                assert!(!(growth > 0.0), "{} on {}: growth {growth}", case(), device.name());
                continue;
            }
            assert_eq!(factored.first_zero, first_zero, "{} on {}", case(), device.name());
            failures.judge(ratio(&factored), threshold, case);
        }
    }
    failures.report::<T>(device);
    Ok(())
}

fn all_types<T: Scalar>(device: &Device, sizes: &[usize], pivoting: Pivoting) -> Result<()> {
    let mut failures = Failures(Vec::new());
    for (size_index, n) in sizes.iter().copied().enumerate() {
        for kind in TYPES {
            let (a, first_zero) = kind.matrix::<T>(n, n);
            let case = |what: &str| format!("type {} ({kind:?}) of {n}, {pivoting:?}: {what}", kind as usize);
            let factored = Factored::with(device, &a, pivoting)?;
            failures.judge(factored.factor_ratio(), THRESHOLD, || case("P A - L U"));
            assert_eq!(
                factored.first_zero,
                first_zero,
                "{} on {}",
                case("pivot"),
                device.name()
            );
            let exact = random::<T>(n, RIGHT_HAND_SIDES[size_index % 3], n);
            let b = ratios::product(&a, &exact);
            let outcome = factored.solve(&b);
            if let Some(column) = first_zero {
                assert_eq!(
                    outcome.err(),
                    Some(Error::Singular { column }),
                    "{} on {}",
                    case("solve"),
                    device.name()
                );
                continue;
            }
            let x = outcome?;
            failures.judge(ratios::solve_ratio(&a, &x, &b), THRESHOLD, || case("B - A X"));
            if n > 0 {
                let reciprocal_condition = factored.reciprocal_condition()?;
                let ratio = ratios::forward_ratio(&x, &exact, reciprocal_condition);
                failures.judge(ratio, THRESHOLD, || {
                    case(&format!("X - X_exact, rcond {reciprocal_condition:e}"))
                });
            }
        }
    }
    failures.report::<T>(device);
    Ok(())
}

fn other_matrices<T: Scalar>(device: &Device) -> Result<()> {
    let mut failures = Failures(Vec::new());
    for (rows, cols) in [
        (0, 3),
        (3, 0),
        (1, 40),
        (40, 1),
        (3, 5),
        (5, 3),
        (40, 33),
        (33, 70),
        (70, 33),
        (32, 65),
        (97, 32),
    ] {
        for kind in TYPES {
            let (a, first_zero) = kind.matrix::<T>(rows, cols);
            let case = || format!("type {} ({kind:?}) of {rows} x {cols}", kind as usize);
            let factored = Factored::of(device, &a)?;
            failures.judge(factored.factor_ratio(), THRESHOLD, case);
            assert_eq!(factored.first_zero, first_zero, "{} on {}", case(), device.name());
            if rows != cols {
                let error = factored.solve(&random(rows, 1, 1)).err();
                assert!(matches!(error, Some(Error::Shape { .. })), "{}: {error:?}", case());
            }
        }
    }
    failures.report::<T>(device);
    Ok(())
}

/// Few and many at once, none, and zeros: each column comes out as it does alone.
fn right_hand_sides<T: Scalar>(device: &Device) -> Result<()> {
    let mut failures = Failures(Vec::new());
    for n in [1, 33, 65] {
        let (a, _) = Type::WellConditioned.matrix::<T>(n, n);
        let factored = Factored::of(device, &a)?;
        let mut b = random::<T>(n, 33, n);
        (0..n).for_each(|i| *b.at_mut(i, 7) = T::zero());
        let together = factored.solve(&b)?;
        failures.judge(ratios::solve_ratio(&a, &together, &b), THRESHOLD, || {
            format!("33 of {n}")
        });
        for i in 0..n {
            assert!(together.at(i, 7).is_zero(), "A x = 0 has the solution 0");
        }
        for columns in [0, 1, 2, 15] {
            let some = Dense::from_fn(n, columns, |i, j| b.at(i, 3 * j % 33));
            let x = factored.solve(&some)?;
            failures.judge(ratios::solve_ratio(&a, &x, &some), THRESHOLD, || {
                format!("{columns} of {n}")
            });
        }
    }
    failures.report::<T>(device);
    Ok(())
}

/// |P A - L U| ≤ γ·|L||U| and |B - A X| ≤ γ·Pᵗ|L||U||X|, with the constants of the documentation.
fn documented_bounds<T: Scalar>(device: &Device) -> Result<()> {
    let mut failures = Failures(Vec::new());
    let growing = |n: usize| crate::exactly::growing::<T>(n);
    for n in [1, 2, 5, 33, 65] {
        let (usual, _) = Type::WellConditioned.matrix::<T>(n, n);
        for (name, a) in [("a random matrix", usual), ("the matrix that grows", growing(n))] {
            let factored = Factored::of(device, &a)?;
            failures.judge(factored.factor_bound_ratio(), BOUND, || format!("L U of {name} of {n}"));
            let b = random::<T>(n, 2, n + 1);
            let x = factored.solve(&b)?;
            failures.judge(factored.solve_bound_ratio(&x, &b), BOUND, || {
                format!("X of {name} of {n}")
            });
        }
    }
    failures.report::<T>(device);
    Ok(())
}
