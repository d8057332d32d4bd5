//! Values that stay on the device while their order changes: from one format to another, and from a vector in CSR's order
//! onto a pattern.

use std::sync::Arc;

use super::auto;
use super::convert::{self, Converted};
use super::csr_pattern::CsrPattern;
use super::device_matrix::{DeviceMatrix, Place, Slots};
use super::ell::PADDING;
use super::footprint::Footprint;
use super::format::Format;
use super::indices::narrow;
use super::matrix::{Pattern, check_values};
use super::slices::Slices;
use super::spmv::kernels::OnGpu;
use super::spmv::schedule::{Schedule, Target};
use super::{
    CscPattern, EllPattern, EllRPattern, PackedCsrPattern, PackedSellPattern, RbpCsrPattern, RbpEllPattern,
    RbpEllRPattern, SellPattern,
};
use crate::dense::VectorView;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::host_memory::{filled, reserved};
use crate::scalar::Scalar;

impl<T: Scalar> DeviceMatrix<T> {
    /// The same matrix in another format, on the same device; with [`Format::Auto`], in the one that
    /// [`auto::choose`](super::auto::choose) names. Exact: explicit zeros stay, and converting back gives the same matrix.
    ///
    /// The values never leave the device. From CSR to ELL, ELL-R, SELL, RBP-CSR, RBP-ELL, RBP-ELL-R, packed CSR and packed
    /// SELL, the pattern is laid out there too, from CSR's arrays: rows or runs are counted, counts become pointers, and the
    /// indices are written. The host looks at the row pointers, waits for at most three numbers, which say how long the
    /// arrays are, and lays its own copy out when [`set_values`](Self::set_values), [`values`](Self::values) or another call
    /// needs it first. Its arrays are equal, number for number. In all other cases the host lays the pattern out and uploads
    /// it: from another format, to CSR and CSC, without entries, with a row of more than 32,768 (1,927 on a
    /// driver that computes on the CPU), with 2³² slots or nearly
    /// so many, and to packed CSR with rows that are streamed ([`Schedule`]).
    ///
    /// Cost there, with v bytes a value, m rows and i bytes of the new indices: i bytes and a map of 4 bytes a slot are
    /// written, CSR's indices read, once for ELL, ELL-R and SELL and twice for formats of runs; pointers are scanned, 16m
    /// bytes for each number of a row. Then one dispatch reads the map and every value, and writes every slot. Dispatches: 3
    /// for ELL, 4 for ELL-R and packed CSR, 5 for SELL, 6 for RBP-CSR, 4 for RBP-ELL and RBP-ELL-R, 7 for packed SELL, and 2
    /// or 4 more a scan of more than 1024 rows or slices. Cost by way of the host: O(nnz + padding) on it, uploads of the
    /// indices and of the map, and one dispatch. The map is not kept.
    ///
    /// # Errors
    /// As [`Pattern::from_csr`] and [`DeviceMatrix::new`]; and, from whatever was recorded before, as
    /// [`Vector::to_host`](crate::dense::Vector::to_host).
    ///
    /// ```
    /// use nonius::{Blocking, Device, sparse::{DeviceMatrix, Format, generate}};
    ///
    /// let a = generate::stencil27(4, 4, 4)?;
    /// let csr = DeviceMatrix::new(&Device::host(), &a)?;
    /// let packed = csr.convert(Format::PackedSell).block_on()?;
    /// assert_eq!(packed.format(), Format::PackedSell);
    /// assert_eq!(packed.values().block_on()?, a.values());
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn convert(&self, format: Format) -> Result<Self> {
        let (matrix, slots, gpu) = match (&self.place, self.device.ground()) {
            (Place::Host(rows), _) => return Self::from_csr(&self.device, &rows.to_csr()?, format),
            (Place::Gpu(matrix, slots), Ground::Gpu(gpu)) => (matrix, slots, gpu),
            (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
        };
        let csr = Arc::clone(slots).csr()?;
        let format = match format {
            Format::Auto => auto::choose(&Footprint::of(&csr), size_of::<T>() as u64).format,
            format => format,
        };
        if self.format == Format::Csr
            && let Some(converted) =
                convert::lay_out::<T>(gpu, matrix, &csr, format, Target::of::<T>(&self.device)).await?
        {
            return self.converted_there(gpu, matrix, format, converted);
        }
        // CSR's own values lie in CSR's order.
        let order = match self.format {
            Format::Csr | Format::PackedCsr => None,
            _ => Some(slots.order()?),
        };
        let from = (&**matrix, order.as_deref());
        let slices = || Slices::on(self.device.adapter().kind, &csr);
        match format {
            Format::Auto => unreachable!("a choice is a format"),
            Format::Csr => self.converted(Arc::clone(&csr), from),
            Format::Csc => self.converted(Arc::new(CscPattern::from_csr(&csr)?), from),
            Format::Ell => self.converted(Arc::new(EllPattern::from_csr(&csr)?), from),
            Format::EllR => self.converted(Arc::new(EllRPattern::from_csr(&csr)?), from),
            Format::RbpCsr => self.converted(Arc::new(RbpCsrPattern::from_csr(&csr)?), from),
            Format::RbpEll => self.converted(Arc::new(RbpEllPattern::from_csr(&csr)?), from),
            Format::RbpEllR => self.converted(Arc::new(RbpEllRPattern::from_csr(&csr)?), from),
            Format::PackedCsr => self.converted(Arc::new(PackedCsrPattern::from_csr(&csr)?), from),
            Format::PackedSell => self.converted(Arc::new(PackedSellPattern::with_slices(&csr, slices())?), from),
            Format::Sell => self.converted(Arc::new(SellPattern::with_slices(&csr, slices())?), from),
        }
    }

    /// This matrix, a CSR, in a format that was laid out on the device.
    fn converted_there(&self, gpu: &Gpu, from: &OnGpu, format: Format, converted: Converted<'_, T>) -> Result<Self> {
        let Converted {
            laid,
            places,
            index_bytes,
            pattern,
        } = converted;
        let mut on_gpu = laid.with_zeros::<T>(gpu)?;
        on_gpu.choose::<T>(&self.device, self.nnz);
        let slots = on_gpu.slots;
        gather::<T>(gpu, places.as_deref(), (&from.values, 0, 1), &on_gpu.values, slots)?;
        Ok(Self {
            device: self.device.clone(),
            format,
            extents: self.extents,
            nnz: self.nnz,
            bytes: index_bytes + (slots * size_of::<T>()) as u64,
            place: Place::Gpu(Box::new(on_gpu), pattern),
            map: None,
        })
    }

    /// This matrix on another pattern of the same entries, from its values and the slot of each entry in CSR's order.
    fn converted<P: Pattern>(&self, pattern: Arc<P>, (from, order): (&OnGpu, Option<&[u32]>)) -> Result<Self> {
        let Ground::Gpu(gpu) = self.device.ground() else {
            unreachable!("a GPU's memory belongs to a GPU")
        };
        let slots = pattern.slots();
        let values = gpu.allocate("the values of a sparse matrix", (slots * size_of::<T>()) as u64)?;
        let target = Target::of::<T>(&self.device);
        let mut on_gpu = OnGpu::with_values::<T>(gpu, pattern.on_device(Schedule::Auto, target)?, values, slots)?;
        on_gpu.choose::<T>(&self.device, self.nnz);
        on_gpu.check_turns(&self.device, &*pattern)?;
        let places = match (order, P::FORMAT) {
            (None, Format::Csr | Format::PackedCsr) => None,
            (None, _) => Some(places(&*pattern, |entry| entry)?),
            (Some(order), _) => Some(places(&*pattern, |entry| order[entry as usize])?),
        };
        let map = places.map(|places| upload(gpu, &places)).transpose()?;
        gather::<T>(gpu, map.as_ref(), (&from.values, 0, 1), &on_gpu.values, slots)?;
        Ok(Self {
            device: self.device.clone(),
            format: P::FORMAT,
            extents: self.extents,
            nnz: self.nnz,
            bytes: pattern.index_bytes() + (slots * size_of::<T>()) as u64,
            place: Place::Gpu(Box::new(on_gpu), pattern),
            map: None,
        })
    }

    /// Replaces the values by those of a vector on the same device, keeping the pattern: nothing is read back, and but for
    /// the first time nothing is uploaded. They come in CSR's order, as [`set_values`](Self::set_values) takes them.
    ///
    /// Cost: one dispatch that reads the values and, but for CSR and packed CSR, a map of 4 bytes a slot
    /// ([`map_bytes`](Self::map_bytes)), and writes every slot. The first call makes the map, O(nnz + padding) on the host,
    /// and keeps it.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not as many values as entries,
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::OutOfMemory`](crate::Error::OutOfMemory); then
    /// nothing has changed.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::{Vector, scal}, sparse::{DeviceMatrix, Format, generate}};
    ///
    /// let host = Device::host();
    /// let mut a = DeviceMatrix::from_csr(&host, &generate::stencil5(1, 3)?, Format::Sell)?;
    /// let mut values = Vector::from_slice(&host, &a.values().block_on()?)?;
    /// scal(0.5, &mut values)?;
    /// a.set_values_from(&values)?;
    /// assert_eq!(a.values().block_on()?, [2.0, -0.5, -0.5, 2.0, -0.5, -0.5, 2.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn set_values_from<'a>(&mut self, values: impl Into<VectorView<'a, T>>) -> Result<()> {
        let values = values.into();
        self.device.check_same("set_values_from", values.device())?;
        check_values("set_values_from", self.nnz, values.len())?;
        let device = self.device.clone();
        match (&mut self.place, device.ground()) {
            (Place::Host(rows), _) => {
                let mut copy = reserved(self.nnz, "the values")?;
                copy.extend(values.host().copied());
                rows.set_values(&copy)
            }
            (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
            (Place::Gpu(matrix, slots), Ground::Gpu(gpu)) => {
                if self.map.is_none() && !matches!(self.format, Format::Csr | Format::PackedCsr) {
                    self.map = Some(upload(gpu, &slots.places()?)?);
                }
                let from = (values.buffer.gpu(), values.offset, values.stride);
                gather::<T>(gpu, self.map.as_ref(), from, &matrix.values, matrix.slots)
            }
        }
    }

    /// The bytes of the map that [`set_values_from`](Self::set_values_from) keeps on a GPU, 4 a slot: 0 before it was called
    /// first, and for CSR and packed CSR, which need none.
    #[must_use]
    pub fn map_bytes(&self) -> u64 {
        match (&self.map, &self.place) {
            (Some(_), Place::Gpu(matrix, _)) => 4 * matrix.slots as u64,
            _ => 0,
        }
    }

    /// The values in CSR's order, row by row, whatever the format. Exact. O(nnz + padding), a read-back among it.
    ///
    /// # Errors
    /// As [`Vector::to_host`](crate::dense::Vector::to_host); [`Error::OutOfMemory`](crate::Error::OutOfMemory) of the host.
    pub async fn values(&self) -> Result<Vec<T>> {
        match (&self.place, self.device.ground()) {
            (Place::Host(rows), _) => Ok(rows.to_csr()?.values),
            (Place::Gpu(..), Ground::Host) => unreachable!("a GPU's memory belongs to a GPU"),
            (Place::Gpu(matrix, slots), Ground::Gpu(gpu)) => {
                let bytes = (matrix.slots * size_of::<T>()) as u64;
                let bytes = gpu.download(&matrix.values, 0, bytes).await?;
                let value = |slot: &u32| {
                    let at = *slot as usize * size_of::<T>();
                    bytemuck::pod_read_unaligned::<T>(&bytes[at..at + size_of::<T>()])
                };
                let mut values = reserved(self.nnz, "the values")?;
                values.extend(slots.order()?.iter().map(value));
                Ok(values)
            }
        }
    }
}

/// For each slot of a pattern, `place` of the number that its entry has in CSR's order; [`PADDING`] for padding.
pub(super) fn places<P: Pattern>(pattern: &P, place: impl Fn(u32) -> u32) -> Result<Vec<u32>> {
    let mut places = filled(pattern.slots(), PADDING, "the map of a sparse matrix")?;
    let mut entry = 0;
    pattern.walk(0..pattern.rows(), |_, _, slot| {
        places[slot] = place(entry);
        entry += 1;
    })?;
    Ok(places)
}

/// The slot of each entry of a pattern in CSR's order.
pub(super) fn order<P: Pattern>(pattern: &P) -> Result<Vec<u32>> {
    let mut order = filled(pattern.nnz(), 0, "the order of a sparse matrix")?;
    let mut next = order.iter_mut();
    pattern.walk(0..pattern.rows(), |_, _, slot| {
        if let Some(next) = next.next() {
            *next = narrow(slot);
        }
    })?;
    Ok(order)
}

fn upload(gpu: &Gpu, places: &[u32]) -> Result<GpuBuffer> {
    gpu.upload_new("the map of a sparse matrix", bytemuck::cast_slice(places))
}

/// Records values ← x by the map, or in their order without one; x has its offset and its stride.
fn gather<T: Scalar>(
    gpu: &Gpu,
    map: Option<&GpuBuffer>,
    (x, offset, stride): (&GpuBuffer, usize, usize),
    values: &GpuBuffer,
    slots: usize,
) -> Result<()> {
    if slots == 0 {
        return Ok(());
    }
    let moved = slots * (2 * size_of::<T>() + map.map_or(0, |_| 4));
    gpu.launch(&Launch {
        kernel: &GATHER,
        precision: Precision::of::<T>(Width::Single),
        constants: &[(MAPPED.name, u32::from(map.is_some()))],
        params: Params::new()
            .size("slots", slots)
            .size("x_offset", offset)
            .size("x_stride", stride),
        // What is not read is bound to something that may be read.
        buffers: &[map.unwrap_or(x), x, values],
        grid: Grid::covering(slots as u64, WORKGROUP.default.into()),
        work: Work {
            bytes: moved as u64,
            operations: 0,
        },
    })
}

/// Whether the orders differ.
const MAPPED: Constant = Constant {
    name: "MAPPED",
    default: 1,
};

pub(super) static GATHER: Kernel = Kernel {
    name: "gather values of a sparse matrix",
    entry: "gather",
    source: fragment!("sparse/gather.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["slots", "x_offset", "x_stride"],
    scalars: &[],
    constants: &[WORKGROUP, MAPPED],
    vocabulary: Vocabulary::Elements,
};

impl<P: Pattern, T: Scalar> Slots<T> for P {
    fn laid_out(&self, values: &[T]) -> Result<Vec<T>> {
        super::matrix::laid_out(self, values)
    }

    fn places(&self) -> Result<Vec<u32>> {
        places(self, |entry| entry)
    }

    fn order(&self) -> Result<Vec<u32>> {
        order(self)
    }

    fn csr(self: Arc<Self>) -> Result<Arc<CsrPattern>> {
        // A CSR is its own, and not copied.
        let pattern: Arc<dyn std::any::Any + Send + Sync> = self.clone();
        match pattern.downcast() {
            Ok(csr) => Ok(csr),
            Err(_) => super::matrix::csr_pattern(&*self).map(Arc::new),
        }
    }
}
