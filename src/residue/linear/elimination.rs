//! Gaussian elimination modulo primes: the seam between what is asked of primes and the device that does them.

use super::batched;
use super::matrix::Integers;
use super::modular::{Ask, Modular, on_host};
use crate::device::{Device, Ground};
use crate::error::Result;
use crate::residue::Prime;
use crate::threads;

/// Eliminates modulo each prime, on the device. The host does a prime a thread; a GPU, batches of primes.
pub(super) async fn eliminate_each(device: &Device, a: &Integers, primes: &[Prime], ask: Ask) -> Result<Vec<Modular>> {
    match device.ground() {
        Ground::Gpu(gpu) if !a.entries().is_empty() => batched::eliminate(device, gpu, a, primes, ask).await,
        _ => Ok(threads::map_in_parts(primes, |prime| on_host(a, *prime, ask))),
    }
}
