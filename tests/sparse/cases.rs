//! The matrices that every format is tried on.

use nonius::sparse::{Coo, Csr, generate, matrix_market};

/// SplitMix64: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("below a usize")
    }
}

/// Triplets in no order, some of them repeated and some zero, in runs and alone, with integers from −8 to 8 as values.
pub(crate) fn random(seed: u64) -> Coo<f64> {
    let mut random = Random(seed);
    let (rows, cols) = (1 + random.below(90), 1 + random.below(90));
    let mut coo = Coo::new(rows, cols).expect("small");
    // From nearly empty to nearly full.
    let most = [1, 8, 60, 400, 2000][random.below(5)];
    let runs = random.below(most);
    let longest = 1 + random.below(12);
    for _ in 0..runs {
        let (row, first) = (random.below(rows), random.below(cols));
        for column in first..(first + 1 + random.below(longest)).min(cols) {
            coo.push(row, column, random.below(17) as f64 - 8.0).expect("in bounds");
        }
    }
    coo
}

fn csr(rows: usize, cols: usize, triplets: &[(usize, usize, f64)]) -> Csr<f64> {
    let coo = Coo::from_triplets(rows, cols, triplets.iter().copied()).expect("in bounds");
    Csr::from_coo(&coo).expect("small")
}

/// Edges of every kind, by name.
pub(crate) fn edges() -> Vec<(&'static str, Csr<f64>)> {
    let dense_row: Vec<_> = (0..70).map(|column| (3, column, column as f64 - 9.0)).collect();
    let dense_column: Vec<_> = (0..70).map(|row| (row, 3, row as f64 - 9.0)).collect();
    let full: Vec<_> = (0..40 * 33).map(|k| (k / 33, k % 33, (k % 7) as f64 - 3.0)).collect();
    vec![
        ("no rows, no columns", csr(0, 0, &[])),
        ("no rows", csr(0, 5, &[])),
        ("no columns", csr(5, 0, &[])),
        ("no entries", csr(300, 7, &[])),
        ("one zero at the origin", csr(1, 1, &[(0, 0, 0.0)])),
        ("minus zero at column 0 of one row of many", csr(40, 3, &[(7, 0, -0.0)])),
        ("an entry in the last column", csr(2, 9, &[(1, 8, 5.0)])),
        (
            "zeros stored among entries",
            csr(2, 4, &[(0, 0, 0.0), (0, 1, 2.0), (1, 2, 0.0), (1, 3, 0.0)]),
        ),
        (
            "duplicates in no order",
            csr(2, 4, &[(1, 3, 1.0), (0, 2, 1.0), (1, 3, 2.0), (1, 0, 4.0), (1, 3, 4.0)]),
        ),
        ("a dense row", csr(7, 70, &dense_row)),
        ("a dense row in a tall matrix", csr(700, 70, &dense_row)),
        ("a dense column", csr(70, 7, &dense_column)),
        ("full", csr(40, 33, &full)),
        (
            "diagonal",
            csr(65, 65, &(0..65).map(|i| (i, i, i as f64)).collect::<Vec<_>>()),
        ),
        (
            "every other column",
            csr(3, 99, &(0..150).map(|k| (k % 3, 2 * (k / 3), 1.0)).collect::<Vec<_>>()),
        ),
        (
            "every third row empty",
            csr(
                600,
                50,
                &(0..400).map(|k| (k / 2 * 3 + k % 2, k % 50, 2.0)).collect::<Vec<_>>(),
            ),
        ),
        (
            "runs that descriptors split",
            csr(2, 1 << 20, &(0..9000).map(|k| (1, 77 + k, 1.0)).collect::<Vec<_>>()),
        ),
        ("stencil of 27 points", generate::stencil27(9, 8, 7).expect("small")),
        ("elasticity", generate::elasticity(3, 4, 2).expect("small")),
        ("arrow", generate::arrow(300).expect("small")),
    ]
}

/// The square and rectangular matrices of `tests/data` whose values are real, by file name.
pub(crate) fn data() -> Vec<(String, Csr<f64>)> {
    let mut found = Vec::new();
    for directory in ["tests/data", "tests/data/scipy"] {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
        for entry in std::fs::read_dir(&directory).expect("test data") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "mtx") {
                let file = matrix_market::read(&path).expect("test data are sound");
                if let Ok(coo) = file.into_coo() {
                    found.push((path.display().to_string(), Csr::from_coo(&coo).expect("small")));
                }
            }
        }
    }
    assert!(found.len() >= 12, "{}", found.len());
    found
}
