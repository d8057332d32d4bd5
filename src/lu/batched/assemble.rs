//! Many matrices of one pattern from their values: what a circuit is at each of its operating points, or a mesh of small
//! problems.

use std::num::NonZeroUsize;

use super::Batch;
use crate::dense::Vector;
use crate::device::kernel::{Access, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Device, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::host_memory::filled;
use crate::scalar::Scalar;

const OPERATION: &str = "a batch from values";

/// Where the values of each of many matrices go: entry k at row and column `entries[k]`. Entries of one place are summed,
/// in their order, so that the contributions of elements or devices need no sorting ("stamps").
///
/// ```
/// use nonius::{Blocking, Device, dense::Vector, lu::batched::{Batch, BatchedLu, Pattern}};
/// let host = Device::host();
/// // The conductances between two nodes, and from the second to the ground: two circuits.
/// let stamps = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 1)];
/// let pattern = Pattern::new(&host, 2, 2, &stamps)?;
/// let values = Vector::from_slice(&host, &[2.0, -2.0, -2.0, 2.0, 1.0, 4.0, -4.0, -4.0, 4.0, 0.5])?;
/// let lu = BatchedLu::factor(Batch::assemble(&pattern, &values)?)?;
/// let currents = Batch::from_slice(&host, 2, 2, 1, &[2.0, 0.0, 4.0, 0.0])?;
/// let voltages = lu.solve(&currents).block_on()?.to_host().block_on()?;
/// assert_eq!(voltages, [3.0, 2.0, 9.0, 8.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Pattern {
    rows: usize,
    cols: usize,
    entries: NonZeroUsize,
    /// The most entries of one place.
    most: usize,
    /// For each place of a matrix, where its entries begin among those behind; the end of the last; and behind these, the
    /// entries, place by place, each by its number.
    places: Buffer<u32>,
}

impl Pattern {
    /// A pattern of m x n matrices.
    ///
    /// # Errors
    /// [`Error::Shape`] without entries, for one outside the matrix, and for more places and entries than 32 bits number;
    /// [`Error::OutOfMemory`] if the host cannot hold as many numbers; else whatever the device reports.
    pub fn new(device: &Device, rows: usize, cols: usize, entries: &[(usize, usize)]) -> Result<Self> {
        let shape = |expected: String, found: String| Error::Shape {
            operation: "a pattern of many matrices",
            expected,
            found,
        };
        let count = NonZeroUsize::new(entries.len()).ok_or_else(|| shape("entries".to_owned(), "none".to_owned()))?;
        if let Some((k, (i, j))) = (0..).zip(entries).find(|(_, (i, j))| *i >= rows || *j >= cols) {
            return Err(shape(
                format!("entries within {rows} x {cols}"),
                format!("entry {k} at ({i}, {j})"),
            ));
        }
        let numbers = rows
            .checked_mul(cols)
            .and_then(|places| places.checked_add(entries.len()));
        if numbers.is_none_or(|numbers| u32::try_from(numbers).is_err()) {
            return Err(shape(
                format!("places and entries that 32 bits number, {} at most", u32::MAX),
                format!("{rows} x {cols} and {count}"),
            ));
        }
        let len = (rows * cols).saturating_add(1).saturating_add(entries.len());
        let mut places = filled(len, 0_u32, "the places of a pattern")?;
        let (begins, order) = places.split_at_mut(rows * cols + 1);
        // Counted, then put in order: entries of one place stay in theirs.
        entries.iter().for_each(|(i, j)| begins[i * cols + j + 1] += 1);
        let most = begins.iter().max().map_or(0, |most| *most as usize);
        for place in 1..begins.len() {
            begins[place] += begins[place - 1];
        }
        for (k, (i, j)) in (0..).zip(entries) {
            let at = &mut begins[i * cols + j];
            order[*at as usize] = k;
            *at += 1;
        }
        // Where the entries of a place began, they end now, and those of the next begin.
        begins.copy_within(..rows * cols, 1);
        begins[0] = 0;
        Ok(Self {
            rows,
            cols,
            entries: count,
            most,
            places: Buffer::from_slice(device, &places)?,
        })
    }

    /// The values of each matrix.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.get()
    }
}

impl<T: Scalar> Batch<T> {
    /// As many matrices of the pattern as there are values for, those of one matrix after those of another, each in the
    /// order of the pattern's entries. Places without an entry are zeros.
    ///
    /// Accuracy: a place of k entries has k − 1 roundings. Cost: one dispatch; every value is read once, every element is
    /// written once.
    ///
    /// # Errors
    /// [`Error::Shape`] when the values do not make whole matrices, and for a place of more entries than a driver on the CPU would go
    /// through; [`Error::DeviceMismatch`]; else as [`Batch::zeros`].
    pub fn assemble(pattern: &Pattern, values: &Vector<T>) -> Result<Self> {
        values.device().check_same(OPERATION, pattern.places.device())?;
        let count = values.len() / pattern.entries;
        if count * pattern.entries() != values.len() {
            return Err(Error::Shape {
                operation: OPERATION,
                expected: format!("values of whole matrices, {} each", pattern.entries),
                found: format!("{}", values.len()),
            });
        }
        let mut batch = Self::zeros(values.device(), count, pattern.rows, pattern.cols)?;
        if count > 0 {
            pattern.fill(values, &mut batch)?;
        }
        Ok(batch)
    }
}

impl Pattern {
    fn fill<T: Scalar>(&self, values: &Vector<T>, batch: &mut Batch<T>) -> Result<()> {
        let places = self.rows * self.cols;
        let count = batch.count();
        match values.device().ground() {
            Ground::Host => {
                let (begins, order) = self.places.host().split_at(places + 1);
                let matrices = batch.buffer_mut().host_mut().chunks_exact_mut(places);
                for (matrix, values) in matrices.zip(values.buffer().host().chunks_exact(self.entries())) {
                    for (element, ends) in matrix.iter_mut().zip(begins.windows(2)) {
                        let entries = order[ends[0] as usize..ends[1] as usize].iter();
                        let stamps = entries.map(|k| values[*k as usize]);
                        *element = stamps.reduce(|sum, value| sum + value).unwrap_or_else(T::zero);
                    }
                }
                Ok(())
            }
            Ground::Gpu(gpu) => {
                values.device().check_turns(OPERATION, self.most)?;
                gpu.launch(&Launch {
                    kernel: &ASSEMBLE,
                    precision: Precision::of::<T>(Width::Single),
                    constants: &[],
                    params: Params::new()
                        .size("count", count)
                        .size("places", places)
                        .size("entries", self.entries()),
                    buffers: &[self.places.gpu(), values.buffer().gpu(), batch.buffer_mut().gpu()],
                    grid: Grid::covering((count * places) as u64, WORKGROUP.default.into()),
                    work: Work {
                        bytes: ((values.len() + count * places) * size_of::<T>()) as u64,
                        operations: values.len() as u64,
                    },
                })
            }
        }
    }
}

pub(super) static ASSEMBLE: Kernel = Kernel {
    name: "lu::batched::assemble",
    entry: "assemble",
    source: fragment!("lu/batched/assemble.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["count", "places", "entries"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Elements,
};
