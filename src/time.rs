//! A clock that browsers have too.

/// Seconds since some moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(#[cfg(not(target_arch = "wasm32"))] std::time::Instant);

impl Instant {
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn now() -> Self {
        Self(std::time::Instant::now())
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }

    /// A browser's clock is not the standard library's: durations there are zero until a caller brings one.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn now() -> Self {
        Self()
    }

    #[cfg(target_arch = "wasm32")]
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}
