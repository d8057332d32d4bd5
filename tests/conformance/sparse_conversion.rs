//! Formats made from formats, and values replaced, without leaving the device: bit for bit what the host makes. `spmv` calls
//! what needs every kernel.

use nonius::dense::Vector;
use nonius::sparse::{Csr, DeviceMatrix, Format, spmv, spmv_transposed};
use nonius::{Blocking as _, Device, Error, Result, Scalar};

use crate::spmv::matrices;
use crate::support::{Case, Random};

for_every_scalar!(what_does_not_fit_is_refused);

/// A x, or Aᵀx of a CSC: every value and every column in it shows.
fn product<T: Scalar>(device: &Device, a: &DeviceMatrix<T>, random: usize) -> Result<Vec<T>> {
    let by_columns = a.format() == Format::Csc;
    let (rows, cols) = if by_columns {
        (a.cols(), a.rows())
    } else {
        (a.rows(), a.cols())
    };
    let x = Vector::from_slice(device, &Random::new(random).scalars::<T>(cols))?;
    let mut y = Vector::zeros(device, rows)?;
    let multiply = if by_columns { spmv_transposed } else { spmv };
    multiply(T::one(), a, x.view(), T::zero(), y.view_mut())?;
    y.to_host().block_on()
}

fn same<T: Scalar>(case: &Case<'_>, found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len(), "{}", case.sizes);
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        case.same(at, *found, *expected);
    }
}

/// From CSR to every format, from there to CSR, and to the next format.
pub(crate) fn round_trips<T: Scalar>(device: &Device) -> Result<()> {
    for (name, a) in matrices::<T>() {
        let csr = DeviceMatrix::new(device, &a)?;
        let mut last = Format::Csr;
        let mut chained = csr.convert(Format::Csr).block_on()?;
        for format in Format::ALL {
            let case = Case {
                device,
                operation: "convert",
                sizes: format!("{name} as {format}, from {last}"),
            };
            let (converted, fresh) = (
                csr.convert(format).block_on()?,
                DeviceMatrix::from_csr(device, &a, format)?,
            );
            assert_eq!(
                (converted.format(), converted.bytes()),
                (format, fresh.bytes()),
                "{name}"
            );
            chained = chained.convert(format).block_on()?;
            last = format;
            let expected = product(device, &fresh, 11)?;
            for there in [&converted, &chained] {
                same(&case, &product(device, there, 11)?, &expected);
                same(&case, &there.values().block_on()?, a.values());
            }
            let back = converted.convert(Format::Csr).block_on()?;
            same(&case, &product(device, &back, 11)?, &product(device, &csr, 11)?);
            same(&case, &back.values().block_on()?, a.values());
        }
        let auto = csr.convert(Format::Auto).block_on()?;
        assert_eq!(
            auto.format(),
            DeviceMatrix::from_csr(device, &a, Format::Auto)?.format(),
            "{name}"
        );
    }
    Ok(())
}

/// From every format to every other, with rows that devices split and rows that they do not.
pub(crate) fn every_pair<T: Scalar>(device: &Device) -> Result<()> {
    for (name, a) in matrices::<T>().into_iter().filter(|(name, _)| *name == "hubs") {
        for from in Format::ALL {
            let there = DeviceMatrix::from_csr(device, &a, from)?;
            for to in Format::ALL {
                let case = Case {
                    device,
                    operation: "convert",
                    sizes: format!("{name} as {to}, from {from}"),
                };
                let (converted, fresh) = (there.convert(to).block_on()?, DeviceMatrix::from_csr(device, &a, to)?);
                assert_eq!((converted.format(), converted.bytes()), (to, fresh.bytes()), "{from}");
                same(&case, &product(device, &converted, 14)?, &product(device, &fresh, 14)?);
                same(&case, &converted.values().block_on()?, a.values());
            }
        }
    }
    Ok(())
}

/// From a vector whose elements lie apart, twice: the first call makes the map.
pub(crate) fn values_from_the_device<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(12);
    for (name, a) in matrices::<T>() {
        for format in Format::ALL {
            let case = Case {
                device,
                operation: "set_values_from",
                sizes: format!("{name} as {format}"),
            };
            let mut there = DeviceMatrix::from_csr(device, &a, format)?;
            let map_bytes = there.bytes();
            assert_eq!(there.map_bytes(), 0, "{name}");
            for stride in [3, 1] {
                let other = a.map(|_| random.scalar::<T>());
                let mut apart: Vec<T> = random.scalars(2 + stride * other.nnz());
                for (k, value) in other.values().iter().enumerate() {
                    apart[2 + stride * k] = *value;
                }
                let apart = Vector::from_slice(device, &apart)?;
                there.set_values_from(apart.strided(2, other.nnz(), stride)?)?;
                same(&case, &there.values().block_on()?, other.values());
                let fresh = DeviceMatrix::from_csr(device, &other, format)?;
                same(&case, &product(device, &there, 13)?, &product(device, &fresh, 13)?);
            }
            assert_eq!(there.bytes(), map_bytes, "{name}");
            let needs_none = device.is_host() || matches!(format, Format::Csr | Format::PackedCsr);
            assert!(
                there.map_bytes() >= if needs_none { 0 } else { 4 * a.nnz() as u64 },
                "{name}"
            );
            assert!(!needs_none || there.map_bytes() == 0, "{name} as {format}");
        }
    }
    Ok(())
}

fn what_does_not_fit_is_refused<T: Scalar>(device: &Device) -> Result<()> {
    let csr = Csr::new(2, 3, vec![0, 1, 2], vec![1, 0], vec![T::one(); 2])?;
    let mut a = DeviceMatrix::from_csr(device, &csr, Format::Sell)?;
    let three = Vector::<T>::zeros(device, 3)?;
    let error = a.set_values_from(&three).expect_err("one too many");
    assert!(error.to_string().contains("expected 2 values"), "{error}");
    assert_eq!((a.map_bytes(), a.values().block_on()?), (0, vec![T::one(); 2]));
    if !device.is_host() {
        let elsewhere = Vector::<T>::zeros(&Device::host(), 2)?;
        let error = a.set_values_from(&elsewhere);
        assert!(matches!(error, Err(Error::DeviceMismatch { .. })), "{error:?}");
    }
    Ok(())
}
