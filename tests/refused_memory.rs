//! Whatever request for memory is refused: who returns a `Result` returns an error, and the process goes on.

#![allow(unsafe_code, reason = "an allocator is unsafe by its nature")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use nonius::sparse::reorder::{Permutation, rcm, runs};
use nonius::sparse::{Coo, Csr, Pattern, SparseMatrix, generate};
use nonius::{Error, Result};

/// Requests of so many bytes are counted: those that are as long as the rows of the matrices here, and none of an error's.
const LARGE: usize = 8 << 10;

thread_local! {
    /// How many more large requests of this thread are granted, less than none once one was refused; None where all are.
    static GRANTED: Cell<Option<i64>> = const { Cell::new(None) };
}

struct Refusing;

impl Refusing {
    fn refuses(bytes: usize) -> bool {
        let Some(left) = GRANTED.get().filter(|_| bytes >= LARGE) else {
            return false;
        };
        GRANTED.set(Some(left - 1));
        left <= 0
    }
}

// SAFETY: what is not refused is the system's.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if Self::refuses(bytes) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, bytes) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Grants `work` no large request, then one, and so on, until it needs no more. Where one is not asked for in a way that can be
/// refused, the process ends.
fn bears_refusals<R>(name: &str, work: impl Fn() -> Result<R>) {
    eprintln!("{name}");
    for granted in 0.. {
        GRANTED.set(Some(granted));
        let outcome = work();
        let is_refused = GRANTED.take().is_some_and(|left| left < 0);
        match outcome {
            Ok(_) if !is_refused => return,
            Ok(_) => panic!("{name} succeeds without memory"),
            Err(error) => assert!(
                is_refused && matches!(error, Error::OutOfMemory { .. }),
                "{name}: {error}"
            ),
        }
    }
}

/// Uneven rows with runs, isolated entries and one row of every column, on one thread.
fn matrices() -> [Csr<f64>; 2] {
    [
        generate::wathen(31, 30, 1).expect("small"),
        generate::arrow(9000).expect("small"),
    ]
}

#[test]
fn orderings_and_triplets_bear_refusals() {
    for a in matrices() {
        let coo = a.to_coo().expect("small");
        bears_refusals("Csr::from_coo", || Csr::from_coo(&coo));
        bears_refusals("Csr::to_coo", || a.to_coo());
        bears_refusals("Csr::transpose", || a.transpose());
        // Copied before anything is refused.
        let copies: Vec<Coo<f64>> = vec![coo; 20];
        let copies = std::cell::RefCell::new(copies);
        bears_refusals("Coo::sum_duplicates", || {
            let mut copy = copies.borrow_mut().pop().expect("enough of them");
            copy.sum_duplicates()
        });
        bears_refusals("rcm", || rcm(a.pattern()));
        bears_refusals("runs", || runs(a.pattern()));
        let p = rcm(a.pattern()).expect("square");
        bears_refusals("identity", || Permutation::identity(a.rows()));
        bears_refusals("inverse", || p.inverse());
        bears_refusals("apply_symmetric", || p.apply_symmetric(&a));
        bears_refusals("apply", || p.apply(a.values().get(..a.rows()).expect("long")));
        bears_refusals("undo", || p.undo(a.values().get(..a.rows()).expect("long")));
    }
}

fn conversions<P: Pattern>(a: &Csr<f64>) {
    let name = P::FORMAT.name();
    bears_refusals(name, || SparseMatrix::<P, f64>::from_csr(a));
    let there = SparseMatrix::<P, f64>::from_csr(a).expect("small");
    bears_refusals("its to_csr", || there.to_csr());
    let values = std::cell::RefCell::new(there.clone());
    let ones = vec![1.0; a.nnz()];
    bears_refusals("its set_values", || values.borrow_mut().set_values(&ones));
}

#[test]
fn conversions_bear_refusals() {
    for a in matrices() {
        conversions::<nonius::sparse::CsrPattern>(&a);
        conversions::<nonius::sparse::SellPattern>(&a);
        conversions::<nonius::sparse::PackedSellPattern>(&a);
        conversions::<nonius::sparse::PackedCsrPattern>(&a);
        conversions::<nonius::sparse::RbpCsrPattern>(&a);
        conversions::<nonius::sparse::CscPattern>(&a);
    }
    // The arrow is not padded.
    let [a, _] = matrices();
    conversions::<nonius::sparse::EllPattern>(&a);
    conversions::<nonius::sparse::EllRPattern>(&a);
    conversions::<nonius::sparse::RbpEllPattern>(&a);
    conversions::<nonius::sparse::RbpEllRPattern>(&a);
}
