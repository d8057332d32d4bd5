//! Packed CSR: descriptors row after row, values in CSR's order.

use std::borrow::Cow;
use std::ops::Range;

use super::super::csr::CsrPattern;
use super::super::format::Format;
use super::super::matrix::layout::Layout;
use super::super::matrix::{Pattern, SparseMatrix, bytes_of, narrow};
use super::super::spmv::kernels::{Form, Numbers, OnDevice, Share, form, interleaved};
use super::super::spmv::schedule::Schedule;
use super::Packing;
use crate::Result;
use crate::scalar::{Scalar, ScalarKind};

/// A sparse matrix by rows, with one [`Packing`] descriptor a run. Values and sums are in CSR's order, so that products
/// are CSR's bit for bit.
///
/// Bytes with values of v: v·nnz + 4·descriptors + 8(rows + 1); at most CSR's and 4(rows + 1) more.
///
/// ```
/// use nonius::sparse::{Csr, PackedCsr};
///
/// let a = Csr::new(1, 8, vec![0, 4], vec![0, 3, 4, 5], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// let packed = PackedCsr::from_csr(&a)?;
/// let packing = packed.pattern().packing();
/// let runs: Vec<_> = packed.pattern().descriptors().iter().map(|run| packing.unpack(*run)).collect();
/// assert_eq!(runs, [(0, 1), (3, 3)]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub type PackedCsr<T> = SparseMatrix<PackedCsrPattern, T>;

/// Where the entries of a [`PackedCsr`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedCsrPattern {
    cols: usize,
    packing: Packing,
    run_ptr: Vec<u32>,
    value_ptr: Vec<u32>,
    descriptors: Vec<u32>,
}

impl PackedCsrPattern {
    /// How descriptors are read.
    #[must_use]
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Where each row begins in [`descriptors`](Self::descriptors), and where the last one ends.
    #[must_use]
    pub fn run_ptr(&self) -> &[u32] {
        &self.run_ptr
    }

    /// Where each row's values begin, and where the last one's end: CSR's row pointers.
    #[must_use]
    pub fn value_ptr(&self) -> &[u32] {
        &self.value_ptr
    }

    /// The runs.
    #[must_use]
    pub fn descriptors(&self) -> &[u32] {
        &self.descriptors
    }

    fn columns(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        self.descriptors[self.run_ptr[row] as usize..self.run_ptr[row + 1] as usize]
            .iter()
            .flat_map(|descriptor| {
                let (first, length) = self.packing.unpack(*descriptor);
                first..first + length
            })
    }
}

impl Pattern for PackedCsrPattern {
    const FORMAT: Format = Format::PackedCsr;

    fn rows(&self) -> usize {
        self.run_ptr.len() - 1
    }

    fn cols(&self) -> usize {
        self.cols
    }

    fn nnz(&self) -> usize {
        self.value_ptr.last().map_or(0, |end| *end as usize)
    }

    fn slots(&self) -> usize {
        self.nnz()
    }

    fn index_bytes(&self) -> u64 {
        bytes_of(&[&self.run_ptr, &self.value_ptr, &self.descriptors])
    }

    fn from_csr(csr: &CsrPattern) -> Result<Self> {
        let packing = Packing::of(csr.cols());
        let (mut run_ptr, mut descriptors) = (Vec::with_capacity(csr.rows() + 1), Vec::new());
        run_ptr.push(0);
        for row in 0..csr.rows() {
            descriptors.extend(packing.descriptors(csr.row(row)));
            run_ptr.push(narrow(descriptors.len()));
        }
        Ok(Self {
            cols: csr.cols(),
            packing,
            run_ptr,
            value_ptr: csr.row_ptr().to_vec(),
            descriptors,
        })
    }
}

impl Layout for PackedCsrPattern {
    fn walk(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32, usize)) {
        for row in rows {
            let slots = self.value_ptr[row] as usize..;
            slots
                .zip(self.columns(row))
                .for_each(|(slot, column)| visit(row, column, slot));
        }
    }

    fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], mut put: impl FnMut(usize, T)) {
        for row in rows {
            let (mut sum, mut k) = (T::zero(), self.value_ptr[row] as usize);
            for descriptor in &self.descriptors[self.run_ptr[row] as usize..self.run_ptr[row + 1] as usize] {
                let (first, length) = self.packing.unpack(*descriptor);
                for column in first..first + length {
                    sum = values[k].mul_add(x[column as usize], sum);
                    k += 1;
                }
            }
            put(row, sum);
        }
    }
    fn on_device(&self, schedule: Schedule, _: ScalarKind) -> Result<OnDevice<'_>> {
        schedule.per_row(Self::FORMAT.name())?;
        Ok(OnDevice {
            form: &FORM,
            arrays: vec![
                ("the runs of packed CSR", Cow::Borrowed(&self.descriptors)),
                (
                    "the pointers of packed CSR",
                    interleaved(&[&self.run_ptr, &self.value_ptr]),
                ),
            ],
            numbers: Numbers {
                column_bits: self.packing.column_bits(),
                ..Numbers::default()
            },
            constants: Vec::new(),
            rows: self.rows(),
            share: Share::PerRow,
        })
    }
}

pub(in crate::sparse) static FORM: Form = form!(
    "packed-csr",
    "spmv_rows",
    3,
    "sparse/packed/csr.wgsl",
    "sparse/packed/runs.wgsl",
    "sparse/spmv/rows.wgsl"
);
