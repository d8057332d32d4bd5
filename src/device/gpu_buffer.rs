//! Memory of a GPU, whichever way it is driven.

/// Memory of a [`Gpu`](super::Gpu), in bytes.
pub(crate) enum GpuBuffer {
    /// A wgpu buffer.
    #[cfg(feature = "wgpu")]
    Wgpu(super::wgpu::memory::Memory),
}

#[cfg(feature = "wgpu")]
impl GpuBuffer {
    pub(crate) fn wgpu(&self) -> &super::wgpu::memory::Memory {
        let Self::Wgpu(memory) = self;
        memory
    }
}
