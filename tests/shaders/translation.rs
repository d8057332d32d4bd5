//! Every text in every backend's language, and what a backend cannot say.

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::ModuleInfo;
use naga::{Module, ShaderStage};
use nonius::ScalarKind;

use crate::rows::{Row, report, rows};

struct Backend {
    name: &'static str,
    translate: fn(&Row, &Module, &ModuleInfo) -> Result<(), String>,
    /// Why this row cannot be said there, if so.
    refuses: fn(&Row) -> Option<&'static str>,
}

const BACKENDS: [Backend; 5] = [
    Backend {
        name: "SPIR-V 1.3",
        translate: spirv,
        refuses: |_| None,
    },
    Backend {
        name: "MSL 2.4",
        translate: metal,
        refuses: |row| has_f64(row).then_some("Metal has no double"),
    },
    Backend {
        name: "HLSL 6.0",
        translate: hlsl,
        refuses: |_| None,
    },
    Backend {
        name: "GLSL 4.30",
        translate: |row, module, info| glsl(row, module, info, glsl::Version::Desktop(430)),
        refuses: |row| (has_f64(row) || row.kernel.uses_int64()).then_some("GLSL has no 64-bit integers"),
    },
    Backend {
        name: "GLSL ES 3.10",
        translate: |row, module, info| glsl(row, module, info, glsl::Version::new_gles(310)),
        refuses: |row| (has_f64(row) || row.kernel.uses_int64()).then_some("GLSL ES has nothing of 64 bits"),
    },
];

#[test]
fn every_kernel_is_translated_for_every_backend() {
    // What is invalid is another test's failure.
    let translated = rows().into_iter().filter_map(|row| {
        let (module, info) = row.module().ok()?;
        Some(failures(&row, &module, &info))
    });
    report(&translated.flatten().collect::<Vec<_>>());
}

/// Backends that refuse what they can say, or say what they cannot.
pub(crate) fn failures(row: &Row, module: &Module, info: &ModuleInfo) -> Vec<String> {
    let of_backend = |backend: &Backend| {
        let place = || format!("{} in {}", row.name(), backend.name);
        match ((backend.translate)(row, module, info), (backend.refuses)(row)) {
            (Ok(()), None) | (Err(_), Some(_)) => None,
            (Ok(()), Some(reason)) => Some(format!("{}: accepted, though {reason}", place())),
            (Err(error), None) => Some(format!("{}: {error}", place())),
        }
    };
    BACKENDS.iter().filter_map(of_backend).collect()
}

fn has_f64(row: &Row) -> bool {
    matches!(row.precision.scalar, ScalarKind::F64 | ScalarKind::Dd)
}

fn spirv(_: &Row, module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options = spv::Options {
        lang_version: (1, 3),
        ..Default::default()
    };
    spv::write_vec(module, info, &options, None)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

fn metal(row: &Row, module: &Module, info: &ModuleInfo) -> Result<(), String> {
    // naga's writer says beforehand what it cannot do, and panics if it is asked all the same.
    let missing = row.capabilities().difference(msl::supported_capabilities());
    if !missing.is_empty() {
        return Err(format!("not supported: {missing:?}"));
    }
    let options = msl::Options {
        lang_version: (2, 4),
        ..Default::default()
    };
    let text = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
    text.map(|_| ()).map_err(|error| error.to_string())
}

fn hlsl(_: &Row, module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        ..Default::default()
    };
    let mut text = String::new();
    let pipeline = hlsl::PipelineOptions::default();
    let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
    written.map(|_| ()).map_err(|error| error.to_string())
}

fn glsl(row: &Row, module: &Module, info: &ModuleInfo, version: glsl::Version) -> Result<(), String> {
    let options = glsl::Options {
        version,
        ..Default::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: row.kernel.entry.to_owned(),
        multiview: None,
    };
    let mut text = String::new();
    let mut writer = glsl::Writer::new(
        &mut text,
        module,
        info,
        &options,
        &pipeline,
        BoundsCheckPolicies::default(),
    )
    .map_err(|error| error.to_string())?;
    writer.write().map(|_| ()).map_err(|error| error.to_string())
}
