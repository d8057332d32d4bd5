//! What kernels outside this module that compute with residues are put together from: all modulo narrow primes.

pub(crate) use super::map::{WORKGROUP, no_scalar};
pub(crate) use super::sign::SIGN;
pub(crate) use super::verdict::{DIGITS, METHOD, PRIMES};
use crate::device::kernel::{Fragment, fragment};

/// Arithmetic modulo primes.
pub(crate) const MODULAR: &[Fragment] = &[
    fragment!("lib/grid.wgsl"),
    fragment!("residue/lib/table.wgsl"),
    fragment!("residue/lib/sums.wgsl"),
    fragment!("residue/lib/modular.wgsl"),
    fragment!("residue/lib/narrow.wgsl"),
];

/// Numbers in registers, and their signs.
pub(crate) const NUMBERS: &[Fragment] = &[
    fragment!("lib/grid.wgsl"),
    fragment!("residue/lib/table.wgsl"),
    fragment!("residue/lib/sums.wgsl"),
    fragment!("residue/lib/modular.wgsl"),
    fragment!("residue/lib/narrow.wgsl"),
    fragment!("residue/lib/residues.wgsl"),
    fragment!("residue/lib/number.wgsl"),
    fragment!("residue/lib/fraction.wgsl"),
    fragment!("residue/lib/mixed_radix.wgsl"),
];
