//! Timings made up for tests: a generator of random numbers, and devices with a known cost.

use super::{Bounds, Candidate, Choice, Entry, Extents, Family, Line, Model, Range, Regime, Shape, Tunable, Variant};
use crate::device::kernel::{Fragment, Kernel, Vocabulary};
use crate::device::precision::{Precision, Width};
use crate::device::{Adapter, Device};
use crate::error::{Error, Result};

/// `SplitMix64` (Steele, Lea, Flood 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        random.next();
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mean 0, variance 1 (Box and Muller).
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A factor of a time: 1 + σ·normal, and with a chance of `outliers` up to three times as much.
    pub(super) fn factor(&mut self, sigma: f64, outliers: f64) -> f64 {
        let noise = (1.0 + sigma * self.normal()).max(0.5);
        let outlier = self.uniform() < outliers;
        noise * if outlier { 1.3 + 1.7 * self.uniform() } else { 1.0 }
    }
}

static KERNEL: Kernel = Kernel {
    name: "rows",
    entry: "rows",
    source: Fragment {
        path: "rows.wgsl",
        text: "fn rows() {}\n",
    },
    fragments: &[],
    bindings: &[],
    integers: &[],
    scalars: &[],
    constants: &[],
    vocabulary: Vocabulary::Elements,
};

const WORKGROUPS: &[u32] = &[64, 128, 256, 512];
const ROWS: &[u32] = &[1, 2, 4];

/// A matrix-vector product with eleven variants: a workgroup of 512 with 4 rows does not fit.
pub(super) static TUNABLE: Tunable = Tunable {
    name: "rows",
    families: &[Family {
        kernel: &KERNEL,
        ranges: &[
            Range {
                name: "WORKGROUP",
                values: WORKGROUPS,
            },
            Range {
                name: "ROWS",
                values: ROWS,
            },
        ],
        fits: |values, _, _| values[0] * values[1] <= 1024,
    }],
    on_cpu: &[],
    regimes: &[
        Regime {
            name: "square",
            contains: Bounds {
                rows: (1024, 8193),
                cols: (1, 2),
                depth: (1024, 8193),
            },
            lines: &[
                Line {
                    shape: |n| Shape::new(n, 1, n),
                    sizes: &[1024, 2500, 4000, 5500, 8000],
                },
                Line {
                    shape: |n| Shape::new(n, 1, 1024),
                    sizes: &[2048, 6000],
                },
            ],
        },
        Regime {
            name: "small",
            contains: Bounds {
                rows: (1, 1024),
                cols: (1, 2),
                depth: (1, 1024),
            },
            lines: &[Line {
                shape: |n| Shape::new(n, 1, n),
                sizes: &[100, 500, 1000],
            }],
        },
    ],
    default: |_, _, _| TUNABLE.families[0].variant(&[128, 1]),
    extents: |_, _, shape| Extents {
        quantised: shape.rows as u64,
        streaming: shape.depth as u64,
    },
    work: |_, shape| {
        let terms = (shape.rows * shape.depth) as u64;
        (4 * terms, terms)
    },
    trial: |device: &Device, _, _| {
        Err(Error::Refused {
            what: "a trial".to_owned(),
            device: device.name().to_owned(),
            reason: "these timings are made up".to_owned(),
        })
    },
};

pub(super) const PRECISION: Precision = Precision {
    scalar: crate::ScalarKind::F32,
    element: crate::ScalarKind::F32,
    width: Width::Single,
};

pub(super) fn adapter() -> Adapter {
    Adapter {
        name: "Synthetic 9000".to_owned(),
        backend: "vulkan".to_owned(),
        driver: "driver 1.0".to_owned(),
        ..Adapter::host()
    }
}

/// What one device charges: the model itself, with a period that each variant has of its own.
pub(super) fn seconds(seed: u64, variant: &Variant, shape: Shape) -> f64 {
    let block = variant.value("WORKGROUP") * variant.value("ROWS");
    let mut random = Random::new(seed ^ u64::from(block * 8 + variant.value("ROWS")) << 20);
    let (q, s) = (shape.rows as f64, shape.depth as f64);
    let period = f64::from(block) * 10.0;
    let start = 2e-6 * (1.0 + random.uniform());
    let term = 2e-11 * (1.0 + 0.3 * random.uniform());
    let round_term = 2e-11 * period * random.uniform();
    let round = 1e-6 * random.uniform();
    start + term * q * s + (round + round_term * s) * (q / period).ceil()
}

/// The sampled time of a variant, or that of a kernel that is refused.
pub(super) fn noisy(seed: u64, sigma: f64, outliers: f64) -> impl FnMut(&Variant, Shape) -> Result<f64> {
    let mut random = Random::new(seed.wrapping_add(1 << 40));
    move |variant, shape| Ok(seconds(seed, variant, shape) * random.factor(sigma, outliers))
}

/// An entry by which one variant is chosen in one regime.
pub(super) fn entry(regime: &str, values: &[u32]) -> Entry {
    let model = Model {
        start: 1e-6,
        term: 1e-11,
        round_term: 1e-9,
        period: Some(640.0),
        ..Model::default()
    };
    let candidate = Candidate::new(&TUNABLE.families[0].variant(values), model, 0.01);
    let regime = regime.to_owned();
    let candidates = vec![candidate];
    Entry::new(&TUNABLE, adapter().kind, PRECISION, vec![Choice { regime, candidates }])
}
