//! Patterns laid out on the device, from CSR's arrays there: a row or a run is counted, counts become pointers
//! ([`scan`]), and what has a place then is written there. Nothing but sums and maxima of those counts is read back.
//!
//! A kernel that lays a format out writes its columns, and for every slot the entry in it, by which
//! [`gather`](super::gather) moves the values. Each array is the host's, number for number.

mod ell;
mod packed;
mod rbp;
mod scan;
mod slices;

use std::sync::{Arc, OnceLock};

use super::csr_pattern::CsrPattern;
use super::device_matrix::Slots;
use super::format::Format;
use super::matrix::{self, Pattern};
use super::packed::csr as packed_rows;
use super::rbp::csr as rows_of_runs;
use super::rbp::ell as ell_of_runs;
use super::slices::Slices;
use super::spmv::form::{Form, HEIGHT};
use super::spmv::kernels::{Numbers, OnGpu};
use super::spmv::schedule::Target;
use super::spmv::tuned::{Tuned, lanes_in};
use super::{
    EllPattern, EllRPattern, PackedCsrPattern, PackedSellPattern, RbpCsrPattern, RbpEllPattern, RbpEllRPattern,
    SellPattern,
};
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Launch, Params, Scratch, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// A format that a device laid out.
pub(super) struct Converted<'a, T> {
    pub(super) laid: Laid,
    /// The number that the entry in each slot has in CSR; none where values lie as in CSR.
    pub(super) places: Option<Scratch<'a>>,
    /// The bytes of the format's indices.
    pub(super) index_bytes: u64,
    /// The same for the host, which lays it out when it is asked for.
    pub(super) pattern: Arc<dyn Slots<T>>,
}

/// A format on a device but for its values, as a product takes it that sums each row in one loop.
pub(super) struct Laid {
    form: &'static Form,
    arrays: Vec<GpuBuffer>,
    numbers: Numbers,
    constants: Vec<(&'static str, u32)>,
    rows: usize,
    tunable: Option<&'static Tuned>,
    /// Entries and padding.
    slots: usize,
    /// Of the arrays.
    bytes: u64,
}

impl Laid {
    /// With zeros for values.
    pub(super) fn with_zeros<T: Scalar>(self, gpu: &Gpu) -> Result<OnGpu> {
        let Self {
            form,
            arrays,
            numbers,
            constants,
            rows,
            tunable,
            slots,
            bytes,
        } = self;
        let value_bytes = (slots * size_of::<T>()) as u64;
        Ok(OnGpu {
            groups: form.groups(rows, lanes_in(&constants), &constants),
            form,
            values: gpu.allocate("the values of a sparse matrix", value_bytes)?,
            arrays,
            numbers,
            constants,
            rows,
            by_row: true,
            // No row here is so long that a loop over it ends too soon (MOST_ENTRIES).
            longest: 0,
            long: None,
            tunable,
            slots,
            bytes: bytes + value_bytes,
        })
    }
}

/// What a room makes of a format; the pattern of the host is beside it.
struct Made<'a> {
    laid: Laid,
    places: Option<Scratch<'a>>,
    index_bytes: u64,
}

/// Lays `csr`, which `matrix` holds there as CSR, out in a format. None where the host has to: for the formats by columns
/// and by rows that are no different, without entries, and where [`CsrOnGpu::of`] says so.
pub(super) async fn lay_out<'a, T: Scalar>(
    gpu: &'a Gpu,
    matrix: &'a OnGpu,
    csr: &Arc<CsrPattern>,
    format: Format,
    target: Target,
) -> Result<Option<Converted<'a, T>>> {
    let Some(there) = CsrOnGpu::of(gpu, matrix, csr, target) else {
        return Ok(None);
    };
    let made = match format {
        Format::Auto | Format::Csr | Format::Csc => return Ok(None),
        Format::Ell | Format::EllR => ell::lay_out(&there, format)?,
        // A workgroup sorts a window of the default.
        _ if is_sorted_further(csr, format, target) => return Ok(None),
        Format::Sell => slices::sell(&there).await?,
        Format::PackedSell => slices::packed(&there).await?,
        // Streamed rows need blocks and chunks, which the host makes of the descriptors.
        Format::PackedCsr if packed::is_streamed(csr, target)? => return Ok(None),
        Format::PackedCsr => packed::lay_out(&there, &packed_rows::plan(csr, target)).await?,
        Format::RbpCsr => rbp::csr(&there, csr).await?,
        Format::RbpEll => rbp::ell(&there, false).await?,
        Format::RbpEllR => rbp::ell(&there, true).await?,
    };
    let pattern = match format {
        Format::Auto | Format::Csr | Format::Csc => unreachable!("these are left to the host"),
        Format::Ell => later::<EllPattern, T>(csr),
        Format::EllR => later::<EllRPattern, T>(csr),
        Format::Sell => later::<SellPattern, T>(csr),
        Format::PackedSell => later::<PackedSellPattern, T>(csr),
        Format::PackedCsr => later::<PackedCsrPattern, T>(csr),
        Format::RbpCsr => later::<RbpCsrPattern, T>(csr),
        Format::RbpEll => later::<RbpEllPattern, T>(csr),
        Format::RbpEllR => later::<RbpEllRPattern, T>(csr),
    };
    let Made {
        laid,
        places,
        index_bytes,
    } = made;
    Ok(Some(Converted {
        laid,
        places,
        index_bytes,
        pattern,
    }))
}

/// Whether a driver that computes on the CPU gets rows in an order that a workgroup does not find.
fn is_sorted_further(csr: &CsrPattern, format: Format, target: Target) -> bool {
    match format {
        Format::Sell | Format::PackedSell => Slices::on(target.kind, csr) != Slices::default(),
        Format::PackedCsr => !packed_rows::plan(csr, target).order.is_empty(),
        Format::RbpCsr => !rows_of_runs::plan_of(csr, target).order.is_empty(),
        Format::RbpEll | Format::RbpEllR => !ell_of_runs::order(csr, target).is_empty(),
        Format::Auto | Format::Csr | Format::Csc | Format::Ell | Format::EllR => false,
    }
}

/// A pattern that the host has laid out only when something asks for it; until then it is CSR's.
struct Later<P> {
    csr: Arc<CsrPattern>,
    pattern: OnceLock<P>,
}

fn later<P: Pattern, T: Scalar>(csr: &Arc<CsrPattern>) -> Arc<dyn Slots<T>> {
    Arc::new(Later::<P> {
        csr: Arc::clone(csr),
        pattern: OnceLock::new(),
    })
}

impl<P: Pattern> Later<P> {
    fn pattern(&self) -> Result<&P> {
        if let Some(pattern) = self.pattern.get() {
            return Ok(pattern);
        }
        // Two threads may both lay it out; they make the same.
        let pattern = P::from_csr(&self.csr)?;
        Ok(self.pattern.get_or_init(|| pattern))
    }
}

impl<P: Pattern, T: Scalar> Slots<T> for Later<P> {
    fn laid_out(&self, values: &[T]) -> Result<Vec<T>> {
        matrix::laid_out(self.pattern()?, values)
    }

    fn places(&self) -> Result<Vec<u32>> {
        Slots::<T>::places(self.pattern()?)
    }

    fn order(&self) -> Result<Vec<u32>> {
        Slots::<T>::order(self.pattern()?)
    }

    fn csr(self: Arc<Self>) -> Result<Arc<CsrPattern>> {
        Ok(Arc::clone(&self.csr))
    }
}

/// CSR's arrays on a device, with what is known of them.
struct CsrOnGpu<'a> {
    gpu: &'a Gpu,
    row_ptr: &'a GpuBuffer,
    columns: &'a GpuBuffer,
    rows: usize,
    cols: usize,
    nnz: usize,
    /// The entries of the longest row.
    longest: usize,
    target: Target,
}

/// The entries of the longest row that one invocation goes over: a driver may end what lasts.
const MOST_ENTRIES: usize = 1 << 15;

/// Turns of loops for an entry, at most, on a driver whose turns count for all invocations that it computes side by side: one to
/// go over it, one for each of up to 32 of these to write it as a part of a run, and one of padding in its place.
const TURNS: usize = 34;

impl<'a> CsrOnGpu<'a> {
    /// None where there is nothing to lay out; where one row keeps everybody waiting; and where padded to its length all
    /// rows might have more slots than 32 bits count, so that the host has to look closer. In O(rows) on the host.
    fn of(gpu: &'a Gpu, matrix: &'a OnGpu, csr: &CsrPattern, target: Target) -> Option<Self> {
        let (rows, nnz, longest) = (csr.rows(), csr.nnz(), csr.longest());
        // A slice more, and an entry more, than any index that a kernel computes.
        let slots = (rows as u64 + 64).checked_mul(longest as u64 + 1)?;
        let fits = slots.checked_add(nnz as u64)? <= u64::from(u32::MAX);
        let most = MOST_ENTRIES.min(target.kind.most_turns() / TURNS);
        (nnz > 0 && longest <= most && fits).then(|| Self {
            gpu,
            row_ptr: &matrix.arrays[1],
            columns: &matrix.arrays[0],
            rows,
            cols: csr.cols(),
            nnz,
            longest,
            target,
        })
    }

    /// Memory for so many indices, zeros at first.
    fn indices(&self, what: &str, length: usize) -> Result<GpuBuffer> {
        self.gpu.allocate(what, 4 * length as u64)
    }

    /// The entry of each of so many slots, yet to be written.
    fn places(&self, slots: usize) -> Result<Scratch<'a>> {
        self.gpu.scratch("the map of a sparse matrix", 4 * slots as u64)
    }

    /// Some numbers of an array, once everything recorded is done.
    async fn read<const N: usize>(&self, array: &GpuBuffer, first: usize) -> Result<[usize; N]> {
        let bytes = self.gpu.download(array, 4 * first as u64, 4 * N as u64).await?;
        let numbers: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(std::array::from_fn(|at| numbers[at] as usize))
    }

    /// Records a launch over so many items, each an invocation's.
    fn launch(&self, kernel: &'static Kernel, items: usize, step: Step<'_>) -> Result<()> {
        self.launch_groups(kernel, (items as u64).div_ceil(WORKGROUP.default.into()), step)
    }

    fn launch_groups(&self, kernel: &'static Kernel, groups: u64, step: Step<'_>) -> Result<()> {
        let Step {
            constants,
            others,
            slots,
            width,
            isolated_values,
            isolated_columns,
            column_bits,
            longest,
            written,
        } = step;
        let mut buffers = vec![self.row_ptr, self.columns];
        buffers.extend(others);
        self.gpu.launch(&Launch {
            kernel,
            precision: Precision::of::<f32>(Width::Single),
            constants,
            params: Params::new()
                .size("rows", self.rows)
                .size("slots", slots)
                .size("width", width)
                .size("isolated_values", isolated_values)
                .size("isolated_columns", isolated_columns)
                .integer("column_bits", column_bits)
                .integer("longest", longest),
            buffers: &buffers,
            grid: Grid::of(groups),
            work: Work {
                bytes: 4 * (self.rows + self.nnz + written) as u64,
                operations: 0,
            },
        })
    }

    /// Records `laid ← columns` by places, for formats that have a column a slot.
    fn lay_columns(&self, places: &GpuBuffer, laid: &GpuBuffer, slots: usize) -> Result<()> {
        let step = Step {
            others: &[places, laid],
            slots,
            written: 2 * slots,
            ..Step::default()
        };
        self.launch(&COLUMNS, slots, step)
    }
}

/// What differs among the launches of a layout; 0 where a kernel has no such number.
#[derive(Default)]
struct Step<'a> {
    constants: &'a [(&'static str, u32)],
    /// Behind the row pointers and the columns of CSR.
    others: &'a [&'a GpuBuffer],
    slots: usize,
    width: usize,
    isolated_values: usize,
    isolated_columns: usize,
    column_bits: u32,
    longest: u32,
    /// Numbers of 32 bits that are written, and read beside CSR.
    written: usize,
}

/// How many numbers belong to a row or a slice.
const NUMBERS: Constant = Constant {
    name: "NUMBERS",
    default: 1,
};

const OPERANDS: Fragment = fragment!("sparse/convert/operands.wgsl");
const GRID: Fragment = fragment!("lib/grid.wgsl");
/// The runs of a row.
const RUNS: Fragment = fragment!("sparse/convert/runs.wgsl");

/// The column of each slot.
static COLUMNS: Kernel = kernel(
    "columns of a layout",
    "lay",
    fragment!("sparse/convert/columns.wgsl"),
    &[GRID, OPERANDS],
    &[READ, READ, READ, WRITE],
);

const READ: Access = Access::Read;
const WRITE: Access = Access::ReadWrite;

/// Every kernel of this module.
pub(super) fn kernels() -> impl Iterator<Item = &'static Kernel> {
    scan::KERNELS
        .into_iter()
        .chain([&COLUMNS])
        .chain(ell::KERNELS)
        .chain(slices::KERNELS)
        .chain(packed::KERNELS)
        .chain(rbp::KERNELS)
}

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    bindings: &'static [Access],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings,
        integers: &[
            "rows",
            "slots",
            "width",
            "isolated_values",
            "isolated_columns",
            "column_bits",
            "longest",
        ],
        scalars: &[],
        constants: &[WORKGROUP, HEIGHT, NUMBERS],
        vocabulary: Vocabulary::Integers,
    }
}

#[cfg(test)]
mod tests;
