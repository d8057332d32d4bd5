//! What the first cache gives: the bandwidth that the paper's third finding is about (its table 3, there by GPU Bench).

use crate::device::arithmetic::invocations;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Device, Gpu, GpuBuffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;

/// Texels of 16 bytes that all invocations read again and again: 8 KiB, which every first cache holds.
const WINDOW: Constant = Constant {
    name: "WINDOW",
    default: 512,
};

/// The texels that an invocation reads in a round.
const READS: Constant = Constant {
    name: "READS",
    default: 8,
};

const TEXEL: u64 = 16;

pub(super) static CACHE_BANDWIDTH: Kernel = Kernel {
    name: "lu::fragment::cache_bandwidth",
    entry: "cache_bandwidth",
    source: fragment!("lu/fragment/cache.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::ReadWrite],
    integers: &["invocations", "rounds"],
    scalars: &[],
    constants: &[WORKGROUP, WINDOW, READS],
    vocabulary: Vocabulary::Integers,
};

/// The bytes that invocations read in a second out of 8 KiB, in texels of 16 bytes that lie beside each other for neighbours:
/// what a draw could reference at most. The fastest of five runs. None for the host, whose loops are no fragments.
///
/// # Errors
/// As [`Device::time`].
///
/// # Cost
/// A kernel that is compiled, and about 0.1 s of work.
///
/// ```
/// use nonius::{Blocking, Device, lu::fragment::cache};
/// assert_eq!(cache::bandwidth(&Device::host()).block_on()?, None);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn bandwidth(device: &Device) -> Result<Option<f64>> {
    let Ground::Gpu(gpu) = device.ground() else {
        return Ok(None);
    };
    let invocations = invocations(device.adapter().kind);
    let texels = gpu.upload_new("texels", bytemuck::cast_slice(&window()))?;
    let results = gpu.allocate("results", (invocations * size_of::<u32>()) as u64)?;
    let seconds = device
        .fastest_round(|rounds| launch(gpu, &texels, &results, invocations, rounds))
        .await?;
    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    let bytes = bytes(invocations) as f64;
    Ok(Some(bytes / seconds))
}

/// Read in a round.
fn bytes(invocations: usize) -> u64 {
    invocations as u64 * u64::from(READS.default) * TEXEL
}

/// Channels of the window's texels, without a pattern that exclusive or would cancel.
fn window() -> Vec<u32> {
    (0..4 * WINDOW.default)
        .map(|at| at.wrapping_mul(0x9e37_79b9).rotate_left(at % 32))
        .collect()
}

fn launch(gpu: &Gpu, texels: &GpuBuffer, results: &GpuBuffer, invocations: usize, rounds: u32) -> Result<()> {
    let bytes = bytes(invocations).saturating_mul(rounds.into());
    gpu.launch(&Launch {
        kernel: &CACHE_BANDWIDTH,
        precision: Precision::of::<f32>(Width::Single),
        constants: &[],
        params: Params::new().size("invocations", invocations).integer("rounds", rounds),
        buffers: &[texels, results],
        grid: Grid::covering(invocations as u64, WORKGROUP.default.into()),
        work: Work {
            bytes,
            operations: bytes / 4,
        },
    })
}

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    use super::*;
    use crate::{Blocking as _, Select};

    /// Every texel of every round counts.
    #[test]
    fn what_is_read_is_what_the_host_reads() {
        let window = window();
        let workgroup = WORKGROUP.default as usize;
        for adapter in Device::list().block_on() {
            let Some(index) = adapter.index else { continue };
            let device = Device::open(Select::Index(index)).block_on().expect("it opens");
            let Ground::Gpu(gpu) = device.ground() else { continue };
            let invocations = 3 * workgroup + 5;
            let texels = gpu
                .upload_new("texels", bytemuck::cast_slice(&window))
                .expect("it fits");
            let size = (invocations * size_of::<u32>()) as u64;
            for rounds in [0, 1, 2, 37] {
                let results = gpu.allocate("results", size).expect("it fits");
                launch(gpu, &texels, &results, invocations, rounds).expect("it is recorded");
                let found = gpu.download(&results, 0, size).block_on().expect("it comes back");
                let found: Vec<u32> = bytemuck::pod_collect_to_vec(&found);
                let rounds = rounds as usize;
                let reads = READS.default as usize;
                let expected = (0..invocations).map(|i| {
                    let texels = (0..rounds * reads).map(|read| (i % workgroup + 8 * read) % (window.len() / 4));
                    texels
                        .flat_map(|texel| &window[4 * texel..4 * texel + 4])
                        .fold(0, |folded, channel| folded ^ channel)
                });
                let differing = found
                    .iter()
                    .zip(expected)
                    .position(|(found, expected)| *found != expected);
                assert_eq!(differing, None, "{}, {rounds} rounds", device.name());
            }
        }
    }
}
