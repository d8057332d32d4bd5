//! nonius

mod error;
pub mod scalar;
pub mod sparse;

pub use error::{Error, Result};
pub use scalar::{Dd, Df64, Scalar, ScalarKind};
