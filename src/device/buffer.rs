//! Typed memory of a device.

use std::fmt;

use bytemuck::Pod;

use super::gpu::Download;
use super::turn::Turn;
use super::{Device, GpuBuffer, Ground};
use crate::error::{Error, Result};
use crate::host_memory;

/// `len` values of `T` on a device. What vectors and matrices are made of. On a GPU, whose copies are of whole words, a value
/// has a multiple of 4 bytes.
pub struct Buffer<T> {
    device: Device,
    len: usize,
    storage: Storage<T>,
    /// Which way it was gone through last.
    turn: Turn,
}

pub(crate) enum Storage<T> {
    Host(Vec<T>),
    Gpu(GpuBuffer),
}

/// Values that were asked for.
pub(crate) struct Reading<T> {
    device: Device,
    values: Arriving<T>,
}

enum Arriving<T> {
    Here(Vec<T>),
    FromGpu(Download),
}

impl<T: Pod> Reading<T> {
    pub(crate) async fn values(self) -> Result<Vec<T>> {
        match (self.values, self.device.ground()) {
            (Arriving::Here(values), _) => Ok(values),
            (Arriving::FromGpu(download), Ground::Gpu(gpu)) => {
                Ok(bytemuck::pod_collect_to_vec(&gpu.downloaded(download).await?))
            }
            (Arriving::FromGpu(_), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
        }
    }
}

impl<T: Pod> Buffer<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// [`Error::TooLarge`] with the device's limit, [`Error::OutOfMemory`]; [`Error::Shape`] where values are not whole words.
    pub fn zeros(device: &Device, len: usize) -> Result<Self> {
        check_value::<T>(device)?;
        let storage = match device.ground() {
            Ground::Host => Storage::Host(host_memory::filled(len, T::zeroed(), format_args!("{len} values"))?),
            Ground::Gpu(gpu) => Storage::Gpu(gpu.allocate("a buffer", byte_len::<T>(len))?),
        };
        Ok(Self {
            device: device.clone(),
            len,
            storage,
            turn: Turn::default(),
        })
    }

    /// `len` values that are all written before any is read: on a GPU they may be what somebody else left.
    pub(crate) fn unwritten(device: &Device, len: usize) -> Result<Self> {
        check_value::<T>(device)?;
        let storage = match device.ground() {
            Ground::Host => return Self::zeros(device, len),
            Ground::Gpu(gpu) => Storage::Gpu(gpu.allocate_unwritten("a buffer", byte_len::<T>(len))?),
        };
        Ok(Self {
            device: device.clone(),
            len,
            storage,
            turn: Turn::default(),
        })
    }

    /// A copy of `data`.
    ///
    /// # Errors
    /// As [`Buffer::zeros`].
    pub fn from_slice(device: &Device, data: &[T]) -> Result<Self> {
        check_value::<T>(device)?;
        let storage = match device.ground() {
            Ground::Host => {
                let mut copy = host_memory::reserved(data.len(), format_args!("{} values", data.len()))?;
                copy.extend_from_slice(data);
                Storage::Host(copy)
            }
            Ground::Gpu(gpu) => Storage::Gpu(gpu.upload_new("a buffer", bytemuck::cast_slice(data))?),
        };
        Ok(Self {
            device: device.clone(),
            len: data.len(),
            storage,
            turn: Turn::default(),
        })
    }

    /// Overwrites the values from `offset` on.
    ///
    /// # Errors
    /// [`Error::Shape`] when they do not fit.
    pub fn write(&mut self, offset: usize, data: &[T]) -> Result<()> {
        self.check_range("write", offset, data.len())?;
        match (&mut self.storage, self.device.ground()) {
            (Storage::Host(values), _) => values[offset..offset + data.len()].copy_from_slice(data),
            (Storage::Gpu(buffer), Ground::Gpu(gpu)) => {
                gpu.upload(buffer, byte_len::<T>(offset), bytemuck::cast_slice(data))?;
            }
            (Storage::Gpu(_), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
        }
        Ok(())
    }

    /// The values from `offset` on, once everything recorded before is done.
    ///
    /// # Errors
    /// [`Error::Shape`] when they do not exist; [`Error::DeviceLost`], [`Error::OutOfMemory`], [`Error::Refused`] from
    /// whatever was recorded before.
    pub async fn read(&self, offset: usize, len: usize) -> Result<Vec<T>> {
        self.start_read(offset, len)?.values().await
    }

    /// As [`Buffer::read`], in two parts: the values are those of now, and what is recorded before they are waited for goes on
    /// meanwhile.
    pub(crate) fn start_read(&self, offset: usize, len: usize) -> Result<Reading<T>> {
        self.check_range("read", offset, len)?;
        let values = match (&self.storage, self.device.ground()) {
            (Storage::Host(values), _) => Arriving::Here(values[offset..offset + len].to_vec()),
            (Storage::Gpu(buffer), Ground::Gpu(gpu)) => {
                Arriving::FromGpu(gpu.start_download(buffer, byte_len::<T>(offset), byte_len::<T>(len))?)
            }
            (Storage::Gpu(_), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
        };
        Ok(Reading {
            device: self.device.clone(),
            values,
        })
    }

    /// All the values, once everything recorded before is done.
    ///
    /// # Errors
    /// As [`Buffer::read`].
    pub async fn to_host(&self) -> Result<Vec<T>> {
        self.read(0, self.len).await
    }

    fn check_range(&self, operation: &'static str, offset: usize, len: usize) -> Result<()> {
        if offset.checked_add(len).is_some_and(|end| end <= self.len) {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: format!("values within a buffer of {}", self.len),
            found: format!("{len} from {offset} on"),
        })
    }
}

impl<T> Buffer<T> {
    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How many values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The wgpu buffer, to bind in passes of one's own: `T`s from its start, in its memory layout. Submit what was
    /// recorded here first ([`Device::submit`]). None for the host.
    #[cfg(feature = "wgpu")]
    #[must_use]
    pub fn wgpu(&self) -> Option<&::wgpu::Buffer> {
        match &self.storage {
            Storage::Host(_) => None,
            Storage::Gpu(buffer) => Some(buffer.wgpu().show()),
        }
    }

    /// The GPU's memory; for operations that have matched on [`Device::ground`].
    pub(crate) fn gpu(&self) -> &GpuBuffer {
        match &self.storage {
            Storage::Gpu(buffer) => buffer,
            Storage::Host(_) => unreachable!("a buffer of a GPU lives there"),
        }
    }

    /// Whether the next pass over `count` of the values is to begin at their end.
    pub(crate) fn backwards(&self, count: usize) -> bool {
        let hardware = self.device.adapter().hardware();
        self.turn.next(hardware.caches(count, size_of::<T>()))
    }

    /// The host's memory; for operations that have matched on [`Device::ground`].
    pub(crate) fn host(&self) -> &[T] {
        match &self.storage {
            Storage::Host(values) => values,
            Storage::Gpu(_) => unreachable!("a buffer of the host lives there"),
        }
    }

    /// The host's memory; for operations that have matched on [`Device::ground`].
    pub(crate) fn host_mut(&mut self) -> &mut [T] {
        match &mut self.storage {
            Storage::Host(values) => values,
            Storage::Gpu(_) => unreachable!("a buffer of the host lives there"),
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("device", &self.device)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// More than there can be, where there are more than can be counted.
fn byte_len<T>(len: usize) -> u64 {
    (len as u64).saturating_mul(size_of::<T>() as u64)
}

/// Refuses values of which a GPU could not copy one.
fn check_value<T>(device: &Device) -> Result<()> {
    let bytes = size_of::<T>();
    if device.is_host() || (bytes > 0 && bytes.is_multiple_of(4)) {
        return Ok(());
    }
    Err(Error::Shape {
        operation: "a buffer",
        expected: format!("values of 4, 8, 12, ... bytes on {}", device.name()),
        found: format!("values of {bytes}"),
    })
}
