//! Vectors of integers in residues.

use num_bigint::{BigInt, BigUint};

use super::basis::{Basis, residue};
use super::table::Table;
use crate::device::{Buffer, Device};
use crate::error::{Error, Result};

/// `n` integers on a device, each as its residues modulo the primes of a basis, and a bound of their magnitudes.
///
/// Residue k of all integers lies together (r rows of n `u32`s, in Montgomery's form), so that neighbouring invocations
/// read neighbouring words. Every operation computes a bound of its result from those of its operands, and is refused where
/// that is beyond the range: no result ever wraps around M. [`extend`](super::extend()) makes the range larger.
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, mul}};
/// let basis = Basis::for_bound(&1_000_000_u32.into())?;
/// let x = Vector::from_integers(&Device::host(), &basis, &[999.into(), (-1000).into()])?;
/// let square = mul(&x, &x)?;
/// assert_eq!(square.to_integers().block_on()?, [998_001.into(), 1_000_000.into()]);
/// // The bound of the next product is 10⁹, and two primes hold 2·10⁹; that of the one after that is 10¹².
/// let cube = mul(&square, &x)?;
/// assert!(mul(&cube, &x).is_err());
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Vector {
    table: Table,
    buffer: Buffer<u32>,
    n: usize,
    bound: BigUint,
}

impl Vector {
    /// The residues of `values`, bounded by the largest magnitude among them. Cost: r divisions of each on the host.
    ///
    /// # Errors
    /// [`Error::LeavesRange`] where a magnitude is above ⌊M/2⌋; as [`Table::new`].
    pub fn from_integers(device: &Device, basis: &Basis, values: &[BigInt]) -> Result<Self> {
        Self::on(&Table::new(device, basis)?, values)
    }

    /// The same, on a table that is there already.
    ///
    /// # Errors
    /// As [`Vector::from_integers`].
    pub fn on(table: &Table, values: &[BigInt]) -> Result<Self> {
        let bound = values.iter().map(BigInt::magnitude).max().cloned().unwrap_or_default();
        table.basis().check_holds("a vector of residues", &bound)?;
        let mut residues = Vec::with_capacity(values.len() * table.basis().len());
        for prime in table.basis().primes() {
            residues.extend(values.iter().map(|value| residue(prime, value)));
        }
        let buffer = Buffer::from_slice(table.device(), &residues)?;
        Ok(Self::from_buffer(table, buffer, values.len(), bound))
    }

    /// The integers, once everything recorded before is done. Cost: r²/2 products modulo primes for each, on the host.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn to_integers(&self) -> Result<Vec<BigInt>> {
        let residues = self.buffer.to_host().await?;
        let of = |i| {
            (0..self.basis().len())
                .map(|k| residues[k * self.n + i])
                .collect::<Vec<_>>()
        };
        (0..self.n).map(|i| self.basis().integer(&of(i))).collect()
    }

    /// What a kernel has written, or will: `n` integers of at most this magnitude.
    pub(crate) fn from_buffer(table: &Table, buffer: Buffer<u32>, n: usize, bound: BigUint) -> Self {
        Self {
            table: table.clone(),
            buffer,
            n,
            bound,
        }
    }

    /// n, the number of integers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The primes.
    #[must_use]
    pub fn basis(&self) -> &Basis {
        self.table.basis()
    }

    /// The basis on its device, to make more vectors on.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// What no magnitude is above.
    #[must_use]
    pub fn bound(&self) -> &BigUint {
        &self.bound
    }

    /// Its residues: r rows of n, in Montgomery's form.
    #[must_use]
    pub fn buffer(&self) -> &Buffer<u32> {
        &self.buffer
    }

    /// The residues of integer i, on the host; for operations that have matched on the device.
    pub(super) fn host(&self, i: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        self.buffer.host()[i..].iter().step_by(self.n).copied()
    }

    /// Refuses another length, device or basis.
    pub(super) fn check_same(&self, operation: &'static str, other: &Self) -> Result<()> {
        self.table.check_same(operation, &other.table)?;
        if self.n == other.n {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: format!("a vector of {}", self.n),
            found: format!("one of {}", other.n),
        })
    }
}
