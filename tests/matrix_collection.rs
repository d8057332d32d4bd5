//! Goes over a directory of matrices, named by `NONIUS_MATRICES`: every file in it must be read, and agree with its
//! `INDEX.tsv` if there is one (columns: name, rows, cols, stored, nnz; a dash where unknown). Files in its folder `edge` may be refused, but
//! must not panic; with `--nocapture` the outcome of each is printed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nonius::sparse::matrix_market;

#[test]
fn every_file_agrees_with_the_index() {
    let Some(directory) = directory() else { return };
    let index = read_index(&directory.join("INDEX.tsv"));
    let (mut read, mut compared) = (0, 0);
    let mut failures = Vec::new();
    for path in files(&directory) {
        match matrix_market::read(&path) {
            Ok(file) => {
                read += 1;
                let found = [file.rows(), file.cols(), file.stored, file.nnz()];
                if let Some(expected) = index.get(&name(&path)) {
                    compared += 1;
                    if expected
                        .iter()
                        .zip(found)
                        .any(|(expected, found)| expected.is_some_and(|expected| expected != found))
                    {
                        failures.push(format!("{}: {found:?}, but the index says {expected:?}", name(&path)));
                    }
                }
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    println!(
        "{read} files read, {compared} of them compared with the index of {}",
        index.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(read > 0, "{} holds no matrices", directory.display());
}

#[test]
fn odd_files_do_not_panic() {
    let Some(directory) = directory()
        .map(|directory| directory.join("edge"))
        .filter(|edge| edge.is_dir())
    else {
        return;
    };
    let (mut read, mut refused) = (0, 0);
    for path in files(&directory) {
        let outcome = match matrix_market::read(&path) {
            Ok(file) => {
                read += 1;
                let (rows, cols, stored, nnz) = (file.rows(), file.cols(), file.stored, file.nnz());
                let real = file
                    .clone()
                    .into_coo()
                    .map_or_else(|error| error.to_string(), |_| "real".to_owned());
                format!(
                    "read: {}, {rows} x {cols}, {stored} stored, {nnz} expanded; {real}",
                    file.header
                )
            }
            Err(error) => {
                refused += 1;
                error.to_string().replace(&format!("{}: ", path.display()), "refused: ")
            }
        };
        println!("{}\t{outcome}", path.file_name().unwrap_or_default().display());
    }
    println!("{read} odd files read, {refused} refused");
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
    let edge = directory.ends_with("edge");
    files.retain(|path| path.is_file() && (edge || path.to_string_lossy().contains(".mtx")));
    files.sort();
    files
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(".gz").trim_end_matches(".mtx").to_owned()
}

fn read_index(path: &Path) -> HashMap<String, [Option<usize>; 4]> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut index = HashMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |k: usize| fields.get(k).and_then(|field| field.parse().ok());
        index.insert(fields[0].to_owned(), [number(1), number(2), number(3), number(4)]);
    }
    index
}
