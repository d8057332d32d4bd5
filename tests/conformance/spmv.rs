//! y ← αAx + βy with sparse A, and what is fused with it: every format, against sums without rounding.

use nonius::dense::{VectorView, VectorViewMut};
use nonius::device::AdapterKind;
use nonius::sparse::{
    Csr, DeviceMatrix, Format, PackedCsr, RbpCsr, Schedule, Sell, Slices, residual, spmv, spmv_dot, spmv_transposed,
};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::cases;
use crate::exact::Exact;
use crate::gemv::factors;
use crate::support::{Case, LAYOUTS, Layout, Operand, Random, is_pair};

for_every_scalar!(every_format, what_does_not_fit_is_refused);

/// In one test, so that a device compiles each kernel once: most of the time is spent on that.
fn every_format<T: Scalar>(device: &Device) -> Result<()> {
    products::<T>(device)?;
    transposed::<T>(device)?;
    residuals::<T>(device)?;
    dots::<T>(device)?;
    only_entries_read_x::<T>(device)?;
    values_that_are_no_numbers::<T>(device)?;
    operands_that_are_the_same::<T>(device)?;
    values_are_replaced::<T>(device)?;
    slices_of_any_height::<T>(device)?;
    crate::sparse_conversion::round_trips::<T>(device)?;
    crate::sparse_conversion::every_pair::<T>(device)?;
    crate::sparse_conversion::values_from_the_device::<T>(device)
}

/// Every format that multiplies as it is.
pub(crate) fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| *format != Format::Csc)
}

/// A matrix in every format by rows, and those that share rows out in every schedule that they have; and whether rows are summed in the host's order.
fn everywhere<T: Scalar>(device: &Device, a: &Csr<T>) -> Result<Vec<(String, DeviceMatrix<T>, bool)>> {
    let by_format = formats().map(|format| {
        let there = DeviceMatrix::from_csr(device, a, format)?;
        // These share rows out among invocations.
        let as_the_host = !matches!(format, Format::Csr | Format::PackedCsr | Format::RbpCsr);
        Ok((format.to_string(), there, as_the_host))
    });
    let mut all: Vec<_> = by_format.collect::<Result<_>>()?;
    let (packed, in_runs) = (PackedCsr::from_csr(a)?, RbpCsr::from_csr(a)?);
    for schedule in [
        Schedule::PerRow,
        Schedule::Streamed,
        Schedule::Lanes(2),
        Schedule::Lanes(32),
        Schedule::Lanes(256),
    ] {
        for (format, there) in [
            (Format::Csr, DeviceMatrix::with_schedule(device, a, schedule)?),
            (
                Format::PackedCsr,
                DeviceMatrix::with_schedule(device, &packed, schedule)?,
            ),
        ] {
            all.push((format!("{format}, {schedule:?}"), there, schedule == Schedule::PerRow));
        }
        if schedule != Schedule::Streamed {
            let there = DeviceMatrix::with_schedule(device, &in_runs, schedule)?;
            all.push((format!("rbp-csr, {schedule:?}"), there, schedule == Schedule::PerRow));
        }
    }
    Ok(all)
}

/// The matrices, with values in all bits of T where they are not zero.
pub(crate) fn matrices<T: Scalar>() -> Vec<(&'static str, Csr<T>)> {
    let mut random = Random::new(5);
    let mut filled = |a: &Csr<f64>| a.map(|value| if value == 0.0 { T::zero() } else { random.scalar() });
    // Rows of more entries than a block, than one chunk and than two, among short and empty ones.
    let hubs = Csr::from_rows(600, 9001, |row, into| match row {
        5 => into.extend((0..600).map(|k| (k, 1.0))),
        // In threes, so that a run lies across every edge of a block.
        300 => into.extend((0..5000).map(|k| (k + k / 3, 1.0))),
        599 => into.extend((0..9001).map(|k| (k, 1.0))),
        _ => into.extend((0..row % 5).map(|k| (row * 11 + 3 * k, 1.0))),
    });
    let hubs = ("hubs", hubs.unwrap_or_else(|error| panic!("{error}")));
    let edges = cases::edges().into_iter().chain([hubs, (ALIKE, alike_rows())]);
    edges.map(|(name, a)| (name, filled(&a))).collect()
}

const ALIKE: &str = "alike rows";

/// What is summed by fours goes through all its loops: runs in neighbouring columns, then in two, as of points with three unknowns,
/// and some rows of neither kind, whose number is no multiple of four.
fn alike_rows() -> Csr<f64> {
    let rows = Csr::from_rows(403, 450, |row, into| {
        let columns: Vec<usize> = match row {
            0..192 => (row..row + 9).chain(row + 20..row + 26).collect(),
            192..384 => (3 * (row / 3)..3 * (row / 3) + 18).collect(),
            _ => (row - 380..row).step_by(1 + row % 3).take(row % 13).collect(),
        };
        into.extend(columns.into_iter().map(|column| (column, 1.0)));
    });
    rows.unwrap_or_else(|error| panic!("{error}"))
}

/// α Σ aᵢⱼ xⱼ + β y, the same of magnitudes, and its roundings.
fn expected_row<T: Scalar>(a: &Csr<T>, i: usize, factors: (T, T), x: &Operand<T>, y: T) -> (Exact, Exact, f64) {
    let terms = a.row(i).map(|(column, value)| (value, x.at(column)));
    let (exact, scale) = crate::gemv::exact_entry(factors, terms, || y);
    (exact, scale, crate::gemv::entry_roundings(a.row(i).len()))
}

fn expected<T: Scalar>(
    a: &Csr<T>,
    factors: (T, T),
    x: &Operand<T>,
    y: impl Fn(usize) -> T,
) -> Vec<(Exact, Exact, f64)> {
    (0..a.rows()).map(|i| expected_row(a, i, factors, x, y(i))).collect()
}

/// One call into y, and what it left there.
fn call<T: Scalar>(
    case: &Case<'_>,
    x: &Operand<T>,
    y: &Operand<T>,
    operation: impl FnOnce(VectorView<'_, T>, VectorViewMut<'_, T>) -> Result<()>,
) -> Result<Vec<T>> {
    let (x_there, mut y_there) = (x.upload(case.device)?, y.upload(case.device)?);
    operation(x.view(&x_there), y.view_mut(&mut y_there))?;
    y.written(case, &y_there)
}

/// The same on the host: where rows are summed in its order, pairs promise its bits.
fn on_the_host<T: Scalar>(
    a: &Csr<T>,
    format: Format,
    (alpha, beta): (T, T),
    x: &Operand<T>,
    y: &Operand<T>,
) -> Result<Vec<T>> {
    let host = Device::host();
    let case = Case {
        device: &host,
        operation: "spmv",
        sizes: String::new(),
    };
    let a = DeviceMatrix::from_csr(&host, a, format)?;
    call(&case, x, y, |x, y| spmv(alpha, &a, x, beta, y))
}

fn operands<T: Scalar>(
    random: &mut Random,
    (rows, cols): (usize, usize),
    beta: T,
    [for_x, for_y, _]: [Layout; 3],
) -> (Operand<T>, Operand<T>) {
    // A million columns are not spread out as well.
    let for_x = if cols > 100_000 { LAYOUTS[0][0] } else { for_x };
    let x = Operand::random(random, cols, for_x);
    let y = if beta.is_zero() {
        Operand::unread(random, rows, for_y)
    } else {
        Operand::random(random, rows, for_y)
    };
    (x, y)
}

fn products<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(1);
    for (name, a) in matrices::<T>() {
        let everywhere = everywhere(device, &a)?;
        for (how, there, _) in &everywhere {
            let by_fours = there.kernel().is_none_or(|kernel| kernel.contains("four rows"));
            let of_runs = matches!(how.as_str(), "packed-csr" | "rbp-csr");
            let on_cpu = device.adapter().kind == AdapterKind::Software;
            assert!(by_fours || !(name == ALIKE && of_runs && on_cpu), "{how}");
        }
        for ((alpha, beta), layouts) in factors::<T>(&mut random).into_iter().zip(LAYOUTS.into_iter().rev()) {
            let (x, y) = operands(&mut random, (a.rows(), a.cols()), beta, layouts);
            let expected = expected(&a, (alpha, beta), &x, |i| y.at(i));
            for (how, there, as_the_host) in &everywhere {
                let case = Case {
                    device,
                    operation: "spmv",
                    sizes: format!("{name} as {how}, α = {alpha:?}, β = {beta:?}, {layouts:?}"),
                };
                let product = || call(&case, &x, &y, |x, y| spmv(alpha, there, x, beta, y));
                let found = product()?;
                for (i, (exact, scale, roundings)) in expected.iter().enumerate() {
                    case.near(i, found[i], exact, scale.clone(), *roundings);
                }
                let again = product()?;
                let host = on_the_host(&a, there.format(), (alpha, beta), &x, &y)?;
                for (i, found) in found.into_iter().enumerate() {
                    case.same(i, again[i], found);
                    if is_pair::<T>() && (*as_the_host || device.is_host()) {
                        case.same(i, found, host[i]);
                    }
                }
            }
        }
    }
    Ok(())
}

fn transposed<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(2);
    for (name, a) in matrices::<T>() {
        let there = DeviceMatrix::from_csr(device, &a, Format::Csc)?;
        let (alpha, beta) = (random.scalar(), random.scalar());
        let (x, y) = operands(&mut random, (a.cols(), a.rows()), beta, LAYOUTS[4]);
        let case = Case {
            device,
            operation: "spmv_transposed",
            sizes: name.to_owned(),
        };
        let found = call(&case, &x, &y, |x, y| spmv_transposed(alpha, &there, x, beta, y))?;
        let by_rows = a.transpose()?;
        // Of a million empty rows, some.
        let worth = |i: &usize| by_rows.rows() < 10_000 || by_rows.row(*i).len() > 0 || i.is_multiple_of(997);
        for i in (0..by_rows.rows()).filter(worth) {
            let (exact, scale, roundings) = expected_row(&by_rows, i, (alpha, beta), &x, y.at(i));
            case.near(i, found[i], &exact, scale, roundings);
        }
    }
    Ok(())
}

fn residuals<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(3);
    for ((name, a), layouts) in matrices::<T>().into_iter().zip(LAYOUTS.into_iter().cycle()) {
        let (x, r) = operands(&mut random, (a.rows(), a.cols()), T::zero(), layouts);
        let b = Operand::<T>::random(&mut random, a.rows(), layouts[2]);
        let b_there = b.upload(device)?;
        let expected = expected(&a, (-T::one(), T::one()), &x, |i| b.at(i));
        for (how, there, _) in everywhere(device, &a)? {
            let case = Case {
                device,
                operation: "residual",
                sizes: format!("{name} as {how}, {layouts:?}"),
            };
            let found = call(&case, &x, &r, |x, r| residual(&there, x, b.view(&b_there), r))?;
            for (i, (exact, scale, roundings)) in expected.iter().enumerate() {
                case.near(i, found[i], exact, scale.clone(), *roundings);
            }
        }
    }
    Ok(())
}

/// The product is that of spmv in every bit, and the dot product that of what was written.
fn dots<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(4);
    for ((name, a), layouts) in matrices::<T>().into_iter().zip(LAYOUTS.into_iter().cycle()) {
        for (alpha, beta) in [(T::one(), T::zero()), (random.scalar(), random.scalar())] {
            let (x, y) = operands(&mut random, (a.rows(), a.cols()), beta, layouts);
            let w = Operand::<T>::random(&mut random, a.rows(), layouts[2]);
            let w_there = w.upload(device)?;
            let result = Operand::<T>::unread(&mut random, 1, LAYOUTS[2][1]);
            for (how, there, _) in everywhere(device, &a)? {
                let case = Case {
                    device,
                    operation: "spmv_dot",
                    sizes: format!("{name} as {how}, α = {alpha:?}, β = {beta:?}, {layouts:?}"),
                };
                let mut result_there = result.upload(device)?;
                let found = call(&case, &x, &y, |x, y| {
                    let result = result.view_mut(&mut result_there);
                    spmv_dot(alpha, &there, x, beta, y, w.view(&w_there), result)
                })?;
                let product = call(&case, &x, &y, |x, y| spmv(alpha, &there, x, beta, y))?;
                let (mut exact, mut scale) = (Exact::zero(), Exact::zero());
                for (i, (found, product)) in found.iter().zip(product).enumerate() {
                    case.same(i, *found, product);
                    exact.add_product(*found, w.at(i));
                    scale.add_product(found.abs(), w.at(i).abs());
                }
                let dot = result.written(&case, &result_there)?[0];
                case.near(0, dot, &exact, scale, a.rows() as f64 + 1.0);
            }
        }
    }
    Ok(())
}

/// An infinity or a NaN in x shows where an entry meets it, and nowhere else.
fn only_entries_read_x<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(6);
    for (name, a) in matrices::<T>() {
        let everywhere = everywhere(device, &a)?;
        for (special, column) in [
            (f64::INFINITY, 0),
            (f64::NAN, a.cols() / 2),
            (f64::NAN, a.cols().max(1) - 1),
        ] {
            if column >= a.cols() {
                continue;
            }
            let (mut x, y) = operands(&mut random, (a.rows(), a.cols()), T::zero(), LAYOUTS[0]);
            *x.at_mut(column) = T::from_f64(special);
            for (how, there, _) in &everywhere {
                let case = Case {
                    device,
                    operation: "spmv",
                    sizes: format!("{name} as {how}, x at {column} is {special}"),
                };
                let found = call(&case, &x, &y, |x, y| spmv(T::one(), there, x, T::zero(), y))?;
                for (i, found) in found.into_iter().enumerate() {
                    let meets = a.row(i).any(|(met, _)| met == column);
                    if found.is_finite() == meets {
                        case.fail(i, found, format!("a finite number: {}", !meets));
                    }
                }
            }
        }
    }
    Ok(())
}

/// An infinity or a NaN among the values shows in its row, and nowhere else.
fn values_that_are_no_numbers<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(15);
    for (name, a) in matrices::<T>() {
        for (special, at) in [(f64::NAN, 0), (f64::NEG_INFINITY, a.nnz() / 2)] {
            let mut values = a.values().to_vec();
            let Some(value) = values.get_mut(at) else { continue };
            *value = T::from_f64(special);
            let special_row = a.pattern().row_ptr().partition_point(|end| *end as usize <= at) - 1;
            let a = Csr::with_pattern(a.pattern().clone(), &values)?;
            let (x, y) = operands(&mut random, (a.rows(), a.cols()), T::zero(), LAYOUTS[0]);
            for (how, there, _) in everywhere(device, &a)? {
                let case = Case {
                    device,
                    operation: "spmv",
                    sizes: format!("{name} as {how}, value {at} is {special}"),
                };
                let found = call(&case, &x, &y, |x, y| spmv(T::one(), &there, x, T::zero(), y))?;
                for (i, found) in found.into_iter().enumerate() {
                    if found.is_finite() == (i == special_row) {
                        case.fail(i, found, format!("a finite number: {}", i != special_row));
                    }
                }
            }
        }
    }
    Ok(())
}

/// What is only read may be read twice: w or b is x, as in conjugate gradients.
fn operands_that_are_the_same<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(16);
    let a = nonius::sparse::generate::stencil27(6, 5, 7)?.map(|_| random.scalar::<T>());
    let n = a.rows();
    let values = random.scalars::<T>(n);
    let of = |values: &[T]| nonius::dense::Vector::from_slice(device, values);
    let (x, other) = (of(&values)?, of(&values)?);
    for (how, there, _) in everywhere(device, &a)? {
        let case = Case {
            device,
            operation: "spmv_dot and residual",
            sizes: format!("a stencil as {how}, of one vector"),
        };
        let with = |beside: &nonius::dense::Vector<T>| -> Result<Vec<T>> {
            let (mut y, mut dot) = (of(&values)?, of(&values[..1])?);
            spmv_dot(T::one(), &there, &x, T::zero(), &mut y, beside, &mut dot)?;
            let dot = dot.to_host().block_on()?;
            residual(&there, &x, beside, &mut y)?;
            Ok([dot, y.to_host().block_on()?].concat())
        };
        let [found, expected] = [with(&x)?, with(&other)?];
        for (at, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            case.same(at, found, expected);
        }
    }
    Ok(())
}

fn values_are_replaced<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(7);
    for (name, a) in matrices::<T>() {
        let other = a.map(|_| random.scalar::<T>());
        let (x, y) = operands(&mut random, (a.rows(), a.cols()), T::zero(), LAYOUTS[0]);
        for format in formats() {
            let case = Case {
                device,
                operation: "set_values",
                sizes: format!("{name} as {format}"),
            };
            let mut replaced = DeviceMatrix::from_csr(device, &a, format)?;
            let before = call(&case, &x, &y, |x, y| spmv(T::one(), &replaced, x, T::zero(), y))?;
            let error = replaced
                .set_values(&vec![T::one(); a.nnz() + 1])
                .expect_err("one too many");
            assert!(
                error.to_string().contains(&format!("expected {} values", a.nnz())),
                "{error}"
            );
            let still = call(&case, &x, &y, |x, y| spmv(T::one(), &replaced, x, T::zero(), y))?;
            replaced.set_values(other.values())?;
            let fresh = DeviceMatrix::from_csr(device, &other, format)?;
            let found = call(&case, &x, &y, |x, y| spmv(T::one(), &replaced, x, T::zero(), y))?;
            let expected = call(&case, &x, &y, |x, y| spmv(T::one(), &fresh, x, T::zero(), y))?;
            for i in 0..a.rows() {
                case.same(i, still[i], before[i]);
                case.same(i, found[i], expected[i]);
            }
        }
    }
    Ok(())
}

/// Heights that are no power of two, one row a slice, and rows left in their order.
fn slices_of_any_height<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(8);
    for (name, a) in matrices::<T>() {
        let (x, y) = operands(&mut random, (a.rows(), a.cols()), T::zero(), LAYOUTS[0]);
        let host = on_the_host(&a, Format::Sell, (T::one(), T::zero()), &x, &y)?;
        let expected = expected(&a, (T::one(), T::zero()), &x, |i| y.at(i));
        for (height, window) in [(1, 1), (3, 1), (48, 96), (256, 256)] {
            let slices = Slices::new(height, window)?;
            let sell = DeviceMatrix::new(device, &Sell::with_slices(&a, slices)?)?;
            let packed = DeviceMatrix::new(device, &nonius::sparse::PackedSell::with_slices(&a, slices)?)?;
            for there in [sell, packed] {
                let case = Case {
                    device,
                    operation: "spmv",
                    sizes: format!("{name} as {} in {slices:?}", there.format()),
                };
                let found = call(&case, &x, &y, |x, y| spmv(T::one(), &there, x, T::zero(), y))?;
                for (i, (exact, scale, roundings)) in expected.iter().enumerate() {
                    case.near(i, found[i], exact, scale.clone(), *roundings);
                    if is_pair::<T>() {
                        case.same(i, found[i], host[i]);
                    }
                }
            }
        }
    }
    Ok(())
}

fn what_does_not_fit_is_refused<T: Scalar>(device: &Device) -> Result<()> {
    let csr = Csr::new(2, 3, vec![0, 1, 2], vec![1, 0], vec![T::one(); 2])?;
    let a = DeviceMatrix::new(device, &csr)?;
    let vector = |n| nonius::dense::Vector::<T>::zeros(device, n);
    let refused = |expected: &str, found: &str, result: Result<()>| {
        let error = result.expect_err("it does not fit");
        let text = error.to_string();
        assert!(matches!(error, Error::Shape { .. }), "{text}");
        assert!(text.contains(expected) && text.ends_with(found), "{text}");
    };
    let (one, zero) = (T::one(), T::zero());
    let (x2, x3) = (vector(2)?, vector(3)?);
    refused("x of 3", "x of 2", spmv(one, &a, &x2, zero, &mut vector(2)?));
    refused("y of 2", "y of 3", spmv(one, &a, &x3, zero, &mut vector(3)?));
    refused("b of 2", "b of 3", residual(&a, &x3, &x3, &mut vector(2)?));
    let mut result = vector(1)?;
    refused(
        "w of 2",
        "w of 3",
        spmv_dot(one, &a, &x3, zero, &mut vector(2)?, &x3, &mut result),
    );
    let mut result = vector(2)?;
    refused(
        "the result of 1",
        "of 2",
        spmv_dot(one, &a, &x3, zero, &mut vector(2)?, &x2, &mut result),
    );
    refused(
        "as csc",
        "one as csr",
        spmv_transposed(one, &a, &x2, zero, &mut vector(3)?),
    );
    let by_columns = DeviceMatrix::from_csr(device, &csr, Format::Csc)?;
    refused(
        "spmv_transposed",
        "one as csc",
        spmv(one, &by_columns, &x3, zero, &mut vector(2)?),
    );
    refused(
        "x of 2",
        "x of 3",
        spmv_transposed(one, &by_columns, &x3, zero, &mut vector(3)?),
    );
    if !device.is_host() {
        let no_lanes = DeviceMatrix::with_schedule(device, &csr, Schedule::Lanes(3)).map(drop);
        refused("a power of two from 2 to 256", "3", no_lanes);
        let sell = DeviceMatrix::with_schedule(device, &Sell::from_csr(&csr)?, Schedule::Streamed).map(drop);
        refused("one invocation a row for sell", "Streamed", sell);
        let in_runs = DeviceMatrix::with_schedule(device, &RbpCsr::from_csr(&csr)?, Schedule::Streamed).map(drop);
        refused("one invocation or lanes a row for rbp-csr", "Streamed", in_runs);
        let packed = PackedCsr::from_csr(&csr)?;
        let packed = DeviceMatrix::with_schedule(device, &packed, Schedule::Lanes(512)).map(drop);
        refused("a power of two from 2 to 256", "512", packed);
        let there = nonius::dense::Vector::zeros(&Device::host(), 3)?;
        let error = spmv(one, &a, &there, zero, &mut vector(2)?);
        assert!(matches!(error, Err(Error::DeviceMismatch { .. })), "{error:?}");
    }
    Ok(())
}
