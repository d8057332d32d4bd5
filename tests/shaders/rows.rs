//! What is tested: kernels x precisions x versions, as texts that differ.

use std::collections::BTreeSet;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use nonius::device::arithmetic::versions;
use nonius::device::kernel::{Composed, Kernel, Vocabulary};
use nonius::device::precision::{Precision, Version, Width};
use nonius::{Dd, Df64, ScalarKind};

pub(crate) struct Row {
    pub(crate) kernel: &'static Kernel,
    pub(crate) precision: Precision,
    pub(crate) version: Version,
    pub(crate) composed: Composed,
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for kernel in nonius::kernels() {
        let mut seen = BTreeSet::new();
        for precision in precisions(kernel.vocabulary) {
            for version in versions(precision.scalar) {
                let composed = kernel.compose(precision, version, &[]);
                if seen.insert(composed.text.clone()) {
                    rows.push(Row {
                        kernel,
                        precision,
                        version,
                        composed,
                    });
                }
            }
        }
    }
    rows
}

/// The precisions that a kernel of this vocabulary may be launched in.
pub(crate) fn precisions(vocabulary: Vocabulary) -> Vec<Precision> {
    let of_all = |width| {
        [
            Precision::of::<f32>(width),
            Precision::of::<Df64>(width),
            Precision::of::<f64>(width),
            Precision::of::<Dd>(width),
        ]
    };
    match vocabulary {
        Vocabulary::Elements => of_all(Width::Single).into(),
        Vocabulary::Packs => [Width::Single, Width::Pack]
            .into_iter()
            .flat_map(|width| of_all(width).into_iter().chain([Precision::f32_in_df64(width)]))
            .collect(),
        Vocabulary::LongPacks => vec![Precision::of::<f32>(Width::Pack), Precision::of::<Df64>(Width::Pack)],
        Vocabulary::Mixed => {
            let [single, pair, double, quadruple] = of_all(Width::Single).map(|precision| precision.scalar);
            let all = [single, pair, double, quadruple];
            let pairs = all.into_iter().flat_map(|scalar| all.map(|element| (scalar, element)));
            let held = pairs.filter(|(scalar, element)| Precision::holds(*scalar, *element));
            held.map(|(scalar, element)| Precision {
                scalar,
                element,
                width: Width::Single,
            })
            .collect()
        }
        Vocabulary::Singles => vec![Precision::of::<Df64>(Width::Single)],
        // One scalar stands for none.
        Vocabulary::Integers => vec![Precision::of::<f32>(Width::Single)],
        Vocabulary::Words => vec![Precision::of::<Df64>(Width::Single), Precision::of::<Dd>(Width::Single)],
    }
}

impl Row {
    pub(crate) fn name(&self) -> String {
        let Precision { scalar, element, width } = self.precision;
        let (name, scalar, element) = (self.kernel.name, scalar.name(), element.name());
        format!("{name}, {scalar} on {element} ({width:?}), {}", self.version)
    }

    /// What a device must have to run it.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let kernel = [
            (self.kernel.uses_subgroups(), Capabilities::SUBGROUP),
            (self.kernel.uses_int64(), Capabilities::SHADER_INT64),
        ];
        let used = kernel.iter().filter(|(used, _)| *used);
        used.fold(capabilities(self.precision.scalar), |all, (_, one)| all | *one)
    }

    /// The validated module, or what is wrong with it and in which line of which file.
    pub(crate) fn module(&self) -> Result<(naga::Module, ModuleInfo), String> {
        validate(&self.composed, self.capabilities())
    }
}

/// What a device must have to compute in this scalar, and nothing more: f32 and Df64 run wherever WebGPU does.
pub(crate) fn capabilities(scalar: ScalarKind) -> Capabilities {
    match scalar {
        ScalarKind::F32 | ScalarKind::Df64 => Capabilities::empty(),
        ScalarKind::F64 | ScalarKind::Dd => Capabilities::FLOAT64 | Capabilities::SHADER_INT64,
        other => panic!("a scalar that this test does not know: {}", other.name()),
    }
}

pub(crate) fn validate(composed: &Composed, capabilities: Capabilities) -> Result<(naga::Module, ModuleInfo), String> {
    let text = &composed.text;
    // Some errors of naga have no place.
    let at = |span: Option<naga::Span>| {
        span.map_or("somewhere".to_owned(), |span| {
            let (path, line) = composed.origin(span.location(text).line_number as usize);
            format!("shaders/{path}:{line}")
        })
    };
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let place = at(error.labels().map(|(span, _)| span).find(naga::Span::is_defined));
        format!("{place}: {}", error.emit_to_string(text))
    })?;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| {
            let place = at(error.spans().map(|(span, _)| *span).find(naga::Span::is_defined));
            format!("{place}: {}", error.emit_to_string(text))
        })?;
    Ok((module, info))
}

/// Fails with all that went wrong, not only the first.
pub(crate) fn report(failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn every_kernel_is_valid_in_every_precision_and_version() {
    let rows = rows();
    let failed = rows
        .iter()
        .filter_map(|row| row.module().err().map(|error| format!("{}: {error}", row.name())));
    report(&failed.collect::<Vec<_>>());
    let kernels = nonius::kernels();
    let names: BTreeSet<_> = kernels.iter().map(|kernel| kernel.name).collect();
    assert_eq!(names.len(), kernels.len(), "pipelines are cached by the kernel's name");
    assert!(
        rows.len() > 10 * kernels.len(),
        "{} texts of {} kernels",
        rows.len(),
        kernels.len()
    );
}
