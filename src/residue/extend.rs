//! The same integers in a larger basis.

use super::map::{WORKGROUP, no_scalar};
use super::prime::Prime;
use super::table::Table;
use super::vector::Vector;
use super::verdict::{DIGITS, PRIMES, turns};
use super::width::{Widths, widths};
use crate::device::kernel::{Access, Fragment, Kernel, Vocabulary};
use crate::device::{Buffer, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};

/// The integers of `x` in a basis that begins with that of `x` and has more primes: what to do where an operation would
/// leave the range. Exact, and nothing is read back: mixed radix digits, then Horner's rule modulo each new prime.
///
/// Cost: one dispatch, rn `u32`s read, r′n written, r²/2 + 2r(r′ − r) products modulo primes an integer.
///
/// # Errors
/// [`Error::Shape`] where the table's basis does not begin with that of `x`, and for so many primes that a driver on the CPU would
/// not go through them to the end; [`Error::DeviceMismatch`].
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Table, Vector, extend, mul}};
/// let (host, basis) = (Device::host(), Basis::largest(1)?);
/// let x = Vector::from_integers(&host, &basis, &[(-30_000).into()])?;
/// assert!(mul(&x, &x).is_err());
/// let x = extend(&x, &Table::new(&host, &basis.extend_for_bound(&900_000_000_u32.into())?)?)?;
/// assert_eq!(mul(&x, &x)?.to_integers().block_on()?, [900_000_000.into()]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub fn extend(x: &Vector, to: &Table) -> Result<Vector> {
    const OPERATION: &str = "an extension of residues";
    x.device().check_same(OPERATION, to.device())?;
    let (n, known, primes) = (x.len(), x.basis().len(), to.basis().len());
    let begins = primes >= known && x.basis().primes().eq(to.basis().primes().take(known));
    if !begins {
        return Err(Error::Shape {
            operation: OPERATION,
            expected: format!("a basis that begins with the {known} primes of the vector"),
            found: format!("{primes} primes, {} of them at its beginning", alike(x, to)),
        });
    }
    let bound = x.bound().clone();
    match x.device().ground() {
        Ground::Host => {
            let mut residues = x.buffer().host().to_vec();
            let digits: Vec<Vec<i32>> = (0..n).map(|i| x.basis().digits(x.host(i))).collect();
            for prime in to.basis().primes().skip(known) {
                residues.extend(digits.iter().map(|digits| horner(x, digits, prime)));
            }
            let buffer = Buffer::from_slice(x.device(), &residues)?;
            Ok(Vector::from_buffer(to, buffer, n, bound))
        }
        Ground::Gpu(gpu) => {
            x.device()
                .check_turns(OPERATION, turns(known) + (primes - known) * (known + 1))?;
            let z = Buffer::zeros(x.device(), n * primes)?;
            if n > 0 {
                gpu.launch(&Launch {
                    kernel: EXTEND.of(x.basis().width()),
                    precision: no_scalar(),
                    constants: &[PRIMES.of(primes), DIGITS.of(known)],
                    params: Params::new().size("n", n),
                    buffers: &[to.buffer().gpu(), x.buffer().gpu(), z.gpu()],
                    grid: Grid::covering(n as u64, u64::from(WORKGROUP.default)),
                    work: Work {
                        bytes: (4 * n * (known + primes)) as u64,
                        operations: n as u64 * (known * (known + 4 * (primes - known))) as u64,
                    },
                })?;
            }
            Ok(Vector::from_buffer(to, z, n, bound))
        }
    }
}

fn alike(x: &Vector, to: &Table) -> usize {
    x.basis()
        .primes()
        .zip(to.basis().primes())
        .take_while(|(x, to)| x == to)
        .count()
}

/// u = v₁ + m₁(v₂ + m₂(…)) modulo a later prime, in Montgomery's form.
fn horner(x: &Vector, digits: &[i32], prime: Prime) -> u32 {
    let mut residue = 0;
    for (own, digit) in x.basis().primes().zip(digits).rev() {
        let magnitude = prime.enter(digit.unsigned_abs());
        let digit = if *digit < 0 { prime.neg(magnitude) } else { magnitude };
        residue = prime.add(prime.mul(residue, prime.enter(own.value())), digit);
    }
    residue
}

const fn kernel(name: &'static str, source: Fragment, fragments: &'static [Fragment]) -> Kernel {
    Kernel {
        name,
        entry: "extend",
        source,
        fragments,
        bindings: &[Access::Read, Access::Read, Access::ReadWrite],
        integers: &["n"],
        scalars: &[],
        constants: &[WORKGROUP, PRIMES, DIGITS],
        vocabulary: Vocabulary::Integers,
    }
}

pub(super) static EXTEND: Widths = widths!(
    kernel, "residue extend", "residue/extend.wgsl",
    both [
        "lib/grid.wgsl",
        "residue/lib/table.wgsl",
        "residue/lib/sums.wgsl",
        "residue/lib/modular.wgsl",
        "residue/lib/residues.wgsl",
        "residue/lib/mixed_radix.wgsl"
    ],
    narrow ["residue/lib/narrow.wgsl"],
    wide ["lib/int64.wgsl", "residue/lib/wide.wgsl"]
);
