//! A basis on a device: its table where kernels read it.

use std::sync::Arc;

use super::basis::Basis;
use super::width::Width;
use crate::device::{Buffer, Device};
use crate::error::{Error, Result};

/// A basis and a device, with the basis' table in the device's memory: what vectors of one computation share. A handle:
/// cloning copies nothing.
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Table, Vector}};
/// let table = Table::new(&Device::host(), &Basis::largest(4)?)?;
/// let x = Vector::on(&table, &[7.into(), (-7).into()])?;
/// assert_eq!(x.to_integers().block_on()?, [7.into(), (-7).into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    basis: Basis,
    buffer: Buffer<u32>,
}

impl Table {
    /// Uploads the table of `basis`: 12r + r(r − 1)/2 `u32`s, or 8r + r(r − 1)/2 where primes are wide.
    ///
    /// # Errors
    /// [`Error::MissingFeature`] for wide primes where the device has no integers of 64 bits; [`Error::TooLarge`],
    /// [`Error::OutOfMemory`].
    pub fn new(device: &Device, basis: &Basis) -> Result<Self> {
        if basis.width() == Width::Wide {
            device.check_int64("residues modulo primes above 2^30")?;
        }
        Ok(Self(Arc::new(Inner {
            basis: basis.clone(),
            buffer: Buffer::from_slice(device, &basis.table())?,
        })))
    }

    /// The basis.
    #[must_use]
    pub fn basis(&self) -> &Basis {
        &self.0.basis
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.0.buffer.device()
    }

    /// The table ([`Basis::table`]), to bind in kernels.
    #[must_use]
    pub fn buffer(&self) -> &Buffer<u32> {
        &self.0.buffer
    }

    /// Refuses operands of another device, or of another basis.
    pub(super) fn check_same(&self, operation: &'static str, other: &Self) -> Result<()> {
        self.device().check_same(operation, other.device())?;
        if self.basis() == other.basis() {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: format!("residues modulo the same {} primes", self.basis().len()),
            found: format!("residues modulo {} others", other.basis().len()),
        })
    }
}
