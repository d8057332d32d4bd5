//! A as it was before it was factored in its own memory: what growth and residuals are judged by.

use super::Lu;
use crate::dense::MatrixView;
use crate::device::kernel::Kernel;
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

impl<T: Scalar> Lu<T> {
    /// `a` is, by its shape and its device, the matrix that was factored.
    pub(super) fn check_same_shape(&self, operation: &'static str, a: &MatrixView<'_, T>) -> Result<()> {
        self.factors.device().check_same(operation, a.device())?;
        let (rows, cols) = (self.factors.rows(), self.factors.cols());
        if (a.rows, a.cols, a.col_stride) == (rows, cols, 1) {
            return Ok(());
        }
        let turned = if a.col_stride == 1 { "" } else { ", transposed" };
        Err(Error::Shape {
            operation,
            expected: format!("the matrix that was factored, {rows} x {cols}, not transposed"),
            found: format!("{} x {}{turned}", a.rows, a.cols),
        })
    }
}

/// The parameters of a kernel that reads A.
pub(super) const INTEGERS: &[&str] = &["rows", "cols", "a_offset", "a_leading"];

/// Launches a kernel that reads A once, and after it the buffers in `beside`, for as many workgroups as `grid` has.
pub(super) fn launch<T: Scalar>(
    gpu: &Gpu,
    kernel: &'static Kernel,
    a: &MatrixView<'_, T>,
    beside: &[&GpuBuffer],
    grid: Grid,
) -> Result<()> {
    if a.rows == 0 || a.cols == 0 {
        return Ok(());
    }
    let buffers: Vec<&GpuBuffer> = [a.buffer.gpu()].into_iter().chain(beside.iter().copied()).collect();
    let entries = (a.rows * a.cols) as u64;
    gpu.launch(&Launch {
        kernel,
        precision: Precision::of::<T>(Width::Single),
        constants: &[],
        params: Params::new()
            .size("rows", a.rows)
            .size("cols", a.cols)
            .size("a_offset", a.offset)
            .size("a_leading", a.row_stride),
        buffers: &buffers,
        grid,
        work: Work {
            bytes: 2 * entries * size_of::<T>() as u64,
            operations: 2 * entries,
        },
    })
}
