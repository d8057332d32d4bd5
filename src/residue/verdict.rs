//! −1, 0 or 1 for each integer, as it compares with 0: what signs and comparisons share.

use std::cmp::Ordering;

use super::basis::Basis;
use super::fraction::Method;
use super::map::{WORKGROUP, no_scalar};
use super::prime::Prime;
use super::vector::Vector;
use super::width::Widths;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary};
use crate::device::{Buffer, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::Result;

/// r, the number of residues of an integer.
pub(crate) const PRIMES: Constant = Constant {
    name: "PRIMES",
    default: 6,
};

/// How signs are found: 0 by mixed radix digits, 1 by the fraction and digits where that does not say.
pub(crate) const METHOD: Constant = Constant {
    name: "METHOD",
    default: 1,
};

/// The residues that mixed radix digits are made of: all of them, but where a basis is extended.
pub(crate) const DIGITS: Constant = Constant {
    name: "DIGITS",
    default: 6,
};

/// What kernels that judge share, and what they have beside.
macro_rules! kernels {
    ($kernel:expr, $name:literal, $source:literal, $other:literal) => {
        $crate::residue::width::widths!(
            $kernel, $name, $source,
            both [
                "lib/grid.wgsl",
                "residue/lib/table.wgsl",
                "residue/lib/sums.wgsl",
        "residue/lib/modular.wgsl",
                "residue/lib/residues.wgsl",
                "residue/lib/number.wgsl",
                "residue/lib/mixed_radix.wgsl",
                $other
            ],
            narrow ["residue/lib/narrow.wgsl", "residue/lib/fraction.wgsl"],
            wide ["lib/int64.wgsl", "residue/lib/wide.wgsl", "residue/lib/fraction_wide.wgsl"]
        )
    };
}
pub(super) use kernels;

/// Their constants, and the values for a launch.
pub(super) const CONSTANTS: &[Constant] = &[WORKGROUP, PRIMES, DIGITS, METHOD];

pub(super) fn constants(primes: usize, method: Method) -> [(&'static str, u32); 3] {
    [PRIMES.of(primes), DIGITS.of(primes), method.constant()]
}

/// A kernel of one sign, with `residue/lib/verdict.wgsl`.
pub(super) const fn kernel(name: &'static str, source: Fragment, fragments: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: "verdict",
        source,
        fragments,
        bindings: &[Access::Read, Access::Read, Access::Read, Access::ReadWrite],
        integers: &["n"],
        scalars: &[],
        constants: CONSTANTS,
        vocabulary: Vocabulary::Integers,
    }
}

impl Method {
    const fn constant(self) -> (&'static str, u32) {
        match self {
            Self::MixedRadix => ("METHOD", 0),
            Self::Fraction => ("METHOD", 1),
        }
    }
}

/// The signs of f(x, y); where f takes no y, x stands for it.
pub(super) fn judge(
    kernels: &'static Widths,
    x: &Vector,
    y: &Vector,
    method: Method,
    operand: impl Fn(Prime, u32, u32) -> u32,
) -> Result<Buffer<i32>> {
    match x.device().ground() {
        Ground::Host => {
            let sign = |i| {
                x.basis().sign_of(method, || {
                    let operands = x.host(i).zip(y.host(i)).zip(x.basis().primes());
                    operands.map(|((x, y), prime)| operand(prime, x, y))
                })
            };
            let signs: Vec<i32> = (0..x.len()).map(|i| number(sign(i))).collect();
            Buffer::from_slice(x.device(), &signs)
        }
        Ground::Gpu(gpu) => {
            x.device().check_turns("a sign of residues", turns(x.basis().len()))?;
            let signs = Buffer::zeros(x.device(), x.len())?;
            if !x.is_empty() {
                launch(gpu, kernels.of(x.basis().width()), x, y, method, &signs)?;
            }
            Ok(signs)
        }
    }
}

/// −1, 0 or 1.
pub(super) fn number(sign: Ordering) -> i32 {
    match sign {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

fn launch(
    gpu: &Gpu,
    kernel: &'static Kernel,
    x: &Vector,
    y: &Vector,
    method: Method,
    signs: &Buffer<i32>,
) -> Result<()> {
    let (n, primes) = (x.len(), x.basis().len());
    gpu.launch(&Launch {
        kernel,
        precision: no_scalar(),
        constants: &constants(primes, method),
        params: Params::new().size("n", n),
        buffers: &[
            x.table().buffer().gpu(),
            x.buffer().gpu(),
            y.buffer().gpu(),
            signs.gpu(),
        ],
        grid: Grid::covering(n as u64, u64::from(WORKGROUP.default)),
        work: Work {
            bytes: (8 * n * primes) as u64,
            operations: n as u64 * products(x.basis(), method) as u64,
        },
    })
}

/// Turns of loops that a sign takes where the fraction is silent, so that they are digits, too.
pub(super) const fn turns(primes: usize) -> usize {
    primes * (primes / 2 + 4)
}

/// What a sign costs, in 32-bit multiplications.
pub(super) fn products(basis: &Basis, method: Method) -> usize {
    match method {
        Method::MixedRadix => basis.width().multiplications() * basis.len() * (basis.len() + 1) / 2,
        Method::Fraction => 8 * basis.len(),
    }
}
