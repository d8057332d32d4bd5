//! What no interface tells of a GPU: as measured of those that are known by name, and as others are taken for.

use super::{Adapter, AdapterKind};

/// What kernels are shaped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hardware {
    /// Multiprocessors. If a device has more than it is taken for, some are idle in small products; if fewer, these are in
    /// more parts than pay. Large ones lose little either way.
    pub multiprocessors: u32,
    /// Bytes of a matrix up to which passes in one order over it find it in the cache, of elements of 8 bytes and of others.
    cached: [usize; 2],
    /// Bytes up to which most of it is found there, if passes take turns (`device/turn.rs`).
    pub mostly_cached: usize,
}

/// Both have a cache of 50 MB (BENCHMARKS.md).
const KNOWN: [(&str, Hardware); 2] = [
    (
        "NVIDIA H100 80GB HBM3",
        Hardware {
            multiprocessors: 132,
            ..LARGE
        },
    ),
    (
        "NVIDIA H200",
        Hardware {
            multiprocessors: 132,
            cached: [44 << 20, 45 << 20],
            // 50.5 MiB.
            mostly_cached: 101 << 19,
        },
    ),
];

/// As an H100 was measured, whose bound for elements of 8 bytes is lower: more workgroups share them.
const LARGE: Hardware = Hardware {
    multiprocessors: 128,
    cached: [34 << 20, 40 << 20],
    mostly_cached: 44 << 20,
};

impl Adapter {
    /// What kernels may be shaped by on this device.
    pub(crate) fn hardware(&self) -> Hardware {
        if let Some((_, known)) = KNOWN.into_iter().find(|(name, _)| *name == self.name) {
            return known;
        }
        match self.kind {
            AdapterKind::Discrete | AdapterKind::Virtual | AdapterKind::Other => LARGE,
            AdapterKind::Integrated | AdapterKind::Software | AdapterKind::Host => Hardware {
                multiprocessors: 64,
                ..LARGE
            },
        }
    }
}

impl Hardware {
    /// Whether passes over so many elements of so many bytes find them in the cache.
    pub(crate) fn caches(&self, count: usize, size: usize) -> bool {
        count.saturating_mul(size) <= self.cached[usize::from(size != 8)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_holds_so_many_bytes_of_elements_of_a_size() {
        let of = |name: &str| {
            let adapter = Adapter::with_workgroups(AdapterKind::Discrete, 1024, 48 << 10);
            let name = name.to_owned();
            Adapter { name, ..adapter }.hardware()
        };
        // Of elements of 4, 8 and 16 bytes, in MiB.
        for (name, most) in [("another", [40, 34, 40]), ("NVIDIA H200", [45, 44, 45])] {
            for (size, most) in [4, 8, 16].into_iter().zip(most.map(|most| most << 20)) {
                assert!(of(name).caches(most / size, size), "{name}, {size}");
                assert!(!of(name).caches(most / size + 1, size), "{name}, {size}");
                assert!(most < of(name).mostly_cached);
            }
            assert!(!of(name).caches(usize::MAX, 2));
        }
    }
}
