//! Devices: the host, or a GPU with arithmetic that was measured when it was opened.
//!
//! A [`Device`] is a cheap handle. Operations record; nothing waits except a read-back (`to_host`), which is `async`.

mod adapter;
pub mod arithmetic;
pub(crate) mod at_once;
pub mod buffer;
pub mod fragment;
mod gpu;
mod gpu_buffer;
mod grid;
mod hardware;
pub mod kernel;
mod launch;
mod options;
pub mod precision;
mod select;
mod time;
mod turn;
mod unroll;
#[cfg(feature = "wgpu")]
mod wgpu;

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

pub use adapter::{Adapter, AdapterKind};
pub use arithmetic::Arithmetic;
pub use buffer::Buffer;
pub use options::Options;
pub use select::Select;
pub use time::Elapsed;

pub(crate) use buffer::Reading;
pub(crate) use gpu::{Gpu, Mark, Scratch};
pub(crate) use gpu_buffer::GpuBuffer;
pub(crate) use grid::{Grid, narrow};
pub(crate) use launch::{Launch, Params, Work};

use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Where numbers live and are computed with. Cloning copies a handle.
///
/// ```
/// let device = nonius::Device::host();
/// assert!(device.is_host());
/// ```
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    adapter: Adapter,
    ground: Ground,
    /// What a higher floor keeps with the device; this floor does not know its type.
    attached: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// What a device stands on.
pub(crate) enum Ground {
    /// Loops of this process.
    Host,
    /// Kernels on a GPU.
    Gpu(Box<Gpu>),
}

impl Device {
    /// The host: plain loops, correctly rounded, every scalar. It is the oracle of the tests.
    #[must_use]
    pub fn host() -> Self {
        Self(Arc::new(Inner {
            adapter: Adapter::host(),
            ground: Ground::Host,
            attached: OnceLock::new(),
        }))
    }

    /// Opens the device that `select` names, and measures its arithmetic.
    ///
    /// With [`Select::Auto`], the environment variable `NONIUS_DEVICE` (a name, an index, `host`) is asked first; then
    /// discrete GPUs, integrated ones, software adapters and the host, in this order.
    ///
    /// # Errors
    /// [`Error::NoDevice`] with the names of what there is; [`Error::Refused`] when the driver does not open it.
    ///
    /// # Cost
    /// The driver's own opening, a self-test of a few dispatches, and on GPUs with memory of their own one that sees how many
    /// workgroups run at once.
    pub async fn open(select: Select) -> Result<Self> {
        Self::open_with(select, Options::default()).await
    }

    /// [`Device::open`] with [`Options`].
    ///
    /// # Errors
    /// As [`Device::open`].
    pub async fn open_with(select: Select, options: Options) -> Result<Self> {
        let select = select.or_environment();
        let found = select::find(&select).await?;
        let Some(found) = found else { return Ok(Self::host()) };
        let (adapter, gpu) = found.open(options).await?;
        Ok(Self::on(adapter, gpu))
    }

    /// [`Device::open`] for programs that may wait. Browsers may not: there it does not exist.
    ///
    /// # Errors
    /// As [`Device::open`].
    #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
    pub fn open_blocking(select: Select) -> Result<Self> {
        pollster::block_on(Self::open(select))
    }

    /// Every device of this machine: adapters in the order of their index, and last the host.
    pub async fn list() -> Vec<Adapter> {
        select::list().await
    }

    pub(crate) fn on(adapter: Adapter, gpu: Gpu) -> Self {
        Self(Arc::new(Inner {
            adapter,
            ground: Ground::Gpu(Box::new(gpu)),
            attached: OnceLock::new(),
        }))
    }

    /// What this device is: name, kind, driver, limits.
    #[must_use]
    pub fn adapter(&self) -> &Adapter {
        &self.0.adapter
    }

    /// The device's name, as the driver gives it; `host` for the host.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.adapter.name
    }

    /// Whether this is the host.
    #[must_use]
    pub fn is_host(&self) -> bool {
        matches!(self.0.ground, Ground::Host)
    }

    /// What the self-test found; none for the host, whose arithmetic is IEEE's.
    #[must_use]
    pub fn arithmetic(&self) -> Option<&Arithmetic> {
        match &self.0.ground {
            Ground::Host => None,
            Ground::Gpu(gpu) => Some(gpu.arithmetic()),
        }
    }

    /// Whether this device computes in `T`.
    ///
    /// # Errors
    /// [`Error::UnsupportedScalar`] with the reason: a feature that the hardware lacks, or arithmetic that failed the
    /// self-test in every version.
    pub fn supports<T: Scalar>(&self) -> Result<()> {
        match &self.0.ground {
            Ground::Host => Ok(()),
            Ground::Gpu(gpu) => gpu.arithmetic().version_measured(gpu, T::KIND).map(|_| ()),
        }
    }

    /// Whether kernels of this device have integers of 64 bits, which are no part of the standard.
    ///
    /// # Errors
    /// [`Error::MissingFeature`] where the adapter has no `shader-int64`.
    ///
    /// ```
    /// assert!(nonius::Device::host().supports_int64().is_ok());
    /// ```
    pub fn supports_int64(&self) -> Result<()> {
        self.check_int64("integers of 64 bits")
    }

    pub(crate) fn check_int64(&self, what: &'static str) -> Result<()> {
        if self.is_host() || self.adapter().has_int64() {
            return Ok(());
        }
        Err(Error::MissingFeature {
            what,
            feature: adapter::INT64,
            device: self.name().to_owned(),
        })
    }

    /// Waits until everything recorded is done, and reports what went wrong on the way.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::OutOfMemory`] or [`Error::Refused`] from any operation recorded before.
    pub async fn synchronize(&self) -> Result<()> {
        match &self.0.ground {
            Ground::Host => Ok(()),
            Ground::Gpu(gpu) => gpu.synchronize().await,
        }
    }

    /// Hands everything recorded to the GPU, without waiting.
    ///
    /// # Errors
    /// As [`Device::synchronize`], as far as it is known already.
    pub fn submit(&self) -> Result<()> {
        match &self.0.ground {
            Ground::Host => Ok(()),
            Ground::Gpu(gpu) => gpu.submit(),
        }
    }

    /// Submits everything recorded and marks the place, so that it can be waited for while what follows is on its way.
    /// None on the host, where everything is done already.
    pub(crate) fn mark(&self) -> Result<Option<Mark>> {
        match &self.0.ground {
            Ground::Host => Ok(None),
            Ground::Gpu(gpu) => gpu.mark().map(Some),
        }
    }

    /// Waits until everything before a mark of this device is done.
    pub(crate) async fn reached(&self, mark: Option<Mark>) -> Result<()> {
        match (&self.0.ground, mark) {
            (Ground::Gpu(gpu), Some(mark)) => gpu.reached(mark).await,
            _ => Ok(()),
        }
    }

    /// What is kept with this device, made when it is first asked for. There is one such thing, of one type.
    pub(crate) fn attached<T: Any + Send + Sync>(&self, make: impl FnOnce(&Adapter) -> T) -> &T {
        let slot = self.0.attached.get_or_init(|| Box::new(make(&self.0.adapter)));
        slot.downcast_ref()
            .unwrap_or_else(|| unreachable!("something else is attached to {}", self.name()))
    }

    pub(crate) fn ground(&self) -> &Ground {
        &self.0.ground
    }

    /// The error of an operation whose operands live apart; operations check with this before anything else.
    pub(crate) fn check_same(&self, operation: &'static str, other: &Self) -> Result<()> {
        if self == other {
            return Ok(());
        }
        Err(Error::DeviceMismatch {
            operation,
            first: self.name().to_owned(),
            second: other.name().to_owned(),
        })
    }

    /// Refuses what a driver on the CPU would not compute to its end: an invocation that goes through loops so many times.
    pub(crate) fn check_turns(&self, operation: &'static str, turns: usize) -> Result<()> {
        let most = self.adapter().kind.most_turns();
        if turns <= most {
            return Ok(());
        }
        Err(Error::Shape {
            operation,
            expected: format!(
                "at most {most} turns of loops on {}, a driver that may end them there (the host has no such limit)",
                self.name()
            ),
            found: format!("{turns}"),
        })
    }
}

/// Two handles are equal when they share buffers: clones of one opening, or the host with itself.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.is_host() && other.is_host())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}
