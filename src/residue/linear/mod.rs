//! Exact linear algebra on matrices of integers and rationals: rank, determinant, inverse and solutions without rounding.
//!
//! Everything is done modulo primes, where numbers do not grow, and put together by the Chinese remainder theorem; the
//! number of primes follows from Hadamard's bound, so results are certified. Elimination modulo one prime needs nothing of
//! another, so the primes are shared among threads, or done in batches on a GPU (`batched/`).

mod batched;
mod crt;
mod determinant;
mod dixon;
mod elimination;
mod inverse;
mod matrix;
mod modular;
mod rank;
mod reconstruct;
mod solve;

pub use crate::rational::Rational;
pub(super) use batched::kernels;
pub use determinant::{Determinant, Stop, determinant};
pub use dixon::{Lifted, dixon};
pub use inverse::inverse;
pub use matrix::{Integers, integers_of_rows};
pub use rank::rank;
pub use reconstruct::reconstruct;
pub use solve::solve;
