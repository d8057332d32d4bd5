//! A wgpu device of one's own: this library's vectors as buffers in one's own passes.
//!
//! `cargo run --release --example own_device`

use nonius::dense::{Vector, scal};
use nonius::device::Options;
use nonius::{Blocking, Device, wgpu};

const SQUARE: &str = "
    @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    @compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3<u32>) {
        if (id.x < arrayLength(&x)) { x[id.x] *= x[id.x]; }
    }";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions::default())
        .block_on()?;
    let (raw, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).block_on()?;

    // From here on both use the device; our callbacks on it stay as they are.
    let device = Device::from_wgpu(raw.clone(), queue.clone(), Options::default()).block_on()?;
    let mut x = Vector::from_slice(&device, &[1.0_f32, 2.0, 3.0, 4.0])?;
    scal(10.0, &mut x)?;
    device.submit()?;

    let module = raw.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SQUARE.into()),
    });
    let pipeline = raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("square"),
        layout: None,
        module: &module,
        entry_point: Some("square"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let buffer = x.buffer().wgpu().ok_or("a vector on a GPU has a buffer")?;
    let bindings = raw.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: buffer.as_entire_binding(),
        }],
    });
    let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    queue.submit([encoder.finish()]);

    println!("{:?}", x.to_host().block_on()?);
    Ok(())
}
