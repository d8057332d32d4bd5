//! y ← αAx + βy in every format: equal to the definition in integers, and, where rows are summed in CSR's order, equal to
//! CSR's in every bit.

use nonius::sparse::{Csr, Format, PackedSell, Sell, Slices, Stored, generate};
use nonius::{Df64, Scalar};

use crate::cases::{self, Random};

/// By the definition, in integers.
fn expected(a: &Csr<f64>, alpha: f64, x: &[f64], beta: f64, y: &[f64]) -> Vec<f64> {
    let mut sums: Vec<f64> = y.iter().map(|y| beta * y).collect();
    for (row, column, value) in a.iter() {
        sums[row] += alpha * value * x[column];
    }
    sums
}

fn agrees<T: Scalar>(a: &Csr<f64>, context: &str) {
    // Elasticity's are fractions.
    let a = &a.map(|value| (8.0 * value).round());
    let mut random = Random(a.nnz() as u64);
    let mut integers = |n: usize| -> Vec<f64> { (0..n).map(|_| random.below(17) as f64 - 8.0).collect() };
    let (x, y) = (integers(a.cols()), integers(a.rows()));
    let scalars = |values: &[f64]| -> Vec<T> { values.iter().map(|value| T::from_f64(*value)).collect() };
    let (matrix, from) = (a.map(T::from_f64), scalars(&x));
    for format in Format::ALL {
        let stored = Stored::new(&matrix, format).expect("it fits");
        for (alpha, beta) in [(1.0, 0.0), (3.0, -2.0), (0.0, 1.0), (-1.0, 1.0)] {
            // With β = 0, what is in y must not count.
            let mut into = if beta == 0.0 {
                vec![T::from_f64(f64::NAN); a.rows()]
            } else {
                scalars(&y)
            };
            let (scaled, kept) = (T::from_f64(alpha), T::from_f64(beta));
            stored.multiply(scaled, &from, kept, &mut into).expect("shapes agree");
            let found: Vec<f64> = into.into_iter().map(T::to_f64).collect();
            let context = format!("{context} as {format} of {}, α = {alpha}, β = {beta}", T::NAME);
            assert_eq!(found, expected(a, alpha, &x, beta, &y), "{context}");
        }
    }
}

#[test]
fn products_in_integers_are_exact() {
    for (name, a) in cases::edges() {
        agrees::<f64>(&a, name);
        agrees::<f32>(&a, name);
        agrees::<Df64>(&a, name);
    }
    for seed in 0..100 {
        let a = Csr::from_coo(&cases::random(seed)).expect("small");
        agrees::<f64>(&a, &format!("seed {seed}"));
    }
    agrees::<f64>(&generate::stencil27(63, 47, 41).expect("it fits"), "several threads");
}

/// Values whose sums round, in formats that go by ascending column.
#[test]
fn products_are_csrs_bit_for_bit() {
    let a = generate::elasticity(7, 6, 5).expect("small");
    let mut random = Random(1);
    let x: Vec<f64> = (0..a.cols())
        .map(|_| random.below(1 << 20) as f64 / 1e6 - 0.5)
        .collect();
    let product = |stored: &Stored<f64>| {
        let mut y = vec![0.0; a.rows()];
        stored.multiply(1.7, &x, 0.0, &mut y).expect("shapes agree");
        y
    };
    let by_rows = product(&Stored::Csr(a.clone()));
    for format in [
        Format::Csc,
        Format::Ell,
        Format::EllR,
        Format::PackedCsr,
        Format::PackedSell,
        Format::Sell,
    ] {
        assert_eq!(product(&Stored::new(&a, format).expect("small")), by_rows, "{format}");
    }
    let slices = Slices::new(8, 24).expect("slices");
    assert_eq!(
        product(&Stored::Sell(Sell::with_slices(&a, slices).expect("small"))),
        by_rows
    );
    assert_eq!(
        product(&Stored::PackedSell(PackedSell::with_slices(&a, slices).expect("small"))),
        by_rows
    );
}

/// Padding takes no part: an infinity that no entry meets leaves no NaN.
#[test]
fn padding_reads_nothing() {
    let a = Csr::new(3, 3, vec![0, 0, 1, 3], vec![1, 1, 2], vec![1.0, 2.0, 3.0]).expect("sound");
    for format in Format::ALL {
        let mut y = [0.0; 3];
        let stored = Stored::new(&a, format).expect("small");
        stored
            .multiply(1.0, &[f64::INFINITY, 1.0, 1.0], 0.0, &mut y)
            .expect("shapes agree");
        assert_eq!(y, [0.0, 1.0, 5.0], "{format}");
    }
}

/// Every format sums a row in its own order, whatever its neighbours are like: row blocks their runs first, the others by
/// ascending column.
#[test]
fn rows_are_summed_in_their_own_order() {
    let mut random = Random(7);
    let mut fraction = || random.below(1 << 20) as f64 / 1e6 - 0.5;
    // Rows beside each other with runs of 1 to 12 entries, from different columns, so that few of a slice are alike.
    let uneven = Csr::from_rows(1500, 260, |row, entries| {
        let run = 1 + (row * row) % 12;
        let columns = (row % 11..260).filter(|column| column % (run + 1 + row % 2) < run);
        entries.extend(columns.take(row % 83).map(|column| (column, fraction())));
    });
    let uneven = uneven.expect("sound");
    let even = generate::elasticity(8, 7, 6).expect("small").map(|value| value / 3.0);
    // Lines of 20, whose runs begin a column after each other.
    let lines = generate::stencil27(20, 7, 6).expect("small").map(|value| value / 3.0);
    for (name, a) in [("uneven", uneven), ("elasticity", even), ("stencil27", lines)] {
        let x: Vec<f64> = (0..a.cols())
            .map(|_| random.below(1 << 20) as f64 / 1e6 - 0.5)
            .collect();
        for format in Format::ALL {
            let runs_first = matches!(format, Format::RbpCsr | Format::RbpEll | Format::RbpEllR);
            let mut found = vec![f64::NAN; a.rows()];
            let stored = Stored::new(&a, format).expect("it fits");
            stored.multiply(1.0, &x, 0.0, &mut found).expect("shapes agree");
            for (row, found) in found.into_iter().enumerate() {
                let entries: Vec<_> = a.row(row).collect();
                let (mut sum, mut isolated) = (0.0, Vec::new());
                for run in entries.chunk_by(|left, right| right.0 - left.0 == 1) {
                    if runs_first && run.len() == 1 {
                        isolated.extend(run);
                    } else {
                        sum = run.iter().fold(sum, |sum, (column, value)| value * x[*column] + sum);
                    }
                }
                sum = isolated
                    .iter()
                    .fold(sum, |sum, (column, value)| value * x[*column] + sum);
                assert_eq!(found, sum, "row {row} of {name} as {format}");
            }
        }
    }
}
