//! Which integers are zero.

use super::map::{WORKGROUP, no_scalar};
use super::vector::Vector;
use crate::device::kernel::{Access, Kernel, Vocabulary, fragment};
use crate::device::{Buffer, Grid, Ground, Launch, Params, Work};
use crate::error::Result;

/// 1 where the integer is 0, else 0: an integer of the range is 0 exactly if all its residues are, so this needs no sign.
///
/// Cost: one dispatch, rn `u32`s read, n written.
///
/// # Errors
/// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Vector, is_zero}};
/// let x = Vector::from_integers(&Device::host(), &Basis::largest(2)?, &[0.into(), 65_521.into()])?;
/// assert_eq!(is_zero(&x)?.to_host().block_on()?, [1, 0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn is_zero(x: &Vector) -> Result<Buffer<u32>> {
    let (n, primes) = (x.len(), x.basis().len());
    match x.device().ground() {
        Ground::Host => {
            let zeros: Vec<u32> = (0..n)
                .map(|i| u32::from(x.host(i).all(|residue| residue == 0)))
                .collect();
            Buffer::from_slice(x.device(), &zeros)
        }
        Ground::Gpu(gpu) => {
            let zeros = Buffer::zeros(x.device(), n)?;
            if n > 0 {
                gpu.launch(&Launch {
                    kernel: &IS_ZERO,
                    precision: no_scalar(),
                    constants: &[],
                    params: Params::new().size("n", n).size("primes", primes),
                    buffers: &[x.table().buffer().gpu(), x.buffer().gpu(), zeros.gpu()],
                    grid: Grid::covering(n as u64, u64::from(WORKGROUP.default)),
                    work: Work {
                        bytes: (4 * n * (primes + 1)) as u64,
                        operations: (n * primes) as u64,
                    },
                })?;
            }
            Ok(zeros)
        }
    }
}

pub(super) static IS_ZERO: Kernel = Kernel {
    name: "residue is_zero",
    entry: "is_zero",
    source: fragment!("residue/is_zero.wgsl"),
    fragments: super::kernel_parts::MODULAR,
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["n", "primes"],
    scalars: &[],
    constants: &[WORKGROUP],
    vocabulary: Vocabulary::Integers,
};
