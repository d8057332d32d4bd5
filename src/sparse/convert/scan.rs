//! Exclusive prefix sums of numbers on the device: how counts become pointers.
//!
//! Blocks first, then what lies before each (Harris, Sengupta and Owens, *Parallel prefix sum (scan) with CUDA*, GPU Gems 3,
//! 2007, §39.2.4): no workgroup waits for another.

use super::GRID;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, GpuBuffer, Grid, Launch, Params, Work};
use crate::error::Result;

/// Every `stride`-th number of some, from `offset` on: what is scanned.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) offset: usize,
    pub(super) stride: usize,
    pub(super) count: usize,
}

/// Records nᵢ ← Σ nⱼ over j < i, in place. The sum of all is below 2³²; the last number is best a zero, which becomes that sum.
///
/// Cost: one dispatch for 1024 numbers, three for 1024², five beyond; each number is read and written twice.
pub(super) fn exclusive(gpu: &Gpu, buffer: &GpuBuffer, numbers: Numbers) -> Result<()> {
    let Numbers { offset, stride, count } = numbers;
    let block = (WORKGROUP.default * EACH.default) as usize;
    let blocks = count.div_ceil(block);
    let totals = gpu.scratch("sums of blocks", 4 * blocks as u64)?;
    let launch = |kernel, grid, other: &GpuBuffer| {
        gpu.launch(&Launch {
            kernel,
            precision: Precision::of::<f32>(Width::Single),
            constants: &[],
            params: Params::new()
                .size("count", count)
                .size("offset", offset)
                .size("stride", stride),
            buffers: &[buffer, other],
            grid,
            work: Work {
                bytes: 8 * count as u64,
                operations: 0,
            },
        })
    };
    launch(&SCAN, Grid::of(blocks as u64), &totals)?;
    if blocks > 1 {
        let of_blocks = Numbers {
            offset: 0,
            stride: 1,
            count: blocks,
        };
        exclusive(gpu, &totals, of_blocks)?;
        launch(
            &SCAN_ADD,
            Grid::covering(count as u64, WORKGROUP.default.into()),
            &totals,
        )?;
    }
    Ok(())
}

/// Numbers of an invocation.
const EACH: Constant = Constant {
    name: "EACH",
    default: 4,
};

static SCAN: Kernel = kernel(
    "scan",
    "scan",
    fragment!("sparse/convert/scan.wgsl"),
    &[GRID, fragment!("lib/sum_to.wgsl")],
    &[Access::ReadWrite, Access::ReadWrite],
);
static SCAN_ADD: Kernel = kernel(
    "scan (sums of blocks)",
    "add_before",
    fragment!("sparse/convert/scan_add.wgsl"),
    &[GRID],
    &[Access::ReadWrite, Access::Read],
);

/// Every kernel of this operation.
pub(super) static KERNELS: [&Kernel; 2] = [&SCAN, &SCAN_ADD];

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    bindings: &'static [Access],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings,
        integers: &["count", "offset", "stride"],
        scalars: &[],
        constants: &[WORKGROUP, EACH],
        vocabulary: Vocabulary::Integers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Ground;
    use crate::{Blocking as _, Device, Select};

    /// Around a block and a block of blocks, and beside numbers that are not to be touched.
    #[test]
    fn sums_of_what_lies_before() -> Result<()> {
        for adapter in Device::list().block_on() {
            let Some(index) = adapter.index else { continue };
            let device = Device::open(Select::Index(index)).block_on()?;
            let Ground::Gpu(gpu) = device.ground() else { continue };
            for (count, offset, stride) in [
                (1, 0, 1),
                (1023, 0, 1),
                (1024, 3, 2),
                (1025, 2, 3),
                (5000, 0, 1),
                ((1 << 20) + 7, 1, 1),
            ] {
                let numbers: Vec<u32> = (0..offset + count * stride + 2)
                    .map(|i| u32::try_from(i * 7919 % 13).expect("small"))
                    .collect();
                let buffer = gpu.upload_new("numbers", bytemuck::cast_slice(&numbers))?;
                exclusive(gpu, &buffer, Numbers { offset, stride, count })?;
                let found = gpu.download(&buffer, 0, 4 * numbers.len() as u64).block_on()?;
                let found: Vec<u32> = bytemuck::pod_collect_to_vec(&found);
                let mut expected = numbers.clone();
                let mut sum = 0;
                for i in 0..count {
                    expected[offset + i * stride] = sum;
                    sum += numbers[offset + i * stride];
                }
                let wrong = found
                    .iter()
                    .zip(&expected)
                    .position(|(found, expected)| found != expected);
                assert_eq!(wrong, None, "{count} from {offset} by {stride} on {}", device.name());
            }
        }
        Ok(())
    }
}
