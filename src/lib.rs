#![doc = include_str!("../README.md")]

pub mod dense;
#[cfg_attr(
    not(feature = "wgpu"),
    allow(dead_code, reason = "without a backend, nothing launches what this floor prepares")
)]
pub mod device;
mod error;
mod host_memory;
pub mod lu;
mod observer;
pub mod plot;
mod rational;
pub mod residue;
pub mod scalar;
pub mod solve;
pub mod sparse;
mod threads;
#[cfg(not(target_arch = "wasm32"))]
pub mod tune;
pub mod tuning;

#[cfg(feature = "wgpu")]
pub use ::wgpu;
pub use device::{Device, Select};
pub use error::{Error, Result};
pub use observer::Observer;
#[cfg(not(target_arch = "wasm32"))]
pub use pollster::FutureExt as Blocking;
pub use scalar::{Dd, Df64, Scalar, ScalarKind};

/// Every kernel of the library: what `compose` makes of them is what runs.
#[must_use]
pub fn kernels() -> Vec<&'static device::kernel::Kernel> {
    let mut kernels = dense::kernels();
    kernels.extend(lu::kernels());
    kernels.extend(sparse::kernels());
    kernels.extend(residue::kernels());
    kernels.extend(plot::kernels());
    kernels.extend(device::arithmetic::KERNELS);
    kernels.push(&device::at_once::AT_ONCE);
    kernels
}
