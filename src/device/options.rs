//! How a device is opened.

use super::precision::Words;

/// How to open a device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Compile kernels with the graphics stack's run-time checks (bounds, loops, divisions): slower, and never needed
    /// for right results, since every index is proved by the shape checks. Also set by `NONIUS_CHECKS=1`.
    pub checks: bool,
    /// Bytes that buffers of this device may take together; beyond it, allocation is an
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory). Freed buffers of 32 MiB and more are kept to be used again, as
    /// many bytes at most as are in use, or 256 MiB: within this limit, and as long as the device has memory left.
    pub memory: Option<u64>,
    /// The ways to keep word operations that the self-test may choose from. All of them unless a test narrows it.
    pub words: Vec<Words>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checks: std::env::var("NONIUS_CHECKS").is_ok_and(|value| value == "1"),
            memory: None,
            words: vec![Words::Plain, Words::NoContraction, Words::Barrier, Words::Integer],
        }
    }
}
