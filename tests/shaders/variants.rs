//! Variants: what a tuner may choose on a large device is valid, and translated for every backend. In f32, whose texts are
//! short; the other scalars' kernels are tested with the defaults of their constants.

use nonius::device::precision::{Precision, Version, Width};
use nonius::device::{Adapter, AdapterKind};
use nonius::tuning::{Tunable, Variant};

use crate::rows::{Row, report};
use crate::translation::failures;

/// Variants of a tunable that are tested in each width: enough to meet each value of most ranges.
const SAMPLES: usize = 12;

#[test]
fn variants_are_valid_and_translated_for_every_backend() {
    let mut failed = Vec::new();
    let rows = samples();
    for row in &rows {
        match row.module() {
            Ok((module, info)) => failed.extend(failures(row, &module, &info)),
            Err(error) => failed.push(format!("{}: {error}", row.name())),
        }
    }
    report(&failed);
    assert!(
        rows.len() > 2 * SAMPLES * nonius::dense::tunables().len(),
        "only {} texts",
        rows.len()
    );
}

/// Of every tunable.
pub(crate) fn samples() -> Vec<Row> {
    let tunables = nonius::dense::tunables().into_iter().chain(nonius::sparse::tunables());
    let widths = [Width::Single, Width::Pack].map(Precision::of::<f32>);
    tunables
        .flat_map(|tunable| widths.into_iter().flat_map(|precision| sampled(tunable, precision)))
        .collect()
}

fn sampled(tunable: &'static Tunable, precision: Precision) -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in [AdapterKind::Discrete, AdapterKind::Software] {
        let variants = tunable.variants(&large(kind), precision);
        let step = (variants.len() / SAMPLES).max(1);
        // Operands that lie along the sum, and such that lie across it, in turns.
        for (index, variant) in variants.iter().step_by(step).enumerate() {
            rows.push(row(
                variant,
                precision,
                u32::from(index % 2 == 0),
                u32::from(index % 4 < 2),
            ));
        }
    }
    rows
}

fn row(variant: &Variant, precision: Precision, a_turned: u32, b_turned: u32) -> Row {
    let mut constants: Vec<(&str, u32)> = variant.constants.to_vec();
    constants.extend([("A_TURNED", a_turned), ("B_TURNED", b_turned)]);
    Row {
        kernel: variant.kernel,
        precision,
        version: Version::PLAIN,
        composed: variant.kernel.compose(precision, Version::PLAIN, &constants),
    }
}

/// An adapter with the limits of a large GPU.
fn large(kind: AdapterKind) -> Adapter {
    Adapter {
        index: None,
        name: "large".to_owned(),
        kind,
        backend: "none".to_owned(),
        driver: String::new(),
        limits: vec![
            ("maxComputeInvocationsPerWorkgroup", 1024),
            ("maxComputeWorkgroupStorageSize", 48 << 10),
            ("minSubgroupSize", 32),
            ("maxSubgroupSize", 32),
        ],
        features: vec![("subgroups", true)],
    }
}
