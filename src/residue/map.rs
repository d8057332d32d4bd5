//! Residue by residue: one skeleton for sums, differences, products and powers, on the host and in kernels.
//!
//! Bound by memory: a residue is read and written once, and nothing waits for anything.

use num_bigint::BigUint;

use super::prime::Prime;
use super::vector::Vector;
use super::width::Widths;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;

/// The invocations of a workgroup of the kernels of residues.
pub(crate) const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 128,
};

/// Kernels of integers have no scalar: this one stands for none.
pub(crate) fn no_scalar() -> Precision {
    Precision::of::<f32>(Width::Single)
}

/// z ← f(x, y) modulo each prime.
macro_rules! kernels {
    ($name:literal, $source:literal) => {
        $crate::residue::width::widths!(
            $crate::residue::map::kernel, $name, $source,
            both ["lib/grid.wgsl", "residue/lib/table.wgsl", "residue/lib/sums.wgsl",
        "residue/lib/modular.wgsl", "residue/lib/map.wgsl"],
            narrow ["residue/lib/narrow.wgsl"],
            wide ["lib/int64.wgsl", "residue/lib/wide.wgsl"]
        )
    };
}
pub(super) use kernels;

pub(super) const fn kernel(name: &'static str, source: Fragment, fragments: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: "map",
        source,
        fragments,
        bindings: &[Access::Read, Access::Read, Access::Read, Access::ReadWrite],
        integers: &["n", "blocks", "primes", "exponent"],
        scalars: &[],
        constants: &[WORKGROUP],
        vocabulary: Vocabulary::Integers,
    }
}

/// The vector of f(x, y), whose bound has been checked. Where f takes no y, x stands for it.
pub(super) fn map(
    kernels: &'static Widths,
    x: &Vector,
    y: &Vector,
    exponent: u32,
    bound: BigUint,
    on_host: impl Fn(Prime, u32, u32) -> u32,
) -> Result<Vector> {
    let (n, basis) = (x.len(), x.basis());
    let mut z = Buffer::zeros(x.device(), n * basis.len())?;
    if n > 0 {
        match x.device().ground() {
            Ground::Host => {
                let rows = z.host_mut().chunks_exact_mut(n);
                let operands = x.buffer().host().chunks_exact(n).zip(y.buffer().host().chunks_exact(n));
                for ((row, (x, y)), prime) in rows.zip(operands).zip(basis.primes()) {
                    for (z, (x, y)) in row.iter_mut().zip(x.iter().zip(y)) {
                        *z = on_host(prime, *x, *y);
                    }
                }
            }
            Ground::Gpu(gpu) => launch(gpu, kernels.of(basis.width()), x, y, exponent, &z)?,
        }
    }
    Ok(Vector::from_buffer(x.table(), z, n, bound))
}

fn launch(gpu: &Gpu, kernel: &'static Kernel, x: &Vector, y: &Vector, exponent: u32, z: &Buffer<u32>) -> Result<()> {
    let (n, primes) = (x.len(), x.basis().len());
    let blocks = n.div_ceil(WORKGROUP.default as usize);
    let residues = z.len() as u64;
    gpu.launch(&Launch {
        kernel,
        precision: no_scalar(),
        constants: &[],
        params: Params::new()
            .size("n", n)
            .size("blocks", blocks)
            .size("primes", primes)
            .integer("exponent", exponent),
        buffers: &[x.table().buffer().gpu(), x.buffer().gpu(), y.buffer().gpu(), z.gpu()],
        grid: Grid::of(blocks as u64 * primes as u64),
        work: Work {
            bytes: 12 * residues,
            operations: residues * u64::from(2 * (u32::BITS - exponent.leading_zeros()).max(1)),
        },
    })
}
