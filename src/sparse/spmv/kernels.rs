//! What a device holds of a format, the kernels that multiply by it, and their launch.

use std::borrow::Cow;

use super::aim::Aim;
use super::form::{Form, GRID, HALVES, OPERANDS, WORKGROUP, bindings, form, kernel};
use super::schedule::Blocks;
use super::tuned::{Tuned, lanes_in};
use crate::dense::{VectorView, VectorViewMut, dot_of_partials};
use crate::device::kernel::{Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Device, Gpu, GpuBuffer, Grid, Launch, Params, Work, narrow};
use crate::error::{Error, Result};
use crate::host_memory::reserved;
use crate::scalar::Scalar;
use crate::tuning::{Shape, Variant};

/// A format as a device holds it: beside the values, arrays of 32-bit numbers in the order of the kernels' bindings.
#[derive(Debug)]
pub struct OnDevice<'a> {
    pub(in crate::sparse) form: &'static Form,
    /// Each with its name.
    pub(in crate::sparse) arrays: Vec<(&'static str, Cow<'a, [u32]>)>,
    pub(in crate::sparse) numbers: Numbers,
    /// Constants of the kernels' headers that the pattern decides.
    pub(in crate::sparse) constants: Vec<(&'static str, u32)>,
    /// The rows that the kernels go over.
    pub(in crate::sparse) rows: usize,
    /// What a workgroup has of them.
    pub(in crate::sparse) share: Share,
    /// What else a device may choose; none where the schedule or the rows decide.
    pub(in crate::sparse) tunable: Option<&'static Tuned>,
}

/// The rows of a workgroup.
#[derive(Debug)]
pub(crate) enum Share {
    /// One for each invocation.
    PerRow,
    /// One for so many invocations.
    Lanes(u32),
    /// Blocks, whose rows lie behind the row pointers, with long ones in chunks.
    Blocks(Blocks, &'static Chunks),
    /// One for each invocation, but long ones, of the blocks, in chunks.
    Apart(Blocks, &'static Chunks),
}

/// How chunks of long rows are summed.
#[derive(Debug)]
pub(crate) struct Chunks {
    pub(in crate::sparse) kernel: &'static Kernel,
    /// What is told of each.
    pub(in crate::sparse) numbers: usize,
    /// Whether each has one invocation, not a workgroup.
    pub(in crate::sparse) by_invocations: bool,
}

/// What is known of a pattern beside its arrays, and but for `fours` told to kernels; 0 where a format has no such thing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Numbers {
    /// ELL: entries to which rows are padded. RBP-ELL: those of runs.
    pub(in crate::sparse) width: usize,
    /// RBP: where the isolated values begin.
    pub(in crate::sparse) isolated_values: usize,
    /// RBP: where the isolated columns begin.
    pub(in crate::sparse) isolated_columns: usize,
    /// Packed: the bits of a column in a descriptor.
    pub(in crate::sparse) column_bits: u32,
    /// SELL: whether a variant by four rows an invocation may be chosen.
    pub(in crate::sparse) fours: bool,
}

/// A matrix in a GPU's memory.
pub(in crate::sparse) struct OnGpu {
    pub(in crate::sparse) form: &'static Form,
    pub(in crate::sparse) values: GpuBuffer,
    pub(in crate::sparse) arrays: Vec<GpuBuffer>,
    pub(in crate::sparse) numbers: Numbers,
    pub(in crate::sparse) constants: Vec<(&'static str, u32)>,
    pub(in crate::sparse) rows: usize,
    /// Whether a row is summed by its own invocations, in one loop over its entries.
    pub(in crate::sparse) by_row: bool,
    /// The entries of the longest row, where loops may end too soon, and else 0.
    pub(in crate::sparse) longest: usize,
    /// Workgroups, and how many of them have something to do where the kernel is told.
    pub(in crate::sparse) groups: u64,
    pub(in crate::sparse) long: Option<LongRows>,
    pub(in crate::sparse) tunable: Option<&'static Tuned>,
    /// Entries and padding.
    pub(in crate::sparse) slots: usize,
    /// Of the values and the arrays.
    pub(in crate::sparse) bytes: u64,
}

/// Rows that are split over workgroups.
pub(in crate::sparse) struct LongRows {
    /// Sums chunks, by so many workgroups.
    kernel: &'static Kernel,
    groups: u64,
    /// Where each chunk begins and ends, and how many there are.
    pub(in crate::sparse) chunks: (GpuBuffer, usize),
    /// Which rows they are, and their chunks.
    pub(in crate::sparse) rows: (GpuBuffer, usize),
}

/// What differs among the launches of one product.
struct Pass<'a> {
    kernel: &'static Kernel,
    matrix: &'a [&'a GpuBuffer],
    y: &'a GpuBuffer,
    /// Workgroups, and what is theirs to do: a block each, or chunks.
    groups: u64,
    blocks: u64,
    /// Where their parts of a dot product begin.
    first_part: u64,
    work: Work,
}

/// Arrays of one length as one, their elements in turn: what belongs to a row is read at once.
pub(in crate::sparse) fn interleaved<'a>(arrays: &[&[u32]]) -> Result<Cow<'a, [u32]>> {
    let length = arrays.first().map_or(0, |array| array.len());
    let mut numbers = reserved(length * arrays.len(), "an array of a sparse matrix")?;
    numbers.extend((0..length).flat_map(|at| arrays.iter().map(move |array| array[at])));
    Ok(Cow::Owned(numbers))
}

/// Two arrays as one, since a device binds few.
pub(in crate::sparse) fn joined<'a>(first: &[u32], second: &[u32]) -> Result<Cow<'a, [u32]>> {
    let mut numbers = reserved(first.len() + second.len(), "an array of a sparse matrix")?;
    numbers.extend_from_slice(first);
    numbers.extend_from_slice(second);
    Ok(Cow::Owned(numbers))
}

/// The chunks of long rows of CSR.
pub(in crate::sparse) static CHUNKS: Chunks = Chunks {
    kernel: &CHUNK_SUMS,
    numbers: 2,
    by_invocations: false,
};
static CHUNK_SUMS: Kernel = kernel(
    "spmv csr (chunks of long rows)",
    "spmv_chunks",
    Vocabulary::Elements,
    fragment!("sparse/csr_chunks.wgsl"),
    &[GRID, OPERANDS, HALVES, fragment!("sparse/csr_entries.wgsl")],
    bindings(3, 0),
);
static LONG_ROWS: Form = form!(adds lanes, "(long rows)", "spmv_long_rows", 2, "sparse/spmv/long_rows.wgsl");

/// Every kernel that is no format's own.
pub(in crate::sparse) fn shared() -> impl Iterator<Item = &'static Kernel> {
    LONG_ROWS.kernels().into_iter().chain([&CHUNK_SUMS])
}

impl OnGpu {
    /// Copies a matrix of `values`, laid out as `on_device` says.
    pub(in crate::sparse) fn new<T: Scalar>(gpu: &Gpu, on_device: OnDevice<'_>, values: &[T]) -> Result<Self> {
        let there = gpu.upload_new("the values of a sparse matrix", bytemuck::cast_slice(values))?;
        Self::with_values::<T>(gpu, on_device, there, values.len())
    }

    /// The same with values that are there already, so many of them.
    pub(in crate::sparse) fn with_values<T: Scalar>(
        gpu: &Gpu,
        on_device: OnDevice<'_>,
        values: GpuBuffer,
        slots: usize,
    ) -> Result<Self> {
        let OnDevice {
            form,
            arrays,
            numbers,
            constants,
            rows,
            share,
            tunable,
        } = on_device;
        let upload = |name, array: &[u32]| gpu.upload_new(name, bytemuck::cast_slice(array));
        let bytes = arrays
            .iter()
            .map(|(_, array)| size_of_val(&**array) as u64)
            .sum::<u64>();
        let split = |blocks: &Blocks, how: &'static Chunks| {
            if blocks.long.is_empty() {
                return Ok(None);
            }
            let chunks = blocks.chunks.len() / how.numbers;
            let a_group = if how.by_invocations {
                WORKGROUP.value(&constants)
            } else {
                1
            };
            Ok::<_, Error>(Some(LongRows {
                kernel: how.kernel,
                groups: (chunks as u64).div_ceil(a_group.into()),
                chunks: (upload("the chunks of long rows", &blocks.chunks)?, chunks),
                rows: (upload("the long rows", &blocks.long)?, blocks.long.len() / 4),
            }))
        };
        let (groups, long) = match &share {
            Share::PerRow => (form.groups(rows, 1, &constants), None),
            Share::Lanes(lanes) => (form.groups(rows, *lanes, &constants), None),
            Share::Blocks(blocks, how) => (blocks.first.len() as u64 - 1, split(blocks, how)?),
            Share::Apart(blocks, how) => (form.groups(rows, 1, &constants), split(blocks, how)?),
        };
        let by_row = matches!(share, Share::PerRow | Share::Lanes(_));
        let arrays = arrays.iter().map(|(name, array)| upload(name, array));
        Ok(Self {
            form,
            by_row,
            longest: 0,
            arrays: arrays.collect::<Result<_>>()?,
            values,
            numbers,
            constants,
            rows,
            groups,
            long,
            tunable,
            slots,
            bytes: bytes + (slots * size_of::<T>()) as u64,
        })
    }

    /// Takes what was tuned for the device, or the default, where there is a choice.
    pub(in crate::sparse) fn choose<T: Scalar>(&mut self, device: &Device, nnz: usize) {
        if let Some(tuned) = self.tunable {
            let shape = Shape::new(self.rows, 1, nnz / self.rows.max(1));
            let precision = Precision::of::<T>(Width::Single);
            self.take(&device.tuning().choose(&tuned.tunable, precision, shape));
        }
    }

    /// Sums rows by this variant from now on, which is of what can be chosen for the format.
    pub(in crate::sparse) fn take(&mut self, variant: &Variant) {
        self.form = self.tunable.map_or(self.form, |tuned| tuned.form(variant));
        let chosen = |name: &str| variant.constants.iter().any(|(known, _)| *known == name);
        self.constants.retain(|(name, _)| !chosen(name));
        self.constants.extend(variant.constants.iter().copied());
        // Lanes of a variant that was taken before may still be among the constants.
        self.groups = self
            .form
            .groups(self.rows, lanes_in(&variant.constants), &self.constants);
        if !self.numbers.fours {
            self.leave_fours();
        }
    }

    /// Sums rows one by one from now on, if it was four of them an invocation.
    pub(in crate::sparse) fn leave_fours(&mut self) {
        if let Some((single, constants)) = self.form.single {
            self.form = single;
            self.constants.extend(constants);
            self.groups = single.groups(self.rows, 1, &self.constants);
        }
    }

    /// The kernel of a product, and the constants that are not its defaults.
    pub(in crate::sparse) fn kernel(&self) -> String {
        let constants = self.constants.iter().map(|(name, value)| format!(" {name}={value}"));
        std::iter::once(self.form.product.name.to_owned())
            .chain(constants)
            .collect()
    }

    /// Records what `aim` says. x and y have the matrix's extents, and all is on one device.
    pub(super) fn launch<T: Scalar>(
        &self,
        gpu: &Gpu,
        aim: &Aim<'_, T>,
        x: &VectorView<'_, T>,
        y: &VectorViewMut<'_, T>,
    ) -> Result<()> {
        let long_groups = self.long.as_ref().map_or(0, |long| long.rows.1 as u64);
        // Every workgroup leaves a part, also those by which a folded grid runs over.
        let parts = if self.groups == 0 { 0 } else { folded(self.groups) };
        let long_parts = if long_groups == 0 { 0 } else { folded(long_groups) };
        let partials = match aim {
            Aim::Dot(..) => {
                let bytes = (parts + long_parts).max(1) * size_of::<T>() as u64;
                Some(gpu.scratch("partial sums", bytes)?)
            }
            Aim::Product(..) | Aim::Residual(_) => None,
        };
        let mut matrix = vec![&self.values];
        matrix.extend(&self.arrays);
        let pass = Pass {
            kernel: self.form.of(aim),
            matrix: &matrix,
            y: y.buffer.gpu(),
            groups: self.groups,
            blocks: self.groups,
            first_part: 0,
            work: Work {
                bytes: self.bytes + ((x.len() + y.len()) * size_of::<T>()) as u64,
                operations: self.slots as u64,
            },
        };
        self.record(gpu, &pass, aim, x, y, partials.as_deref())?;
        if let Some(long) = &self.long {
            let sums = gpu.scratch("sums of chunks", (long.chunks.1 * size_of::<T>()) as u64)?;
            let pass = Pass {
                kernel: long.kernel,
                matrix: &[&self.values, &self.arrays[0], &long.chunks.0],
                y: &sums,
                groups: long.groups,
                blocks: long.chunks.1 as u64,
                first_part: 0,
                // What they read was counted above.
                work: Work::default(),
            };
            self.record(gpu, &pass, aim, x, y, None)?;
            let pass = Pass {
                kernel: LONG_ROWS.of(aim),
                matrix: &[&sums, &long.rows.0],
                y: y.buffer.gpu(),
                groups: long_groups,
                blocks: long_groups,
                first_part: parts,
                work: Work {
                    bytes: (long.chunks.1 * size_of::<T>()) as u64,
                    operations: long.chunks.1 as u64,
                },
            };
            self.record(gpu, &pass, aim, x, y, partials.as_deref())?;
        }
        if let (Aim::Dot(.., result), Some(partials)) = (aim, &partials) {
            dot_of_partials(gpu, partials, parts + long_parts, result)?;
        }
        Ok(())
    }

    fn record<T: Scalar>(
        &self,
        gpu: &Gpu,
        pass: &Pass<'_>,
        aim: &Aim<'_, T>,
        x: &VectorView<'_, T>,
        y: &VectorViewMut<'_, T>,
        partials: Option<&GpuBuffer>,
    ) -> Result<()> {
        if pass.groups == 0 {
            return Ok(());
        }
        let (alpha, beta, other) = match aim {
            Aim::Product(alpha, beta) => (*alpha, *beta, None),
            Aim::Residual(b) => (T::one(), T::zero(), Some(b)),
            Aim::Dot(alpha, beta, w, _) => (*alpha, *beta, Some(w)),
        };
        let beside = pass.kernel.bindings.len() - pass.matrix.len() - 2;
        let mut buffers = pass.matrix.to_vec();
        buffers.extend([x.buffer.gpu(), pass.y]);
        let others = other.map(|other| other.buffer.gpu()).into_iter().chain(partials);
        buffers.extend(others.take(beside));
        let Numbers {
            width,
            isolated_values,
            isolated_columns,
            column_bits,
            fours: _,
        } = self.numbers;
        gpu.launch(&Launch {
            kernel: pass.kernel,
            precision: Precision::of::<T>(match pass.kernel.vocabulary {
                Vocabulary::Packs => Width::Pack,
                _ => Width::Single,
            }),
            constants: &self.constants,
            params: Params::new()
                .size("rows", self.rows)
                .size("width", width)
                .size("isolated_values", isolated_values)
                .size("isolated_columns", isolated_columns)
                .integer("column_bits", column_bits)
                .integer("blocks", narrow(pass.blocks))
                .integer("first_part", narrow(pass.first_part))
                .size("x_offset", x.offset)
                .size("x_stride", x.stride)
                .size("y_offset", y.offset)
                .size("y_stride", y.stride)
                .integer("reads_y", u32::from(!beta.is_zero()))
                .size("other_offset", other.map_or(0, |other| other.offset))
                .size("other_stride", other.map_or(0, |other| other.stride))
                .scalar("alpha", alpha)
                .scalar("beta", beta),
            buffers: &buffers,
            grid: Grid::of(pass.groups),
            work: pass.work,
        })
    }
}

/// The workgroups of a grid of that many, with those by which its last row runs over.
fn folded(groups: u64) -> u64 {
    let grid = Grid::of(groups);
    u64::from(grid.x) * u64::from(grid.y)
}
