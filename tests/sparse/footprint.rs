//! Bytes that are told before converting are the bytes that conversion makes, and those of the paper's equations.

use nonius::sparse::{Csr, Footprint, Format, PackedSell, Sell, Slices, Stored, auto, generate};
use nonius::{Dd, Df64, Scalar};

use crate::cases;

const OF_THE_PAPER: [Format; 6] = [
    Format::Csr,
    Format::Ell,
    Format::EllR,
    Format::RbpCsr,
    Format::RbpEll,
    Format::RbpEllR,
];

fn agrees<T: Scalar>(a: &Csr<T>, context: &str) {
    let footprint = Footprint::of(a.pattern());
    let value_bytes = size_of::<T>() as u64;
    for format in Format::ALL {
        let context = format!("{context} as {format} of {}", T::NAME);
        let real = Stored::new(a, format).expect("it fits").bytes();
        assert_eq!(footprint.bytes(format, value_bytes), real, "{context}");
        let formula = footprint.formula(format, value_bytes);
        assert_eq!(formula, OF_THE_PAPER.contains(&format).then_some(real), "{context}");
    }
    let bytes = |format| footprint.bytes(format, value_bytes);
    assert_eq!(
        footprint.rbp_csr_saves(value_bytes),
        bytes(Format::RbpCsr) < bytes(Format::Csr),
        "(7): {context}"
    );
    for (packed, plain) in [(Format::RbpEll, Format::Ell), (Format::RbpEllR, Format::EllR)] {
        let saves = footprint.rbp_ell_saves(value_bytes);
        assert_eq!(saves, bytes(packed) < bytes(plain), "(8): {context}");
    }
    let auto = auto::choose(&footprint, value_bytes);
    assert!(auto.bytes <= auto.csr_bytes, "{context}: {auto:?}");
    assert_eq!(
        (auto.bytes, auto.csr_bytes),
        (bytes(Format::Auto), a.bytes()),
        "{context}"
    );
    let stored = Stored::new(a, Format::Auto).expect("it fits");
    assert_eq!(
        (stored.format(), stored.bytes()),
        (auto.format, auto.bytes),
        "{context}"
    );
    for (height, window) in [(1, 1), (2, 1), (4, 12), (64, 64)] {
        let slices = Slices::new(height, window).expect("slices");
        let footprint = Footprint::with_slices(a.pattern(), slices);
        let found = [Format::Sell, Format::PackedSell].map(|format| footprint.bytes(format, value_bytes));
        let sell = Sell::with_slices(a, slices).expect("it fits").bytes();
        let packed = PackedSell::with_slices(a, slices).expect("it fits").bytes();
        assert_eq!(found, [sell, packed], "{context}, C = {height}, σ = {window}");
    }
}

#[test]
fn two_hundred_random_patterns_agree() {
    let (mut saving, mut wasting) = (0, 0);
    for seed in 0..200 {
        let a = Csr::from_coo(&cases::random(seed)).expect("small");
        let context = format!("seed {seed}");
        agrees(&a, &context);
        agrees(&a.map(f32::from_f64), &context);
        agrees(&a.map(Df64::from_f64), &context);
        agrees(&a.map(Dd::from_f64), &context);
        if Footprint::of(a.pattern()).rbp_csr_saves(8) {
            saving += 1;
        } else {
            wasting += 1;
        }
    }
    assert!(saving > 20 && wasting > 20, "both sides of (7): {saving}, {wasting}");
}

#[test]
fn real_matrices_and_edges_agree() {
    for (name, a) in cases::data() {
        agrees(&a, &name);
        agrees(&a.map(f32::from_f64), &name);
    }
    for (name, a) in cases::edges() {
        agrees(&a, name);
    }
}

#[test]
fn a_matrix_for_several_threads_agrees() {
    agrees(&generate::stencil27(63, 47, 41).expect("it fits"), "stencil27");
}

#[test]
fn the_choice_follows_the_pattern() {
    let chosen = |a: Csr<f64>| auto::choose(&Footprint::of(a.pattern()), 4);
    // Isolated entries: nothing to pack, and rows of one length.
    let diagonal = chosen(generate::banded(1000, 0, 0).expect("small"));
    assert_eq!(diagonal.format, Format::Ell, "{}", diagonal.reason);
    let graph = chosen(generate::r_mat(10, 8, 3).expect("small"));
    assert_eq!(graph.format, Format::Csr, "{}", graph.reason);
    let solid = chosen(generate::elasticity(24, 24, 24).expect("small"));
    let packed = [Format::PackedCsr, Format::PackedSell].contains(&solid.format);
    assert!(packed && 3 * solid.bytes < 2 * solid.csr_bytes, "{}", solid.reason);
    assert!(solid.reason.contains("fewer than CSR's"), "{}", solid.reason);
    // Runs as long, but rows of 81 entries would outlast what there is to read.
    let small = chosen(generate::elasticity(10, 10, 10).expect("small"));
    assert_eq!(small.format, Format::Csr, "{}", small.reason);
    assert!(small.reason.contains("a row of 81 entries"), "{}", small.reason);
    // One dense row among runs: packed CSR takes fewer bytes, and one invocation for 20,000 entries.
    let row = |i: usize| if i == 7 { 0..20_000 } else { i..(i + 9).min(20_000) };
    let hub = Csr::from_rows(20_000, 20_000, |i, into| into.extend(row(i).map(|j| (j, 1.0)))).expect("small");
    let [packed, plain] = [Format::PackedCsr, Format::Csr].map(|format| Footprint::of(hub.pattern()).bytes(format, 4));
    assert!(packed < plain, "{packed} {plain}");
    let split = chosen(hub);
    assert_eq!(split.format, Format::Csr, "{}", split.reason);
    assert!(split.reason.contains("a row of 20000 entries"), "{}", split.reason);
}

/// Without padding, formats take what their entries, runs and pointers do: the same where nothing is padded, and where a row
/// is longer, what that row adds.
#[test]
fn padding_is_told_apart() {
    // A run of two and an isolated entry; in one row, a run of 38 in its place.
    let matrix = |long: usize| {
        let row = |i: usize, entries: &mut Vec<(usize, f64)>| {
            let columns = if i == 7 { long } else { 3 };
            entries.extend((0..columns).map(|k| (k + usize::from(k >= 2), 1.0)));
        };
        Csr::from_rows(64, 90, row).unwrap()
    };
    let even = Footprint::of(matrix(3).pattern());
    let uneven = Footprint::of(matrix(40).pattern());
    for format in Format::ALL {
        let even = [even.unpadded_bytes(format, 8), even.bytes(format, 8)];
        assert_eq!(even[0], even[1], "{format}");
        let [unpadded, padded] = [uneven.unpadded_bytes(format, 8), uneven.bytes(format, 8)];
        assert!(unpadded <= padded, "{format}");
        // 37 entries more, and with runs apart, a first and a last column in the place of one.
        let more = match format {
            Format::Csr | Format::Csc | Format::Ell | Format::EllR | Format::Sell => 37 * 12,
            Format::RbpCsr | Format::RbpEll | Format::RbpEllR => 37 * 8 + 4,
            _ => 37 * 8,
        };
        assert_eq!(unpadded, even[0] + more, "{format}");
        let is_padded = !matches!(format, Format::Csr | Format::Csc | Format::RbpCsr | Format::PackedCsr);
        assert_eq!(unpadded < padded, is_padded, "{format}");
    }
    assert_eq!(even.unpadded_bytes(Format::Auto, 8), 0);
}
