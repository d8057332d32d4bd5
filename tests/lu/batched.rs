//! Many small systems at once: each of them is what it would be alone, and held to what one matrix is held to.

use nonius::dense::{Matrix, Vector};
use nonius::device::AdapterKind;
use nonius::lu::batched::{Batch, BatchedLu, LARGEST, Pattern};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::devices::{Random, devices, on_every_device};
use crate::exactly::growing;
use crate::matrices::{Dense, TYPES, Type};
use crate::ratios::{self, Parts, THRESHOLD};

for_every_scalar!(
    lapack_types,
    exact_eliminations,
    a_nan_stays_in_its_system,
    two_runs_agree,
    right_hand_sides,
    nothing_at_all,
    operands_must_fit,
    one_pattern,
);

/// The widths of rows in registers, one less and one more.
const ORDERS: [usize; 13] = [1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64];

/// Matrices of one order, and what a device makes of them.
struct Factored<T> {
    lu: BatchedLu<T>,
    factors: Vec<Dense<T>>,
    pivots: Vec<Vec<u32>>,
    first_zeros: Vec<Option<usize>>,
}

impl<T: Scalar> Factored<T> {
    fn of(device: &Device, matrices: &[Dense<T>]) -> Result<Self> {
        let n = matrices.first().map_or(0, |a| a.rows);
        let lu = BatchedLu::factor(batch(device, n, matrices)?)?;
        let factors = split(&lu.factors().to_host().block_on()?, n, n, matrices.len());
        let pivots = lu.pivots().block_on()?;
        assert_eq!(pivots.len(), n * matrices.len(), "one pivot a step");
        let first_zeros = lu.first_zeros().block_on()?;
        assert_eq!(first_zeros.len(), matrices.len());
        let singular = (0..).zip(&first_zeros).find_map(|(s, zero)| Some((s, (*zero)?)));
        assert_eq!(lu.first_singular().block_on()?, singular, "{}", device.name());
        Ok(Self {
            lu,
            factors,
            pivots: pivots.chunks(n.max(1)).map(<[u32]>::to_vec).collect(),
            first_zeros,
        })
    }
}

fn batch<T: Scalar>(device: &Device, cols: usize, matrices: &[Dense<T>]) -> Result<Batch<T>> {
    let rows = matrices.first().map_or(0, |a| a.rows);
    let values: Vec<T> = matrices.iter().flat_map(|a| a.values.iter().copied()).collect();
    Batch::from_slice(device, matrices.len(), rows, cols, &values)
}

fn split<T: Scalar>(values: &[T], rows: usize, cols: usize, count: usize) -> Vec<Dense<T>> {
    let matrix = |s: usize| values[s * rows * cols..(s + 1) * rows * cols].to_vec();
    let dense = |values| Dense { rows, cols, values };
    (0..count).map(|s| dense(matrix(s))).collect()
}

fn bits<T: Scalar>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// LAPACK's types side by side, the singular ones among them: ratios of the first of each, and the same bits in all others.
fn lapack_types<T: Scalar>(device: &Device) -> Result<()> {
    let mut failures = Vec::new();
    for n in ORDERS {
        let kinds: Vec<_> = TYPES.into_iter().map(|kind| (kind, kind.matrix::<T>(n, n))).collect();
        for (begin, count) in [(0, 1), (4, 3), (2, 1000)] {
            let at = |s: usize| (begin + s) % kinds.len();
            let matrices: Vec<Dense<T>> = (0..count).map(|s| kinds[at(s)].1.0.clone()).collect();
            let factored = Factored::of(device, &matrices)?;
            let mut random = Random::new(n);
            let solution = Dense::from_fn(n, 2, |_, _| T::from_f64(random.unit()));
            let some = matrices.iter().take(kinds.len());
            let right: Vec<_> = some.map(|a| ratios::product(a, &solution)).collect();
            let right: Vec<_> = (0..count).map(|s| right[s % kinds.len()].clone()).collect();
            let mut x = batch(device, 2, &right)?;
            factored.lu.substitute_in_place(&mut x)?;
            let x = split(&x.to_host().block_on()?, n, 2, count);
            for s in 0..count {
                let (kind, (a, first_zero)) = &kinds[at(s)];
                let case = format!("system {s} of {count}, type {kind:?} of {n}");
                assert_eq!(factored.first_zeros[s], *first_zero, "{case} on {}", device.name());
                let like = s % kinds.len();
                if s != like {
                    let same = bits(&factored.factors[s].values) == bits(&factored.factors[like].values)
                        && factored.pivots[s] == factored.pivots[like]
                        && bits(&x[s].values) == bits(&x[like].values);
                    assert!(same, "{case} is not system {like} in {} on {}", T::NAME, device.name());
                    continue;
                }
                let order = ratios::order(&factored.pivots[s], n);
                let factors = &factored.factors[s];
                let ratio = Parts {
                    a,
                    factors,
                    order: &order,
                }
                .factor_ratio();
                if !(ratio < THRESHOLD) {
                    failures.push(format!("{case}: P A - L U: {ratio:e}"));
                }
                let ratio = ratios::solve_ratio(a, &x[s], &right[s]);
                if first_zero.is_none() && !(ratio < THRESHOLD) {
                    failures.push(format!("{case}: B - A X: {ratio:e}"));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} on {}:\n{}",
        T::NAME,
        device.name(),
        failures.join("\n")
    );
    Ok(())
}

/// Sylvester's matrix of the largest power of two up to n, and ones on the diagonal behind it: all its candidates are equal
/// in size in every column, and sums of powers of two are exact.
fn hadamard<T: Scalar>(n: usize) -> Dense<T> {
    let size = if n.is_power_of_two() {
        n
    } else {
        n.next_power_of_two() / 2
    };
    Dense::from_fn(n, n, |i, j| {
        if i < size && j < size {
            T::from_f64(if (i & j).count_ones() % 2 == 0 { 1.0 } else { -1.0 })
        } else {
            T::from_f64(f64::from(u8::from(i == j)))
        }
    })
}

/// L of quarters and U of integers, with powers of two on its diagonal: a single choice of pivots, and sums of few bits.
fn of_few_bits<T: Scalar>(random: &mut Random, n: usize) -> Dense<T> {
    let factors = Dense::from_fn(n, n, |i, j| {
        if i > j {
            f64::from(random.integer(3)) / 4.0
        } else if i == j {
            [1.0, -2.0, 4.0, -8.0][i % 4]
        } else {
            f64::from(random.integer(9))
        }
    });
    Dense::from_fn(n, n, |i, j| {
        let lower = |k: usize| if k == i { 1.0 } else { factors.at(i, k) };
        T::from_f64((0..=i.min(j)).map(|k| lower(k) * factors.at(k, j)).sum())
    })
}

fn shuffled<T: Scalar>(random: &mut Random, a: &Dense<T>) -> Dense<T> {
    let mut place: Vec<usize> = (0..a.rows).collect();
    (1..a.rows).rev().for_each(|i| place.swap(i, random.below(i + 1)));
    Dense::from_fn(a.rows, a.cols, |i, j| a.at(place[i], j))
}

/// Where nothing is rounded, pivots and factors are the host's: ties go to the first of equals.
fn exact_eliminations<T: Scalar>(device: &Device) -> Result<()> {
    for n in ORDERS {
        let mut random = Random::new(n);
        let mut matrices = vec![growing::<T>(n), hadamard(n)];
        for _ in 0..20 {
            let few = of_few_bits(&mut random, n);
            matrices.push(shuffled(&mut random, &few));
            matrices.push(shuffled(&mut random, &hadamard(n)));
        }
        let factored = Factored::of(device, &matrices)?;
        let host = Factored::of(&Device::host(), &matrices)?;
        for (s, a) in matrices.iter().enumerate() {
            let case = format!("system {s} of {n} in {} on {}", T::NAME, device.name());
            assert_eq!(factored.pivots[s], host.pivots[s], "{case}");
            assert_eq!(factored.first_zeros[s], None, "{case}");
            assert!(
                factored.factors[s].values == host.factors[s].values,
                "{case}: other factors"
            );
            // The host too is held to something: without roundings, nothing remains.
            let order = ratios::order(&host.pivots[s], n);
            let parts = Parts {
                a,
                factors: &host.factors[s],
                order: &order,
            };
            assert!(parts.factor_ratio() == 0.0, "{case}: P A - L U");
        }
        let moved = factored
            .pivots
            .iter()
            .any(|pivots| (0..).zip(pivots).any(|(i, p)| i != *p));
        assert!(moved || n == 1, "no exchange at all");
    }
    Ok(())
}

/// Neighbours keep their bits, in the factors and in the solution, and the NaN is seen in its own.
fn a_nan_stays_in_its_system<T: Scalar>(device: &Device) -> Result<()> {
    const COUNT: usize = 21;
    for n in [1, 3, 8, 17, 33] {
        let (a, _) = Type::WellConditioned.matrix::<T>(n, n);
        let clean = vec![a; COUNT];
        let right = vec![Dense::from_fn(n, 3, |_, _| T::one()); COUNT];
        for (spoilt, value) in [(0, f64::NAN), (10, f64::NAN), (COUNT - 1, f64::INFINITY)] {
            let mut matrices = clean.clone();
            *matrices[spoilt].at_mut(n / 2, n / 3) = T::from_f64(value);
            let (usual, other) = (Factored::of(device, &clean)?, Factored::of(device, &matrices)?);
            let (mut x, mut y) = (batch(device, 3, &right)?, batch(device, 3, &right)?);
            usual.lu.substitute_in_place(&mut x)?;
            other.lu.substitute_in_place(&mut y)?;
            let x = split(&x.to_host().block_on()?, n, 3, COUNT);
            let y = split(&y.to_host().block_on()?, n, 3, COUNT);
            for s in 0..COUNT {
                let case = format!(
                    "{value} in system {spoilt} of order {n}, seen in {s} on {}",
                    device.name()
                );
                if s == spoilt {
                    assert!(
                        value.is_infinite() || y[s].values.iter().any(|x| x.is_nan()),
                        "{case}: hidden"
                    );
                    continue;
                }
                assert!(
                    bits(&usual.factors[s].values) == bits(&other.factors[s].values),
                    "{case}: factors"
                );
                assert!(bits(&x[s].values) == bits(&y[s].values), "{case}: solution");
                assert!(x[s].values.iter().all(|x| x.is_finite()), "{case}");
            }
        }
    }
    Ok(())
}

fn two_runs_agree<T: Scalar>(device: &Device) -> Result<()> {
    for n in [7, 33] {
        let mut random = Random::new(n);
        let matrices: Vec<_> = (0..1000)
            .map(|_| Dense::from_fn(n, n, |_, _| T::from_f64(random.unit())))
            .collect();
        let (first, second) = (Factored::of(device, &matrices)?, Factored::of(device, &matrices)?);
        assert_eq!(first.pivots, second.pivots);
        let same = |(x, y): (&Dense<T>, &Dense<T>)| bits(&x.values) == bits(&y.values);
        assert!(
            first.factors.iter().zip(&second.factors).all(same),
            "factors of {n} differ"
        );
    }
    Ok(())
}

/// Each column comes out as it does alone, however many there are; and so does a copy that is not made in place.
fn right_hand_sides<T: Scalar>(device: &Device) -> Result<()> {
    for n in [1, 4, 9, 33, 64] {
        let (a, _) = Type::WellConditioned.matrix::<T>(n, n);
        let matrices = vec![a.clone(); 5];
        let factored = Factored::of(device, &matrices)?;
        let mut random = Random::new(n);
        let wide: Vec<_> = (0..5)
            .map(|_| Dense::from_fn(n, 9, |_, _| T::from_f64(random.unit())))
            .collect();
        let mut single = Vec::new();
        for columns in [1, 2, 3, 4, 5, 9] {
            let right: Vec<_> = wide
                .iter()
                .map(|b| Dense::from_fn(n, columns, |i, j| b.at(i, j)))
                .collect();
            let mut x = batch(device, columns, &right)?;
            let solved = factored.lu.solve(&x).block_on()?;
            assert_eq!((solved.count(), solved.rows(), solved.cols()), (5, n, columns));
            factored.lu.solve_in_place(&mut x).block_on()?;
            let x = x.to_host().block_on()?;
            assert!(bits(&x) == bits(&solved.to_host().block_on()?), "in place and not");
            let x = split(&x, n, columns, 5);
            if columns == 1 {
                single.clone_from(&x);
            }
            for (s, x) in x.iter().enumerate() {
                let ratio = ratios::solve_ratio(&a, x, &right[s]);
                let case = format!(
                    "{columns} columns of system {s} of {n} in {} on {}",
                    T::NAME,
                    device.name()
                );
                assert!(ratio < THRESHOLD, "{case}: B - A X: {ratio:e}");
                assert!(
                    (0..n).all(|i| x.at(i, 0) == single[s].at(i, 0)),
                    "{case}: the first one"
                );
            }
        }
    }
    Ok(())
}

fn nothing_at_all<T: Scalar>(device: &Device) -> Result<()> {
    for (count, n) in [(0, 0), (0, 5), (3, 0), (1000, 0)] {
        let lu = BatchedLu::<T>::factor(Batch::zeros(device, count, n, n)?)?;
        assert!(lu.pivots().block_on()?.is_empty());
        assert_eq!(lu.first_zeros().block_on()?, vec![None; count]);
        assert_eq!(lu.first_singular().block_on()?, None);
        let x = lu.solve(&Batch::zeros(device, count, n, 2)?).block_on()?;
        assert_eq!((x.count(), x.rows(), x.cols()), (count, n, 2));
    }
    let lu = BatchedLu::factor(Batch::from_slice(device, 2, 1, 1, &[T::one(); 2])?)?;
    let x = lu.solve(&Batch::zeros(device, 2, 1, 0)?).block_on()?;
    assert_eq!((x.count(), x.rows(), x.cols()), (2, 1, 0));
    Ok(())
}

fn operands_must_fit<T: Scalar>(device: &Device) -> Result<()> {
    for (rows, cols) in [(LARGEST + 1, LARGEST + 1), (3, 4), (4, 3), (0, 1)] {
        let error = BatchedLu::<T>::factor(Batch::zeros(device, 2, rows, cols)?).err();
        assert!(matches!(error, Some(Error::Shape { .. })), "{rows} x {cols}: {error:?}");
    }
    let ones = [T::one(); 12];
    let error = Batch::from_slice(device, 2, 2, 2, &ones).err();
    assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    let error = Batch::<T>::zeros(device, usize::MAX, 3, 3).err();
    assert!(matches!(error, Some(Error::TooLarge { .. })), "{error:?}");
    let error = Batch::from_matrix(Matrix::from_rows(device, 6, 2, &ones)?, 4).err();
    assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    let error = Batch::from_matrix(Matrix::from_rows(device, 6, 2, &ones)?, 0).err();
    assert!(matches!(error, Some(Error::Shape { .. })), "{error:?}");
    let lu = BatchedLu::factor(Batch::from_matrix(Matrix::from_rows(device, 3, 1, &ones[..3])?, 3)?)?;
    for (count, rows) in [(2, 1), (3, 2), (4, 1)] {
        let error = lu.solve(&Batch::zeros(device, count, rows, 1)?).block_on().err();
        assert!(
            matches!(error, Some(Error::Shape { .. })),
            "{count} of {rows}: {error:?}"
        );
    }
    if !device.is_host() {
        let elsewhere = Batch::zeros(&Device::host(), 3, 1, 1)?;
        let error = lu.solve(&elsewhere).block_on().err();
        assert!(matches!(error, Some(Error::DeviceMismatch { .. })), "{error:?}");
    }
    // The first singular system is named, and what is to be solved stays as it was.
    let mut a = vec![T::one(); 1000];
    (a[700], a[350]) = (T::zero(), T::zero());
    let lu = BatchedLu::factor(Batch::from_slice(device, 1000, 1, 1, &a)?)?;
    let mut b = Batch::from_slice(device, 1000, 1, 1, &[T::from_f64(2.0); 1000])?;
    let error = lu.solve_in_place(&mut b).block_on().err();
    let expected = Error::SingularSystem { system: 350, column: 0 };
    assert_eq!(error, Some(expected), "{}", device.name());
    assert!(b.to_host().block_on()? == [T::from_f64(2.0); 1000]);
    Ok(())
}

/// Matrices of one pattern: entries in any order, two and three at a place, places and rows without any.
fn one_pattern<T: Scalar>(device: &Device) -> Result<()> {
    let entries = [(2, 1), (0, 0), (2, 1), (1, 3), (0, 4), (2, 1), (1, 3)];
    let pattern = Pattern::new(device, 4, 5, &entries)?;
    assert_eq!(pattern.entries(), entries.len());
    for count in [1, 2, 33] {
        let mut random = Random::new(count);
        let values: Vec<T> = (0..count * entries.len()).map(|_| T::from_f64(random.unit())).collect();
        let batch = Batch::assemble(&pattern, &Vector::from_slice(device, &values)?)?;
        assert_eq!((batch.count(), batch.rows(), batch.cols()), (count, 4, 5));
        let mut expected = vec![T::zero(); count * 20];
        for (matrix, values) in expected.chunks_mut(20).zip(values.chunks(entries.len())) {
            matrix[11] = values[0] + values[2] + values[5];
            matrix[0] = values[1];
            matrix[8] = values[3] + values[6];
            matrix[4] = values[4];
        }
        // Sums of pairs and of numbers, in the order of the entries: the same bits.
        assert_eq!(bits(&batch.to_host().block_on()?), bits(&expected), "{}", device.name());
    }
    assert_eq!(Batch::assemble(&pattern, &Vector::<T>::zeros(device, 0)?)?.count(), 0);
    let partial = Vector::<T>::zeros(device, 8)?;
    let error = Batch::assemble(&pattern, &partial).expect_err("a matrix and one value");
    assert!(error.to_string().contains("7 each"), "{error}");
    for (entries, says) in [
        (&[][..], "none"),
        (&[(0, 0), (4, 0)], "entry 1 at (4, 0)"),
        (&[(3, 5)], "(3, 5)"),
    ] {
        let error = Pattern::new(device, 4, 5, entries).expect_err("not within 4 x 5");
        assert!(error.to_string().contains(says), "{error}");
    }
    Ok(())
}

/// More columns than a loop of a driver on the CPU has turns for.
#[test]
fn many_right_hand_sides_are_solved_for_to_the_last() {
    const COLUMNS: u16 = 20_001;
    for device in devices() {
        // Two on the diagonal, and each row exchanged with the one beside it.
        let mut a = vec![0.0_f32; 64 * 64];
        (0..64).for_each(|row| a[row * 64 + (row ^ 1)] = 2.0);
        let lu = BatchedLu::factor(Batch::from_slice(device, 1, 64, 64, &a).expect("it fits")).expect("it is factored");
        let b: Vec<f32> = (0_u16..64)
            .flat_map(|row| (0..COLUMNS).map(move |col| f32::from(row) + f32::from(col)))
            .collect();
        let b = Batch::from_slice(device, 1, 64, COLUMNS.into(), &b).expect("it fits");
        let x = lu
            .solve(&b)
            .block_on()
            .expect("it is regular")
            .to_host()
            .block_on()
            .expect("it is read");
        for (at, x) in x.iter().enumerate() {
            let (row, col) = (at / usize::from(COLUMNS), at % usize::from(COLUMNS));
            let expected = ((row ^ 1) + col) as f32 / 2.0;
            assert!(
                *x == expected,
                "{x} at ({row}, {col}), not {expected}, on {}",
                device.name()
            );
        }
    }
}

/// A driver on the CPU would leave the sum of so many before its end.
#[test]
fn places_of_many_entries_are_right_or_refused() {
    const MANY: u16 = u16::MAX;
    for device in devices() {
        let entries = vec![(0, 1); usize::from(MANY) + 5];
        let pattern = Pattern::new(device, 1, 2, &entries).expect("they are within");
        let values = Vector::from_slice(device, &vec![1.0_f32; entries.len()]).expect("it fits");
        match Batch::assemble(&pattern, &values) {
            Ok(batch) => assert_eq!(
                batch.to_host().block_on(),
                Ok(vec![0.0, f32::from(MANY) + 5.0]),
                "{}",
                device.name()
            ),
            Err(error) => {
                assert_eq!(device.adapter().kind, AdapterKind::Software, "{error}");
                assert!(matches!(error, Error::Shape { .. }), "{error}");
            }
        }
    }
}

/// A pivot that the device flushes is none, and one that it keeps is one.
#[test]
fn a_subnormal_pivot_is_a_pivot_or_noted() {
    for device in devices() {
        let tiny = f32::MIN_POSITIVE / 8.0;
        let a = Batch::from_slice(device, 2, 2, 2, &[1.0, 0.0, 0.0, 1.0, tiny, 0.0, tiny, 2.0]).expect("it fits");
        let mut b = Batch::from_slice(device, 2, 2, 1, &[1.0, 1.0, tiny, tiny]).expect("it fits");
        let lu = BatchedLu::factor(a).expect("it is factored");
        let zeros = lu.first_zeros().block_on().expect("they come back");
        lu.substitute_in_place(&mut b).expect("it fits");
        let x = b.to_host().block_on().expect("it comes back");
        assert!(
            zeros == [None, Some(0)] || (zeros == [None, None] && x == [1.0, 1.0, 1.0, 0.0]),
            "{zeros:?}, {x:?} on {}",
            device.name()
        );
    }
}

/// More workgroups than fit one row of a grid, and an exchange in each system.
#[test]
fn grids_are_folded() {
    on_every_device::<f32>(|device| {
        const COUNT: usize = 600_000;
        // Powers of two: not every device divides with a correct rounding.
        let value = |s: usize| f32::exp2((s % 61) as f32 - 30.0);
        let a: Vec<f32> = (0..COUNT).flat_map(|s| [0.0, value(s), 1.0, 0.0]).collect();
        let b: Vec<f32> = (0..COUNT).flat_map(|s| [value(s), 2.0]).collect();
        let lu = BatchedLu::factor(Batch::from_slice(device, COUNT, 2, 2, &a)?)?;
        let x = lu.solve(&Batch::from_slice(device, COUNT, 2, 1, &b)?).block_on()?;
        let x = x.to_host().block_on()?;
        let factors = lu.factors().to_host().block_on()?;
        for s in 0..COUNT {
            let case = format!("system {s} on {}", device.name());
            assert_eq!(factors[4 * s..][..4], [1.0, 0.0, 0.0, value(s)], "{case}");
            assert_eq!(x[2 * s..][..2], [2.0, 1.0], "{case}");
        }
        assert!(
            lu.pivots().block_on()?.iter().all(|pivot| *pivot == 1),
            "{}",
            device.name()
        );
        Ok(())
    });
}
