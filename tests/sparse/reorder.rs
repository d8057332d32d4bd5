//! Orderings: permutations undo themselves, narrow bands and lengthen runs.

use nonius::sparse::reorder::{Permutation, rcm, runs};
use nonius::sparse::{Csr, CsrPattern, Footprint, generate};

use crate::cases::{self, Random};

fn shuffled(n: usize, seed: u64) -> Permutation {
    let mut random = Random(seed);
    let mut order: Vec<u32> = (0..u32::try_from(n).expect("small")).collect();
    for k in (1..n).rev() {
        order.swap(k, random.below(k + 1));
    }
    Permutation::new(order).expect("a permutation")
}

fn bandwidth(a: &Csr<f64>) -> usize {
    a.iter().map(|(row, column, _)| row.abs_diff(column)).max().unwrap_or(0)
}

/// The entries that share one run's columns, isolated ones included.
fn mean_run(a: &Csr<f64>) -> f64 {
    let footprint = Footprint::of(a.pattern());
    footprint.nnz as f64 / (footprint.runs() + footprint.isolated) as f64
}

#[test]
fn permutations_move_entries_and_move_them_back() {
    let a = generate::wathen(4, 3, 1).expect("small");
    let p = shuffled(a.rows(), 2);
    let b = p.apply_symmetric(&a).expect("square");
    for (row, column, value) in b.iter() {
        let (i, j) = (p.order()[row] as usize, p.order()[column] as usize);
        assert!(a.row(i).any(|entry| entry == (j, value)), "({row}, {column})");
    }
    assert_eq!(b.nnz(), a.nnz());
    assert_ne!(b, a);
    assert_eq!(
        p.inverse().expect("there is room").apply_symmetric(&b).expect("square"),
        a
    );
    // (PAPᵀ)(Px) = P(Ax), in integers.
    let x: Vec<f64> = (0..a.cols()).map(|k| (k % 5) as f64).collect();
    let (ints, moved) = (a.map(f64::round), b.map(f64::round));
    let (mut y, mut z) = (vec![0.0; a.rows()], vec![0.0; a.rows()]);
    ints.multiply(1.0, &x, 0.0, &mut y).expect("shapes agree");
    moved
        .multiply(1.0, &p.apply(&x).expect("n"), 0.0, &mut z)
        .expect("shapes agree");
    assert_eq!(p.undo(&z).expect("n"), y);
    let rectangular = Csr::from_coo(&nonius::sparse::Coo::from_triplets(2, 3, [(0, 2, 1.0)]).expect("in")).expect("in");
    for error in [
        p.apply_symmetric(&rectangular).err(),
        rcm(rectangular.pattern()).err(),
        runs(rectangular.pattern()).err(),
    ] {
        let error = error.expect("not square").to_string();
        assert!(error.contains('2'), "{error}");
    }
}

/// Nothing at all, rows and columns without entries, and what is below the diagonal alone.
#[test]
fn the_smallest_matrices_have_orderings() {
    for (n, entries) in [
        (0, &[][..]),
        (1, &[]),
        (1, &[(0, 0)]),
        (2, &[]),
        (2, &[(1, 0)]),
        (2, &[(0, 0), (1, 1)]),
        (3, &[(2, 0), (2, 2)]),
        (5, &[(4, 0), (4, 3), (1, 0), (1, 3)]),
    ] {
        let entries = entries.iter().map(|&(row, column)| (row, column, 1.0));
        let coo = nonius::sparse::Coo::from_triplets(n, n, entries).expect("in bounds");
        let a = Csr::from_coo(&coo).expect("small");
        for ordering in [rcm, runs] {
            let p = ordering(a.pattern()).expect("square");
            assert_eq!(Permutation::new(p.order().to_vec()).map(|p| p.len()), Ok(n));
            assert_eq!(ordering(a.pattern()), Ok(p));
        }
        assert!(a.nnz() < 4 || mean_along(runs, &a) == 2.0);
    }
}

#[test]
fn every_ordering_is_a_permutation() {
    let square = |(_, a): &(&'static str, Csr<f64>)| a.rows() == a.cols();
    let mut matrices: Vec<_> = cases::edges().into_iter().filter(square).map(|(_, a)| a).collect();
    matrices.push(generate::r_mat(9, 2, 5).expect("small"));
    assert!(matrices.len() > 5);
    for a in matrices {
        for p in [rcm(a.pattern()), runs(a.pattern())] {
            let p = p.expect("square");
            assert_eq!(p.len(), a.rows());
            Permutation::new(p.order().to_vec()).expect("each number once");
            let there = p.apply_symmetric(&a).expect("square");
            assert_eq!(
                p.inverse()
                    .expect("there is room")
                    .apply_symmetric(&there)
                    .expect("square"),
                a
            );
        }
    }
}

/// The natural band of an nx x ny grid with nx ≤ ny is nx; reverse Cuthill–McKee finds one no wider than twice that from
/// any numbering (levels of a grid are diagonals of at most nx points).
#[test]
fn rcm_narrows_the_band_of_a_shuffled_grid() {
    let a = generate::stencil5(12, 40).expect("small");
    let scattered = shuffled(480, 9).apply_symmetric(&a).expect("square");
    assert!(bandwidth(&scattered) > 400);
    let p = rcm(scattered.pattern()).expect("square");
    let found = bandwidth(&p.apply_symmetric(&scattered).expect("square"));
    assert!(found <= 24, "{found}");
}

/// A ladder with a leaf at its middle. The leaf has the least degree, and from it levels are four wide; from an end of the
/// ladder they are two wide, and three where the leaf is.
#[test]
fn rcm_begins_at_an_end() {
    let rungs = 41;
    let mut edges = vec![(0, 1 + rungs)];
    for rung in 0..rungs {
        let at = 1 + 2 * rung;
        edges.push((at, at + 1));
        if rung + 1 < rungs {
            edges.extend([(at, at + 2), (at + 1, at + 3)]);
        }
    }
    let both = edges.iter().flat_map(|&(i, j)| [(i, j, 1.0), (j, i, 1.0)]);
    let coo = nonius::sparse::Coo::from_triplets(1 + 2 * rungs, 1 + 2 * rungs, both).expect("in bounds");
    let a = Csr::from_coo(&coo).expect("small");
    let found = bandwidth(&rcm(a.pattern()).and_then(|p| p.apply_symmetric(&a)).expect("square"));
    assert!(found <= 3, "{found}");
}

/// What lies between the first entry of each row and the diagonal: what a factorisation fills.
fn profile(a: &Csr<f64>) -> usize {
    (0..a.rows())
        .map(|row| a.row(row).next().map_or(0, |(first, _)| row.saturating_sub(first)))
        .sum()
}

/// The reversal never widens the profile (Liu and Sherman, SIAM J. Numer. Anal. 13, 1976), and narrows this one.
#[test]
fn the_reversal_narrows_the_profile() {
    let a = generate::wathen(9, 7, 1).expect("small");
    let reverse = rcm(a.pattern()).expect("square");
    let forward = Permutation::new(reverse.order().iter().rev().copied().collect()).expect("a permutation");
    let [reverse, forward] = [reverse, forward].map(|p| profile(&p.apply_symmetric(&a).expect("square")));
    assert!(reverse < forward, "{reverse} reversed, {forward} forward");
}

/// Unknowns of one node couple with the same others: their ordering restores runs of three, which shuffling destroyed,
/// and does so better than reverse Cuthill–McKee alone.
#[test]
fn runs_are_lengthened() {
    let a = generate::elasticity(6, 6, 6).expect("small");
    let scattered = shuffled(a.rows(), 4).apply_symmetric(&a).expect("square");
    assert!(mean_run(&scattered) < 1.3);
    let [banded, grouped] = [rcm, runs].map(|ordering| mean_along(ordering, &scattered));
    assert!(grouped >= 6.0 && grouped > banded, "{grouped} and {banded}");
}

fn mean_along(ordering: fn(&CsrPattern) -> nonius::Result<Permutation>, a: &Csr<f64>) -> f64 {
    mean_run(
        &ordering(a.pattern())
            .and_then(|p| p.apply_symmetric(a))
            .expect("square"),
    )
}

/// Also those that numbering along lines of a grid has already, and those of matrices whose unknowns are no grid.
#[test]
fn runs_are_lengthened_where_they_are_long() {
    let data = |name: &str| {
        let file = nonius::sparse::matrix_market::read(format!("tests/data/{name}")).expect("test data are sound");
        Csr::from_coo(&file.into_coo().expect("real")).expect("small")
    };
    for (a, least) in [
        (generate::stencil27(12, 11, 10).expect("small"), 1.05),
        (generate::elasticity(5, 6, 7).expect("small"), 1.03),
        (generate::wathen(11, 9, 1).expect("small"), 1.02),
        (data("west0479.mtx"), 1.3),
        (data("bcsstk01.mtx"), 1.3),
        (data("494_bus.mtx"), 1.3),
    ] {
        let [before, after] = [mean_run(&a), mean_along(runs, &a)];
        assert!(after > least * before, "{} rows: {before} to {after}", a.rows());
    }
}

#[test]
fn runs_are_never_shortened() {
    let square = |a: &Csr<f64>| a.rows() == a.cols() && a.nnz() > 0;
    let edges = cases::edges().into_iter().map(|(name, a)| (name.to_owned(), a));
    let mut matrices: Vec<_> = edges.chain(cases::data()).filter(|(_, a)| square(a)).collect();
    for name in [
        "stencil5:17",
        "banded:60",
        "r-mat:9",
        "arrow:400",
        "convection-diffusion:6",
    ] {
        matrices.push((name.to_owned(), generate::by_name(name).expect("small")));
    }
    // Whoever joins what shares most first, columns 1 and 4, cuts off 2 or 0 and 5 or 3: a run more than there is. Which rows
    // they are makes another graph, and another reverse Cuthill–McKee.
    let shared = [([0, 1], 2), ([1, 2], 2), ([3, 4], 2), ([4, 5], 2), ([1, 4], 3)];
    let pairs: Vec<[usize; 2]> = shared.iter().flat_map(|(pair, rows)| vec![*pair; *rows]).collect();
    for first in 0..pairs.len() {
        let pair = |row: usize| pairs[(first + row) % pairs.len()];
        let chains = Csr::from_rows(pairs.len(), pairs.len(), |row, entries| {
            entries.extend(pair(row).map(|column| (column, 1.0)));
        });
        matrices.push((format!("two chains from {first}"), chains.expect("small")));
    }
    for (name, a) in matrices {
        let scattered = shuffled(a.rows(), 3).apply_symmetric(&a).expect("square");
        for a in [a, scattered] {
            let [banded, after] = [rcm, runs].map(|ordering| mean_along(ordering, &a));
            assert!(
                after >= mean_run(&a).max(banded),
                "{name}: {} to {after}, {banded} by rcm",
                mean_run(&a)
            );
        }
    }
}
