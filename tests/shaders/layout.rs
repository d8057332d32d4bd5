//! By reflection: what a shader declares is what Rust binds and writes.

use naga::proc::Layouter;
use naga::{AddressSpace, GlobalVariable, Module, StorageAccess, TypeInner};
use nonius::device::kernel::Access;

use crate::rows::{Row, report, rows};

/// WebGPU's own limits, which every device has.
const STORAGE_BUFFERS: usize = 8;
const INVOCATIONS: u32 = 256;
const WORKGROUP_BYTES: u32 = 16 * 1024;

#[test]
fn shaders_declare_what_rust_binds() {
    let mut failures = Vec::new();
    for row in rows() {
        let Ok((module, _)) = row.module() else { continue };
        let reflected = Reflected::new(&module);
        for check in [bindings, parameters, extents] {
            failures.extend(
                check(&row, &reflected)
                    .err()
                    .map(|error| format!("{}: {error}", row.name())),
            );
        }
    }
    report(&failures);
}

struct Reflected<'a> {
    module: &'a Module,
    layouter: Layouter,
}

impl<'a> Reflected<'a> {
    fn new(module: &'a Module) -> Self {
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).expect("a valid module has a layout");
        Self { module, layouter }
    }

    fn globals(&self) -> impl Iterator<Item = &'a GlobalVariable> + use<'a> {
        self.module.global_variables.iter().map(|(_, global)| global)
    }

    /// Group, binding and address space of what is bound, in order.
    fn bound(&self) -> Vec<(u32, u32, AddressSpace)> {
        let bound = self
            .globals()
            .filter_map(|global| global.binding.as_ref().map(|at| (at, global.space)));
        let mut bound: Vec<_> = bound.map(|(at, space)| (at.group, at.binding, space)).collect();
        bound.sort_by_key(|(group, binding, _)| (*group, *binding));
        bound
    }
}

/// Group 0: the parameters at 0, then the kernel's buffers. Group 1: the barrier, where there is one.
fn bindings(row: &Row, reflected: &Reflected<'_>) -> Result<(), String> {
    let storage = |access: Access| AddressSpace::Storage {
        access: match access {
            Access::Read => StorageAccess::LOAD,
            Access::ReadWrite => StorageAccess::LOAD | StorageAccess::STORE,
        },
    };
    let mut expected = vec![(0, 0, AddressSpace::Uniform)];
    let buffers = row.kernel.bindings.iter().zip(1..);
    expected.extend(buffers.map(|(access, binding)| (0, binding, storage(*access))));
    let found = reflected.bound();
    if row.composed.text.contains("@group(1)") {
        expected.push((1, 0, storage(Access::Read)));
    }
    same("bindings", &expected, &found)?;
    let has_barrier = row.version.words == nonius::device::precision::Words::Barrier;
    same("a barrier", &has_barrier, &found.iter().any(|(group, ..)| *group == 1))?;
    let buffers = found
        .iter()
        .filter(|(.., space)| matches!(space, AddressSpace::Storage { .. }))
        .count();
    at_most("storage buffers", buffers, STORAGE_BUFFERS)
}

/// Integers of 4 bytes, then scalars at multiples of 16: the rule of `Params` in src/device/launch.rs, which is private
/// to the crate and therefore repeated here. A scalar is a `Parameter`: a bare one lies elsewhere in OpenGL.
fn parameters(row: &Row, reflected: &Reflected<'_>) -> Result<(), String> {
    let uniform = reflected.globals().find(|global| global.space == AddressSpace::Uniform);
    let uniform = uniform.ok_or("no parameters")?;
    let TypeInner::Struct { members, .. } = &reflected.module.types[uniform.ty].inner else {
        return Err("parameters are not a struct".to_owned());
    };
    let mut offset = 0_u32;
    let mut expected = Vec::new();
    for name in row.kernel.integers {
        expected.push((*name, offset, 4, "u32".to_owned()));
        offset += 4;
    }
    for name in row.kernel.scalars {
        offset = offset.next_multiple_of(16);
        expected.push((*name, offset, 16, "Parameter".to_owned()));
        offset += 16;
    }
    let found: Vec<_> = members
        .iter()
        .map(|member| {
            let ty = &reflected.module.types[member.ty];
            let kind = match &ty.inner {
                TypeInner::Scalar(scalar) if *scalar == naga::Scalar::U32 => "u32".to_owned(),
                _ => ty.name.clone().unwrap_or_default(),
            };
            (
                member.name.as_deref().unwrap_or(""),
                member.offset,
                reflected.layouter[member.ty].size,
                kind,
            )
        })
        .collect();
    same("members (name, offset, size, type)", &expected, &found)?;
    // Rust sends whole rows of 16 bytes, and the binding is as large as what is sent.
    at_most(
        "bytes of parameters",
        reflected.layouter[uniform.ty].size,
        offset.next_multiple_of(16),
    )
}

fn extents(row: &Row, reflected: &Reflected<'_>) -> Result<(), String> {
    let entry = reflected
        .module
        .entry_points
        .iter()
        .find(|entry| entry.name == row.kernel.entry);
    let entry = entry.ok_or_else(|| format!("no entry point {}", row.kernel.entry))?;
    same("entry points", &1, &reflected.module.entry_points.len())?;
    at_most("invocations", entry.workgroup_size.iter().product(), INVOCATIONS)?;
    let shared = reflected
        .globals()
        .filter(|global| global.space == AddressSpace::WorkGroup);
    let bytes = shared
        .map(|global| reflected.layouter[global.ty].size.next_multiple_of(16))
        .sum();
    at_most("bytes of workgroup memory", bytes, WORKGROUP_BYTES)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{what}: Rust has {expected:?}, the shader {found:?}"))
}

fn at_most<T: PartialOrd + std::fmt::Display>(what: &str, found: T, limit: T) -> Result<(), String> {
    if found <= limit {
        return Ok(());
    }
    Err(format!("{found} {what}, more than {limit}"))
}
