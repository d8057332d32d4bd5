//! Vectors in memory that others share are stored whole. WGSL lets a store to a part of one store all of it ("Component
//! Reference from Vector Memory View"), and Metal's and HLSL's compilers do: what a neighbour has stored beside it is lost.

use naga::valid::FunctionInfo;
use naga::{AddressSpace, Block, Expression, Function, Literal, Statement, TypeInner};
use nonius::device::precision::{Precision, Version, Width};
use nonius::{Dd, Df64};

use crate::rows::{Row, report, rows};

#[test]
fn shared_vectors_are_stored_whole() {
    let tiles = of_tiles(0).into_iter().map(|(row, _)| row);
    report(
        &rows()
            .into_iter()
            .chain(tiles)
            .flat_map(|row| parts(&row))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_store_to_a_part_is_seen() {
    for (row, shared) in of_tiles(1) {
        assert_eq!(!parts(&row).is_empty(), shared, "{}", row.name());
    }
}

/// GEMM's tiles with operands of all kinds, for devices that store parts of vectors alone or do not; and whether neighbours
/// share runs of a panel, if those are vectors.
fn of_tiles(stores_parts: u32) -> Vec<(Row, bool)> {
    let kernel = nonius::kernels()
        .into_iter()
        .find(|kernel| kernel.name == "gemm")
        .expect("there is GEMM");
    let mut rows = Vec::new();
    for width in [Width::Single, Width::Pack] {
        let precisions = [
            (Precision::of::<f32>(width), true),
            (Precision::of::<f64>(width), true),
            (Precision::of::<Df64>(width), false),
            (Precision::of::<Dd>(width), false),
        ];
        for (precision, in_vectors) in precisions {
            for turned in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let constants = [
                    ("A_TURNED", turned[0]),
                    ("B_TURNED", turned[1]),
                    ("STORES_PARTS", stores_parts),
                ];
                let row = Row {
                    kernel,
                    precision,
                    version: Version::PLAIN,
                    composed: kernel.compose(precision, Version::PLAIN, &constants),
                };
                let whole = width == Width::Pack && turned == [0, 0];
                rows.push((row, in_vectors && !whole));
            }
        }
    }
    rows
}

/// What stores to parts of vectors there are.
fn parts(row: &Row) -> Vec<String> {
    let (module, info) = match row.module() {
        Ok(valid) => valid,
        Err(error) => return vec![format!("{}: {error}", row.name())],
    };
    let functions = module
        .functions
        .iter()
        .map(|(handle, function)| (function, &info[handle]));
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(at, entry)| (&entry.function, info.get_entry_point(at)));
    let mut found = Vec::new();
    for (function, info) in functions.chain(entries) {
        let mut stores = Vec::new();
        collect(function, &function.body, &mut stores);
        for pointer in stores {
            if is_part(info, &module, pointer) {
                let span = function.expressions.get_span(pointer);
                let text = span.to_range().map_or("", |range| &row.composed.text[range]);
                found.push(format!("{}: {text} is a part of a vector", row.name()));
            }
        }
    }
    found
}

fn is_part(info: &FunctionInfo, module: &naga::Module, pointer: naga::Handle<Expression>) -> bool {
    matches!(
        info[pointer].ty.inner_with(&module.types),
        TypeInner::ValuePointer {
            size: None,
            space: AddressSpace::WorkGroup | AddressSpace::Storage { .. },
            ..
        }
    )
}

/// The pointers that a block stores to, but for branches that are never taken.
fn collect(function: &Function, block: &Block, stores: &mut Vec<naga::Handle<Expression>>) {
    for statement in block {
        match statement {
            Statement::Store { pointer, .. } => stores.push(*pointer),
            Statement::Block(block) => collect(function, block, stores),
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                let known = match function.expressions[*condition] {
                    Expression::Literal(Literal::Bool(known)) => Some(known),
                    _ => None,
                };
                if known != Some(false) {
                    collect(function, accept, stores);
                }
                if known != Some(true) {
                    collect(function, reject, stores);
                }
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    collect(function, &case.body, stores);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                collect(function, body, stores);
                collect(function, continuing, stores);
            }
            _ => {}
        }
    }
}
