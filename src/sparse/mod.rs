//! Sparse matrices: triplets ([`Coo`]) and the files they come in ([`matrix_market`]).

pub mod matrix_market;

mod coo;

pub use coo::Coo;
