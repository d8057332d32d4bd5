//! What a driver says of a device.

use std::fmt;

/// The name of the feature that kernels with integers of 64 bits take.
pub(super) const INT64: &str = "shader-int64";

/// Names of the feature and the limits that say what subgroups there are.
pub(super) const SUBGROUPS: &str = "subgroups";
pub(super) const SMALLEST_SUBGROUP: &str = "minSubgroupSize";
pub(super) const LARGEST_SUBGROUP: &str = "maxSubgroupSize";

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

    /// Whether a store to a part of a vector in memory leaves its other parts to other invocations. WGSL lets it store all of
    /// them, as Metal and HLSL may; in SPIR-V it is a store to that part.
    pub(crate) fn stores_parts_of_vectors(&self) -> bool {
        self.backend == "vulkan"
    }

    /// Whether kernels may have integers of 64 bits.
    pub(crate) fn has_int64(&self) -> bool {
        self.features.contains(&(INT64, true))
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

#[cfg(test)]
impl Adapter {
    /// One of a kind, with so many invocations and so many bytes for a workgroup.
    pub(crate) fn with_workgroups(kind: AdapterKind, invocations: u64, bytes: u64) -> Self {
        Self {
            kind,
            limits: vec![
                ("maxComputeInvocationsPerWorkgroup", invocations),
                ("maxComputeWorkgroupStorageSize", bytes),
            ],
            ..Self::host()
        }
    }
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
