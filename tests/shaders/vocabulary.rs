//! Scalar modules are interchangeable: one vocabulary, and nothing gets past it.

use std::collections::BTreeSet;

use nonius::ScalarKind;
use nonius::device::arithmetic::versions;
use nonius::device::fragment::Fragment;
use nonius::device::kernel::{Composed, Kernel, Vocabulary};
use nonius::device::precision::{Precision, Version};

use crate::rows::{capabilities, precisions, report, validate};

#[test]
fn all_scalar_modules_export_the_same_vocabulary() {
    let is_vocabulary = |name: &str| {
        name.starts_with("s_") || name.starts_with("run_mul") || ["load", "store", "unpack", "repack"].contains(&name)
    };
    let constants = ["SCALAR_", "PACK"];
    all_alike(Vocabulary::Packs, is_vocabulary, &constants);
}

#[test]
fn all_word_layers_export_the_same_words() {
    // The barrier itself is how one layer is made, not what it offers.
    let is_word = |name: &str| name.starts_with("word_") && name != "word_keep";
    all_alike(Vocabulary::Words, is_word, &["WORD_"]);
}

#[test]
fn raw_arithmetic_on_a_pair_is_rejected() {
    for raw in ["x + y", "x - y", "x * y", "x / y", "-x"] {
        let text: &'static str = format!("fn bad(x: Scalar, y: Scalar) -> Scalar {{\n    return {raw};\n}}\n").leak();
        for precision in precisions(Vocabulary::Packs) {
            for version in versions(precision.scalar) {
                let composed = compose(Vocabulary::Packs, text, precision, version);
                let outcome = validate(&composed, capabilities(precision.scalar));
                let pair = matches!(precision.scalar, ScalarKind::Df64 | ScalarKind::Dd);
                assert_eq!(
                    outcome.is_err(),
                    pair,
                    "{raw} in {}, {version}",
                    precision.scalar.name()
                );
            }
        }
    }
}

#[test]
fn an_error_names_the_line_of_its_file() {
    let precision = precisions(Vocabulary::Packs)[1];
    for version in versions(precision.scalar) {
        let composed = compose(
            Vocabulary::Packs,
            "\n\nfn bad() -> u32 { return 1.5; }\n",
            precision,
            version,
        );
        let error = validate(&composed, capabilities(precision.scalar)).expect_err("a float is no u32");
        assert!(error.starts_with("shaders/probe.wgsl:3:"), "{version}: {error}");
    }
}

/// All modules declare the same functions, of the same shapes, and the same constants.
fn all_alike(vocabulary: Vocabulary, is_ours: impl Fn(&str) -> bool, constants: &[&str]) {
    let mut failures = Vec::new();
    let mut first: Option<(String, BTreeSet<String>)> = None;
    for precision in precisions(vocabulary) {
        for version in versions(precision.scalar) {
            let place = format!("{precision:?}, {version}");
            let composed = compose(vocabulary, "", precision, version);
            failures.extend(validate(&composed, capabilities(precision.scalar)).err());
            let found = exports(&composed.text, &is_ours, constants);
            match &first {
                None => first = Some((place, found)),
                Some((reference, expected)) if *expected != found => {
                    let differing: Vec<_> = expected.symmetric_difference(&found).collect();
                    failures.push(format!("{place} and {reference} differ in {differing:?}"));
                }
                Some(_) => {}
            }
        }
    }
    report(&failures);
    let (_, exports) = first.expect("there are precisions");
    assert!(exports.len() > 10, "that is not a vocabulary: {exports:?}");
}

/// Signatures without bodies and names of constants. Types are compared by the names that modules give them
/// (`Scalar`, `Element`, `Pack`, `Word`), which is what makes a kernel fit them all.
fn exports(text: &str, is_ours: impl Fn(&str) -> bool, constants: &[&str]) -> BTreeSet<String> {
    let mut exports = BTreeSet::new();
    for line in text.lines() {
        if let Some(signature) = line.strip_prefix("fn ") {
            let name = signature.split('(').next().unwrap_or_default();
            if is_ours(name) {
                exports.insert(shape(signature.split('{').next().unwrap_or_default()));
            }
        } else if let Some(constant) = line.strip_prefix("const ") {
            let name = constant.split(':').next().unwrap_or_default();
            if constants.iter().any(|prefix| name.starts_with(prefix)) {
                exports.insert(name.to_owned());
            }
        }
    }
    exports
}

/// A signature without the names of its arguments.
fn shape(signature: &str) -> String {
    let mut shape = signature.trim().to_owned();
    while let Some(colon) = shape.find(": ") {
        let start = shape[..colon].rfind(['(', ' ']).map_or(0, |at| at + 1);
        shape.replace_range(start..colon + 2, "");
    }
    shape
}

/// A text below a scalar module, or a word layer, with no kernel.
fn compose(vocabulary: Vocabulary, text: &'static str, precision: Precision, version: Version) -> Composed {
    let probe = Kernel {
        name: "probe",
        entry: "probe",
        source: Fragment {
            path: "probe.wgsl",
            text,
        },
        fragments: &[],
        bindings: &[],
        integers: &[],
        scalars: &[],
        constants: &[],
        vocabulary,
    };
    probe.compose(precision, version, &[])
}
