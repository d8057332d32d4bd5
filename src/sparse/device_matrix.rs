//! A sparse matrix on a device, in a format that is known when the program runs: what products and solvers take.

use std::fmt;
use std::sync::Arc;

use super::auto;
use super::csr::Csr;
use super::csr_pattern::CsrPattern;
use super::footprint::Footprint;
use super::format::Format;
use super::matrix::{Pattern, Rows, SparseMatrix, check_values};
use super::packed::PackedSell;
use super::sell::Sell;
use super::slices::Slices;
use super::spmv::kernels::OnGpu;
use super::spmv::schedule::{Schedule, Target};
use super::stored::Stored;
use crate::device::{Device, GpuBuffer, Ground};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// A sparse matrix in a device's memory. Its format is not a part of the type: every product takes it in any.
///
/// Its pattern stays as it is, and stays on the host too, shared with the matrix it was made from: values can be replaced
/// on it ([`set_values`](Self::set_values)). What a GPU converted, the host keeps as CSR, and lays out when it needs to.
///
/// ```
/// use nonius::{Device, sparse::{DeviceMatrix, Format, generate}};
///
/// let a = generate::stencil27(32, 32, 32)?.map(|value| value as f32);
/// let chosen = DeviceMatrix::from_csr(&Device::host(), &a, Format::Auto)?;
/// assert_eq!((chosen.rows(), chosen.nnz()), (32_768, a.nnz()));
/// assert!(chosen.bytes() < a.bytes());
/// # Ok::<(), nonius::Error>(())
/// ```
pub struct DeviceMatrix<T> {
    pub(super) device: Device,
    pub(super) format: Format,
    pub(super) extents: (usize, usize),
    pub(super) nnz: usize,
    pub(super) bytes: u64,
    pub(super) place: Place<T>,
    /// Which value, in CSR's order, each slot of a GPU's has: made when values first come from the device.
    pub(super) map: Option<GpuBuffer>,
}

/// Where a [`DeviceMatrix`] lives.
pub(super) enum Place<T> {
    Host(Box<dyn Rows<T>>),
    /// With the pattern that lays new values out.
    Gpu(Box<OnGpu>, Arc<dyn Slots<T>>),
}

/// A pattern whose format is forgotten.
pub(super) trait Slots<T>: Send + Sync {
    /// Values in CSR's order as the format lays them out.
    fn laid_out(&self, values: &[T]) -> Result<Vec<T>>;
    /// For each slot, the number of its entry in CSR's order, or [`PADDING`](super::PADDING).
    fn places(&self) -> Result<Vec<u32>>;
    /// For each entry in CSR's order, its slot.
    fn order(&self) -> Result<Vec<u32>>;
    /// The same entries as CSR.
    fn csr(self: Arc<Self>) -> Result<Arc<CsrPattern>>;
}

impl<T: Scalar> DeviceMatrix<T> {
    /// A copy of `matrix` on `device`, in its format. Cost: its bytes are copied.
    ///
    /// # Errors
    /// [`Error::UnsupportedScalar`](crate::Error::UnsupportedScalar) where the device cannot compute in `T`;
    /// [`Error::TooLarge`](crate::Error::TooLarge) if an array is larger than a buffer or a binding of the device may be,
    /// with its name, its bytes and the limit; [`Error::OutOfMemory`](crate::Error::OutOfMemory);
    /// [`Error::Shape`](crate::Error::Shape) for rows longer than a driver that computes on the CPU ends its loops at: with
    /// lavapipe's 65,535 turns, of some thousands of entries and more, by format ([`spmm`](super::spmm)).
    ///
    /// ```
    /// use nonius::{Device, sparse::{Csr, DeviceMatrix, Format, Sell}};
    ///
    /// let a = Csr::new(2, 2, vec![0, 1, 3], vec![1, 0, 1], vec![1.0_f32, 2.0, 3.0])?;
    /// let a = DeviceMatrix::new(&Device::host(), &Sell::from_csr(&a)?)?;
    /// assert_eq!(a.format(), Format::Sell);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn new<P: Pattern>(device: &Device, matrix: &SparseMatrix<P, T>) -> Result<Self> {
        Self::with_schedule(device, matrix, Schedule::Auto)
    }

    /// As [`new`](Self::new), with rows shared out among a GPU's invocations as `schedule` says. The host has its own way.
    /// With [`Schedule::Auto`], what was tuned ([`sparse::tunables`](super::tunables)) counts for even rows.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Shape`](crate::Error::Shape) also for a schedule that the format does not have.
    ///
    /// ```
    /// use nonius::{Device, sparse::{DeviceMatrix, Schedule, generate}};
    ///
    /// let a = generate::arrow(100)?;
    /// let a = DeviceMatrix::with_schedule(&Device::host(), &a, Schedule::Streamed)?;
    /// assert_eq!(a.kernel(), None);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn with_schedule<P: Pattern>(device: &Device, matrix: &SparseMatrix<P, T>, schedule: Schedule) -> Result<Self> {
        device.supports::<T>()?;
        let place = match device.ground() {
            Ground::Host => Place::Host(P::on_host(matrix)),
            Ground::Gpu(gpu) => {
                let target = Target::of::<T>(device);
                let mut on_gpu = OnGpu::new(gpu, matrix.pattern.on_device(schedule, target)?, &matrix.values)?;
                on_gpu.choose::<T>(device, matrix.nnz());
                on_gpu.check_turns(device, &*matrix.pattern)?;
                Place::Gpu(Box::new(on_gpu), Arc::clone(&matrix.pattern) as Arc<dyn Slots<T>>)
            }
        };
        Ok(Self {
            device: device.clone(),
            format: P::FORMAT,
            extents: (matrix.rows(), matrix.cols()),
            nnz: matrix.nnz(),
            bytes: matrix.bytes(),
            place,
            map: None,
        })
    }

    /// The same matrix on `device` in this format; with [`Format::Auto`], in the one that
    /// [`auto::choose`](super::auto::choose) names. For a driver that computes on the CPU, SELL and packed SELL sort uneven
    /// rows within more of them than [`Slices::default`] says. Cost: a conversion on the host, and the bytes of the format.
    ///
    /// # Errors
    /// As [`DeviceMatrix::new`] and [`Pattern::from_csr`].
    pub fn from_csr(device: &Device, csr: &Csr<T>, format: Format) -> Result<Self> {
        let format = match format {
            Format::Auto => auto::choose(&Footprint::of(csr.pattern()), size_of::<T>() as u64).format,
            format => format,
        };
        let slices = || Slices::on(device.adapter().kind, csr.pattern());
        match format {
            // Not copied only to be copied.
            Format::Csr => Self::new(device, csr),
            Format::Sell => Self::new(device, &Sell::with_slices(csr, slices())?),
            Format::PackedSell => Self::new(device, &PackedSell::with_slices(csr, slices())?),
            _ => Self::from_stored(device, &Stored::new(csr, format)?),
        }
    }

    /// Replaces the values, keeping the pattern. They come in CSR's order, whatever the format: row by row, columns
    /// ascending. O(nnz) on the host, and an upload.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many values as entries, and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); then nothing has changed.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::Vector, sparse::{DeviceMatrix, Format, generate, spmv}};
    ///
    /// let host = Device::host();
    /// let mut a = DeviceMatrix::from_csr(&host, &generate::stencil5(1, 3)?, Format::Sell)?;
    /// a.set_values(&[1.0; 7])?;
    /// let (x, mut y) = (Vector::from_slice(&host, &[1.0; 3])?, Vector::zeros(&host, 3)?);
    /// spmv(1.0, &a, &x, 0.0, &mut y)?;
    /// assert_eq!(y.to_host().block_on()?, [2.0, 3.0, 2.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn set_values(&mut self, values: &[T]) -> Result<()> {
        check_values("set_values", self.nnz, values.len())?;
        match (&mut self.place, self.device.ground()) {
            (Place::Host(rows), _) => rows.set_values(values),
            (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
            // CSR's own order needs no copy.
            (Place::Gpu(on_gpu, _), Ground::Gpu(gpu)) if self.format == Format::Csr => {
                gpu.upload(&on_gpu.values, 0, bytemuck::cast_slice(values))
            }
            (Place::Gpu(on_gpu, slots), Ground::Gpu(gpu)) => {
                gpu.upload(&on_gpu.values, 0, bytemuck::cast_slice(&slots.laid_out(values)?))
            }
        }
    }

    /// A copy on `device` of a matrix whose format was chosen when the program ran.
    ///
    /// # Errors
    /// As [`DeviceMatrix::new`].
    ///
    /// ```
    /// use nonius::{Device, sparse::{DeviceMatrix, Stored, generate}};
    ///
    /// let stored = Stored::new(&generate::banded(100, 2, 2)?, "packed-csr".parse()?)?;
    /// let there = DeviceMatrix::from_stored(&Device::host(), &stored)?;
    /// assert_eq!((there.format(), there.bytes()), (stored.format(), stored.bytes()));
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn from_stored(device: &Device, stored: &Stored<T>) -> Result<Self> {
        match stored {
            Stored::Csr(matrix) => Self::new(device, matrix),
            Stored::Csc(matrix) => Self::new(device, matrix),
            Stored::Ell(matrix) => Self::new(device, matrix),
            Stored::EllR(matrix) => Self::new(device, matrix),
            Stored::RbpCsr(matrix) => Self::new(device, matrix),
            Stored::RbpEll(matrix) => Self::new(device, matrix),
            Stored::RbpEllR(matrix) => Self::new(device, matrix),
            Stored::PackedCsr(matrix) => Self::new(device, matrix),
            Stored::PackedSell(matrix) => Self::new(device, matrix),
            Stored::Sell(matrix) => Self::new(device, matrix),
        }
    }
}

impl<T> DeviceMatrix<T> {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.extents.0
    }

    /// The number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.extents.1
    }

    /// The number of entries, explicit zeros included and padding not.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.nnz
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The bytes of the format's arrays: values and indices, padding included. A product reads each once.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How a GPU sums its rows: the kernel of a product, and its constants. None on the host, which has one way.
    #[must_use]
    pub fn kernel(&self) -> Option<String> {
        match &self.place {
            Place::Host(_) => None,
            Place::Gpu(on_gpu, _) => Some(on_gpu.kernel()),
        }
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The rows and columns of A, or of Aᵀ, that `operation` multiplies by: Aᵀ where A is a CSC, and only there. `by_transpose`
    /// names the operation that does that.
    pub(super) fn extents_for(
        &self,
        operation: &'static str,
        transposed: bool,
        by_transpose: &str,
    ) -> Result<(usize, usize)> {
        if transposed != (self.format == Format::Csc) {
            let expected = if transposed {
                "a matrix as csc, whose columns are the rows of its transpose".to_owned()
            } else {
                format!("a matrix by rows (one as csc multiplies by its transpose: {by_transpose})")
            };
            return Err(Error::Shape {
                operation,
                expected,
                found: format!("one as {}", self.format),
            });
        }
        let (rows, cols) = self.extents;
        Ok(if transposed { (cols, rows) } else { (rows, cols) })
    }

    pub(super) fn place(&self) -> &Place<T> {
        &self.place
    }
}

impl<T> fmt::Debug for DeviceMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceMatrix")
            .field("device", &self.device)
            .field("format", &self.format)
            .field("extents", &self.extents)
            .field("nnz", &self.nnz)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Vector;
    use crate::device::precision::{Precision, Width};
    use crate::device::{Adapter, AdapterKind};
    use crate::sparse::indices::narrow;
    use crate::sparse::{Ell, EllR, PackedCsr, RbpCsr, RbpEll, RbpEllR, residual, spmv, spmv_dot};
    use crate::tuning::Shape;
    use crate::{Blocking as _, Df64, Select};

    /// Laid out as for a GPU that does not compute on the CPU, whatever the device is.
    fn as_for_gpus<P: Pattern, T: Scalar>(device: &Device, matrix: &SparseMatrix<P, T>) -> Result<DeviceMatrix<T>> {
        let Ground::Gpu(gpu) = device.ground() else {
            return DeviceMatrix::new(device, matrix);
        };
        let adapter = Adapter {
            kind: AdapterKind::Discrete,
            ..device.adapter().clone()
        };
        let target = Target {
            scalar: T::KIND,
            kind: adapter.kind,
        };
        let mut on_gpu = OnGpu::new(gpu, matrix.pattern.on_device(Schedule::Auto, target)?, &matrix.values)?;
        if let Some(tuned) = on_gpu.tunable {
            let shape = Shape::new(matrix.rows(), 1, matrix.nnz() / matrix.rows().max(1));
            let precision = Precision::of::<T>(Width::Single);
            on_gpu.take(&(tuned.tunable.default)(&adapter, precision, shape));
        }
        Ok(DeviceMatrix {
            device: device.clone(),
            format: P::FORMAT,
            extents: (matrix.rows(), matrix.cols()),
            nnz: matrix.nnz(),
            bytes: matrix.bytes(),
            place: Place::Gpu(Box::new(on_gpu), Arc::clone(&matrix.pattern) as Arc<dyn Slots<T>>),
            map: None,
        })
    }

    /// Small integers, so that every order of summation gives the same.
    fn integers<T: Scalar>(n: usize) -> Vec<T> {
        let at = |k: usize| (k * 7 + k / 5) % 13;
        (0..n).map(|k| T::from_f64(f64::from(narrow(at(k))) - 6.0)).collect()
    }

    /// Runs and isolated columns, rows without any, and in the second a long one.
    fn matrices<T: Scalar>() -> Result<[Csr<T>; 2]> {
        let of = |long: Option<usize>| {
            let rows = Csr::from_rows(403, 6000, |row, into| {
                let runs =
                    (row % 7 * 3..row % 7 * 3 + row % 9).chain((row..row + 5).step_by(2).map(|column| column + 40));
                let columns: Vec<usize> = match row {
                    _ if Some(row) == long => (0..5000).map(|k| k + k / 3).filter(|k| *k < 6000).collect(),
                    _ if row % 11 == 3 => Vec::new(),
                    _ => runs.collect(),
                };
                into.extend(columns.into_iter().map(|column| (column, T::one())));
            })?;
            let values = integers(rows.nnz());
            Csr::with_pattern(Arc::clone(rows.pattern()), &values)
        };
        Ok([of(None)?, of(Some(200))?])
    }

    /// Kernels of which a driver that computes on the CPU has others: its results are those of the host all the same.
    fn sums_are_those_of_the_host<T: Scalar>(device: &Device) -> Result<Vec<String>> {
        let mut kernels = Vec::new();
        for a in matrices::<T>()? {
            let everywhere = [
                as_for_gpus(device, &a)?,
                as_for_gpus(device, &Ell::from_csr(&a)?)?,
                as_for_gpus(device, &EllR::from_csr(&a)?)?,
                as_for_gpus(device, &Sell::from_csr(&a)?)?,
                as_for_gpus(device, &RbpCsr::from_csr(&a)?)?,
                as_for_gpus(device, &RbpEll::from_csr(&a)?)?,
                as_for_gpus(device, &RbpEllR::from_csr(&a)?)?,
                as_for_gpus(device, &PackedCsr::from_csr(&a)?)?,
                as_for_gpus(device, &PackedSell::from_csr(&a)?)?,
            ];
            let (x, b) = (integers::<T>(a.cols()), integers::<T>(a.rows()));
            let (two, three) = (T::from_f64(2.0), T::from_f64(3.0));
            let mut expected = b.clone();
            a.multiply(two, &x, three, &mut expected)?;
            let mut left = b.clone();
            a.multiply(-T::one(), &x, T::one(), &mut left)?;
            let dot = expected
                .iter()
                .zip(&b)
                .fold(T::zero(), |sum, (y, b)| y.mul_add(*b, sum));
            let there = |values: &[T]| Vector::from_slice(device, values);
            for matrix in &everywhere {
                let case = format!("{:?} of {} on {}", matrix.kernel(), T::NAME, device.name());
                let (x, w) = (there(&x)?, there(&b)?);
                let (mut y, mut r, mut sum) = (there(&b)?, there(&b)?, Vector::zeros(device, 1)?);
                spmv(two, matrix, &x, three, &mut y)?;
                assert!(y.to_host().block_on()? == expected, "{case}");
                residual(matrix, &x, &w, &mut r)?;
                assert!(r.to_host().block_on()? == left, "{case}: the residual");
                y.write(&b)?;
                spmv_dot(two, matrix, &x, three, &mut y, &w, &mut sum)?;
                assert!(y.to_host().block_on()? == expected, "{case}: with a dot product");
                assert_eq!(sum.to_host().block_on()?, [dot], "{case}");
                kernels.extend(matrix.kernel());
            }
        }
        Ok(kernels)
    }

    /// As the tuner's trials take them, on one matrix.
    #[test]
    fn a_variant_is_launched_alike_whichever_was_taken_before() -> Result<()> {
        let device = Device::open(Select::Auto).block_on()?;
        if device.is_host() {
            println!("not tested: there is no adapter");
            return Ok(());
        }
        let [a, _] = matrices::<f32>()?;
        let on_csr = as_for_gpus(&device, &a)?;
        let on_packed = as_for_gpus(&device, &PackedCsr::from_csr(&a)?)?;
        for there in [on_csr, on_packed] {
            let Place::Gpu(mut on_gpu, _) = there.place else {
                continue;
            };
            let tuned = on_gpu.tunable.expect("its rows are even");
            let [per_row, lanes] = [0, 1].map(|family: usize| &tuned.tunable.families[family]);
            let per_row = per_row.variant(&[64, 4]);
            on_gpu.take(&per_row);
            let alone = on_gpu.groups;
            on_gpu.take(&lanes.variant(&[128, 8, 4]));
            assert!(on_gpu.groups > alone);
            on_gpu.take(&per_row);
            assert_eq!(on_gpu.groups, alone, "{}", tuned.tunable.name);
        }
        Ok(())
    }

    #[test]
    fn what_gpus_sum_rows_by_is_right_on_cpus_too() -> Result<()> {
        let device = Device::open(Select::Auto).block_on()?;
        if device.is_host() {
            println!("not tested: there is no adapter");
            return Ok(());
        }
        let kernels = sums_are_those_of_the_host::<f32>(&device)?;
        for name in [
            "spmv rbp-csr",
            "spmv sell",
            "spmv ell",
            "spmv packed-csr",
            "spmv csr (streamed)",
        ] {
            assert!(
                kernels.iter().any(|kernel| kernel.starts_with(name)),
                "{name}: {kernels:?}"
            );
        }
        let on_cpu = ["quads", "four rows"];
        let others = kernels
            .iter()
            .find(|kernel| on_cpu.iter().any(|name| kernel.contains(name)));
        assert_eq!(others, None, "a GPU has none of these");
        sums_are_those_of_the_host::<Df64>(&device)?;
        Ok(())
    }
}
