//! One launch of a kernel, as data: what every backend is given.

use super::gpu_buffer::GpuBuffer;
use super::grid::Grid;
use super::kernel::Kernel;
use super::precision::Precision;
use crate::scalar::Scalar;

/// Everything that a launch needs.
pub(crate) struct Launch<'a> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) precision: Precision,
    /// Constants of the header that differ from their defaults.
    pub(crate) constants: &'a [(&'static str, u32)],
    pub(crate) params: Params,
    /// Storage buffers, in the order of the kernel's bindings.
    pub(crate) buffers: &'a [&'a GpuBuffer],
    pub(crate) grid: Grid,
    pub(crate) work: Work,
}

/// What a launch costs, counted before it runs: submissions are cut by it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Bytes read and written.
    pub(crate) bytes: u64,
    /// Multiply-adds, or operations of that weight, in the precision of the launch.
    pub(crate) operations: u64,
}

/// The uniform block of a launch: `u32` members, then scalars (`Parameter` in WGSL) at multiples of 16 bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params {
    bytes: Vec<u8>,
    names: Vec<&'static str>,
}

impl Params {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn integer(mut self, name: &'static str, value: u32) -> Self {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self.names.push(name);
        self
    }

    pub(crate) fn size(self, name: &'static str, value: usize) -> Self {
        self.integer(name, super::grid::narrow(value))
    }

    pub(crate) fn scalar<T: Scalar>(mut self, name: &'static str, value: T) -> Self {
        self.pad();
        self.bytes.extend_from_slice(bytemuck::bytes_of(&value));
        self.names.push(name);
        self
    }

    /// The block, padded to 16 bytes as uniforms are.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut padded = self.clone();
        padded.pad();
        padded.bytes
    }

    /// Whether the members are the kernel's, in its order.
    pub(crate) fn fits(&self, kernel: &Kernel) -> bool {
        self.names.iter().eq(kernel.integers.iter().chain(kernel.scalars))
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
    }
}
