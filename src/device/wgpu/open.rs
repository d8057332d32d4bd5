//! Finding adapters, and opening them.

use std::sync::{Arc, Mutex};
#[cfg(not(target_arch = "wasm32"))]
use std::sync::{OnceLock, PoisonError};

use super::faults::Faults;
use super::memory::Ledger;
use super::no_contraction::Target;
use super::parameters::Space;
#[cfg(not(target_arch = "wasm32"))]
use super::pipeline::DRIVER;
use super::pipeline::Pipelines;
use super::recorder::{Recorder, Speed};
use super::{Context, Lease, wgpu};
use crate::device::adapter::{INT64, LARGEST_SUBGROUP, SMALLEST_SUBGROUP, SUBGROUPS};
use crate::device::arithmetic::{self, Arithmetic};
use crate::device::at_once;
use crate::device::{Adapter, AdapterKind, Device, Gpu, Options};
use crate::error::{Error, Result};

/// Features that are used where an adapter has them; none is required.
const USED: [(&str, wgpu::Features); 5] = [
    ("shader-f64", wgpu::Features::SHADER_F64),
    (INT64, wgpu::Features::SHADER_INT64),
    (SUBGROUPS, wgpu::Features::SUBGROUP),
    ("passthrough-shaders", wgpu::Features::PASSTHROUGH_SHADERS),
    ("timestamp-query", wgpu::Features::TIMESTAMP_QUERY),
];

impl Device {
    /// A device on a wgpu device and queue of one's own, to share buffers with one's own passes. Its callbacks for
    /// errors and loss stay as they are; features that it was not opened with are not used.
    ///
    /// # Errors
    /// [`Error::Refused`] when the self-test cannot run.
    pub async fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue, options: Options) -> Result<Self> {
        let adapter = describe_with(None, &device.adapter_info(), &device.limits(), device.features());
        let faults = Arc::new(Faults::new(&adapter.name));
        let gpu = context(&adapter, (device, queue), faults, &options, None).await?;
        Ok(Self::on(adapter, gpu))
    }
}

/// Every adapter of this machine, one for each device: drivers of several interfaces to the same GPU count once, in
/// wgpu's order of preference.
pub(crate) async fn adapters() -> Vec<wgpu::Adapter> {
    #[cfg(target_arch = "wasm32")]
    {
        // A browser shows one adapter, and only when asked for it.
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let instance = instance(wgpu::Backends::all());
        instance.request_adapter(&options).await.into_iter().collect()
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        // With NVIDIA's driver 580, a thread that has begun and ended an instance beside others crashes at its own end. Of OpenGL,
        // which is begun only where there is nothing else, each has its own: wgpu makes one current in one thread at a time.
        static PRIMARY: OnceLock<wgpu::Instance> = OnceLock::new();
        let mut seen = std::collections::BTreeMap::new();
        let primary = PRIMARY.get_or_init(|| instance(wgpu::Backends::PRIMARY));
        let all = primary.enumerate_adapters(wgpu::Backends::PRIMARY).await;
        let all = if all.is_empty() {
            let secondary = instance(wgpu::Backends::SECONDARY);
            secondary.enumerate_adapters(wgpu::Backends::SECONDARY).await
        } else {
            all
        };
        let mut adapters = Vec::new();
        for adapter in all {
            let info = adapter.get_info();
            let capable = adapter
                .get_downlevel_capabilities()
                .flags
                .contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
            let backend = *seen
                .entry((info.name.clone(), info.vendor, info.device))
                .or_insert(info.backend);
            // Two cards of one model come from one backend; one card through two backends comes twice.
            if capable && backend == info.backend {
                adapters.push(adapter);
            }
        }
        adapters
    }
}

/// For these backends alone: to have OpenGL at hand is to begin and end it.
fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

pub(crate) fn describe(index: Option<usize>, adapter: &wgpu::Adapter) -> Adapter {
    describe_with(index, &adapter.get_info(), &adapter.limits(), adapter.features())
}

fn describe_with(
    index: Option<usize>,
    info: &wgpu::AdapterInfo,
    limits: &wgpu::Limits,
    features: wgpu::Features,
) -> Adapter {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
        wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
        wgpu::DeviceType::Cpu => AdapterKind::Software,
        wgpu::DeviceType::Other => AdapterKind::Other,
    };
    Adapter {
        index,
        name: if info.name.is_empty() {
            "WebGPU adapter".to_owned()
        } else {
            info.name.clone()
        },
        kind,
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        limits: vec![
            ("maxBufferSize", limits.max_buffer_size),
            ("maxStorageBufferBindingSize", limits.max_storage_buffer_binding_size),
            (
                "maxStorageBuffersPerShaderStage",
                limits.max_storage_buffers_per_shader_stage.into(),
            ),
            (
                "maxComputeWorkgroupStorageSize",
                limits.max_compute_workgroup_storage_size.into(),
            ),
            (
                "maxComputeInvocationsPerWorkgroup",
                limits.max_compute_invocations_per_workgroup.into(),
            ),
            (
                "maxComputeWorkgroupsPerDimension",
                limits.max_compute_workgroups_per_dimension.into(),
            ),
            (SMALLEST_SUBGROUP, info.subgroup_min_size.into()),
            (LARGEST_SUBGROUP, info.subgroup_max_size.into()),
        ],
        features: USED
            .iter()
            .map(|(name, feature)| (*name, features.contains(*feature)))
            .collect(),
    }
}

/// Opens an adapter with its own limits and the features that are used, and measures its arithmetic.
pub(crate) async fn open(adapter: Adapter, raw: wgpu::Adapter, options: Options) -> Result<(Adapter, Gpu)> {
    #[cfg(not(target_arch = "wasm32"))]
    if let Some((lease, faults)) = Lease::again(&raw.get_info()) {
        let (device, queue) = lease.parts();
        let gpu = context(&adapter, (device, queue), faults, &options, Some(lease)).await?;
        return Ok((adapter, gpu));
    }
    let used = USED
        .iter()
        .fold(wgpu::Features::empty(), |all, (_, feature)| all | *feature);
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("nonius"),
        required_features: raw.features() & used,
        required_limits: raw.limits(),
        memory_hints: wgpu::MemoryHints::Performance,
        ..Default::default()
    };
    #[cfg(target_arch = "wasm32")]
    let opened = raw.request_device(&descriptor).await;
    #[cfg(not(target_arch = "wasm32"))]
    let opened = request(&raw, &descriptor);
    let (device, queue) = opened.map_err(|error| Error::Refused {
        what: "to be opened".to_owned(),
        device: adapter.name.clone(),
        reason: error.to_string(),
    })?;
    let faults = Arc::new(Faults::new(&adapter.name));
    faults.listen(&device);
    #[cfg(not(target_arch = "wasm32"))]
    let lease = Lease::of(&raw.get_info(), &device, &queue);
    #[cfg(target_arch = "wasm32")]
    let lease = None;
    let gpu = context(&adapter, (device, queue), faults, &options, lease).await?;
    Ok((adapter, gpu))
}

/// Makes a device while nothing is compiled.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn request(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
) -> std::result::Result<(wgpu::Device, wgpu::Queue), wgpu::RequestDeviceError> {
    let _nothing_is_compiled = DRIVER.write().unwrap_or_else(PoisonError::into_inner);
    pollster::block_on(adapter.request_device(descriptor))
}

async fn context(
    adapter: &Adapter,
    (device, queue): (wgpu::Device, wgpu::Queue),
    faults: Arc<Faults>,
    options: &Options,
    lease: Option<Lease>,
) -> Result<Gpu> {
    let limits = device.limits();
    let features = device.features();
    let takes_spirv =
        adapter.backend == wgpu::Backend::Vulkan.to_string() && features.contains(wgpu::Features::PASSTHROUGH_SHADERS);
    let spirv = Target::new(takes_spirv, options.checks);
    let (pipelines, recorder) = faults.scoped("a context", 0, &device, || {
        let params = Space::of(adapter, &limits);
        let pipelines = Pipelines::new(&device, options.checks, spirv, params);
        (
            pipelines,
            Recorder::new(&device, &limits, Speed::of(adapter.kind), params),
        )
    })?;
    let mut gpu = Gpu::Wgpu(Context {
        name: adapter.name.clone(),
        device,
        queue,
        limits,
        memory: Ledger::new(options.memory),
        faults,
        pipelines,
        recorder: Mutex::new(recorder),
        arithmetic: Arithmetic::unmeasured(adapter),
        workgroups_at_once: 1,
        scratch: Mutex::new(Vec::new()),
        _lease: lease,
    });
    let can = arithmetic::Can {
        doubles: features.contains(wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64),
        no_contraction: spirv.is_some(),
    };
    let measured = arithmetic::measure(&gpu, adapter, can, &options.words).await?;
    let workgroups = at_once::measure(&gpu, adapter).await?;
    let Gpu::Wgpu(context) = &mut gpu;
    context.arithmetic = measured;
    context.workgroups_at_once = workgroups;
    Ok(gpu)
}
