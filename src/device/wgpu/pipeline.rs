//! Kernels as compiled pipelines: made once for a kernel, precision, version and constants, then kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::parameters::Space;
use super::{Context, no_contraction, wgpu};
use crate::device::gpu_buffer::GpuBuffer;
use crate::device::kernel::{Access, Composed, Kernel};
use crate::device::precision::{Precision, Version, Words};
use crate::error::{Error, Result};

/// Read while a driver compiles, written while it makes a device: NVIDIA's crashes now and then where these meet (580 and 610;
/// wgpu's issue 10234).
pub(super) static DRIVER: RwLock<()> = RwLock::new(());

/// The pipelines of one device.
pub(super) struct Pipelines {
    cache: Mutex<HashMap<Key, Arc<Pipeline>>>,
    barrier: Barrier,
    checks: bool,
    spirv: Option<no_contraction::Target>,
    params: Space,
}

/// A compiled kernel, and how its buffers are bound.
pub(super) struct Pipeline {
    pub(super) raw: wgpu::ComputePipeline,
    pub(super) barrier: Option<wgpu::BindGroup>,
    pub(super) label: &'static str,
    layout: wgpu::BindGroupLayout,
}

/// The zero that no compiler can know, and its binding at `@group(1)`.
struct Barrier {
    layout: wgpu::BindGroupLayout,
    bindings: wgpu::BindGroup,
}

type Key = (&'static str, Precision, Version, Vec<u32>);

impl Pipelines {
    pub(super) fn new(
        device: &wgpu::Device,
        checks: bool,
        spirv: Option<no_contraction::Target>,
        params: Space,
    ) -> Self {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("barrier"),
            entries: &[storage(0, Access::Read)],
        });
        // wgpu fills new buffers with zeros.
        let zero = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("barrier"),
            size: 16,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("barrier"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: zero.as_entire_binding(),
            }],
        });
        Self {
            cache: Mutex::new(HashMap::new()),
            barrier: Barrier { layout, bindings },
            checks,
            spirv,
            params,
        }
    }

    /// The pipeline of a launch; compiled outside the lock, so that several can be at once.
    pub(super) fn get(
        &self,
        context: &Context,
        kernel: &'static Kernel,
        precision: Precision,
        version: Version,
        constants: &[(&'static str, u32)],
    ) -> Result<Arc<Pipeline>> {
        let values = kernel
            .constants
            .iter()
            .map(|constant| constant.value(constants))
            .collect();
        let key = (kernel.name, precision, version, values);
        if let Some(pipeline) = self.cache().get(&key) {
            return Ok(pipeline.clone());
        }
        let composed = self.params.declared(kernel.compose(precision, version, constants));
        let pipeline = Arc::new(self.compile(context, kernel, version, &composed)?);
        Ok(self.cache().entry(key).or_insert(pipeline).clone())
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Key, Arc<Pipeline>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compile(
        &self,
        context: &Context,
        kernel: &'static Kernel,
        version: Version,
        composed: &Composed,
    ) -> Result<Pipeline> {
        let device = &context.device;
        let mut entries = vec![wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: self.params.binding(),
                has_dynamic_offset: true,
                min_binding_size: None,
            },
            count: None,
        }];
        entries.extend(
            kernel
                .bindings
                .iter()
                .zip(1..)
                .map(|(access, binding)| storage(binding, *access)),
        );
        let made = context.faults.scoped(kernel.name, 0, device, || {
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(kernel.name),
                entries: &entries,
            });
            let with_barrier = [Some(&layout), Some(&self.barrier.layout)];
            let groups = if version.has_barrier() {
                &with_barrier[..]
            } else {
                &with_barrier[..1]
            };
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(kernel.name),
                bind_group_layouts: groups,
                immediate_size: 0,
            });
            let module = self.module(device, kernel, version, composed)?;
            let _no_device_is_made = DRIVER.read().unwrap_or_else(PoisonError::into_inner);
            let raw = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(kernel.name),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(kernel.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every kernel writes its workgroup memory before it reads it.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            });
            Ok((layout, raw))
        })?;
        let refused = |reason| Error::Refused {
            what: format!("the kernel {}", kernel.name),
            device: context.name.clone(),
            reason,
        };
        let (layout, raw) = made.map_err(refused)?;
        let barrier = version.has_barrier().then(|| self.barrier.bindings.clone());
        Ok(Pipeline {
            raw,
            barrier,
            label: kernel.name,
            layout,
        })
    }

    fn module(
        &self,
        device: &wgpu::Device,
        kernel: &Kernel,
        version: Version,
        composed: &Composed,
    ) -> std::result::Result<wgpu::ShaderModule, String> {
        if version.words == Words::NoContraction {
            let target = self.spirv.ok_or("this device takes no SPIR-V")?;
            return no_contraction::module(device, kernel, composed, target);
        }
        #[cfg(target_arch = "wasm32")]
        let text = kernel.for_browsers(composed);
        #[cfg(not(target_arch = "wasm32"))]
        let text = composed.text.as_str();
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(kernel.name),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        };
        if self.checks {
            return Ok(device.create_shader_module(descriptor));
        }
        #[expect(
            unsafe_code,
            reason = "run-time checks cost a third of the speed and guard against nothing here"
        )]
        // SAFETY: the text is this crate's own, validated by naga, and its indices stay in bounds: each kernel compares
        // its index with the extents in its parameters, and each operation has checked these extents, offsets and
        // strides against its buffers before the launch (the `check_` functions of `dense`, `lu`). Loops end, since
        // their bounds are those extents; no kernel divides by a run-time integer that can be zero.
        let module = unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) };
        Ok(module)
    }
}

impl Pipeline {
    pub(super) fn bind(
        &self,
        device: &wgpu::Device,
        params: &wgpu::Buffer,
        size: u64,
        buffers: &[&GpuBuffer],
    ) -> wgpu::BindGroup {
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: params,
                offset: 0,
                size: wgpu::BufferSize::new(size),
            }),
        }];
        entries.extend(buffers.iter().zip(1..).map(|(buffer, binding)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.wgpu().raw().as_entire_binding(),
        }));
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.label),
            layout: &self.layout,
            entries: &entries,
        })
    }
}

fn storage(binding: u32, access: Access) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage {
                read_only: access == Access::Read,
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
