//! Generated matrices have the sizes, symmetry and definiteness that their documentation says.

use nonius::Error;
use nonius::sparse::{Csr, Footprint, Format, Stored, generate};

fn row_sums(a: &Csr<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; a.rows()];
    a.multiply(1.0, &vec![1.0; a.cols()], 0.0, &mut sums)
        .expect("shapes agree");
    sums
}

#[test]
fn stencils_count_neighbours() {
    let (a, b, c) = (
        generate::stencil5(5, 4).expect("small"),
        generate::stencil7(5, 4, 3).expect("small"),
        generate::stencil27(5, 4, 3).expect("small"),
    );
    // Pairs of neighbours twice, and the diagonal.
    assert_eq!(a.nnz(), 20 + 2 * (4 * 4 + 5 * 3));
    assert_eq!(b.nnz(), 60 + 2 * (4 * 4 * 3 + 5 * 3 * 3 + 5 * 4 * 2));
    assert_eq!(c.nnz(), (3 * 5 - 2) * (3 * 4 - 2) * (3 * 3 - 2));
    for (matrix, inner) in [(&b, 27), (&c, 27)] {
        assert_eq!(matrix.transpose().as_ref(), Ok(matrix));
        // (2, 1, 1) has all its neighbours.
        assert_eq!(row_sums(matrix)[inner], 0.0);
        assert!(row_sums(matrix)[0] > 0.0);
    }
    assert_eq!(a.transpose().as_ref(), Ok(&a));
}

#[test]
fn convection_is_what_is_unsymmetric() {
    let still = generate::convection_diffusion([4, 3, 2], [0.0; 3]).expect("small");
    assert_eq!(still, generate::stencil7(4, 3, 2).expect("small"));
    let a = generate::convection_diffusion([4, 3, 2], [0.5, 0.25, -0.125]).expect("small");
    assert_ne!(a.transpose().as_ref(), Ok(&a));
    let opposed = generate::convection_diffusion([4, 3, 2], [-0.5, -0.25, 0.125]).expect("small");
    assert_eq!(a.transpose(), Ok(opposed));
    let error = generate::convection_diffusion([1, 1, 1], [0.0, f64::NAN, 0.0]).expect_err("no number");
    assert!(error.to_string().contains("along y"), "{error}");
}

/// xᵀAx > 0 on vectors that excite every entry, and the rows of a node far from the wall sum to zero, as moving the block
/// costs nothing there.
#[test]
fn elasticity_is_symmetric_definite_and_in_runs_of_nine() {
    let a = generate::elasticity(6, 5, 4).expect("small");
    assert_eq!(a.rows(), 3 * 6 * 6 * 5);
    assert_eq!(a.transpose().as_ref(), Ok(&a));
    for seed in 0..20 {
        let mut random = crate::cases::Random(seed);
        let x: Vec<f64> = (0..a.cols())
            .map(|_| random.below(2001) as f64 / 1000.0 - 1.0)
            .collect();
        let mut y = vec![0.0; a.rows()];
        a.multiply(1.0, &x, 0.0, &mut y).expect("shapes agree");
        let energy: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        assert!(energy > 0.0, "{energy}");
    }
    // Translations along each axis, at a node of x = 3: blocks of one component each.
    for component in 0..3 {
        let along: Vec<f64> = (0..a.cols()).map(|k| f64::from(u8::from(k % 3 == component))).collect();
        let mut force = vec![0.0; a.rows()];
        a.multiply(1.0, &along, 0.0, &mut force).expect("shapes agree");
        for node in (0..a.rows() / 3).filter(|node| node % 6 >= 1) {
            for axis in 0..3 {
                // 81 products, of entries below one, each a sum over 8 elements of 8 points.
                let bound = (81.0 + 64.0) * 8.0 * f64::EPSILON;
                assert!(
                    force[3 * node + axis].abs() <= bound,
                    "node {node}: {}",
                    force[3 * node + axis]
                );
            }
        }
    }
    let footprint = Footprint::of(a.pattern());
    assert_eq!(
        (footprint.longest, footprint.longest_run, footprint.isolated),
        (81, 9, 0)
    );
    let next_to_the_wall = a.row(0).len();
    assert_eq!(next_to_the_wall, 3 * 8);
}

/// The sizes of the collection's wathen100 and wathen120.
#[test]
fn wathen_has_the_sizes_of_the_collection() {
    for (nx, rows, nnz) in [(100, 30_401, 471_601), (120, 36_441, 565_761)] {
        let a = generate::wathen(nx, 100, 1).expect("it fits");
        assert_eq!((a.rows(), a.nnz()), (rows, nnz));
    }
    let a = generate::wathen(5, 4, 1).expect("small");
    assert_eq!(a.transpose().as_ref(), Ok(&a));
    assert_ne!(a, generate::wathen(5, 4, 2).expect("small"));
    // Without elements there is nothing that would be definite; rows of zeros would not be.
    for (nx, ny) in [(0, 0), (0, 3), (usize::MAX, 0)] {
        assert_eq!(generate::wathen(nx, ny, 1).expect("empty").rows(), 0);
    }
    // A mass matrix: all entries together are the mass, that of one element of area 4 and its density.
    let one = generate::wathen(1, 1, 3).expect("small");
    let mass: f64 = row_sums(&one).iter().sum();
    // The second corner's diagonal entry is 32/45 of the density.
    let density = one.row(1).find(|entry| entry.0 == 1).expect("stored").1 * 45.0 / 32.0;
    assert!(
        (mass - 4.0 * density).abs() <= 64.0 * f64::EPSILON * 400.0,
        "{mass} for a density of {density}"
    );
}

#[test]
fn power_laws_are_uneven_and_arrows_have_one_long_row() {
    let a = generate::r_mat(12, 8, 7).expect("small");
    let footprint = Footprint::of(a.pattern());
    assert!(footprint.longest > 20 * footprint.nnz / footprint.rows, "{footprint:?}");
    assert_eq!(row_sums(&a).iter().sum::<f64>(), 8.0 * 4096.0);
    assert_ne!(a, generate::r_mat(12, 8, 8).expect("small"));
    let arrow = generate::arrow(50).expect("small");
    assert_eq!(
        (arrow.nnz(), arrow.row(0).len(), arrow.transpose()),
        (148, 50, Ok(arrow.clone()))
    );
    let band = generate::banded(20, 3, 1).expect("small");
    assert_eq!((band.nnz(), band.row(10).len()), (20 + 19 + 19 + 18 + 17, 5));
    assert!(row_sums(&band).iter().all(|sum| *sum > 0.0));
    assert_eq!(generate::banded(3, usize::MAX, usize::MAX).expect("small").nnz(), 9);
}

#[test]
fn names_make_matrices_and_nothing_panics() {
    for name in generate::NAMES {
        let (name, _) = name.split_once(':').expect("a parameter");
        for size in ["0", "1", "3"] {
            let a = generate::by_name(&format!("{name}:{size}")).expect("small");
            for format in Format::ALL {
                Stored::new(&a, format).expect("small");
            }
        }
        for size in ["18446744073709551615", "", "-1", "x", "99999999999999999999999"] {
            let error = generate::by_name(&format!("{name}:{size}"))
                .expect_err("no size")
                .to_string();
            // What was typed is one line.
            assert!(!error.is_empty() && !error.contains("line"), "{error}");
        }
    }
    for name in ["", "stencil27", "stencil28:3", "A.mtx"] {
        let error = generate::by_name(name).expect_err("no matrix").to_string();
        assert!(
            error.starts_with("no matrix ") && error.contains("stencil27:N"),
            "{error}"
        );
    }
    let error = generate::by_name("r-mat:31").expect_err("too many edges").to_string();
    assert_eq!(error, "r_mat: expected at most 4294967295 edges, found 2147483648 x 16");
}

/// The arrow of 2·10⁸ rows has 7 GB of entries; a band of as many columns, more in a row than 32 bits count in all.
#[test]
#[ignore = "run by the next one, with little memory"]
fn a_large_arrow() {
    for large in [generate::arrow(200_000_000), generate::banded(200_000_000, 9, 9)] {
        assert!(matches!(large, Err(Error::OutOfMemory { .. })), "{:?}", large.err());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_matrix_that_memory_does_not_hold_is_refused() {
    crate::little_memory::passes_within(2_500_000, "a_large_arrow");
}

#[test]
fn more_entries_than_32_bits_count_are_refused_by_their_number() {
    let n = 1_431_655_767_usize;
    let half = 1_usize << 31;
    for (operation, entries, matrix) in [
        ("arrow", "4294967299", generate::arrow(n)),
        ("banded", "4294967299", generate::banded(n, 1, 1)),
        ("banded", "4611686018427387904", generate::banded(half, half, half)),
    ] {
        let error = matrix.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            error.starts_with(operation) && error.contains(entries) && error.contains("4294967295"),
            "{error}"
        );
    }
    assert!(generate::arrow(0).is_ok_and(|a| a.nnz() == 0));
    assert!(generate::banded(0, 3, 3).is_ok_and(|a| a.nnz() == 0));
}
