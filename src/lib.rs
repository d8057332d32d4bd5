//! nonius

pub mod device;
mod error;
pub mod scalar;
mod time;

pub use device::{Device, Select};
pub use error::{Error, Result};
pub use scalar::{Dd, Df64, Scalar, ScalarKind};
