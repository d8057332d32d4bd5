//! Where the parameters of launches lie.

use super::wgpu;
use crate::device::kernel::Composed;
use crate::device::{Adapter, AdapterKind};

/// The kind of buffer that a launch's parameters are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Uniform,
    /// For drivers that compute on the CPU: lavapipe writes uniforms that a kernel branches on into it (`lvp_inline_uniforms.c`), and
    /// where that leaves half of it out, or makes it longer, compiles it anew for each launch (Mesa 22.3; BENCHMARKS.md). Through
    /// OpenGL, everything comes out wrong so.
    Storage,
}

/// Storage buffers of a stage at least, where parameters take one of them: more than any kernel binds.
const ROOM: u32 = 16;

impl Space {
    pub(super) fn of(adapter: &Adapter, limits: &wgpu::Limits) -> Self {
        let is_lavapipe_or_alike = adapter.kind == AdapterKind::Software && adapter.backend == "vulkan";
        if is_lavapipe_or_alike && limits.max_storage_buffers_per_shader_stage >= ROOM {
            Self::Storage
        } else {
            Self::Uniform
        }
    }

    pub(super) fn usage(self) -> wgpu::BufferUsages {
        match self {
            Self::Uniform => wgpu::BufferUsages::UNIFORM,
            Self::Storage => wgpu::BufferUsages::STORAGE,
        }
    }

    pub(super) fn binding(self) -> wgpu::BufferBindingType {
        match self {
            Self::Uniform => wgpu::BufferBindingType::Uniform,
            Self::Storage => wgpu::BufferBindingType::Storage { read_only: true },
        }
    }

    /// What offsets of launches in the buffer are multiples of.
    pub(super) fn alignment(self, limits: &wgpu::Limits) -> usize {
        let bytes = match self {
            Self::Uniform => limits.min_uniform_buffer_offset_alignment,
            Self::Storage => limits.min_storage_buffer_offset_alignment,
        };
        bytes as usize
    }

    /// The kernel with its parameters there, in the same layout, and read as it begins: later, each read would be one of memory.
    pub(super) fn declared(self, mut composed: Composed) -> Composed {
        if self == Self::Uniform {
            return composed;
        }
        let Some((declarations, rest)) = composed.text.split_once(IN_UNIFORM) else {
            return composed;
        };
        let (between, entry) = rest
            .split_once("@compute")
            .unwrap_or_else(|| unreachable!("a kernel has an entry"));
        let (head, body) = entry
            .split_once(") {\n")
            .unwrap_or_else(|| unreachable!("an entry has a body"));
        composed.text = format!("{declarations}{IN_STORAGE}{between}@compute{head}) {{ params = parameters;\n{body}");
        composed
    }
}

/// As every kernel declares them.
const IN_UNIFORM: &str = "@group(0) @binding(0) var<uniform> params: Params;";
const IN_STORAGE: &str = "@group(0) @binding(0) var<storage, read> parameters: Params; var<private> params: Params;";
