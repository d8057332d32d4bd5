//! Every format gives back the matrix that it was made from, explicit zeros and the signs of zeros included.

use nonius::sparse::{Coo, Csr, Ell, Format, PackedSell, RbpEll, Sell, Slices, Stored};
use nonius::{Df64, Scalar};
use proptest::prelude::*;

use crate::cases;

/// `==` takes 0 for −0.
fn assert_same<T: Scalar>(found: &Csr<T>, expected: &Csr<T>, context: &str) {
    assert_eq!(found.pattern(), expected.pattern(), "{context}");
    let (found, expected): (&[u8], &[u8]) = (
        bytemuck::cast_slice(found.values()),
        bytemuck::cast_slice(expected.values()),
    );
    assert_eq!(found, expected, "{context}");
}

fn comes_back<T: Scalar>(a: &Csr<T>, context: &str) {
    let renumbered: Vec<T> = (0..a.nnz()).map(|k| T::from_f64(k as f64 - 1.5)).collect();
    for format in Format::ALL {
        let context = format!("{context} as {format} of {}", T::NAME);
        let mut stored = match Stored::new(a, format) {
            Ok(stored) => stored,
            Err(error) => panic!("{context}: {error}"),
        };
        assert_eq!((stored.format(), stored.nnz()), (format, a.nnz()), "{context}");
        assert_same(&stored.to_csr().expect("small"), a, &context);
        stored.set_values(&renumbered).expect("as many values");
        let back = stored.to_csr().expect("small");
        assert_eq!(back.pattern(), a.pattern(), "{context}");
        assert_eq!(back.values(), renumbered, "{context}");
    }
    for slices in [(1, 1), (2, 1), (4, 8), (32, 1), (5, 100)] {
        let slices = Slices::new(slices.0, slices.1).expect("slices");
        let sell = Sell::with_slices(a, slices).expect("small");
        assert_same(&sell.to_csr().expect("small"), a, context);
        let packed = PackedSell::with_slices(a, slices).expect("small");
        assert_same(&packed.to_csr().expect("small"), a, context);
    }
    let twice = a
        .transpose()
        .and_then(|transpose| transpose.transpose())
        .expect("it fits");
    assert_same(&twice, a, context);
}

#[test]
fn edges_come_back() {
    for (name, a) in cases::edges() {
        comes_back(&a, name);
        comes_back(&a.map(f32::from_f64), name);
        comes_back(&a.map(Df64::from_f64), name);
    }
}

#[test]
fn real_matrices_come_back() {
    for (name, a) in cases::data() {
        comes_back(&a, &name);
    }
}

#[test]
fn a_matrix_for_several_threads_comes_back() {
    let a = nonius::sparse::generate::stencil27(63, 47, 41).expect("it fits");
    comes_back(&a, "stencil27");
    let coo = a.to_coo().expect("it fits");
    assert_same(&Csr::from_coo(&coo).expect("it fits"), &a, "through triplets");
}

/// From every format to every other: the arrays are those that are made of CSR at once.
#[test]
fn conversions_between_any_two_formats_agree() {
    for (name, a) in cases::edges() {
        let stored = |csr: &Csr<f64>, format| Stored::new(csr, format).expect("small");
        for from in Format::ALL {
            let between = stored(&a, from).to_csr().expect("small");
            for to in Format::ALL {
                assert_eq!(stored(&between, to), stored(&a, to), "{name} from {from} to {to}");
            }
        }
    }
    let a = Csr::from_coo(&cases::random(5)).expect("small");
    let ell: Ell<f64> = a.convert().expect("small");
    let packed: PackedSell<f64> = ell.convert().expect("small");
    let blocks: RbpEll<f64> = packed.convert().expect("small");
    assert_eq!(blocks, RbpEll::from_csr(&a).expect("small"));
    assert_same(&blocks.to_csr().expect("small"), &a, "through three formats");
}

/// Duplicates are summed, in the order in which they came, whatever else lies between.
#[test]
fn triplets_are_summed_as_coo_sums_them() {
    for seed in 0..50 {
        let mut coo = cases::random(seed);
        let from_coo = Csr::from_coo(&coo).expect("small");
        coo.sum_duplicates().expect("there is room");
        let summed: Vec<_> = coo.iter().collect();
        assert_eq!(from_coo.iter().collect::<Vec<_>>(), summed, "seed {seed}");
        assert_eq!(from_coo.to_coo().expect("small"), coo, "seed {seed}");
    }
    // (1e16 − 1e16) + 1 is 1 in f64, and backwards it is 0.
    let order = [(0, 1, 1e16), (0, 0, 3.0), (0, 1, -1e16), (0, 1, 1.0)];
    let a = Csr::from_coo(&Coo::from_triplets(1, 2, order).expect("in bounds")).expect("small");
    assert_eq!(a.values(), [3.0, 1.0]);
}

proptest! {
    #[test]
    fn random_matrices_come_back(seed in any::<u64>()) {
        comes_back(&Csr::from_coo(&cases::random(seed)).expect("small"), &format!("seed {seed}"));
    }
}
