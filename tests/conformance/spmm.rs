//! `Y ← αAX + βY` with sparse A: every format, against sums without rounding.

use nonius::dense::Matrix;
use nonius::sparse::{Csc, Csr, DeviceMatrix, Format, PackedCsr, Schedule, generate, spmm, spmm_transposed};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::exact::Exact;
use crate::gemv::{PLACES, Place, Placed, entry_roundings, exact_entry, factors};
use crate::spmv::matrices;
use crate::support::{Case, Random, is_pair};

for_every_scalar!(every_format, what_does_not_fit_is_refused);

/// In one test, so that a device compiles each kernel once.
fn every_format<T: Scalar>(device: &Device) -> Result<()> {
    every_matrix::<T>(device)?;
    every_width::<T>(device)?;
    transposed::<T>(device)?;
    long_rows::<T>(device)?;
    only_entries_read_x::<T>(device)
}

/// Every format that multiplies as it is.
fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| *format != Format::Csc)
}

/// A matrix in every format by rows, and CSR and packed CSR an invocation a row too; and whether rows are summed in the
/// host's order.
fn everywhere<T: Scalar>(device: &Device, a: &Csr<T>) -> Result<Vec<(String, DeviceMatrix<T>, bool)>> {
    let by_format = formats().map(|format| {
        let there = DeviceMatrix::from_csr(device, a, format)?;
        // These two split long rows.
        let as_the_host = !matches!(format, Format::Csr | Format::PackedCsr);
        Ok((format.to_string(), there, as_the_host))
    });
    let mut all: Vec<_> = by_format.collect::<Result<_>>()?;
    let csr = DeviceMatrix::with_schedule(device, a, Schedule::PerRow)?;
    all.push(("csr, PerRow".to_owned(), csr, true));
    let packed = DeviceMatrix::with_schedule(device, &PackedCsr::from_csr(a)?, Schedule::PerRow)?;
    all.push(("packed-csr, PerRow".to_owned(), packed, true));
    Ok(all)
}

/// Y within a larger matrix, whose other elements nobody may write.
struct Framed<T> {
    before: Vec<T>,
    extents: (usize, usize),
}

impl<T: Scalar> Framed<T> {
    fn leading(&self) -> usize {
        self.extents.1 + 3
    }

    /// With β = 0, nothing but NaN, which nobody may read.
    fn new(random: &mut Random, extents: (usize, usize), beta: T) -> Self {
        let length = (extents.0 + 2) * (extents.1 + 3);
        let mut before = random.scalars(length);
        if beta.is_zero() {
            before.fill(T::from_f64(f64::NAN));
        }
        Self { before, extents }
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.before[(i + 1) * self.leading() + j + 2]
    }

    /// What a call into Y left there, by rows, after a look at what it was not to touch.
    fn call(
        &self,
        case: &Case<'_>,
        operation: impl FnOnce(nonius::dense::MatrixViewMut<'_, T>) -> Result<()>,
    ) -> Result<Vec<T>> {
        let (rows, k) = self.extents;
        let mut y = Matrix::from_rows(case.device, rows + 2, self.leading(), &self.before)?;
        operation(y.block_mut(1, 2, rows, k)?)?;
        let after = y.to_host().block_on()?;
        let mut written = Vec::new();
        for (at, (after, before)) in after.iter().zip(&self.before).enumerate() {
            let (row, column) = (at / self.leading(), at % self.leading());
            if (1..=rows).contains(&row) && (2..k + 2).contains(&column) {
                written.push(*after);
            } else {
                case.same(at, *after, *before);
            }
        }
        Ok(written)
    }
}

/// The matrix's rows times the columns of x, exactly, the same of magnitudes, and the roundings of a row.
fn expected<T: Scalar>(a: &Csr<T>, factors: (T, T), x: &Placed<T>, y: &Framed<T>) -> Vec<(Exact, Exact, f64)> {
    let (rows, k) = y.extents;
    let entry = |at: usize| {
        let (i, j) = (at / k, at % k);
        let terms = a.row(i).map(|(met, value)| (value, x.at(met, j)));
        let (exact, scale) = exact_entry(factors, terms, || y.at(i, j));
        (exact, scale, entry_roundings(a.row(i).len()))
    };
    (0..rows * k).map(entry).collect()
}

/// One product in every format: near the exact one, in the host's bits where pairs promise them, and the same every time.
fn one<T: Scalar>(
    device: &Device,
    random: &mut Random,
    (name, a): (&str, &Csr<T>),
    (k, place): (usize, Place),
    (alpha, beta): (T, T),
) -> Result<()> {
    let x = Placed::<T>::random(random, device, (a.cols(), k), place)?;
    let y = Framed::new(random, (a.rows(), k), beta);
    let expected = expected(a, (alpha, beta), &x, &y);
    let host = Device::host();
    let rows_of_x: Vec<T> = (0..a.cols() * k).map(|at| x.at(at / k, at % k)).collect();
    let x_of_host = Matrix::from_rows(&host, a.cols(), k, &rows_of_x)?;
    for (how, there, as_the_host) in everywhere(device, a)? {
        let case = Case {
            device,
            operation: "spmm",
            sizes: format!("{name} as {how}, {k} columns {place:?}, α = {alpha:?}, β = {beta:?}"),
        };
        let product = || y.call(&case, |y| spmm(alpha, &there, x.view()?, beta, y));
        let found = product()?;
        for (at, (exact, scale, roundings)) in expected.iter().enumerate() {
            case.near(at, found[at], exact, scale.clone(), *roundings);
        }
        for (at, again) in product()?.into_iter().enumerate() {
            case.same(at, again, found[at]);
        }
        if is_pair::<T>() && (as_the_host || device.is_host()) {
            let on_host = DeviceMatrix::from_csr(&host, a, there.format())?;
            let of_host = Case { device: &host, ..case };
            let on_host = y.call(&of_host, |y| spmm(alpha, &on_host, &x_of_host, beta, y))?;
            for (at, expected) in on_host.into_iter().enumerate() {
                of_host.same(at, found[at], expected);
            }
        }
    }
    Ok(())
}

/// Around the columns of an invocation, and of a dispatch.
const COLUMNS: [usize; 9] = [1, 5, 0, 8, 3, 65, 4, 17, 64];

fn every_matrix<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(9);
    for (at, (name, a)) in matrices::<T>().into_iter().enumerate() {
        let k = if a.cols() > 1000 {
            5
        } else {
            COLUMNS[at % COLUMNS.len()]
        };
        let place = PLACES[at % PLACES.len()];
        let factors = factors::<T>(&mut random);
        // Two of the four for every matrix, each in turn.
        for factors in [factors[at % 4], factors[(at + 1) % 4]] {
            one(device, &mut random, (name, &a), (k, place), factors)?;
        }
    }
    Ok(())
}

/// All numbers of columns with one matrix: taller than wide, with empty rows, a dense one, runs and isolated entries.
fn every_width<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(10);
    let a = Csr::from_rows(83, 41, |row, into| match row {
        17 => into.extend((0..41).map(|column| (column, random.scalar::<T>()))),
        _ if row % 5 == 3 => {}
        _ => {
            let columns = (0..41).filter(|column| (column * 7 + row * 3) % 11 < row % 6);
            into.extend(columns.map(|column| (column, random.scalar::<T>())));
        }
    })?;
    for (at, k) in [1, 3, 4, 7, 33, 64, 65, 100].into_iter().enumerate() {
        let factors = factors::<T>(&mut random)[at % 4];
        let place = PLACES[(at + at / 4) % 4];
        one(device, &mut random, ("tall", &a), (k, place), factors)?;
    }
    Ok(())
}

fn transposed<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(11);
    for (at, (name, a)) in matrices::<T>().into_iter().enumerate() {
        // A million rows of Y are not worth their time.
        if a.cols() > 100_000 {
            continue;
        }
        let k = [5, 1, 66, 2][at % 4];
        let (alpha, beta) = factors::<T>(&mut random)[at % 4];
        let case = Case {
            device,
            operation: "spmm_transposed",
            sizes: format!("{name}, {k} columns, α = {alpha:?}, β = {beta:?}"),
        };
        let there = DeviceMatrix::from_csr(device, &a, Format::Csc)?;
        let x = Placed::<T>::random(&mut random, device, (a.rows(), k), PLACES[at % 4])?;
        let y = Framed::new(&mut random, (a.cols(), k), beta);
        let found = y.call(&case, |y| spmm_transposed(alpha, &there, x.view()?, beta, y))?;
        let expected = expected(&a.transpose()?, (alpha, beta), &x, &y);
        for (at, (exact, scale, roundings)) in expected.into_iter().enumerate() {
            case.near(at, found[at], &exact, scale, roundings);
        }
    }
    Ok(())
}

/// An arrow's first row and column, in several chunks of CSR and of packed CSR, and of its transpose: as near as any order of
/// the sum, and in the same bits every time.
fn long_rows<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(13);
    let n = 9001;
    let a = generate::arrow(n)?.map(|_| random.scalar::<T>());
    for ((format, k), at) in [Format::Csr, Format::PackedCsr, Format::Csc]
        .into_iter()
        .flat_map(|format| [(format, 16), (format, 65)])
        .zip(0..)
    {
        let by_rows = if format == Format::Csc {
            a.transpose()?
        } else {
            a.clone()
        };
        let (alpha, beta) = factors::<T>(&mut random)[at % 2];
        let x = Placed::<T>::random(&mut random, device, (n, k), PLACES[at % 4])?;
        let y = Framed::new(&mut random, (n, k), beta);
        // Where rows this long are not split by themselves, too.
        let streamed = Schedule::Streamed;
        let there = match format {
            Format::Csr => DeviceMatrix::with_schedule(device, &a, streamed),
            Format::PackedCsr => DeviceMatrix::with_schedule(device, &PackedCsr::from_csr(&a)?, streamed),
            _ => DeviceMatrix::with_schedule(device, &Csc::from_csr(&a)?, streamed),
        }?;
        let streamed = there.kernel().is_none_or(|kernel| kernel.contains("streamed"));
        assert!(streamed, "no row of {format} is long");
        let case = Case {
            device,
            operation: "spmm of long rows",
            sizes: format!("{format}, {k} columns, α = {alpha:?}, β = {beta:?}"),
        };
        let product = || {
            y.call(&case, |y| match format {
                Format::Csc => spmm_transposed(alpha, &there, x.view()?, beta, y),
                _ => spmm(alpha, &there, x.view()?, beta, y),
            })
        };
        let found = product()?;
        for i in (0..n).step_by(100) {
            for j in 0..k {
                let terms = by_rows.row(i).map(|(met, value)| (value, x.at(met, j)));
                let (exact, scale) = exact_entry((alpha, beta), terms, || y.at(i, j));
                let roundings = entry_roundings(by_rows.row(i).len());
                case.near(i * k + j, found[i * k + j], &exact, scale, roundings);
            }
        }
        for (at, again) in product()?.into_iter().enumerate() {
            case.same(at, again, found[at]);
        }
    }
    Ok(())
}

/// An infinity or a NaN in X shows in its column where an entry meets it, and nowhere else.
fn only_entries_read_x<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(12);
    for (name, a) in matrices::<T>() {
        // A million rows of X are not worth their time.
        if a.cols() == 0 || a.cols() > 100_000 {
            continue;
        }
        let k = 5;
        for (special, met, column) in [
            (f64::INFINITY, 0, 0),
            (f64::NAN, a.cols() / 2, 4),
            (f64::NAN, a.cols() - 1, 2),
        ] {
            let mut x: Vec<T> = random.scalars(a.cols() * k);
            x[met * k + column] = T::from_f64(special);
            let x = Matrix::from_rows(device, a.cols(), k, &x)?;
            let y = Framed::new(&mut random, (a.rows(), k), T::zero());
            for (how, there, _) in everywhere(device, &a)? {
                let case = Case {
                    device,
                    operation: "spmm",
                    sizes: format!("{name} as {how}, X at {met}, {column} is {special}"),
                };
                let found = y.call(&case, |y| spmm(T::one(), &there, &x, T::zero(), y))?;
                for (at, found) in found.into_iter().enumerate() {
                    let meets = at % k == column && a.row(at / k).any(|(of_entry, _)| of_entry == met);
                    if found.is_finite() == meets {
                        case.fail(at, found, format!("a finite number: {}", !meets));
                    }
                }
            }
        }
    }
    Ok(())
}

fn what_does_not_fit_is_refused<T: Scalar>(device: &Device) -> Result<()> {
    let a = Csr::new(2, 3, vec![0, 1, 2], vec![1, 0], vec![T::one(); 2])?;
    let matrix = |rows, cols| Matrix::<T>::zeros(device, rows, cols);
    let refused = |result: Result<()>, said: &str| {
        let error = result.expect_err("it does not fit");
        assert!(
            matches!(error, Error::Shape { .. }) && error.to_string().ends_with(said),
            "{error}"
        );
    };
    let (one, zero) = (T::one(), T::zero());
    for format in formats() {
        let there = DeviceMatrix::from_csr(device, &a, format)?;
        let product = |x: Matrix<T>, mut y: Matrix<T>| spmm(one, &there, &x, zero, &mut y);
        refused(product(matrix(2, 4)?, matrix(2, 4)?), "2 x 4 and 2 x 4");
        refused(product(matrix(3, 4)?, matrix(3, 4)?), "3 x 4 and 3 x 4");
        refused(product(matrix(3, 4)?, matrix(2, 5)?), "3 x 4 and 2 x 5");
        let transposed = spmm_transposed(one, &there, &matrix(2, 4)?, zero, &mut matrix(3, 4)?);
        refused(transposed, &format!("found one as {format}"));
    }
    let by_columns = DeviceMatrix::from_csr(device, &a, Format::Csc)?;
    let product = spmm(one, &by_columns, &matrix(3, 4)?, zero, &mut matrix(2, 4)?);
    refused(product, "spmm_transposed), found one as csc");
    let transposed = spmm_transposed(one, &by_columns, &matrix(3, 4)?, zero, &mut matrix(2, 4)?);
    refused(transposed, "3 x 4 and 2 x 4");
    if !device.is_host() {
        let elsewhere = Matrix::<T>::zeros(&Device::host(), 3, 4)?;
        let there = DeviceMatrix::from_csr(device, &a, Format::Sell)?;
        let error = spmm(one, &there, &elsewhere, zero, &mut matrix(2, 4)?);
        assert!(matches!(error, Err(Error::DeviceMismatch { .. })), "{error:?}");
    }
    Ok(())
}
