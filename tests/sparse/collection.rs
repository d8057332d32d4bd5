//! Goes over a directory of matrices, named by `NONIUS_MATRICES`, as `tests/matrix_collection.rs` does: every format comes
//! back and takes what was foretold, and counts agree with the directory's `INDEX.tsv` and with the paper's Table 2 where
//! a matrix of it is there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nonius::sparse::matrix_market::{self, Symmetry};
use nonius::sparse::{Coo, Csr, Footprint, Format, Stored, auto};

/// Kawamura et al. (2020), Table 2: N, `N_z`, `N_non`, K, `K_v`, `K_c`, and whether symmetric files were used as they are stored,
/// one triangle.
const TABLE_2: [(&str, [u64; 6], bool); 13] = [
    ("cant", [62_451, 4_007_383, 39_097, 40, 40, 16], true),
    ("rma10", [46_835, 2_374_001, 447, 145, 145, 40], false),
    ("consph", [83_334, 6_010_480, 30_461, 78, 78, 38], true),
    ("parabolic_fem", [525_825, 3_674_625, 999_115, 7, 6, 6], true),
    ("pwtk", [217_918, 11_524_432, 199, 90, 90, 18], true),
    ("thermal2", [1_228_045, 8_580_313, 2_846_134, 11, 9, 8], true),
    ("af_shell9", [504_855, 17_588_845, 919, 30, 30, 10], true),
    ("F1", [343_791, 26_837_113, 46_738, 378, 378, 150], true),
    ("nd24k", [72_000, 28_715_634, 441_476, 483, 472, 114], true),
    (
        "dielFilterV2real",
        [1_157_456, 48_538_952, 10_631_364, 99, 79, 48],
        true,
    ),
    ("Cube_Coup_dt0", [2_164_760, 124_406_070, 125_891, 52, 52, 23], true),
    ("Bump_2911", [2_911_419, 127_729_899, 212_859, 174, 174, 44], true),
    ("Queen_4147", [4_147_110, 316_548_962, 228_679, 63, 63, 35], true),
];

#[test]
fn every_format_holds_every_matrix() {
    let Some(directory) = directory() else { return };
    let index = read_index(&directory.join("INDEX.tsv"));
    let (mut held, mut compared, mut of_table, mut failures) = (0, 0, 0, Vec::new());
    for path in files(&directory) {
        let name = name(&path);
        let file = matrix_market::read(&path).expect("tests/matrix_collection.rs reads them all");
        let (symmetry, array) = (file.header.symmetry, file.header.format == matrix_market::Format::Array);
        let Ok(coo) = file.into_coo() else { continue };
        let a = Csr::from_coo(&coo).expect("it fits");
        let footprint = Footprint::of(a.pattern());
        // Dense files store every value; and the index counts repeated entries apart.
        if let Some([runs, csr]) = index.get(&name).filter(|_| !array && a.nnz() == coo.nnz()) {
            compared += 1;
            if [footprint.runs(), footprint.bytes(Format::Csr, 8)] != [*runs, *csr] {
                failures.push(format!(
                    "{name}: {footprint:?}, but the index says {runs} runs and {csr} bytes"
                ));
            }
        }
        if let Some((_, counts, triangle)) = TABLE_2.iter().find(|(known, ..)| *known == name) {
            of_table += 1;
            let found = counts_of(&coo, *triangle && symmetry != Symmetry::General);
            if found != *counts {
                failures.push(format!("{name}: {found:?}, but Table 2 says {counts:?}"));
            }
        }
        failures.extend(faults(&name, &a, &footprint));
        held += 1;
    }
    println!("{held} matrices held, {compared} compared with the index, {of_table} with the paper's Table 2");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(held > 0, "{} holds no matrices", directory.display());
}

fn faults(name: &str, a: &Csr<f64>, footprint: &Footprint) -> Vec<String> {
    let mut faults = Vec::new();
    for format in Format::ALL {
        // Padding to one dense row is refused, or more than this machine should be asked for.
        if footprint.bytes(format, 8) > 1 << 31 {
            continue;
        }
        match Stored::new(a, format) {
            Ok(stored) => {
                if stored.to_csr().as_ref() != Ok(a) {
                    faults.push(format!("{name} does not come back from {format}"));
                }
                if stored.bytes() != footprint.bytes(format, 8) {
                    faults.push(format!("{name} as {format}: {} bytes, {footprint:?}", stored.bytes()));
                }
                if footprint
                    .formula(format, 8)
                    .is_some_and(|bytes| bytes != stored.bytes())
                {
                    faults.push(format!(
                        "{name} as {format}: {} bytes, but not by the paper",
                        stored.bytes()
                    ));
                }
            }
            Err(error) => faults.push(format!("{name} as {format}: {error}")),
        }
    }
    let choice = auto::choose(footprint, 8);
    if choice.bytes > a.bytes() {
        faults.push(format!("{name}: {choice:?}"));
    }
    faults
}

fn counts_of(coo: &Coo<f64>, triangle: bool) -> [u64; 6] {
    let kept = coo.iter().filter(|(row, column, _)| !triangle || row >= column);
    let stored = Coo::from_triplets(coo.rows(), coo.cols(), kept).expect("in bounds");
    let a = Csr::from_coo(&stored).expect("it fits");
    let footprint = Footprint::of(a.pattern());
    [
        footprint.rows,
        footprint.nnz,
        footprint.isolated,
        footprint.longest,
        footprint.longest_run_values,
        footprint.longest_run_columns,
    ]
}

fn directory() -> Option<PathBuf> {
    let directory = std::env::var_os("NONIUS_MATRICES").map(PathBuf::from);
    if directory.is_none() {
        println!("skipped: NONIUS_MATRICES names no directory of matrices");
    }
    directory
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a readable directory").path())
        .collect();
    files.retain(|path| path.is_file() && path.to_string_lossy().contains(".mtx"));
    files.sort();
    files
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(".gz").trim_end_matches(".mtx").to_owned()
}

/// Runs of two and more, and the bytes of CSR in f64.
fn read_index(path: &Path) -> HashMap<String, [u64; 2]> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let column = |name: &str| header.iter().position(|field| *field == name);
    let (Some(runs), Some(csr)) = (column("runs>=2"), column("CSR64B")) else {
        return HashMap::new();
    };
    let number = |fields: &[&str], k: usize| fields.get(k).and_then(|field| field.parse().ok());
    lines
        .filter_map(|fields| Some((fields[0].to_owned(), [number(&fields, runs)?, number(&fields, csr)?])))
        .collect()
}
