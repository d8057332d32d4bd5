//! How many workgroups a device runs at once. WGSL promises none, so it is measured when a device is opened that may run many: kernels
//! whose workgroups wait for one another have fewer.

use super::gpu::Gpu;
use super::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use super::launch::{Launch, Params, Work};
use super::precision::{Precision, Version, Width};
use super::{Adapter, AdapterKind, Device, Grid, Ground};
use crate::error::Result;

/// More are not asked for.
const MOST: u32 = 256;

/// Looks at the others before one gives up: some thousandths of a second, if a look takes a third of a microsecond.
const PATIENCE: u32 = 1 << 14;

/// Words of workgroup memory.
const ROOM: Constant = Constant {
    name: "ROOM",
    default: 4096,
};

pub(crate) static AT_ONCE: Kernel = Kernel {
    name: "device::at_once",
    entry: "at_once",
    source: fragment!("device/at_once.wgsl"),
    fragments: &[],
    bindings: &[Access::ReadWrite],
    integers: &["groups", "patience"],
    scalars: &[],
    constants: &[WORKGROUP, ROOM],
    vocabulary: Vocabulary::Integers,
};

impl Device {
    /// How many of the largest workgroups that it has this device was seen to run at once when it was opened, at most 256: kernels whose
    /// workgroups wait for one another have half as many at most; where all wait for the first, it is enough that there are several. 1
    /// where that was not measured: on GPUs that share the host's memory, which are small, on drivers that compute on the CPU, in
    /// browsers, and on the host.
    ///
    /// ```
    /// assert_eq!(nonius::Device::host().workgroups_at_once(), 1);
    /// ```
    #[must_use]
    pub fn workgroups_at_once(&self) -> u32 {
        match self.ground() {
            Ground::Host => 1,
            Ground::Gpu(gpu) => gpu.workgroups_at_once(),
        }
    }
}

/// What [`Device::workgroups_at_once`] tells.
pub(super) async fn measure(gpu: &Gpu, adapter: &Adapter) -> Result<u32> {
    match adapter.kind {
        AdapterKind::Discrete | AdapterKind::Virtual => Ok(seen(gpu, adapter, MOST).await?.clamp(1, MOST)),
        _ => Ok(1),
    }
}

/// Of so many.
async fn seen(gpu: &Gpu, adapter: &Adapter, groups: u32) -> Result<u32> {
    let limit = |name, least, most| {
        let limit = adapter.limit(name).unwrap_or(least).min(most);
        u32::try_from(limit).unwrap_or_else(|_| unreachable!("at most {most}"))
    };
    let invocations = limit("maxComputeInvocationsPerWorkgroup", 256, 1024);
    let room = limit("maxComputeWorkgroupStorageSize", 16 << 10, 1 << 20) / 4;
    let seen = gpu.upload_new("workgroups at once", bytemuck::bytes_of(&[0, u32::MAX]))?;
    let launch = Launch {
        kernel: &AT_ONCE,
        precision: Precision::of::<f32>(Width::Single),
        constants: &[(WORKGROUP.name, invocations), (ROOM.name, room)],
        params: Params::new().integer("groups", groups).integer("patience", PATIENCE),
        buffers: &[&seen],
        grid: Grid::of(u64::from(groups)),
        work: Work::default(),
    };
    gpu.launch_as(Version::PLAIN, &launch)?;
    let fewest = gpu.download(&seen, 4, 4).await?;
    Ok(bytemuck::pod_read_unaligned(&fewest))
}

#[cfg(all(test, feature = "wgpu", not(target_arch = "wasm32")))]
mod tests {
    use super::{MOST, seen};
    use crate::device::{AdapterKind, Ground};
    use crate::{Blocking as _, Device, Select};

    /// One is there as it comes, and nobody sees more than have come.
    #[test]
    fn as_many_are_seen_as_have_come() {
        for adapter in Device::list().block_on() {
            let Some(index) = adapter.index else { continue };
            let device = Device::open(Select::Index(index)).block_on().expect("it opens");
            let Ground::Gpu(gpu) = device.ground() else {
                unreachable!("it is a GPU")
            };
            let seen = |groups| seen(gpu, &adapter, groups).block_on().expect("it is asked");
            assert_eq!(seen(1), 1, "{}", adapter.name);
            let found = seen(MOST);
            assert!((1..=MOST).contains(&found), "{found} on {}", adapter.name);
            match adapter.kind {
                AdapterKind::Discrete | AdapterKind::Virtual => assert_eq!(device.workgroups_at_once(), found),
                _ => assert_eq!(device.workgroups_at_once(), 1, "nothing relies on more"),
            }
        }
    }
}
