//! Exact linear algebra on matrices of integers and rationals: rank, determinant, inverse and solutions without rounding.
//!
//! Everything is done modulo primes, where numbers do not grow, and put together by the Chinese remainder theorem; the
//! number of primes follows from Hadamard's bound, so results are certified. Elimination modulo one prime needs nothing of
//! another, so the primes are shared among threads.

mod determinant;
mod elimination;
mod inverse;
mod matrix;
mod rank;
mod reconstruct;
mod solve;

pub use determinant::{Stop, determinant};
pub use elimination::Eliminated;
pub use inverse::inverse;
pub use matrix::{Integers, Rational, integers_of_rows};
pub use rank::rank;
pub use reconstruct::reconstruct;
pub use solve::solve;
