//! Which device: what there is, and what was asked for.

use std::fmt;
use std::str::FromStr;

use super::Gpu;
use super::precision::Words;
use crate::error::{Error, Result};

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Select {
    /// `NONIUS_DEVICE` if it is set; else the first discrete GPU, integrated GPU, software adapter, or the host.
    #[default]
    Auto,
    /// The host.
    Host,
    /// The first adapter whose name contains this, in any case.
    Name(String),
    /// The adapter of this index in [`super::Device::list`].
    Index(usize),
}

/// How to open a device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Compile kernels with the graphics stack's run-time checks (bounds, loops, divisions): slower, and never needed
    /// for right results, since every index is proved by the shape checks. Also set by `NONIUS_CHECKS=1`.
    pub checks: bool,
    /// Bytes that buffers of this device may take together; beyond it, allocation is an [`Error::OutOfMemory`]. Freed buffers
    /// of 32 MiB and more are kept to be used again, as many bytes at most as are in use, or 256 MiB: within this limit,
    /// and as long as the device has memory left.
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

/// What kind of hardware computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU in a virtual machine.
    Virtual,
    /// A GPU that shares the host's memory.
    Integrated,
    /// Unknown to the driver's interface, as in browsers.
    Other,
    /// A graphics driver that runs on the CPU.
    Software,
    /// This process.
    Host,
}

impl AdapterKind {
    /// Turns of all its loops together after which an invocation leaves them for good, without a word: lavapipe's
    /// (`LP_MAX_TGSI_LOOP_ITERATIONS` of its sources), assumed of every driver that computes on the CPU. Invocations that
    /// lavapipe computes side by side are in a loop together until the last has left it, so that their turns count for all.
    pub(crate) const fn most_turns(self) -> usize {
        match self {
            Self::Software => 65_535,
            _ => usize::MAX,
        }
    }
}

/// A device that can be opened, or is open: what the driver says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Adapter {
    /// The index by which it is opened; none for the host and for a device that was handed over.
    pub index: Option<usize>,
    /// The driver's name for it.
    pub name: String,
    /// What kind of hardware it is.
    pub kind: AdapterKind,
    /// `vulkan`, `metal`, `dx12`, `gl`, `webgpu`, or `host`.
    pub backend: String,
    /// The driver's name and version.
    pub driver: String,
    /// Limits that matter here, by WebGPU's names.
    pub limits: Vec<(&'static str, u64)>,
    /// Features that matter here, and whether it has them.
    pub features: Vec<(&'static str, bool)>,
}

impl Select {
    /// What `NONIUS_DEVICE` asks for where nothing else is asked.
    #[must_use]
    pub fn or_environment(self) -> Self {
        match (self, std::env::var("NONIUS_DEVICE")) {
            (Self::Auto, Ok(text)) => text.parse().unwrap_or(Self::Auto),
            (select, _) => select,
        }
    }
}

impl FromStr for Select {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let text = text.trim();
        Ok(match text.to_ascii_lowercase().as_str() {
            "" | "auto" => Self::Auto,
            "host" | "cpu" => Self::Host,
            lower => lower.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Index),
        })
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Host => f.write_str("host"),
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete GPU",
            Self::Virtual => "virtual GPU",
            Self::Integrated => "integrated GPU",
            Self::Other => "GPU",
            Self::Software => "software adapter",
            Self::Host => "host",
        })
    }
}

impl Adapter {
    pub(crate) fn host() -> Self {
        Self {
            index: None,
            name: "host".to_owned(),
            kind: AdapterKind::Host,
            backend: "host".to_owned(),
            driver: String::new(),
            limits: Vec::new(),
            features: Vec::new(),
        }
    }

    /// The limit of this name.
    #[must_use]
    pub fn limit(&self, name: &str) -> Option<u64> {
        self.limits
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    }

    /// The smallest and the largest number of invocations of a subgroup, both powers of two; none where kernels cannot
    /// use subgroups. A driver chooses between them for each kernel, so a kernel must ask for the size it runs with, and
    /// WGSL does not promise that a subgroup is full or which invocations of the workgroup form it.
    ///
    /// ```
    /// assert_eq!(nonius::Device::host().adapter().subgroups(), None);
    /// ```
    #[must_use]
    pub fn subgroups(&self) -> Option<(u32, u32)> {
        self.features.contains(&(SUBGROUPS, true)).then_some(())?;
        let size = |name| {
            let size = u32::try_from(self.limit(name)?).ok()?;
            size.is_power_of_two().then_some(size)
        };
        let (smallest, largest) = (size(SMALLEST_SUBGROUP)?, size(LARGEST_SUBGROUP)?);
        (smallest <= largest).then_some((smallest, largest))
    }
}

/// The name of the feature that kernels with integers of 64 bits take.
pub(super) const INT64: &str = "shader-int64";

/// Names of the feature and the limits that say what subgroups there are.
pub(super) const SUBGROUPS: &str = "subgroups";
pub(super) const SMALLEST_SUBGROUP: &str = "minSubgroupSize";
pub(super) const LARGEST_SUBGROUP: &str = "maxSubgroupSize";

/// An adapter that was chosen but not opened yet.
pub(super) struct Found {
    adapter: Adapter,
    #[cfg(feature = "wgpu")]
    raw: ::wgpu::Adapter,
}

impl Found {
    #[cfg_attr(
        not(feature = "wgpu"),
        allow(clippy::unused_async, reason = "without a backend, nothing is opened")
    )]
    pub(super) async fn open(self, options: Options) -> Result<(Adapter, Gpu)> {
        #[cfg(feature = "wgpu")]
        return super::wgpu::open(self.adapter, self.raw, options).await;
        #[cfg(not(feature = "wgpu"))]
        {
            let _ = options;
            Err(Error::NoDevice {
                asked: self.adapter.name,
                available: vec!["host".to_owned()],
            })
        }
    }
}

#[cfg(feature = "wgpu")]
async fn adapters() -> Vec<Found> {
    let raw = super::wgpu::adapters().await;
    raw.into_iter()
        .enumerate()
        .map(|(index, raw)| Found {
            adapter: super::wgpu::describe(Some(index), &raw),
            raw,
        })
        .collect()
}

#[cfg(not(feature = "wgpu"))]
async fn adapters() -> Vec<Found> {
    Vec::new()
}

pub(super) async fn list() -> Vec<Adapter> {
    let found = adapters().await.into_iter().map(|found| found.adapter);
    found.chain([Adapter::host()]).collect()
}

/// The adapter that `select` names; none for the host.
pub(super) async fn find(select: &Select) -> Result<Option<Found>> {
    if *select == Select::Host {
        return Ok(None);
    }
    let mut found = adapters().await;
    let names = found.iter().map(|found| found.adapter.name.clone());
    let available = names.chain(["host".to_owned()]).collect();
    let position = match select {
        Select::Auto => best(&found),
        Select::Index(index) => Some(*index).filter(|index| *index < found.len()),
        Select::Name(name) => {
            let name = name.to_lowercase();
            found
                .iter()
                .position(|found| found.adapter.name.to_lowercase().contains(&name))
        }
        Select::Host => None,
    };
    match (position, select) {
        (Some(position), _) => Ok(Some(found.swap_remove(position))),
        (None, Select::Auto) => Ok(None),
        (None, _) => Err(Error::NoDevice {
            asked: select.to_string(),
            available,
        }),
    }
}

/// The best kind, and among equals the first (drivers list their preferred one first).
fn best(found: &[Found]) -> Option<usize> {
    (0..found.len()).min_by_key(|index| (found[*index].adapter.kind, *index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(has: bool, smallest: u64, largest: u64) -> Adapter {
        Adapter {
            limits: vec![(SMALLEST_SUBGROUP, smallest), (LARGEST_SUBGROUP, largest)],
            features: vec![("shader-f64", true), (SUBGROUPS, has)],
            ..Adapter::host()
        }
    }

    #[test]
    fn subgroups_are_what_the_driver_says_or_none() {
        assert_eq!(adapter(true, 8, 32).subgroups(), Some((8, 32)));
        assert_eq!(adapter(true, 4, 4).subgroups(), Some((4, 4)));
        // The sizes are there without the feature: then they are what WebGPU would allow.
        assert_eq!(adapter(false, 4, 128).subgroups(), None);
        for (smallest, largest) in [(0, 32), (32, 8), (24, 32), (1 << 40, 1 << 40)] {
            assert_eq!(
                adapter(true, smallest, largest).subgroups(),
                None,
                "{smallest} to {largest}"
            );
        }
    }
}
