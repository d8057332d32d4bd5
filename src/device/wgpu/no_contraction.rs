//! Kernels as SPIR-V in which every floating-point operation is decorated `NoContraction`: it must be done as written.
//!
//! naga writes no such decoration, so it is added to what naga wrote, and the result passes wgpu unseen.

use super::wgpu;
use crate::device::kernel::{Composed, Kernel};

/// A device that takes SPIR-V, and how kernels are written for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// Keep run-time bounds checks.
    pub(super) checks: bool,
}

impl Target {
    /// None for a device that takes no SPIR-V.
    pub(super) fn new(takes_spirv: bool, checks: bool) -> Option<Self> {
        takes_spirv.then_some(Self { checks })
    }
}

/// The module of a composed kernel.
pub(super) fn module(
    device: &wgpu::Device,
    kernel: &Kernel,
    composed: &Composed,
    target: Target,
) -> Result<wgpu::ShaderModule, String> {
    let mut words = write(composed, target)?;
    decorate(&mut words)?;
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(kernel.name),
        entry_points: vec![wgpu::PassthroughShaderEntryPoint {
            name: kernel.entry.into(),
            workgroup_size: (1, 1, 1),
        }]
        .into(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    #[expect(unsafe_code, reason = "wgpu has no other way to keep operations as written")]
    // SAFETY: the SPIR-V is naga's translation of a module that naga has validated, with `NoContraction` decorations
    // on results of arithmetic, which only forbid transformations. Its bindings are those of the pipeline layout, which
    // a test compares by reflection; its indices stay in bounds as in `Pipelines::module`.
    let module = unsafe { device.create_shader_module_passthrough(descriptor) };
    Ok(module)
}

fn write(composed: &Composed, target: Target) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(&composed.text).map_err(|error| error.emit_to_string(&composed.text))?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    let info = validator
        .validate(&module)
        .map_err(|error| error.emit_to_string(&composed.text))?;
    let policy = if target.checks {
        naga::proc::BoundsCheckPolicy::Restrict
    } else {
        naga::proc::BoundsCheckPolicy::Unchecked
    };
    let options = naga::back::spv::Options {
        // Vulkan 1.1, which every driver that wgpu accepts has.
        lang_version: (1, 3),
        flags: naga::back::spv::WriterFlags::empty(),
        bounds_check_policies: naga::proc::BoundsCheckPolicies {
            index: policy,
            buffer: policy,
            image_load: policy,
            binding_array: policy,
        },
        zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: target.checks,
        ..Default::default()
    };
    naga::back::spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())
}

const HEADER: usize = 5;
const OP_EXT_INST: u32 = 12;
const OP_DECORATE: u32 = 71;
const OP_MEMBER_DECORATE: u32 = 72;
const OP_F_NEGATE: u32 = 127;
const OP_F_ADD: u32 = 129;
const OP_F_SUB: u32 = 131;
const OP_F_MUL: u32 = 133;
const OP_F_DIV: u32 = 136;
const NO_CONTRACTION: u32 = 42;

/// Decorates every floating-point result (SPIR-V specification, 2.3 and 3.20). An extended instruction (`Fma`, `Sqrt`)
/// counts as one of arithmetic too.
fn decorate(words: &mut Vec<u32>) -> Result<(), String> {
    let mut results = Vec::new();
    let mut annotations = None;
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let (length, code) = ((first >> 16) as usize, first & 0xffff);
        if length == 0 || at + length > words.len() {
            return Err(format!("SPIR-V ends inside the instruction at word {at}"));
        }
        match code {
            OP_DECORATE | OP_MEMBER_DECORATE => annotations = annotations.or(Some(at)),
            OP_F_NEGATE | OP_F_ADD | OP_F_SUB | OP_F_MUL | OP_F_DIV | OP_EXT_INST => results.push(words[at + 2]),
            _ => {}
        }
        at += length;
    }
    let annotations = annotations.ok_or("SPIR-V without a binding")?;
    let decorations = results
        .into_iter()
        .flat_map(|result| [(3 << 16) | OP_DECORATE, result, NO_CONTRACTION]);
    words.splice(annotations..annotations, decorations);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_result_is_decorated_once_and_before_the_types() {
        let text = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\
            @compute @workgroup_size(1) fn main() { x[0] = fma(x[0] * x[1] + x[2], x[3] - x[4], sqrt(x[5] / x[6])); }";
        let composed = Composed::plain(text);
        let mut words = write(&composed, Target { checks: false }).expect("valid");
        let before = words.len();
        decorate(&mut words).expect("whole");
        // * + - / sqrt fma
        assert_eq!(words.len(), before + 6 * 3);
        let decorated = words
            .windows(3)
            .filter(|w| w[0] == (3 << 16) | OP_DECORATE && w[2] == NO_CONTRACTION);
        assert_eq!(decorated.count(), 6);
    }

    #[test]
    fn a_cut_module_is_refused() {
        let mut words = vec![0; HEADER];
        words.push((4 << 16) | OP_F_ADD);
        assert!(decorate(&mut words).is_err());
    }
}
