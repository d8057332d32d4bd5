//! P A = L U of every matrix of a batch.

use super::BatchedLu;
use super::shape::{CHUNK, Election, ROWS, SHARED, SLOTS, STAGE, SYSTEMS, Shape, WIDTH};
use crate::device::kernel::{Access, Fragment, Kernel, SUBGROUP, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;
use crate::scalar::Scalar;

/// Multiply-adds of one launch: drivers and browsers end what lasts, and a launch cannot be cut.
const OPERATIONS: u64 = 1 << 33;

/// Factors in place. There are systems, of order 1 at least.
pub(super) fn factor<T: Scalar>(lu: &mut BatchedLu<T>) -> Result<()> {
    match lu.factors.device().clone().ground() {
        Ground::Host => {
            on_host(lu);
            Ok(())
        }
        Ground::Gpu(gpu) => on_gpu(gpu, lu, Shape::of::<T>(lu.factors.device(), lu.factors.rows())),
    }
}

fn on_host<T: Scalar>(lu: &mut BatchedLu<T>) {
    let n = lu.factors.rows();
    let systems = lu.factors.buffer_mut().host_mut().chunks_exact_mut(n * n);
    let pivots = lu.pivots.host_mut().chunks_exact_mut(n);
    for ((a, pivots), status) in systems.zip(pivots).zip(lu.status.host_mut()) {
        *status = eliminate(a, n, pivots);
    }
    if let Some(first) = lu.status.host().iter().position(|status| *status != 0) {
        lu.singular.host_mut()[0] = u32::MAX - crate::device::narrow(first);
    }
}

/// Returns the first column without a pivot, plus one; 0 if there is none. A NaN is taken for a pivot, so that it spreads
/// and is seen.
fn eliminate<T: Scalar>(a: &mut [T], n: usize, pivots: &mut [u32]) -> u32 {
    let mut first_zero = 0;
    for c in 0..n {
        let mut pivot = c;
        for r in c + 1..n {
            let (best, next) = (a[pivot * n + c].abs(), a[r * n + c].abs());
            if !best.is_nan() && (next > best || next.is_nan()) {
                pivot = r;
            }
        }
        pivots[c] = crate::device::narrow(pivot);
        (0..n).for_each(|j| a.swap(c * n + j, pivot * n + j));
        let (upper, lower) = a.split_at_mut((c + 1) * n);
        let pivot_row = &upper[c * n + c..];
        if pivot_row[0].is_zero() {
            if first_zero == 0 {
                first_zero = crate::device::narrow(c + 1);
            }
            continue;
        }
        for row in lower.chunks_exact_mut(n) {
            let row = &mut row[c..];
            row[0] /= pivot_row[0];
            let negative = -row[0];
            row.iter_mut()
                .zip(pivot_row)
                .skip(1)
                .for_each(|(x, u)| *x = negative.mul_add(*u, *x));
        }
    }
    first_zero
}

fn on_gpu<T: Scalar>(gpu: &Gpu, lu: &BatchedLu<T>, shape: Shape) -> Result<()> {
    let (count, n) = (lu.factors.count(), lu.factors.rows());
    let kernel = match shape.election {
        Election::Workgroup => &WORKGROUP,
        Election::Shuffles | Election::Reductions(_) => &SUBGROUPS,
    };
    let operations = (n * n * n / 3 + n * n) as u64;
    for (first, end) in launches(count, operations, shape) {
        gpu.launch(&Launch {
            kernel,
            precision: Precision::of::<T>(Width::Single),
            constants: &shape.constants(),
            params: Params::new()
                .size("count", end)
                .size("first", first)
                .size("n", n)
                .integer("rounds", shape.stage),
            buffers: &[
                lu.factors.buffer().gpu(),
                lu.pivots.gpu(),
                lu.status.gpu(),
                lu.singular.gpu(),
            ],
            grid: Grid::covering((end - first) as u64, shape.systems.into()),
            work: Work {
                bytes: (2 * (end - first) * n * n * size_of::<T>()) as u64,
                operations: (end - first) as u64 * operations,
            },
        })?;
    }
    Ok(())
}

/// The systems of each launch: from the first up to the second number; whole workgroups, but for the last.
pub(super) fn launches(count: usize, operations: u64, shape: Shape) -> impl Iterator<Item = (usize, usize)> {
    let each = (OPERATIONS / operations).max(1).next_multiple_of(shape.systems.into());
    let each = usize::try_from(each).unwrap_or(usize::MAX);
    (0..count)
        .step_by(each)
        .map(move |first| (first, count.min(first.saturating_add(each))))
}

const fn kernel(name: &'static str, entry: &'static str, fragments: &'static [Fragment], source: Fragment) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings: &[Access::ReadWrite; 4],
        integers: &["count", "first", "n", "rounds"],
        scalars: &[],
        constants: &[WIDTH, ROWS, CHUNK, SYSTEMS, STAGE, SLOTS, SHARED],
        vocabulary: Vocabulary::Elements,
    }
}

pub(super) static SUBGROUPS: Kernel = kernel(
    "lu::batched::factor_subgroups",
    "factor_subgroups",
    &[
        fragment!("lib/grid.wgsl"),
        SUBGROUP,
        fragment!("lu/batched/rows.wgsl"),
        fragment!("lu/batched/election.wgsl"),
        fragment!("lu/batched/factor.wgsl"),
    ],
    fragment!("lu/batched/factor_subgroups.wgsl"),
);

pub(super) static WORKGROUP: Kernel = kernel(
    "lu::batched::factor_workgroup",
    "factor_workgroup",
    &[
        fragment!("lib/grid.wgsl"),
        fragment!("lu/batched/rows.wgsl"),
        fragment!("lu/batched/election.wgsl"),
        fragment!("lu/batched/factor.wgsl"),
    ],
    fragment!("lu/batched/factor_workgroup.wgsl"),
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    use crate::{Blocking as _, Df64, Select, lu::batched::Batch};

    #[test]
    fn launches_cover_every_system_once() {
        let shape = Shape::of::<f32>(&Device::host(), 32);
        for (count, operations) in [(0, 1), (1, 1), (1000, 1 << 30), (7, 1 << 40), (1 << 20, 1 << 14)] {
            let mut next = 0;
            for (first, end) in launches(count, operations, shape) {
                assert!(first == next && first < end, "{count}: {first} to {end} after {next}");
                assert!(end == count || (end - first).is_multiple_of(shape.systems as usize));
                assert!((end - first) as u64 * operations <= OPERATIONS.max(u64::from(shape.systems) * operations));
                next = end;
            }
            assert_eq!(next, count);
        }
    }

    /// Factors, pivots and statuses, as bytes.
    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    fn factored<T: Scalar>(device: &Device, n: usize, values: &[T], shape: Shape) -> [Vec<u8>; 3] {
        let a = Batch::from_slice(device, values.len() / n / n, n, n, values).expect("it fits");
        let lu = BatchedLu::unfactored(a).expect("it fits");
        match device.ground() {
            Ground::Host => unreachable!("only GPUs have shapes"),
            Ground::Gpu(gpu) => on_gpu(gpu, &lu, shape).expect("it is recorded"),
        }
        let factors = lu.factors.to_host().block_on().expect("it is done");
        let numbers = |buffer: &crate::device::Buffer<u32>| buffer.to_host().block_on().expect("it is done");
        let (pivots, status) = (numbers(&lu.pivots), numbers(&lu.status));
        let bytes = |numbers: &[u32]| bytemuck::cast_slice(numbers).to_vec();
        [bytemuck::cast_slice(&factors).to_vec(), bytes(&pivots), bytes(&status)]
    }

    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    fn elections_agree<T: Scalar>(device: &Device, orders: &[usize]) {
        if device.is_host() || device.supports::<T>().is_err() {
            return;
        }
        for &n in orders {
            // Few values: many ties, and now and then a singular matrix.
            let value = |k: usize| T::from_f64((k * k % 1009 * 7 % 5) as f64 - 2.0);
            let values: Vec<T> = (0..37 * n * n).map(value).collect();
            let usual = Shape::of::<T>(device, n);
            let through_memory = Shape {
                election: Election::Workgroup,
                ..usual
            };
            let expected = factored(device, n, &values, through_memory);
            // One system is less than a subgroup where that has several: not full.
            for systems in [usual.systems, 1] {
                let found = factored(device, n, &values, Shape { systems, ..usual });
                let case = format!("{n}, {systems} a workgroup in {} on {}", T::NAME, device.name());
                assert!(found == expected, "{case}: {usual:?}");
            }
        }
    }

    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    #[test]
    fn every_election_elects_the_same() {
        for adapter in Device::list().block_on() {
            let select = adapter.index.map_or(Select::Host, Select::Index);
            let device = Device::open(select).block_on().expect("it opens");
            elections_agree::<f32>(&device, &[3, 8, 20, 33, 64]);
            // Of two words of rank; compilers take long over wide rows of pairs.
            elections_agree::<Df64>(&device, &[3, 8]);
        }
    }
}
