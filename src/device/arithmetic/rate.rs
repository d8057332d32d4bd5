//! How many multiply-adds a device does in a second when nothing else holds it up: what a product of matrices may reach.

use std::hint::black_box;

use crate::device::gpu::Gpu;
use crate::device::gpu_buffer::GpuBuffer;
use crate::device::grid::Grid;
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::launch::{Launch, Params, Work};
use crate::device::precision::{Precision, Width};
use crate::device::{AdapterKind, Device, Ground};
use crate::error::Result;
use crate::scalar::Scalar;

/// The chains of an invocation, eight in the shader too: what one has to wait for, others fill.
const CHAINS: usize = 8;

/// The chains of the host: a row that its first cache holds, as in its GEMM, whose loops compilers vectorise over rows.
const HOST_CHAINS: usize = 256;

/// The multiply-adds of a chain between two looks at the number of rounds.
const STEPS: Constant = Constant {
    name: "STEPS",
    default: 16,
};

pub(super) static MULTIPLY_ADD_RATE: Kernel = Kernel {
    name: "arithmetic::multiply_add_rate",
    entry: "multiply_add_rate",
    source: fragment!("arithmetic/multiply_add_rate.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::ReadWrite],
    integers: &["invocations", "rounds"],
    scalars: &["factor", "term"],
    constants: &[WORKGROUP, STEPS],
    vocabulary: Vocabulary::Elements,
};

/// Chains tend to TERM / (1 − FACTOR), about 0.55, and stay there: no overflow. Nor subnormals, on which CPUs are slow: a
/// limit that one word could hold, such as 1/2, would leave a second word that shrinks until it is one.
const FACTOR: f64 = 0.8;
const TERM: f64 = 0.11;

/// A launch that is timed lasts so long at least, and by the steps that lead to it four times as long at most.
const SECONDS: f64 = 5e-3;
const SAMPLES: usize = 5;

impl Device {
    /// The multiply-adds that this device does in a second in `T`, in independent chains and without touching memory: an
    /// upper bound for GEMM, in the arithmetic that the self-test chose. The fastest of five runs.
    ///
    /// On the host, one thread, as the compiler vectorises the library's own loops; its GEMM of `f32` and `f64` is faster,
    /// since that chooses wider instructions when it runs.
    ///
    /// # Errors
    /// [`Error::UnsupportedScalar`](crate::Error::UnsupportedScalar); else as [`Device::time`].
    ///
    /// # Cost
    /// A kernel that is compiled, and about 0.1 s of work; on software adapters more.
    ///
    /// ```
    /// use nonius::{Blocking, Device};
    /// let rate = Device::host().multiply_add_rate::<f32>().block_on()?;
    /// assert!(rate > 1e6);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn multiply_add_rate<T: Scalar>(&self) -> Result<f64> {
        self.supports::<T>()?;
        match self.ground() {
            Ground::Host => {
                let seconds = self.fastest_round(|rounds| {
                    let mut chains = chains::<T>(0, HOST_CHAINS);
                    on_host(&mut chains, rounds);
                    black_box(chains);
                    Ok(())
                });
                Ok(a_round(HOST_CHAINS) / seconds.await?)
            }
            Ground::Gpu(gpu) => {
                let invocations = invocations(self.adapter().kind);
                let results = gpu.allocate("results", (invocations * size_of::<T>()) as u64)?;
                let seconds = self.fastest_round(|rounds| launch::<T>(gpu, &results, invocations, rounds));
                Ok(a_round(invocations * CHAINS) / seconds.await?)
            }
        }
    }

    /// The seconds that a round takes in the fastest run of `run`, which does so many rounds.
    pub(crate) async fn fastest_round(&self, run: impl Fn(u32) -> Result<()>) -> Result<f64> {
        // The first compiles.
        self.time(&mut || run(1)).await?;
        let mut rounds = 1;
        while self.time(&mut || run(rounds)).await?.seconds() < SECONDS && rounds < 1 << 24 {
            rounds *= 4;
        }
        let mut best = f64::INFINITY;
        for _ in 0..SAMPLES {
            best = best.min(self.time(&mut || run(rounds)).await?.seconds());
        }
        Ok(best / f64::from(rounds))
    }
}

/// The multiply-adds of a round of so many chains.
#[expect(clippy::cast_precision_loss, reason = "a figure")]
fn a_round(chains: usize) -> f64 {
    chains as f64 * f64::from(STEPS.default)
}

/// Enough to fill the largest GPU several times over; of a CPU, not so many that one round lasts long in slow arithmetic.
pub(crate) fn invocations(kind: AdapterKind) -> usize {
    match kind {
        AdapterKind::Software | AdapterKind::Host => 1 << 14,
        _ => 1 << 20,
    }
}

fn launch<T: Scalar>(gpu: &Gpu, results: &GpuBuffer, invocations: usize, rounds: u32) -> Result<()> {
    let operations = (invocations * CHAINS) as u64 * u64::from(STEPS.default) * u64::from(rounds);
    gpu.launch(&Launch {
        kernel: &MULTIPLY_ADD_RATE,
        precision: Precision::of::<T>(Width::Single),
        constants: &[],
        params: Params::new()
            .size("invocations", invocations)
            .integer("rounds", rounds)
            .scalar("factor", T::from_f64(FACTOR))
            .scalar("term", T::from_f64(TERM)),
        buffers: &[results],
        grid: Grid::covering(invocations as u64, WORKGROUP.default.into()),
        work: Work {
            bytes: (invocations * size_of::<T>()) as u64,
            operations,
        },
    })
}

/// How so many chains begin, of which the first is this.
#[expect(clippy::cast_precision_loss, reason = "small integers")]
fn chains<T: Scalar>(first: usize, count: usize) -> Vec<T> {
    (first..first + count).map(|k| T::from_f64(k as f64)).collect()
}

fn on_host<T: Scalar>(chains: &mut [T], rounds: u32) {
    // Not known to the compiler, as a parameter is not.
    let (x, y) = black_box((T::from_f64(FACTOR), T::from_f64(TERM)));
    for _ in 0..u64::from(rounds) * u64::from(STEPS.default) {
        chains.iter_mut().for_each(|c| *c = c.mul_add(x, y));
    }
}

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    use super::*;
    use crate::{Blocking, Dd, Df64, Select};

    /// Every step of every chain counts: pairs agree with the host bit for bit, words but for the rounding of fma.
    fn chains_are_the_hosts<T: Scalar>(device: &Device, tolerance: f64) {
        let Ground::Gpu(gpu) = device.ground() else { return };
        if let Err(error) = device.supports::<T>() {
            println!("not tested: {error}");
            return;
        }
        let invocations = 300;
        let bytes = (invocations * size_of::<T>()) as u64;
        for rounds in [0, 1, 2] {
            let results = gpu.allocate("results", bytes).expect("it fits");
            launch::<T>(gpu, &results, invocations, rounds).expect("it is recorded");
            let found = gpu.download(&results, 0, bytes).block_on().expect("it comes back");
            let found: Vec<T> = bytemuck::pod_collect_to_vec(&found);
            for (i, found) in found.into_iter().enumerate() {
                let mut chains = chains::<T>(CHAINS * i, CHAINS);
                on_host(&mut chains, rounds);
                // In the order of the shader.
                while chains.len() > 1 {
                    chains = chains.chunks(2).map(|pair| pair[0] + pair[1]).collect();
                }
                let expected = chains[0];
                let error = ((found - expected) / expected).to_f64().abs();
                let place = || format!("{} of {}, {rounds} rounds, {i}", device.name(), T::NAME);
                assert!(error <= tolerance, "{}: {found} instead of {expected}", place());
            }
        }
    }

    #[test]
    fn chains_are_the_hosts_on_every_adapter() {
        for adapter in Device::list().block_on() {
            let Some(index) = adapter.index else { continue };
            let device = Device::open(Select::Index(index)).block_on().expect("it opens");
            chains_are_the_hosts::<f32>(&device, 64.0 * f32::ROUNDING);
            chains_are_the_hosts::<Df64>(&device, 0.0);
            chains_are_the_hosts::<f64>(&device, 64.0 * f64::ROUNDING);
            chains_are_the_hosts::<Dd>(&device, 0.0);
        }
    }

    /// A CPU does a hundredth of its multiply-adds in subnormals.
    #[test]
    fn low_words_stay_normal() {
        let mut chains = chains::<Df64>(0, HOST_CHAINS);
        on_host(&mut chains, 1000);
        let low = chains.iter().map(|chain| chain.lo().abs());
        let least = low.fold(f32::INFINITY, f32::min);
        assert!(least > 1e-20, "{least:e}");
    }
}
