//! Vectors and their strided views.

use crate::device::{Buffer, Device, Reading};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// `n` scalars on a device.
///
/// ```
/// use nonius::{Blocking, Device, dense::Vector};
/// let x = Vector::from_slice(&Device::host(), &[1.0_f32, 2.0])?;
/// assert_eq!(x.to_host().block_on()?, [1.0, 2.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Vector<T> {
    buffer: Buffer<T>,
}

/// `len` scalars of a buffer, `stride` apart.
#[derive(Debug)]
pub struct VectorView<'a, T> {
    pub(crate) buffer: &'a Buffer<T>,
    pub(crate) offset: usize,
    pub(crate) len: usize,
    pub(crate) stride: usize,
}

/// A [`VectorView`] that may be written through.
#[derive(Debug)]
pub struct VectorViewMut<'a, T> {
    pub(crate) buffer: &'a mut Buffer<T>,
    pub(crate) offset: usize,
    pub(crate) len: usize,
    pub(crate) stride: usize,
}

impl<T: Scalar> Vector<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// [`Error::UnsupportedScalar`] where the device cannot compute in `T`; [`Error::TooLarge`],
    /// [`Error::OutOfMemory`].
    pub fn zeros(device: &Device, len: usize) -> Result<Self> {
        device.supports::<T>()?;
        Ok(Self {
            buffer: Buffer::zeros(device, len)?,
        })
    }

    /// A copy of `values`.
    ///
    /// # Errors
    /// As [`Vector::zeros`].
    pub fn from_slice(device: &Device, values: &[T]) -> Result<Self> {
        device.supports::<T>()?;
        Ok(Self {
            buffer: Buffer::from_slice(device, values)?,
        })
    }

    /// A copy of nalgebra's vector.
    ///
    /// # Errors
    /// As [`Vector::zeros`].
    pub fn from_nalgebra(device: &Device, values: &nalgebra::DVector<T>) -> Result<Self> {
        Self::from_slice(device, values.as_slice())
    }

    /// Overwrites all values.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are not as many.
    pub fn write(&mut self, values: &[T]) -> Result<()> {
        if values.len() != self.len() {
            return Err(Error::Shape {
                operation: "write",
                expected: format!("{} values", self.len()),
                found: format!("{}", values.len()),
            });
        }
        self.buffer.write(0, values)
    }

    /// The values, once everything recorded before is done.
    ///
    /// # Errors
    /// Whatever went wrong in what was recorded before: [`Error::DeviceLost`], [`Error::OutOfMemory`],
    /// [`Error::Refused`].
    pub async fn to_host(&self) -> Result<Vec<T>> {
        self.buffer.to_host().await
    }

    /// Asks for the first `len` values as they are now.
    pub(crate) fn start_read(&self, len: usize) -> Result<Reading<T>> {
        self.buffer.start_read(0, len)
    }

    /// The values as nalgebra's vector.
    ///
    /// # Errors
    /// As [`Vector::to_host`].
    pub async fn to_nalgebra(&self) -> Result<nalgebra::DVector<T>> {
        Ok(nalgebra::DVector::from_vec(self.to_host().await?))
    }
}

impl<T> Vector<T> {
    pub(super) fn from_buffer(buffer: Buffer<T>) -> Self {
        Self { buffer }
    }

    /// How many scalars.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// Its memory.
    #[must_use]
    pub fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }

    /// All of it.
    #[must_use]
    pub fn view(&self) -> VectorView<'_, T> {
        VectorView {
            offset: 0,
            len: self.len(),
            stride: 1,
            buffer: &self.buffer,
        }
    }

    /// All of it, to write through.
    #[must_use]
    pub fn view_mut(&mut self) -> VectorViewMut<'_, T> {
        VectorViewMut {
            offset: 0,
            len: self.len(),
            stride: 1,
            buffer: &mut self.buffer,
        }
    }

    /// `len` scalars from `offset` on, `stride` apart.
    ///
    /// # Errors
    /// [`Error::Shape`] when they are not all within the vector, or `stride` is zero.
    pub fn strided(&self, offset: usize, len: usize, stride: usize) -> Result<VectorView<'_, T>> {
        let stride = checked_stride(self.len(), offset, len, stride)?;
        Ok(VectorView {
            buffer: &self.buffer,
            offset,
            len,
            stride,
        })
    }

    /// As [`Vector::strided`], to write through.
    ///
    /// # Errors
    /// As [`Vector::strided`].
    pub fn strided_mut(&mut self, offset: usize, len: usize, stride: usize) -> Result<VectorViewMut<'_, T>> {
        let stride = checked_stride(self.len(), offset, len, stride)?;
        Ok(VectorViewMut {
            buffer: &mut self.buffer,
            offset,
            len,
            stride,
        })
    }
}

/// The stride, of elements that are there. Where no two are, it may be beyond what kernels count to, and 1 does as well.
fn checked_stride(extent: usize, offset: usize, len: usize, stride: usize) -> Result<usize> {
    let last = (len.max(1) - 1)
        .checked_mul(stride)
        .and_then(|span| span.checked_add(offset));
    let inside = if len == 0 {
        offset <= extent
    } else {
        last.is_some_and(|last| last < extent)
    };
    if inside && stride > 0 {
        return Ok(if len > 1 { stride } else { 1 });
    }
    Err(Error::Shape {
        operation: "a strided view",
        expected: format!("elements within a vector of {extent}, a stride of 1 or more"),
        found: format!("{len} from {offset} on, {stride} apart"),
    })
}

impl<'a, T> VectorView<'a, T> {
    /// How many scalars.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The scalars, on the host; for operations that have matched on the device.
    pub(crate) fn host(&self) -> impl ExactSizeIterator<Item = &'a T> + use<'a, T> {
        let values = &self.buffer.host()[self.offset.min(self.buffer.len())..];
        values.iter().step_by(self.stride).take(self.len)
    }
}

impl<T> VectorViewMut<'_, T> {
    /// How many scalars.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The same, to read only.
    #[must_use]
    pub fn as_view(&self) -> VectorView<'_, T> {
        VectorView {
            buffer: self.buffer,
            offset: self.offset,
            len: self.len,
            stride: self.stride,
        }
    }

    /// The scalars, on the host; for operations that have matched on the device.
    pub(crate) fn host_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        let offset = self.offset.min(self.buffer.len());
        self.buffer.host_mut()[offset..]
            .iter_mut()
            .step_by(self.stride)
            .take(self.len)
    }
}

impl<T> Clone for VectorView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for VectorView<'_, T> {}

impl<'a, T> From<&'a Vector<T>> for VectorView<'a, T> {
    fn from(vector: &'a Vector<T>) -> Self {
        vector.view()
    }
}

impl<'a, T> From<&'a mut Vector<T>> for VectorViewMut<'a, T> {
    fn from(vector: &'a mut Vector<T>) -> Self {
        vector.view_mut()
    }
}
