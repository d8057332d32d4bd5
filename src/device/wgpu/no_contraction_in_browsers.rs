//! In browsers: WebGPU takes no SPIR-V, so there is nothing to decorate, and naga need not be there.

use super::wgpu;
use crate::device::kernel::{Composed, Kernel};

/// A device that takes SPIR-V: there is none.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {}

impl Target {
    pub(super) fn new(_takes_spirv: bool, _checks: bool) -> Option<Self> {
        None
    }
}

pub(super) fn module(
    _device: &wgpu::Device,
    _kernel: &Kernel,
    _composed: &Composed,
    target: Target,
) -> Result<wgpu::ShaderModule, String> {
    match target {}
}
